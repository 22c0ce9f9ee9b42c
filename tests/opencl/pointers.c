/*
 * Shared virtual memory: a kernel with records there, one with records there and in a buffer, one whose
 * struct there points to more of it, and one with buffers alone, between them.
 */
#include "host.h"

enum { COUNT = 512 };

typedef struct {
    int x, y;
    char kind;
} cell;
typedef struct {
    cell *cells;
    int by;
} list;

static const char text[] = "typedef struct { int x, y; char kind; } cell;\n"
                           "__kernel void turn(__global cell *cells) {\n"
                           "    int i = get_global_id(0), x = cells[i].x;\n"
                           "    cells[i].x = cells[i].y;\n"
                           "    cells[i].y = x + cells[i].kind;\n"
                           "}\n"
                           "__kernel void add(__global const cell *from, __global cell *to) {\n"
                           "    int i = get_global_id(0);\n"
                           "    to[i].x += from[i].x;\n"
                           "    to[i].kind ^= from[i].kind;\n"
                           "}\n";
static const char lists[] = "typedef struct { int x, y; char kind; } cell;\n"
                            "typedef struct { __global cell *cells; int by; } list;\n"
                            "__kernel void follow(__global list *l) {\n"
                            "    l->cells[get_global_id(0)].x += l->by;\n"
                            "}\n";

static void map(void *at, size_t bytes, cl_map_flags how) {
    check(clEnqueueSVMMap(queue, CL_TRUE, how, at, bytes, 0, NULL, NULL), "map");
}

static void unmap(void *at) { check(clEnqueueSVMUnmap(queue, at, 0, NULL, NULL), "unmap"); }

int main(void) {
    static cell cells[COUNT];
    begin(0);
    cell *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof cells, 0);
    list *head = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof *head, 0);
    if (!shared || !head) {
        printf("no shared virtual memory\n");
        return 0;
    }
    cl_program program = built(text, "-cl-std=CL3.0");
    cl_kernel turn = kernel_of(program, "turn"), add = kernel_of(program, "add"),
              follow = kernel_of(built(lists, "-cl-std=CL3.0"), "follow");
    for (int i = 0; i < COUNT; i++)
        cells[i] = (cell){.x = i, .y = 3 * i, .kind = (char)i};
    map(shared, sizeof cells, CL_MAP_WRITE);
    memcpy(shared, cells, sizeof cells);
    unmap(shared);
    map(head, sizeof *head, CL_MAP_WRITE);
    *head = (list){shared, 7};
    unmap(head);
    cl_mem buffer = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof cells, cells);

    check(clSetKernelArgSVMPointer(turn, 0, shared), "pointer");
    run(turn, COUNT, 64);
    check(clSetKernelArgSVMPointer(add, 0, shared), "pointer");
    set_memory(add, 1, buffer);
    run(add, COUNT, 64);
    set_memory(turn, 0, buffer); /* the same kernel, with a buffer now */
    run(turn, COUNT, 64);
    run(add, COUNT, 64);
    set_memory(add, 0, buffer);
    check(clSetKernelArgSVMPointer(add, 1, shared + COUNT / 2), "pointer");
    run(add, COUNT / 2, 64);
    const void *used[] = {shared};
    check(clSetKernelArgSVMPointer(follow, 0, head), "pointer");
    check(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof used, used), "info");
    run(follow, COUNT, 64);
    /* Memory of the program's own behind a buffer. */
    cl_mem behind = memory(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof cells, shared);
    set_memory(turn, 0, behind);
    run(turn, COUNT, 64);

    tell_memory("buffer", buffer, sizeof cells);
    tell_memory("behind", behind, sizeof cells);
    clReleaseMemObject(behind);
    check(clFinish(queue), "finish");
    map(shared, sizeof cells, CL_MAP_READ);
    tell("shared", shared, sizeof cells);
    unmap(shared);
    check(clFinish(queue), "finish");
    clSVMFree(context, shared);
    clSVMFree(context, head);
    return 0;
}
