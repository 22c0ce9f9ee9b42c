#include <stdlib.h>

#include "cli/gpu/gpu.h"

hd_status hd_gpu_open_cuda(hd_arena *arena, const hd_diag *diag, hd_compute **gpu) {
    const char *missing;
    uint32_t count;
    *gpu = NULL;
    hd_compute_cuda.list(arena, &count, &missing);
    if (!count)
        return hd_fail(diag, HD_ESYSTEM, NULL, "there is no CUDA device: %s", missing);
    const char *error = hd_compute_cuda.open(arena, "cuda:0", gpu);
    return error ? hd_fail(diag, HD_ESYSTEM, NULL, "cannot use CUDA's first device: %s", error)
                 : HD_OK;
}

hd_status hd_gpu_open_remap(const hd_diag *diag, const hd_compute *gpu, hd_remap_device **device) {
    struct _cl_context *context;
    struct _cl_device_id *id;
    if (gpu->api == &hd_compute_cuda)
        return hd_remap_open_cuda(diag, device);
    hd_compute_opencl_context(gpu, &context, &id);
    return hd_remap_open_opencl(diag, context, id, device);
}

hd_status hd_gpu_make_memories(const hd_diag *diag, hd_compute *gpu, uint64_t bytes,
                               hd_gpu_memories *m) {
    const hd_compute_api *api = gpu->api;
    uint64_t free_bytes = 0, all = 0;
    *m = (hd_gpu_memories){.gpu = gpu, .bytes = bytes};
    /* A quarter of what is free others may need. */
    bool is_known = !api->memory_info(gpu, &free_bytes, &all);
    while (is_known && 3 * m->bytes > free_bytes / 4 * 3 && m->bytes > 1 << 20)
        m->bytes /= 2;
    const char *error = api->make_queue(gpu, false, &m->queue);
    if (!error)
        error = api->allocate(gpu, HD_PLACEMENT_DEVICE, m->bytes, &m->host_side.cuda);
    if (!error)
        error = api->allocate(gpu, HD_PLACEMENT_DEVICE, 2 * m->bytes, &m->device_side.cuda);
    if (!error &&
        gpu->is_unified) { /* written, so that its pages, which are the host's, are there */
        void *zeros = hd_zeroed(2, m->bytes);
        error = api->write(gpu, &m->queue, m->host_side.cuda, 0, zeros, m->bytes);
        if (!error)
            error = api->write(gpu, &m->queue, m->device_side.cuda, 0, zeros, 2 * m->bytes);
        const char *last = api->finish(gpu, &m->queue);
        free(zeros);
        error = error ? error : last;
    }
    if (error)
        return hd_fail(diag, HD_ESYSTEM, NULL, "cannot %s on %s: %s", gpu->doing, gpu->device.name,
                       error);
    return hd_gpu_open_remap(diag, gpu, &m->remap);
}

void hd_gpu_free_memories(hd_gpu_memories *m) {
    hd_compute *gpu = m->gpu;
    hd_remap_close(m->remap);
    if (m->host_side.cuda)
        gpu->api->release(gpu, m->host_side.cuda);
    if (m->device_side.cuda)
        gpu->api->release(gpu, m->device_side.cuda);
    gpu->api->release_queue(gpu, &m->queue);
}
