#!/usr/bin/env bash
# The PTX that tests/vm/test_ptx_kernels.c runs beside its source: every CUDA kernel file of tests/
# and examples/ that a job runs, through nvcc with the job's options. It is kept, so that the test
# runs where there is no nvcc; where there is one, it makes it anew. What is kept needs to be made
# anew when such a file changes.
#
#   tests/frontend/ptx/make.sh [FOLDER]     into FOLDER; without one, what is kept, and what nvcc makes
#                                           when it optimises nothing, in unoptimised/
#   tests/frontend/ptx/make.sh --list       each kernel file's job, its PTX and itself, a line each
#
# A job names its kernel: FILE.cu, or FILE.cl with FILE.cu beside it. Multiplications and additions
# stay apart (-fmad=false), as the source's language has them. tests/cuda/constant.cu is left out: it
# writes to constant memory, of which nvcc makes a trap.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."

list() {
    local job kernel
    for job in tests/cuda/*.yaml tests/rewrite/cuda/*.yaml tests/vm/shared/*.yaml \
        tests/cli/jobs/cuda.yaml examples/*/*-small.yaml; do
        kernel=$(sed -n 's/^kernel: *//p' "$job")
        kernel=$(dirname "$job")/${kernel%.c[lu]}.cu
        [ -f "$kernel" ] && [ "$kernel" != tests/cuda/constant.cu ] || continue
        name=${kernel#tests/}
        name=${name%.cu}
        echo "$job ${name//\//-}.ptx $kernel"
    done
}

# Without comments and blank lines, and files as seen from the source's folder.
tidy() {
    sed -E -e '/^[[:space:]]*\/\//d' -e '/^$/d' -e 's/[[:space:]]*\/\/ (begin|end) inline asm$//' \
        -e "s,\"$PWD/,\"," -e 's,"[^"]*/targets/[^"/]*/include/,"cuda/include/,' \
        -e 's,"/usr/[^"]*/,",'
}

if [ "${1-}" = --list ]; then
    list
    exit
fi
out=$(realpath "${1-$here}")
nvcc=$(command -v nvcc || echo "${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc")
[ -x "$nvcc" ] || { echo "this needs nvcc, which CUDA_PATH/bin or PATH has"; exit 2; }
made() {
    read -r job name kernel <<<"$1"
    options=$(sed -n 's/^options: *//p' "$job")
    # shellcheck disable=SC2086
    "$nvcc" -ptx $level -lineinfo -fmad=false -arch=sm_80 $options "$kernel" -o "$out/$name.raw"
    tidy <"$out/$name.raw" >"$out/$name"
    rm "$out/$name.raw"
}
make_all() {
    tr '\n' '\0' | xargs -0 -P "$(nproc)" -I{} bash -euo pipefail -c 'made "$1"' made {}
}
export -f made tidy
export out nvcc level=-O3
list | make_all
if [ "$#" = 0 ]; then
    out=$out/unoptimised level='-Xcicc -O0'
    mkdir -p "$out"
    list | grep -v ' cuda-math.ptx ' | make_all # a library's functions, and long
fi
