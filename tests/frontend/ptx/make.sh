#!/usr/bin/env bash
# Makes the PTX of tests/frontend/ptx/kernels/ anew, from the CUDA kernels of tests/cuda/ and
# examples/: NAME.ptx as nvcc optimises, NAME-O0.ptx without. Sums are not fused, so that results
# are those of the source bit for bit. Called with the folder to write to (default: the one where
# the tests look); needs nvcc, of $NVCC or the path.
set -eu
root=$(realpath "$(dirname "$0")/../../..")
to=$(realpath "${1:-$(dirname "$0")/kernels}")
cd "$root"
for source in tests/cuda/*.cu examples/*/*.cu; do
    name=$(basename "$source" .cu)
    case $name in assertion | constant | trap) continue ;; esac # they end in a fault
    job=${source%.cu}.yaml
    [ -e "$job" ] || continue
    [ -e "${source%.cu}-small.yaml" ] && job=${source%.cu}-small.yaml
    read -ra options <<<"$(sed -n 's/^options: *//p' "$job")"
    for level in "" -O0; do
        [ "$name$level" = math-O0 ] && continue # nvcc links no functions then
        "${NVCC:-nvcc}" -ptx -lineinfo --fmad=false -arch=sm_80 ${options[@]+"${options[@]}"} \
            ${level:+-Xcicc -O0} "$source" -o "$to/$name$level.ptx"
        sed -i "s,$root/,,; /^\/\/ Compiler Build ID/d; s,\"[^\"]*/include/,\"/usr/local/cuda/include/," \
            "$to/$name$level.ptx"
    done
done
