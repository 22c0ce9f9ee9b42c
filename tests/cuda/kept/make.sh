#!/usr/bin/env bash
# kept/make.sh: the PTX of this folder anew, with the nvcc of the toolkit, for systems without one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
for name in vectors histogram sums; do
    "$nvcc" -std=c++17 -ptx -arch=compute_75 -o "$name.ptx" "../programs/$name.cu"
done
