# Job files that are wrong: one message at the place in the file.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# changed SED-COMMAND: bad.yaml is body.yaml, changed.
changed() {
    sed -e "$1" body.yaml >bad.yaml
    ! cmp -s body.yaml bad.yaml || complain "'$1' changes nothing"
}

changed 's/^record: /recrod: /'
refuses "^bad.yaml:2:1: error: .*recrod" advise --accesses bad.yaml
changed 's/count: 256/count: many/'
refuses "^bad.yaml:6:[0-9]+: error: .*count" advise --accesses bad.yaml
changed 's/global: \[256\]/global: 256x/'
refuses "^bad.yaml:12:[0-9]+: error: .*global" advise --accesses bad.yaml
changed 's/kernel: push/kernel: pull/'
refuses "^bad.yaml:11:[0-9]+: error: .*pull" advise --accesses bad.yaml
changed 's/kernel: body.cl/kernel: missing.cl/'
refuses "^bad.yaml:1:[0-9]+: error: cannot read the kernel file missing.cl: No such" advise --accesses bad.yaml
changed 's/field: y/field: z/'
refuses "^bad.yaml:9:[0-9]+: error: .*z" advise --accesses bad.yaml
changed 's/buffer: bodies/buffer: nobodies/'
refuses "^bad.yaml:15:[0-9]+: error: .*nobodies" advise --accesses bad.yaml
changed 's/value: 0.5/value: fast/'
refuses "^bad.yaml:16:[0-9]+: error: .*fast" advise --accesses bad.yaml
changed 's/local: \[64\]/local: [100]/'
refuses "^bad.yaml:[0-9]+:[0-9]+: error: .*100" advise --accesses bad.yaml
changed '/name: dt/d'
refuses "^bad.yaml:[0-9]+:[0-9]+: error: .*dt" advise --accesses bad.yaml
changed 's/record: body/record: planet/'
refuses "^bad.yaml:2:[0-9]+: error: .*planet" advise --accesses bad.yaml
changed 's/buffers:/buffers: [/'
refuses "^bad.yaml:[0-9]+:[0-9]+: error: " advise --accesses bad.yaml
: >bad.yaml
refuses "^bad.yaml.*error: .*empty" advise --accesses bad.yaml
refuses "missing.yaml.*error: " advise --accesses missing.yaml
refuses "body.yaml: error: --global goes with a kernel file" advise --accesses body.yaml --global 64
# ---- several records, and none of them is named: only who lays one out minds

cat >two.cl <<'END'
typedef struct point { float x, y; } point;
typedef struct cell { int first, count; } cell;
__kernel void k(__global point *points, __global const cell *cells) {
    int i = get_global_id(0);
    points[i].x += points[cells[i].first].y;
}
END
cat >two.yaml <<'END'
kernel: two.cl
buffers: [{name: points, type: point, count: 64}, {name: cells, type: cell, count: 64}]
launches:
  - {kernel: k, global: [64], args: [{name: points, buffer: points}, {name: cells, buffer: cells}]}
END
for file in two.yaml two.cl; do
    for command in run "trace -o two.hdt" "cache --locality" "cache --reuse --scenario 1" \
        "report -o two.html" "advise --accesses" "show --ir" advise; do
        accepts $command $file
    done
done
for command in "advise --costs" "advise --graph" "apply --layout soa --diff" "measure --layout soa"; do
    refuses "two.yaml:1:1: error: .* several records, among them point and cell; .*--record point" \
        $command two.yaml
    refuses "two.cl:[0-9]+:[0-9]+: error: .* several records, .*--record point" $command two.cl
done
accepts apply --layout cell=soa --diff two.yaml

# ---- a struct by value: what it takes is said in the source's names

cat >by_value.cu <<'END'
struct sizes { float *spare; int n; short d[2]; };
__global__ void k(sizes s, float *out) { if (threadIdx.x < s.n) out[threadIdx.x] = s.d[1]; }
END
cat >by_value.yaml <<'END'
kernel: by_value.cu
buffers: [{name: out, type: float, count: 64}]
launches:
  - {kernel: k, blocks: [1], threads: [64], args: [{name: out, buffer: out}, {name: s, value: "64, 1, 2"}]}
END
accepts run by_value.yaml
sed 's/"64, 1, 2"/"0, 64"/' by_value.yaml >bad.yaml
refuses "'s' of type sizes takes 3 values, .*: n, d\[0\], d\[1\]; .*the pointer spare, which is null; there are 2" run bad.yaml
sed 's/"64, 1, 2"/"64, 1, x"/' by_value.yaml >bad.yaml
refuses "'x' is no value for argument 's' of type sizes, field d\[1\]" run bad.yaml

# ---- what no generator fills, and a buffer's file that is a device

cat >linked.cl <<'END'
typedef struct node { float v; __global struct node *next; } node;
__kernel void k(__global node *p) { p[get_global_id(0)].v = 1; }
END
cat >linked.yaml <<'END'
kernel: linked.cl
buffers: [{name: p, type: node, count: 64, init: [{field: next, generator: iota}]}]
launches: [{kernel: k, global: [64], args: [{name: p, buffer: p}]}]
END
refuses "^linked.yaml:2:[0-9]+: error: 'next' of buffer 'p' is a pointer, which can't be generated" run linked.yaml
sed 's/init: .*}\]}/file: \/dev\/zero}/' linked.yaml >device.yaml
refuses "^device.yaml:2:[0-9]+: error: the file of buffer 'p', /dev/zero, is no regular file" run device.yaml

# ---- a long array that is named very often: looked up once

cat >often.cl <<'END'
typedef struct { float a[1000000]; float b; } table;
__kernel void k(__global table *p) { p[0].b = p[0].a[get_global_id(0)]; }
END
{
    printf 'kernel: often.cl\nbuffers:\n  - name: p\n    type: table\n    count: 1\n    init:\n'
    yes '      - {field: a, generator: uniform}' | head -20000
    printf 'launches: [{kernel: k, global: [64], args: [{name: p, buffer: p}]}]\n'
} >often.yaml
timeout 100 "$heddle" advise --accesses often.yaml >"$work/log/out" 2>"$work/log/err" ||
    complain "a long array that is named 20000 times: exit status $?"

# Filling it so often takes minutes, and ends at a signal, not with the last entry.
timeout -k 100 -s INT 5 "$heddle" run often.yaml >"$work/log/out" 2>"$work/log/err"
status=$?
[ "$status" -eq 124 ] || complain "contents that a signal should have ended: exit status $status"

finish
