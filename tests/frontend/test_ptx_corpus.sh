#!/usr/bin/env bash
# The kernels that a machine-learning framework wrote (../shared/data/ptx) load, each address of
# theirs is affine or says why, and each runs on made-up buffers that are large enough.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cli/ready.sh"
data=${2:-$source_folder/../shared/data/ptx}

if ! [ -d "$data" ]; then
    echo "skipped: $data is not there"
    exit 0
fi
count=0
for file in "$data"/*.ptx; do
    count=$((count + 1))
    [ -z "${HEDDLE_SANITIZED:-}" ] || [ $((count % 5)) -eq 0 ] || continue
    threads=$(sed -n 's/^\.maxntid \([0-9]*\).*/\1/p' "$file")
    call advise --accesses "$file"
    [ "$status" -eq 0 ] || complain "$file: no accesses"
    grep -q "unknown origin" "$work"/log/* && complain "$file: a pointer of unknown origin"
    for elements in 16384 4194304; do # few are enough for most, and soon made up
        call run "$file" --global $((2 * threads)) --local "$threads" --count $elements
        [ "$status" -ne 0 ] || break
        [ $elements = 16384 ] || complain "$file: does not run"
    done
done
[ "$count" -gt 100 ] || complain "only $count kernels in $data"
finish
