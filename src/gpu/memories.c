#include <stdlib.h>

#include "gpu/gpu.h"

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

/* Bytes that are free, but for a quarter that others may need. */
static uint64_t bytes_to_use(hd_compute *gpu) {
    uint64_t free_bytes = 0, all = 0;
    return gpu->api->memory_info(gpu, &free_bytes, &all) ? UINT64_MAX : free_bytes / 4 * 3;
}

/* Writes all of the memory where its pages are the host's, so that they are there. */
static const char *touch(hd_gpu_memories *m) {
    void *zeros = calloc(2, m->bytes);
    const char *error = NULL;
    if (m->gpu->is_unified && zeros)
        error = m->gpu->api->write(m->gpu, &m->queue, m->host_side.cuda, zeros, m->bytes);
    if (m->gpu->is_unified && zeros && !error)
        error = m->gpu->api->write(m->gpu, &m->queue, m->device_side.cuda, zeros, 2 * m->bytes);
    const char *last = m->gpu->api->finish(m->gpu, &m->queue);
    free(zeros);
    return error ? error : last;
}

hd_status hd_gpu_make_memories(const hd_diag *diag, hd_compute *gpu, uint64_t bytes,
                               hd_gpu_memories *m) {
    *m = (hd_gpu_memories){.gpu = gpu, .bytes = bytes};
    while (3 * m->bytes > bytes_to_use(gpu) && m->bytes > 1 << 20)
        m->bytes /= 2;
    const char *error = gpu->api->make_queue(gpu, false, &m->queue);
    if (!error)
        error = gpu->api->allocate(gpu, m->bytes, &m->host_side.cuda);
    if (!error)
        error = gpu->api->allocate(gpu, 2 * m->bytes, &m->device_side.cuda);
    if (!error)
        error = touch(m);
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

bool hd_gpu_copy(hd_gpu_memories *m, uint64_t bytes) {
    return !m->gpu->api->copy(m->gpu, &m->queue, m->device_side.cuda, m->host_side.cuda, bytes) &&
           !m->gpu->api->finish(m->gpu, &m->queue);
}
