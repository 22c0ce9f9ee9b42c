#!/bin/bash
# Makes kernels.ptx of kernels.cu, as NVIDIA's compiler does by default. make.sh [NVCC]
set -eu
cd "$(dirname "$0")"
"${1:-nvcc}" -ptx -arch=sm_80 -o kernels.ptx kernels.cu
