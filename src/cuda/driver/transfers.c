/* Copies, fills and launches, as the driver has them. */
#include <stdlib.h>

#include "cuda/cuda_array.h"
#include "cuda/interfaces/call.h"

/* ---- bytes ------------------------------------------------------------------------------------- */

WORK_CALLS(cuMemcpy, cuMemcpyAsync, (void *to, const void *from, size_t bytes),
           cuda_copy_bytes(to, from, bytes, CUDA_BY_ADDRESS))
WORK_CALLS(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, (void *to, const void *from, size_t bytes),
           cuda_copy_bytes(to, from, bytes, CUDA_HOST_TO_DEVICE))
WORK_CALLS(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, (void *to, const void *from, size_t bytes),
           cuda_copy_bytes(to, from, bytes, CUDA_DEVICE_TO_HOST))
WORK_CALLS(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, (void *to, const void *from, size_t bytes),
           cuda_copy_bytes(to, from, bytes, CUDA_DEVICE_TO_DEVICE))

/* Between contexts, which share all memory. */
CALL(cuMemcpyPeerAsync,
     (void *to, cuda_handle to_context, const void *from, cuda_handle from_context, size_t bytes,
      cuda_handle stream),
     to, to_context, from, from_context, bytes, stream) {
    const cuda_work work = cuda_copy_bytes(to, from, bytes, CUDA_DEVICE_TO_DEVICE);
    return call_is_context(p, to_context) && call_is_context(p, from_context)
               ? cuda_submit(p, stream, &work)
               : CUDA_INVALID_CONTEXT;
}
EXPORT int cuMemcpyPeer(void *to, cuda_handle to_context, const void *from,
                        cuda_handle from_context, size_t bytes) {
    return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, NULL);
}

/* ---- rows and planes --------------------------------------------------------------------------- */

/* CUmemorytype */
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_ARRAY = 3, TYPE_UNIFIED = 4 };

/* CUDA_MEMCPY2D: one side, then the other. */
typedef struct rows_side {
    size_t x, y;
    int type;
    const void *host;
    void *device;
    cuda_handle array;
    size_t pitch;
} rows_side;
typedef struct rows {
    rows_side from, to;
    size_t width, height;
} rows;

/* CUDA_MEMCPY3D: one side, then the other. */
typedef struct planes_side {
    size_t x, y, z, level;
    int type;
    const void *host;
    void *device;
    cuda_handle array;
    void *reserved;
    size_t pitch, height;
} planes_side;
typedef struct planes {
    planes_side from, to;
    size_t width, height, depth;
} planes;

/* Where a box stands in an array, or in memory of this kind. */
static cuda_error place_side(const cuda_process *p, const planes_side *s, const cuda_box *box,
                             cuda_place *place) {
    const size_t position[] = {s->x, s->y, s->z};
    if (s->type == TYPE_ARRAY)
        return cuda_array_place(p, s->array, position, box, place);
    char *at = s->type == TYPE_HOST ? (char *)(uintptr_t)s->host : s->device;
    const size_t pitch = s->pitch ? s->pitch : box->width;
    const size_t plane = pitch * (s->height ? s->height : box->height);
    *place = (cuda_place){at ? at + s->z * plane + s->y * pitch + s->x : NULL, pitch, plane};
    return CUDA_SUCCESS;
}

/* Sizes of what a box stands in hold it with its position; 0: the box's own. */
static bool fits(size_t size, size_t position, size_t of_box) {
    return !size || (size >= of_box && size - of_box >= position);
}
static bool side_fits(const planes_side *s, const planes *b) {
    return s->type >= TYPE_HOST && s->type <= TYPE_UNIFIED && !s->level &&
           (s->type == TYPE_ARRAY ||
            (fits(s->pitch, s->x, b->width) && fits(s->height, s->y, b->height)));
}

static bool is_of_device(int type) { return type == TYPE_DEVICE || type == TYPE_ARRAY; }

static cuda_error copy_planes(cuda_process *p, const planes *b, cuda_handle stream) {
    if (!b || !side_fits(&b->to, b) || !side_fits(&b->from, b))
        return CUDA_INVALID_VALUE;
    const bool unified = b->to.type == TYPE_UNIFIED || b->from.type == TYPE_UNIFIED;
    const int direction = is_of_device(b->from.type) * 2 + is_of_device(b->to.type);
    cuda_work work = {.kind = CUDA_WORK_COPY,
                      .copy = {.box = {b->width, b->height, b->depth},
                               .direction = unified ? CUDA_BY_ADDRESS : (cuda_direction)direction}};
    cuda_error error = place_side(p, &b->to, &work.copy.box, &work.copy.to);
    if (!error)
        error = place_side(p, &b->from, &work.copy.box, &work.copy.from);
    return error ? error : cuda_submit(p, stream, &work);
}
CALL(cuMemcpy3D_v2, (const planes *b), b) { return copy_planes(p, b, NULL); }
CALL(cuMemcpy3DAsync_v2, (const planes *b, cuda_handle stream), b, stream) {
    return copy_planes(p, b, stream);
}

static planes_side plane_of(const rows_side *s) {
    return (planes_side){.x = s->x,
                         .y = s->y,
                         .type = s->type,
                         .host = s->host,
                         .device = s->device,
                         .array = s->array,
                         .pitch = s->pitch};
}
static cuda_error copy_rows(cuda_process *p, const rows *r, cuda_handle stream) {
    return r ? copy_planes(p,
                           &(planes){plane_of(&r->from), plane_of(&r->to), r->width, r->height, 1},
                           stream)
             : CUDA_INVALID_VALUE;
}
CALL(cuMemcpy2D_v2, (const rows *r), r) { return copy_rows(p, r, NULL); }
CALL(cuMemcpy2DAsync_v2, (const rows *r, cuda_handle stream), r, stream) {
    return copy_rows(p, r, stream);
}

/* ---- fills ------------------------------------------------------------------------------------- */

static cuda_work fill_work(void *to, size_t pitch, uint32_t value, uint32_t element, size_t width,
                           size_t height) {
    return (cuda_work){.kind = CUDA_WORK_FILL,
                       .fill = {{to, pitch, 0}, {width * element, height, 1}, value, element}};
}

/* Those of values of so many bits. */
#define FILLS(bits, type)                                                                          \
    WORK_CALLS(cuMemsetD##bits##_v2, cuMemsetD##bits##Async, (void *to, type value, size_t count), \
               cuda_fill_bytes(to, value, (bits) / 8, count))                                      \
    WORK_CALLS(cuMemsetD2D##bits##_v2, cuMemsetD2D##bits##Async,                                   \
               (void *to, size_t pitch, type value, size_t width, size_t height),                  \
               fill_work(to, pitch, value, (bits) / 8, width, height))
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)

/* ---- launches ---------------------------------------------------------------------------------- */

/* What `extra` holds: pairs of a key and a value. */
enum { EXTRA_END, EXTRA_BUFFER, EXTRA_BYTES };

/* Pointers into a packed buffer; NULL: it is too short for the parameters. */
static void **unpack(const cuda_kernel *k, void **extra) {
    char *buffer = NULL;
    size_t bytes = 0;
    for (; (uintptr_t)*extra != EXTRA_END; extra += 2) {
        if ((uintptr_t)*extra == EXTRA_BUFFER)
            buffer = extra[1];
        else if ((uintptr_t)*extra == EXTRA_BYTES)
            bytes = *(size_t *)extra[1];
        else
            return NULL;
    }
    if (!buffer || bytes < k->facts.params_bytes)
        return NULL;
    void **args = hd_zeroed(k->facts.param_count + 1, sizeof *args);
    for (uint32_t i = 0; i < k->facts.param_count; i++) {
        uint32_t at, length;
        cuda_kernel_param(k, i, &at, &length);
        args[i] = buffer + at;
    }
    return args;
}

struct launch_config { /* CUlaunchConfig */
    unsigned grid[3], block[3], shared;
    cuda_handle stream;
    const cudaLaunchAttribute *attributes;
    unsigned count;
};

cuda_error call_launch_size(const struct launch_config *c, hd_ptx_launch_size *size) {
    if (c->count && !c->attributes)
        return CUDA_INVALID_VALUE;
    *size = (hd_ptx_launch_size){{c->grid[0], c->grid[1], c->grid[2]},
                                 {c->block[0], c->block[1], c->block[2]},
                                 .shared = c->shared};
    return call_launch_attributes(c->attributes, c->count, size);
}

static cuda_error launch(cuda_process *p, const hd_ptx_launch_size *size, cuda_handle stream,
                         cuda_handle function, void **params, void **extra) {
    if (!cuda_handle_is(p, function, CUDA_KERNEL))
        return CUDA_INVALID_HANDLE;
    if (params && extra)
        return CUDA_INVALID_VALUE;
    void **own = extra ? unpack(function, extra) : NULL;
    if (extra && !own)
        return CUDA_INVALID_VALUE;
    const cuda_work work = call_launch(p, function, size, own ? own : params);
    cuda_error error = cuda_submit(p, stream, &work);
    free(own);
    return error;
}

CALL(cuLaunchKernelEx,
     (const struct launch_config *c, cuda_handle function, void **params, void **extra), c,
     function, params, extra) {
    hd_ptx_launch_size size;
    cuda_error error = c ? call_launch_size(c, &size) : CUDA_INVALID_VALUE;
    return error ? error
                 : launch(p, &size, c->stream, function, params, size.cooperative ? NULL : extra);
}
CALL(cuLaunchKernel,
     (cuda_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
      unsigned block_y, unsigned block_z, unsigned shared, cuda_handle stream, void **params,
      void **extra),
     function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params, extra) {
    const hd_ptx_launch_size size = {
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, .shared = shared};
    return launch(p, &size, stream, function, params, extra);
}
CALL(cuLaunchCooperativeKernel,
     (cuda_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
      unsigned block_y, unsigned block_z, unsigned shared, cuda_handle stream, void **params),
     function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params) {
    const hd_ptx_launch_size size = {{grid_x, grid_y, grid_z},
                                     {block_x, block_y, block_z},
                                     .shared = shared,
                                     .cooperative = true};
    return launch(p, &size, stream, function, params, NULL);
}
