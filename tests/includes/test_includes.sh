#!/bin/bash
# Includes between folders point only one way: a folder sees itself, the folders
# before it in the design's order, and the public headers. LLVM and clang are
# seen by frontend and rewrite alone, and frontend by ptx, rewrite, explore, advise,
# report, gpu and cli alone.
#
# The checker first proves on a made-up tree that it can fail.
set -u
order="base driver layout mapping remap graph device energy kernel frontend job cost event vm ptx trace locality cuda search rewrite
measure explore advise report gpu cli mpi"
source_root=${HEDDLE_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}

# Position of a folder in the order, from 1; no entry where it is not one of them.
declare -A position
count=0
for folder in $order; do position[$folder]=$((count += 1)); done

# What is wrong when a file of folder $1 (an empty one: a public header) includes
# $2; $3 is the folder that holds the file, $4 the root of the tree.
fault() {
    local from=$1 name=$2 beside=$3 root=$4 to=${2%%/*}
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
    elif [ "$to" = frontend ] && ! [[ $from =~ ^(frontend|ptx|rewrite|explore|advise|report|gpu|cli)$ ]]; then
        echo "only ptx, rewrite, explore, advise, report, gpu and cli may include frontend"
    fi
}

# The included names of a file, as "line name": all in quotes, and of those in
# angle brackets only what could be ours, LLVM's or clang's.
includes_of() {
    local ours
    ours=$(echo $order heddle llvm llvm-c clang clang-c | tr ' ' '|')
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
        *) from=${from%%/*} ;;
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
echo '#include "base/base.h"' >"$tree/src/cost/beside.h"
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

expect src/cost/good.c '#include "layout/layout.h"' ''
expect src/cost/good.c '#include "cost/cost.h"' ''
expect src/cost/good.c '#include "beside.h"' ''
expect src/cost/good.c '#include "heddle/heddle.h"' ''
expect src/cost/good.c '#include <yaml.h>' ''
expect src/frontend/good.c '#include <llvm-c/Core.h>' ''
expect src/rewrite/good.h '#include <clang-c/Index.h>' ''
expect src/report/good.c '#include "frontend/frontend.h"' ''
expect src/advise/good.c '#include "frontend/frontend.h"' ''
expect src/cli/good.c '  #  include "frontend/frontend.h"' ''
expect remap/src/good.c '#include "remap/map.h"' ''
expect src/measure/good.c '#include "remap/device.h"' ''
expect remap/src/bad.c '#include "report/report.h"' 'report comes after remap'
expect remap/include/heddle/bad.h '#include "base/base.h"' 'a public header may include only public ones'
expect src/layout/bad.c '#include "kernel/kir.h"' ':2: includes "kernel/kir.h": kernel comes after'
expect src/base/bad.h '  #  include "device/device.h"' 'device comes after base'
expect src/base/bad.c '#include <cli/cli.h>' 'cli comes after base'
expect src/search/bad.c '#include "frontend/frontend.h"' 'only ptx, rewrite, explore, advise, report, gpu and cli may include frontend'
expect src/cost/bad.c '#include <llvm-c/Core.h>' 'only frontend and rewrite may see LLVM'
expect src/report/bad.c '#include "clang-c/Index.h"' 'only frontend and rewrite may see LLVM'
expect src/cost/bad.c '#include "../vm/vm.h"' 'write it from src/'
expect src/cost/bad.c '#include "nowhere.h"' 'it is not in this folder'
expect src/cost/bad.c '#include "heddle/nowhere.h"' 'there is no such public header'
expect src/cost/bad.c '#include "gadgets/gadget.h"' 'folder gadgets is not in'
expect src/gadgets/bad.c 'int gadget;' 'folder gadgets is not in'
expect include/heddle/bad.h '#include "base/base.h"' 'a public header may include only public ones'
[ "$failed" = 0 ] || exit 1

# ---- the real tree ------------------------------------------------------------------

files=$(find $(folders_of "$source_root") -name '*.[ch]' | wc -l)
if [ "$files" -lt 10 ]; then
    echo "found only $files source files under $source_root; set HEDDLE_SOURCE to the source tree"
    exit 1
fi
listed=$(sed -nE 's/^\| `([a-z]+)` \|.*/\1/p' "$source_root/docs/architecture.md")
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
