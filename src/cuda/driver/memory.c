/* Memory, copies, fills, and what is known of pointers. */
#include "cuda/driver/driver.h"

enum {
    PITCH = 512,
    OF_DEVICE_KINDS = 1 << CUDA_MEMORY_DEVICE | 1 << CUDA_MEMORY_MANAGED,
    ATTACHED = 3
};

/* ---- allocating -------------------------------------------------------------------------------------- */

static cuda_error make(cuda_process *p, cuda_memory_kind kind, size_t bytes, void **result) {
    if (!result || !bytes) /* here, unlike in the runtime, nothing cannot be had */
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_not_captured(p);
    return error ? error : cuda_memory_make(p, kind, bytes, result);
}

static cuda_error make_at(cuda_process *p, cuda_memory_kind kind, size_t bytes, address *result) {
    void *made;
    cuda_error error = result ? make(p, kind, bytes, &made) : CUDA_INVALID_VALUE;
    if (!error)
        *result = (address)(uintptr_t)made;
    return error;
}

static cuda_error end(cuda_process *p, const void *at, unsigned kinds) {
    cuda_error error = cuda_not_captured(p);
    return error ? error : cuda_memory_end(p, at, kinds, CUDA_INVALID_VALUE);
}

API cuMemAlloc_v2(address *result, size_t bytes) {
    RUN(make_at(p, CUDA_MEMORY_DEVICE, bytes, result));
}
API cuMemAllocManaged(address *result, size_t bytes, unsigned flags) {
    RUN(!(flags & ATTACHED) ? CUDA_INVALID_VALUE : make_at(p, CUDA_MEMORY_MANAGED, bytes, result));
}
API cuMemFree_v2(address at) { RUN_ANYWHERE(end(p, dr_pointer(at), OF_DEVICE_KINDS)); }

static cuda_error make_pitched(cuda_process *p, address *result, size_t *pitch, size_t width,
                               size_t height, unsigned element) {
    size_t bytes;
    if (!pitch || (element != 4 && element != 8 && element != 16))
        return CUDA_INVALID_VALUE;
    *pitch = (size_t)hd_align_up(width, PITCH);
    if (__builtin_mul_overflow(*pitch, height, &bytes))
        return CUDA_MEMORY_ALLOCATION;
    return make_at(p, CUDA_MEMORY_DEVICE, bytes, result);
}
API cuMemAllocPitch_v2(address *result, size_t *pitch, size_t width, size_t height,
                       unsigned element) {
    RUN(make_pitched(p, result, pitch, width, height, element));
}

API cuMemAllocAsync(address *result, size_t bytes, dr_handle stream) {
    RUN(cuda_stream_find(p, stream) ? make_at(p, CUDA_MEMORY_DEVICE, bytes, result)
                                    : CUDA_INVALID_RESOURCE_HANDLE);
}
API cuMemFreeAsync(address at, dr_handle stream) {
    RUN(cuda_stream_find(p, stream) ? end(p, dr_pointer(at), OF_DEVICE_KINDS)
                                    : CUDA_INVALID_RESOURCE_HANDLE);
}

static cuda_error make_host(cuda_process *p, void **result, size_t bytes, unsigned flags) {
    cuda_error error = flags > 7 ? CUDA_INVALID_VALUE : make(p, CUDA_MEMORY_PINNED, bytes, result);
    if (!error)
        cuda_memory_at(p, *result)->flags = flags;
    return error;
}
API cuMemHostAlloc(void **result, size_t bytes, unsigned flags) {
    RUN(make_host(p, result, bytes, flags));
}
API cuMemAllocHost_v2(void **result, size_t bytes) { RUN(make_host(p, result, bytes, 0)); }
API cuMemFreeHost(void *at) {
    RUN_ANYWHERE(at ? end(p, at, 1 << CUDA_MEMORY_PINNED) : CUDA_INVALID_VALUE);
}
API cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags) {
    RUN(flags > 15 ? CUDA_INVALID_VALUE : cuda_memory_register(p, at, bytes, flags));
}
API cuMemHostUnregister(void *at) {
    RUN_ANYWHERE(
        at ? cuda_memory_end(p, at, 1 << CUDA_MEMORY_REGISTERED, CUDA_HOST_MEMORY_NOT_REGISTERED)
           : CUDA_INVALID_VALUE);
}

static const cuda_allocation *host_at(const cuda_process *p, const void *at) {
    const cuda_allocation *a = cuda_memory_at(p, at);
    return a && (a->kind == CUDA_MEMORY_PINNED || a->kind == CUDA_MEMORY_REGISTERED) ? a : NULL;
}
API cuMemHostGetDevicePointer_v2(address *result, void *at, unsigned flags) {
    RUN(!result || flags || !host_at(p, at) ? CUDA_INVALID_VALUE
                                            : (*result = (address)(uintptr_t)at, CUDA_SUCCESS));
}
API cuMemHostGetFlags(unsigned *flags, void *at) {
    RUN(!flags || !host_at(p, at) ? CUDA_INVALID_VALUE
                                  : (*flags = host_at(p, at)->flags | 2, CUDA_SUCCESS));
}

API cuMemGetInfo_v2(size_t *rest, size_t *all) {
    RUN(!rest || !all
            ? CUDA_INVALID_VALUE
            : (*rest = (size_t)cuda_memory_left(p), *all = (size_t)p->device.memory, CUDA_SUCCESS));
}

static cuda_error range_of(cuda_process *p, address *base, size_t *bytes, address at) {
    const cuda_allocation *a = cuda_memory_at(p, dr_pointer(at));
    if (!a)
        return CUDA_INVALID_VALUE;
    if (base)
        *base = a->address;
    if (bytes)
        *bytes = a->bytes;
    return CUDA_SUCCESS;
}
API cuMemGetAddressRange_v2(address *base, size_t *bytes, address at) {
    RUN(range_of(p, base, bytes, at));
}

/* ---- copies ------------------------------------------------------------------------------------------------ */

static int copy(void *to, const void *from, size_t bytes, cuda_direction direction,
                dr_handle stream) {
    const cuda_work work = cuda_copy_bytes(to, from, bytes, direction);
    return dr_submit(stream, &work);
}

API cuMemcpy(address to, address from, size_t bytes) {
    return copy(dr_pointer(to), dr_pointer(from), bytes, CUDA_BY_ADDRESS, NULL);
}
API cuMemcpyAsync(address to, address from, size_t bytes, dr_handle stream) {
    return copy(dr_pointer(to), dr_pointer(from), bytes, CUDA_BY_ADDRESS, stream);
}
API cuMemcpyHtoD_v2(address to, const void *from, size_t bytes) {
    return copy(dr_pointer(to), from, bytes, CUDA_HOST_TO_DEVICE, NULL);
}
API cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, dr_handle stream) {
    return copy(dr_pointer(to), from, bytes, CUDA_HOST_TO_DEVICE, stream);
}
API cuMemcpyDtoH_v2(void *to, address from, size_t bytes) {
    return copy(to, dr_pointer(from), bytes, CUDA_DEVICE_TO_HOST, NULL);
}
API cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, dr_handle stream) {
    return copy(to, dr_pointer(from), bytes, CUDA_DEVICE_TO_HOST, stream);
}
API cuMemcpyDtoD_v2(address to, address from, size_t bytes) {
    return copy(dr_pointer(to), dr_pointer(from), bytes, CUDA_DEVICE_TO_DEVICE, NULL);
}
API cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, dr_handle stream) {
    return copy(dr_pointer(to), dr_pointer(from), bytes, CUDA_DEVICE_TO_DEVICE, stream);
}

/* Between contexts, which share all memory. */
API cuMemcpyPeer(address to, dr_handle to_context, address from, dr_handle from_context,
                 size_t bytes) {
    (void)to_context, (void)from_context;
    return copy(dr_pointer(to), dr_pointer(from), bytes, CUDA_DEVICE_TO_DEVICE, NULL);
}
API cuMemcpyPeerAsync(address to, dr_handle to_context, address from, dr_handle from_context,
                      size_t bytes, dr_handle stream) {
    (void)to_context, (void)from_context;
    return copy(dr_pointer(to), dr_pointer(from), bytes, CUDA_DEVICE_TO_DEVICE, stream);
}

/* CUmemorytype */
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_ARRAY = 3, TYPE_UNIFIED = 4 };

/* CUDA_MEMCPY2D: one side, then the other. */
typedef struct rows_side {
    size_t x, y;
    int type;
    const void *host;
    address device;
    dr_handle array;
    size_t pitch;
} rows_side;
typedef struct rows {
    rows_side from, to;
    size_t width, height;
} rows;

static cuda_place place_of(const rows_side *s, size_t width) {
    char *at = s->type == TYPE_HOST ? (char *)(uintptr_t)s->host : dr_pointer(s->device);
    size_t pitch = s->pitch ? s->pitch : width;
    return (cuda_place){at ? at + s->y * pitch + s->x : NULL, pitch, 0};
}

static cuda_direction direction_of(int from, int to) {
    if (from == TYPE_UNIFIED || to == TYPE_UNIFIED)
        return CUDA_BY_ADDRESS;
    return (cuda_direction)((from == TYPE_DEVICE) * 2 + (to == TYPE_DEVICE));
}

static int copy_rows(const rows *r, dr_handle stream) {
    if (!r)
        return CUDA_INVALID_VALUE;
    if (r->from.type == TYPE_ARRAY || r->to.type == TYPE_ARRAY)
        return CUDA_NOT_SUPPORTED;
    const cuda_work work = {.kind = CUDA_WORK_COPY,
                            .copy = {place_of(&r->to, r->width),
                                     place_of(&r->from, r->width),
                                     {r->width, r->height, 1},
                                     direction_of(r->from.type, r->to.type)}};
    return dr_submit(stream, &work);
}
API cuMemcpy2D_v2(const rows *r) { return copy_rows(r, NULL); }
API cuMemcpy2DUnaligned_v2(const rows *r) { return copy_rows(r, NULL); }
API cuMemcpy2DAsync_v2(const rows *r, dr_handle stream) { return copy_rows(r, stream); }

/* CUDA_MEMCPY3D: one side, then the other. */
typedef struct planes_side {
    size_t x, y, z, level;
    int type;
    const void *host;
    address device;
    dr_handle array;
    void *reserved;
    size_t pitch, height;
} planes_side;
typedef struct planes {
    planes_side from, to;
    size_t width, height, depth;
} planes;

static cuda_place plane_of(const planes_side *s, const planes *box) {
    char *at = s->type == TYPE_HOST ? (char *)(uintptr_t)s->host : dr_pointer(s->device);
    size_t pitch = s->pitch ? s->pitch : box->width;
    size_t plane = pitch * (s->height ? s->height : box->height);
    return (cuda_place){at ? at + s->z * plane + s->y * pitch + s->x : NULL, pitch, plane};
}

static int copy_planes(const planes *b, dr_handle stream) {
    if (!b)
        return CUDA_INVALID_VALUE;
    if (b->from.type == TYPE_ARRAY || b->to.type == TYPE_ARRAY)
        return CUDA_NOT_SUPPORTED;
    const cuda_work work = {.kind = CUDA_WORK_COPY,
                            .copy = {plane_of(&b->to, b),
                                     plane_of(&b->from, b),
                                     {b->width, b->height, b->depth},
                                     direction_of(b->from.type, b->to.type)}};
    return dr_submit(stream, &work);
}
API cuMemcpy3D_v2(const planes *b) { return copy_planes(b, NULL); }
API cuMemcpy3DAsync_v2(const planes *b, dr_handle stream) { return copy_planes(b, stream); }

/* ---- fills ---------------------------------------------------------------------------------------------------- */

static int fill(address to, uint32_t value, uint32_t element, size_t count, dr_handle stream) {
    const cuda_work work = cuda_fill_bytes(dr_pointer(to), value, element, count);
    return dr_submit(stream, &work);
}

API cuMemsetD8_v2(address to, unsigned char value, size_t count) {
    return fill(to, value, 1, count, NULL);
}
API cuMemsetD16_v2(address to, unsigned short value, size_t count) {
    return fill(to, value, 2, count, NULL);
}
API cuMemsetD32_v2(address to, unsigned value, size_t count) {
    return fill(to, value, 4, count, NULL);
}
API cuMemsetD8Async(address to, unsigned char value, size_t count, dr_handle stream) {
    return fill(to, value, 1, count, stream);
}
API cuMemsetD16Async(address to, unsigned short value, size_t count, dr_handle stream) {
    return fill(to, value, 2, count, stream);
}
API cuMemsetD32Async(address to, unsigned value, size_t count, dr_handle stream) {
    return fill(to, value, 4, count, stream);
}

static int fill_rows(address to, size_t pitch, uint32_t value, uint32_t element, size_t width,
                     size_t height, dr_handle stream) {
    const cuda_work work = {
        .kind = CUDA_WORK_FILL,
        .fill = {{dr_pointer(to), pitch, 0}, {width * element, height, 1}, value, element}};
    return dr_submit(stream, &work);
}

API cuMemsetD2D8_v2(address to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return fill_rows(to, pitch, value, 1, width, height, NULL);
}
API cuMemsetD2D16_v2(address to, size_t pitch, unsigned short value, size_t width, size_t height) {
    return fill_rows(to, pitch, value, 2, width, height, NULL);
}
API cuMemsetD2D32_v2(address to, size_t pitch, unsigned value, size_t width, size_t height) {
    return fill_rows(to, pitch, value, 4, width, height, NULL);
}
API cuMemsetD2D8Async(address to, size_t pitch, unsigned char value, size_t width, size_t height,
                      dr_handle stream) {
    return fill_rows(to, pitch, value, 1, width, height, stream);
}
API cuMemsetD2D16Async(address to, size_t pitch, unsigned short value, size_t width, size_t height,
                       dr_handle stream) {
    return fill_rows(to, pitch, value, 2, width, height, stream);
}
API cuMemsetD2D32Async(address to, size_t pitch, unsigned value, size_t width, size_t height,
                       dr_handle stream) {
    return fill_rows(to, pitch, value, 4, width, height, stream);
}

/* ---- managed memory: hints --------------------------------------------------------------------------- */

enum { HOST_DEVICE = -1 };

API cuMemAdvise(address at, size_t bytes, int advice, int device) {
    RUN(advice < 1 || advice > 6 ? CUDA_INVALID_VALUE
                                 : cuda_memory_hint(p, dr_pointer(at), bytes, device > 0));
}
API cuMemPrefetchAsync(address at, size_t bytes, int device, dr_handle stream) {
    RUN(cuda_stream_find(p, stream) ? cuda_memory_hint(p, dr_pointer(at), bytes, device > 0)
                                    : CUDA_INVALID_RESOURCE_HANDLE);
}

/* CUmemLocation */
typedef struct location {
    int type, id;
} location;
enum { LOCATION_DEVICE = 1 };

API cuMemAdvise_v2(address at, size_t bytes, int advice, location where) {
    return cuMemAdvise(at, bytes, advice, where.type == LOCATION_DEVICE ? where.id : HOST_DEVICE);
}
API cuMemPrefetchAsync_v2(address at, size_t bytes, location where, unsigned flags,
                          dr_handle stream) {
    int device = where.type == LOCATION_DEVICE ? where.id : HOST_DEVICE;
    return flags ? CUDA_INVALID_VALUE : cuMemPrefetchAsync(at, bytes, device, stream);
}

/* ---- pointers ----------------------------------------------------------------------------------------------------- */

/* CUpointer_attribute */
enum {
    OF_CONTEXT = 1,
    OF_TYPE = 2,
    OF_DEVICE_POINTER = 3,
    OF_HOST_POINTER = 4,
    OF_NUMBER = 7,
    OF_MANAGED = 8,
    OF_DEVICE = 9,
    OF_START = 11,
    OF_SIZE = 12,
    OF_MAPPED = 13
};

static cuda_error pointer_attribute(cuda_process *p, void *value, int attribute, address at) {
    const cuda_allocation *a = cuda_memory_at(p, dr_pointer(at));
    if (!value || !a)
        return CUDA_INVALID_VALUE;
    bool on_host = a->kind == CUDA_MEMORY_PINNED || a->kind == CUDA_MEMORY_REGISTERED;
    switch (attribute) {
    case OF_CONTEXT: *(dr_handle *)value = dr_context(); return CUDA_SUCCESS;
    case OF_TYPE: *(unsigned *)value = on_host ? TYPE_HOST : TYPE_DEVICE; return CUDA_SUCCESS;
    case OF_DEVICE_POINTER: *(address *)value = at; return CUDA_SUCCESS;
    case OF_HOST_POINTER:
        if (!on_host && a->kind != CUDA_MEMORY_MANAGED)
            return CUDA_INVALID_VALUE;
        *(address *)value = at;
        return CUDA_SUCCESS;
    case OF_NUMBER: *(unsigned long long *)value = a->number; return CUDA_SUCCESS;
    case OF_MANAGED: *(unsigned *)value = a->kind == CUDA_MEMORY_MANAGED; return CUDA_SUCCESS;
    case OF_DEVICE: *(int *)value = 0; return CUDA_SUCCESS;
    case OF_START: *(address *)value = a->address; return CUDA_SUCCESS;
    case OF_SIZE: *(size_t *)value = a->bytes; return CUDA_SUCCESS;
    case OF_MAPPED: *(unsigned *)value = 1; return CUDA_SUCCESS;
    default: return CUDA_NOT_SUPPORTED;
    }
}

API cuPointerGetAttribute(void *value, int attribute, address at) {
    RUN(pointer_attribute(p, value, attribute, at));
}

/* Of the host's own memory all are zeros. */
static cuda_error pointer_attributes(cuda_process *p, unsigned count, const int *attributes,
                                     void **values, address at) {
    if (!attributes || !values)
        return CUDA_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++)
        if (pointer_attribute(p, values[i], attributes[i], at) && values[i])
            memset(values[i], 0,
                   attributes[i] == OF_TYPE || attributes[i] == OF_DEVICE ||
                           attributes[i] == OF_MANAGED || attributes[i] == OF_MAPPED
                       ? 4
                       : 8);
    return CUDA_SUCCESS;
}
API cuPointerGetAttributes(unsigned count, const int *attributes, void **values, address at) {
    RUN(pointer_attributes(p, count, attributes, values, at));
}
