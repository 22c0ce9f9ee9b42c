# `heddle advise`: the verdict first, a command that works as it is printed, what was taken apart,
# what was refused.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# first PATTERN: the first line of the last output matches.
first() {
    head -1 "$work/log/out" | grep -Eq -- "$1" || complain "the first line does not match: $1"
}

# follow: the command that was printed runs, with a folder for DIR.
follow() {
    local command
    command=$(sed -n '2s/^  heddle //p' "$work/log/out")
    [ -n "$command" ] || complain "no command in the second line"
    rm -rf followed
    eval "accepts ${command/ --out DIR/ --out followed}"
    [ -d followed ] || complain "nothing was written by: heddle $command"
}

# ---- a file with flags, and a job ----------------------------------------------------------

cat >flags.cl <<'END'
typedef struct { float x, y; float d[3]; int kind; } body;
typedef struct { int a; } other;
__kernel void move(__global body *bodies, __global other *others, int steps, float dt) {
    int i = get_global_id(0);
    for (int s = 0; s < steps; s++)
        bodies[i].d[1] += dt * TIMES * others[i].a;
}
__kernel void rest(__global int *a) { a[get_global_id(0)] = 1; }
END
accepts advise flags.cl -e move --global 2048 --local 64 -n 4096 --arg steps=3 -a 'dt=0.5' \
    --options "-DTIMES=2 -DTEXT='it is'" --record body --device tesla-m2050
first '^Verdict for tesla-m2050: take soa with d taken apart, at 0\.[0-9]+ of the cost of AoS \(static cost; all of it follows from the source\)\.$'
prints "^  heddle apply flags.cl --entry move --global 2048 --local 64 --count 4096 --arg steps=3 --arg dt=0.5 --options '-DTIMES=2 -DTEXT='\\\\''it is'\\\\''' --record body --split d --layout soa --out DIR$"
prints '^  taken apart: d; with all fields whole the best is at 0\.'
prints '^  then '
follow
accepts advise flags.cl -e move -n 65536 -a steps=2 --options -DTIMES=2 --record body --whole
first 'sizes by default\)\.$'
! grep -q 'taken apart' "$work/log/out" || complain "--whole takes apart"
follow
accepts advise flags.cl -e move -g 256 -a steps=2 --options -DTIMES=2 --record body --split d
first '^Verdict for h200: take soa, at '
prints '^  heddle apply flags.cl .* --split d --layout soa '
follow

cat >"flags two.yaml" <<'END'
kernel: flags.cl
options: -DTIMES=2
record: body
buffers:
  - {name: b, type: body, count: 1024}
  - {name: o, type: other, count: 1024}
launches:
  - kernel: move
    global: [1024]
    local: [64]
    args: [{name: bodies, buffer: b}, {name: others, buffer: o}, {name: steps, value: 4},
           {name: dt, value: 1}]
END
accepts advise "flags two.yaml"
prints "^  heddle apply 'flags two.yaml' --split d --layout soa --out DIR$"
follow
accepts advise "flags two.yaml" --apply applied
[ -s applied/flags.cl ] || complain "--apply wrote no kernel"
refuses "has no field 'none' to take apart" advise "flags two.yaml" --split none
accepts advise --costs "flags two.yaml" --split d --layout '{d[1]}{x,y,d[0],d[2],kind}'
sed 's/^record: body/record: body\nsplit: [d]/' "flags two.yaml" >split.yaml
accepts advise split.yaml
prints "^  heddle apply split.yaml --layout soa --out DIR$"
refuses "has no field 'd' to take apart" advise split.yaml --split d

# ---- assumptions -----------------------------------------------------------------------------

cat >guess.cl <<'END'
typedef struct { float x, y, z, w; } body;
__kernel void move(__global body *bodies, __global int *links) {
    int i = get_global_id(0);
    for (int s = 0; s < links[0]; s++)
        if (links[i] > s)
            bodies[links[i + s]].x += 1;
}
END
accepts advise guess.cl
first '(all|%) of it rests on assumptions: .*loop at line 4 taken as 100 iterations'
prints '^ +[0-9.]+%  loop at line 4 taken as 100 iterations$'
accepts advise guess.cl --loops 7
first 'loop at line 4 taken as 7 iterations'
accepts advise guess.cl --json
fits advise
prints '"kind": "gather"'
prints '"kind": "condition"'

# ---- taken apart for a run ----------------------------------------------------------------------

# What a record costs rests on data, so that it is heard taken apart. One element whose array is read
# as a whole is best left whole: nobody is told to take it apart.
for kernel in gather walk; do
    [ $kernel = gather ] && at='order[i]' || at=i
    cat >$kernel.cl <<END
typedef struct {
    float v[4];
    int a[4], tag;
} node;
__kernel void $kernel(__global const node *p, __global const int *order, __global float *sum) {
    int i = get_global_id(0);
    for (int k = 0; k < order[i] % 3 + 2; k++)
        sum[i] += p[$at].v[k];
}
END
    cat >$kernel.yaml <<END
kernel: $kernel.cl
buffers:
  - {name: p, type: node, count: 4096, init: [{generator: uniform, seed: 1, high: 9}]}
  - {name: order, type: int, count: 4096, init: [{generator: permutation, seed: 2}]}
  - {name: sum, type: float, count: 4096}
launches:
  - kernel: $kernel
    global: [4096]
    local: [128]
    args: [{name: p, buffer: p}, {name: order, buffer: order}, {name: sum, buffer: sum}]
END
done
accepts advise gather.yaml
first '^Verdict for h200: take soa, at 0\.[0-9]+ of the cost of AoS \(a run of the whole job, '
prints '^  heddle apply gather.yaml --layout soa --out DIR$'
prints '^  taking v apart gains no more$'
prints '^  v +float\[4\] '
! grep -Fq 'v[0]' "$work/log/out" || complain "a table is about v taken apart"
follow
accepts advise gather.yaml --json
fits advise
prints '"taken": false'
! grep -Fq 'v[0]' "$work/log/out" || complain "JSON is about v taken apart"
accepts advise gather.yaml --whole --json
prints '"ratio": 0\.8'
accepts advise walk.yaml
first '^Verdict for h200: take soa with v taken apart, at 0\.[0-9]+ of the cost of AoS \(a run of '
prints '^  heddle apply walk.yaml --split v --layout soa --out DIR$'
follow
# Nothing is heard, and by static cost it does not pay.
sed 's/ sum\[i\] += .*/ sum[i] += p[order[i]].v[0] + p[order[i]].v[1] + p[order[i]].v[2] + p[order[i]].v[3];/' \
    gather.cl >all.cl
sed 's/gather.cl/all.cl/' gather.yaml >all.yaml
accepts advise all.yaml --run 0
cp "$work/log/out" "$work/log/static"
call advise all.yaml --run 3
rest='scored|were not counted in another layout|work than the limit; raise'
diff <(sed 1d "$work/log/static" | grep -Ev "$rest") <(sed 1d "$work/log/out" | grep -Ev "$rest") ||
    complain "the static answer is another one where nothing was heard"

# ---- kernels that the job leaves out -------------------------------------------------------------

sed '1,/} node;/d; s/gather/other/' gather.cl >>walk.cl
call advise walk.yaml
[ "$status" -eq 0 ] || complain "a kernel that is not launched keeps it from advising"
grep -q "walk.cl:.*warning: kernel 'other' takes 'node', too, but the job never launches it" \
    "$work/log/err" || complain "it says nothing of a kernel that is not launched"
prints '^  heddle apply walk.yaml --split v --layout soa --no-verify --out DIR$'
follow

# ---- what the rewriter refuses ------------------------------------------------------------------

given cast.cl
accepts advise cast.cl
first '^Verdict for h200: leave it as it is; .* would take 0\.[0-9]+ of the cost of AoS .*, but Heddle cannot rewrite these kernels: cast.cl:3:[0-9]+: '
! grep -q 'heddle apply' "$work/log/out" || complain "names a command that is refused"
accepts advise cast.cl --json
fits advise
prints '"rewritable": false'
prints '"command": null'
prints '"why": "cast.cl:3:'
# Only taken apart is it refused: the record as it is can be had.
cat >whole.cl <<'END'
typedef struct { float x, y; float d[4]; int kind; } body;
float sum(__global float *d) { return d[0] + d[1]; }
__kernel void move(__global body *bodies) {
    int i = get_global_id(0);
    bodies[i].x += sum(bodies[i].d);
}
END
accepts advise whole.cl
first '^Verdict for h200: take [^ ]*, at 0\.'
follow
accepts advise whole.cl --json
fits advise
prints '"apart": \{'
prints '"taken": false'
prints '"refused": "whole.cl:'

finish
