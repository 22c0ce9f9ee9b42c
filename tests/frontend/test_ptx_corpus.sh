#!/usr/bin/env bash
# The kernels that a machine-learning framework wrote (../shared/data/ptx) load, each address of
# theirs is affine or says why, and each runs on made-up buffers that are large enough.
set -u
heddle=$(realpath "${1:?the path of heddle}")
root=$(realpath "$(dirname "$0")/../..")
data=${2:-$root/../shared/data/ptx}
source "$root/tests/folder.sh"
failures=0
complain() { failures=$((failures + 1)); printf 'FAILED: %s\n' "$*"; }

if ! [ -d "$data" ]; then
    echo "skipped: $data is not there"
    exit 0
fi
count=0
for file in "$data"/*.ptx; do
    count=$((count + 1))
    [ -z "${HEDDLE_SANITIZED:-}" ] || [ $((count % 5)) -eq 0 ] || continue
    threads=$(sed -n 's/^\.maxntid \([0-9]*\).*/\1/p' "$file")
    "$heddle" advise --accesses "$file" >"$work/accesses" 2>&1 || complain "$file: $(head -1 "$work/accesses")"
    grep -q "unknown origin" "$work/accesses" && complain "$file: a pointer of unknown origin"
    for elements in 16384 4194304; do # few are enough for most, and soon made up
        "$heddle" run "$file" --global $((2 * threads)) --local "$threads" --count $elements \
            >"$work/run" 2>&1 && break
        [ $elements = 16384 ] || complain "$file: $(head -1 "$work/run")"
    done
done
[ "$count" -gt 100 ] || complain "only $count kernels in $data"
exit $((failures > 0))
