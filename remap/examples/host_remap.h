/*
 * What the remapped versions of the case studies have beside host.h: the checks of the library's
 * calls, which any program needs in some form, and two devices for work that is shared.
 */
#ifndef HEDDLE_EXAMPLES_HOST_REMAP_H
#define HEDDLE_EXAMPLES_HOST_REMAP_H

#include "../../examples/host.h"

#include <heddle/remap.h>
#include <time.h>

static inline void host_say(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "%s\n", message->text);
}

static const hd_diag host_diag = {host_say, NULL};

/* The library has said what is wrong. */
static inline void host_ok(hd_status status) {
    if (status != HD_OK)
        exit(2);
}

/* Seconds of a clock. */
static inline double host_clock(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline hd_remap_device *host_remap_open(const host *h) {
    hd_remap_device *device;
    host_ok(hd_remap_open_opencl(&host_diag, h->context, h->device, &device));
    return device;
}

/* Memory for a map's side of the device. */
static inline hd_remap_memory host_remap_memory(host *h, const hd_remap *map) {
    cl_int error;
    hd_remap_memory memory = {.opencl = clCreateBuffer(h->context, CL_MEM_READ_WRITE,
                                                       hd_remap_bytes(map, 0), NULL, &error)};
    host_check(error, "memory for remapped data");
    return memory;
}

/* A processor and a GPU; where there are not both, the first device in two halves, or, where it
 * cannot be split, twice. Release them with clReleaseDevice(). */
static inline void host_two_devices(cl_device_id devices[2]) {
    static const cl_device_type types[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU};
    cl_platform_id platforms[16];
    cl_uint count = 0, units = 1;
    bool found[2] = {false, false};
    host_check(clGetPlatformIDs(16, platforms, &count), "no OpenCL platform");
    for (cl_uint p = 0; p < count && p < 16; p++)
        for (int d = 0; d < 2; d++)
            if (!found[d])
                found[d] =
                    clGetDeviceIDs(platforms[p], types[d], 1, &devices[d], NULL) == CL_SUCCESS;
    if (found[0] && found[1])
        return;
    cl_device_id first = host_device();
    host_check(clGetDeviceInfo(first, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
               "number of compute units");
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, units - units / 2,
                                                   units / 2,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    if (units < 2 || clCreateSubDevices(first, halves, 2, devices, NULL) != CL_SUCCESS)
        devices[0] = devices[1] = first;
}

#endif
