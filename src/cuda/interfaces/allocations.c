/* Memory of all kinds, pools, and hints about managed memory. */
#include "cuda/interfaces/call.h"

enum {
    PITCH = 512, /* bytes that rows of pitched memory are a multiple of */
    OF_DEVICE = 1 << CUDA_MEMORY_DEVICE | 1 << CUDA_MEMORY_MANAGED,
    OF_HOST = 1 << CUDA_MEMORY_PINNED
};

/* ---- allocating -------------------------------------------------------------------------------- */

/* Nothing can be had of the runtime alone. */
static cuda_error make(cuda_process *p, cuda_memory_kind kind, size_t bytes, void **address) {
    if (!address || (!IS_RUNTIME && !bytes))
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_not_captured(p);
    return error ? error : cuda_memory_make(p, kind, bytes, address);
}

static cuda_error end(cuda_process *p, const void *address, unsigned kinds) {
    cuda_error error = cuda_not_captured(p);
    return error ? error : cuda_memory_end(p, address, kinds, CUDA_INVALID_VALUE);
}

CALL(NAMES(cudaMalloc, cuMemAlloc_v2), (void **address, size_t bytes), address, bytes) {
    return make(p, CUDA_MEMORY_DEVICE, bytes, address);
}
CALL_ANYWHERE(NAMES(cudaFree, cuMemFree_v2), (void *address), address) {
    return end(p, address, OF_DEVICE);
}
CALL(NAMES(cudaMallocManaged, cuMemAllocManaged), (void **address, size_t bytes, unsigned flags),
     address, bytes, flags) {
    return (flags != 1 && flags != 2) || !bytes ? CUDA_INVALID_VALUE
                                                : make(p, CUDA_MEMORY_MANAGED, bytes, address);
}

/* Rows of `width` bytes, `rows` of them. */
static cuda_error make_pitched(cuda_process *p, size_t width, size_t rows, void **address,
                               size_t *pitch) {
    size_t bytes;
    if (!address || !pitch)
        return CUDA_INVALID_VALUE;
    *pitch = (size_t)hd_align_up(width, PITCH);
    if (__builtin_mul_overflow(*pitch, rows, &bytes))
        return CUDA_OUT_OF_MEMORY;
    return make(p, CUDA_MEMORY_DEVICE, bytes, address);
}

#ifdef CUDART
CALL(cudaMallocPitch, (void **address, size_t *pitch, size_t width, size_t height), address, pitch,
     width, height) {
    return make_pitched(p, width, height, address, pitch);
}
CALL(cudaMalloc3D, (cudaPitchedPtr * result, cudaExtent extent), result, extent) {
    size_t rows, pitch;
    void *address;
    if (!result)
        return CUDA_INVALID_VALUE;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return CUDA_OUT_OF_MEMORY;
    cuda_error error = make_pitched(p, extent.width, rows, &address, &pitch);
    if (!error)
        *result = (cudaPitchedPtr){address, pitch, extent.width, extent.height};
    return error;
}
#else
CALL(cuMemAllocPitch_v2,
     (void **address, size_t *pitch, size_t width, size_t height, unsigned element), address, pitch,
     width, height, element) {
    return element != 4 && element != 8 && element != 16
               ? CUDA_INVALID_VALUE
               : make_pitched(p, width, height, address, pitch);
}
#endif

/* ---- host memory ------------------------------------------------------------------------------- */

static cuda_error make_host(cuda_process *p, void **address, size_t bytes, unsigned flags) {
    cuda_error error = flags > 7 ? CUDA_INVALID_VALUE : make(p, CUDA_MEMORY_PINNED, bytes, address);
    if (!error && *address)
        cuda_memory_at(p, *address)->flags = flags;
    return error;
}

CALL(NAMES(cudaHostAlloc, cuMemHostAlloc), (void **address, size_t bytes, unsigned flags), address,
     bytes, flags) {
    return make_host(p, address, bytes, flags);
}
CALL(NAMES(cudaMallocHost, cuMemAllocHost_v2), (void **address, size_t bytes), address, bytes) {
    return make_host(p, address, bytes, 0);
}
CALL_ANYWHERE(NAMES(cudaFreeHost, cuMemFreeHost), (void *address), address) {
    return !address && !IS_RUNTIME ? CUDA_INVALID_VALUE : end(p, address, OF_HOST);
}
CALL(NAMES(cudaHostRegister, cuMemHostRegister_v2), (void *address, size_t bytes, unsigned flags),
     address, bytes, flags) {
    return flags > 15 ? CUDA_INVALID_VALUE : cuda_memory_register(p, address, bytes, flags);
}
CALL_ANYWHERE(NAMES(cudaHostUnregister, cuMemHostUnregister), (void *address), address) {
    return address ? cuda_memory_end(p, address, 1 << CUDA_MEMORY_REGISTERED,
                                     CUDA_HOST_MEMORY_NOT_REGISTERED)
                   : CUDA_INVALID_VALUE;
}

static const cuda_allocation *host_at(const cuda_process *p, const void *address) {
    const cuda_allocation *a = cuda_memory_at(p, address);
    return a && (a->kind == CUDA_MEMORY_PINNED || a->kind == CUDA_MEMORY_REGISTERED) ? a : NULL;
}

CALL(NAMES(cudaHostGetDevicePointer, cuMemHostGetDevicePointer_v2),
     (void **result, void *host, unsigned flags), result, host, flags) {
    return GIVE(flags || !host_at(p, host) ? NULL : result, host);
}
CALL(NAMES(cudaHostGetFlags, cuMemHostGetFlags), (unsigned *flags, void *host), flags, host) {
    const cuda_allocation *a = host_at(p, host);
    return GIVE(a ? flags : NULL, a->flags | 2); /* all of it is mapped */
}

CALL(NAMES(cudaMemGetInfo, cuMemGetInfo_v2), (size_t *rest, size_t *total), rest, total) {
    if (!IS_RUNTIME && (!rest || !total))
        return CUDA_INVALID_VALUE;
    if (rest)
        *rest = (size_t)cuda_memory_left(p);
    if (total)
        *total = (size_t)p->device.memory;
    return CUDA_SUCCESS;
}

/* ---- pools: of a device, so that no context need be current ---------------------------------- */

static cuda_pool *pool_of(cuda_process *p, cuda_handle pool) {
    if (!pool || pool == &p->memory->default_pool)
        return &p->memory->default_pool;
    return cuda_handle_is(p, pool, CUDA_POOL) ? pool : NULL;
}

/* In a stream that captures, allocating and freeing become nodes; the work holds a use. */
static cuda_error capture(cuda_process *p, cuda_handle stream, cuda_work *work) {
    cuda_error error = cuda_submit(p, stream, work);
    cuda_work_drop(work);
    return error;
}

static cuda_error make_from(cuda_process *p, void **address, size_t bytes, cuda_pool *pool,
                            cuda_handle which) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    if (!stream || !pool || !address)
        return stream ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;
    if (stream->capture) {
        cuda_work work;
        cuda_error error = cuda_graph_memory_make(p, bytes, &work);
        if (error)
            return error;
        *address = work.memory->address;
        return capture(p, which, &work);
    }
    if (pool->limit && (bytes > pool->limit || pool->used > pool->limit - bytes))
        return CUDA_OUT_OF_MEMORY;
    cuda_error error = make(p, CUDA_MEMORY_DEVICE, bytes, address);
    if (!error && *address)
        cuda_memory_set_pool(p, *address, pool);
    return error;
}

CALL(NAMES(cudaMallocAsync, cuMemAllocAsync), (void **address, size_t bytes, cuda_handle stream),
     address, bytes, stream) {
    return make_from(p, address, bytes, p->memory->current_pool, stream);
}
CALL(NAMES(cudaMallocFromPoolAsync, cuMemAllocFromPoolAsync),
     (void **address, size_t bytes, cuda_handle pool, cuda_handle stream), address, bytes, pool,
     stream) {
    return make_from(p, address, bytes, pool_of(p, pool), stream);
}
CALL(NAMES(cudaFreeAsync, cuMemFreeAsync), (void *address, cuda_handle which), address, which) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    cuda_work work;
    if (!stream || !address)
        return stream ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;
    if (!stream->capture)
        return end(p, address, OF_DEVICE);
    cuda_error error = cuda_graph_memory_end(stream->capture->graph, address, &work);
    return error ? error : capture(p, which, &work);
}

CALL_ANYWHERE(NAMES(cudaDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool),
              (cuda_handle * pool, int device), pool, device) {
    return pool && device ? CUDA_INVALID_DEVICE : GIVE(pool, &p->memory->default_pool);
}
CALL_ANYWHERE(NAMES(cudaDeviceGetMemPool, cuDeviceGetMemPool), (cuda_handle * pool, int device),
              pool, device) {
    return pool && device ? CUDA_INVALID_DEVICE : GIVE(pool, p->memory->current_pool);
}
CALL_ANYWHERE(NAMES(cudaDeviceSetMemPool, cuDeviceSetMemPool), (int device, cuda_handle which),
              device, which) {
    cuda_pool *pool = which ? pool_of(p, which) : NULL;
    if (device || !pool)
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    p->memory->current_pool = pool;
    return CUDA_SUCCESS;
}
/* Whether memory of this kind at this place can be had of a pool: it is pinned on the device. */
static cuda_error location_error(const cudaMemLocation *location, int kind) {
    enum { PINNED = 1 };
    if (!location || location->type < CUDA_ON_DEVICE || location->type > CUDA_ON_THIS_NODE)
        return CUDA_INVALID_VALUE;
    if (kind != PINNED || location->type != CUDA_ON_DEVICE)
        return CUDA_NOT_SUPPORTED;
    return location->id ? CUDA_INVALID_DEVICE : CUDA_SUCCESS;
}
CALL_ANYWHERE(NAMES(cudaMemGetDefaultMemPool, cuMemGetDefaultMemPool),
              (cuda_handle * pool, const cudaMemLocation *location, int kind), pool, location,
              kind) {
    cuda_error error = location_error(location, kind);
    return error ? error : GIVE(pool, &p->memory->default_pool);
}
CALL_ANYWHERE(NAMES(cudaMemGetMemPool, cuMemGetMemPool),
              (cuda_handle * pool, const cudaMemLocation *location, int kind), pool, location,
              kind) {
    cuda_error error = location_error(location, kind);
    return error ? error : GIVE(pool, p->memory->current_pool);
}
CALL_ANYWHERE(NAMES(cudaMemSetMemPool, cuMemSetMemPool),
              (const cudaMemLocation *location, int kind, cuda_handle which), location, kind,
              which) {
    cuda_error error = location_error(location, kind);
    cuda_pool *pool = which ? pool_of(p, which) : NULL;
    if (!error && !pool)
        error = CUDA_INVALID_VALUE;
    if (!error)
        p->memory->current_pool = pool;
    return error;
}

typedef struct pool_properties { /* cudaMemPoolProps, CUmemPoolProps */
    int kind, handles;
    cudaMemLocation location;
    void *security;
    size_t limit;
} pool_properties;

static cuda_error check_pool(cuda_process *p, const pool_properties *made) {
    enum { PINNED = 1 };
    if (made->kind != PINNED || made->location.type < CUDA_ON_DEVICE ||
        made->location.type >= CUDA_ON_THIS_NODE ||
        (made->location.type == CUDA_ON_DEVICE && made->location.id))
        return CUDA_INVALID_VALUE;
    if (made->location.type == CUDA_ON_DEVICE && !made->handles)
        return CUDA_SUCCESS;
    cuda_say(p, "warning: a pool of %s is not there; making one returns 'not supported'",
             made->handles ? "memory that other processes share" : "host memory");
    return CUDA_NOT_SUPPORTED;
}

CALL_ANYWHERE(NAMES(cudaMemPoolCreate, cuMemPoolCreate),
              (cuda_handle * result, const pool_properties *properties), result, properties) {
    cuda_error error = result && properties ? check_pool(p, properties) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    cuda_pool *pool = cuda_handle_new(p, CUDA_POOL, sizeof *pool);
    *pool = cuda_pool_of(properties->limit);
    *result = pool;
    return CUDA_SUCCESS;
}
CALL_ANYWHERE(NAMES(cudaMemPoolDestroy, cuMemPoolDestroy), (cuda_handle pool), pool) {
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

/* cudaMemPoolAttr: what is set and given back, and what is counted. */
enum { FOLLOW = 1, OPPORTUNISTIC, INTERNAL, THRESHOLD, RESERVED, MOST_RESERVED, USED, MOST_USED };

static int *pool_flag(cuda_pool *pool, int attribute) {
    return attribute == FOLLOW          ? &pool->follow
           : attribute == OPPORTUNISTIC ? &pool->opportunistic
           : attribute == INTERNAL      ? &pool->internal
                                        : NULL;
}

CALL_ANYWHERE(NAMES(cudaMemPoolGetAttribute, cuMemPoolGetAttribute),
              (cuda_handle which, int attribute, void *value), which, attribute, value) {
    cuda_pool *pool = pool_of(p, which);
    if (!pool || !value)
        return CUDA_INVALID_VALUE;
    const int *flag = pool_flag(pool, attribute);
    uint64_t *number = value;
    if (flag)
        *(int *)value = *flag;
    else if (attribute == THRESHOLD)
        *number = pool->threshold;
    else if (attribute == RESERVED || attribute == USED)
        *number = pool->used;
    else if (attribute == MOST_RESERVED || attribute == MOST_USED)
        *number = pool->most_used;
    else
        return CUDA_INVALID_VALUE;
    return CUDA_SUCCESS;
}
CALL_ANYWHERE(NAMES(cudaMemPoolSetAttribute, cuMemPoolSetAttribute),
              (cuda_handle which, int attribute, void *value), which, attribute, value) {
    cuda_pool *pool = pool_of(p, which);
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

/* The device has access to its pools, and nobody else. */
enum { READ_AND_WRITE = 3 };
typedef struct access_description { /* cudaMemAccessDesc, CUmemAccessDesc */
    cudaMemLocation location;
    int flags;
} access_description;

CALL_ANYWHERE(NAMES(cudaMemPoolSetAccess, cuMemPoolSetAccess),
              (cuda_handle pool, const access_description *descriptions, size_t count), pool,
              descriptions, count) {
    if (!pool_of(p, pool) || (count && !descriptions))
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (descriptions[i].location.type != CUDA_ON_DEVICE)
            return CUDA_INVALID_VALUE;
        else if (descriptions[i].location.id || descriptions[i].flags != READ_AND_WRITE)
            return CUDA_INVALID_DEVICE;
    return CUDA_SUCCESS;
}
CALL_ANYWHERE(NAMES(cudaMemPoolGetAccess, cuMemPoolGetAccess),
              (int *flags, cuda_handle pool, const cudaMemLocation *location), flags, pool,
              location) {
    if (!location || !pool_of(p, pool) || location->type < CUDA_ON_DEVICE ||
        location->type > CUDA_ON_THIS_NODE)
        return CUDA_INVALID_VALUE;
    return GIVE(flags, location->type != CUDA_ON_DEVICE || location->id ? 0 : READ_AND_WRITE);
}
/* Nothing is kept back, neither of pools nor of what graphs allocate. */
CALL_ANYWHERE(NAMES(cudaMemPoolTrimTo, cuMemPoolTrimTo), (cuda_handle pool, size_t bytes), pool,
              bytes) {
    (void)bytes;
    return pool_of(p, pool) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}
/* cudaGraphMemAttributeType, CUgraphMem_attribute: nothing is reserved but what is used. */
enum { GRAPH_USED, GRAPH_MOST_USED, GRAPH_RESERVED, GRAPH_MOST_RESERVED };

CALL_ANYWHERE(NAMES(cudaDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute),
              (int device, int attribute, uint64_t *value), device, attribute, value) {
    const cuda_pool *pool = &p->memory->graph_pool;
    if (device || attribute < GRAPH_USED || attribute > GRAPH_MOST_RESERVED)
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    bool most = attribute == GRAPH_MOST_USED || attribute == GRAPH_MOST_RESERVED;
    return GIVE(value, most ? pool->most_used : pool->used);
}
CALL_ANYWHERE(NAMES(cudaDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute),
              (int device, int attribute, const uint64_t *value), device, attribute, value) {
    cuda_pool *pool = &p->memory->graph_pool;
    bool most = attribute == GRAPH_MOST_USED || attribute == GRAPH_MOST_RESERVED;
    if (device || !value || *value || !most)
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    pool->most_used = pool->used;
    return CUDA_SUCCESS;
}
CALL_ANYWHERE(NAMES(cudaDeviceGraphMemTrim, cuDeviceGraphMemTrim), (int device), device) {
    return device ? CUDA_INVALID_DEVICE : CUDA_SUCCESS;
}

/* ---- managed memory: hints --------------------------------------------------------------------- */

static cuda_location location_of(cudaMemLocation l) {
    return l.type == CUDA_ON_THIS_NODE ? (cuda_location){CUDA_ON_NODE, 0}
                                       : (cuda_location){l.type, l.id};
}

static cuda_error prefetch(cuda_process *p, const void *address, size_t bytes,
                           cuda_location location, cuda_handle stream) {
    return cuda_stream_find(p, stream) ? cuda_memory_prefetch(p, address, bytes, location)
                                       : CUDA_INVALID_HANDLE;
}

/* By a location since CUDA 13, whose forms have a number before, and in the driver. */
#if defined(CUDART) && CUDART >= 13
#define ADVISE cudaMemAdvise
#define PREFETCH cudaMemPrefetchAsync
#else
#define ADVISE NAMES(cudaMemAdvise_v2, cuMemAdvise_v2)
#define PREFETCH NAMES(cudaMemPrefetchAsync_v2, cuMemPrefetchAsync_v2)
CALL(NAMES(cudaMemAdvise, cuMemAdvise), (const void *address, size_t bytes, int advice, int device),
     address, bytes, advice, device) {
    return cuda_memory_advise(p, address, bytes, advice, cuda_location_of(device));
}
CALL(NAMES(cudaMemPrefetchAsync, cuMemPrefetchAsync),
     (const void *address, size_t bytes, int device, cuda_handle stream), address, bytes, device,
     stream) {
    return prefetch(p, address, bytes, cuda_location_of(device), stream);
}
#endif
CALL(ADVISE, (const void *address, size_t bytes, int advice, cudaMemLocation location), address,
     bytes, advice, location) {
    return cuda_memory_advise(p, address, bytes, advice, location_of(location));
}
CALL(PREFETCH,
     (const void *address, size_t bytes, cudaMemLocation location, unsigned flags,
      cuda_handle stream),
     address, bytes, location, flags, stream) {
    return flags ? CUDA_INVALID_VALUE : prefetch(p, address, bytes, location_of(location), stream);
}

static cuda_error range_attribute(cuda_process *p, void *data, size_t size, int attribute,
                                  const void *address, size_t bytes) {
    return !data || size % sizeof(int32_t)
               ? CUDA_INVALID_VALUE
               : cuda_memory_range(p, address, bytes, attribute, data, size / sizeof(int32_t));
}
CALL(NAMES(cudaMemRangeGetAttribute, cuMemRangeGetAttribute),
     (void *data, size_t size, int attribute, const void *address, size_t bytes), data, size,
     attribute, address, bytes) {
    return range_attribute(p, data, size, attribute, address, bytes);
}
CALL(NAMES(cudaMemRangeGetAttributes, cuMemRangeGetAttributes),
     (void **data, const size_t *sizes, const int *attributes, size_t count, const void *address,
      size_t bytes),
     data, sizes, attributes, count, address, bytes) {
    cuda_error error = data && sizes && attributes && count ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++)
        error = range_attribute(p, data[i], sizes[i], attributes[i], address, bytes);
    return error;
}

/* ---- batches: each of `count` ranges is of one of the items, which say at which range they begin -- */

static cuda_error check_batch(size_t count, const void *items, const size_t *begins, size_t most) {
    if (!most || most > count || !items || !begins || begins[0])
        return CUDA_INVALID_VALUE;
    for (size_t i = 1; i < most; i++)
        if (begins[i] <= begins[i - 1] || begins[i] >= count)
            return CUDA_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* A stream that waits for no other and that no other waits for. */
static cuda_error check_stream(cuda_process *p, cuda_handle which) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    return !stream                         ? CUDA_INVALID_HANDLE
           : stream == &p->streams->legacy ? CUDA_INVALID_VALUE
                                           : CUDA_SUCCESS;
}

static cuda_error discard(cuda_process *p, void *const *addresses, const size_t *bytes,
                          size_t count, unsigned long long flags, cuda_handle stream) {
    cuda_error error = check_stream(p, stream);
    if (!error && (flags || !addresses || !bytes || !count))
        error = CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++) /* it is lost, or as it was: that is as good */
        error = cuda_memory_hint(p, addresses[i], bytes[i], false);
    return error;
}

static cuda_error prefetch_all(cuda_process *p, void *const *addresses, const size_t *bytes,
                               size_t count, const cudaMemLocation *locations, const size_t *begins,
                               size_t location_count, unsigned long long flags,
                               cuda_handle stream) {
    cuda_error error = check_stream(p, stream);
    if (!error && (flags || !addresses || !bytes))
        error = CUDA_INVALID_VALUE;
    if (!error)
        error = check_batch(count, locations, begins, location_count);
    for (size_t i = 0, at = 0; i < count && !error; i++) {
        at += at + 1 < location_count && begins[at + 1] == i;
        error = cuda_memory_prefetch(p, addresses[i], bytes[i], location_of(locations[at]));
    }
    return error;
}

CALL(NAMES(cudaMemPrefetchBatchAsync, cuMemPrefetchBatchAsync),
     (void **addresses, size_t *bytes, size_t count, cudaMemLocation *locations, size_t *begins,
      size_t location_count, unsigned long long flags, cuda_handle stream),
     addresses, bytes, count, locations, begins, location_count, flags, stream) {
    return prefetch_all(p, addresses, bytes, count, locations, begins, location_count, flags,
                        stream);
}
CALL(NAMES(cudaMemDiscardBatchAsync, cuMemDiscardBatchAsync),
     (void **addresses, size_t *bytes, size_t count, unsigned long long flags, cuda_handle stream),
     addresses, bytes, count, flags, stream) {
    return discard(p, addresses, bytes, count, flags, stream);
}
CALL(NAMES(cudaMemDiscardAndPrefetchBatchAsync, cuMemDiscardAndPrefetchBatchAsync),
     (void **addresses, size_t *bytes, size_t count, cudaMemLocation *locations, size_t *begins,
      size_t location_count, unsigned long long flags, cuda_handle stream),
     addresses, bytes, count, locations, begins, location_count, flags, stream) {
    cuda_error error = discard(p, addresses, bytes, count, flags, stream);
    return error ? error
                 : prefetch_all(p, addresses, bytes, count, locations, begins, location_count,
                                flags, stream);
}

/* cudaMemcpyAttributes, CUmemcpyAttributes; when the source is read, and hints. */
typedef struct copy_attributes {
    int order;
    cudaMemLocation from, to;
    unsigned flags;
} copy_attributes;

static bool is_order(int order) { return order >= 1 && order <= 3; }

static cuda_error copy_all(cuda_process *p, void *const *to, const void *const *from,
                           const size_t *bytes, size_t count, const copy_attributes *attributes,
                           const size_t *begins, size_t attribute_count, cuda_handle stream) {
    cuda_error error = check_stream(p, stream);
    if (!error && (!to || !from || !bytes))
        error = CUDA_INVALID_VALUE;
    if (!error)
        error = check_batch(count, attributes, begins, attribute_count);
    for (size_t i = 0; i < attribute_count && !error; i++)
        error = is_order(attributes[i].order) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++) {
        const cuda_work work = cuda_copy_bytes(to[i], from[i], bytes[i], CUDA_BY_ADDRESS);
        error = cuda_submit(p, stream, &work);
    }
    return error;
}

/* A side of a box, cudaMemcpy3DOperand: a pointer, or an array. */
typedef struct batch_side {
    int kind;
    void *at;
    size_t row, height;
    cudaMemLocation hint;
} batch_side;
typedef struct batch_box { /* cudaMemcpy3DBatchOp, CUDA_MEMCPY3D_BATCH_OP */
    batch_side from, to;
    size_t width, height, depth;
    int order;
    unsigned flags;
} batch_box;

static cuda_place place_of(const batch_side *s, const batch_box *b) {
    size_t row = s->row ? s->row : b->width;
    return (cuda_place){s->at, row, row * (s->height ? s->height : b->height)};
}

static cuda_error copy_boxes(cuda_process *p, size_t count, const batch_box *boxes,
                             unsigned long long flags, cuda_handle stream) {
    enum { POINTER = 1, ARRAY = 2 };
    cuda_error error = check_stream(p, stream);
    if (!error && (!boxes || !count || flags))
        error = CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++) {
        const batch_box *b = &boxes[i];
        if (b->from.kind != POINTER || b->to.kind != POINTER || !is_order(b->order))
            return b->from.kind == ARRAY || b->to.kind == ARRAY ? CUDA_NOT_SUPPORTED
                                                                : CUDA_INVALID_VALUE;
        const cuda_work work = {.kind = CUDA_WORK_COPY,
                                .copy = {place_of(&b->to, b),
                                         place_of(&b->from, b),
                                         {b->width, b->height, b->depth},
                                         CUDA_BY_ADDRESS}};
        error = cuda_submit(p, stream, &work);
    }
    return error;
}

/* Before CUDA 13 they also say which copy failed; nothing is known before all have been tried. */
#define COPY_BATCHES(copies, boxes_name, FAILED)                                                 \
    CALL(copies,                                                                                 \
         (void *const *to, const void *const *from, const size_t *bytes, size_t count,           \
          copy_attributes *attributes, size_t *begins,                                           \
          size_t attribute_count FAILED(, size_t *failed), cuda_handle stream),                  \
         to, from, bytes, count, attributes, begins, attribute_count FAILED(, failed), stream) { \
        FAILED(if (failed) *failed = SIZE_MAX;)                                                  \
        return copy_all(p, to, from, bytes, count, attributes, begins, attribute_count, stream); \
    }                                                                                            \
    CALL(boxes_name,                                                                             \
         (size_t count, batch_box *boxes FAILED(, size_t *failed), unsigned long long flags,     \
          cuda_handle stream),                                                                   \
         count, boxes FAILED(, failed), flags, stream) {                                         \
        FAILED(if (failed) *failed = SIZE_MAX;)                                                  \
        return copy_boxes(p, count, boxes, flags, stream);                                       \
    }
#define WITH(...) __VA_ARGS__
#define WITHOUT(...)
#if defined(CUDART) && CUDART >= 13
COPY_BATCHES(cudaMemcpyBatchAsync, cudaMemcpy3DBatchAsync, WITHOUT)
#else
COPY_BATCHES(NAMES(cudaMemcpyBatchAsync, cuMemcpyBatchAsync),
             NAMES(cudaMemcpy3DBatchAsync, cuMemcpy3DBatchAsync), WITH)
#endif
#ifndef CUDART
COPY_BATCHES(cuMemcpyBatchAsync_v2, cuMemcpy3DBatchAsync_v2, WITHOUT)
#endif

CALL(NAMES(cudaStreamAttachMemAsync, cuStreamAttachMemAsync),
     (cuda_handle which, void *address, size_t bytes, unsigned flags), which, address, bytes,
     flags) {
    enum { TO_ALL = 1, TO_HOST = 2, TO_STREAM = 4 };
    const cuda_stream *stream = cuda_stream_find(p, which);
    const cuda_allocation *a = cuda_memory_at(p, address);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if ((flags != TO_ALL && flags != TO_HOST && flags != TO_STREAM) ||
        (flags == TO_STREAM && stream == &p->streams->legacy))
        return CUDA_INVALID_VALUE;
    /* All of it, or none. */
    return a && a->address == (uintptr_t)address && (!bytes || bytes == a->bytes)
               ? cuda_memory_hint(p, address, a->bytes, false)
               : CUDA_INVALID_VALUE;
}
