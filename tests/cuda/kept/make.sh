#!/usr/bin/env bash
# kept/make.sh [NAME...]: the PTX of these of ../programs into the current folder, with the nvcc of the toolkit;
# without names, what is kept here, anew, for systems that have none.
set -euo pipefail
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")/../programs" && pwd)
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
if [ $# -eq 0 ]; then
    cd "$(dirname "${BASH_SOURCE[0]}")"
    set -- $(basename -s .ptx *.ptx)
fi
for name in "$@"; do
    lines=
    case $name in particles | nodes | views) lines=-lineinfo ;; esac # recorded over their sources
    "$nvcc" -std=c++17 -ptx -arch=compute_75 $lines -o "$name.ptx" "$programs/$name.cu"
    sed -i "s,\"$programs/,\"," "$name.ptx" # as seen from the folder in which the program runs
done
