#!/bin/bash
# Records that only the job, or the command line, knows of: a kernel over numbers is told apart as
# the same kernel over structs is.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >numbers.cl <<'EOT'

__kernel void move(__global float *p, const int n, const float dt) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    p[8 * i] += dt * p[8 * i + 4];
    p[8 * i + 1] += dt * p[8 * i + 5];
    for (int k = 0; k < 3; k++)
        p[8 * i + k] += p[8 * i + 7];
}
EOT
cat >structs.cl <<'EOT'
typedef struct { float pos[4], vel[3], mass; } body;
__kernel void move(__global body *p, const int n, const float dt) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    p[i].pos[0] += dt * p[i].vel[0];
    p[i].pos[1] += dt * p[i].vel[1];
    for (int k = 0; k < 3; k++)
        p[i].pos[k] += p[i].mass;
}
EOT
fields='float pos[4], vel[3]; float mass;'
cat >numbers.yaml <<EOT
kernel: numbers.cl
records: [{name: body, fields: "$fields"}]
buffers: [{name: p, type: body, count: 1000, init: [{field: vel, generator: uniform, low: 0, high: 1, seed: 3}]}]
launches: [{kernel: move, global: [1024], local: [64],
            args: [{name: p, buffer: p}, {name: n, value: 1000}, {name: dt, value: 0.5}]}]
EOT
sed 's/numbers.cl/structs.cl/; /^records/d' numbers.yaml >structs.yaml

# ---- the same as of structs ----------------------------------------------------------------------

# same WORDS: the outputs for both kernels are one, but for columns, estimates of registers (the
# addresses of numbers are other arithmetic) and what is said of rewriting.
same() {
    accepts "$1" --as-written numbers.yaml "${@:2}"
    sed 's/numbers/structs/g; s/about [0-9]* registers/about N registers/' "$work/log/out" >"$work/numbers"
    accepts "$1" --as-written structs.yaml "${@:2}"
    sed -i 's/about [0-9]* registers/about N registers/' "$work/log/out"
    diff "$work/numbers" "$work/log/out" >"$work/difference" ||
        complain "$*: of numbers (<) and of structs (>): $(cat "$work/difference")"
}
same advise --accesses
same advise --costs --layout aos --layout soa --layout '{pos}{vel,mass}:32'
same advise --costs --split pos --split vel --layout soa
same cache

# Advice is the same, and the kernels, which know no struct, are rewritten all the same.
accepts advise numbers.yaml --json
python3 - "$work/log/out" >"$work/numbers" <<'EOT'
import json, sys
d = json.load(open(sys.argv[1]))["devices"][0]
print(d["judged"] is not None, d["best"]["notation"], round(d["ratio"], 4))
EOT
accepts advise structs.yaml --json
python3 - "$work/log/out" >"$work/structs" <<'EOT'
import json, sys
d = json.load(open(sys.argv[1]))["devices"][0]
print(d["judged"] is not None, d["best"]["notation"], round(d["ratio"], 4))
EOT
cmp -s "$work/numbers" "$work/structs" || complain "other advice: $(cat "$work/numbers" "$work/structs")"
accepts advise numbers.yaml
accepts apply numbers.yaml --split pos --split vel --layout soa --out made
prints 'body as soa: .* checked on the machine'
refuses 'the kernels know no struct .body., and its fields differ in type or are arrays' \
    apply numbers.yaml --layout soa --out refused
[ ! -e refused ] || complain "a refused rewriting leaves a folder"

# ---- in columns ----------------------------------------------------------------------------------

cat >columns.cl <<'EOT'
__kernel void gather(__global const float *v, __global const int *next, __global float *out,
                     const int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    int j = next[i];
    for (int k = 0; k < 3; k++)
        out[i + k * n] = v[j + n * k] * v[j + 3 * n];
    out[i + 3 * n] = v[i + 3 * n];
}
EOT
cat >columns.yaml <<'EOT'
kernel: columns.cl
records: [{name: cell, fields: "float flow[3], mass", stride: n}]
buffers:
  - {name: v, type: cell, count: 1000, init: [{field: flow, generator: uniform, seed: 1}, {field: mass, generator: constant, low: 2}]}
  - {name: out, type: cell, count: 1000}
  - {name: next, type: int, count: 1000, init: [{generator: permutation, seed: 2}]}
launches: [{kernel: gather, global: [1024], local: [64],
            args: [{name: v, buffer: v}, {name: next, buffer: next}, {name: out, buffer: out}, {name: n, value: 1000}]}]
EOT
accepts run columns.yaml --dump out=as_it_is
python3 - <<'EOT' || complain "the contents are not in columns"
import array
out = array.array("f", open("as_it_is", "rb").read())
assert len(out) == 4000 and all(x == 2 for x in out[3000:])
assert 0 < min(out[:3000]) and max(out[:3000]) < 2
EOT
accepts advise --accesses columns.yaml
prints 'load +v\.mass '
accepts advise columns.yaml
prints 'of the cost of the arrays'
for layout in aos soa da '{flow[0],mass}:8{flow[1],flow[2]}'; do
    accepts apply columns.yaml --layout "$layout" --out "made $layout"
    prints 'checked on the machine'
    accepts run columns.yaml --layout "$layout" --dump out=placed
    cmp -s as_it_is placed || complain "another result in $layout"
done
# What a counted run predicts of a layout is what the rewritten kernel moves, unless a compiler merges
# neighbours there.
accepts advise columns.yaml --as-written --json
python3 - "$work/log/out" "$heddle" <<'EOT' || complain "counted and moved transactions differ"
import json, subprocess, sys
layouts = json.load(open(sys.argv[1]))["devices"][0]["judged"]["layouts"]
assert len(layouts) > 3
for row in layouts:
    run = [sys.argv[2], "run", "columns.yaml", "--as-written", "--json"]
    run += ["--layout", row["layout"]["notation"]]
    total = json.loads(subprocess.run(run, capture_output=True).stdout)["total"]
    assert total["devices"][0]["transactions"] == row["transactions"], row["layout"]["notation"]
EOT
sed 's/flow\[3\], mass/flow[3]; int mass/' columns.yaml >mixed.yaml
refuses "^mixed.yaml:2:.*'flow' and 'mass' differ in type" advise --accesses mixed.yaml

sed 's/stride: n/stride: mesh.n/' columns.yaml >member.yaml
refuses "^member.yaml:2:.*'stride: mesh.n' is no product of arguments and numbers" advise --accesses member.yaml

# The host's header brings columns into the layout.
cat >host.c <<'EOT'
#include <stdio.h>
#include <stdlib.h>
#include "made aos/columns.h"
int main(void) {
    static float columns[4000], back[4000];
    FILE *file = fopen("as_it_is", "rb");
    if (!file || fread(columns, sizeof *columns, 4000, file) != 4000)
        return 1;
    void *memory[cell_allocations] = {malloc(cell_bytes(0, 1000))};
    cell_to_layout(columns, memory, 1000);
    cell_ref ref = cell_make(memory, 1000);
    cell_from_layout(memory, back, 1000);
    return *cell_flow_1(ref, 7) != columns[1007] || *cell_mass(ref, 9) != 2 ||
           memcmp(columns, back, sizeof back) != 0;
}
EOT
cc -std=c99 -Wall -Wextra -Werror -o host host.c && ./host || complain "the host's header of columns"

# Nothing said: the record is found, or its declaration is printed.
accepts advise --accesses columns.cl
call advise columns.cl -n 1000
[ "$status" -eq 0 ] || complain "advise of a file with columns: exit status $status"
grep -q "note: the record is found in the indices of 'v', 'out': float v\[4\]; stride n" \
    "$work/log/err" || complain "it does not say what was found"
prints '^v_element, 16 bytes'

# ---- joined --------------------------------------------------------------------------------------

cat >alike.cl <<'EOT'
typedef struct { float x, y; } place;
typedef struct { float dx, dy; } motion;
__kernel void pull(__global const place *pos, __global const motion *vel, __global const int *next,
                   __global float *out, const int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    int j = next[i];
    out[i] = pos[j].x * vel[j].dx + pos[j].y * vel[j].dy;
}
EOT
cat >alike.yaml <<'EOT'
kernel: alike.cl
record: place
buffers:
  - {name: pos, type: place, count: 1000, init: [{generator: uniform, seed: 1}]}
  - {name: vel, type: motion, count: 1000, init: [{generator: uniform, seed: 2}]}
  - {name: next, type: int, count: 1000}
  - {name: out, type: float, count: 1000}
launches: [{kernel: pull, global: [1024], local: [64],
            args: [{name: pos, buffer: pos}, {name: vel, buffer: vel}, {name: next, buffer: next},
                   {name: out, buffer: out}, {name: n, value: 1000}]}]
EOT
call advise alike.yaml
[ "$status" -eq 0 ] || complain "advise of buffers indexed alike: exit status $status"
grep -q "buffers pos, vel are indexed alike; as one record, 'arrays: \[{record: pos_and_others, fields: \[pos, vel\]}\]'" \
    "$work/log/err" || complain "it does not say that they can be joined"
sed 's/^record:.*/arrays: [{record: both, fields: [pos, vel]}]/' alike.yaml >both.yaml
accepts run both.yaml --dump out=apart
accepts run both.yaml --layout aos --dump out=joined
cmp -s apart joined || complain "another result of joined buffers"
accepts apply both.yaml --layout aos --out 'both made'
prints 'both as aos: .* checked on the machine'

# ---- on the command line -------------------------------------------------------------------------

accepts advise --accesses --as-written numbers.cl --record "$fields" --of p
prints 'load +p\.vel\[1\] +4 '
prints 'store +p\.pos +4 .*byte 4\*k0 of'
accepts advise numbers.cl --record "$fields" --of p
prints '^p_element, 32 bytes$'
accepts advise --accesses numbers.cl --record 'float4 pos; uchar kind[12]; unsigned int id' --of p
prints 'load +p\.kind\[4\] '
prints 'load +p\.id '
refuses "'q' is no parameter of kernel 'move' that points to global memory without structs; such parameters are: p" \
    advise --accesses numbers.cl --record 'float x' --of q
refuses 'is no parameter of kernel' advise --accesses structs.cl --record 'float x' --of p
refuses '--of goes with --record' advise --accesses numbers.cl --of p

# ---- what is wrong -------------------------------------------------------------------------------

wrong() { # PATTERN FIELDS
    refuses "$1" advise --accesses numbers.cl --record "$2" --of p
}
wrong "'x\[2' is no name of a field" 'float x[2;'
wrong "'foo' is no scalar or vector type" 'float x; foo y'
wrong "there are two fields 'x'" 'float x; int x'
wrong 'there is no field' ' ; '
wrong "'3x' is no name of a field" 'float 3x'
wrong "'x\[0\]' is no name of a field" 'float x[0]'
wrong 'points to float \(4 bytes\), but an element' 'char c'
sed 's/name: body/name: float/' numbers.yaml >name.yaml
refuses "^name.yaml:2:.*'float' is a type already" advise --accesses name.yaml
sed 's/fields: /felder: /' numbers.yaml >key.yaml
refuses "^key.yaml:2:.*felder" advise --accesses key.yaml
cat >two.yaml <<EOT
kernel: numbers.cl
records: [{name: a, fields: "float x[8]"}, {name: b, fields: "float x[4], y[4]"}]
buffers: [{name: p, type: a, count: 64}, {name: q, type: b, count: 64}]
launches:
  - {kernel: move, global: [64], args: [{name: p, buffer: p}, {name: n, value: 64}, {name: dt, value: 1}]}
  - {kernel: move, global: [64], args: [{name: p, buffer: q}, {name: n, value: 64}, {name: dt, value: 1}]}
EOT
refuses "^two.yaml:6:.*'p' gets 'q', which holds b, in this launch, and 'p', which holds a" advise --accesses two.yaml
finish
