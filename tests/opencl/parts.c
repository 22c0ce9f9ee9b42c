/*
 * Arrays of records in parts of one buffer, and what else touches them between kernels: maps for reading,
 * writing and both, rectangles, fills, copies from one buffer of records to another, memory of the host's own.
 */
#include "host.h"

enum { COUNT = 1024, PARTS = 4, EACH = COUNT / PARTS };

typedef struct {
    short a;
    int b;
    char c[5];
} row; /* 16 bytes, 3 of them no field's */

static const char text[] =
    "typedef struct { short a; int b; char c[5]; } row;\n"
    "__kernel void change(__global row *rows, int by) {\n"
    "    int i = get_global_id(0);\n"
    "    rows[i].a += by;\n"
    "    rows[i].b = rows[i].b * 3 + rows[i].a;\n"
    "    rows[i].c[i % 5] ^= by;\n"
    "}\n"
    "__kernel void blend(__global const row *from, __global row *to) {\n"
    "    int i = get_global_id(0);\n"
    "    to[i].b += from[i].b;\n"
    "    to[i].c[2] = from[i].c[4];\n"
    "}\n"
    "__kernel void bytes(__global uchar *all) { all[get_global_id(0) * 7] += 1; }\n";

static cl_mem part_of(cl_mem whole, size_t from, size_t count) {
    const cl_buffer_region region = {from * sizeof(row), count * sizeof(row)};
    cl_int e;
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
    check(e, "part");
    return part;
}

static void change(cl_kernel kernel, cl_mem rows, int by, size_t count) {
    set_memory(kernel, 0, rows);
    set_int(kernel, 1, by);
    run(kernel, count, 0);
}

static row *map(cl_mem of, cl_map_flags how, size_t from, size_t count) {
    cl_int e;
    row *at = clEnqueueMapBuffer(queue, of, CL_TRUE, how, from * sizeof(row), count * sizeof(row),
                                 0, NULL, NULL, &e);
    check(e, "map");
    return at;
}

static void unmap(cl_mem of, void *at) {
    check(clEnqueueUnmapMemObject(queue, of, at, 0, NULL, NULL), "unmap");
}

static void maps(cl_kernel kernel, cl_mem of) {
    row *at = map(of, CL_MAP_READ, 10, 100);
    tell("read", at, 100 * sizeof *at);
    unmap(of, at);
    change(kernel, of, 5, COUNT);
    at = map(of, CL_MAP_WRITE, 64, 64);
    for (int i = 0; i < 64; i += 3)
        at[i].b = i;
    change(kernel, of, 0, 32); /* while the host has another part */
    unmap(of, at);
    change(kernel, of, 6, COUNT);
    at = map(of, CL_MAP_WRITE_INVALIDATE_REGION, 512, 128);
    for (size_t i = 0; i < 128 * sizeof *at; i++)
        ((char *)at)[i] = (char)i;
    unmap(of, at);
    change(kernel, of, 7, COUNT);
    at = map(of, CL_MAP_WRITE_INVALIDATE_REGION, 0, COUNT);
    for (size_t i = 0; i < COUNT * sizeof *at; i++)
        ((char *)at)[i] = (char)(i * 7);
    unmap(of, at);
    change(kernel, of, 8, COUNT);
    tell_memory("maps", of, COUNT * sizeof(row));
}

/* Columns of rows: bytes 2 to 9 of 20 records. */
static void rectangles(cl_kernel kernel, cl_mem of, cl_mem to) {
    const size_t at[] = {2, 30, 0}, host_at[] = {0, 0, 0}, region[] = {8, 20, 1};
    char columns[8 * 20];
    check(clEnqueueReadBufferRect(queue, of, CL_TRUE, at, host_at, region, sizeof(row), 0, 8, 0,
                                  columns, 0, NULL, NULL),
          "read columns");
    tell("columns", columns, sizeof columns);
    for (size_t i = 0; i < sizeof columns; i++)
        columns[i] = (char)(columns[i] + 1);
    change(kernel, of, 9, COUNT);
    check(clEnqueueWriteBufferRect(queue, of, CL_TRUE, at, host_at, region, sizeof(row), 0, 8, 0,
                                   columns, 0, NULL, NULL),
          "write columns");
    change(kernel, of, 1, COUNT);
    check(clEnqueueCopyBufferRect(queue, of, to, at, at, region, sizeof(row), 0, sizeof(row), 0, 0,
                                  NULL, NULL),
          "copy columns");
    change(kernel, to, 2, COUNT);
    tell_memory("of", of, COUNT * sizeof(row));
    tell_memory("to", to, COUNT * sizeof(row));
}

static void fills_and_copies(cl_kernel kernel, cl_kernel blend, cl_mem of, cl_mem to) {
    const cl_short pattern = 0x1234;
    check(clEnqueueFillBuffer(queue, of, &pattern, sizeof pattern, 40 * sizeof(row),
                              9 * sizeof(row) + 2, 0, NULL, NULL),
          "fill");
    change(kernel, of, 3, COUNT);
    check(clEnqueueCopyBuffer(queue, of, to, 100 * sizeof(row), 7, 50 * sizeof(row) + 5, 0, NULL,
                              NULL),
          "copy");
    set_memory(blend, 0, of);
    set_memory(blend, 1, to);
    run(blend, COUNT, 64);
    check(clEnqueueCopyBuffer(queue, to, to, 0, COUNT / 2 * sizeof(row), COUNT / 2 * sizeof(row), 0,
                              NULL, NULL),
          "copy");
    run(blend, COUNT, 64);
    check(clEnqueueCopyBuffer(queue, to, of, 0, 0, COUNT * sizeof(row), 0, NULL, NULL), "copy");
    change(kernel, of, 4, COUNT - 1);
    tell_memory("filled", of, COUNT * sizeof(row));
    tell_memory("copied", to, COUNT * sizeof(row));
}

/* Parts of one buffer, two of which overlap, each as records of its own. */
static void parts(cl_kernel kernel, cl_kernel blend, cl_kernel bytes, cl_mem whole) {
    cl_mem each[PARTS], middle = part_of(whole, EACH / 2, EACH);
    for (int p = 0; p < PARTS; p++)
        each[p] = part_of(whole, (size_t)p * EACH, EACH);
    for (int p = 0; p < PARTS; p++)
        change(kernel, each[p], p, EACH);
    change(kernel, middle, 11, EACH);
    change(kernel, each[0], 12, EACH);
    set_memory(blend, 0, each[1]);
    set_memory(blend, 1, each[3]);
    run(blend, EACH, 32);
    change(kernel, whole, 13, COUNT);
    set_memory(blend, 0, each[0]);
    set_memory(blend, 1, middle); /* the same memory in two places */
    run(blend, EACH / 2, 32);
    change(kernel, each[2], 14, EACH);
    set_memory(bytes, 0, whole);
    run(bytes, COUNT, 0);
    change(kernel, each[3], 15, EACH);
    row *at = map(each[3], CL_MAP_READ | CL_MAP_WRITE, 1, 5);
    tell("part", at, 5 * sizeof *at);
    at[2].b = 99;
    unmap(each[3], at);
    change(kernel, each[3], 16, EACH);
    tell_memory("third", each[2], EACH * sizeof(row));
    clReleaseMemObject(middle);
    for (int p = 0; p < PARTS; p++)
        clReleaseMemObject(each[p]);
    tell_memory("whole", whole, COUNT * sizeof(row));
}

int main(void) {
    static row rows[COUNT], own[COUNT];
    begin(0);
    cl_program program = built(text, NULL);
    cl_kernel kernel = kernel_of(program, "change"), blend = kernel_of(program, "blend"),
              bytes = kernel_of(program, "bytes");
    for (size_t i = 0; i < sizeof rows; i++)
        ((char *)rows)[i] = (char)(i * i + i / 100);
    memcpy(own, rows, sizeof own);
    cl_mem of = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof rows, rows),
           to = memory(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                       sizeof rows, rows),
           hosts = memory(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof own, own);
    change(kernel, of, 1, COUNT);
    maps(kernel, of);
    rectangles(kernel, of, to);
    fills_and_copies(kernel, blend, of, to);
    parts(kernel, blend, bytes, of);
    change(kernel, hosts, 21, COUNT);
    set_memory(blend, 0, hosts);
    set_memory(blend, 1, to);
    run(blend, COUNT, 64);
    row *at = map(hosts, CL_MAP_READ | CL_MAP_WRITE, 0, COUNT);
    tell("hosts", own, sizeof own);
    own[3].b = 1;
    unmap(hosts, at);
    set_memory(blend, 0, to);
    set_memory(blend, 1, hosts);
    run(blend, COUNT, 64);
    tell_memory("hosts", hosts, sizeof own);
    tell_memory("to", to, sizeof own);
    return 0;
}
