# heddle rewrite: where the result goes, several records, and the check on the machine.
source "$(dirname "$0")/lib.sh"

# ---- a patch, and in place: the same text as in a folder
mkdir new
accepts rewrite body.yaml --layout soa --out new
prints 'body as soa: [1-9][0-9]* places changed, checked on the machine'
accepts rewrite body.yaml --layout soa --diff
cp "$work/log/out" body.patch
[ ! -e body.h ] || complain "--diff wrote a header"
mkdir patched placed
cp body.cl body.yaml patched
cp body.cl body.yaml placed
(cd patched && patch -p1 -s <../body.patch) || complain "the patch does not apply"
cmp -s patched/body.cl new/body.cl || complain "the patched kernel is not the rewritten one"
cmp -s patched/body.h new/body.h || complain "the patch has another header"
(cd placed && "$heddle" rewrite body.yaml --layout soa --in-place >/dev/null) ||
    complain "--in-place failed"
cmp -s placed/body.cl new/body.cl || complain "--in-place wrote something else"
cmp -s placed/body.h new/body.h || complain "--in-place wrote another header"
accepts rewrite "$PWD/body.cl" --layout soa --diff
prints "^--- a$PWD/body.cl"
refuses "three ways to get one result" rewrite body.yaml --layout soa --diff --in-place
refuses "three ways to get one result" rewrite body.yaml --layout soa --out new --diff
accepts rewrite body.yaml --layout soa --out new --json
prints '"verified": true'
accepts rewrite body.yaml --layout soa --diff --no-verify --json
prints '"verified": false'
prints '"patch": "--- a/body.cl'

# ---- a header of the kernels keeps its name
mkdir own
cat >own/k.h <<'E2'
typedef struct pair { int a, b; } pair;
E2
cat >own/k.cl <<'E2'
#include "k.h"
__kernel void k(__global pair *p) { p[get_global_id(0)].a++; }
E2
mkdir own/new
accepts rewrite own/k.cl --layout soa --out own/new
[ -s own/new/k_layout.h ] || complain "the host's header is not k_layout.h: $(ls own/new)"

# ---- several records
cat >two.cl <<'E2'
typedef struct point { float x, y; } point;
typedef struct cell { int first, count; } cell;
__kernel void k(__global point *points, __global const cell *cells) {
    int i = get_global_id(0);
    for (int j = 0; j < cells[i].count; j++)
        points[i].x += points[cells[i].first + j].y;
}
E2
cat >two.yaml <<'E2'
kernel: two.cl
record: point
buffers:
  - {name: points, type: point, count: 64, init: [{field: y, generator: iota}]}
  - {name: cells, type: cell, count: 32,
     init: [{field: first, generator: iota}, {field: count, generator: constant, low: 3}]}
launches:
  - {kernel: k, global: [32], args: [{name: points, buffer: points}, {name: cells, buffer: cells}]}
E2
accepts rewrite two.yaml --layout soa --layout 'cell={count}{first}/da' --out new
prints 'point as soa, .*cell as \{count\}\{first\}/da'
refuses "two layouts" rewrite two.yaml --layout soa --layout point=aos --out new
refuses "no buffer holds a record 'cells'; there are: point, cell" \
    rewrite two.yaml --layout cells=soa --out new
refuses "<layout>:1:2: error: 'cell' has no field 'x'" rewrite two.yaml --layout 'cell={x}' --out new

# ---- a record that a kernel outside the job takes
cat >more.cl <<'E2'
typedef struct point { float x, y; } point;
__kernel void used(__global point *p) { p[get_global_id(0)].x = 1; }
__kernel void unused(__global point *p) { p[get_global_id(0)].y = 1; }
E2
cat >more.yaml <<'E2'
kernel: more.cl
buffers: [{name: p, type: point, count: 64}]
launches: [{kernel: used, global: [64], args: [{name: p, buffer: p}]}]
E2
refuses "^more.cl:3:[0-9]+: error: kernel 'unused' takes 'point', too, but the job never launches" \
    rewrite more.yaml --layout soa --out new
accepts rewrite more.yaml --layout soa --out new --no-verify
accepts rewrite more.cl --layout soa --out new

# ---- launches that need different layouts of one buffer
cat >views.cl <<'E2'
typedef struct point { float x, y; } point;
__kernel void as_points(__global point *p) { p[get_global_id(0)].x = 1; }
__kernel void as_numbers(__global float2 *p) { p[get_global_id(0)] = 1; }
E2
cat >views.yaml <<'E2'
kernel: views.cl
buffers: [{name: p, type: point, count: 64}]
launches:
  - {kernel: as_points, global: [64], args: [{name: p, buffer: p}]}
  - {kernel: as_numbers, global: [64], args: [{name: p, buffer: p}]}
E2
refuses "^views.yaml:5:[0-9]+: error: parameter 'p' points to float2, but buffer 'p' holds point" \
    rewrite views.yaml --layout soa --out new

# ---- kernels that do not run on the machine
cat >beyond.cl <<'E2'
typedef struct point { float x, y; } point;
__kernel void k(__global point *p) { p[get_global_id(0) + 64].x = 1; }
E2
sed 's/more/beyond/; s/used/k/' more.yaml >beyond.yaml
refuses "^beyond.cl:2:[0-9]+: error: store of 4 bytes at byte 512" rewrite beyond.yaml --layout soa --out new
grep -q "note: the kernels do not run on the machine as they are" "$work/log/err" ||
    complain "does not say what follows"
[ ! -e new/beyond.cl ] || complain "wrote kernels that were not checked"
accepts rewrite beyond.yaml --layout soa --out new --no-verify
call rewrite beyond.cl --layout soa --out new
[ "$status" -eq 0 ] && grep -q "warning: store of 4 bytes" "$work/log/err" ||
    complain "a kernel file that does not run by default is no warning"
prints 'not checked'

# ---- kernels that run, but not when they are rewritten: the array of one element is left
cat >leaves.cl <<'E2'
typedef struct point { float x, d[2]; } point;
float f(__global const float *d) { return d[4]; }
__kernel void k(__global point *p, __global float *o) {
    int i = get_global_id(0);
    if (i < 63) o[i] = f(p[i].d);
}
E2
refuses "error: the original 'k' runs on the machine, but the rewritten one does not" \
    rewrite leaves.cl -n 64 -g 64 --layout da --out new
grep -q '^leaves.cl (rewritten):[0-9]*:43: warning: load of 4 bytes' "$work/log/err" ||
    complain "names another file than the rewritten one"
[ ! -e new/leaves.cl ] || complain "wrote kernels that do not run"

finish
