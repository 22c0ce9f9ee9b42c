/*
 * Two devices in one context, each with a queue: kernels go back and forth between them over one buffer of
 * records, sometimes over its halves side by side. A launch of no threads is there, too.
 */
#include "host.h"

enum { COUNT = 1024, ROUNDS = 6 };

typedef struct {
    int x, y;
    short kind;
} cell; /* 12 bytes, 2 of them no field's */

static const char text[] = "typedef struct { int x, y; short kind; } cell;\n"
                           "__kernel void move(__global cell *cells, int by) {\n"
                           "    int i = get_global_id(0);\n"
                           "    cells[i].x += by;\n"
                           "    cells[i].y ^= cells[i].x;\n"
                           "    cells[i].kind = cells[i].y >> 3;\n"
                           "}\n";

static cl_command_queue queues[2];

static void launch(int at, cl_kernel kernel, cl_mem of, int by, size_t threads) {
    queue = queues[at];
    set_memory(kernel, 0, of);
    set_int(kernel, 1, by);
    run(kernel, threads, 0);
}

int main(void) {
    static cell cells[COUNT];
    cl_platform_id platform;
    cl_device_id devices[2];
    cl_uint count = 0;
    cl_int e;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count), "device");
    if (count < 2) {
        printf("one device\n");
        return 0;
    }
    context = clCreateContext(NULL, 2, devices, NULL, NULL, &e);
    check(e, "context");
    for (int d = 0; d < 2; d++) {
        queues[d] = clCreateCommandQueueWithProperties(context, devices[d], NULL, &e);
        check(e, "queue");
    }
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &e);
    check(e, "program");
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "build");
    cl_kernel kernel = kernel_of(program, "move");
    for (int i = 0; i < COUNT; i++)
        cells[i] = (cell){.x = i, .y = 7 * i, .kind = (short)i};
    cl_mem all = memory(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof cells, cells), half[2];
    for (size_t h = 0; h < 2; h++) {
        const cl_buffer_region region = {h * sizeof cells / 2, sizeof cells / 2};
        half[h] = clCreateSubBuffer(all, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
        check(e, "part");
    }
    for (int r = 0; r < ROUNDS; r++) {
        launch(r % 2, kernel, all, r, COUNT);
        check(clFinish(queue), "finish");
        for (int h = 0; h < 2; h++)
            launch(h, kernel, half[h], 3 * r + h, COUNT / 2);
        for (int h = 0; h < 2; h++)
            check(clFinish(queues[h]), "finish");
        if (r % 3 == 2)
            tell_memory("round", all, sizeof cells);
    }
    const size_t none = 0;
    e = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &none, NULL, 0, NULL, NULL);
    printf("no threads: %s\n", e ? "an error" : "nothing");
    tell_memory("all", all, sizeof cells);
    return 0;
}
