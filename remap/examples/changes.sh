#!/usr/bin/env bash
# remap/examples/changes.sh [NAME...]: how many lines of each case study change when its data are
# remapped: in the host program, in the kernel, and in both. Lines of comments and empty ones do
# not count. Where some lines became others, the larger number counts. Of a version that has another
# name than remapped.c it stands behind the case study's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[ $# -ge 1 ] || set -- kmeans nw nn spmv

code() { sed -e 's,/\*.*\*/,,' -e '/\/\*/,/\*\//d' -e 's/ *$//' -e '/^$/d' "$1"; }

# changed SUFFIX: lines that differ between plain.SUFFIX and $version.SUFFIX of $name; a kernel that is
# not there is the plain one.
changed() {
    [ -f "$name/$version.$1" ] || { echo 0; return; }
    { diff <(code "$name/plain.$1") <(code "$name/$version.$1") || [ $? -eq 1 ]; } |
        awk 'function hunk() { sum += old > new ? old : new; old = new = 0 }
             /^[0-9]/ { hunk() }
             /^</ { old++ }
             /^>/ { new++ }
             END { hunk(); print sum + 0 }'
}

for name; do
    for version in $(cd "$name" && ls *.c | sed 's/\.c$//' | grep -vx 'plain\|reference'); do
        host=$(changed c) kernel=$(changed cl) title="$name, $version"
        [ "$version" = remapped ] && title=$name
        printf '%s: %d lines changed, %d in the host program and %d in the kernel\n' \
            "$title" $((host + kernel)) "$host" "$kernel"
    done
done
