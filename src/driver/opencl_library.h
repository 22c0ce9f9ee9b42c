/*
 * What is used of OpenCL 1.2, and of later versions where they are there. Nothing is linked with
 * it: its functions are found when devices are first asked for.
 */
#ifndef HD_DRIVER_OPENCL_LIBRARY_H
#define HD_DRIVER_OPENCL_LIBRARY_H

#include <CL/cl.h>

#include "base/base.h"

/* X(name here, symbol) */
#define DRIVER_OPENCL_FUNCTIONS(X)             \
    X(get_platforms, clGetPlatformIDs)         \
    X(platform_info, clGetPlatformInfo)        \
    X(get_devices, clGetDeviceIDs)             \
    X(device_info, clGetDeviceInfo)            \
    X(make_context, clCreateContext)           \
    X(context_info, clGetContextInfo)          \
    X(release_context, clReleaseContext)       \
    X(make_queue, clCreateCommandQueue)        \
    X(release_queue, clReleaseCommandQueue)    \
    X(flush, clFlush)                          \
    X(finish, clFinish)                        \
    X(barrier, clEnqueueBarrierWithWaitList)   \
    X(wait_for_events, clWaitForEvents)        \
    X(event_info, clGetEventInfo)              \
    X(event_times, clGetEventProfilingInfo)    \
    X(retain_event, clRetainEvent)             \
    X(release_event, clReleaseEvent)           \
    X(make_buffer, clCreateBuffer)             \
    X(release_memory, clReleaseMemObject)      \
    X(memory_info, clGetMemObjectInfo)         \
    X(write, clEnqueueWriteBuffer)             \
    X(read, clEnqueueReadBuffer)               \
    X(copy, clEnqueueCopyBuffer)               \
    X(make_image, clCreateImage)               \
    X(image_info, clGetImageInfo)              \
    X(write_image, clEnqueueWriteImage)        \
    X(read_image, clEnqueueReadImage)          \
    X(make_sampler, clCreateSampler)           \
    X(release_sampler, clReleaseSampler)       \
    X(map, clEnqueueMapBuffer)                 \
    X(unmap, clEnqueueUnmapMemObject)          \
    X(make_program, clCreateProgramWithSource) \
    X(build, clBuildProgram)                   \
    X(build_info, clGetProgramBuildInfo)       \
    X(release_program, clReleaseProgram)       \
    X(make_kernel, clCreateKernel)             \
    X(kernel_info, clGetKernelWorkGroupInfo)   \
    X(release_kernel, clReleaseKernel)         \
    X(set_argument, clSetKernelArg)            \
    X(launch, clEnqueueNDRangeKernel)

/* Shared virtual memory, which OpenCL has from 2.0 on; NULL where the loader has none of it.
 * X(name here, symbol, result, parameters) */
#define DRIVER_OPENCL_SVM_FUNCTIONS(X)                                                           \
    X(svm_allocate, clSVMAlloc, void *,                                                          \
      (cl_context context, cl_bitfield flags, size_t bytes, cl_uint alignment))                  \
    X(svm_free, clSVMFree, void, (cl_context context, void *memory))                             \
    X(svm_map, clEnqueueSVMMap, cl_int,                                                          \
      (cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *memory, size_t bytes, \
       cl_uint wait_count, const cl_event *waits, cl_event *event))                              \
    X(svm_unmap, clEnqueueSVMUnmap, cl_int,                                                      \
      (cl_command_queue queue, void *memory, cl_uint wait_count, const cl_event *waits,          \
       cl_event *event))                                                                         \
    X(svm_copy, clEnqueueSVMMemcpy, cl_int,                                                      \
      (cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t bytes,       \
       cl_uint wait_count, const cl_event *waits, cl_event *event))                              \
    X(set_svm_argument, clSetKernelArgSVMPointer, cl_int,                                        \
      (cl_kernel kernel, cl_uint number, const void *memory))

enum { /* of cl.h, for targets from 2.0 on */
       DRIVER_OPENCL_SVM_CAPABILITIES = 0x1053,
       DRIVER_OPENCL_SVM_COARSE = 1 << 0,
       DRIVER_OPENCL_SVM_FINE = 1 << 1,
       DRIVER_OPENCL_SVM_FINE_MEMORY = 1 << 10
};

typedef struct driver_opencl_library {
#define X(name, symbol) __typeof__(symbol) *name;
    DRIVER_OPENCL_FUNCTIONS(X)
#undef X
#define X(name, symbol, result, parameters) result(*name) parameters;
    DRIVER_OPENCL_SVM_FUNCTIONS(X)
#undef X
} driver_opencl_library;

/* False: *missing says what is missing and how to mend it. */
bool driver_opencl_open(hd_arena *arena, driver_opencl_library *library, const char **missing);

/* The same of a table of calls that a layer has (CL/cl_icd.h), so that they do not pass through it. */
struct _cl_icd_dispatch;
void driver_opencl_take(const struct _cl_icd_dispatch *calls, driver_opencl_library *library);

/* "CL_OUT_OF_RESOURCES": OpenCL's own names, since those are what its documentation explains. */
const char *driver_opencl_error(cl_int error);

#endif
