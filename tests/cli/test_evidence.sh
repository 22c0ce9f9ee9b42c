# No verdict without evidence of its own case: launches as the host code has them, records that no
# thread touches, and what Heddle has made up.
source "$(dirname "$0")/lib.sh"

# told EXPRESSION: of the JSON `j` that the call before has printed
told() { python3 -c "import json, sys; j = json.load(sys.stdin); print($1)" <"$work/log/out"; }

cat >stencil.cu <<'END_OF_FILE'
#include <cuda_runtime.h>
struct cell { float u, v, rhs, mask, sx, sy; };

__global__ void diffuse(const cell *in, cell *out, int nx, int ny, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int i = y * nx + x;
    out[i].u = in[i].u + k * (in[i - 1].u + in[i + 1].u + in[i - nx].u + in[i + nx].u - 4 * in[i].u);
}

int main() {
    const int nx = 512, ny = 256;
    cell *a, *b;
    cudaMalloc(&a, nx * ny * sizeof(cell));
    cudaMalloc(&b, nx * ny * sizeof(cell));
    dim3 threads(32, 8), blocks((nx + 31) / 32, (ny + 7) / 8);
    for (int step = 0; step < 10; step++) {
        diffuse<<<blocks, threads>>>(a, b, nx, ny, 0.1f);
        cell *t = a;
        a = b;
        b = t;
    }
    cudaDeviceSynchronize();
}
END_OF_FILE

# ---- the launches of the host code, also of a file with one kernel -------------------------------

accepts advise --json stencil.cu
[ "$(told 'j["kind"], j["devices"][0]["best"]["notation"], j["devices"][0]["ratio"] < 0.3')" = 'take soa True' ] ||
    complain 'empty stencil: another verdict'
accepts advise stencil.cu
prints '^Verdict for h200: take soa, '
grep -q 'sizes by default' "$work/log/out" && complain 'sizes of the host code are called defaults'
accepts init -o stencil.yaml stencil.cu
# requests FILE OPTIONS: that its warps make to the record
requests() { accepts advise --json "$@" && told 'int(j["why"]["before"]["requests"])'; }
once=$(requests stencil.cu)
[ "$(requests stencil.yaml)" = $((5 * once)) ] || complain 'ten steps are not five times the two that swap pointers'
[ "$(requests stencil.cu --global 64,64 --local 16,16 --arg nx=64 --arg ny=64)" -lt $((once / 10)) ] ||
    complain 'sizes that are given do not count'

# Without host code as many dimensions as the kernel asks for, and arrays of that size.
sed '/^int main/,$d; /#include/d' stencil.cu >kernel.cu
accepts advise kernel.cu
prints '^Verdict for h200: take soa, .*sizes by default'
accepts advise --accesses kernel.cu
prints 'diffuse .*global 256,256'

# ---- members of a struct by value that bound the threads --------------------------------------------

cat >lattice.cu <<'END_OF_FILE'
struct site { float f[9]; float rho; };
struct params { float omega; int nx, ny; };

__global__ void collide(site *lattice, params p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.nx * p.ny)
        return;
    float rho = 0;
    for (int k = 0; k < 9; k++)
        rho += lattice[i].f[k];
    for (int k = 0; k < 9; k++)
        lattice[i].f[k] += p.omega * (rho / 9 - lattice[i].f[k]);
    lattice[i].rho = rho;
}
END_OF_FILE
accepts init -o lattice.yaml lattice.cu
grep -qx '      - {name: p, value: "1, 64, 64", guess: value} # a guess' lattice.yaml ||
    complain "a lattice of other sizes: $(grep 'name: p,' lattice.yaml)"
accepts advise --json lattice.yaml
[ "$(told 'j["kind"], j["evidence"]["touching"], j["evidence"]["threads"]')" = 'take 4096.0 4096.0' ] ||
    complain 'lattice: not all threads run'

# ---- what is made up is named ---------------------------------------------------------------------------

[ "$(told 'j["evidence"]["made_up"], sorted({g["kind"] for g in j["basis"]["guesses"]})')" = \
    "True ['contents', 'count', 'sizes', 'value']" ] || complain 'made-up contents are not named'
[ "$(told '[g["text"] for g in j["basis"]["guesses"] if g["kind"] == "contents"]')" = \
    "[\"contents of 'lattice' made up\"]" ] || complain 'the buffer is not named'
call advise --json lattice.yaml
fits advise
accepts advise lattice.yaml
prints '^Verdict for h200: take .*on made-up contents of lattice'
sed 's/^    guess: "count, contents"$//; s/, guess: value//; /^    guess: sizes$/d' lattice.yaml >known.yaml
accepts advise --json known.yaml
[ "$(told 'j["evidence"]["made_up"], j["basis"]["guesses"]')" = 'False []' ] || complain 'what is known is called made up'
sed 's/guess: sizes/guess: contents/' lattice.yaml >wrong.yaml
refuses "wrong.yaml:[0-9:]* error: 'guess: contents' is none of what may be a guess here: sizes" advise wrong.yaml

# ---- no thread, or hardly one --------------------------------------------------------------------------------

# unknown JOB THREADS: it cannot be told, with the reason, and nothing is written
unknown() {
    accepts advise --json "$1"
    [ "$(told 'j["kind"], j["command"], j["devices"][0]["leave"]')" = 'cannot tell None False' ] ||
        complain "$1: a verdict of something"
    accepts advise "$1"
    prints "^Verdict for h200: cannot tell: $2 a site; "
    grep -q 'leave it as it is' "$work/log/out" && complain "$1: leave it"
    call advise --apply made "$1"
    [ ! -e made ] || complain "$1: something is written"
}
sed 's/"1, 64, 64", guess: value/"1, 1, 1"/' lattice.yaml >one.yaml
unknown one.yaml 'only 1 of 4096 threads touch'
sed 's/"1, 64, 64", guess: value/"1, 0, 64", guess: value/' lattice.yaml >zero.yaml
unknown zero.yaml 'none of 4096 threads touches'
prints 'p of collide .*guessed; correct that in zero.yaml'
cat >never.yaml <<'END_OF_FILE'
kernel: kernel.cu
buffers: [{name: a, type: cell, count: 65536}, {name: b, type: cell, count: 65536}]
launches:
  - kernel: diffuse
    blocks: [256]
    threads: [256]
    args: [{name: in, buffer: a}, {name: out, buffer: b}, {name: nx, value: 256}, {name: ny, value: 256}, {name: k, value: 1}]
END_OF_FILE
accepts advise never.yaml
prints '^Verdict for h200: cannot tell: none of 65536 threads touches a cell; .*all of it follows from the source'
sed 's/blocks: \[256\]/blocks: [16, 16]/; s/threads: \[256\]/threads: [16, 16]/' never.yaml >all.yaml
accepts advise all.yaml
prints '^Verdict for h200: take soa'

# ---- what was checked ---------------------------------------------------------------------------------------------

accepts apply --layout soa --out checked stencil.cu
prints '^cell as soa: .*, checked on the machine$'
prints '^  checked: [0-9.]+ MiB of what kernels write, equal after [0-9.]+M accesses$'
call apply --json --layout soa --out again one.yaml
fits apply
[ "$(told 'j["verified"], j["compared_bytes"], 0 < j["checked_accesses"] < 100')" = 'True 163840 True' ] ||
    complain 'JSON does not say how much was checked'
call apply --layout soa --out empty zero.yaml
prints '^site as soa: .*, not checked$'
grep -q 'zero.yaml: warning: nothing was checked: ' "$work/log/err" || complain 'zero accesses: no warning'
call apply --json --layout soa --out nothing zero.yaml
[ "$(told 'j["verified"], j["compared_bytes"], j["checked_accesses"]')" = 'False 0 0' ] ||
    complain 'zero accesses are a check'

# A comparison that fails goes on through all launches, and says how far off it is.
cat >more.cu <<'END_OF_FILE'
__global__ void more(float *a) { a[threadIdx.x] += 1; }
END_OF_FILE
python3 -c '
import struct
for n in (1, 2, 3):
    values = [float(n)] * 64
    if n > 1:
        values[n] += 0.25 * n
        values[n + 1] += 0.125
    open(f"after{n}", "wb").write(struct.pack("64f", *values))'
cat >more.yaml <<'END_OF_FILE'
kernel: more.cu
buffers: [{name: a, type: float, count: 64}]
launches:
  - {kernel: more, blocks: [1], threads: [64], args: [{name: a, buffer: a}], after: [{buffer: a, file: after1}]}
  - {kernel: more, blocks: [1], threads: [64], args: [{name: a, buffer: a}], after: [{buffer: a, file: after2}]}
  - {kernel: more, blocks: [1], threads: [64], args: [{name: a, buffer: a}], after: [{buffer: a, file: after3}]}
END_OF_FILE
call run --check expected more.yaml
[ "$status" -eq 1 ] || complain "a comparison that fails: exit status $status"
for text in "launch 2 (more) leaves in buffer 'a' .*; the largest difference is 0.5, in 'a\[2\]'" \
    "launch 3 (more) leaves in buffer 'a' .*; the largest difference is 0.75, in 'a\[3\]'" \
    'more.yaml: .*2 of 3 launches leave what is not expected; the largest difference is 0.75, in a\[3\] after launch 3 (more)'; do
    grep -q "$text" "$work/log/err" || complain "no word of it: $text"
done
grep -q 'launch 1' "$work/log/err" && complain 'the first launch is as expected'
printf '\0\0\0\0%.0s' {1..64} >zeros
call run --check a=zeros more.yaml
grep -q "64 of 64 values differ, by at most 3, in 'a\[0\]'" "$work/log/err" || complain 'no largest difference'

# ---- jobs of heddle init run --------------------------------------------------------------------------------------

# Indices that are made up cover what they index; the verdict says where their locality decides.
cat >gather.cu <<'END_OF_FILE'
struct particle { float x, y, z, w; int tag; float rest[3]; };

__global__ void sum(const particle *p, const int *order, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int j = order[i];
    out[i] = p[j].x + p[j].y + p[j].z;
}
END_OF_FILE
accepts init -o gather.yaml gather.cu
grep -qx '      - {generator: uniform, low: 0, high: 4095, seed: 2}' gather.yaml || complain 'indices of another range'
accepts run gather.yaml
accepts advise gather.yaml
prints 'on made-up contents of p and order, .*of indices one after another it would be to take '
sed 's/generator: uniform, low: 0, high: 4095, seed: 2/generator: iota/; s/guess: "count, contents"/guess: count/' gather.yaml >near.yaml
accepts advise near.yaml
grep -q 'it would be' "$work/log/out" && complain 'indices that are known are called made up'

# A count that is a guess grows until the kernels run.
cat >wide.cu <<'END_OF_FILE'
struct cell { float a, b; };
__global__ void pairs(const cell *cells, float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sums[i] = cells[2 * i].a + cells[2 * i + 1].b;
}
END_OF_FILE
accepts init -o wide.yaml wide.cu
grep -A1 'so many that the kernels run' wide.yaml | grep -q 'name: cells' || complain 'the count has not grown'
accepts run wide.yaml

# What cannot be mended is said.
cat >broken.cu <<'END_OF_FILE'
struct cell { float a, b; };
__global__ void broken(cell *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cells[i - 1000000000].a = n;
}
END_OF_FILE
call init -o broken.yaml broken.cu
[ "$status" -eq 0 ] || complain 'a job that faults is not written'
grep -q "broken.cu: warning: the job does not run as it is: store of 4 bytes" "$work/log/err" || complain 'no warning'
grep -q '^# It does not run as it is: store of 4 bytes' broken.yaml || complain 'no comment'
finish
