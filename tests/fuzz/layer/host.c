#include "fuzz/layer/host.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* Kernels of both kinds: over records, and over the same bytes as numbers. Arithmetic is exact. `cell` has
 * bytes between its fields. */
static const char *const text =
    "typedef struct cell { uchar flags; float x; ushort id; double y; int z; } cell;\n"
    "typedef struct pair { int a; uint b; float c; int d[3]; } pair;\n"
    "kernel void advance(global cell *p, float by, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    p[i].x = (float)(p[i].id & 7) + by; p[i].z += (int)p[i].flags; p[i].flags ^= 3;\n"
    "}\n"
    "kernel void gather(global const cell *p, global int *out, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) out[i] = p[i].z + p[n - 1 - i].id;\n"
    "}\n"
    "kernel void blend(global cell *p, global const pair *q, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) { p[i].z = q[i].a - q[i].d[i % 3]; p[i].y = (double)(q[i].b >> 4); }\n"
    "}\n"
    "kernel void turn(global pair *q, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    q[i].d[i % 3] += q[i].a; q[i].b = q[i].b * 3u + 1u; q[i].c = (float)(q[i].a & 15);\n"
    "}\n"
    "kernel void swap_pairs(global pair *q, global pair *r, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) { pair t = q[i]; q[i] = r[i]; r[i] = t; }\n"
    "}\n"
    "kernel void bytes(global uchar *b, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) b[i] += (uchar)i;\n"
    "}\n"
    "kernel void words(global const uint *from, global uint *to, local uint *l, int n) {\n"
    "    int i = get_global_id(0), j = get_local_id(0);\n"
    "    l[j] = i < n ? from[i] : 0u;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i < n) to[i] += l[j] ^ (uint)i;\n"
    "}\n";

enum { CELL = 32, PAIR = 24, BUFFERS = 6, BIGGEST = 6000, STEPS = 40, BLOCK = 32, KEPT = 256 };
typedef enum kernel_name { STEP, GATHER, MIX, TURN, SWAP, BYTES, WORDS, KERNELS } kernel_name;
static const char *const names[KERNELS] = {"advance",    "gather", "blend", "turn",
                                           "swap_pairs", "bytes",  "words"};

typedef struct buffer {
    cl_mem memory;
    size_t bytes;
    int parent;      /* of a part; -1 */
    bool only_reads; /* the device */
} buffer;

typedef struct host {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue, other; /* other: out of order */
    cl_program program;
    cl_kernel kernels[KERNELS];
    size_t align; /* of parts */
    bool show;
    /* of a program */
    uint64_t random, hash;
    buffer buffers[BUFFERS];
    int count;
    cl_event last;       /* what the next command waits for; NULL: nothing */
    uint8_t *kept[KEPT]; /* memory that commands may use until all is finished */
    size_t kept_bytes[KEPT];
    bool is_read[KEPT];
    int kept_count;
} host;

static void ok(cl_int error, const char *what) {
    if (error) {
        fprintf(stderr, "fuzz_layer: %s: OpenCL error %d\n", what, error);
        exit(3);
    }
}

static uint64_t next(host *h) {
    h->random += 0x9e3779b97f4a7c15u;
    return hd_hash_mix(h->random, 0x1234567);
}
static size_t below(host *h, size_t n) { return n ? next(h) % n : 0; }
static bool one_in(host *h, size_t n) { return below(h, n) == 0; }

static void see(host *h, const void *bytes, size_t count) {
    h->hash = hd_hash_bytes(h->hash, bytes, count);
}

#define SHOW(...)                     \
    do {                              \
        if (h->show) {                \
            printf("  " __VA_ARGS__); \
            putchar('\n');            \
        }                             \
    } while (0)

/* Memory of the host that lives to the end of the program; what was read into it is seen then. */
static uint8_t *keep(host *h, size_t bytes, bool is_read) {
    uint8_t *memory = hd_zeroed(bytes + 1, 1);
    h->kept[h->kept_count] = memory;
    h->kept_bytes[h->kept_count] = bytes;
    h->is_read[h->kept_count++] = is_read;
    for (size_t i = 0; i < bytes && !is_read; i++)
        memory[i] = (uint8_t)next(h);
    return memory;
}

/* ---- the order of commands: either queue, each after the last one --------------------------------------- */

static cl_command_queue some_queue(host *h) { return one_in(h, 3) ? h->other : h->queue; }

static cl_uint waits(const host *h) { return h->last ? 1 : 0; }

static void goes_on(host *h, cl_command_queue queue, cl_event event) {
    if (h->last)
        clReleaseEvent(h->last);
    h->last = event;
    clFlush(queue); /* another queue waits for it */
}

static void finish(host *h) {
    ok(clFinish(h->queue), "clFinish");
    ok(clFinish(h->other), "clFinish");
    if (h->last)
        clReleaseEvent(h->last);
    h->last = NULL;
}

/* ---- commands ------------------------------------------------------------------------------------------------ */

static void write_some(host *h, int b, size_t offset, size_t bytes) {
    cl_event done;
    cl_command_queue queue = some_queue(h);
    const cl_bool blocking = one_in(h, 2);
    SHOW("write b%d %zu+%zu%s", b, offset, bytes, blocking ? " blocking" : "");
    ok(clEnqueueWriteBuffer(queue, h->buffers[b].memory, blocking, offset, bytes,
                            keep(h, bytes, false), waits(h), h->last ? &h->last : NULL, &done),
       "write");
    goes_on(h, queue, done);
}

static void read_some(host *h, int b, size_t offset, size_t bytes) {
    cl_event done;
    cl_command_queue queue = some_queue(h);
    const cl_bool blocking = one_in(h, 2);
    SHOW("read b%d %zu+%zu%s", b, offset, bytes, blocking ? " blocking" : "");
    ok(clEnqueueReadBuffer(queue, h->buffers[b].memory, blocking, offset, bytes,
                           keep(h, bytes, true), waits(h), h->last ? &h->last : NULL, &done),
       "read");
    goes_on(h, queue, done);
}

static void new_buffer(host *h) {
    static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE,     CL_MEM_READ_WRITE,
                                         CL_MEM_READ_ONLY,      CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR};
    if (h->count == BUFFERS)
        return;
    const int at = h->count++;
    buffer *b = &h->buffers[at];
    const cl_mem_flags how = flags[below(h, sizeof flags / sizeof *flags)];
    cl_int error;
    *b = (buffer){
        .parent = -1, .bytes = 256 + below(h, BIGGEST), .only_reads = how == CL_MEM_READ_ONLY};
    const bool from_host = how & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR);
    SHOW("b%d = %zu bytes, flags %lu", at, b->bytes, (unsigned long)how);
    b->memory = clCreateBuffer(h->context, how, b->bytes,
                               from_host ? keep(h, b->bytes, false) : NULL, &error);
    ok(error, "clCreateBuffer");
    if (!from_host)
        write_some(h, at, 0, b->bytes);
}

static void new_part(host *h) {
    const int of = (int)below(h, (size_t)h->count);
    buffer *whole = &h->buffers[of];
    if (h->count == BUFFERS || whole->parent >= 0 || whole->bytes < h->align + 256)
        return;
    const size_t origin = h->align * below(h, (whole->bytes - 200) / h->align);
    const cl_buffer_region region = {origin, 128 + below(h, whole->bytes - origin - 128)};
    cl_int error;
    SHOW("b%d = part of b%d %zu+%zu", h->count, of, region.origin, region.size);
    h->buffers[h->count] =
        (buffer){.parent = of, .bytes = region.size, .only_reads = whole->only_reads};
    h->buffers[h->count].memory =
        clCreateSubBuffer(whole->memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    ok(error, "clCreateSubBuffer");
    h->count++;
}

/* A buffer goes, if nothing is a part of it, and a new one takes its place; its handle may come again. */
static void replace(host *h) {
    const int b = (int)below(h, (size_t)h->count);
    for (int o = 0; o < h->count; o++)
        if (h->buffers[o].parent == b)
            return;
    SHOW("release b%d", b);
    ok(clReleaseMemObject(h->buffers[b].memory), "clReleaseMemObject");
    cl_int error;
    h->buffers[b] = (buffer){.parent = -1, .bytes = 256 + below(h, BIGGEST)};
    h->buffers[b].memory =
        clCreateBuffer(h->context, CL_MEM_READ_WRITE, h->buffers[b].bytes, NULL, &error);
    ok(error, "clCreateBuffer");
    write_some(h, b, 0, h->buffers[b].bytes);
}

static void use_map(host *h, int b, size_t offset, size_t bytes) {
    static const cl_map_flags how[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                       CL_MAP_WRITE_INVALIDATE_REGION};
    const cl_map_flags flags = how[below(h, 4)];
    cl_int error;
    cl_event mapped, done;
    cl_command_queue queue = some_queue(h);
    SHOW("map b%d %zu+%zu flags %lu", b, offset, bytes, (unsigned long)flags);
    uint8_t *at = clEnqueueMapBuffer(queue, h->buffers[b].memory, one_in(h, 2), flags, offset,
                                     bytes, waits(h), h->last ? &h->last : NULL, &mapped, &error);
    ok(error, "clEnqueueMapBuffer");
    ok(clWaitForEvents(1, &mapped), "clWaitForEvents");
    if (flags == CL_MAP_READ || flags == (CL_MAP_READ | CL_MAP_WRITE))
        see(h, at, bytes);
    for (size_t i = 0; i < bytes && flags != CL_MAP_READ; i++)
        if (flags == CL_MAP_WRITE_INVALIDATE_REGION || one_in(h, 5))
            at[i] = (uint8_t)next(h);
    goes_on(h, queue, mapped);
    ok(clEnqueueUnmapMemObject(queue, h->buffers[b].memory, at, 0, NULL, &done), "unmap");
    goes_on(h, queue, done);
}

static bool are_apart(const host *h, int a, int b) {
    const int x = h->buffers[a].parent < 0 ? a : h->buffers[a].parent,
              y = h->buffers[b].parent < 0 ? b : h->buffers[b].parent;
    return x != y;
}

static void copy_some(host *h, int from, int to) {
    const buffer *a = &h->buffers[from], *b = &h->buffers[to];
    const size_t least = a->bytes < b->bytes ? a->bytes : b->bytes;
    cl_event done;
    cl_command_queue queue = some_queue(h);
    if (!are_apart(h, from, to))
        return;
    /* Rows of 8 bytes of every 16; not of parts, which crashes PoCL 3.1. */
    if (one_in(h, 3) && a->parent < 0 && b->parent < 0) {
        const size_t rows = 1 + below(h, least / 16 - 1), region[3] = {8, rows, 1};
        const size_t at[3] = {below(h, 8), 0, 0}, there[3] = {below(h, 8), 0, 0};
        SHOW("copy rows b%d b%d %zu", from, to, rows);
        ok(clEnqueueCopyBufferRect(queue, a->memory, b->memory, at, there, region, 16, 0, 16, 0,
                                   waits(h), h->last ? &h->last : NULL, &done),
           "copy rect");
    } else {
        const size_t bytes = one_in(h, 3) ? least : 1 + below(h, least);
        const size_t at = below(h, a->bytes - bytes + 1), there = below(h, b->bytes - bytes + 1);
        SHOW("copy b%d %zu to b%d %zu, %zu", from, at, to, there, bytes);
        ok(clEnqueueCopyBuffer(queue, a->memory, b->memory, at, there, bytes, waits(h),
                               h->last ? &h->last : NULL, &done),
           "copy");
    }
    goes_on(h, queue, done);
}

static void fill_some(host *h, int b) {
    const size_t sizes[] = {1, 4, 16}, size = sizes[below(h, 3)];
    const size_t units = h->buffers[b].bytes / size,
                 count = one_in(h, 3) ? units : 1 + below(h, units),
                 at = below(h, units - count + 1);
    cl_event done;
    cl_command_queue queue = some_queue(h);
    SHOW("fill b%d %zu+%zu", b, at * size, count * size);
    ok(clEnqueueFillBuffer(queue, h->buffers[b].memory, keep(h, size, false), size, at * size,
                           count * size, waits(h), h->last ? &h->last : NULL, &done),
       "fill");
    goes_on(h, queue, done);
}

static void use_rect(host *h, int b) {
    const size_t rows = 1 + below(h, h->buffers[b].bytes / 20 - 1), region[3] = {11, rows, 1};
    const size_t at[3] = {below(h, 9), 0, 0}, there[3] = {0, 0, 0};
    const bool reads = one_in(h, 2);
    cl_event done;
    cl_command_queue queue = some_queue(h);
    uint8_t *memory = keep(h, 11 * rows, reads);
    SHOW("%s rows b%d %zu", reads ? "read" : "write", b, rows);
    ok(reads
           ? clEnqueueReadBufferRect(queue, h->buffers[b].memory, CL_TRUE, at, there, region, 20, 0,
                                     11, 0, memory, waits(h), h->last ? &h->last : NULL, &done)
           : clEnqueueWriteBufferRect(queue, h->buffers[b].memory, CL_FALSE, at, there, region, 20,
                                      0, 11, 0, memory, waits(h), h->last ? &h->last : NULL, &done),
       "rect");
    goes_on(h, queue, done);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* What the kernel writes must not be another argument's, and no memory that it may only read. */
static void launch(host *h) {
    const kernel_name k = (kernel_name)below(h, KERNELS);
    const int a = (int)below(h, (size_t)h->count), b = (int)below(h, (size_t)h->count);
    const buffer *x = &h->buffers[a], *y = &h->buffers[b];
    const bool two = k == GATHER || k == MIX || k == SWAP || k == WORDS;
    const bool writes_x = k != GATHER && k != WORDS,
               writes_y = k == GATHER || k == SWAP || k == WORDS;
    if ((two && !are_apart(h, a, b)) || (writes_x && x->only_reads) || (writes_y && y->only_reads))
        return;
    const size_t element_x = k == STEP || k == GATHER || k == MIX ? CELL
                             : k == TURN || k == SWAP             ? PAIR
                             : k == BYTES                         ? 1
                                                                  : 4;
    const size_t element_y = k == MIX || k == SWAP ? PAIR : 4;
    size_t n = x->bytes / element_x;
    if (two)
        n = least(n, y->bytes / element_y);
    if (!n)
        return;
    if (one_in(h, 3))
        n = 1 + below(h, n);
    const cl_int number = (cl_int)n;
    const cl_float by = (cl_float)below(h, 9);
    cl_uint at = 0;
    cl_kernel kernel = h->kernels[k];
    ok(clSetKernelArg(kernel, at++, sizeof(cl_mem), &x->memory), "argument");
    if (two)
        ok(clSetKernelArg(kernel, at++, sizeof(cl_mem), &y->memory), "argument");
    if (k == STEP)
        ok(clSetKernelArg(kernel, at++, sizeof by, &by), "argument");
    if (k == WORDS)
        ok(clSetKernelArg(kernel, at++, BLOCK * sizeof(cl_uint), NULL), "argument");
    ok(clSetKernelArg(kernel, at, sizeof number, &number), "argument");
    const size_t block = BLOCK, threads = hd_align_up(n, BLOCK), offset = 0;
    cl_event done;
    cl_command_queue queue = some_queue(h);
    SHOW("launch %s b%d b%d n %zu", names[k], a, two ? b : -1, n);
    ok(clEnqueueNDRangeKernel(queue, kernel, 1, one_in(h, 4) ? &offset : NULL, &threads,
                              k == WORDS || one_in(h, 2) ? &block : NULL, waits(h),
                              h->last ? &h->last : NULL, &done),
       "launch");
    goes_on(h, queue, done);
}

/* All until the event is set waits for it. */
static void hold(host *h) {
    cl_int error;
    finish(h);
    cl_event gate = clCreateUserEvent(h->context, &error);
    ok(error, "clCreateUserEvent");
    SHOW("hold");
    clRetainEvent(gate);
    h->last = gate;
    const size_t count = 1 + below(h, 3);
    for (size_t i = 0; i < count; i++)
        launch(h);
    ok(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    SHOW("go on");
    clReleaseEvent(gate);
}

/* ---- a program ----------------------------------------------------------------------------------------------- */

static void act(host *h) {
    const int b = (int)below(h, (size_t)h->count);
    const size_t size = h->buffers[b].bytes;
    const bool whole = one_in(h, 4);
    const size_t bytes = whole ? size : 1 + below(h, size), offset = below(h, size - bytes + 1);
    switch (below(h, 16)) {
    case 0: new_buffer(h); break;
    case 1: new_part(h); break;
    case 2: write_some(h, b, offset, bytes); break;
    case 3: read_some(h, b, offset, bytes); break;
    case 4: use_map(h, b, offset, bytes); break;
    case 5: copy_some(h, b, (int)below(h, (size_t)h->count)); break;
    case 6: fill_some(h, b); break;
    case 7: use_rect(h, b); break;
    case 8:
        if (one_in(h, 3))
            replace(h);
        break;
    case 9:
        if (one_in(h, 4))
            hold(h);
        break;
    default: launch(h); break;
    }
}

static void run_program(host *h, uint64_t seed) {
    h->random = seed;
    h->hash = HD_HASH_START;
    h->count = h->kept_count = 0;
    new_buffer(h);
    new_buffer(h);
    for (int i = 0; i < STEPS && h->kept_count < KEPT - 16; i++)
        act(h);
    for (int b = 0; b < h->count; b++)
        read_some(h, b, 0, h->buffers[b].bytes);
    finish(h);
    for (int i = 0; i < h->kept_count; i++)
        if (h->is_read[i])
            see(h, h->kept[i], h->kept_bytes[i]);
    for (int b = h->count - 1; b >= 0; b--)
        clReleaseMemObject(h->buffers[b].memory);
    for (int i = 0; i < h->kept_count; i++)
        free(h->kept[i]);
}

static void open_host(host *h) {
    cl_platform_id platform;
    cl_int error;
    cl_uint align = 0;
    ok(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &h->device, NULL), "clGetDeviceIDs");
    h->context = clCreateContext(NULL, 1, &h->device, NULL, NULL, &error);
    ok(error, "clCreateContext");
    h->queue = clCreateCommandQueue(h->context, h->device, 0, &error);
    ok(error, "clCreateCommandQueue");
    h->other =
        clCreateCommandQueue(h->context, h->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    ok(error, "clCreateCommandQueue");
    clGetDeviceInfo(h->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL);
    h->align = align >= 8 ? align / 8 : 1;
    h->program = clCreateProgramWithSource(h->context, 1, (const char **)&text, NULL, &error);
    ok(error, "clCreateProgramWithSource");
    ok(clBuildProgram(h->program, 1, &h->device, NULL, NULL, NULL), "clBuildProgram");
    for (int k = 0; k < KERNELS; k++) {
        h->kernels[k] = clCreateKernel(h->program, names[k], &error);
        ok(error, names[k]);
    }
}

int host_main(uint64_t seed, uint32_t first, uint32_t count, bool show) {
    host *h = hd_zeroed(1, sizeof *h);
    open_host(h);
    h->show = show;
    for (uint32_t i = first; i < first + count; i++) {
        run_program(h, hd_hash_mix(seed, i));
        printf("%u: %016llx\n", i, (unsigned long long)h->hash);
    }
    return 0;
}
