/*
 * A little OpenCL host: one device, its entry points loaded at run time (the
 * rewriter's library doesn't link OpenCL).
 */
#ifndef REWRITE_OPENCL_H
#define REWRITE_OPENCL_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include "kit.h"

/* clang-format off */
#define ENTRY_POINTS(X)                                                                         \
    X(clGetPlatformIDs) X(clGetDeviceIDs) X(clCreateContext) X(clCreateCommandQueue)            \
    X(clCreateProgramWithSource) X(clBuildProgram) X(clGetProgramBuildInfo) X(clCreateKernel)   \
    X(clCreateBuffer) X(clSetKernelArg) X(clEnqueueNDRangeKernel) X(clEnqueueReadBuffer)        \
    X(clFinish) X(clReleaseMemObject) X(clReleaseKernel) X(clReleaseProgram)                    \
    X(clReleaseCommandQueue) X(clReleaseContext)
/* clang-format on */

typedef struct opencl {
#define X(name) __typeof__(&name) name;
    ENTRY_POINTS(X)
#undef X
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} opencl;

static inline opencl opencl_open(void) {
    opencl cl = {0};
    cl_platform_id platform;
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    assert_non_null(library);
#define X(name) assert_non_null(*(void **)&cl.name = dlsym(library, #name));
    ENTRY_POINTS(X)
#undef X
    assert_int_equal(cl.clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    assert_int_equal(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &cl.device, NULL),
                     CL_SUCCESS);
    cl.context = cl.clCreateContext(NULL, 1, &cl.device, NULL, NULL, NULL);
    cl.queue = cl.clCreateCommandQueue(cl.context, cl.device, 0, NULL);
    assert_non_null(cl.queue);
    return cl;
}

static inline void opencl_close(opencl *cl) {
    cl->clReleaseCommandQueue(cl->queue);
    cl->clReleaseContext(cl->context);
}

static inline cl_program opencl_build(opencl *cl, const char *text) {
    cl_int status;
    cl_program program = cl->clCreateProgramWithSource(cl->context, 1, &text, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    if (cl->clBuildProgram(program, 1, &cl->device, "", NULL, NULL) != CL_SUCCESS) {
        static char log[16384];
        cl->clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%s\n%s", log, text);
    }
    return program;
}

static inline cl_mem opencl_buffer(opencl *cl, void *bytes, size_t size) {
    cl_int status;
    cl_mem buffer = cl->clCreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                                       bytes, &status);
    assert_int_equal(status, CL_SUCCESS);
    return buffer;
}

/* Reads a buffer back and releases it. */
static inline void opencl_take(opencl *cl, cl_mem buffer, void *bytes, size_t size) {
    assert_int_equal(
        cl->clEnqueueReadBuffer(cl->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL),
        CL_SUCCESS);
    cl->clReleaseMemObject(buffer);
}

#endif
