# Blocks that are too long to be run: advice by the beginning of several, and how far it was heard.
source "$(dirname "$0")/lib.sh"

# told EXPRESSION: of the JSON `j` that the call before has printed
told() { python3 -c "import json, sys; j = json.load(sys.stdin); e = j['evidence']; print($1)" <"$work/log/out"; }
# told_is WANTED EXPRESSION
told_is() {
    local got
    got=$(told "$2")
    [ "$got" = "$1" ] || complain "$2 is $got, not $1"
}

# ---- a hash join: thousands of probes by each thread, each through a long chain --------------------

cat >join.cl <<'END_OF_FILE'
struct entry {
    uint key;
    int next; /* of the same bucket; below 0: none */
    float price, discount;
    uint date;
    float weights[11];
};

kernel void probe(global const struct entry *entries, global const int *heads, uint buckets,
                  global const uint *keys, uint rows, uint since, global float *sums) {
    float sum = 0;
    for (uint i = get_global_id(0); i < rows; i += get_global_size(0)) {
        const uint key = keys[i];
        for (int e = heads[key & (buckets - 1)]; e >= 0; e = entries[e].next)
            if (entries[e].key == key && entries[e].date >= since)
                sum += entries[e].price * (1 - entries[e].discount);
    }
    sums[get_global_id(0)] = sum;
}
END_OF_FILE
cat >join.yaml <<'END_OF_FILE'
kernel: join.cl
record: entry
buffers:
  - name: entries
    type: entry
    count: 65536
    init:
      - {field: key, generator: iota}
      - {field: next, generator: iota, low: -256}
      - {field: price, generator: uniform, low: 1, high: 100, seed: 1}
      - {field: date, generator: uniform, low: 0, high: 3650, seed: 2}
  - {name: heads, type: int, count: 256, init: [{generator: iota, low: 65280}]}
  - {name: keys, type: uint, count: 524288, init: [{generator: uniform, low: 0, high: 65535, seed: 3}]}
  - {name: sums, type: float, count: 2048}
launches:
  - kernel: probe
    global: [2048]
    local: [64]
    args:
      - {name: entries, buffer: entries}
      - {name: heads, buffer: heads}
      - {name: buckets, value: 256}
      - {name: keys, buffer: keys}
      - {name: rows, value: 524288}
      - {name: since, value: 1800}
      - {name: sums, buffer: sums}
END_OF_FILE
accepts advise --json --run 200k join.yaml
told_is 'None take' 'e["why"], j["kind"]'
told_is '8 8 32' 'e["blocks"], e["part_blocks"], e["block_count"]'
told_is '390 6240 None 0' 'e["part_accesses"], e["part_instructions"], e["part_of"], e["behind"]'
told_is 'False True 0.05' 'e["whole"], 190000 < e["lane_accesses"] < 210000, j["devices"][0]["judged"]["margin"]'
told_is 'True 512.0 512.0' 'j["devices"][0]["judged"]["simulated"], e["touching"], e["threads"]'
fits advise
told_is True '"(a run of 8 of 32 blocks, in 1 of 1 launch, each as far as 390 accesses or 6240 instructions of each thread, of unknown length, with its caches simulated)" in j["verdict"]'
told_is 'its blocks are too long to be run to their end in each; raise --run' 'j["counted"]["why_not"]'

# The same on every machine, and with whatever code it runs.
answer() { told '{n: v for n, v in e.items() if n != "seconds"}, j["devices"][0]["ratio"]'; }
before=$(answer)
HEDDLE_NATIVE=always accepts advise --json --run 200k join.yaml
[ "$(answer)" = "$before" ] || complain "native code hears otherwise: $(answer), not $before"

# ---- blocks that can be run, but not heard ------------------------------------------------------------

cat >pairs.cl <<'END_OF_FILE'
struct body { float x, y, z, mass, charge, radius; int kind; float rest[9]; };

kernel void attract(global struct body *bodies, int count, global float *force) {
    const int i = get_global_id(0);
    float sum = 0;
    for (int j = 0; j < count; j++)
        if (bodies[j].kind != bodies[i].kind)
            sum += bodies[j].mass / (1 + fabs(bodies[j].x - bodies[i].x));
    force[i] = sum;
}

kernel void move(global struct body *bodies, global const float *force) {
    bodies[get_global_id(0)].x += force[get_global_id(0)];
}
END_OF_FILE
cat >pairs.yaml <<'END_OF_FILE'
kernel: pairs.cl
record: body
buffers:
  - name: bodies
    type: body
    count: 2048
    init: [{field: x, generator: uniform, seed: 1}, {field: kind, generator: uniform, low: 0, high: 3, seed: 2}]
  - {name: force, type: float, count: 2048}
launches:
  - {kernel: attract, global: [2048], local: [64], args: [{name: bodies, buffer: bodies}, {name: count, value: 2048}, {name: force, buffer: force}]}
  - {kernel: move, global: [2048], local: [64], args: [{name: bodies, buffer: bodies}, {name: force, buffer: force}]}
END_OF_FILE
accepts advise --run 100k pairs.yaml
in_one_line -E 'of 8 of 64 blocks, in 1 of 2 launches, each as far as 195 accesses of each thread of about [0-9]{4},'
in_one_line -F 'by what was counted in the beginning of 8 of 64 blocks'
in_one_line -F 'what blocks do behind their beginning was not heard'

# ---- blocks that may wait for others ----------------------------------------------------------------------

cat >chain.cu <<'END_OF_FILE'
struct cell { float a, b, c, d; int next; };
__global__ void chain(cell *cells, volatile int *done, float *out, int n) {
    if (threadIdx.x == 0)
        while (done[blockIdx.x] == 0)
            ;
    float sum = 0;
    for (int k = 0, i = threadIdx.x; k < n; k++, i = cells[i].next)
        sum += cells[i].a;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    done[blockIdx.x + 1] = 1;
}
END_OF_FILE
cat >chain.yaml <<'END_OF_FILE'
kernel: chain.cu
record: cell
buffers:
  - {name: cells, type: cell, count: 4096, init: [{field: next, generator: permutation, seed: 1}]}
  - {name: done, type: int, count: 65, init: [{generator: constant, low: 1}]}
  - {name: out, type: float, count: 4096}
launches:
  - {kernel: chain, blocks: [64], threads: [64], args: [{name: cells, buffer: cells}, {name: done, buffer: done}, {name: out, buffer: out}, {name: n, value: 100000}]}
END_OF_FILE
accepts advise --json --run 100k chain.yaml
told_is "a block of 'chain' does more work than the limit of 100000 accesses allows, and may wait for others, so that a part of it says nothing" 'e["why"]'
finish
