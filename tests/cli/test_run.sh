# heddle run: what is printed, compared and written.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

accepts run body.yaml
prints '^Executed by [0-9]+ worker'
prints '^  kernel +runs +blocks x threads +instructions +MIs +lane accesses +time$'
prints '^  push +1 +4 x 64 +[0-9.]+k? +12 +768 +[0-9.]+ (ns|us|ms|s)$'
prints '^Global memory on h200, by warps of 32$'
prints '^  push +4 x 64 +24 +[0-9]+ +[0-9.]+ '
accepts run body.yaml --device tesla-k20c --device h200 --workers 1
prints '^Global memory on tesla-k20c, by warps of 32$'
prints '^Global memory on h200, by warps of 32$'
prints '^Executed by 1 worker$'
awk 'length > 80 { exit 1 }' "$work/log/out" || complain "a table is too wide"
accepts run body.cl --global 16,8 --local 8,4
prints '^  push +1 +2,2 x 8,4 '
refuses "error: .*nosuch" run body.yaml --device nosuch

# Constant memory has a cache of its own: it is no global memory, here as in the static cost.
cat >table.cl <<'END'
typedef struct { float x, y; } point;
__constant float table[64] = {1, 2, 3};
__kernel void look(__global point *p, __constant float *given) {
    int i = get_global_id(0);
    p[i].x += table[i % 64] * given[i % 16];
}
END
accepts run table.cl --global 256 --local 64 --device h200
prints '^  look +1 +4 x 64 +[0-9.]+k? +16 +1.02k '
prints '^  look +4 x 64 +16 +128 '
accepts advise --costs table.cl --global 256 --local 64 --device h200 --layout aos
prints '^ +5 +load p.x +8 +8 ' # executions, and the transactions of each
prints '^ +5 +store p.x +8 +8 '

# ---- runs of one kernel and size share a row --------------------------------------------

cat >two.cl <<'END'
__kernel void up(__global int *a) { a[get_global_id(0)] += 1; }
__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }
END
{
    printf 'kernel: two.cl\nbuffers: [{name: a, type: int, count: 64}]\nlaunches:\n'
    for _ in 1 2 3; do
        echo '  - {kernel: up, global: [64], local: [32], repeat: 1000, args: [{name: a, buffer: a}]}'
        echo '  - {kernel: twice, global: [64], local: [32], args: [{name: a, buffer: a}]}'
        echo '  - {kernel: twice, global: [32], local: [32], args: [{name: a, buffer: a}]}'
    done
} >two.yaml
accepts run two.yaml --dump a=a.bin
prints '^  up +3.00k +2 x 32 '
prints '^  twice +3 +2 x 32 '
prints '^  twice +3 +1 x 32 '
prints '^  in all +3.01k '
[ "$(wc -l <"$work/log/out")" -le 20 ] || complain "too many lines"
prints '^wrote a.bin$'
# 0 .. 31 are doubled twice a round, the others once.
expected="$(((((1000 * 4) + 1000) * 4 + 1000) * 4)) $(((((1000 * 2) + 1000) * 2 + 1000) * 2))"
[ "$(od -An -td4 -v -w4 a.bin | awk 'NR == 1 || NR == 64' | xargs)" = "$expected" ] ||
    complain "a.bin is not $expected"

# ---- --dump and --check -------------------------------------------------------------------

accepts run body.yaml --dump bodies=bodies.bin
[ "$(stat -c %s bodies.bin)" -eq 3072 ] || complain "bodies.bin has another size than the buffer"
accepts run body.yaml --check bodies=bodies.bin
prints '^Equal to the reference: yes$'
accepts run body.yaml --check opencl --check bodies=bodies.bin
prints '^Equal to the reference: yes$'
# Element 17 is 12 bytes from 204 on: x, y, tag.
cp bodies.bin other.bin
printf '\0\0\200\77' | dd of=other.bin bs=1 seek=208 conv=notrunc status=none
call run body.yaml --check bodies=other.bin
[ "$status" -eq 1 ] || complain "exit status $status, not 1, when the buffers differ"
prints '^Equal to the reference: no$'
grep -q "error: the outputs differ: 'bodies\[17\].y' is 17 on the machine and 1 in the file; 1 of" \
    "$work/log/err" || complain "the difference is not named"
sed 's/^record.*/tolerance: {absolute: 16}/' body.yaml >tolerant.yaml
accepts run tolerant.yaml --check bodies=other.bin
prints "^Equal to the reference: yes, within the job's tolerance$"
call run body.yaml --check bodies=other.bin --dump bodies=again.bin --json
[ "$status" -eq 1 ] && cmp -s again.bin bodies.bin || complain "no dump beside a difference"
rm again.bin

refuses "'bodys', which is not there; did you mean 'bodies'\?" run body.yaml --dump bodys=x.bin
refuses "'z9', which is not there; the buffers are: bodies" run body.yaml --check z9=bodies.bin
refuses "error: --dump takes BUFFER=FILE, not 'bodies'" run body.yaml --dump bodies
refuses "error: --check takes opencl or BUFFER=FILE, not 'bodies='" run body.yaml --check bodies=
refuses "error: --dump writes two buffers to x.bin" run body.yaml --dump bodies=x.bin --dump bodies=x.bin
mkdir into
ln -s into through
for other in ./x.bin "$PWD/x.bin" into/../x.bin; do
    refuses "error: --dump writes two buffers to $other" \
        run body.yaml --dump bodies=x.bin --dump "bodies=$other"
done
refuses "error: --dump writes two buffers to through/x.bin" \
    run body.yaml --dump bodies=into/x.bin --dump bodies=through/x.bin
accepts run body.yaml --dump bodies=x.bin --dump bodies=into/x.bin
cmp -s x.bin into/x.bin && [ -s x.bin ] || complain "one name in two folders is not two files"
rm x.bin
# A pipe or a device stays what it is, and so does a link to one.
mkfifo pipe
ln -s /dev/null device
for other in pipe device; do
    refuses "^$other: error: --dump: this is no regular file" run body.yaml --dump bodies=$other
done
[ -p pipe ] && [ "$(readlink device)" = /dev/null ] || complain "a pipe or a link was replaced"
rm pipe device
refuses "^absent/x.bin: error: --dump: there is no folder absent" run body.yaml --dump bodies=absent/x.bin
refuses "^log: error: .*a folder" run body.yaml --dump bodies=log <<<"$(mkdir -p log)"
refuses "^body.cl: error: .*replaced" run body.yaml --dump bodies=body.cl
refuses "^./body.yaml: error: .*replaced" run body.yaml --dump bodies=./body.yaml
refuses "^missing.bin: error: cannot open" run body.yaml --check bodies=missing.bin
refuses "^body.cl: error: this file has [0-9]+ bytes, buffer 'bodies' 3072" run body.yaml --check bodies=body.cl
refuses "error: --check has two files for buffer 'bodies'" \
    run body.yaml --check bodies=bodies.bin --check bodies=other.bin
refuses "error: --on goes with --check opencl" run body.yaml --on 0:0
refuses "error: .*no_such_device" run body.yaml --check opencl --on no_such_device

# ---- what kernels print ----------------------------------------------------------------------

cat >print.cl <<'END'
__kernel void hello(__global int *a) {
    if (get_local_id(0) == 0)
        printf("block %d of \"%s\"\n", (int)get_group_id(0), "hello");
}
END
accepts run print.cl --global 128 --local 32 --check opencl
[ "$(head -4 "$work/log/out")" = "$(printf 'block %d of "hello"\n' 0 1 2 3)" ] ||
    complain "the kernel's text is not first, or not in the order of blocks"
[ "$(grep -c hello\" "$work/log/out")" -eq 4 ] || complain "the device's text is shown"
accepts run print.cl --global 128 --local 32 --check opencl --json
prints '"printed": "block 0 of \\"hello\\"\\nblock 1'
[ "$(head -c 1 "$work/log/out")" = "{" ] || complain "the object does not come first"

# With standard output closed, what kernels print goes nowhere else.
"$heddle" trace print.cl --global 128 --local 32 -o closed.hdt >&- 2>"$work/log/err"
[ $? -eq 2 ] && grep -q 'cannot write to standard output' "$work/log/err" ||
    complain "with standard output closed: no message"
[ ! -e closed.hdt ] || "$heddle" trace info closed.hdt >/dev/null ||
    complain "with standard output closed: the trace is damaged"
! grep -q 'block 0 of' closed.hdt* || complain "with standard output closed: text in the trace"

# ---- CUDA C ------------------------------------------------------------------------------------

cat >sum.cu <<'END'
#include <cstdio>
__global__ void sum(int *out, const int *in, int n) {
    __shared__ int t[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    t[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        if (threadIdx.x < s)
            t[threadIdx.x] += t[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = t[0];
        printf("block %d: %d\n", blockIdx.x, t[0]);
    }
}
END
cat >sum.yaml <<'END'
kernel: sum.cu
buffers:
  - {name: out, type: int, count: 4}
  - {name: in, type: int, count: 256, init: [{generator: iota}]}
launches:
  - kernel: sum
    blocks: [4]
    threads: [64]
    args: [{name: out, buffer: out}, {name: in, buffer: in}, {name: n, value: 256}]
END
# 2016, 6112, 10208 and 14304.
printf '\340\07\0\0\340\027\0\0\340\047\0\0\340\067\0\0' >sums.bin
accepts run sum.yaml --check out=sums.bin
prints '^block 3: 14304$'
prints '^  sum +1 +4 x 64 '
prints '^Equal to the reference: yes$'
refuses "^sum.cu: error: no OpenCL device runs the kernels of this file" run sum.yaml --check opencl

# ---- the examples read only what they have written ---------------------------------------------

for job in "$source_folder"/examples/*/*-small.yaml; do
    accepts run --uninitialised "$job"
done

# ---- a run that is stopped -------------------------------------------------------------------------

cat >many.yaml <<'END'
kernel: print.cl
buffers: [{name: a, type: int, count: 64}]
launches: [{kernel: hello, global: [64], local: [64], repeat: 1000000000,
            args: [{name: a, buffer: a}]}]
END
: >"$work/log/out" # what is waited for below is not what is there already
"$heddle" run many.yaml --dump a=never.bin >"$work/log/out" 2>"$work/log/err" &
runner=$!
until [ -s "$work/log/out" ]; do
    kill -0 $runner || break
    sleep 0.05
done
kill -TERM $runner
wait $runner
status=$?
[ $status -eq 130 ] || complain "a stopped run: exit status $status, not 130"
grep -Eq '^heddle: warning: stopped by a signal in launch [0-9]+ of 1000000000$' "$work/log/err" ||
    complain "a stopped run: no warning"
tail -9 "$work/log/out" >"$work/log/end"
grep -Eq '^  hello +[0-9.]+[kM]? +1 x 64 ' "$work/log/end" || complain "a stopped run: no table"
[ ! -e never.bin ] || complain "a stopped run writes buffers"

# A full disk, as in test_files.sh.
(
    trap '' XFSZ
    ulimit -f 1
    "$heddle" run body.yaml --dump bodies=limited.bin >"$work/log/out" 2>"$work/log/err"
)
status=$?
[ $status -eq 2 ] || complain "with a limit on files: exit status $status, not 2"
[ "$(grep -c '^limited.bin: error: cannot write' "$work/log/err")" -eq 1 ] ||
    complain "with a limit on files: not one message"
[ -z "$(ls limited* 2>/dev/null)" ] || complain "with a limit on files: left behind $(ls limited*)"
finish
