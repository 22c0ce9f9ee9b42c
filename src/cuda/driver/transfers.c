/* Copies, fills and launches, as the driver has them. */
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

static bool is_of_type(int type) { return type >= TYPE_HOST && type <= TYPE_UNIFIED; }

/* A side of a copy, of two dimensions or three: where a box stands in memory of this kind. */
static cuda_place place_of(int type, const void *host, void *device, const size_t position[3],
                           size_t pitch, size_t height) {
    char *at = type == TYPE_HOST ? (char *)(uintptr_t)host : device;
    size_t plane = pitch * height;
    return (cuda_place){at ? at + position[2] * plane + position[1] * pitch + position[0] : NULL,
                        pitch, plane};
}

static cuda_work box_work(cuda_place to, cuda_place from, cuda_box box, int to_type,
                          int from_type) {
    if (to_type == TYPE_ARRAY || from_type == TYPE_ARRAY)
        return cuda_work_failed(CUDA_NOT_SUPPORTED);
    if (!is_of_type(to_type) || !is_of_type(from_type))
        return cuda_work_failed(CUDA_INVALID_VALUE);
    bool unified = to_type == TYPE_UNIFIED || from_type == TYPE_UNIFIED;
    int direction = (from_type == TYPE_DEVICE) * 2 + (to_type == TYPE_DEVICE);
    return (cuda_work){
        .kind = CUDA_WORK_COPY,
        .copy = {to, from, box, unified ? CUDA_BY_ADDRESS : (cuda_direction)direction}};
}

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

static cuda_place row_of(const rows_side *s, const rows *r) {
    return place_of(s->type, s->host, s->device, (size_t[]){s->x, s->y, 0},
                    s->pitch ? s->pitch : r->width, 0);
}
/* Sizes of what a box stands in hold it with its position; 0: the box's own. */
static bool fits(size_t size, size_t position, size_t of_box) {
    return !size || (size >= of_box && size - of_box >= position);
}

static cuda_work rows_work(const rows *r) {
    if (!r || !fits(r->to.pitch, r->to.x, r->width) || !fits(r->from.pitch, r->from.x, r->width))
        return cuda_work_failed(CUDA_INVALID_VALUE);
    return box_work(row_of(&r->to, r), row_of(&r->from, r), (cuda_box){r->width, r->height, 1},
                    r->to.type, r->from.type);
}
WORK_CALLS(cuMemcpy2D_v2, cuMemcpy2DAsync_v2, (const rows *r), rows_work(r))

static cuda_place plane_of(const call_box_side *s, const call_box_params *b) {
    return place_of(s->type, s->host, s->device, (size_t[]){s->x, s->y, s->z},
                    s->pitch ? s->pitch : b->width, s->height ? s->height : b->height);
}
static bool side_fits(const call_box_side *s, const call_box_params *b) {
    return fits(s->pitch, s->x, b->width) && fits(s->height, s->y, b->height) && !s->level;
}
cuda_work call_box(const cuda_process *p, const call_box_params *b) {
    (void)p;
    if (!b || !side_fits(&b->to, b) || !side_fits(&b->from, b))
        return cuda_work_failed(CUDA_INVALID_VALUE);
    return box_work(plane_of(&b->to, b), plane_of(&b->from, b),
                    (cuda_box){b->width, b->height, b->depth}, b->to.type, b->from.type);
}
WORK_CALLS(cuMemcpy3D_v2, cuMemcpy3DAsync_v2, (const call_box_params *b), call_box(NULL, b))

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

typedef struct launch_config { /* CUlaunchConfig */
    unsigned grid[3], block[3], shared;
    cuda_handle stream;
    const cudaLaunchAttribute *attributes;
    unsigned count;
} launch_config;

static cuda_error launch(cuda_process *p, const launch_config *c, cuda_handle function,
                         void **params, void **extra, bool cooperative) {
    const hd_ptx_launch_size size = {
        {c->grid[0], c->grid[1], c->grid[2]}, {c->block[0], c->block[1], c->block[2]}, c->shared};
    if (!cuda_handle_is(p, function, CUDA_KERNEL))
        return CUDA_INVALID_HANDLE;
    if (params && extra)
        return CUDA_INVALID_VALUE;
    const cuda_work work = extra ? call_packed_launch(p, function, &size, extra)
                                 : call_launch(p, function, &size, params, cooperative);
    return cuda_submit(p, c->stream, &work);
}

CALL(cuLaunchKernelEx, (const launch_config *c, cuda_handle function, void **params, void **extra),
     c, function, params, extra) {
    bool cooperative;
    if (!c || (c->count && !c->attributes))
        return CUDA_INVALID_VALUE;
    cuda_error error = call_launch_attributes(c->attributes, c->count, &cooperative);
    return error ? error : launch(p, c, function, params, cooperative ? NULL : extra, cooperative);
}
CALL(cuLaunchKernel,
     (cuda_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
      unsigned block_y, unsigned block_z, unsigned shared, cuda_handle stream, void **params,
      void **extra),
     function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params, extra) {
    const launch_config c = {
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, NULL, 0};
    return launch(p, &c, function, params, extra, false);
}
CALL(cuLaunchCooperativeKernel,
     (cuda_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
      unsigned block_y, unsigned block_z, unsigned shared, cuda_handle stream, void **params),
     function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params) {
    const launch_config c = {
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, NULL, 0};
    return launch(p, &c, function, params, NULL, true);
}
