/* Arrays, and texture and surface objects, as the runtime describes them. */
#include "cuda/cuda_array.h"
#include "cuda/interfaces/call.h"

/* ---- channels ----------------------------------------------------------------------------------- */

/* Bits of each channel, of which the last ones may be 0; bits 0: texels that there are not. */
static cuda_texels texels_of(const cudaChannelFormatDesc *d) {
    const int bits[] = {d->x, d->y, d->z, d->w};
    uint32_t channels = 0;
    while (channels < 4 && bits[channels] && bits[channels] == bits[0])
        channels++;
    for (uint32_t k = channels; k < 4; k++)
        if (bits[k])
            return (cuda_texels){0};
    return d->f < 0 || d->f > KIR_TEXTURE_FLOAT
               ? (cuda_texels){0}
               : (cuda_texels){(uint32_t)d->x, channels, (uint32_t)d->f};
}

static cudaChannelFormatDesc channels_of(cuda_texels t) {
    const int bits = (int)t.bits;
    return (cudaChannelFormatDesc){bits, t.channels > 1 ? bits : 0, t.channels > 2 ? bits : 0,
                                   t.channels > 3 ? bits : 0, (int)t.kind};
}

EXPORT cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (cudaChannelFormatDesc){x, y, z, w, kind};
}

/* ---- arrays ------------------------------------------------------------------------------------- */

static cuda_array array_of(const cudaChannelFormatDesc *channels, cudaExtent extent,
                           unsigned flags) {
    return (cuda_array){.texels = texels_of(channels),
                        .width = extent.width,
                        .height = extent.height,
                        .depth = extent.depth,
                        .flags = flags};
}

static cuda_error make(cuda_process *p, cuda_handle *array, const cudaChannelFormatDesc *channels,
                       cudaExtent extent, unsigned flags) {
    cuda_array *made;
    cuda_error error = array && channels ? cuda_not_captured(p) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    const cuda_array like = array_of(channels, extent, flags);
    error = cuda_array_make(p, &like, &made);
    return error ? error : GIVE(array, made);
}

CALL(cudaMallocArray,
     (cuda_handle * array, const cudaChannelFormatDesc *channels, size_t width, size_t height,
      unsigned flags),
     array, channels, width, height, flags) {
    return make(p, array, channels, (cudaExtent){width, height, 0}, flags);
}
CALL(cudaMalloc3DArray,
     (cuda_handle * array, const cudaChannelFormatDesc *channels, cudaExtent extent,
      unsigned flags),
     array, channels, extent, flags) {
    return make(p, array, channels, extent, flags);
}
CALL(cudaMallocMipmappedArray,
     (cuda_handle * mipmap, const cudaChannelFormatDesc *channels, cudaExtent extent,
      unsigned levels, unsigned flags),
     mipmap, channels, extent, levels, flags) {
    cuda_mipmap *made;
    cuda_error error = mipmap && channels ? cuda_not_captured(p) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    const cuda_array like = array_of(channels, extent, flags);
    error = cuda_mipmap_make(p, &like, levels, &made);
    return error ? error : GIVE(mipmap, made);
}

CALL(cudaArrayGetInfo,
     (cudaChannelFormatDesc * channels, cudaExtent *extent, unsigned *flags, cuda_handle array),
     channels, extent, flags, array) {
    const cuda_array *a = array;
    if (!cuda_handle_is(p, array, CUDA_ARRAY))
        return CUDA_INVALID_HANDLE;
    if (channels)
        *channels = channels_of(a->texels);
    if (extent)
        *extent = (cudaExtent){a->width, a->height, a->depth};
    if (flags)
        *flags = a->flags;
    return CUDA_SUCCESS;
}
CALL(cudaGetChannelDesc, (cudaChannelFormatDesc * channels, cuda_handle array), channels, array) {
    return cuda_handle_is(p, array, CUDA_ARRAY)
               ? GIVE(channels, channels_of(((const cuda_array *)array)->texels))
               : CUDA_INVALID_HANDLE;
}

/* ---- copies ------------------------------------------------------------------------------------- */

/* A call whose work, the expression behind the parameters, looks at handles; and the same in a
 * stream. */
#define COPY_CALL(name, parameters, arguments, ...) \
    CALL(name, parameters, CALL_BARE arguments) {   \
        const cuda_work work = __VA_ARGS__;         \
        return cuda_submit(p, NULL, &work);         \
    }
#define COPY_CALLS(name, name_in_stream, parameters, arguments, ...)                      \
    COPY_CALL(name, parameters, arguments, __VA_ARGS__)                                   \
    CALL(name_in_stream, (CALL_BARE parameters, cuda_handle stream), CALL_BARE arguments, \
         stream) {                                                                        \
        const cuda_work work = __VA_ARGS__;                                               \
        return cuda_submit(p, stream, &work);                                             \
    }

/* A side of a copy of rows: a place in an array, or of memory whose rows are so far apart. */
typedef struct side {
    cuda_handle array;
    size_t x, y;
    void *at;
    size_t pitch;
} side;

static side in_array(cuda_handle array, size_t x, size_t y) { return (side){array, x, y, NULL, 0}; }
static side in_memory(const void *at, size_t pitch) {
    return (side){NULL, 0, 0, (void *)(uintptr_t)at, pitch};
}

static cuda_error place_side(const cuda_process *p, const side *s, const cuda_box *box,
                             cuda_place *place) {
    const size_t position[] = {s->x, s->y, 0};
    if (s->array)
        return cuda_array_place(p, s->array, position, box, place);
    *place = (cuda_place){s->at, s->pitch, 0};
    return box->width > s->pitch ? CUDA_INVALID_PITCH_VALUE : CUDA_SUCCESS;
}

static cuda_work rows_work(const cuda_process *p, side to, side from, size_t width, size_t height,
                           int kind) {
    cuda_work work = {.kind = CUDA_WORK_COPY,
                      .copy = {.box = {width, height, 1}, .direction = (cuda_direction)kind}};
    cuda_error error = place_side(p, &to, &work.copy.box, &work.copy.to);
    if (!error)
        error = place_side(p, &from, &work.copy.box, &work.copy.from);
    return error ? cuda_work_failed(error) : work;
}

COPY_CALLS(cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync,
           (cuda_handle to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
            size_t height, int kind),
           (to, x, y, from, pitch, width, height, kind),
           rows_work(p, in_array(to, x, y), in_memory(from, pitch), width, height, kind))
COPY_CALLS(cudaMemcpy2DFromArray, cudaMemcpy2DFromArrayAsync,
           (void *to, size_t pitch, cuda_handle from, size_t x, size_t y, size_t width,
            size_t height, int kind),
           (to, pitch, from, x, y, width, height, kind),
           rows_work(p, in_memory(to, pitch), in_array(from, x, y), width, height, kind))
COPY_CALL(cudaMemcpy2DArrayToArray,
          (cuda_handle to, size_t to_x, size_t to_y, cuda_handle from, size_t x, size_t y,
           size_t width, size_t height, int kind),
          (to, to_x, to_y, from, x, y, width, height, kind),
          rows_work(p, in_array(to, to_x, to_y), in_array(from, x, y), width, height, kind))

/* The same of bytes that go on from row to row. */
static cuda_error place_run(const cuda_process *p, const side *s, size_t bytes, cuda_place *place) {
    if (s->array)
        return cuda_array_run(p, s->array, s->x, s->y, bytes, place);
    *place = (cuda_place){s->at, 0, 0};
    return CUDA_SUCCESS;
}

static cuda_work run_work(const cuda_process *p, side to, side from, size_t bytes, int kind) {
    cuda_work work = {.kind = CUDA_WORK_COPY,
                      .copy = {.box = {bytes, 1, 1}, .direction = (cuda_direction)kind}};
    cuda_error error = place_run(p, &to, bytes, &work.copy.to);
    if (!error)
        error = place_run(p, &from, bytes, &work.copy.from);
    return error ? cuda_work_failed(error) : work;
}

COPY_CALLS(cudaMemcpyToArray, cudaMemcpyToArrayAsync,
           (cuda_handle to, size_t x, size_t y, const void *from, size_t bytes, int kind),
           (to, x, y, from, bytes, kind),
           run_work(p, in_array(to, x, y), in_memory(from, 0), bytes, kind))
COPY_CALLS(cudaMemcpyFromArray, cudaMemcpyFromArrayAsync,
           (void *to, cuda_handle from, size_t x, size_t y, size_t bytes, int kind),
           (to, from, x, y, bytes, kind),
           run_work(p, in_memory(to, 0), in_array(from, x, y), bytes, kind))
COPY_CALL(cudaMemcpyArrayToArray,
          (cuda_handle to, size_t to_x, size_t to_y, cuda_handle from, size_t x, size_t y,
           size_t bytes, int kind),
          (to, to_x, to_y, from, x, y, bytes, kind),
          run_work(p, in_array(to, to_x, to_y), in_array(from, x, y), bytes, kind))

/* Boxes: where an array is a side, columns are texels of it; those of memory are bytes. */
static cuda_error place_box(const cuda_process *p, cuda_handle array, cudaPitchedPtr pointer,
                            cudaPos at, const cuda_box *box, cuda_place *place) {
    if (array) {
        const uint32_t texel = cuda_handle_is(p, array, CUDA_ARRAY)
                                   ? cuda_texel_bytes(((const cuda_array *)array)->texels)
                                   : 0;
        const size_t position[] = {at.x * texel, at.y, at.z};
        return cuda_array_place(p, array, position, box, place);
    }
    const size_t plane = pointer.pitch * pointer.ysize;
    char *first = (char *)pointer.ptr + at.z * plane + at.y * pointer.pitch + at.x;
    *place = (cuda_place){pointer.ptr ? first : NULL, pointer.pitch, plane};
    return CUDA_SUCCESS;
}

cuda_work call_box(const cuda_process *p, const cudaMemcpy3DParms *c) {
    if (!c || (c->srcArray && c->srcPtr.ptr) || (c->dstArray && c->dstPtr.ptr))
        return cuda_work_failed(CUDA_INVALID_VALUE);
    const cuda_array *array = c->srcArray ? c->srcArray : c->dstArray;
    if (array && !cuda_handle_is(p, array, CUDA_ARRAY))
        return cuda_work_failed(CUDA_INVALID_HANDLE);
    const size_t width = c->extent.width * (array ? cuda_texel_bytes(array->texels) : 1);
    cuda_work work = {.kind = CUDA_WORK_COPY,
                      .copy = {.box = {width, c->extent.height, c->extent.depth},
                               .direction = (cuda_direction)c->kind}};
    cuda_error error =
        place_box(p, c->dstArray, c->dstPtr, c->dstPos, &work.copy.box, &work.copy.to);
    if (!error)
        error = place_box(p, c->srcArray, c->srcPtr, c->srcPos, &work.copy.box, &work.copy.from);
    return error ? cuda_work_failed(error) : work;
}
COPY_CALLS(cudaMemcpy3D, cudaMemcpy3DAsync, (const cudaMemcpy3DParms *params), (params),
           call_box(p, params))

/* ---- objects ------------------------------------------------------------------------------------ */

static cuda_resource resource_of(const cudaResourceDesc *d) {
    cuda_resource r = {.type = d->resType, .at = d->res.handle};
    if (r.type == CUDA_OF_MEMORY) {
        r.at = d->res.linear.devPtr;
        r.texels = texels_of(&d->res.linear.desc);
        r.width = d->res.linear.sizeInBytes;
    } else if (r.type == CUDA_OF_ROWS) {
        r.at = d->res.pitch2D.devPtr;
        r.texels = texels_of(&d->res.pitch2D.desc);
        r.width = d->res.pitch2D.width;
        r.height = d->res.pitch2D.height;
        r.pitch = d->res.pitch2D.pitchInBytes;
    }
    return r;
}

static kir_texture sampled_as(const cudaTextureDesc *d) {
    kir_texture t = {.flags = (d->normalizedCoords ? KIR_TEXTURE_NORMALIZED : 0u) |
                              (d->filterMode ? KIR_TEXTURE_LINEAR : 0u) |
                              (d->readMode ? KIR_TEXTURE_AS_FLOAT : 0u) |
                              (d->mipmapFilterMode ? KIR_TEXTURE_BETWEEN_LEVELS : 0u) |
                              (d->sRGB ? KIR_TEXTURE_SRGB : 0u),
                     .bias = d->mipmapLevelBias,
                     .least_level = d->minMipmapLevelClamp,
                     .most_level = d->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++)
        t.address[i] = (uint32_t)d->addressMode[i];
    memcpy(t.border, d->borderColor, sizeof t.border);
    return t;
}

CALL(cudaCreateTextureObject,
     (unsigned long long *object, const cudaResourceDesc *resource, const cudaTextureDesc *sampling,
      const cuda_view *view),
     object, resource, sampling, view) {
    uint64_t made;
    if (!object || !resource || !sampling)
        return CUDA_INVALID_VALUE;
    cuda_object like = {.is_runtimes = true, .has_view = view != NULL};
    memcpy(like.resource, resource, sizeof like.resource);
    memcpy(like.sampling, sampling, sizeof *sampling);
    if (view)
        like.view = *view;
    const cuda_resource r = resource_of(resource);
    const kir_texture sampled = sampled_as(sampling);
    cuda_error error = sampling->seamlessCubemap
                           ? cuda_seamless_refused(p)
                           : cuda_texture_make(p, &r, view, &sampled, &like, &made);
    return error ? error : GIVE(object, made);
}
CALL(cudaCreateSurfaceObject, (unsigned long long *object, const cudaResourceDesc *resource),
     object, resource) {
    uint64_t made;
    if (!object || !resource)
        return CUDA_INVALID_VALUE;
    cuda_object like = {.is_runtimes = true, .is_surface = true};
    memcpy(like.resource, resource, sizeof like.resource);
    const cuda_resource r = resource_of(resource);
    cuda_error error = cuda_surface_make(p, &r, &like, &made);
    return error ? error : GIVE(object, made);
}

CALL(cudaDeviceGetTexture1DLinearMaxWidth,
     (size_t *texels, const cudaChannelFormatDesc *channels, int device), texels, channels,
     device) {
    if (device || !channels || !cuda_texel_bytes(texels_of(channels)))
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    return GIVE(texels, CUDA_LINEAR_MOST);
}
