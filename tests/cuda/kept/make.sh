#!/usr/bin/env bash
# kept/make.sh: the PTX of this folder anew, with the nvcc of the toolkit, for systems without one.
# Left out are programs that need the toolkit's headers (driver, groups, half, tensors), one whose PTX names
# folders (debugging), and what clang does in another way than nvcc, or not at all: names of static variables
# (modules), managed variables, a default stream for each thread (per_thread).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
for file in ../programs/*.cu; do
    name=$(basename "$file" .cu)
    case " debugging driver groups half managed modules per_thread tensors " in
    *" $name "*) continue ;;
    esac
    lines=
    [ "$name" != particles ] || lines=-lineinfo
    (cd ../programs && "$nvcc" -std=c++17 -ptx -arch=compute_75 $lines -o "$OLDPWD/$name.ptx" "$name.cu")
done
# Its source, for recordings; seen from the folder in which the program runs.
sed -i "s,\"$(realpath ../programs)/,\"," particles.ptx
