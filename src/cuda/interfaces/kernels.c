/* Kernels: what is known of them, occupancy, and what launches have in common. */
#include "cuda/interfaces/call.h"

/* cudaFuncAttribute, CUfunction_attribute, and cudaLaunchAttributeID */
enum {
    THREADS,
    SHARED,
    CONSTANT,
    LOCAL,
    REGISTERS,
    PTX_VERSION,
    BINARY_VERSION,
    CACHE_MODE,
    MOST_SHARED,
    CARVEOUT,
    CLUSTER_MUST,
    CLUSTER_WIDTH,
    CLUSTER_HEIGHT,
    CLUSTER_DEPTH,
    CLUSTER_NON_PORTABLE,
    CLUSTER_POLICY,
    LAUNCH_COOPERATIVE = 2,
    LAUNCH_CLUSTER = 4
};

/* ---- launches ---------------------------------------------------------------------------------- */

/* The runtime finds kernels by their hosts' functions, the driver has handles alone. */
static cuda_error find(cuda_process *p, const void *which, cuda_kernel **kernel) {
    if (IS_RUNTIME)
        return cuda_kernel_of_host(p, which, kernel);
    *kernel = (cuda_kernel *)(uintptr_t)which;
    return cuda_handle_is(p, which, CUDA_KERNEL) ? CUDA_SUCCESS : CUDA_INVALID_HANDLE;
}

cuda_error call_kernel(cuda_process *p, const void *which, cuda_kernel **kernel) {
    cuda_error error = find(p, which, kernel);
    return error ? error : cuda_kernel_need(p, *kernel);
}

cuda_work call_launch(cuda_process *p, const void *which, const hd_ptx_launch_size *size,
                      void **args) {
    cuda_kernel *kernel;
    cuda_error error = find(p, which, &kernel);
    if (error)
        return cuda_work_failed(error);
    return (cuda_work){.kind = CUDA_WORK_LAUNCH,
                       .launch = {.kernel = kernel, .host = which, .size = *size, .args = args}};
}

cuda_work call_packed_launch(cuda_process *p, const void *which, const hd_ptx_launch_size *size,
                             void **extra) {
    enum { END, BUFFER, BYTES }; /* the keys */
    cuda_work work = call_launch(p, which, size, NULL);
    if (work.kind == CUDA_WORK_FAILED)
        return work;
    for (; (uintptr_t)*extra != END; extra += 2) {
        if ((uintptr_t)*extra == BUFFER)
            work.launch.packed = extra[1];
        else if ((uintptr_t)*extra == BYTES)
            work.launch.packed_bytes = *(size_t *)extra[1];
        else
            return cuda_work_failed(CUDA_INVALID_VALUE);
    }
    return work.launch.packed ? work : cuda_work_failed(CUDA_INVALID_VALUE);
}

cuda_error call_launch_attributes(const cudaLaunchAttribute *attributes, unsigned count,
                                  hd_ptx_launch_size *size) {
    for (unsigned i = 0; i < count; i++) {
        const cudaLaunchAttribute *a = &attributes[i];
        if (a->id == LAUNCH_COOPERATIVE)
            size->cooperative = a->val.cooperative != 0;
        for (int d = 0; d < 3 && a->id == LAUNCH_CLUSTER; d++)
            size->cluster[d] = a->val.cluster[d];
        const unsigned *c = size->cluster;
        if (a->id == LAUNCH_CLUSTER && (!c[0] || !c[1] || !c[2]))
            return CUDA_INVALID_VALUE;
    }
    return CUDA_SUCCESS; /* the others are hints */
}

/* ---- what is known of kernels ------------------------------------------------------------------ */

int call_kernel_number(const cuda_process *p, const cuda_kernel *kernel, int attribute) {
    const hd_ptx_kernel_facts *f = &kernel->facts;
    switch (attribute) {
    case THREADS: return (int)cuda_kernel_most_threads(p, kernel);
    case SHARED: return (int)f->static_shared;
    case CONSTANT: return (int)f->constant_bytes;
    case LOCAL: return (int)f->local_bytes;
    case REGISTERS: return (int)f->registers;
    case PTX_VERSION:
    case BINARY_VERSION: return (int)cuda_kernel_architecture(kernel);
    case MOST_SHARED: return (int)cuda_kernel_most_shared(p, kernel);
    case CARVEOUT: return kernel->carveout;
    case CLUSTER_MUST: return f->required_cluster[0] != 0;
    case CLUSTER_WIDTH:
    case CLUSTER_HEIGHT:
    case CLUSTER_DEPTH: return (int)f->required_cluster[attribute - CLUSTER_WIDTH];
    case CLUSTER_NON_PORTABLE: return kernel->takes_large_clusters;
    default: return 0;
    }
}

#ifdef CUDART
CALL(cudaFuncGetAttributes, (cudaFuncAttributes * a, const void *which), a, which) {
    cuda_kernel *kernel;
    cuda_error error = a ? call_kernel(p, which, &kernel) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    *a = (cudaFuncAttributes){
        .sharedSizeBytes = kernel->facts.static_shared,
        .constSizeBytes = kernel->facts.constant_bytes,
        .localSizeBytes = kernel->facts.local_bytes,
        .maxThreadsPerBlock = call_kernel_number(p, kernel, THREADS),
        .numRegs = call_kernel_number(p, kernel, REGISTERS),
        .ptxVersion = call_kernel_number(p, kernel, PTX_VERSION),
        .binaryVersion = call_kernel_number(p, kernel, BINARY_VERSION),
        .maxDynamicSharedSizeBytes = call_kernel_number(p, kernel, MOST_SHARED),
        .preferredShmemCarveout = call_kernel_number(p, kernel, CARVEOUT),
#if CUDART >= 12
        .clusterDimMustBeSet = call_kernel_number(p, kernel, CLUSTER_MUST),
        .requiredClusterWidth = call_kernel_number(p, kernel, CLUSTER_WIDTH),
        .requiredClusterHeight = call_kernel_number(p, kernel, CLUSTER_HEIGHT),
        .requiredClusterDepth = call_kernel_number(p, kernel, CLUSTER_DEPTH),
        .nonPortableClusterSizeAllowed = call_kernel_number(p, kernel, CLUSTER_NON_PORTABLE),
#endif
    };
    return CUDA_SUCCESS;
}
#else
CALL(cuFuncGetAttribute, (int *value, int attribute, const void *which), value, attribute, which) {
    cuda_kernel *kernel;
    cuda_error error = call_kernel(p, which, &kernel);
    if (error)
        return error;
    return GIVE(attribute < 0 || attribute > CLUSTER_POLICY ? NULL : value,
                call_kernel_number(p, kernel, attribute));
}
#endif

CALL(NAMES(cudaFuncSetAttribute, cuFuncSetAttribute), (const void *which, int attribute, int value),
     which, attribute, value) {
    cuda_kernel *kernel;
    cuda_error error = call_kernel(p, which, &kernel);
    if (error)
        return error;
    if (attribute == CARVEOUT) {
        if (value < -1 || value > 100)
            return CUDA_INVALID_VALUE;
        kernel->carveout = value;
        return CUDA_SUCCESS;
    }
    if (attribute == CLUSTER_NON_PORTABLE && (value == 0 || value == 1)) {
        kernel->takes_large_clusters = value;
        return CUDA_SUCCESS;
    }
    if (attribute == CLUSTER_POLICY) /* a hint */
        return value < 0 || value > 2 ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
    if (attribute != MOST_SHARED)
        return attribute >= CLUSTER_MUST && attribute <= CLUSTER_DEPTH ? CUDA_NOT_SUPPORTED
                                                                       : CUDA_INVALID_VALUE;
    return cuda_kernel_set_most_shared(p, kernel, value);
}

/* Hints, which change nothing here. */
CALL(NAMES(cudaFuncSetCacheConfig, cuFuncSetCacheConfig), (const void *which, int config), which,
     config) {
    cuda_kernel *kernel;
    return config < 0 || config > 3 ? CUDA_INVALID_VALUE : call_kernel(p, which, &kernel);
}
CALL(NAMES(cudaFuncSetSharedMemConfig, cuFuncSetSharedMemConfig), (const void *which, int config),
     which, config) {
    cuda_kernel *kernel;
    return config < 0 || config > 2 ? CUDA_INVALID_VALUE : call_kernel(p, which, &kernel);
}

CALL(NAMES(cudaFuncGetName, cuFuncGetName), (const char **name, const void *which), name, which) {
    cuda_kernel *kernel;
    cuda_error error = name && (which || IS_RUNTIME) ? find(p, which, &kernel) : CUDA_INVALID_VALUE;
    return error ? error : GIVE(name, kernel->name);
}
CALL(NAMES(cudaFuncGetParamInfo, cuFuncGetParamInfo),
     (const void *which, size_t index, size_t *offset, size_t *bytes), which, index, offset,
     bytes) {
    cuda_kernel *kernel;
    uint32_t at, size;
    if (!offset || (IS_RUNTIME && !bytes))
        return CUDA_INVALID_VALUE;
    cuda_error error = call_kernel(p, which, &kernel);
    if (error || index >= kernel->facts.param_count)
        return error ? error : CUDA_INVALID_VALUE;
    cuda_kernel_param(kernel, (uint32_t)index, &at, &size);
    *offset = at;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

/* ---- occupancy --------------------------------------------------------------------------------- */

CALL(NAMES(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
           cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
     (int *blocks, const void *which, int threads, size_t shared, unsigned flags), blocks, which,
     threads, shared, flags) {
    cuda_kernel *kernel;
    if (!blocks || threads < 1 || flags > 1)
        return CUDA_INVALID_VALUE;
    cuda_error error = call_kernel(p, which, &kernel);
    return error ? error
                 : GIVE(blocks, (int)cuda_kernel_blocks(p, kernel, (uint32_t)threads, shared));
}
EXPORT int NAMES(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                 cuOccupancyMaxActiveBlocksPerMultiprocessor)(int *blocks, const void *which,
                                                              int threads, size_t shared) {
    return NAMES(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                 cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(blocks, which, threads,
                                                                       shared, 0);
}

CALL(NAMES(cudaOccupancyAvailableDynamicSMemPerBlock, cuOccupancyAvailableDynamicSMemPerBlock),
     (size_t *shared, const void *which, int blocks, int threads), shared, which, blocks, threads) {
    cuda_kernel *kernel;
    if (!shared || blocks < 1 || threads < 1)
        return CUDA_INVALID_VALUE;
    cuda_error error = call_kernel(p, which, &kernel);
    if (error)
        return error;
    uint64_t used = (uint64_t)p->device.shared_reserved + kernel->facts.static_shared;
    uint64_t share = p->device.shared_per_sm / (uint64_t)blocks,
             most = cuda_kernel_most_shared(p, kernel);
    uint64_t rest = share > used ? share - used : 0;
    *shared = rest < most ? rest : most;
    return CUDA_SUCCESS;
}

/* Both are asked with the launch as it is meant; the grid of it does not count. A kernel that is compiled
 * for a size of clusters has that one alone; without, the launch has to say one. */
CALL(NAMES(cudaOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters),
     (int *clusters, const void *which, const call_launch_config *c), clusters, which, c) {
    hd_ptx_launch_size size;
    cuda_kernel *kernel;
    cuda_error error = c ? call_kernel(p, which, &kernel) : CUDA_INVALID_VALUE;
    if (!error)
        error = call_launch_size(c, &size);
    if (error)
        return error;
    const uint32_t *required = kernel->facts.required_cluster;
    const uint32_t *own = size.cluster[0] ? size.cluster : required;
    const uint32_t count = own[0] * own[1] * own[2];
    const uint32_t threads = size.block[0] * size.block[1] * size.block[2];
    const uint32_t sms = p->device.profile->sms ? p->device.profile->sms : 1;
    if (!cuda_device_has_clusters(&p->device))
        return CUDA_NOT_SUPPORTED;
    if (!threads || !count || count > cuda_kernel_most_cluster(kernel) ||
        (required[0] && memcmp(own, required, sizeof size.cluster)))
        return CUDA_INVALID_CLUSTER_SIZE;
    return GIVE(clusters, (int)(cuda_kernel_blocks(p, kernel, threads, size.shared) * sms / count));
}
CALL(NAMES(cudaOccupancyMaxPotentialClusterSize, cuOccupancyMaxPotentialClusterSize),
     (int *blocks, const void *which, const call_launch_config *c), blocks, which, c) {
    cuda_kernel *kernel;
    cuda_error error = c ? call_kernel(p, which, &kernel) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    if (!cuda_device_has_clusters(&p->device))
        return CUDA_NOT_SUPPORTED;
    const uint32_t *required = kernel->facts.required_cluster;
    return GIVE(blocks, (int)(required[0] ? required[0] * required[1] * required[2]
                                          : cuda_kernel_most_cluster(kernel)));
}

cuda_error call_fullest_block(cuda_process *p, const void *which, call_shared_of_size *shared_of,
                              size_t shared, int limit, int *grid, int *block) {
    cuda_kernel *kernel;
    cuda_error error = call_kernel(p, which, &kernel);
    if (error || !grid || !block)
        return error ? error : CUDA_INVALID_VALUE;
    uint32_t most = cuda_kernel_most_threads(p, kernel), warp = p->device.profile->warp, best = 0;
    if (limit > 0 && (uint32_t)limit < most)
        most = (uint32_t)limit;
    for (uint32_t threads = most; threads; threads = (threads - 1) / warp * warp) {
        uint64_t bytes = shared_of ? shared_of((int)threads) : shared;
        uint32_t blocks = cuda_kernel_blocks(p, kernel, threads, bytes);
        if (blocks * threads <= best)
            continue;
        best = blocks * threads;
        *block = (int)threads;
        *grid = (int)(blocks * (p->device.profile->sms ? p->device.profile->sms : 1));
    }
    return best ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

#ifndef CUDART
CALL(cuOccupancyMaxPotentialBlockSizeWithFlags,
     (int *grid, int *block, cuda_handle which, call_shared_of_size *shared_of, size_t shared,
      int limit, unsigned flags),
     grid, block, which, shared_of, shared, limit, flags) {
    return call_fullest_block(p, which, shared_of, shared, limit, flags > 1 ? NULL : grid, block);
}
EXPORT int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, cuda_handle which,
                                            call_shared_of_size *shared_of, size_t shared,
                                            int limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, which, shared_of, shared, limit,
                                                     0);
}
#endif
