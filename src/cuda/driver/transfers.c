/* Copies, fills and launches, as the driver has them. */
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

/* Where a box stands in an array, or in memory of this kind. */
static cuda_error place_side(const cuda_process *p, const call_box_side *s, const cuda_box *box,
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
static bool side_fits(const call_box_side *s, const call_box_params *b) {
    return s->type >= TYPE_HOST && s->type <= TYPE_UNIFIED && !s->level &&
           (s->type == TYPE_ARRAY ||
            (fits(s->pitch, s->x, b->width) && fits(s->height, s->y, b->height)));
}

static bool is_of_device(int type) { return type == TYPE_DEVICE || type == TYPE_ARRAY; }

cuda_work call_box(const cuda_process *p, const call_box_params *b) {
    if (!b || !side_fits(&b->to, b) || !side_fits(&b->from, b))
        return cuda_work_failed(CUDA_INVALID_VALUE);
    const bool unified = b->to.type == TYPE_UNIFIED || b->from.type == TYPE_UNIFIED;
    const int direction = is_of_device(b->from.type) * 2 + is_of_device(b->to.type);
    cuda_work work = {.kind = CUDA_WORK_COPY,
                      .copy = {.box = {b->width, b->height, b->depth},
                               .direction = unified ? CUDA_BY_ADDRESS : (cuda_direction)direction}};
    cuda_error error = place_side(p, &b->to, &work.copy.box, &work.copy.to);
    if (!error)
        error = place_side(p, &b->from, &work.copy.box, &work.copy.from);
    return error ? cuda_work_failed(error) : work;
}

static cuda_error copy_planes(cuda_process *p, const call_box_params *b, cuda_handle stream) {
    const cuda_work work = call_box(p, b);
    return cuda_submit(p, stream, &work);
}
CALL(cuMemcpy3D_v2, (const call_box_params *b), b) { return copy_planes(p, b, NULL); }
CALL(cuMemcpy3DAsync_v2, (const call_box_params *b, cuda_handle stream), b, stream) {
    return copy_planes(p, b, stream);
}

static call_box_side plane_of(const rows_side *s) {
    return (call_box_side){.x = s->x,
                           .y = s->y,
                           .type = s->type,
                           .host = s->host,
                           .device = s->device,
                           .array = s->array,
                           .pitch = s->pitch};
}
static cuda_error copy_rows(cuda_process *p, const rows *r, cuda_handle stream) {
    if (!r)
        return CUDA_INVALID_VALUE;
    const call_box_params box = {plane_of(&r->from), plane_of(&r->to), r->width, r->height, 1};
    return copy_planes(p, &box, stream);
}
CALL(cuMemcpy2D_v2, (const rows *r), r) { return copy_rows(p, r, NULL); }
CALL(cuMemcpy2DAsync_v2, (const rows *r, cuda_handle stream), r, stream) {
    return copy_rows(p, r, stream);
}

static call_box_side side_of(const cuda_place *place, const cuda_box *box, int type) {
    call_box_side side = {.type = type,
                          .pitch = place->row ? place->row : box->width,
                          .height =
                              place->row && place->plane ? place->plane / place->row : box->height};
    *(type == TYPE_HOST ? (void **)&side.host : &side.device) = place->at;
    return side;
}
call_box_params call_box_of(const cuda_copy *c) {
    bool unified = c->direction == CUDA_BY_ADDRESS;
    int from = unified ? TYPE_UNIFIED : c->direction & 2 ? TYPE_DEVICE : TYPE_HOST;
    int to = unified ? TYPE_UNIFIED : c->direction & 1 ? TYPE_DEVICE : TYPE_HOST;
    return (call_box_params){side_of(&c->from, &c->box, from), side_of(&c->to, &c->box, to),
                             c->box.width, c->box.height, c->box.depth};
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
    const cuda_work work = extra ? call_packed_launch(p, function, size, extra)
                                 : call_launch(p, function, size, params);
    return cuda_submit(p, stream, &work);
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
