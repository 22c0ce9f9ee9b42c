#!/usr/bin/env bash
# test_rewrites.sh HEDDLE: random programs do the same in random layouts.
set -euo pipefail
program=$(dirname "$1")/tests/fuzz_rewrites
folder=$(mktemp -d)
cd "$folder"
result=0
count=100
ldd "$program" | grep -q libasan && count=20 # sanitized, everything takes several times as long
"$program" --count $count --seed 1 || result=1
if [ $result -ne 0 ]; then
    for file in fuzz-*/*; do
        echo "== $file"
        cat "$file"
    done
fi
rm -rf "$folder"
for wrong in "--count" "--first many" "--rounds 3"; do
    status=0
    "$program" $wrong >/dev/null 2>&1 || status=$?
    [ $status -eq 2 ] || { echo "fuzz_rewrites $wrong: status $status, not 2"; result=1; }
done
exit $result
