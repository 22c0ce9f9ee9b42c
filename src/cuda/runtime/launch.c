/* Launches, what is known of kernels, occupancy. */
#include "cuda/runtime/runtime.h"

enum {
    ATTRIBUTE_COOPERATIVE = 2,
    ATTRIBUTE_CLUSTER = 4,
    FUNCTION_SHARED = 8, /* most dynamic shared memory */
    FUNCTION_CARVEOUT = 9,
    FUNCTION_CLUSTER_FIRST = 10
};

/* ---- launches ------------------------------------------------------------------------------------ */

cuda_error rt_launch_of(cuda_process *p, const void *host, dim3 grid, dim3 block, void **args,
                        size_t shared, bool cooperative, cuda_work *work) {
    cuda_kernel *kernel;
    cuda_error error = cuda_kernel_of_host(p, host, &kernel);
    if (!error)
        *work = (cuda_work){
            .kind = CUDA_WORK_LAUNCH,
            .launch = {.kernel = kernel,
                       .host = host,
                       .size = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared},
                       .cooperative = cooperative,
                       .args = args}};
    return error;
}

static cudaError_t launch(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                          void *stream, bool cooperative) {
    cuda_process *p;
    cuda_work work;
    cuda_error error = rt_begin(&p);
    if (!error)
        error = rt_launch_of(p, host, grid, block, args, shared, cooperative, &work);
    if (!error)
        error = cuda_submit(p, stream, &work);
    return rt_end(p, error);
}

API cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                     void *stream) {
    return launch(host, grid, block, args, shared, stream, false);
}

API __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                       void *stream) {
    return launch(kernel, grid, block, args, shared, stream, false);
}

API cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                                void *stream) {
    return launch(host, grid, block, args, shared, stream, true);
}

API cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *host, void **args) {
    if (!c || (c->numAttrs && !c->attrs))
        return rt_last(CUDA_INVALID_VALUE);
    bool cooperative = false;
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const cudaLaunchAttribute *a = &c->attrs[i];
        if (a->id == ATTRIBUTE_COOPERATIVE)
            cooperative = a->val.cooperative != 0;
        bool one = a->val.cluster[0] == 1 && a->val.cluster[1] == 1 && a->val.cluster[2] == 1;
        if (a->id == ATTRIBUTE_CLUSTER && !one)
            return rt_last(CUDA_NOT_SUPPORTED); /* clusters of blocks; the others are hints */
    }
    return launch(host, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream, cooperative);
}

/* ---- kernels -------------------------------------------------------------------------------------- */

/* The kernel of a host's function, looked up. */
static cuda_error need(cuda_process *p, const void *host, cuda_kernel **kernel) {
    cuda_error error = cuda_kernel_of_host(p, host, kernel);
    return error ? error : cuda_kernel_need(p, *kernel);
}

static cuda_error attributes_of(cuda_process *p, const void *host, cudaFuncAttributes *a) {
    cuda_kernel *kernel;
    cuda_error error = a ? need(p, host, &kernel) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    const hd_ptx_kernel_facts *f = &kernel->facts;
    int version = (int)cuda_kernel_architecture(kernel);
    *a = (cudaFuncAttributes){.sharedSizeBytes = f->static_shared,
                              .constSizeBytes = f->constant_bytes,
                              .localSizeBytes = f->local_bytes,
                              .maxThreadsPerBlock = (int)cuda_kernel_most_threads(p, kernel),
                              .numRegs = (int)f->registers,
                              .ptxVersion = version,
                              .binaryVersion = version,
                              .maxDynamicSharedSizeBytes =
                                  (int)(cuda_kernel_most_shared(p, kernel) - f->static_shared),
                              .preferredShmemCarveout = -1};
    return CUDA_SUCCESS;
}

API cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *host) {
    RUN(attributes_of(p, host, attributes));
}

static cuda_error set_attribute(cuda_process *p, const void *host, int attribute, int value) {
    cuda_kernel *kernel;
    cuda_error error = need(p, host, &kernel);
    if (error)
        return error;
    if (attribute == FUNCTION_CARVEOUT)
        return value < -1 || value > 100 ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
    if (attribute != FUNCTION_SHARED)
        return attribute >= FUNCTION_CLUSTER_FIRST && attribute <= 15 ? CUDA_NOT_SUPPORTED
                                                                      : CUDA_INVALID_VALUE;
    return cuda_kernel_set_most_shared(p, kernel, value);
}

API cudaFuncSetAttribute(const void *host, int attribute, int value) {
    RUN(set_attribute(p, host, attribute, value));
}

static cuda_error check_kernel(cuda_process *p, const void *host) {
    cuda_kernel *kernel;
    return need(p, host, &kernel);
}

/* Hints, which change nothing here. */
API cudaFuncSetCacheConfig(const void *host, int config) {
    RUN(config < 0 || config > 3 ? CUDA_INVALID_VALUE : check_kernel(p, host));
}
API cudaFuncSetSharedMemConfig(const void *host, int config) {
    RUN(config < 0 || config > 2 ? CUDA_INVALID_VALUE : check_kernel(p, host));
}

static cuda_error name_of(cuda_process *p, const void *host, const char **name) {
    cuda_kernel *kernel;
    cuda_error error = name ? cuda_kernel_of_host(p, host, &kernel) : CUDA_INVALID_VALUE;
    if (!error)
        *name = kernel->name;
    return error;
}

API cudaFuncGetName(const char **name, const void *host) { RUN(name_of(p, host, name)); }

static cuda_error param_of(cuda_process *p, const void *host, size_t index, size_t *offset,
                           size_t *bytes) {
    cuda_kernel *kernel;
    cuda_error error = offset && bytes ? need(p, host, &kernel) : CUDA_INVALID_VALUE;
    if (!error && index >= kernel->facts.param_count)
        error = CUDA_INVALID_VALUE;
    if (error)
        return error;
    uint32_t at, size;
    cuda_kernel_param(kernel, (uint32_t)index, &at, &size);
    *offset = at;
    *bytes = size;
    return CUDA_SUCCESS;
}

API cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes) {
    RUN(param_of(p, host, index, offset, bytes));
}

static cuda_error kernel_of(cuda_process *p, const void *host, void **kernel) {
    cuda_kernel *found;
    cuda_error error = kernel ? cuda_kernel_of_host(p, host, &found) : CUDA_INVALID_VALUE;
    if (!error)
        *kernel = found;
    return error;
}

API cudaGetKernel(void **kernel, const void *host) { RUN(kernel_of(p, host, kernel)); }
API cudaGetFuncBySymbol(void **function, const void *host) { RUN(kernel_of(p, host, function)); }

/* ---- occupancy ------------------------------------------------------------------------------------- */

static cuda_error blocks_of(cuda_process *p, const void *host, int threads, size_t shared,
                            int *blocks) {
    cuda_kernel *kernel;
    if (!blocks || threads < 1)
        return CUDA_INVALID_VALUE;
    cuda_error error = need(p, host, &kernel);
    if (error)
        return error;
    *blocks = (int)cuda_kernel_blocks(p, kernel, (uint32_t)threads, shared);
    return CUDA_SUCCESS;
}

API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int threads,
                                                  size_t shared) {
    RUN(blocks_of(p, host, threads, shared, blocks));
}
API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                           int threads, size_t shared,
                                                           unsigned flags) {
    RUN(flags > 1 ? CUDA_INVALID_VALUE : blocks_of(p, host, threads, shared, blocks));
}

static cuda_error shared_of(cuda_process *p, size_t *shared, const void *host, int blocks,
                            int threads) {
    cuda_kernel *kernel;
    if (!shared || blocks < 1 || threads < 1)
        return CUDA_INVALID_VALUE;
    cuda_error error = need(p, host, &kernel);
    if (error)
        return error;
    uint64_t used = (uint64_t)p->device.shared_reserved + kernel->facts.static_shared;
    uint64_t share = p->device.shared_per_sm / (uint64_t)blocks,
             most = cuda_kernel_most_shared(p, kernel);
    uint64_t rest = share > used ? share - used : 0;
    *shared = rest < most ? rest : most;
    return CUDA_SUCCESS;
}

API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *host, int blocks,
                                              int threads) {
    RUN(shared_of(p, shared, host, blocks, threads));
}
