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
for file in "${sources[@]}"; do
    (cd "rewritten/${file%.*}" && "$hipcc" --offload-arch=gfx90a -o built "$file" >log 2>&1)
    [ -x "rewritten/${file%.*}/built" ] || complain "hipcc does not build $file: $(grep error: "rewritten/${file%.*}/log" | head -n 3)"
done
finish
