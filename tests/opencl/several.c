/*
 * A program with what hosts do: two buffers of records, a part of one, local memory, a struct by value,
 * a size that is left to the driver, an offset, a write between launches, a kernel that is launched with
 * an event of the program's open, and one with an image. Whole numbers alone, so that every device
 * leaves the same bytes.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1024, PART = 256 };

typedef struct {
    int x, y;
    unsigned char kind;
} cell;
typedef struct {
    int by;
    short times;
} jump;

static const char source[] =
    "typedef struct { int x, y; uchar kind; } cell;\n"
    "typedef struct { int by; short times; } jump;\n"
    "__kernel void move(__global cell *p, jump s, int distance) {\n"
    "    int i = get_global_id(0);\n"
    "    p[i].x += s.by * s.times + distance;\n"
    "    p[i].kind ^= FLIP;\n"
    "}\n"
    "__kernel void sum(__global const cell *p, __global int *out, __local int *part) {\n"
    "    int l = get_local_id(0);\n"
    "    part[l] = p[get_global_id(0)].x;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int h = get_local_size(0) / 2; h; h /= 2) {\n"
    "        if (l < h)\n"
    "            part[l] += part[l + h];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (!l)\n"
    "        out[get_group_id(0)] = part[0];\n"
    "}\n"
    "__kernel void add(__global int *v, int n) { v[get_global_id(0)] += n; }\n";
static const char images[] = "__kernel void look(__read_only image2d_t image, __global int *v) {\n"
                             "    v[0] = get_image_width(image);\n"
                             "}\n";

static void check(cl_int error, const char *what) {
    if (!error)
        return;
    fprintf(stderr, "%s: %d\n", what, error);
    exit(2);
}

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int e;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    check(e, "context");
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &e);
    check(e, "queue");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    check(clBuildProgram(program, 1, &device, "-DFLIP=5", NULL, NULL), "build");
    cl_kernel move = clCreateKernel(program, "move", &e), sum = clCreateKernel(program, "sum", &e),
              add = clCreateKernel(program, "add", &e);
    text = images;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "build");
    cl_kernel look = clCreateKernel(program, "look", &e);

    static cell cells[COUNT];
    static int numbers[COUNT];
    memset(cells, 0, sizeof cells);
    for (int i = 0; i < COUNT; i++)
        cells[i] = (cell){i, -i, (unsigned char)i};
    cl_mem p =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof cells, cells, &e);
    check(e, "buffer");
    cl_mem v = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &e);
    check(e, "buffer");
    cl_int zero = 0;
    check(clEnqueueFillBuffer(queue, v, &zero, sizeof zero, 0, sizeof numbers, 0, NULL, NULL),
          "fill");
    const cl_buffer_region region = {PART * sizeof(int), PART * sizeof(int)};
    cl_mem part =
        clCreateSubBuffer(v, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
    check(e, "part");
    check(clFinish(queue), "fill");

    jump s;
    memset(&s, 0, sizeof s);
    s.by = 3;
    s.times = 7;
    int distance = 1, n = 11;
    size_t global = COUNT, some = PART, local = 64, offset = 16, few = PART - 16;
    clSetKernelArg(move, 0, sizeof p, &p);
    clSetKernelArg(move, 1, sizeof s, &s);
    clSetKernelArg(move, 2, sizeof distance, &distance);
    check(clEnqueueNDRangeKernel(queue, move, 1, NULL, &global, NULL, 0, NULL, NULL), "move");
    check(clFinish(queue), "move");
    clSetKernelArg(sum, 0, sizeof p, &p);
    clSetKernelArg(sum, 1, sizeof v, &v);
    clSetKernelArg(sum, 2, local * sizeof(int), NULL);
    check(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &global, &local, 0, NULL, NULL), "sum");
    clSetKernelArg(add, 0, sizeof part, &part);
    clSetKernelArg(add, 1, sizeof n, &n);
    check(clFinish(queue), "sum");
    check(clEnqueueNDRangeKernel(queue, add, 1, &offset, &few, NULL, 0, NULL, NULL), "add");
    check(clFinish(queue), "add");

    cells[5].x = 1000; /* the host writes between launches */
    check(clEnqueueWriteBuffer(queue, p, CL_TRUE, 5 * sizeof(cell), sizeof(cell), &cells[5], 0,
                               NULL, NULL),
          "write");
    check(clEnqueueNDRangeKernel(queue, move, 1, NULL, &global, &local, 0, NULL, NULL), "move");
    check(clFinish(queue), "move");

    cl_event open = clCreateUserEvent(context, &e);
    check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &some, NULL, 1, &open, NULL), "wait");
    check(clSetUserEventStatus(open, CL_COMPLETE), "event");
    check(clFinish(queue), "wait");

    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &e);
    if (!e) {
        size_t one = 1;
        clSetKernelArg(look, 0, sizeof image, &image);
        clSetKernelArg(look, 1, sizeof v, &v);
        check(clEnqueueNDRangeKernel(queue, look, 1, NULL, &one, NULL, 0, NULL, NULL), "look");
        check(clFinish(queue), "look");
    }

    check(clEnqueueReadBuffer(queue, p, CL_TRUE, 0, sizeof cells, cells, 0, NULL, NULL), "read");
    check(clEnqueueReadBuffer(queue, v, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL),
          "read");
    unsigned hash = 0;
    for (int i = 0; i < COUNT; i++)
        hash = hash * 31 + (unsigned)(cells[i].x * 7 + cells[i].y + cells[i].kind + numbers[i]);
    printf("%u\n", hash);
    return 0;
}
