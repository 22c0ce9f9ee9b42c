#!/bin/bash
# What weighs more than the layout, and that advise and advise --costs say the same.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

says_not() { tr -s ' \n' '  ' <"$work/log/out" | grep -Eq -- "$1" && complain "'$1' is said"; }

# All conflicts go with one column more: they are named, and the mend that was
# tried. A second tile has none.
cat >turn.cu <<'END2'
struct cell { float value, weight; };
enum { TILE = 32, N = 128 };
__global__ void turn(const cell *in, cell *out) {
    __shared__ float tile[TILE][TILE], other[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8) {
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * N + x].value;
        other[threadIdx.y + j][threadIdx.x] = in[(y + j) * N + x].weight;
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8) {
        out[(y + j) * N + x].value = tile[threadIdx.x][threadIdx.y + j];
        out[(y + j) * N + x].weight = other[threadIdx.y + j][threadIdx.x];
    }
}
int main() {
    cell *a, *b;
    cudaMalloc(&a, N * N * sizeof(cell));
    cudaMalloc(&b, N * N * sizeof(cell));
    turn<<<dim3(N / TILE, N / TILE), dim3(TILE, 8)>>>(a, b);
}
END2
accepts advise turn.cu
in_one_line -E "take soa.* bank conflicts of line 14 cost more than the layout can gain: 15.9k passes against 8.19k transactions; pad the array by one column: tile\[TILE\]\[TILE \+ 1\] leaves the same and 0 passes"
accepts advise turn.cu --json
python3 - "$work/log/out" <<'END2' || complain "the JSON of bank conflicts"
import json, sys
(found,) = json.load(open(sys.argv[1]))["dominates"]
sys.exit((found["kind"], found["kernel"], found["line"], found["amount"], found["against"])
         != ("bank conflicts", "turn", 14, 15872, 8192))
END2

# Where the array is one of a single dimension nothing is to be padded, and nothing is promised; one
# that is used with a pitch of its own leaves other contents when it is padded.
sed 's/\[TILE\]\[TILE\]/[TILE * TILE]/g; s/tile\[\([^]]*\)\]\[\([^]]*\)\]/tile[(\1) * TILE + \2]/
     s/other\[\([^]]*\)\]\[\([^]]*\)\]/other[(\1) * TILE + \2]/' turn.cu |
    sed 's/__shared__ float .*;/__shared__ float tile[TILE * TILE], other[TILE * TILE];/' >line.cu
accepts advise line.cu
in_one_line -E "bank conflicts of line 14 cost more than the layout can gain"
says_not "pad the array"
sed 's/= tile\[threadIdx.x\]\[threadIdx.y + j\]/= (\&tile[0][0])[threadIdx.x * TILE + threadIdx.y + j]/' turn.cu >pitch.cu
accepts advise pitch.cu
in_one_line -E "bank conflicts of line 14 cost more than the layout can gain"
says_not "pad the array"

# Padded already, there is nothing to say.
sed 's/\[TILE\]\[TILE\]/[TILE][TILE + 1]/g' turn.cu >good.cu
accepts advise good.cu
says_not "bank conflicts"

# A record that is a small part of what moves, beside an array that lanes go through in rows.
cat >rows.cl <<'END2'
struct point { float x, y; };
__kernel void sum(__global struct point *p, __global const float *a, __global float *out) {
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < 64; k++)
        s += a[i * 64 + k];
    p[i].x += s;
    out[i] = s;
}
END2
accepts advise rows.cl --global 4096 --local 256
in_one_line -E "accesses that are not to struct point move in vain what makes [78].\..% of the cost, which no layout of it changes; most of it on line 6, a: lanes 256 bytes apart"
in_one_line -E "accesses to struct point are 2\..% of the cost, so that no layout of it can gain more"
accepts advise rows.cl --global 4096 --local 256 --run 0
says_not "which no layout"

# A loop that the compiler splits: lanes read p[j] in different iterations, which run, show and the
# verdict say, and nothing as written.
cat >pairs.cu <<'END2'
struct P { float x, y, z, m, vx, vy, vz, c; };
__global__ void forces(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = 0;
    for (int j = 0; j < n; j++)
        if (i != j)
            a += (p[j].x - p[i].x) * p[j].m;
    p[i].vx += a;
}
int main() {
    P *d;
    cudaMalloc(&d, 256 * sizeof(P));
    forces<<<2, 128>>>(d, 256);
}
END2
accepts advise pairs.cu
in_one_line -E "splits the loop of line 6 where the answer of line 7 changes, and in its second part lanes of a warp are in different iterations: lines 7 to 8 make [0-9.]+ transactions a request"
accepts advise pairs.cu --json
fits advise
grep -q '"kind": "lanes apart"' "$work/log/out" || complain "the JSON of lanes apart"
call run pairs.cu
says "pairs.cu:7:15: note: the compiler splits the loop of line 6 where this answer changes"
for form in 'run --as-written' 'show --as-written'; do
    accepts $form pairs.cu
    grep -q 'splits the loop' "$work/log/err" && complain "$form: a loop is split"
done
sed -n '/^struct/,/^}/p' pairs.cu | sed 's/__global__ void forces(P/__kernel void forces(__global struct P/
    s/blockIdx.*;/get_global_id(0);/' >pairs.cl
call run pairs.cl --global 256 --arg n=256
says "pairs.cl:7:.*note: the compiler splits the loop of line 6"
sed 's/i != j/n - 7 != j/' pairs.cu >uniform.cu
accepts run uniform.cu
grep -q 'splits the loop' "$work/log/err" && complain 'all lanes are in the same iteration'


# Layouts have one ratio: by the run, the compiled kernels and nvcc's code, where it is found.
cat >chase.cl <<'END2'
struct node { float a, b, c; int next; };
__kernel void chase(__global const struct node *n, __global float *out, int steps) {
    int i = get_global_id(0), at = i;
    float s = 0;
    for (int k = 0; k < steps && at >= 0; k++) {
        s += n[at].a * n[at].b;
        at = n[at].next;
    }
    out[i] = s;
}
END2
cat >chase.yaml <<'END2'
kernel: chase.cl
buffers:
  - {name: n, type: struct node, count: 4096, init: [
      {field: a, generator: uniform, low: 0, high: 1, seed: 1},
      {field: b, generator: uniform, low: 0, high: 1, seed: 2},
      {field: next, generator: uniform, low: 0, high: 4095, seed: 3}]}
  - {name: out, type: float, count: 4096}
launches:
  - {kernel: chase, global: [4096], local: [256],
     args: [{name: n, buffer: n}, {name: out, buffer: out}, {name: steps, value: 8}]}
END2
same_ratios() {
    accepts advise "$1" --json
    cp "$work/log/out" advised.json
    accepts advise --costs "$1" --layout aos --layout soa --layout aosoa:32 --json
    python3 - advised.json "$work/log/out" <<'END2' || complain "$1: two ratios of one layout"
import json, sys
advice, costs = (json.load(open(path)) for path in sys.argv[1:])
counted = {row["layout"]["notation"]: row for row in advice["counted"]["layouts"]}
rows = costs["results"][0]["layouts"]
assert costs["results"][0]["basis"] == advice["basis"]["text"], costs["results"][0]["basis"]
assert rows[0]["ratio"] == 1 and len(rows) == 3
assert rows[0]["counted"]["transactions"] == advice["counted"]["original"]["transactions"]
for row in rows[1:]:
    other = counted[row["layout"]["notation"]]
    assert row["ratio"] == other["ratio"], (row["ratio"], other["ratio"])
    assert row["counted"]["transactions"] == other["transactions"] > 0
END2
}
same_ratios chase.yaml
same_ratios turn.cu
finish
