/*
 * What is used of OpenCL by the remap library, which is linked with no OpenCL: its functions are
 * found when a device is opened.
 */
#ifndef HD_DRIVER_OPENCL_LIBRARY_H
#define HD_DRIVER_OPENCL_LIBRARY_H

#include <CL/cl.h>

#include "base/base.h"

/* X(name here, symbol) */
#define HD_OPENCL_FUNCTIONS(X)                 \
    X(context_info, clGetContextInfo)          \
    X(device_info, clGetDeviceInfo)            \
    X(make_queue, clCreateCommandQueue)        \
    X(release_queue, clReleaseCommandQueue)    \
    X(flush, clFlush)                          \
    X(finish, clFinish)                        \
    X(barrier, clEnqueueBarrierWithWaitList)   \
    X(wait_for_events, clWaitForEvents)        \
    X(release_event, clReleaseEvent)           \
    X(make_buffer, clCreateBuffer)             \
    X(release_memory, clReleaseMemObject)      \
    X(memory_info, clGetMemObjectInfo)         \
    X(write, clEnqueueWriteBuffer)             \
    X(read, clEnqueueReadBuffer)               \
    X(copy, clEnqueueCopyBuffer)               \
    X(map, clEnqueueMapBuffer)                 \
    X(unmap, clEnqueueUnmapMemObject)          \
    X(make_program, clCreateProgramWithSource) \
    X(build, clBuildProgram)                   \
    X(build_info, clGetProgramBuildInfo)       \
    X(release_program, clReleaseProgram)       \
    X(make_kernel, clCreateKernel)             \
    X(release_kernel, clReleaseKernel)         \
    X(set_argument, clSetKernelArg)            \
    X(launch, clEnqueueNDRangeKernel)

typedef struct hd_opencl_library {
#define X(name, symbol) __typeof__(symbol) *name;
    HD_OPENCL_FUNCTIONS(X)
#undef X
} hd_opencl_library;

/* False: *missing says what is missing and how to mend it. */
bool hd_opencl_open(hd_arena *arena, hd_opencl_library *library, const char **missing);

/* "CL_OUT_OF_RESOURCES": OpenCL's own names, since those are what its documentation explains. */
const char *hd_opencl_error(cl_int error);

#endif
