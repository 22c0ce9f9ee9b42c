#!/usr/bin/env bash
# kept/make.sh: the PTX of this folder anew, with the nvcc of the toolkit, for systems without one.
# Left out are programs that need the toolkit's headers (arrivals, driver, groups, half, tensors) or its linker
# (linked), one whose PTX names folders (debugging), and what clang does in another way than nvcc, or not at
# all: names of static variables (modules), managed variables, a default stream for each thread (per_thread).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
recorded='nodes particles views' # over their sources
for file in ../programs/*.cu; do
    name=$(basename "$file" .cu)
    case " arrivals debugging driver groups half linked managed modules per_thread tensors " in
    *" $name "*) continue ;;
    esac
    lines=
    case " $recorded " in *" $name "*) lines=-lineinfo ;; esac
    (cd ../programs && "$nvcc" -std=c++17 -ptx -arch=compute_75 $lines -o "$OLDPWD/$name.ptx" "$name.cu")
done
# Sources are seen from the folder in which a program runs.
for name in $recorded; do sed -i "s,\"$(realpath ../programs)/,\"," "$name.ptx"; done
