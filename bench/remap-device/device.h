/* Devices that remapping is timed on: two memories, and a copy from one to the other. */
#ifndef HD_BENCH_REMAP_DEVICE_H
#define HD_BENCH_REMAP_DEVICE_H

#include "heddle/remap.h"

typedef struct bench_device {
    char name[256];
    hd_remap_device *remap;
    hd_remap_memory host_side, device_side; /* of `bytes` bytes, and of twice as many */
    uint64_t bytes;
    bool (*copy)(struct bench_device *device, uint64_t bytes); /* host_side to device_side */
    void (*close)(struct bench_device *device);
    void *own;
} bench_device;

/* Device number `n` of those that there are: every OpenCL device, then the first of CUDA. False:
 * there are no more. One that cannot be used has a NULL `remap`; a message said why. */
bool bench_open_device(const hd_diag *diag, unsigned n, uint64_t bytes, bench_device *device);

#endif
