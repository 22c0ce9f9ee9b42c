#!/usr/bin/env bash
# test_fuzz.sh HEDDLE: random kernels do the same on the machine and on PoCL, random programs do the
# same in random layouts, and random CUDA kernels the same from PTX as from their source, and as
# compiled as as written.
set -euo pipefail
source "$(dirname "$0")/../folder.sh"
programs=$(dirname "$1")/tests
result=0

# finds_nothing PROGRAM SEED COUNT FEWER: sanitized, when everything takes several times as long,
# it tries FEWER.
finds_nothing() {
    local count=$3 folder=$work/$2 file
    [ -z "${HEDDLE_SANITIZED:-}" ] || count=$4
    mkdir "$folder"
    if ! (cd "$folder" && "$1" --count "$count" --seed "$2"); then
        result=1
        for file in "$folder"/fuzz-*/*; do
            echo "== $file"
            cat "$file"
        done
    fi
}

refuses_options() {
    local wrong status
    for wrong in "--count" "--count many" "--first many" "--rounds 3"; do
        status=0
        # shellcheck disable=SC2086 # an option and its value
        "$1" $wrong >/dev/null 2>&1 || status=$?
        [ $status -eq 2 ] || { echo "$1 $wrong: status $status, not 2"; result=1; }
    done
}

# Half of them with native code and the interpreter by turns, in the same kernels.
finds_nothing "$programs/fuzz_kernels" 3 10 3
HEDDLE_NATIVE=mixed finds_nothing "$programs/fuzz_kernels" 4 10 3
# Thirty kernels with the PTX that nvcc made of them: fuzz_ptx --keep FOLDER.
mkdir "$work/ptx"
tar -C "$work/ptx" -xzf "$(dirname "$0")/ptx/kept.tar.gz"
"$programs/fuzz_ptx" --kept "$work/ptx" || result=1
HEDDLE_NATIVE=always "$programs/fuzz_ptx" --kept "$work/ptx" || result=1
PATH=$PATH:${CUDA_PATH:-/usr/local/cuda}/bin finds_nothing "$programs/fuzz_compiled" 2 50 10
finds_nothing "$programs/fuzz_rewrites" 1 40 10
refuses_options "$programs/fuzz_kernels"
refuses_options "$programs/fuzz_ptx"
refuses_options "$programs/fuzz_compiled"
refuses_options "$programs/fuzz_rewrites"
exit $result
