/* What the programs of this folder have alike: a device with its context and queue, and kernels. */
#ifndef TESTS_OPENCL_HOST_H
#define TESTS_OPENCL_HOST_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static inline void check(cl_int error, const char *what) {
    if (!error)
        return;
    fprintf(stderr, "%s: %d\n", what, error);
    exit(2);
}

static inline void begin(cl_command_queue_properties how) {
    cl_platform_id platform;
    cl_int e;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    check(e, "context");
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, how, 0};
    queue = clCreateCommandQueueWithProperties(context, device, properties, &e);
    check(e, "queue");
}

static inline cl_program built(const char *text, const char *options) {
    cl_int e;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    check(e, "program");
    e = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (e) {
        static char log[10000];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(e, "build");
    return program;
}

static inline cl_kernel kernel_of(cl_program program, const char *name) {
    cl_int e;
    cl_kernel kernel = clCreateKernel(program, name, &e);
    check(e, name);
    return kernel;
}

static inline cl_mem memory(cl_mem_flags flags, size_t bytes, void *host) {
    cl_int e;
    cl_mem made = clCreateBuffer(context, flags, bytes, host, &e);
    check(e, "buffer");
    return made;
}

static inline void set_memory(cl_kernel kernel, cl_uint index, cl_mem given) {
    check(clSetKernelArg(kernel, index, sizeof given, &given), "argument");
}

static inline void set_int(cl_kernel kernel, cl_uint index, cl_int given) {
    check(clSetKernelArg(kernel, index, sizeof given, &given), "argument");
}

static inline void run(cl_kernel kernel, size_t threads, size_t block) {
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &threads, block ? &block : NULL, 0, NULL,
                                 NULL),
          "launch");
}

/* One line: what it is of, and a sum of the bytes. */
static inline void tell(const char *what, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    unsigned sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum * 31 + at[i];
    printf("%s %08x\n", what, sum);
    fflush(stdout);
}

static inline void tell_memory(const char *what, cl_mem of, size_t bytes) {
    void *copy = malloc(bytes);
    check(clEnqueueReadBuffer(queue, of, CL_TRUE, 0, bytes, copy, 0, NULL, NULL), "read");
    tell(what, copy, bytes);
    free(copy);
}

#endif
