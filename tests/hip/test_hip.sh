#!/bin/bash
# HIP files: programs/ are understood, counted with waves of 64 lanes, advised, and rewritten with their host,
# which hipcc, where there is one, builds.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cli/ready.sh"
programs=$source_folder/tests/hip/programs
cp "$programs"/* .

for file in *.hip *.cpp; do
    record=$(sed -nE 's/^struct (__align__\(16\) )?([a-z]+) \{/\2/p' "$file" | head -n 1)
    accepts run --device mi210 "$file"
    accepts apply --device mi210 --layout "$record=soa" --out "rewritten/${file%.*}" "$file"
    prints "^$record as soa: .* checked on the machine"
    prints '^  with the host code'
    grep -q 'cuda[A-Z]' "rewritten/${file%.*}/$file" && complain "$file has become CUDA"
    sources+=("$file")
done
[ ${#sources[@]} = 12 ] || complain "there are ${#sources[@]} programs"

for file in saxpy reduce_wave; do
    accepts advise --device mi210 $file.hip
    prints '^Verdict for mi210: take soa, '
done

# Counts by hand. saxpy: 4096 records of 16 bytes by 64 waves, two loads and a store each; 64 lanes reach
# over 1024 bytes, which are 16 segments of 64. votes: of 2048 threads, 32 waves of 64 lanes add to each count.
accepts run --device mi210 saxpy.hip
prints '^  saxpy +8 x 256 +192 +3\.07k +16 '
accepts init votes.hip -o votes.yaml
accepts run --device mi210 --dump count=count votes.yaml
[ "$(od -An -t d4 count | tr -s ' ')" = ' 2048 0 32' ] || complain "votes counts $(od -An -t d4 count)"
cat >lanes.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void lanes(int *lane, unsigned long long *votes, double *other) {
    int i = threadIdx.x;
    lane[i] = __lane_id() + 1000 * warpSize;
    votes[i] = __ballot(i % 3 == 0);
    other[i] = __shfl_xor((double)i, 33) + __shfl(i, 5, 16) + __shfl_up(i, 3, 32) + __shfl_down(i, 60);
}
int main() {
    int *lane;
    unsigned long long *votes;
    double *other;
    hipMalloc(&lane, 128 * sizeof(int));
    hipMalloc(&votes, 128 * sizeof(unsigned long long));
    hipMalloc(&other, 128 * sizeof(double));
    lanes<<<1, 128>>>(lane, votes, other);
}
END
# lanes SIZE OPTION...: as 128 threads in waves of this size leave it
lanes() {
    local size=$1
    shift
    accepts init --force "${@/#/--options=}" lanes.hip -o lanes.yaml
    accepts run --device mi210 --dump lane=lane --dump votes=votes --dump other=other lanes.yaml
    python3 - "$size" <<'END' || complain "waves of $size lanes: other results"
import struct, sys
n = int(sys.argv[1])
lane = struct.unpack('128i', open('lane', 'rb').read())
votes = struct.unpack('128Q', open('votes', 'rb').read())
other = struct.unpack('128d', open('other', 'rb').read())
for i in range(128):
    wave, own = i // n * n, i % n
    def of(l): return float(wave + l)
    x = own ^ 33
    x = x if x < (own + n & ~(n - 1)) else own
    s = (own & ~15) + 5
    u = own - 3 if own - 3 >= (own & ~31) else own
    d = own + 60 if own + 60 < n else own
    assert lane[i] == own + 1000 * n, (i, lane[i])
    assert votes[i] == sum(1 << l for l in range(n) if (wave + l) % 3 == 0), i
    assert other[i] == of(x) + of(s) + of(u) + of(d), (i, other[i])
END
}
lanes 64
lanes 32 -mno-wavefrontsize64
lanes 32 --offload-arch=gfx1100
lanes 64 --offload-arch=gfx90a

# The device that is asked for says how many lanes a wave has, unless options do.
waves() {
    local lanes=$1
    shift
    accepts run "$@" --entry lanes --global 128 --local 128 --dump lane=lane lanes.hip
    [ "$(od -An -td4 -N4 lane | tr -d ' ')" = $((lanes * 1000)) ] ||
        complain "not waves of $lanes lanes: $*"
}
waves 32 --device rx-7900-xtx
waves 64 --device mi300x
waves 64 --device rx-7900-xtx --options -mwavefrontsize64

hipcc=$(command -v hipcc) || { echo 'hipcc is not here: what it builds is not tried'; finish; }
# What hipcc builds of the originals and of what was made of them, as it is, with the kernels from their
# sources: both print the same. Alone they find no device.
built() { # FOLDER FILE: FOLDER/printed is what the program prints
    rm -f "$1/built"
    (cd "$1" && "$hipcc" --offload-arch=gfx90a -o built "$2" >log 2>&1)
    [ -x "$1/built" ] ||
        complain "hipcc does not build $1/$2: $(grep error: "$1/log" | head -n 3)"
    "$heddle" run -q --json --source "$1/$2" -- "$1/built" >"$1/ran.json" 2>"$1/printed" ||
        complain "$1/built: $(cat "$1/printed")"
    grep -q '"launches": [1-9]' "$1/ran.json" || complain "$1/built launches nothing"
}
mkdir original && cp "$programs"/* original/
for file in "${sources[@]}"; do
    built original "$file"
    built "rewritten/${file%.*}" "$file"
    diff original/printed "rewritten/${file%.*}/printed" ||
        complain "$file prints other results once it is rewritten"
done
built original votes.hip
grep -qx '1048 0 32' original/printed || complain 'votes counts other waves than 32 of 64 lanes'
original/built >/dev/null 2>&1 && complain 'there is a device'
refuses 'built is a program of HIP.*--source FILE' run -- original/built
refuses '.--source is for programs of HIP' run --source saxpy.hip -- /bin/true
"$heddle" run --source saxpy.hip -- original/built >log 2>&1
grep -q "with kernel [^ ]*compact[^ ]*) .* no source that" log || complain "no message: $(cat log)"
cat >calls.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
__global__ void fill(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i;
}
int main() {
    hipDeviceProp_t d;
    hipPointerAttribute_t a;
    hipFuncAttributes f;
    int version, warp, grid, block, *p, *host, bad = 0;
    bad += hipGetDeviceProperties(&d, 0) || strcmp(d.gcnArchName, "gfx90a") || d.warpSize != 64 || d.major != 9;
    bad += hipGetDeviceProperties(&d, 1) != hipErrorInvalidDevice;
    bad += hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0) || warp != 64;
    bad += hipRuntimeGetVersion(&version) || version / 10000000 != 5;
    bad += hipHostMalloc(&host, 4096, hipHostMallocCoherent) || hipMalloc(&p, 4096);
    bad += hipPointerGetAttributes(&a, p) || a.memoryType != hipMemoryTypeDevice || a.devicePointer != p;
    bad += hipPointerGetAttributes(&a, host) || a.memoryType != hipMemoryTypeHost || a.hostPointer != host;
    bad += hipFuncGetAttributes(&f, (const void *)fill) || f.maxThreadsPerBlock != 1024;
    bad += hipOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 0) || block % 64 || grid < 1;
    bad += hipMemsetD32(p, 7, 1024) || hipMemcpyDtoH(host, p, 4096) || host[1023] != 7;
    void *args[] = {&p, &block};
    block = 1024;
    bad += hipLaunchCooperativeKernel((const void *)fill, dim3(4), dim3(256), args, 0, nullptr);
    bad += hipMemcpy(host, p, 4096, hipMemcpyDeviceToHost) || host[1000] != 1000;
    bad += strcmp(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue") != 0;
    bad += hipFree(host) == hipSuccess;
    hipArray_Format format = HIP_AD_FORMAT_FLOAT;
    (void)format;
    bad += hipModuleLoad(nullptr, "x.co") != hipErrorNotSupported;
    std::printf("%d wrong\n", bad);
    return bad;
}
END
"$hipcc" --offload-arch=gfx90a -w -o calls calls.hip || complain 'hipcc does not build calls.hip'
accepts_with() { "$heddle" run -q --device mi210 --source calls.hip -- ./calls >log 2>said; }
accepts_with || complain "calls: $(cat log said)"
grep -qx '0 wrong' log || complain "calls: $(cat log said)"
finish
