# Whole CUDA programs, as nvcc builds them, under `heddle run`, and recorded and run again: each of
# programs/ checks its own results. At the head of one may stand
#
#   // prints: TEXT      a line that its kernels print
#   // options: OPTION   an option more for nvcc
#   // with: FILE        another source, from programs/ on
#   // rounds            what Heddle compiles of it may differ from nvcc's in the last bits
#   // faults            a kernel faults, as the program expects; so `heddle run` ends with status 2
#   // alone             its recording needs a program of its own
#   // toolkit           it needs the toolkit's headers (test_kept_ptx.sh)
#
# nvcc spends its time on headers. So most are built as two programs: of one, all run one after
# another in one process; of the other, those that round or fault each run alone. So their names have
# to differ. Those with options or another source are programs of their own.
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
    "$nvcc" -std=c++14 "$@" -o "$name" "$file" >"$work/log/out" 2>"$work/log/err" ||
        complain "nvcc $* $file"
}
export nvcc work programs
export LD_LIBRARY_PATH=$(dirname "$nvcc")/../lib64 # of NVRTC
for file in "$programs"/*.cu; do
    case $(sed -nE 's,^// (options:|with:|rounds$|faults$|alone$).*,\1,p' "$file") in
    '') together+=("$file") ;;
    rounds | faults) apart+=("$file") ;;
    *) alone+=("$file") ;;
    esac
done
cp -r "$programs"/{check.h,parts} .
{ echo '// options: --compress-mode=none'; one_program "${together[@]}"; } >together.cu
{ echo '// options: --compress-mode=balance'; one_program "${apart[@]}"; } >apart.cu
# Two at a time: nvcc takes a second for each, and half as long again with the headers of C++17.
printf '%s\n' together.cu apart.cu "${alone[@]}" | xargs -P 2 -I {} bash -c '
    name=$(basename {} .cu)
    options=$(sed -n "s,^// options: ,,p" {})
    with=$(sed -n "s,^// with: ,$programs/,p" {})
    case $options in *-std=*) ;; *) options="-std=c++14 $options" ;; esac
    case $name in apart) options="-cudart shared $options" ;; esac
    "$nvcc" -lineinfo -o "$name" {} $with $options >"$name.log" 2>&1 ||
        { cat "$name.log"; echo "FAILED: nvcc {}"; }'

check_program "${together[@]}" -- ./together
check_recording of-together "${together[@]}" -- ./together
# Not over the source: recursion, products by warps, and memory that one kernel sees as two types.
grep -Eq '^  job.yaml +[89][0-9] +[0-9]+  source.yaml +(7[5-9]|8[0-9])$' of-together/said ||
    complain "the recording of all is not over the source: $(cat of-together/said)"
for file in "${apart[@]}"; do
    name=$(basename "$file" .cu)
    check_program "$file" -- ./apart "$name"
    check_recording "of-$name" "$file" -- ./apart "$name"
done
for file in "${alone[@]}"; do
    name=$(basename "$file" .cu)
    check_program "$file" -- "./$name"
    check_recording "of-$name" "$file" -- "./$name"
done

# 1000 numbers of 4 bytes are 125 segments of 32, for two loads and a store. With PTX and machine
# code for several architectures.
build vectors.o "$programs/vectors.cu" -c --compress-mode=size \
    -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=sm_80 \
    -gencode arch=compute_90,code=compute_90
build vectors vectors.o -cudart shared
call run --all --json --device h100 -- ./vectors
fits run program
[ "$(python3 -c '
import json, sys
k = json.load(sys.stdin)["kernels"][0]
print(k["launches"], k["transactions"], k["bytes_moved"], k["bytes_used"])' <"$work/log/out")" = \
    '1 375 12000 12000' ] || complain 'vectors moves other numbers of bytes'

# Compiled in parts and linked, where but one part has something, and where two have. nvcc has kept
# the parts of linked, which another linker takes, too.
build part "$programs/vectors.cu" -cudart shared -rdc=true --compress-mode=speed
accepts run -- ./part
build two "$programs/modules.cu" -cudart shared -rdc=true "$programs/parts/second.cu"
accepts run -- ./two
prints '^as expected$'
"$nvcc" -dlink -o device.o linked.o linked_device.o
g++ -o joined linked.o linked_device.o device.o -L"$LD_LIBRARY_PATH" -lcudart
accepts run --all -- ./joined
prints '^as expected$'
prints '^  use\(int\*\) +1 '
cat >launcher.cu <<'END'
__global__ void inner() {}
__global__ void outer() {
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, inner);
}
int main() {
    outer<<<1, 1>>>();
    return cudaDeviceSynchronize() ? 7 : 0;
}
END
build launcher launcher.cu -cudart shared -rdc=true -lcudadevrt
call run -- ./launcher
grep -q "is of the device's own runtime (cudadevrt)" "$work/log/err" ||
    complain 'no word of what is not of the device runtime'

# Heddle's own NVRTC, in place of the toolkit's, and by another version, of which there is none but where a
# system has it.
for name in driver compiling compiled_math; do
    LD_LIBRARY_PATH=$libraries:$libraries/nvrtc-13 LD_PRELOAD=libheddle-linked.so "./$name" >own.log 2>&1 &&
        grep -qx 'as expected' own.log || { complain "$name with Heddle's NVRTC"; cat own.log; }
done
build twelve "$programs/compiling.cu" -std=c++14 -L"$libraries/nvrtc-12" -l:libnvrtc.so.12 -lcuda
accepts run -- ./twelve
prints '^as expected$'

# A library with the runtime linked in, compiled in parts, which registers its kernels when it is opened.
sed 's/^int main()/extern "C" int run()/' "$programs/linked.cu" >opened.cu
build libopened.so opened.cu -I"$programs" -shared -Xcompiler -fPIC -rdc=true "$programs/parts/linked_device.cu"
cat >opens.py <<'END'
import ctypes
ctypes.CDLL('./libopened.so').run()
END
accepts run -- python3 opens.py
prints '^as expected$'

# Programs that cannot be watched say what to do.
build static vectors.o
strip static
refuses 'static has .* linked in.*nvcc -cudart shared' run -- ./static
build bare "$programs/vectors.cu" -cudart shared -gencode arch=compute_75,code=sm_75
call run -- ./bare
[ "$status" -eq 2 ] || complain "a program without PTX: exit status $status"
grep -q 'bare (fat binary 1) .*machine code alone.*-gencode arch=compute_75,code=compute_75' \
    "$work/log/err" || complain 'no word of the option that adds PTX'
cat >blas.cpp <<'END'
#include <cublas_v2.h>
int main() {
    cublasHandle_t handle;
    return cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS ? 0 : 7;
}
END
if [ -e "$LD_LIBRARY_PATH/libcublas.so" ]; then
    build blas blas.cpp -cudart shared -lcublas
    call run -- ./blas
    grep -Eq '^heddle: error: libcublas[^ ]* has .* machine code' "$work/log/err" ||
        complain 'cuBLAS is not refused by its name'
fi
refuses 'there is no program ./nowhere' run -- ./nowhere
call run -- true
grep -q "true has used neither CUDA's runtime nor OpenCL" "$work/log/err" ||
    complain 'no word of a program without CUDA'

# Faults, with what the host did with the memory, and leaks.
call run -- ./apart illegal
line=$(grep -n 'void store(int \*x, int n)' apart.cu | cut -d: -f1)
grep -q "apart.cu:$line: error: store of 4 bytes at byte 400" "$work/log/err" ||
    complain 'no line of the fault'
grep -q 'just behind allocation 1 of 400 bytes of device memory' "$work/log/err" ||
    complain 'no word of the memory'
grep -q '^    main_of_illegal() (apart+0x' "$work/log/err" ||
    complain 'no word of where it was allocated'
call run -- ./apart freed
grep -q 'and freed at$' "$work/log/err" || complain 'no word of where it was freed'
call run -- ./child_fault
grep -q '^heddle:   launched by thread 3 of block 2 of kernel launcher$' "$work/log/err" ||
    complain 'no word of who launched the kernel'
call run -- ./unmapped
grep -q 'byte 4096 of allocation 1 of 6291456 bytes of reserved addresses, where no memory is mapped' "$work/log/err" ||
    complain 'no word of the reserved addresses'
# A launch is asynchronous unless it is asked to be none.
cat >blocking.cu <<'END'
#include <cstdlib>
__global__ void store(int *x) { *x = 1; }
int main(int count, char **) {
    store<<<1, 1>>>(nullptr);
    if (cudaGetLastError() == cudaErrorIllegalAddress)
        return 0;
    if (count > 1 && cudaDeviceSynchronize())
        abort();
    return 7;
}
END
build blocking blocking.cu -cudart shared
call run -- ./blocking
grep -q 'blocking ended with status 7' "$work/log/err" || complain 'a launch returns its own fault'
CUDA_LAUNCH_BLOCKING=1 call run -- ./blocking
grep -q 'ended with status' "$work/log/err" && complain 'a blocking launch hides its fault'
call run -- ./blocking abort
grep -q 'signal 6 .* ended ./blocking' "$work/log/err" || complain 'no word of the signal'
prints '^1 launch on '
prints '^1 fault; see above$'
call record -o aborted -- ./blocking abort
prints '^0 launches in .*/aborted, '
prints 'a fault of the kernel +1$'
call run --leaks -- ./together streams
prints '^6 KiB not freed, of 4 allocations$'
[ "$status" -eq 2 ] || complain "leaks: exit status $status"
call run --leaks --json -- ./together streams
fits run program
accepts run --overhead 5% -- ./together graphs
refuses "--overhead takes a share above 0% and up to 1000%" run --overhead none -- ./together graphs
refuses 'all.*overhead|overhead.*all' run --all --overhead 5% -- ./together graphs

finish
