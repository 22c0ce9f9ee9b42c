#!/usr/bin/env bash
# PTX from CUDA kernel files, for the tests that run it beside its source (tests/machine/test_ptx_kernels.c) and
# that read it: every such file of tests/ and examples/ that a job runs, through nvcc with the job's options, as
# nvcc optimises it and, in unoptimised/, when it optimises nothing. The build of the tests calls it where there
# is nvcc. A few are kept here, for where there is none; they need to be made anew when their sources change.
#
#   tests/frontend/ptx/make.sh FOLDER       all into FOLDER and FOLDER/unoptimised
#   tests/frontend/ptx/make.sh --kept       what is kept, anew
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
    for job in tests/cuda/*.yaml tests/rewrite/cuda/*.yaml tests/machine/shared/*.yaml \
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
[ $# -eq 1 ] || { echo "make.sh FOLDER, --kept or --list"; exit 2; }
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
# into FOLDER LEVEL: those that standard input lists.
into() {
    mkdir -p "$1"
    out=$1 level=$2 xargs -d '\n' -P "$(nproc)" -I{} bash -euo pipefail -c 'made "$1"' made {}
}
export -f made tidy
export nvcc
if [ "$1" = --kept ]; then
    of() { while read -r job name kernel; do [ ! -e "$1/$name" ] || echo "$job $name $kernel"; done; }
    list | of "$here" | into "$here" -O3
    list | of "$here/unoptimised" | into "$here/unoptimised" '-Xcicc -O0'
else
    list | into "$1" -O3
    list | grep -v ' cuda-math.ptx ' | into "$1/unoptimised" '-Xcicc -O0' # a library's functions, and long
fi
