/*
 * A program whose launches come from calls back, one from the end of the other, while its main thread
 * launches on another queue, and waits for nothing in between.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 1 << 16, TIMES = 20 };

static cl_command_queue queue;
static cl_kernel from_calls;
static int done;

static void check(cl_int error, const char *what) {
    if (!error)
        return;
    fprintf(stderr, "%s: %d\n", what, error);
    exit(2);
}

static void CL_CALLBACK next(cl_event event, cl_int status, void *user) {
    const size_t global = N;
    cl_event ended;
    (void)event, (void)status, (void)user;
    if (__atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST) > TIMES)
        return;
    check(clEnqueueNDRangeKernel(queue, from_calls, 1, NULL, &global, NULL, 0, NULL, &ended),
          "launch from a call back");
    check(clSetEventCallback(ended, CL_COMPLETE, next, NULL), "call back");
    check(clFlush(queue), "flush");
}

int main(void) {
    const char *text = "__kernel void add(__global int *v) { v[get_global_id(0)] += 1; }\n";
    const size_t global = N;
    cl_platform_id platform;
    cl_device_id device;
    cl_int e, zero = 0, sum = 0;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    queue = clCreateCommandQueue(context, device, 0, &e);
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &e);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_mem buffers[2];
    cl_kernel kernels[2];
    for (int i = 0; i < 2; i++) {
        buffers[i] = clCreateBuffer(context, 0, N * sizeof zero, NULL, &e);
        kernels[i] = clCreateKernel(program, "add", &e);
        check(clSetKernelArg(kernels[i], 0, sizeof buffers[i], &buffers[i]), "argument");
        check(clEnqueueFillBuffer(other, buffers[i], &zero, sizeof zero, 0, N * sizeof zero, 0,
                                  NULL, NULL),
              "fill");
    }
    check(clFinish(other), "fill");
    from_calls = kernels[0];
    cl_event first;
    check(clEnqueueMarkerWithWaitList(queue, 0, NULL, &first), "marker");
    check(clSetEventCallback(first, CL_COMPLETE, next, NULL), "call back");
    for (int i = 0; i < TIMES; i++)
        check(clEnqueueNDRangeKernel(other, kernels[1], 1, NULL, &global, NULL, 0, NULL, NULL),
              "launch");
    while (__atomic_load_n(&done, __ATOMIC_SEQ_CST) <= TIMES)
        usleep(1000);
    for (int i = 0; i < 2; i++) {
        cl_int value;
        check(
            clEnqueueReadBuffer(other, buffers[i], CL_TRUE, 4 * (N - 1), 4, &value, 0, NULL, NULL),
            "read");
        sum = 1000 * sum + value;
    }
    printf("%d\n", sum);
    return 0;
}
