#!/bin/bash
# Includes between folders point only one way: a folder sees itself, the folders
# before it in the design's order, and the public headers. LLVM and clang are
# seen by frontend, rewrite and machine/native/llvm alone, and frontend by machine, rewrite, advise and cli alone.
#
# The same holds for the linked objects: what one calls is defined in its own folder or in one before it,
# whatever it includes.
#
# And a header has the name of no source in another folder, so that a name leads to one place.
#
# All checkers first prove on something made up that they can fail.
set -u
order="base driver layout order remap device kernel frontend job model machine trace analysis recording watch cuda opencl rewrite
advise/measure advise advise/explore cli/report cli/gpu cli cli/mpi"
source_root=${HEDDLE_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}

# Where the sources of the tree $1 lie: the remap library has a house of its own.
folders_of() { echo "$1/src" "$1/include" "$1/remap/src" "$1/remap/include"; }

# Prints every fault of the tree $1, as file:line: message. Of the included names it looks at all in
# quotes, and of those in angle brackets only at what could be ours, LLVM's or clang's.
check_tree() {
    find $(folders_of "$1") -type f | sort | awk -v root="$1" -v order="$(echo $order)" '
    BEGIN {
        count = split(order, names, " ")
        ours = "heddle|llvm|llvm-c|clang|clang-c"
        for (i = 1; i <= count; i++) {
            place[names[i]] = i
            ours = ours "|" names[i]
        }
        include = "^[ \t]*#[ \t]*include[ \t]*"
        of_ours = include "<(" ours ")/"
    }
    # The folder of a path below src: the longest beginning that is in the order, or its first word.
    function folder_of(path,    word) {
        split(path, word, "/")
        return (word[1] "/" word[2]) in place ? word[1] "/" word[2] : word[1]
    }
    # What is wrong when a file of the folder from (an empty one: a public header) includes name;
    # beside is the folder that holds the file.
    function fault(from, name, beside,    to) {
        if (name ~ /^(llvm|llvm-c|clang|clang-c)\//) {
            if (from !~ /^(frontend|rewrite)$/ && beside !~ /\/machine\/native\/llvm$/)
                return "only frontend, rewrite and machine/native/llvm may see LLVM or clang"
            return ""
        }
        if (name ~ /^heddle\//) {
            if (!((root "/include/" name) in there || (root "/remap/include/" name) in there))
                return "there is no such public header"
            return ""
        }
        if (name ~ /^[.][.]?\/|\/[.][.]\//)
            return "write it from src/, as folder/file.h"
        if (name !~ /\//) { # a file beside this one
            if (!((beside "/" name) in there))
                return "it is not in this folder; write folder/file.h"
            return ""
        }
        to = folder_of(name)
        if (from == "")
            return "a public header may include only public ones"
        if (!(to in place))
            return "folder " to " is not in the order of the design"
        if (place[to] > place[from])
            return to " comes after " from " in the order of the design"
        if (to == "frontend" && from !~ /^(frontend|machine|rewrite|advise|cli)(\/|$)/)
            return "only machine, rewrite, advise and cli may include frontend"
    }
    { there[files[NR] = $0] = 1 }
    END {
        for (i = 1; i <= NR; i++) {
            file = files[i]
            if (file !~ /[.][ch]$/)
                continue
            from = substr(file, length(root) + 2)
            if (from ~ /^(remap\/)?include\//) from = ""
            else if (!sub(/^remap\/src\/.*/, "remap", from)) from = folder_of(substr(from, 5))
            if (from != "" && !(from in place)) {
                print file ":1: folder " from " is not in the order of the design"
                continue
            }
            beside = file
            sub(/\/[^\/]*$/, "", beside)
            for (line = 1; (getline text <file) > 0; line++) {
                if (text !~ include)
                    continue
                name = text
                if (text ~ of_ours) gsub(/^[^<]*<|>.*/, "", name)
                else if (!sub(include "\"", "", name) || !sub(/".*/, "", name)) continue
                message = fault(from, name, beside)
                if (message) print file ":" line ": includes \"" name "\": " message
            }
            close(file)
        }
    }'
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

# A file of the folder $1 with one line $2 is to be faulted with a message that has $3; with an empty
# $3 it is to pass. All are looked at together, each by a name of its own.
expected=0
expect() {
    made[expected]=${1%.*}$expected.${1##*.} lines[expected]=$2 messages[expected]=$3
    printf '/* made up */\n%s\n' "$2" >"$tree/${made[expected]}"
    expected=$((expected + 1))
}
compare() {
    local i got
    check_tree "$tree" >"$work/faults"
    for ((i = 0; i < expected; i++)); do
        got=$(grep -F "$tree/${made[i]}:" "$work/faults")
        if [ -z "${messages[i]}" ] && [ -n "$got" ]; then
            echo "the checker faults a good line: ${lines[i]}: $got"
            failed=1
        elif [ -n "${messages[i]}" ] && [ -z "$got" ]; then
            echo "the checker misses a bad line: ${made[i]}: ${lines[i]}"
            failed=1
        elif [ -n "${messages[i]}" ] && [[ $got != *"${messages[i]}"* ]]; then
            echo "the checker faults ${made[i]}: ${lines[i]}, but for another reason: $got"
            failed=1
        fi
    done
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
expect src/model/bad.c '#include <llvm-c/Core.h>' 'only frontend, rewrite and machine/native/llvm may see LLVM'
expect src/cli/report/bad.c '#include "clang-c/Index.h"' 'only frontend, rewrite and machine/native/llvm may see LLVM'
expect src/model/bad.c '#include "../machine/vm.h"' 'write it from src/'
expect src/model/bad.c '#include "nowhere.h"' 'it is not in this folder'
expect src/model/bad.c '#include "heddle/nowhere.h"' 'there is no such public header'
expect src/model/bad.c '#include "gadgets/gadget.h"' 'folder gadgets is not in'
expect src/gadgets/bad.c 'int gadget;' 'folder gadgets is not in'
expect include/heddle/bad.h '#include "base/base.h"' 'a public header may include only public ones'
compare

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
