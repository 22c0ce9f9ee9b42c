# heddle apply: where the result goes, several records, and the check on the machine.
source "$(dirname "$0")/lib.sh"
need_shim kill_at # all calls are with it, so that one heddle stands ready
LD_PRELOAD=$shim source "$source_folder/tests/cli/ready.sh"
call() { with NOTHING=1 -- "$@"; }

# ---- a patch, and in place: the same text as in a folder
mkdir new
accepts apply body.yaml --layout soa --out new
prints 'body as soa: [1-9][0-9]* places changed, checked on the machine'
accepts apply body.yaml --layout soa --diff
cp "$work/log/out" body.patch
[ ! -e body.h ] || complain "--diff wrote a header"
mkdir patched placed
cp body.cl body.yaml patched
cp body.cl body.yaml placed
(cd patched && patch -p1 -s <../body.patch) || complain "the patch does not apply"
cmp -s patched/body.cl new/body.cl || complain "the patched kernel is not the rewritten one"
cmp -s patched/body.h new/body.h || complain "the patch has another header"
(cd placed && "$heddle" apply body.yaml --layout soa --in-place >/dev/null) ||
    complain "--in-place failed"
cmp -s placed/body.cl new/body.cl || complain "--in-place wrote something else"
cmp -s placed/body.h new/body.h || complain "--in-place wrote another header"
accepts apply "$PWD/body.cl" --layout soa --diff
prints "^--- a$PWD/body.cl"
refuses "--diff and --in-place: choose one" apply body.yaml --layout soa --diff --in-place
refuses "--out and --diff: choose one" apply body.yaml --layout soa --out new --diff
accepts apply body.yaml --layout soa --out new --json
prints '"verified": true'
accepts apply body.yaml --layout soa --diff --no-verify --json
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
accepts apply own/k.cl --layout soa --out own/new
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
accepts apply two.yaml --layout soa --layout 'cell={count}{first}/da' --out new
prints 'point as soa, .*cell as \{count\}\{first\}/da'
refuses "two layouts" apply two.yaml --layout soa --layout point=aos --out new
refuses "no buffer holds a record 'cells'; there are: point, cell" \
    apply two.yaml --layout cells=soa --out new
refuses "<layout>:1:2: error: 'cell' has no field 'x'" apply two.yaml --layout 'cell={x}' --out new

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
    apply more.yaml --layout soa --out new
accepts apply more.yaml --layout soa --out new --no-verify
accepts apply more.cl --layout soa --out new

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
    apply views.yaml --layout soa --out new

# ---- kernels that do not run on the machine
cat >beyond.cl <<'E2'
typedef struct point { float x, y; } point;
__kernel void k(__global point *p) { p[get_global_id(0) + 64].x = 1; }
E2
sed 's/more/beyond/; s/used/k/' more.yaml >beyond.yaml
refuses "^beyond.cl:2:[0-9]+: error: store of 4 bytes at byte 512" apply beyond.yaml --layout soa --out new
grep -q "note: the kernels do not run on the machine as they are" "$work/log/err" ||
    complain "does not say what follows"
[ ! -e new/beyond.cl ] || complain "wrote kernels that were not checked"
accepts apply beyond.yaml --layout soa --out new --no-verify
call apply beyond.cl --layout soa --out new
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
    apply leaves.cl -n 64 -g 64 --layout da --out new
grep -q '^leaves.cl (rewritten):[0-9]*:43: warning: load of 4 bytes' "$work/log/err" ||
    complain "names another file than the rewritten one"
[ ! -e new/leaves.cl ] || complain "wrote kernels that do not run"

# ---- folders are made, and are gone when nothing is written
accepts apply body.yaml --layout soa --out made/for/this
[ -s made/for/this/body.cl ] || complain "--out made no folder"
rm -r made
refuses "made/for/this: error: --out: made is a file" \
    apply body.yaml --layout soa --out made/for/this <<<"$(touch made)"
rm made
refuses "no field 'none'" apply body.yaml --layout '{none}' --out made/for/this
refuses "^beyond.cl:2:[0-9]+: error" apply beyond.yaml --layout soa --out made/for/this
(
    trap '' XFSZ
    ulimit -f 1
    exec "$heddle" apply body.yaml --layout soa --out made/for/this --no-verify \
        >"$work/log/out" 2>"$work/log/err"
)
[ ! -e made ] || complain "a rewrite that wrote nothing left $(find made)"

# ---- headers go along, and what lies elsewhere is named
mkdir -p tree/src/inc/deep tree/common tree/found
echo '#define SCALE 2.0f' >tree/src/inc/deep/scale.h
printf '#include "deep/scale.h"\ntypedef struct point { float x, y; } point;\n' >tree/src/inc/point.h
echo '#define ONE 1.0f' >tree/src/helper.h
echo '#define COMMON 3.0f' >tree/common/common.h
echo '#define FOUND 4.0f' >tree/found/found.h
cat >tree/src/k.cl <<'E2'
#include "inc/point.h"
#include "helper.h"
#include "../common/common.h"
#include "found.h"
__kernel void k(__global point *p) {
    p[get_global_id(0)].x += p[get_global_id(0)].y * SCALE + ONE * COMMON + FOUND;
}
E2
accepts apply tree/src/k.cl --options "-I $PWD/tree/found" --layout soa --out tree/new/folder
for file in inc/point.h inc/deep/scale.h helper.h; do
    cmp -s tree/src/$file tree/new/folder/$file || complain "$file does not go along"
    prints "  tree/new/folder/$file, a copy"
done
prints "  includes tree/src/../common/common.h, which stays there: compile with -I 'tree/src'"
prints "  includes .*tree/found/found.h, which stays there$"
[ "$(find tree/new -type f | wc -l)" -eq 5 ] || complain "wrote $(find tree/new)"
mv tree/src/inc tree/src/helper.h "$work/log" # nothing is taken from there
accepts show --ir tree/new/folder/k.cl --options "-I tree/src -I tree/found"
mv "$work/log/inc" "$work/log/helper.h" tree/src
accepts apply tree/src/k.cl --options "-I $PWD/tree/found" --layout soa --out tree/new/folder --json
prints '"file": "tree/src/../common/common.h"'
prints '"folder": "tree/src"'
prints '"file": "tree/new/folder/inc/deep/scale.h"'
accepts apply tree/src/k.cl --options "-I $PWD/tree/found" --layout soa --diff
[ "$(grep -c '^+++ ' "$work/log/out")" -eq 2 ] || complain "the patch has files that do not change"
mkdir tree/src/inc/inc
refuses "point.h: error: this is a file of the kernels" \
    apply tree/src/inc/k.cl --layout soa --out tree/src --options "-I $PWD/tree/found" \
    <<<"$(sed 's/inc.point.h/point.h/; s/helper.h/deep\/scale.h/; s/.*common.h.*/#define COMMON 1\n#define ONE 1/' \
        tree/src/k.cl >tree/src/inc/k.cl; mv tree/src/k.cl tree/k.cl; ln tree/src/inc/point.h tree/src/point.h)"
rm tree/src/point.h
mv tree/k.cl tree/src/k.cl

# ---- in place: all files or none, and they stay the files that they are
# A kernel and two headers that change: one is a link, one has two names; and one that stays.
make_project() {
    rm -rf project
    mkdir -p project/inc project/far
    cat >project/inc/point.h <<'E2'
typedef struct point { float x, y; } point;
E2
    cat >project/inc/move.h <<'E2'
inline void move(__global point *p) { p->x += p->y; }
E2
    cat >project/far/turn.h <<'E2'
inline void turn(__global point *p) { p->y -= p->x; }
E2
    ln -s ../far/turn.h project/inc/turn.h
    ln project/inc/move.h project/twin.h
    cat >project/k.cl <<'E2'
#include "inc/point.h"
#include "inc/move.h"
#include "inc/turn.h"
__kernel void k(__global point *p) {
    move(p + get_global_id(0));
    turn(p + get_global_id(0));
}
E2
    cat >project/k.yaml <<'E2'
kernel: k.cl
buffers: [{name: p, type: point, count: 64}]
launches: [{kernel: k, global: [64], args: [{name: p, buffer: p}]}]
E2
    chmod 640 project/k.cl
    chmod 604 project/far/turn.h
}
# What is in the project: names, kinds, modes, numbers of links and contents.
project() { find project -printf '%P %y %m %n %l\n' | sort && find project -type f -exec sha256sum {} + | sort; }

make_project
project >before
accepts apply project/k.yaml --layout soa --in-place
project >after
for file in k.cl inc/move.h far/turn.h; do
    grep -q heddle project/$file || grep -q R_x project/$file || grep -q point_x project/$file ||
        complain "$file did not change"
done
cmp -s project/inc/move.h project/twin.h || complain "--in-place broke a hard link"
[ -L project/inc/turn.h ] || complain "--in-place replaced a link"
[ "$(stat -c %a project/k.cl) $(stat -c %a project/far/turn.h)" = "640 604" ] ||
    complain "--in-place lost a mode"
! grep -q heddle project/inc/point.h || complain "a header changed that need not"
[ "$(find project -type f | wc -l)" -eq 7 ] || complain "--in-place left $(find project)"

# Killed at every third step (base/test_journal.c has all): after --recover all is old, or all new.
killed=0
for at in $(seq 1 3 60); do
    make_project
    { with KILL_AT="$at" -- apply project/k.cl --layout soa --in-place --no-verify; } 2>/dev/null
    [ "$status" -ne 0 ] || break
    [ "$status" -eq 137 ] || complain "killed at $at: exit status $status"
    killed=$((killed + 1))
    accepts apply --recover project
    project >now
    cmp -s now before || cmp -s now after || complain "killed at $at: $(diff before now)"
done
[ $killed -ge 4 ] || complain "killed only $killed times"

# The next call on these files takes back by itself, and goes on.
make_project
{ with KILL_AT=10 -- apply project/k.cl --layout soa --in-place --no-verify; } 2>/dev/null
[ -e project/k.cl.heddle-journal ] || complain "no journal was left"
call apply project/k.yaml --layout soa --in-place
[ "$status" -eq 0 ] || complain "the call after one that was killed: exit status $status"
grep -q "k.cl.heddle-journal: note: a rewrite in place was interrupted and is taken back: " \
    "$work/log/err" || complain "does not say that it takes back"
project >now
cmp -s now after || complain "after a killed call: $(diff after now)"
for what in project project/k.cl project/k.yaml project/k.cl.heddle-journal; do
    make_project
    { with KILL_AT=10 -- apply project/k.cl --layout soa --in-place --no-verify; } 2>/dev/null
    accepts apply --recover $what --json
    prints '"project/k.cl.heddle-journal"'
    fits apply
    project >now
    cmp -s now before || complain "--recover $what: $(diff before now)"
done
accepts apply --recover project
prints "no rewrite was interrupted here"
(cd project && "$heddle" apply --recover) >"$work/log/out" || complain "--recover needs a word"
refuses "absent: error: cannot open" apply --recover absent
refuses "absent.heddle-journal: error: cannot open" apply --recover absent.heddle-journal
refuses "error: --recover and --in-place: choose" apply --recover --in-place project
refuses "error: which file" apply --layout soa --in-place

# What was edited since stays, and so does what a journal from elsewhere names.
make_project
{ with KILL_AT=10 -- apply project/k.cl --layout soa --in-place --no-verify; } 2>/dev/null
cp -r project copied
echo "// mine" >>project/k.cl
refuses "project/k.cl: error: this has changed since" apply --recover project
refuses "project/k.cl: error: this has changed since" apply project/k.yaml --layout soa --in-place
refuses "copied/k.cl.heddle-journal: error: this journal was not written here" \
    apply --recover copied
rm -r copied

# The second of the files cannot be written: the first does not change.
make_project
cat >"$work/log/one_read_only" <<'END'
mount --bind project/inc/move.h project/inc/move.h || exit 77
mount -o remount,ro,bind project/inc/move.h || exit 77
"$1" apply project/k.yaml --layout soa --in-place
END
if mounts "$work/log/one_read_only"; then
    [ $status -eq 2 ] || complain "with a file that is read-only: exit status $status, not 2"
    [ "$(grep -c 'move.h: error: cannot write' "$work/log/err")" -eq 1 ] ||
        complain "with a file that is read-only: not one message"
    project >now
    cmp -s now before || complain "with a file that is read-only: $(diff before now)"
fi

# ---- the job that named the kernels: what it must say now
cat >fits.cl <<'E2'
typedef struct item { int first; int second; } item;
__kernel void k(__global item *items, __global int *sums, int more, __local int *room) {
    room[get_local_id(0)] = items[get_global_id(0)].first + more;
    sums[get_global_id(0)] = room[get_local_id(0)];
}
E2
cat >fits.yaml <<'E2'
kernel: fits.cl
buffers: [{name: "all, of 'them'}", type: item, count: 64}, {name: sums, type: int, count: 64}]
launches:
  - {kernel: k, global: [64], local: [32], args: [{name: items, buffer: "all, of 'them'}"},
     {name: sums, buffer: sums}, {name: more, value: 7}, {name: room, local: 128}]}
E2
accepts apply fits.yaml --layout '{first}{second}/da' --in-place
prints "^fits.yaml no longer fits these kernels"
cp "$work/log/out" said
refuses "^fits.yaml:4:[0-9]+: error: " run fits.yaml
grep -q "^fits.cl: note: this has been rewritten for a layout of 'item'; in fits.yaml each buffer" \
    "$work/log/err" || complain "a job that fitted before does not say what to do"
{
    echo "kernel: fits.cl"
    echo "buffers:"
    echo "  - {name: sums, type: int, count: 64}"
    sed -n '/^  buffers:/,/^and/{/^    -/s/^  //p}' said
    echo "launches:"
    sed -n '/^  launches:/,$s/^    - {/  - {global: [64], local: [32], /p' said
} >fits.yaml
accepts run fits.yaml --dump sums=sums.bin
[ "$(od -An -t d4 -N 8 sums.bin | tr -s ' ')" = " 7 7" ] || complain "the new job gives $(od -An -t d4 -N 8 sums.bin)"

finish
