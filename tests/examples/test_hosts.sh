#!/usr/bin/env bash
# The examples with a host program: as arrays of structs and in other layouts, each computes what
# its reference does. Kernels in one layout and a host in another are told from each other.
# examples/README.md shows what a layout changes in a host.
set -u
heddle=$(realpath "${1:?the path of heddle}")
root=$(realpath "$(dirname "$0")/../..")
source "$(dirname "$0")/../folder.sh"
export HEDDLE=$heddle HEDDLE_DATABASE=$work/profiles.db
failures=0
complain() { failures=$((failures + 1)); printf 'FAILED: %s\n' "$*"; }

# check NAME SIZE LAYOUT...: sizes that no tile divides, so that the last one is not full.
check() {
    local name=$1 size=$2 layout program printed
    shift 2
    for layout in "" "$@"; do
        program=$("$root/examples/build.sh" "$name" "$layout" "$work/$name" 2>"$work/log") ||
            { complain "$name [$layout] is not built: $(cat "$work/log")"; continue; }
        printed=$("$program" "$size" 2>&1) || complain "$name [$layout]: exit status $?: $printed"
        case $printed in
        equal:*) ;;
        *) complain "$name [$layout]: $printed" ;;
        esac
        [ -z "$layout" ] || grep -qF -- " $layout" "$work/$name/$name.h" ||
            complain "$name.h is not in the layout $layout"
    done
}

check blackscholes 1000 soa '{price,strike,years,rate,volatility}:16{call,put}' \
    '{price,strike,years}:soa{rate,volatility}:8{call,put}/da'
check bitonic 1024 soa '{key}{first,second,third}:8' '{key,first}:4{second}{third}/da'
check lavamd 3 soa '{rv_v,rv_x,rv_y,rv_z}:32{charge}{fv_v,fv_x,fv_y,fv_z}' \
    '{rv_v,rv_x,rv_y,rv_z,charge}:8{fv_v,fv_x,fv_y,fv_z}/da'
check nbody4 300 soa aosoa:8 da
check sampo 1000 soa '{state,random}:16{age,habitat,progress,energy,mated,digesting}:32{eggs,offspring}{infection,incubation}' \
    '{state,random,habitat}:64{age,progress,energy,mated,digesting}{eggs,offspring,infection,incubation}:soa/da'

# A host that lays the records out as its kernels do not: the comparison must see it.
one=$("$root/examples/build.sh" blackscholes soa "$work/one" 2>&1 | tail -n 1)
"$root/examples/build.sh" blackscholes aosoa:16 "$work/other" >"$work/log" 2>&1
cp "$work/other/blackscholes.cl" "$work/one/"
"$one" 1000 >"$work/out" 2>&1
status=$?
[ $status -eq 1 ] && grep -q 'the reference says' "$work/out" ||
    complain "the wrong layout ended with status $status: $(cat "$work/out")"

"$root/examples/build.sh" kmeans >"$work/out" 2>&1
[ $? -eq 2 ] && grep -q "no example 'kmeans'" "$work/out" || complain "kmeans has no host program"

# ---- the change that examples/README.md shows ----------------------------------------

# side FILE SIDE: the file as it is without LAID_OUT (plain) or with it (laid).
side() {
    awk -v side="$2" '/^#ifdef LAID_OUT/ { in_side = "laid"; next }
                      /^#else/ && in_side { in_side = "plain"; next }
                      /^#endif/ && in_side { in_side = ""; next }
                      !in_side || in_side == side' "$1"
}
main=$root/examples/blackscholes/main.c
diff -U1 <(side "$main" plain) <(side "$main" laid) | tail -n +3 >"$work/diff"
awk '/^```diff/ { inside = 1; next } /^```/ { inside = 0 } inside' "$root/examples/README.md" \
    >"$work/shown"
cmp -s "$work/diff" "$work/shown" ||
    complain "examples/README.md shows another change than that of blackscholes/main.c:" \
             "$(diff "$work/shown" "$work/diff")"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
