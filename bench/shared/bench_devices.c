#include "shared/bench_devices.h"

#include <stdio.h>

hd_compute *open_device(hd_arena *arena, unsigned n) {
    const char *missing, *error;
    uint32_t opencl_count, cuda_count;
    hd_compute *gpu = NULL;
    const hd_compute_device *opencl = hd_compute_opencl.list(arena, &opencl_count, &missing);
    if (n < opencl_count) {
        error = hd_compute_opencl.open(arena, opencl[n].id, &gpu);
    } else {
        hd_compute_cuda.list(arena, &cuda_count, &missing);
        if (n > opencl_count || !cuda_count)
            return NULL;
        error = hd_compute_cuda.open(arena, "cuda:0", &gpu);
    }
    if (error)
        fprintf(stderr, "bench: cannot open a device: %s\n", error);
    return gpu;
}
