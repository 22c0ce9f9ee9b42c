#include "shared/opencl.h"

unsigned find_opencl_devices(cl_device_id *ids, unsigned room) {
    enum { PLATFORMS = 16 };
    cl_platform_id platforms[PLATFORMS];
    cl_uint platform_count = 0, count;
    unsigned found = 0;
    if (clGetPlatformIDs(PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    for (cl_uint p = 0; p < platform_count && p < PLATFORMS && found < room; p++)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, room - found, ids + found, &count) ==
            CL_SUCCESS)
            found += count < room - found ? count : room - found;
    return found;
}
