/* The first OpenCL device there is, for tests; PoCL where there is no other. */
#ifndef HD_TESTS_REMAP_OPENCL_H
#define HD_TESTS_REMAP_OPENCL_H

#include <CL/cl.h>
#include <stdbool.h>

typedef struct opencl_device {
    cl_device_id id;
    cl_context context;
} opencl_device;

static inline bool opencl_find(opencl_device *device) {
    cl_platform_id platforms[8];
    cl_uint count = 0;
    device->id = NULL;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
        return false;
    for (cl_uint p = 0; p < count && p < 8 && !device->id; p++)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device->id, NULL) != CL_SUCCESS)
            device->id = NULL;
    if (!device->id)
        return false;
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, NULL);
    return device->context;
}

#endif
