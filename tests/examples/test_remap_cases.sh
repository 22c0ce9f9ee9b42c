#!/usr/bin/env bash
# The case studies of the remap library: all versions of each compute what its reference does, a
# kernel that does not know of the map is found out, and the pages have the numbers of lines that
# changed.
set -u
heddle=$(realpath "${1:?the path of heddle}")
root=$(realpath "$(dirname "$0")/../..")
source "$(dirname "$0")/../folder.sh"
export HEDDLE=$heddle XDG_CACHE_HOME=$work/cache
failures=0
complain() { failures=$((failures + 1)); printf 'FAILED: %s\n' "$*"; }

# A program that uses a sanitized library is sanitized, too.
grep -qx 'HEDDLE_SANITIZE:[A-Z]*=ON' "$(dirname "$heddle")/CMakeCache.txt" &&
    export CFLAGS=-fsanitize=address,undefined

# check NAME SIZE...: also sizes that fill no group. The numbers are in $page.
page=reproduce-remap.md
check() {
    local name=$1 size version printed
    shift
    "$root/remap/examples/build.sh" "$name" "$work/$name" >"$work/log" 2>&1 ||
        { complain "$name is not built: $(cat "$work/log")"; return; }
    for version in $(cd "$work/$name" && ls); do
        for size; do
            printed=$("$work/$name/$version" "$size" 2>&1) ||
                complain "$name, $version, $size: exit status $?: $printed"
            [[ $'\n'$printed = *$'\n'equal:* ]] || complain "$name, $version, $size: $printed"
        done
    done
    "$root/remap/examples/changes.sh" "$name" | while read -r line; do
        grep -qxF "$line" "$root/remap/docs/$page" || echo "remap/docs/$page has not '$line'"
    done >"$work/log"
    [ ! -s "$work/log" ] || complain "$(cat "$work/log")"
}
check kmeans 1 1000
check nw 1 100
check spmv 1 1001
check nn 1 1000
page=remap.md
check springs 1 1000

# The host remaps, the kernel does not: the comparison must see it.
mkdir "$work/remap"
ln -s "$root/include" "$root/examples" "$work"
ln -s "$root/remap/include" "$work/remap"
cp -r "$root/remap/examples" "$work/remap"
cp "$work/remap/examples/kmeans/plain.cl" "$work/remap/examples/kmeans/remapped.cl"
"$work/remap/examples/build.sh" kmeans "$work/wrong" >"$work/log" 2>&1 || complain "$(cat "$work/log")"
"$work/wrong/remapped" 1000 >"$work/out" 2>&1
status=$?
[ $status -eq 1 ] && grep -q 'the reference says' "$work/out" ||
    complain "the wrong kernel ended with status $status: $(cat "$work/out")"

"$root/remap/examples/build.sh" lud >"$work/out" 2>&1
[ $? -eq 2 ] && grep -q "no case study 'lud'" "$work/out" || complain "lud is no case study"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
