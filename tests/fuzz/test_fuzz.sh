#!/usr/bin/env bash
# test_fuzz.sh HEDDLE: random kernels do the same on the machine and on PoCL.
set -euo pipefail
program=$(dirname "$1")/tests/fuzz_kernels
folder=$(mktemp -d)
cd "$folder"
result=0
count=50
ldd "$program" | grep -q libasan && count=10 # sanitized, everything takes ten times as long
"$program" --count $count --seed 3 || result=1
if [ $result -ne 0 ]; then
    for kernel in fuzz-*/kernels.cl; do
        echo "== $kernel"
        cat "$kernel"
    done
fi
rm -rf "$folder"
for wrong in "--count" "--count many" "--rounds 3"; do
    status=0
    "$program" $wrong >/dev/null 2>&1 || status=$?
    [ $status -eq 2 ] || { echo "fuzz_kernels $wrong: status $status, not 2"; result=1; }
done
exit $result
