# Kernels that go wrong on the machine: one message at the place in the kernel, with the
# threads and the memory that it is about, and no file.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# faults LINE:COLUMN PATTERN ARGUMENTS...: the kernel k.cl on standard input is refused by
# `run`, at that place, with the line and a caret below; every third by `trace` in the same words.
fault=0
faults() {
    local at=$1 pattern=$2
    shift 2
    cat >k.cl
    refuses "^k.cl:$at: error: .*$pattern" run k.cl "$@"
    says '^ +\^$'
    fault=$((fault + 1))
    [ $((fault % 3)) -eq 0 ] || return 0
    cp "$work/log/err" "$work/log/first"
    refuses "^k.cl:$at: error: .*$pattern" trace k.cl "$@" -o k.hdt
    cmp -s "$work/log/err" "$work/log/first" || complain "run and trace say different things"
}

# ---- global memory --------------------------------------------------------------------

faults '2:27' "'out'" --global 128 --local 32 --count 100 <<'END'
__kernel void small(__global float *out) {
    out[get_global_id(0)] = 1;
}
END
says 'thread 4 of block 3$' 'at byte 400 of' 'has 400 bytes \(100 elements of 4\)'
faults '2:[0-9]+' "'in'" --global 64 --local 64 --count 100 --arg back=3 <<'END'
__kernel void below(__global const int *in, __global int *out, int back) {
    out[get_global_id(0)] = in[(int)get_global_id(0) - back];
}
END
says 'at byte -12 of' 'thread 0 of block 0$'
faults '2:[0-9]+' 'misaligned' --global 64 --local 64 --arg by=1 <<'END'
__kernel void crooked(__global char *q, int by) {
    *(__global int *)(q + get_local_id(0) % 2 * by) = 1;
}
END
says "at byte 1 of 'q'" 'multiple of 4' 'thread 1 of block 0$'
faults '3:[0-9]+' 'null pointer' --global 64 --local 64 --arg n=0 <<'END'
__kernel void null(__global int *p, ulong n) {
    __global int *q = (__global int *)n;
    *q = p[0];
}
END
faults '3:[0-9]+' 'constant' --global 64 --local 64 <<'END'
__constant int table[64] = {1, 2, 3};
__kernel void frozen(__global int *out) {
    ((__global int *)(ulong)table)[get_global_id(0)] = out[0];
    out[1] = table[get_global_id(0)];
}
END
says "'table'" 'only be read'

# ---- local and private memory -----------------------------------------------------------

faults '3:[0-9]+' "'tile'" --global 64 --local 64 <<'END'
__kernel void beyond(__global int *out, int n) {
    __local int tile[64];
    tile[get_local_id(0) + n] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[0];
}
END
says 'thread 0 of block 0$' 'at byte 256 of' 'has 256 bytes'
faults '5:[0-9]+' "'own'|private" --global 64 --local 64 --arg n=7 <<'END'
__kernel void stack(__global int *out, int n) {
    int own[4];
    for (int i = 0; i < 4; i++)
        own[i] = out[i];
    own[n] = 1;
    out[get_global_id(0)] = own[n & 3];
}
END
cat >large.cl <<'END'
__kernel void large(__global float *out) {
    __local float tile[20000];
    tile[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[0];
}
END
refuses "^large.cl.*: error: .*80000.*65536.*--local-memory|error: .*80000" run large.cl
refuses "error: .*80000" trace large.cl -o k.hdt
accepts run large.cl --global 256 --local-memory 80000
refuses "error: .*80000 bytes.*79999" run large.cl --local-memory 79999

# ---- threads ------------------------------------------------------------------------------

faults '3:[0-9]+' 'barrier' --global 128 --local 64 <<'END'
__kernel void some(__global int *out) {
    if (get_local_id(0) < 40)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
END
says '40\b.*64\b|24\b' 'block 0\b'
faults '[0-9]+:[0-9]+' '100000' --global 64 --local 64 --max-instructions 100000 <<'END'
__kernel void endless(__global volatile int *flag) {
    while (flag[0] != 12345)
        flag[1] = 0;
}
END
says 'max-instructions|instructions'

# ---- what is checked on request -------------------------------------------------------------

cat >race.cl <<'END'
__kernel void race(__global int *out) {
    __local int t[64];
    t[get_local_id(0)] = get_local_id(0);
    out[get_global_id(0)] = t[63 - get_local_id(0)];
}
END
accepts run race.cl --global 64 --local 64
# races COUNT PATTERN ARGUMENTS: so many pairs of lines race; the run goes on, and ends with 2.
races() {
    local count=$1 pattern=$2
    shift 2
    call run "$@" --races
    [ "$status" -eq 2 ] || complain "heddle run $*: exit status $status, not 2"
    [ "$(grep -c 'error: race: ' "$work/log/err")" -eq "$count" ] ||
        complain "heddle run $*: not $count races"
    says "$pattern"
    prints '^Executed by 1 worker$'
}
races 1 '^race.cl:4:[0-9]+: error: race: ' race.cl --global 64 --local 64
says "'t'" 'thread'
sed 's/^    out/    barrier(CLK_LOCAL_MEM_FENCE);\n    out/' race.cl >orderly.cl
accepts run orderly.cl --global 128 --local 64 --races
cat >blocks.cl <<'END'
__kernel void blocks(__global int *out) {
    if (get_local_id(0) == 0)
        out[0] = get_group_id(0);
}
END
accepts run blocks.cl --global 64 --local 64 --races
races 1 '^blocks.cl:3:[0-9]+: error: race' blocks.cl --global 128 --local 64

# All pairs of lines, each once; the same value from several threads is a note; what may race.
cat >several.cl <<'END'
#include "bins.h"
__kernel void several(__global int *out, __global int *flag, __global int *bins, int n) {
    __local int tile[64];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = i;
    out[i] = tile[63 - l];
    flag[0] = 1;
    if (i % 3 == 0)
        flag[0] = 1;
    count(bins, i);
    if (i > 60)
        flag[1] = i;
}
END
echo 'void count(__global int *bins, int i) { bins[i % 7]++; }' >bins.h
sizes=(--global 128 --local 64)
races 3 '^several.cl:6:[0-9]+: error: race: this reads byte 252 .* has written at line 5 with' \
    several.cl "${sizes[@]}" --dump out=never.bin
says '^bins.h:1:[0-9]+: error: race: ' '^several.cl:12:[0-9]+: error: race: ' \
    '^several.cl:9:[0-9]+: note: this stores .* of .flag. the value that .* has stored at line 7 '
[ "$(grep -c 'note: ' "$work/log/err")" -eq 3 ] || complain "not three notes"
[ ! -e never.bin ] || complain "a run with races writes buffers"
races 2 '^bins.h:1:' several.cl "${sizes[@]}" --allow-race 5
races 1 '^bins.h:1:' several.cl "${sizes[@]}" --allow-race 6 --allow-race several.cl:12
call run several.cl "${sizes[@]}" --races --allow-race 6 --allow-race 12 --allow-race bins.h:1
[ "$status" -eq 0 ] || complain "races that are all allowed: exit status $status, not 0"
says 'several.cl:9:[0-9]+: note: '
accepts run several.cl "${sizes[@]}" --races --allow-race 6 --allow-race 12 --allow-race bins.h:1 \
    --allow-race 7 --allow-race 9
refuses "no kernel of this job accesses memory at several.cl:3" run several.cl --races --allow-race 3
refuses "no kernel of this job accesses memory at ins.h:1" run several.cl --races \
    --allow-race ins.h:1
refuses "error: --allow-race goes with --races" run several.cl --allow-race 7
refuses "error: --allow-race takes a line" run several.cl --races --allow-race bins.h
call run several.cl "${sizes[@]}" --races --json
[ "$status" -eq 2 ] || complain "races as JSON: exit status $status, not 2"
[ "$(grep -c '"fault": true' "$work/log/out")" -eq 3 ] || complain "JSON: not three faults"
[ "$(grep -c '"fault": false' "$work/log/out")" -eq 3 ] || complain "JSON: not three notes"
cat >fresh.cl <<'END'
__kernel void fresh(__global int *out) {
    __local int t[64];
    if (get_local_id(0) < 63)
        t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[get_local_id(0)];
}
END
accepts run fresh.cl --global 64 --local 64
refuses '^fresh.cl:6:[0-9]+: error: ' run fresh.cl --global 64 --local 64 --uninitialised
says "byte 252 of 't'" 'thread 63 of block 0$'

# ---- before anything runs ---------------------------------------------------------------------

cat >odd.cl <<'END'
__kernel void odd(__global uint *out) {
    out[0] = 1;
    out[get_global_id(0)] = bitfield_extract_unsigned(out[1], 3u, 4u);
}
END
refuses "^odd.cl:3:29: error: .*bitfield_extract_unsigned" run odd.cl --options -cl-std=CL3.0
says '^ +\^$'
refuses "^odd.cl:3:29: error: .*bitfield_extract_unsigned" trace odd.cl --options -cl-std=CL3.0 -o k.hdt
cat >cycles.cl <<'END'
__kernel void cycles(__global ulong *out) {
    out[get_global_id(0)] = __builtin_readcyclecounter();
}
END
refuses "^cycles.cl:2:29: error: .*not supported" run cycles.cl
cat >image.cl <<'END'
__kernel void image(__read_only image2d_msaa_t from, __global float4 *out) {
    out[0] = 0;
}
END
refuses "^image.cl:[12]:[0-9]+: error: images of several samples" run image.cl

# changed SED-COMMAND: bad.yaml is body.yaml, changed.
changed() {
    sed -e "$1" body.yaml >bad.yaml
    ! cmp -s body.yaml bad.yaml || complain "'$1' changes nothing"
}
changed '/name: dt/d'
refuses "^bad.yaml:[0-9]+:[0-9]+: error: .*'dt'" run bad.yaml
refuses "^bad.yaml:[0-9]+:[0-9]+: error: .*'dt'" trace bad.yaml -o k.hdt
changed 's/type: body/type: float/; s/^record.*//; /field/d; s/init:/init: [{generator: iota}]/'
refuses "^bad.yaml:[0-9]+:[0-9]+: error: .*12 bytes" run bad.yaml
changed 's/value: 0.5/value: "0.5, 1"/'
refuses "^bad.yaml:[0-9]+:[0-9]+: error: .*0.5, 1" run bad.yaml
changed 's/local: \[64\]/local: [48]/'
refuses "^bad.yaml:[0-9]+:[0-9]+: error: .*48" run bad.yaml
refuses "error: .*48" run body.cl --global 256 --local 48
refuses "error: --workers takes at most 1024" run body.yaml --workers 1025

# ---- generic pointers -----------------------------------------------------------------------

# cuda_faults NAME PATTERN...: the kernel on standard input ends so.
cuda_faults() {
    cat >k.cu
    CUDA_PATH='' refuses "$1" run k.cu --global 1024 --local 64
    shift
    says "$@"
}

# Which of the two a thread uses only it knows; far beyond both the buffer is still named.
cuda_faults "^k.cu:2:[0-9]+: error: load of 4 bytes at byte 8192 of buffer 'b' \(index 1024\)" \
    'which has 8192 bytes \(1024 elements of 8\); thread 0 of block 0$' <<'END'
struct node { float v; int next; };
__device__ float get(const node *p, int i) { return p[i].v; }
__global__ void k(node *a, node *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const node *p = i % 2 ? a : b;
    out[i] = get(p, i + n);
}
END
cuda_faults "error: store of 4 bytes at byte 400000 of buffer 'a' \(index 100000\)" <<'END'
__global__ void k(float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *p = a + i;
    for (int j = 0; j < n; j++) {
        *p = b[i];
        p += 100000;
    }
}
END
cuda_faults "error: store of 4 bytes at byte 400 of local memory 't' \(index 100\)" <<'END'
__global__ void k(float *a, int n) {
    __shared__ float t[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *p = n > 5 ? t : a;
    p[(size_t)i * 100] = 1;
    a[i] = t[i % 64];
}
END
faults '2:[0-9]+' "at byte 800000000 of buffer 'a' \(index 200000000\)" \
    --options -cl-std=CL2.0 --global 1024 --local 64 <<'END'
float at(float *p, int i) {
    return p[i];
}
__kernel void k(__global float *a, __global float *out) {
    __local float t[64];
    t[get_local_id(0)] = 1;
    int i = get_local_id(0);
    out[get_global_id(0)] = at(i < 3 ? (float *)t : (float *)a, i < 3 ? 0 : 200000000);
}
END
faults '2:[0-9]+' "at byte 4000000 of buffer 'a' \(index 1000000\)" --global 64 <<'END'
__kernel void k(__global float *a) {
    a[get_global_id(0) * 1000000] = 1;
}
END

# ---- sizes that a kernel asks for ---------------------------------------------------------

faults '5:[0-9]+' 'kernel k has variables of 10737418[0-9]+ bytes' --global 64 --local 64 <<'END'
__kernel void k(__global float *out, int n) {
    float small[4] = {0, 1, 2, 3};
    float large[1 << 28];
    int i = get_global_id(0);
    large[(i + n) % n] = i;
    out[i] = large[n - i] + small[i % 4];
}
END
says 'in a block of 64 threads each may have 8388608; put the array here into a buffer'
faults '4:[0-9]+' 'in a block of 1024 threads each may have 524288' --global 1024 --local 1024 <<'END'
__kernel void k(__global float *out, int n) {
    float large[200000];
    int i = get_global_id(0);
    large[(i + n) % n] = i;
    out[i] = large[n - i];
}
END
accepts run k.cl --global 64 --local 64 # a block of 64 threads has room for it
faults '3:[0-9]+' 'variable table has 1099511627776 bytes, and variables of a file may have' <<'END'
__constant float table[1ul << 38] = {1, 2};
__kernel void k(__global float *out) {
    out[get_global_id(0)] = table[get_global_id(0)];
}
END
faults '2:[0-9]+' "'b' of type struct big \(1073741824 bytes\) is too large to be given" <<'END'
struct big { float v[1 << 28]; };
__kernel void k(__global float *out, struct big b) {
    out[get_global_id(0)] = b.v[get_global_id(0)];
}
END
faults '1:15' 'needs 1099511627776 bytes of local memory' <<'END'
__kernel void k(__global float *out) {
    __local char t[1ul << 40];
    t[get_local_id(0)] = 1;
    barrier(1);
    out[get_global_id(0)] = t[63 - get_local_id(0)];
}
END

# A block prints more than there is memory; what the sanitizers reserve goes beyond any limit.
if ! grep -q __asan_init "$heddle"; then
    cat >talks.cl <<'END'
__kernel void talks(__global float *out) {
    for (int i = 0; i < 50000; i++)
        printf("%4000d\n", i);
}
END
    (
        ulimit -v 600000
        "$heddle" run talks.cl --global 1 2>"$work/log/err" | grep -cE '^ *[0-9]+$' >"$work/log/out"
        [ "${PIPESTATUS[0]}" -eq 0 ]
    ) || complain "with a kernel that prints 200 MB: exit status not 0"
    [ "$(cat "$work/log/out")" -eq 50000 ] || complain "not all that a kernel printed"
    (
        ulimit -v 600000
        "$heddle" run talks.cl --global 1 --json >"$work/log/out" 2>"$work/log/err"
    ) || complain "with a kernel that prints 200 MB, as JSON: exit status not 0"
    says '^heddle: warning: of what kernels printed the first 16 MiB are kept$'
    : >"$work/log/out"
    cat >wide.cl <<'END'
__kernel void wide(__global char *a) { a[get_global_id(0)] = 1; }
END
    (
        ulimit -v 1500000
        "$heddle" run wide.cl --global 64 --count 50000000 --races >"$work/log/out" 2>"$work/log/err"
    )
    [ $? -eq 2 ] || complain "with races in a buffer too large to watch: exit status not 2"
    says "error: the system has no memory to watch 'a' for races"
fi
finish
