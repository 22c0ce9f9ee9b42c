/* Memory of all kinds, pools, and what pointers and symbols point to. */
#include "cuda/runtime/runtime.h"

enum {
    PITCH = 512, /* bytes that rows of pitched memory are a multiple of */
    OF_DEVICE = 1 << CUDA_MEMORY_DEVICE | 1 << CUDA_MEMORY_MANAGED,
    OF_HOST = 1 << CUDA_MEMORY_PINNED,
    INVALID_DEVICE = -2
};

/* ---- allocating ------------------------------------------------------------------------------- */

static cuda_error make(cuda_process *p, cuda_memory_kind kind, size_t bytes, void **address) {
    if (!address)
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_not_captured(p);
    return error ? error : cuda_memory_make(p, kind, bytes, address);
}

static cuda_error end(cuda_process *p, const void *address, unsigned kinds, cuda_error refusal) {
    cuda_error error = cuda_not_captured(p);
    return error ? error : cuda_memory_end(p, address, kinds, refusal);
}

API cudaMalloc(void **address, size_t bytes) { RUN(make(p, CUDA_MEMORY_DEVICE, bytes, address)); }

API cudaFree(void *address) { RUN(end(p, address, OF_DEVICE, CUDA_INVALID_VALUE)); }

API cudaMallocManaged(void **address, size_t bytes, unsigned flags) {
    RUN((flags != 1 && flags != 2) || !bytes ? CUDA_INVALID_VALUE
                                             : make(p, CUDA_MEMORY_MANAGED, bytes, address));
}

/* Rows of `width` bytes, `rows` of them. */
static cuda_error make_pitched(cuda_process *p, size_t width, size_t rows, void **address,
                               size_t *pitch) {
    size_t bytes;
    if (!address || !pitch)
        return CUDA_INVALID_VALUE;
    *pitch = (size_t)hd_align_up(width, PITCH);
    if (__builtin_mul_overflow(*pitch, rows, &bytes))
        return CUDA_MEMORY_ALLOCATION;
    return make(p, CUDA_MEMORY_DEVICE, bytes, address);
}

API cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
    RUN(make_pitched(p, width, height, address, pitch));
}

static cuda_error make_3d(cuda_process *p, cudaPitchedPtr *result, cudaExtent extent) {
    size_t rows, pitch;
    void *address;
    if (!result)
        return CUDA_INVALID_VALUE;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return CUDA_MEMORY_ALLOCATION;
    cuda_error error = make_pitched(p, extent.width, rows, &address, &pitch);
    if (!error)
        *result = (cudaPitchedPtr){address, pitch, extent.width, extent.height};
    return error;
}

API cudaMalloc3D(cudaPitchedPtr *result, cudaExtent extent) { RUN(make_3d(p, result, extent)); }

/* ---- host memory ------------------------------------------------------------------------------- */

static cuda_error make_host(cuda_process *p, void **address, size_t bytes, unsigned flags) {
    if (flags > 7)
        return CUDA_INVALID_VALUE;
    cuda_error error = make(p, CUDA_MEMORY_PINNED, bytes, address);
    if (!error && *address)
        cuda_memory_at(p, *address)->flags = flags;
    return error;
}

API cudaHostAlloc(void **address, size_t bytes, unsigned flags) {
    RUN(make_host(p, address, bytes, flags));
}
API cudaMallocHost(void **address, size_t bytes) { RUN(make_host(p, address, bytes, 0)); }
API cudaFreeHost(void *address) { RUN(end(p, address, OF_HOST, CUDA_INVALID_VALUE)); }

API cudaHostRegister(void *address, size_t bytes, unsigned flags) {
    RUN(flags > 15 ? CUDA_INVALID_VALUE : cuda_memory_register(p, address, bytes, flags));
}

API cudaHostUnregister(void *address) {
    RUN(!address ? CUDA_INVALID_VALUE
                 : cuda_memory_end(p, address, 1 << CUDA_MEMORY_REGISTERED,
                                   CUDA_HOST_MEMORY_NOT_REGISTERED));
}

static const cuda_allocation *host_at(const cuda_process *p, const void *address) {
    const cuda_allocation *a = cuda_memory_at(p, address);
    return a && (a->kind == CUDA_MEMORY_PINNED || a->kind == CUDA_MEMORY_REGISTERED) ? a : NULL;
}

static cuda_error device_pointer(cuda_process *p, void **result, void *host, unsigned flags) {
    if (!result || flags || !host_at(p, host))
        return CUDA_INVALID_VALUE;
    *result = host;
    return CUDA_SUCCESS;
}

API cudaHostGetDevicePointer(void **result, void *host, unsigned flags) {
    RUN(device_pointer(p, result, host, flags));
}

static cuda_error flags_of(cuda_process *p, unsigned *flags, const void *host) {
    const cuda_allocation *a = host_at(p, host);
    if (!flags || !a)
        return CUDA_INVALID_VALUE;
    *flags = a->flags | 2; /* all of it is mapped */
    return CUDA_SUCCESS;
}

API cudaHostGetFlags(unsigned *flags, void *host) { RUN(flags_of(p, flags, host)); }

/* ---- pools -------------------------------------------------------------------------------------- */

static cuda_pool *pool_of(cuda_process *p, rt_handle handle) {
    if (!handle || handle == &p->memory->default_pool)
        return &p->memory->default_pool;
    return cuda_handle_is(p, handle, CUDA_POOL) ? handle : NULL;
}

/* In a stream that is capturing these become nodes. */
static cuda_error make_captured(cuda_process *p, void **address, size_t bytes, rt_handle stream) {
    cuda_work work;
    cuda_error error = address ? cuda_graph_memory_make(p, bytes, &work) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    *address = work.memory->address;
    error = cuda_submit(p, stream, &work);
    cuda_work_drop(&work);
    return error;
}

static cuda_error end_captured(cuda_process *p, const void *address, rt_handle stream) {
    cuda_work work;
    cuda_error error =
        cuda_graph_memory_end(cuda_stream_find(p, stream)->capture->graph, address, &work);
    if (error)
        return error;
    error = cuda_submit(p, stream, &work);
    cuda_work_drop(&work);
    return error;
}

static cuda_error make_from(cuda_process *p, void **address, size_t bytes, cuda_pool *pool,
                            rt_handle stream) {
    if (!cuda_stream_find(p, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!pool)
        return CUDA_INVALID_VALUE;
    if (cuda_stream_find(p, stream)->capture)
        return make_captured(p, address, bytes, stream);
    cuda_error error = make(p, CUDA_MEMORY_DEVICE, bytes, address);
    if (error || !*address)
        return error;
    cuda_memory_at(p, *address)->pool = pool;
    pool->used += bytes;
    if (pool->used > pool->most_used)
        pool->most_used = pool->used;
    return CUDA_SUCCESS;
}

API cudaMallocAsync(void **address, size_t bytes, rt_handle stream) {
    RUN(make_from(p, address, bytes, p->memory->current_pool, stream));
}
API cudaMallocFromPoolAsync(void **address, size_t bytes, rt_handle pool, rt_handle stream) {
    RUN(make_from(p, address, bytes, pool_of(p, pool), stream));
}
API cudaFreeAsync(void *address, rt_handle stream) {
    RUN(!cuda_stream_find(p, stream)           ? CUDA_INVALID_RESOURCE_HANDLE
        : !address                             ? CUDA_INVALID_VALUE
        : cuda_stream_find(p, stream)->capture ? end_captured(p, address, stream)
                                               : end(p, address, OF_DEVICE, CUDA_INVALID_VALUE));
}

static cuda_error give_pool(cuda_pool *pool, rt_handle *result, int device) {
    if (!result)
        return CUDA_INVALID_VALUE;
    if (device)
        return CUDA_INVALID_DEVICE;
    *result = pool;
    return CUDA_SUCCESS;
}

API cudaDeviceGetDefaultMemPool(rt_handle *pool, int device) {
    RUN(give_pool(&p->memory->default_pool, pool, device));
}
API cudaDeviceGetMemPool(rt_handle *pool, int device) {
    RUN(give_pool(p->memory->current_pool, pool, device));
}

static cuda_error set_pool(cuda_process *p, int device, rt_handle handle) {
    cuda_pool *pool = handle ? pool_of(p, handle) : NULL;
    if (device)
        return CUDA_INVALID_DEVICE;
    if (!pool)
        return CUDA_INVALID_VALUE;
    p->memory->current_pool = pool;
    return CUDA_SUCCESS;
}

API cudaDeviceSetMemPool(int device, rt_handle pool) { RUN(set_pool(p, device, pool)); }

API cudaMemPoolCreate(rt_handle *pool, const void *properties) {
    RUN(!pool || !properties
            ? CUDA_INVALID_VALUE
            : (*pool = cuda_handle_new(p, CUDA_POOL, sizeof(cuda_pool)), CUDA_SUCCESS));
}

static cuda_error end_pool(cuda_process *p, rt_handle pool) {
    if (!cuda_handle_is(p, pool, CUDA_POOL))
        return CUDA_INVALID_VALUE;
    if (p->memory->current_pool == pool)
        p->memory->current_pool = &p->memory->default_pool;
    for (size_t i = 0; i < p->memory->live.count; i++) /* what is left of it lives on */
        if (p->memory->live.data[i].pool == pool)
            p->memory->live.data[i].pool = NULL;
    cuda_handle_free(p, pool);
    return CUDA_SUCCESS;
}

API cudaMemPoolDestroy(rt_handle pool) { RUN(end_pool(p, pool)); }

/* cudaMemPoolAttr: what is set and given back, and what is counted. */
enum { FOLLOW = 1, OPPORTUNISTIC, INTERNAL, THRESHOLD, RESERVED, MOST_RESERVED, USED, MOST_USED };

static int *pool_flag(cuda_pool *pool, int attribute) {
    return attribute == FOLLOW          ? &pool->follow
           : attribute == OPPORTUNISTIC ? &pool->opportunistic
           : attribute == INTERNAL      ? &pool->internal
                                        : NULL;
}

static cuda_error get_pool(cuda_pool *pool, int attribute, void *value) {
    if (!pool || !value)
        return CUDA_INVALID_VALUE;
    const int *flag = pool_flag(pool, attribute);
    if (flag) {
        *(int *)value = *flag;
        return CUDA_SUCCESS;
    }
    uint64_t *number = value;
    switch (attribute) {
    case THRESHOLD: *number = pool->threshold; return CUDA_SUCCESS;
    case RESERVED:
    case USED: *number = pool->used; return CUDA_SUCCESS;
    case MOST_RESERVED:
    case MOST_USED: *number = pool->most_used; return CUDA_SUCCESS;
    default: return CUDA_INVALID_VALUE;
    }
}

static cuda_error change_pool(cuda_pool *pool, int attribute, const void *value) {
    if (!pool || !value)
        return CUDA_INVALID_VALUE;
    int *flag = pool_flag(pool, attribute);
    if (flag)
        *flag = *(const int *)value;
    else if (attribute == THRESHOLD)
        pool->threshold = *(const uint64_t *)value;
    else if ((attribute == MOST_RESERVED || attribute == MOST_USED) && !*(const uint64_t *)value)
        pool->most_used = pool->used;
    else
        return CUDA_INVALID_VALUE;
    return CUDA_SUCCESS;
}

API cudaMemPoolGetAttribute(rt_handle pool, int attribute, void *value) {
    RUN(get_pool(pool_of(p, pool), attribute, value));
}
API cudaMemPoolSetAttribute(rt_handle pool, int attribute, void *value) {
    RUN(change_pool(pool_of(p, pool), attribute, value));
}
/* The device has access to its pools, and nobody else. */
enum { READ_AND_WRITE = 3 };
typedef struct access_description { /* cudaMemAccessDesc */
    cudaMemLocation location;
    int flags;
} access_description;
API cudaMemPoolSetAccess(rt_handle pool, const access_description *descriptions, size_t count) {
    bool own = true;
    for (size_t i = 0; i < count && descriptions; i++)
        own &= !descriptions[i].location.id && descriptions[i].flags == READ_AND_WRITE;
    RUN(!pool_of(p, pool) || (count && !descriptions) ? CUDA_INVALID_VALUE
        : own                                         ? CUDA_SUCCESS
                                                      : CUDA_INVALID_DEVICE);
}
API cudaMemPoolGetAccess(int *flags, rt_handle pool, const cudaMemLocation *location) {
    RUN(!flags || !location || !pool_of(p, pool)
            ? CUDA_INVALID_VALUE
            : (*flags = location->id ? 0 : READ_AND_WRITE, CUDA_SUCCESS));
}
/* Nothing is kept back. */
API cudaMemPoolTrimTo(rt_handle pool, size_t bytes) {
    (void)bytes;
    RUN(pool_of(p, pool) ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

/* What graphs allocate is not kept back either. */
API cudaDeviceGraphMemTrim(int device) { RUN(device ? CUDA_INVALID_DEVICE : CUDA_SUCCESS); }

/* ---- managed memory: hints ------------------------------------------------------------------------ */

static cuda_error advise(cuda_process *p, const void *address, size_t bytes, int advice,
                         bool on_host, int device) {
    return advice < 1 || advice > 6 ? CUDA_INVALID_VALUE
                                    : cuda_memory_hint(p, address, bytes, !on_host && device > 0);
}

static cuda_error prefetch(cuda_process *p, const void *address, size_t bytes, bool on_host,
                           int device, rt_handle stream) {
    return cuda_stream_find(p, stream) ? cuda_memory_hint(p, address, bytes, !on_host && device > 0)
                                       : CUDA_INVALID_RESOURCE_HANDLE;
}

enum { LOCATION_DEVICE = 1, HOST_DEVICE = -1 };
#define BY_LOCATION(l) (l).type != LOCATION_DEVICE, (l).id

#if CUDART >= 13
API cudaMemAdvise(const void *address, size_t bytes, int advice, cudaMemLocation location) {
    RUN(advise(p, address, bytes, advice, BY_LOCATION(location)));
}
API cudaMemPrefetchAsync(const void *address, size_t bytes, cudaMemLocation location,
                         unsigned flags, rt_handle stream) {
    RUN(flags ? CUDA_INVALID_VALUE : prefetch(p, address, bytes, BY_LOCATION(location), stream));
}
#else
API cudaMemAdvise(const void *address, size_t bytes, int advice, int device) {
    RUN(advise(p, address, bytes, advice, device == HOST_DEVICE, device));
}
API cudaMemAdvise_v2(const void *address, size_t bytes, int advice, cudaMemLocation location) {
    RUN(advise(p, address, bytes, advice, BY_LOCATION(location)));
}
API cudaMemPrefetchAsync(const void *address, size_t bytes, int device, rt_handle stream) {
    RUN(prefetch(p, address, bytes, device == HOST_DEVICE, device, stream));
}
API cudaMemPrefetchAsync_v2(const void *address, size_t bytes, cudaMemLocation location,
                            unsigned flags, rt_handle stream) {
    RUN(flags ? CUDA_INVALID_VALUE : prefetch(p, address, bytes, BY_LOCATION(location), stream));
}
#endif

API cudaStreamAttachMemAsync(rt_handle stream, void *address, size_t bytes, unsigned flags) {
    (void)bytes;
    RUN(flags > 4 || !cuda_memory_at(p, address) ? CUDA_INVALID_VALUE
        : cuda_stream_find(p, stream)            ? CUDA_SUCCESS
                                                 : CUDA_INVALID_RESOURCE_HANDLE);
}

/* ---- what there is --------------------------------------------------------------------------------- */

static cuda_error memory_info(const cuda_process *p, size_t *rest, size_t *total) {
    if (rest)
        *rest = (size_t)cuda_memory_left(p);
    if (total)
        *total = (size_t)p->device.memory;
    return CUDA_SUCCESS;
}

API cudaMemGetInfo(size_t *rest, size_t *total) { RUN(memory_info(p, rest, total)); }

/* cudaMemoryType of each kind. */
static const int types[] = {[CUDA_MEMORY_DEVICE] = 2,
                            [CUDA_MEMORY_MANAGED] = 3,
                            [CUDA_MEMORY_PINNED] = 1,
                            [CUDA_MEMORY_REGISTERED] = 1,
                            [CUDA_MEMORY_VARIABLE] = 2};

static cuda_error pointer_attributes(cuda_process *p, cudaPointerAttributes *result,
                                     const void *pointer) {
    void *address = (void *)(uintptr_t)pointer;
    if (!result || !pointer)
        return CUDA_INVALID_VALUE;
    const cuda_allocation *a = cuda_memory_at(p, pointer);
    *result = (cudaPointerAttributes){.device = a ? 0 : INVALID_DEVICE, .hostPointer = address};
    if (!a)
        return CUDA_SUCCESS;
    result->type = types[a->kind];
    result->devicePointer = address;
    if (result->type == 2)
        result->hostPointer = NULL;
    return CUDA_SUCCESS;
}

API cudaPointerGetAttributes(cudaPointerAttributes *result, const void *pointer) {
    RUN(pointer_attributes(p, result, pointer));
}

static cuda_error symbol(cuda_process *p, const void *host, void **address, size_t *bytes) {
    void *at;
    size_t length;
    cuda_error error =
        cuda_variable_of_host(p, host, address ? address : &at, bytes ? bytes : &length);
    return error;
}

cuda_error rt_symbol(cuda_process *p, const void *host, size_t offset, size_t count,
                     void **address) {
    size_t bytes;
    cuda_error error = symbol(p, host, address, &bytes);
    if (!error && (offset > bytes || count > bytes - offset))
        error = CUDA_INVALID_VALUE;
    if (!error)
        *address = (char *)*address + offset;
    return error;
}

API cudaGetSymbolAddress(void **address, const void *host) {
    RUN(address ? symbol(p, host, address, NULL) : CUDA_INVALID_VALUE);
}
API cudaGetSymbolSize(size_t *bytes, const void *host) {
    RUN(bytes ? symbol(p, host, NULL, bytes) : CUDA_INVALID_VALUE);
}
