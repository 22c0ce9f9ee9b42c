/* Devices that benchmarks run on. */
#ifndef HD_BENCH_SHARED_DEVICES_H
#define HD_BENCH_SHARED_DEVICES_H

#include "driver/compute.h"

/* Number `n` of those that there are: every OpenCL device, then the first of CUDA. NULL: there are
 * no more, or it cannot be opened, which is told on standard error. Close it with its api. */
hd_compute *open_device(hd_arena *arena, unsigned n);

#endif
