#!/bin/bash
# Includes between folders point only one way: a folder sees itself, the folders
# before it in the design's order, and the public headers. LLVM and clang are
# seen by frontend and rewrite alone, and frontend by machine, rewrite, advise and cli alone.
#
# The same holds for the linked objects: what one calls is defined in its own folder or in one before it,
# whatever it includes.
#
# And a header has the name of no source in another folder, so that a name leads to one place.
#
# All checkers first prove on something made up that they can fail.
set -u
order="base driver layout order remap device kernel frontend job model machine trace analysis cuda rewrite
advise/measure advise/explore advise cli/report cli/gpu cli cli/mpi"
source_root=${HEDDLE_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}

# Position of a folder in the order, from 1; no entry where it is not one of them.
declare -A position
count=0
for folder in $order; do position[$folder]=$((count += 1)); done

# folder: that of a path below src, the longest beginning that is in the order, or its first word.
find_folder() {
    folder=${1%"/${1#*/*/}"}
    [ -n "${position[$folder]:-}" ] || folder=${1%%/*}
}

# What is wrong when a file of folder $1 (an empty one: a public header) includes
# $2; $3 is the folder that holds the file, $4 the root of the tree.
fault() {
    local from=$1 name=$2 beside=$3 root=$4 to folder
    find_folder "$name"
    to=$folder
    case $name in
    llvm/* | llvm-c/* | clang/* | clang-c/*)
        [ "$from" = frontend ] || [ "$from" = rewrite ] ||
            echo "only frontend and rewrite may see LLVM or clang"
        return ;;
    heddle/*)
        [ -f "$root/include/$name" ] || [ -f "$root/remap/include/$name" ] ||
            echo "there is no such public header"
        return ;;
    ../* | */../* | ./*)
        echo "write it from src/, as folder/file.h"
        return ;;
    esac
    if [ "$to" = "$name" ]; then # a file beside this one
        [ -f "$beside/$name" ] || echo "it is not in this folder; write folder/file.h"
    elif [ -z "$from" ]; then
        echo "a public header may include only public ones"
    elif [ -z "${position[$to]:-}" ]; then
        echo "folder $to is not in the design's order"
    elif [ "${position[$to]}" -gt "${position[$from]}" ]; then
        echo "$to comes after $from in the design's order"
    elif [ "$to" = frontend ] && ! [[ $from =~ ^(frontend|machine|rewrite|advise|cli)(/|$) ]]; then
        echo "only machine, rewrite, advise and cli may include frontend"
    fi
}

# The included names of a file, as "line name": all in quotes, and of those in
# angle brackets only what could be ours, LLVM's or clang's.
includes_of() {
    local ours
    ours=$(echo ${order//\//\\/} heddle llvm llvm-c clang clang-c | tr ' ' '|')
    sed -nE -e '/^[ \t]*#[ \t]*include[ \t]*"/{=;s/^[^"]*"([^"]*)".*/\1/p;}' \
        -e "/^[ \\t]*#[ \\t]*include[ \\t]*<($ours)\\//{=;s/^[^<]*<([^>]*)>.*/\\1/p;}" "$1" |
        paste -d ' ' - -
}

# Where the sources of the tree $1 lie: the remap library has a house of its own.
folders_of() { echo "$1/src" "$1/include" "$1/remap/src" "$1/remap/include"; }

# Prints every fault of the tree $1, as file:line: message.
check_tree() {
    local root=$1 file from line name message
    find $(folders_of "$root") -name '*.[ch]' | sort | while read -r file; do
        from=${file#"$root/src/"}
        case $file in
        "$root/include/"* | "$root/remap/include/"*) from="" ;;
        "$root/remap/src/"*) from=remap ;;
        *) find_folder "$from" && from=$folder ;;
        esac
        if [ -n "$from" ] && [ -z "${position[$from]:-}" ]; then
            echo "$file:1: folder $from is not in the design's order"
            continue
        fi
        includes_of "$file" | while read -r line name; do
            message=$(fault "$from" "$name" "${file%/*}" "$root")
            [ -z "$message" ] || echo "$file:$line: includes \"$name\": $message"
        done
    done
}

# ---- the checker checks itself ---------------------------------------------------

source "$(dirname "$0")/../folder.sh"
tree=$work
mkdir -p "$tree/include/heddle" "$tree/remap/src" "$tree/remap/include/heddle"
for folder in ${order/remap/} gadgets; do
    mkdir -p "$tree/src/$folder"
done
echo '#include <stdio.h>' >"$tree/include/heddle/heddle.h"
echo '#include "base/base.h"' >"$tree/src/model/beside.h"
failed=0

# A file $1 of one line $2 must be faulted with a message that has $3; with an
# empty $3 it must pass.
expect() {
    local file="$tree/$1" got
    printf '/* made up */\n%s\n' "$2" >"$file"
    got=$(check_tree "$tree")
    rm "$file"
    if [ -z "$3" ] && [ -n "$got" ]; then
        echo "the checker faults a good line: $2: $got"
        failed=1
    elif [ -n "$3" ] && ! grep -qF "$file:" <<<"$got"; then
        echo "the checker misses a bad line: $1: $2"
        failed=1
    elif [ -n "$3" ] && ! grep -qF "$3" <<<"$got"; then
        echo "the checker faults $1: $2, but for another reason: $got"
        failed=1
    fi
}

expect src/model/good.c '#include "layout/layout.h"' ''
expect src/model/good.c '#include "model/cost.h"' ''
expect src/model/good.c '#include "beside.h"' ''
expect src/model/good.c '#include "heddle/heddle.h"' ''
expect src/model/good.c '#include <yaml.h>' ''
expect src/frontend/good.c '#include <llvm-c/Core.h>' ''
expect src/rewrite/good.h '#include <clang-c/Index.h>' ''
expect src/cli/report/good.c '#include "frontend/frontend.h"' ''
expect src/advise/good.c '#include "frontend/frontend.h"' ''
expect src/cli/good.c '  #  include "frontend/frontend.h"' ''
expect remap/src/good.c '#include "remap/map.h"' ''
expect src/advise/measure/good.c '#include "remap/device.h"' ''
expect remap/src/bad.c '#include "cli/report/report.h"' 'cli/report comes after remap'
expect remap/include/heddle/bad.h '#include "base/base.h"' 'a public header may include only public ones'
expect src/layout/bad.c '#include "kernel/kir.h"' ':2: includes "kernel/kir.h": kernel comes after'
expect src/base/bad.h '  #  include "device/device.h"' 'device comes after base'
expect src/base/bad.c '#include <cli/cli.h>' 'cli comes after base'
expect src/model/bad.c '#include "frontend/frontend.h"' 'only machine, rewrite, advise and cli may include frontend'
expect src/model/bad.c '#include <llvm-c/Core.h>' 'only frontend and rewrite may see LLVM'
expect src/cli/report/bad.c '#include "clang-c/Index.h"' 'only frontend and rewrite may see LLVM'
expect src/model/bad.c '#include "../machine/vm.h"' 'write it from src/'
expect src/model/bad.c '#include "nowhere.h"' 'it is not in this folder'
expect src/model/bad.c '#include "heddle/nowhere.h"' 'there is no such public header'
expect src/model/bad.c '#include "gadgets/gadget.h"' 'folder gadgets is not in'
expect src/gadgets/bad.c 'int gadget;' 'folder gadgets is not in'
expect include/heddle/bad.h '#include "base/base.h"' 'a public header may include only public ones'
# Symbols, as "folder name kind" (nm's letter): prints those that are used by a folder and defined in a later
# one alone. What several folders define (a weak function, and who replaces it) is nobody's.
check_symbols() {
    awk -v order="$(echo $order)" '
    BEGIN { n = split(order, names, " "); for (i = 1; i <= n; i++) place[names[i]] = i }
    !($1 in place) { next }
    $3 ~ /[TDBRGSC]/ { if (!($2 in home) || place[$1] < place[home[$2]]) home[$2] = $1 }
    $3 ~ /[WV]/ { home[$2] = "base" }
    $3 == "U" { uses[$1 " " $2] = 1 }
    END {
        for (use in uses) {
            split(use, part, " ")
            if (part[2] in home && place[home[part[2]]] > place[part[1]])
                print part[1] " uses " part[2] ", which " home[part[2]] " defines, after it"
        }
    }' | sort
}

expect_symbols() {
    local got
    got=$(printf '%s\n' "$2" | check_symbols)
    [ "$got" = "$1" ] || { echo "the checker of symbols says '$got' of: $2"; failed=1; }
}
expect_symbols '' $'base hd_a T\ncli hd_a U\ncli hd_b U\ncli hd_b T'
expect_symbols 'base uses hd_b, which cli defines, after it' $'base hd_b U\ncli hd_b T\nmodel hd_c T'
expect_symbols '' $'base hd_b U\nbase hd_b W\ncli hd_b T'

[ "$failed" = 0 ] || exit 1

# ---- the real tree ------------------------------------------------------------------

files=$(find $(folders_of "$source_root") -name '*.[ch]' | wc -l)
if [ "$files" -lt 10 ]; then
    echo "found only $files source files under $source_root; set HEDDLE_SOURCE to the source tree"
    exit 1
fi
listed=$(grep -v include/heddle "$source_root/docs/architecture.md" | sed -nE 's/^\| `([a-z/]+)` \|.*/\1/p')
if [ "$(echo $listed)" != "$(echo $order)" ]; then
    echo "docs/architecture.md lists the folders" $listed "but their order here is" $order
    exit 1
fi
faults=$(check_tree "$source_root")
if [ -n "$faults" ]; then
    echo "$faults"
    exit 1
fi
echo "includes of $files files follow the design's order"

# ---- names ------------------------------------------------------------------------------

# Names of sources, a path on each line: prints each header whose name a source of another folder has. A public
# header's source stands in src.
check_names() {
    awk '{
        name = folder = $0
        sub(/.*\//, "", name)
        sub(/\/[^\/]*$/, "", folder)
        if (sub(/\.c$/, "", name)) of[name] = of[name] " " folder
        else if (sub(/\.h$/, "", name) && folder !~ /include/) header[$0] = name " " folder
    }
    END {
        for (path in header) {
            split(header[path], part, " ")
            count = split(of[part[1]], folders, " ")
            for (i = 1; i <= count; i++)
                if (folders[i] != part[2]) print path ": " folders[i] "/" part[1] ".c has its name"
        }
    }' | sort
}
[ -z "$(printf 'src/a/x.c\nsrc/a/x.h\nsrc/b/y.h\nsrc/b/z.c\n' | check_names)" ] &&
    [ "$(printf 'src/a/x.c\nsrc/b/x.h\n' | check_names)" = 'src/b/x.h: src/a/x.c has its name' ] ||
    { echo "the checker of names is wrong"; exit 1; }
faults=$(cd "$source_root" && find src remap/src remap/include include bench -name '*.[ch]' |
    grep -vE '/clang/(cuda|opencl)/' | check_names)
if [ -n "$faults" ]; then
    echo "$faults"
    exit 1
fi

# ---- the linked objects ---------------------------------------------------------------

build=${HEDDLE_BUILD:-$source_root/build/release}
find "$build/src/CMakeFiles" -name '*.c.o' >"$work/objects"
find "$build/remap/CMakeFiles" -path '*.dir/src/*.c.o' >>"$work/objects"
count=$(wc -l <"$work/objects")
[ "$count" -ge 300 ] || { echo "found only $count objects under $build; HEDDLE_BUILD names the build"; exit 1; }
# An object lies in its library's folder as its source does in src.
xargs nm -A -g --portability <"$work/objects" |
    awk -v order="$(echo $order)" '
    BEGIN { n = split(order, names, " "); for (i = 1; i <= n; i++) known[names[i]] = 1 }
    {
        path = $1
        sub(/:$/, "", path)
        if (!(path in folder)) {
            of = path
            if (!sub(/.*[/]src[/]CMakeFiles[/][^/]*[.]dir[/]/, "", of)) of = "remap/"
            split(of, word, "/")
            folder[path] = (word[1] "/" word[2]) in known ? word[1] "/" word[2] : word[1]
        }
        print folder[path], $2, $3
    }' >"$work/symbols"
faults=$(check_symbols <"$work/symbols")
if [ -n "$faults" ]; then
    echo "$faults"
    exit 1
fi
echo "symbols of $count objects follow it, too"
