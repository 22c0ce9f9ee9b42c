/* Devices that remapping is timed on. */
#ifndef HD_BENCH_REMAP_DEVICE_H
#define HD_BENCH_REMAP_DEVICE_H

#include "gpu/gpu.h"

/* Device number `n` of those that there are: every OpenCL device, then the first of CUDA. False:
 * there are no more. One that cannot be used has a NULL `remap`; a message said why. */
bool bench_open_device(hd_arena *arena, const hd_diag *diag, unsigned n, uint64_t bytes,
                       hd_gpu_memories *device);
void bench_close_device(hd_gpu_memories *device);

#endif
