#!/bin/bash
# What one access that reaches several fields costs, and one that reaches one of several parts.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >four.cl <<'END'
struct r { float x, y, z, w, vx, vy, vz, m; };
__kernel void cast(__global const struct r *p, __global float4 *out) {
    out[get_global_id(0)] = ((__global const float4 *)&p[get_global_id(0)])[0];
}
__kernel void load(__global const struct r *p, __global float4 *out) {
    out[get_global_id(0)] = vload4(0, &p[get_global_id(0)].x);
}
__kernel void each(__global const struct r *p, __global float4 *out) {
    __global const struct r *q = &p[get_global_id(0)];
    out[get_global_id(0)] = (float4)(q->x, q->y, q->z, q->w);
}
END
cat >four.cu <<'END'
struct r { float x, y, z, w, vx, vy, vz, m; };
extern "C" __global__ void cast(const r *p, float4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = reinterpret_cast<const float4 *>(&p[i])[0];
}
END
cat >sums.py <<'END'
# The cost of what is done to buffer p, in each layout.
import json, sys
for result in json.load(open(sys.argv[1]))["results"]:
    for layout in result["layouts"]:
        lines = [l for l in layout["accesses"] if l["access"]["buffer"] == "p"]
        print(round(sum(l["cost"][0] for l in lines)), end=" ")
END
# 2048 warps times the sectors of a warp's request, which all cost 1: 32 in the struct of 32 bytes,
# 16 where four floats lie side by side, and where they do not a request for each.
device="warp:32 l1:0 l2:64k/32 w:1,1,1 blocks:8 threads:2048 regs:65536 segment:32"
expect() {
    local -a words=("$@")
    local wanted=${words[-1]}
    unset 'words[-1]'
    accepts advise --costs "${words[@]}" --global 65536 --local 256 --device "$device" --layout aos \
        --layout '{x,y,z,w}{vx,vy,vz,m}' --layout soa --layout '{x,y,z}{w,vx,vy,vz,m}' --json
    [ "$(python3 sums.py "$work/log/out")" = "$wanted " ] ||
        complain "${words[*]}: $(python3 sums.py "$work/log/out"), not $wanted"
}
expect four.cl --entry cast "65536 32768 32768 114688"
expect four.cl --entry load "65536 32768 32768 114688"
expect four.cu --options "--cuda-path=" "65536 32768 32768 114688"
expect four.cl --entry each "262144 131072 32768 114688"

# Two of nine elements in a cluster, the rest of the struct as it is: what AoS costs does not depend
# on what may be taken apart.
cat >array.cl <<'END'
struct r { float f[9], m, v[3]; };
__kernel void sum(__global const struct r *p, __global float *out, int n) {
    int i = get_global_id(0);
    float s = p[i].f[i % 9] * p[i].f[4];
    for (int k = 0; k < n; k++)
        s += p[i].f[k] * p[i].m;
    for (int k = 0; k < 3; k++)
        s += p[i].v[k];
    out[i] = s;
}
END
for split in "" "--split f" "--split v" "--split f --split v"; do
    # shellcheck disable=SC2086
    accepts advise --costs --run 0 array.cl $split --global 65536 --local 256 --arg n=9 --layout aos --json \
        --device h200 --device tesla-m2050 --device tesla-k20c
    python3 sums.py "$work/log/out" >>aos
    echo >>aos
done
[ "$(sort -u aos | wc -l)" = 1 ] || complain "AoS costs, for each split: $(cat aos)"

# Which lanes reach which element is computed: each of the nine arrays has three or four lanes of a
# warp, a sector for each but where two of them share one.
accepts advise --costs --run 0 array.cl --split f --global 65536 --local 256 --arg n=9 --layout soa --json
python3 - "$work/log/out" <<'END' || complain "f[i % 9] in arrays is not counted lane by lane"
import json, sys
lines = json.load(open(sys.argv[1]))["results"][0]["layouts"][0]["accesses"]
part = [l for l in lines if l["access"]["place"]["line"] == 4 and l["executions"] == 2048
        and l["transactions"] != 4]
sys.exit(len(part) != 9 or any(not 3 < l["transactions"] < 4 for l in part))
END
finish
