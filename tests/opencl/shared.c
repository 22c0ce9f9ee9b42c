/* A kernel's argument is a buffer, and then shared virtual memory; it prints what is in both afterwards. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };

static void check(cl_int error, const char *what) {
    if (!error)
        return;
    fprintf(stderr, "%s: %d\n", what, error);
    exit(2);
}

int main(void) {
    const char *text = "__kernel void add(__global int *v, int n) { v[get_global_id(0)] += n; }\n";
    const size_t global = N;
    const int zero = 0;
    int n = 3, value;
    cl_platform_id platform;
    cl_device_id device;
    cl_int e;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &e);
    check(e, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel add = clCreateKernel(program, "add", &e);
    cl_mem buffer = clCreateBuffer(context, 0, N * sizeof(int), NULL, &e);
    check(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, N * sizeof(int), 0, NULL, NULL), "fill");
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, N * sizeof(int), 0);
    if (!shared)
        check(1, "no shared memory");
    check(clEnqueueSVMMemFill(queue, shared, &zero, 4, N * sizeof(int), 0, NULL, NULL), "fill");
    check(clSetKernelArg(add, 0, sizeof buffer, &buffer), "argument");
    check(clSetKernelArg(add, 1, sizeof n, &n), "argument");
    check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL), "launch");
    check(clSetKernelArgSVMPointer(add, 0, shared), "argument");
    n = 4;
    check(clSetKernelArg(add, 1, sizeof n, &n), "argument");
    check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL), "read");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, N * sizeof(int), 0, NULL, NULL),
          "map");
    printf("%d %d\n", value, shared[N - 1]);
    check(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL), "unmap");
    check(clFinish(queue), "finish");
    clSVMFree(context, shared);
    return 0;
}
