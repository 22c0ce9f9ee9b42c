# Jobs in CUDA C on a device, which is the one of tests/measure/fake_cuda, and without one.
source "$(dirname "$0")/lib.sh"
export HEDDLE_DATABASE=$work/log/profiles.db
export CUDA_PATH= # Heddle's own headers, which are read faster
fake=$(dirname "$heddle")/tests/measure/fake_cuda
[ -f "$fake/libcuda.so.1" ] || { echo "no $fake/libcuda.so.1"; exit 2; }
LD_LIBRARY_PATH=$fake source "$source_folder/tests/cli/ready.sh"

# gpu ARGUMENTS: heddle with the fake GPU.
gpu() {
    LD_LIBRARY_PATH=$fake "$heddle" "$@" >"$work/log/out" 2>"$work/log/err" </dev/null
    status=$?
}

# ends STATUS PATTERN: the last call ended so, with this as its only error.
ends() {
    [ "$status" -eq "$1" ] || complain "exit status $status, not $1"
    [ "$(grep -c 'error: ' "$work/log/err")" -eq 1 ] || complain "not one error"
    grep -Eq -- "$2" "$work/log/err" || complain "no message matches: $2"
}

given body.cu cuda.yaml

gpu device list
prints '^CUDA devices, for --on$'
prints '^  cuda:0 +Fake GPU 0 +NVIDIA CUDA +.*CUDA 12.4 NVRTC 13.0$'
gpu device list --json
prints '"id": "cuda:0"'

gpu measure cuda.yaml --layout soa --repeats 3
[ "$status" -eq 0 ] || complain "measure: exit status $status, not 0"
prints '^(struct )?body on Fake GPU 0$'
prints '^  soa .*[0-9]x$'
prints '^  outputs equal: yes$'
gpu measure cuda.yaml --layout '{x,y}{tag}/da' --on cuda:0 --repeats 1
[ "$status" -eq 0 ] || complain "measure --on cuda:0: exit status $status, not 0"
gpu measure cuda.yaml --layout soa --on 0:0
ends 2 "no CUDA device is called '0:0', and kernels in CUDA C run on no other; there are: cuda:0"

# The device has a GiB. (measure/test_cuda.c has it probed.)
gpu device explore cuda:0 --vary objects=268435456 --vary layout=aos --profile tesla-k20c
ends 2 "'objects=268435456': in aos it takes 5 GiB, and on Fake GPU 0 it may take 1 GiB"
gpu device explore cuda:0 --fix objects=16777216 --profile tesla-k20c --meter model --budget 1s
ends 2 'the plan has [0-9]+ variants left'
grep -q 'note: aggregate=4,8,16,32 is left out: in aos it takes 1.25 GiB, and on Fake GPU 0' \
    "$work/log/err" || complain "what the device cannot run is not left out"

# Answers are those of a device and a driver.
gpu advise cuda.yaml --budget 10m --repeats 12
[ "$status" -eq 0 ] || complain "advise: exit status $status, not 0"
prints '^Measured on Fake GPU 0: [1-9]'
prints '^Verdict: '
gpu advise cuda.yaml --budget 10m --repeats 12
prints 'measured on 20.*; --again measures anew'
# fails_at N ARGUMENTS: launch N fails: it is measured, and there is no answer from before.
fails_at() {
    FAKE_CUDA_FAIL=cuLaunchKernel:$1:46 gpu "${@:2}"
    ends 2 "cannot run kernel 'push' on Fake GPU 0: CUDA_ERROR_DEVICE_UNAVAILABLE"
}
FAKE_CUDA_VERSION=13000 fails_at 1 advise cuda.yaml --budget 10m --repeats 12

# Placements race with layouts; another list is another question. What the device lacks is said.
gpu advise cuda.yaml --budget 10m --repeats 12 --placements host,fine
[ "$status" -eq 0 ] || complain "advise --placements: exit status $status, not 0"
prints '^Measured on Fake GPU 0: [0-9]+ combinations and the original'
prints '^  layout +placement +time '
for placement in device host; do prints "^  aos +$placement "; done
prints "^  left out: aos \\(fine\\): shared virtual memory is OpenCL's$"
prints '^  not raced: [0-9]+ more combinations'
! grep -q 'again measures anew' "$work/log/out" || complain "an answer without placements"
gpu advise cuda.yaml --budget 10m --repeats 12 --placements host,fine
prints 'measured on 20.*; --again measures anew'
fails_at 1 advise cuda.yaml --budget 10m --repeats 12 --placements host
FAKE_CUDA_LACKS=89 gpu measure cuda.yaml --placement hinted
ends 2 "buffer 'bodies' cannot lie in managed memory with hints on Fake GPU 0: it takes no hints"

# A device that fails, at the original and in the middle; and a kernel that does not compile.
fails_at 1 measure cuda.yaml --layout soa
fails_at 30 advise cuda.yaml --budget 10m --repeats 12 --again
FAKE_CUDA_FAIL=nvrtcCompileProgram:1:6 gpu measure cuda.yaml --layout soa
ends 2 'body.cu: error: Fake GPU 0 does not compile it \(NVRTC_ERROR_COMPILATION\)'
FAKE_CUDA_MEMORY=3000 gpu measure cuda.yaml --layout soa
ends 2 "cannot allocate 3072 bytes for buffer 'bodies' on Fake GPU 0: CUDA_ERROR_OUT_OF_MEMORY"

# A training on it, with vectors; `advise` finds its tree.
gpu device train cuda:0 --lengths 128 --bytes 32 --repeats 1
[ "$status" -eq 0 ] || complain "train: exit status $status, not 0"
prints '^Tile by bytes of a cluster on Fake GPU 0 \(NVIDIA CUDA\)$'
prints 'from 2 kernels and [0-9]+ patterns?, measured now: 2$'
gpu device train --show cuda:0
prints '^Tile by bytes of a cluster on Fake GPU 0'
gpu advise cuda.yaml --budget 10m --repeats 12
prints 'graph and tree'

# What is missing, one line for each.
FAKE_CUDA_DEVICES=0 gpu measure cuda.yaml --layout soa
ends 2 "there is no CUDA device to run on: NVIDIA's driver finds none .*nvidia-smi"
mkdir "$work/log/driver" "$work/log/toolkit"
cp "$fake/libcuda.so.1" "$work/log/driver"
if ! ldconfig -p 2>/dev/null | grep libnvrtc >/dev/null; then
    CUDA_PATH=$work/log/toolkit LD_LIBRARY_PATH=$work/log/driver "$heddle" measure cuda.yaml \
        --layout soa >"$work/log/out" 2>"$work/log/err"
    status=$?
    ends 2 "there is no libnvrtc.so to compile kernels; install NVIDIA's CUDA toolkit"
fi
if ! ldconfig -p 2>/dev/null | grep libcuda.so.1 >/dev/null; then
    refuses "there is no CUDA device to run on: there is no libcuda.so.1; install NVIDIA's driver" \
        measure cuda.yaml --layout soa
    call device list
    prints "^  none: there is no libcuda.so.1; install NVIDIA's driver$"
fi

finish
