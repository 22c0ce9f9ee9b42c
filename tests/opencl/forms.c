/*
 * Kernels of many forms: one that prints, records in constant memory, one buffer given twice, a struct by
 * value, work-groups of a size that the kernel asks for, local memory, an argument that is no buffer,
 * two and three dimensions, an offset.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "host.h"

enum { COUNT = 512, BLOCK = 32 };

typedef struct {
    int x, y;
    unsigned char kind;
} cell;
typedef struct {
    short by[3];
    char sign;
    int last;
} jump;

static const char text[] =
    "typedef struct { int x, y; uchar kind; } cell;\n"
    "typedef struct { short by[3]; char sign; int last; } jump;\n"
    "__kernel void look_up(__constant cell *table, __global cell *cells) {\n"
    "    int i = get_global_id(0);\n"
    "    cells[i].x += table[i % 16].y;\n"
    "    cells[i].kind ^= table[cells[i].kind % 16].kind;\n"
    "}\n"
    "__kernel void twice(__global cell *a, __global const cell *b, __global cell *c) {\n"
    "    int i = get_global_id(0), t = b[i].y;\n"
    "    a[i].x += t;\n"
    "    c[i].y = t * 3;\n"
    "}\n"
    "__kernel void leap(__global cell *cells, jump j) {\n"
    "    int i = get_global_id(0);\n"
    "    cells[i].x += j.by[i % 3] * j.sign;\n"
    "    cells[i].y -= j.last;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))\n"
    "void turn(__global cell *cells) {\n"
    "    __local int part[BLOCK];\n"
    "    int i = get_global_id(0), l = get_local_id(0);\n"
    "    part[l] = cells[i].x;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    cells[i].x = part[BLOCK - 1 - l];\n"
    "}\n"
    "__kernel void shift(__global cell *cells, __local cell *part, __local uchar *kinds) {\n"
    "    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);\n"
    "    part[l] = cells[i];\n"
    "    kinds[l] = cells[i].kind;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    cells[i].y = part[(l + 1) % n].y;\n"
    "    cells[i].kind = kinds[(l + 3) % n];\n"
    "}\n"
    "__kernel void if_any(__global cell *cells, __global const int *more) {\n"
    "    int i = get_global_id(0);\n"
    "    cells[i].x += more ? more[i] : 1000;\n"
    "}\n"
    "__kernel void plane(__global cell *cells, int width) {\n"
    "    int i = get_global_id(1) * width + get_global_id(0);\n"
    "    cells[i].x = cells[i].x * 3 + get_global_id(1);\n"
    "    cells[i].y ^= get_group_id(0) + 4 * get_group_id(1);\n"
    "}\n"
    "__kernel void space(__global cell *cells) {\n"
    "    int i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) "
    "+\n"
    "            get_global_id(0);\n"
    "    cells[i].kind += get_global_id(2);\n"
    "    cells[i].x -= get_local_id(1);\n"
    "}\n";

static const char printing[] =
    "typedef struct { int x, y; uchar kind; } cell;\n"
    "__kernel void show(__global const cell *cells, int at) {\n"
    "    if (get_global_id(0) == at)\n"
    "        printf(\"cell %d: %d %d %d\\n\", at, cells[at].x, cells[at].y, cells[at].kind);\n"
    "}\n";

static cl_program program;
static cl_mem cells, table;

static void show(int at) {
    cl_kernel kernel = kernel_of(built(printing, NULL), "show");
    set_memory(kernel, 0, cells);
    set_int(kernel, 1, at);
    run(kernel, COUNT, BLOCK);
    check(clFinish(queue), "finish");
}

static void launch(const char *name, cl_kernel kernel, cl_uint dims, const size_t *offset,
                   const size_t *global, const size_t *local) {
    check(clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, 0, NULL, NULL), name);
    tell_memory(name, cells, COUNT * sizeof(cell));
}

static void one_dimension(void) {
    const size_t all = COUNT, block = BLOCK;
    cl_kernel look_up = kernel_of(program, "look_up"), twice = kernel_of(program, "twice"),
              leap = kernel_of(program, "leap"), turn = kernel_of(program, "turn"),
              shift = kernel_of(program, "shift"), if_any = kernel_of(program, "if_any");
    set_memory(look_up, 0, table);
    set_memory(look_up, 1, cells);
    launch("look up", look_up, 1, NULL, &all, NULL);
    for (cl_uint i = 0; i < 3; i++)
        set_memory(twice, i, cells);
    launch("twice", twice, 1, NULL, &all, &block);
    jump j;
    memset(&j, 0, sizeof j);
    j = (jump){{1, -2, 300}, -3, 70000};
    check(clSetKernelArg(leap, 1, sizeof j, &j), "argument");
    set_memory(leap, 0, cells);
    launch("leap", leap, 1, NULL, &all, NULL);
    set_memory(turn, 0, cells);
    /* Some drivers take the size from the kernel, others want it. */
    if (!clEnqueueNDRangeKernel(queue, turn, 1, NULL, &all, NULL, 0, NULL, NULL))
        printf("the driver takes the size\n");
    launch("turn", turn, 1, NULL, &all, &block);
    set_memory(shift, 0, cells);
    check(clSetKernelArg(shift, 1, BLOCK * sizeof(cell), NULL), "local");
    check(clSetKernelArg(shift, 2, BLOCK, NULL), "local");
    launch("shift", shift, 1, NULL, &all, &block);
    set_memory(if_any, 0, cells);
    set_memory(if_any, 1, NULL);
    launch("none", if_any, 1, NULL, &all, &block);
    check(clSetKernelArg(if_any, 1, sizeof(cl_mem), NULL), "argument");
    launch("none", if_any, 1, NULL, &all, &block);
    set_memory(if_any, 1, table);
    const size_t few = 16;
    launch("some", if_any, 1, NULL, &few, &few);
}

static void more_dimensions(void) {
    const size_t flat[] = {8, 12}, at[] = {4, 16}, block[] = {4, 3}, deep[] = {4, 8, 16},
                 small[] = {2, 4, 2};
    cl_kernel plane = kernel_of(program, "plane"), space = kernel_of(program, "space");
    set_memory(plane, 0, cells);
    set_int(plane, 1, 16);
    launch("plane", plane, 2, NULL, flat, block);
    launch("plane", plane, 2, at, flat, block);
    launch("plane", plane, 2, at, flat, NULL);
    set_memory(space, 0, cells);
    launch("space", space, 3, NULL, deep, small);
    check(clEnqueueTask(queue, space, 0, NULL, NULL), "task");
    tell_memory("task", cells, COUNT * sizeof(cell));
}

int main(void) {
    static cell values[COUNT];
    begin(0);
    program = built(text, "-DBLOCK=32");
    memset(values, 0, sizeof values);
    for (int i = 0; i < COUNT; i++) {
        values[i].x = i * 7;
        values[i].y = 1 << i % 20;
        values[i].kind = (unsigned char)(i * 11);
    }
    cells = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values, values);
    table = memory(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 16 * sizeof *values, values + 100);
    show(5);
    one_dimension();
    show(6);
    more_dimensions();
    show(COUNT - 1);
    return 0;
}
