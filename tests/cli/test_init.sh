# heddle init: jobs from kernel files, what is read from host code, and what is guessed.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >whole.cu <<'END_OF_FILE'
struct body { float x, y; int id; };

__global__ void move(body *bodies, const float *speed, int n, float time) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].x += time * speed[i];
}
__global__ void plane(float *a, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * width + x] = 1;
}
__global__ void unused(int *a, int n) { a[threadIdx.x] = n; }
__global__ void alone(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
}
template <class T> __global__ void fill(T *a, T value) { a[threadIdx.x] = value; }

#define SIDE 32
static int divide(int a, int b) { return (a + b - 1) / b; }

struct simulation {
    body *bodies;
    float *speed;
    int n;
    explicit simulation(int count) : n(count) {
        cudaMalloc((void **)&bodies, n * sizeof(body));
        cudaMalloc(&speed, sizeof(float) * n);
    }
    void step(float time) {
        int threads = 128;
        move<<<divide(n, threads), threads>>>(bodies, speed, n, time);
    }
};

template <class K, class... A> static void launch(K kernel, int blocks, A... arguments) {
    kernel<<<blocks, 64>>>(arguments...);
}
#define LAUNCH(kernel, n, ...)                             \
    do {                                                   \
        kernel<<<((n) + 127) / 128, 128>>>(__VA_ARGS__); \
    } while (0)

static void allocate(double **to, size_t count) { cudaMalloc(to, count * sizeof **to); }

int main(int argc, char **argv) {
    int n = 1000;
    if (argc > 1)
        n = argc;
    simulation s(n);
    for (int i = 0; i < 5; i++)
        s.step(0.5f);
    float *image;
    dim3 threads(16, 8);
    dim3 blocks(SIDE / threads.x, SIDE / threads.y);
    cudaMalloc(&image, SIDE * SIDE * sizeof *image);
    plane<<<blocks, threads>>>(image, SIDE);
    double *values;
    allocate(&values, 1 << 6);
    fill<double><<<1, 64>>>(values, 2.5);
    launch(alone, 2, (int *)image, 128);
    LAUNCH(alone, 512, (int *)values, 64);
    return 0;
}
END_OF_FILE

accepts init whole.cu
prints '^record: body$'
prints '# whole.cu:[0-9]+: move<<<divide\(n, threads\), threads>>>'
prints '^  # whole.cu:[0-9]+: a loop$'
prints '^  - repeat: 5$'
prints '^        blocks: \[8\]$'
prints '^        threads: \[128\]$'
prints 'name: n, value: 1000}$'
prints 'name: time, value: 0.5}$'
prints '^    blocks: \[2, 4\]$'
prints '^    threads: \[16, 8\]$'
prints 'kernel: "fill<double>"'
prints 'name: value, value: 2.5}$'
prints '# whole.cu:[0-9]+: no launch was found; the sizes are a guess'
prints '# whole.cu:[0-9]+: kernel<<<blocks, 64>>>.arguments...'
prints '# whole.cu:[0-9]+: LAUNCH.alone, 512, .int ..values, 64.;$'
prints '^    blocks: \[4\]$'
grep -A2 'name: bodies$' "$work/log/out" | grep -q 'count: 1000' || complain "bodies has other elements"
grep -A2 'name: image$' "$work/log/out" | grep -q 'count: 1024' || complain "image has other elements"
grep -A2 'name: values$' "$work/log/out" | grep -q 'count: 64' || complain "values has other elements"

# What was written loads and runs, also from another folder.
accepts init -o whole.yaml whole.cu
accepts advise --accesses whole.yaml
accepts run whole.yaml
mkdir elsewhere
accepts init -o elsewhere/job.yaml whole.cu
accepts run elsewhere/job.yaml

# A job that is there stays, unless it is said.
refuses 'whole.yaml: error: this file is there already' init -o whole.yaml whole.cu
accepts init --force -o whole.yaml whole.cu
accepts init --json whole.cu
fits init

# OpenCL C has no host code: sizes that the kernel requires, or guesses.
cat >two.cl <<'END_OF_FILE'
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void required(__global int *a) {
    a[get_global_id(0)] = 1;
}
__kernel void guessed(__global int *a, __local int *part, int n) {
    part[get_local_id(0)] = n;
    a[get_global_id(0)] = part[get_local_id(0)];
}
END_OF_FILE
accepts init -o two.yaml two.cl
grep -q 'the local size required' two.yaml || complain "nothing says that the size is required"
grep -q 'local: \[32\]' two.yaml || complain "the required size is not there"
accepts run two.yaml

# What cannot be.
refuses 'nothing.cu: error: ' init nothing.cu
refuses 'two.yaml: error: this is no kernel file' init two.yaml
echo 'int main() { return 0; }' >host.cu
refuses 'host.cu: error: no kernel in this file' init host.cu
printf '__global__ void k(int *a) {\n    *a = nowhere;\n}\n' >bad.cu
refuses 'bad.cu:2:10: error: ' init bad.cu

# Every example gives a job that loads.
for file in "$source_folder"/examples/{vectoradd/vectoradd.cl,nbody/nbody.cl,nbody/nbody.cu}; do
    accepts init --force -o example.yaml "$file"
    accepts advise --accesses example.yaml
done

# Advice is of all kernels of a file, with sizes from its host code or from flags.
cat >cells.cu <<'END_OF_FILE'
struct cell { float a, b, c, d; };
__global__ void first(cell *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i].a += 1;
}
__global__ void second(cell *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i].b = cells[i].c;
}
int main() {
    const int n = 65536;
    cell *cells;
    cudaMalloc(&cells, n * sizeof(cell));
    for (int i = 0; i < 10; i++)
        first<<<n / 256, 256>>>(cells, n);
    second<<<n / 256, 256>>>(cells, n);
}
END_OF_FILE
accepts advise --json cells.cu
fits advise
accepts advise cells.cu
accepts advise --global 8192 --arg n=8192 cells.cu
refuses "'m=3' does not give a scalar argument of any kernel" advise --arg m=3 cells.cu
accepts init cells.cu
prints '^  - repeat: 10$'
# The host code of OpenCL's kernels is in a file of its own: sizes, arguments, local memory and fills,
# through a function that makes buffers, a macro that checks, and a loop.
cat >step.cl <<'END'
typedef struct { float x, y, z, m; } body;
__kernel void scale(__global body *b, const float by, int n) { int i = get_global_id(0); if (i < n) b[i].x *= by; }
__kernel void sum(__global const body *b, __global float *out, __local float *part) {
    int i = get_global_id(0), l = get_local_id(0);
    part[l] = b[i].m; barrier(CLK_LOCAL_MEM_FENCE);
    if (!l) { float s = 0; for (int k = 0; k < get_local_size(0); k++) s += part[k]; out[get_group_id(0)] = s; }
}
__kernel void two(__global float *grid, int w) { grid[get_global_id(1) * w + get_global_id(0)] += 1; }
END
cat >step.c <<'END'
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call) do { cl_int e_ = (call); if (e_ != CL_SUCCESS) { fprintf(stderr, "%d\n", e_); exit(1); } } while (0)
struct context { cl_context ctx; cl_command_queue queue; cl_program program; };
static cl_mem make(struct context *c, size_t bytes) {
    cl_int err;
    cl_mem m = clCreateBuffer(c->ctx, CL_MEM_READ_WRITE, bytes, NULL, &err);
    CHECK(err);
    return m;
}
int main(int argc, char **argv) {
    struct context c;
    const int n = argc > 1 ? atoi(argv[1]) : 4096;
    const size_t local = 128;
    size_t global[1] = {(n + local - 1) / local * local};
    cl_int err;
    cl_mem bodies = make(&c, n * 4 * sizeof(cl_float));
    cl_mem sums = make(&c, n / local * sizeof(cl_float));
    cl_kernel scale = clCreateKernel(c.program, "scale", &err), sum = clCreateKernel(c.program, "sum", &err);
    float by = 0.5f;
    CHECK(clSetKernelArg(scale, 0, sizeof(cl_mem), &bodies));
    CHECK(clSetKernelArg(scale, 1, sizeof by, &by));
    CHECK(clSetKernelArg(scale, 2, sizeof(int), &n));
    CHECK(clSetKernelArg(sum, 0, sizeof(cl_mem), (void *)&bodies));
    CHECK(clSetKernelArg(sum, 1, sizeof(cl_mem), (void *)&sums));
    CHECK(clSetKernelArg(sum, 2, local * sizeof(float), NULL));
    for (int step = 0; step < 10; step++) {
        CHECK(clEnqueueNDRangeKernel(c.queue, scale, 1, NULL, global, &local, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(c.queue, sum, 1, NULL, global, &local, 0, NULL, NULL));
    }
    int w = 64;
    cl_mem grid = clCreateBuffer(c.ctx, CL_MEM_READ_WRITE, w * 32 * 4, NULL, NULL);
    cl_kernel two = clCreateKernel(c.program, "two", NULL);
    cl_float zero = 0;
    clEnqueueFillBuffer(c.queue, grid, &zero, sizeof zero, 0, w * 32 * 4, 0, NULL, NULL);
    clSetKernelArg(two, 0, sizeof grid, &grid); clSetKernelArg(two, 1, sizeof w, &w);
    size_t g2[2], l2[2] = {16, 4};
    g2[0] = w; g2[1] = 32;
    clEnqueueNDRangeKernel(c.queue, two, 2, NULL, g2, l2, 0, NULL, NULL);
    clEnqueueNDRangeKernel(c.queue, two, 2, NULL, g2, NULL, 0, NULL, NULL);
    return 0;
}
END
accepts init --host step.c -o step.yaml step.cl
accepts init --host step.c step.cl
in_one_line -F "name: bodies type: body count: 4096"
in_one_line -F "name: sums type: float count: 32"
in_one_line -F "repeat: 10 launches:"
in_one_line -F "kernel: scale global: [4096] local: [128] args: - {name: b, buffer: bodies} - {name: by, value: 0.5} - {name: n, value: 4096}"
in_one_line -F "kernel: sum global: [4096] local: [128] args: - {name: b, buffer: bodies} - {name: out, buffer: sums} - {name: part, local: 512}"
in_one_line -F "fill: {buffer: grid, value: 0}"
in_one_line -F "kernel: two global: [64, 32] local: [16, 4] args: - {name: grid, buffer: grid} - {name: w, value: 64}"
in_one_line -F "kernel: two global: [64, 32] local: [16, 16]"
accepts run step.yaml
echo '#include "nowhere.h"' >lost.c
refuses "lost.c: error: 'nowhere.h' file not found; --options '-I DIR'" init --host lost.c step.cl
refuses "host goes with a kernel file of OpenCL" init --host step.c cells.cu
finish
