# Whole CUDA programs, as nvcc builds them, under `heddle run`, and recorded and run again: each of
# programs/ checks its own results. At the head of one may stand
#
#   // prints: TEXT      a line that its kernels print
#   // rounds            what Heddle compiles of it may differ from nvcc's in the last bits
#   // faults            a kernel faults, as the program expects; so `heddle run` ends with status 2
#   // options: OPTION   an option more for nvcc
#   // with: FILE        another source, from programs/ on
#
# Then what it says of programs: counts, faults, leaks, ways of building. Without nvcc there are
# none, and nothing is tested. Called with the path of heddle.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
[ -x "$nvcc" ] || { echo "skipped: there is no nvcc ($nvcc)"; exit 0; }

# build NAME SOURCE OPTION...
build() {
    local name=$1 file=$2
    shift 2
    "$nvcc" -std=c++17 "$@" -o "$name" "$file" >"$work/log/out" 2>"$work/log/err" ||
        complain "nvcc $* $file"
}
export nvcc work programs
export LD_LIBRARY_PATH=$(dirname "$nvcc")/../lib64 # of NVRTC
# Two at a time: nvcc takes a second for each, and half as long again with the headers of C++17, which
# those below have.
for file in "$programs"/*.cu; do echo "$file"; done | xargs -P 2 -I {} bash -c '
    name=$(basename {} .cu)
    options=$(sed -n "s,^// options: ,,p" {})
    with=$(sed -n "s,^// with: ,$programs/,p" {})
    case $options in *-std=*) ;; *) options="-std=c++14 $options" ;; esac
    "$nvcc" -cudart shared -lineinfo -o "$name" {} $with $options >"$name.log" 2>&1 ||
        { cat "$name.log"; echo "FAILED: nvcc {}"; }'

recorded=0
for file in "$programs"/*.cu; do
    check_program "$file"
    check_recording "$file" || continue
    recorded=$((recorded + 1))
    [ $((recorded % 5)) -eq 0 ] || continue # compiling takes the time
    for job in of-"$(basename "$file" .cu)"/source*.yaml; do
        [ ! -e "$job" ] || check_source "$job" "$file"
    done
done
[ "$recorded" -ge 35 ] || complain "only $recorded programs were recorded"
sources=$(ls of-*/source*.yaml | wc -l)
[ "$sources" -ge 30 ] || complain "only $sources recordings are over the source"

# 1000 numbers of 4 bytes are 125 segments of 32, for two loads and a store.
call run --json --device h100 -- ./vectors
fits run program
[ "$(python3 -c '
import json, sys
k = json.load(sys.stdin)["kernels"][0]
print(k["launches"], k["transactions"], k["bytes_moved"], k["bytes_used"])' <"$work/log/out")" = \
    '1 375 12000 12000' ] || complain 'vectors moves other numbers of bytes'

# Each way in which nvcc packs PTX, and several architectures.
for mode in none size speed balance; do
    build packed "$programs/vectors.cu" -cudart shared --compress-mode=$mode
    accepts run -- ./packed
done
build several "$programs/vectors.cu" -cudart shared -gencode arch=compute_75,code=compute_75 \
    -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=compute_90
accepts run -- ./several

# Compiled in parts and linked, where but one part has something, and where two have.
build linked "$programs/vectors.cu" -cudart shared -rdc=true
accepts run -- ./linked
build parts "$programs/modules.cu" -cudart shared -rdc=true "$programs/parts/second.cu"
accepts run -- ./parts
prints '^as expected$'
for object in linked parts/linked_device; do
    build "$(basename $object).o" "$programs/$object.cu" -dc
done
"$nvcc" -dlink -o device.o linked.o linked_device.o
g++ -o apart linked.o linked_device.o device.o -L"$LD_LIBRARY_PATH" -lcudart
accepts run -- ./apart
prints '^as expected$'
prints '^  use\(int\*\) +1 '
cat >launcher.cu <<'END'
__global__ void inner() {}
__global__ void outer() { inner<<<1, 1>>>(); }
int main() {
    outer<<<1, 1>>>();
    return cudaDeviceSynchronize() ? 7 : 0;
}
END
build launcher launcher.cu -cudart shared -rdc=true -lcudadevrt
call run -- ./launcher
grep -q "is of the device's own runtime (cudadevrt)" "$work/log/err" ||
    complain 'no word of kernels that launch kernels'

# Programs that cannot be watched say what to do.
build static "$programs/vectors.cu"
refuses 'static has .* linked in.*nvcc -cudart shared' run -- ./static
build bare "$programs/vectors.cu" -cudart shared -gencode arch=compute_75,code=sm_75
call run -- ./bare
[ "$status" -eq 2 ] || complain "a program without PTX: exit status $status"
grep -q 'bare (fat binary 1) .*machine code alone.*-gencode arch=compute_75,code=compute_75' \
    "$work/log/err" || complain 'no word of the option that adds PTX'
cat >blas.cu <<'END'
#include <cublas_v2.h>
int main() {
    cublasHandle_t handle;
    return cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS ? 0 : 7;
}
END
if [ -e "$LD_LIBRARY_PATH/libcublas.so" ]; then
    build blas blas.cu -cudart shared -lcublas
    call run -- ./blas
    grep -Eq '^heddle: error: libcublas[^ ]* has .* machine code' "$work/log/err" ||
        complain 'cuBLAS is not refused by its name'
fi
refuses 'there is no program ./nowhere' run -- ./nowhere
call run -- true
grep -q "true has not used CUDA's runtime" "$work/log/err" || complain 'no word of a program without CUDA'

# Faults, with what the host did with the memory, and leaks.
call run -- ./illegal
grep -q 'illegal.cu:5: error: store of 4 bytes at byte 400' "$work/log/err" ||
    complain 'no line of the fault'
grep -q 'just behind allocation 1 of 400 bytes of device memory' "$work/log/err" ||
    complain 'no word of the memory'
grep -q '^    main (illegal+0x' "$work/log/err" || complain 'no word of where it was allocated'
call run -- ./freed
grep -q 'and freed at$' "$work/log/err" || complain 'no word of where it was freed'
# A launch is asynchronous unless it is asked to be none.
cat >blocking.cu <<'END'
__global__ void store(int *x) { *x = 1; }
int main() {
    store<<<1, 1>>>(nullptr);
    return cudaGetLastError() == cudaErrorIllegalAddress ? 0 : 7;
}
END
build blocking blocking.cu -cudart shared
call run -- ./blocking
grep -q 'blocking ended with status 7' "$work/log/err" || complain 'a launch returns its own fault'
CUDA_LAUNCH_BLOCKING=1 call run -- ./blocking
grep -q 'ended with status' "$work/log/err" && complain 'a blocking launch hides its fault'
cat >aborting.cu <<'END'
#include <cstdlib>
__global__ void store(int *x) { *x = 1; }
int main() {
    store<<<1, 1>>>(nullptr);
    if (cudaDeviceSynchronize())
        abort();
}
END
build aborting aborting.cu -cudart shared
call run -- ./aborting
grep -q 'signal 6 .* ended ./aborting' "$work/log/err" || complain 'no word of the signal'
prints '^1 launch on '
prints '^1 fault; see above$'
call record -o aborted -- ./aborting
prints '^0 launches in .*/aborted, '
prints 'a fault of the kernel +1$'
call run --leaks -- ./streams
prints '^6 KiB not freed, of 4 allocations$'
[ "$status" -eq 2 ] || complain "leaks: exit status $status"
call run --leaks --json -- ./streams
fits run program
accepts run --sample 2 -- ./graphs
prints 'launches +analysed'

finish
