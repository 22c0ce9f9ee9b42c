/* OpenCL devices that benchmarks run on. */
#ifndef HD_BENCH_SHARED_OPENCL_H
#define HD_BENCH_SHARED_OPENCL_H

#include <CL/cl.h>

/* Those of all platforms, `room` at most; returns how many. */
unsigned find_opencl_devices(cl_device_id *ids, unsigned room);

#endif
