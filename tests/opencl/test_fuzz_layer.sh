#!/bin/bash
# Random OpenCL programs see the same bytes as they are and in other layouts.
source "$(dirname "$0")/../folder.sh"
fuzz=$(dirname "$1")/tests/fuzz_layer
"$fuzz" --count 50 --seed 7 || exit 1
# A layer that is not there, or does not run, is no success.
"$fuzz" host 1 0 1 >/dev/null || { echo "a program does not run"; exit 1; }
status=0
"$fuzz" --count many >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || { echo "--count many: status $status, not 2"; exit 1; }
