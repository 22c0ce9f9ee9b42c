# heddle advise --graph: distances and clusters as text, JSON, GraphViz and SVG.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# Figure 2 of Kofler et al.
cat >figure.cl <<'END_CL'
struct T { float a, b, c; double d; };
__kernel void fun(__global struct T *t) {
    int id = get_global_id(0);
    double sum = 0;
    for (int i = id; i < id + 32; i++)
        sum += t[i].a * t[i].b;
    t[id].c = sum;
}
END_CL
device="warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:2048 regs:65536"

# ---- text ----------------------------------------------------------------------------------

accepts advise --graph figure.cl --epsilon 64
prints '^struct T: 4 fields of 24 bytes, in 1 launch$'
prints '^  field +bytes +a +b +c +d$'
prints '^  a +4 +\. +4 +256 +-$'
prints '^  b +4 +4 +\. +252 +-$'
prints '^  c +4 +256 +252 +\. +-$'
prints '^  d +8 +- +- +- +\.$'
prints '^Nearer than 64 bytes: \{a,b\}\{c\}\{d\}$'
accepts advise --graph figure.cl --epsilon 4
prints '^Nearer than 4 bytes: \{a\}\{b\}\{c\}\{d\}$'
accepts advise --graph figure.cl --epsilon 253
prints '^Nearer than 253 bytes: \{a,b,c\}\{d\}$'
accepts advise --graph figure.cl --device "$device"
prints '^Nearer than 128 bytes: \{a,b\}'
prints '^  128 on synthetic: a line of its L1$'
! grep -q 'tree select' "$work/log/out" || complain "selects without tiles"
accepts advise --graph figure.cl --device "${device/l1:48k\/128/l1:0}"
prints '^Nearer than 32 bytes'
prints '^  32 on synthetic: a line of its L2, as its L1 does not hold global memory$'
accepts advise --graph figure.cl
prints '^  32 on h200: a sector of its L1, which is what a miss brings of a line$'

# ---- what graph and tree select, by the profile alone ----------------------------------------

accepts advise --graph figure.cl --device "$device epsilon:64 tiles:SoA-6,512-20,AoS"
prints '^Nearer than 64 bytes: \{a,b\}\{c\}\{d\}$'
prints '^  64 on synthetic: what its profile says, with the source$'
prints '^Graph and tree select \{a,b\}:512\{c\}\{d\}$'
prints '^  tiles of synthetic: SoA to 6, 512 to 20, AoS$'
prints "^  a proposal: nothing was run; 'heddle advise --budget TIME' races it$"
accepts advise --graph figure.cl --epsilon 64
! grep -q 'tree select' "$work/log/out" || complain "selects by the tiles of no device"

# On the GPUs of Kofler et al. what their section 4 says: bitonic sorting is one cluster with a tile
# of 512 on two of them and SoA on the Tesla, N-body two clusters that are SoA on all.
selects() {
    accepts advise --graph "$source_folder/examples/$1/$1-small.yaml" --device "$2"
    prints "^Graph and tree select $3\$"
}
selects bitonic firepro-s9000 aosoa:512
selects bitonic geforce-gtx480 aosoa:512
selects bitonic tesla-k20m soa
for gpu in firepro-s9000 geforce-gtx480 tesla-k20m; do selects nbody4 "$gpu" soa; done

# A record with more fields than a row has room for.
accepts advise --graph "$source_folder/examples/sampo/sampo-small.yaml" --epsilon 32
prints '^struct agent: 12 fields of 48 bytes, in [0-9]+ launches$'
prints '^  incubation +4 +infection [0-9]+$'
awk 'length > 80 { exit 1 }' "$work/log/out" || complain "a line is too wide"

# ---- GraphViz, SVG, JSON ---------------------------------------------------------------------

accepts advise --graph figure.cl --epsilon 64 --dot
prints '^graph "T" \{$'
[ "$(grep -c 'subgraph cluster_' "$work/log/out")" -eq 3 ] || complain "not three clusters"
[ "$(grep -c ' -- ' "$work/log/out")" -eq 3 ] || complain "not three edges"
prints 'f0 -- f1 \[label="4", color="#000000"\];'
prints 'label="d\\n8 B", style=dashed'
prints '^\}$'

accepts advise --graph figure.cl --epsilon 64 --svg graph.svg
prints '^Nearer than 64'
grep -q '^<svg xmlns=' graph.svg && grep -q '^</svg>$' graph.svg || complain "no picture"
[ "$(grep -c '<circle' graph.svg)" -eq 4 ] || complain "not four vertices"
[ "$(grep -c 'stroke="rgb' graph.svg)" -eq 3 ] || complain "not three edges are drawn"
[ "$(grep -c '<path fill="#' graph.svg)" -eq 1 ] || complain "not one cluster is drawn"
accepts advise --graph figure.cl --epsilon 300 --svg graph.svg # replaces it
accepts advise --graph "$source_folder/examples/sampo/sampo-small.yaml" --svg many.svg
[ "$(grep -c '<circle' many.svg)" -eq 12 ] || complain "not twelve vertices"

# Buffers that are one record may have any names.
cat >odd.yaml <<'END_JOB'
kernel: odd.cl
arrays:
  - {record: 'r"<', fields: ['x<"&', 'y\']}
buffers:
  - {name: 'x<"&', type: int, count: 64}
  - {name: 'y\', type: int, count: 64}
launches:
  - {kernel: k, global: [64], args: [{name: x, buffer: 'x<"&'}, {name: y, buffer: 'y\'}]}
END_JOB
cat >odd.cl <<'END_CL'
__kernel void k(__global int *x, __global const int *y) {
    x[get_global_id(0)] += y[get_global_id(0)];
}
END_CL
accepts advise --graph odd.yaml --dot --svg odd.svg
prints 'label="x<\\"&\\n4 B"'
prints 'label="y\\\\\\n4 B"'
grep -q '>x&lt;"&amp;</text>' odd.svg || complain "names in SVG are not escaped"

accepts advise --graph figure.cl --epsilon 64 --json
prints '^  "epsilon": 64,$'
prints '^  "launches": 1,$'
prints '"notation": "\{a,b\}\{c\}\{d\}"'
prints '^  "selected": null$'
[ "$(grep -c '"distance": null' "$work/log/out")" -eq 3 ] || complain "not three edges are null"
[ "$(grep -Ec '"distance": (4|252|256)$' "$work/log/out")" -eq 3 ] || complain "distances"
[ "$(grep -c '"reached": true' "$work/log/out")" -eq 3 ] || complain "reached"

# ---- what can be wrong -------------------------------------------------------------------------

refuses "which file\? heddle advise --graph" advise --graph
refuses "epsilon takes a whole number from 1 on, not '0'" advise --graph figure.cl --epsilon 0
refuses "epsilon takes a whole number from 1 on, not '-4'" advise --graph figure.cl --epsilon=-4
refuses "error: --device and --epsilon: choose one" advise --graph figure.cl --epsilon 4 --device h200
refuses "error: --dot and --json: choose one" advise --graph figure.cl --dot --json
refuses "error: .*'nothing'" advise --graph figure.cl --device nothing
refuses "error: .*absent" advise --graph figure.cl --svg absent/graph.svg
refuses "figure.cl: error: --svg: this is the input" advise --graph figure.cl --svg figure.cl
refuses "error: " advise --graph missing.cl
echo '__kernel void k(__global int *w) { w[get_global_id(0)] = 1; }' >plain.cl
refuses "error: there is no record to lay out" advise --graph plain.cl

finish
