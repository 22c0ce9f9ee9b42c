#include <stdio.h>

#include "gpu/gpu.h"

/* ---- the device ------------------------------------------------------------------- */

hd_status hd_gpu_open_cuda(hd_arena *arena, const hd_diag *diag, hd_gpu_cuda *cuda) {
    const char *missing;
    void *context;
    int count = 0;
    *cuda = (hd_gpu_cuda){.device = -1};
    if (!hd_cuda_open(arena, &cuda->call, &missing))
        return hd_fail(diag, HD_ESYSTEM, NULL, "there is no CUDA device: %s", missing);
    int error = cuda->call.init(0), device = 0;
    if (!error)
        error = cuda->call.count_devices(&count);
    if (error || !count)
        return hd_fail(diag, HD_ESYSTEM, NULL,
                       "there is no CUDA device: NVIDIA's driver finds none (%s); see that "
                       "'nvidia-smi' lists one",
                       error ? hd_cuda_error(&cuda->call, error) : "it counts 0");
    error = cuda->call.get_device(&device, 0);
    if (!error)
        error = cuda->call.retain_context(&context, device);
    if (!error) {
        cuda->device = device;
        error = cuda->call.use_context(context);
    }
    return error ? hd_fail(diag, HD_ESYSTEM, NULL, "cannot use CUDA's first device: %s",
                           hd_cuda_error(&cuda->call, error))
                 : HD_OK;
}

void hd_gpu_close_cuda(hd_gpu_cuda *cuda) {
    if (cuda->device >= 0)
        cuda->call.release_context(cuda->device);
    cuda->device = -1;
}

/* ---- memories --------------------------------------------------------------------- */

static bool copy(hd_gpu_memories *memories, uint64_t bytes) {
    const hd_gpu_cuda *cuda = memories->own;
    return !cuda->call.copy(memories->device_side.cuda, memories->host_side.cuda, bytes, NULL) &&
           !cuda->call.synchronize();
}

static int allocate(const hd_gpu_cuda *cuda, hd_gpu_memories *m) {
    int error = cuda->call.allocate(&m->host_side.cuda, m->bytes);
    if (error)
        return error;
    error = cuda->call.allocate(&m->device_side.cuda, 2 * m->bytes);
    if (error)
        cuda->call.free(m->host_side.cuda);
    return error;
}

/* Bytes that are free, but for a quarter that others may need. */
static uint64_t bytes_to_use(const hd_gpu_cuda *cuda) {
    size_t free_bytes = 0, all = 0;
    return cuda->call.memory_info(&free_bytes, &all) ? UINT64_MAX : free_bytes / 4 * 3;
}

hd_status hd_gpu_make_memories(hd_arena *arena, const hd_diag *diag, uint64_t bytes,
                               hd_gpu_memories *memories) {
    hd_gpu_cuda *cuda = hd_new(arena, hd_gpu_cuda);
    *memories = (hd_gpu_memories){.bytes = bytes, .copy = copy, .own = cuda};
    hd_status status = hd_gpu_open_cuda(arena, diag, cuda);
    if (status != HD_OK)
        return status;
    cuda->call.device_name(memories->name, sizeof memories->name, cuda->device);
    while (3 * memories->bytes > bytes_to_use(cuda) && memories->bytes > 1 << 20)
        memories->bytes /= 2;
    int error = allocate(cuda, memories);
    if (error)
        return hd_fail(diag, HD_ESYSTEM, NULL, "cannot allocate %llu bytes on %s: %s",
                       (unsigned long long)(3 * memories->bytes), memories->name,
                       hd_cuda_error(&cuda->call, error));
    return hd_remap_open_cuda(diag, &memories->remap);
}

void hd_gpu_free_memories(hd_gpu_memories *memories) {
    hd_gpu_cuda *cuda = memories->own;
    if (memories->remap)
        hd_remap_close(memories->remap);
    if (memories->device_side.cuda) {
        cuda->call.free(memories->host_side.cuda);
        cuda->call.free(memories->device_side.cuda);
    }
    hd_gpu_close_cuda(cuda);
}
