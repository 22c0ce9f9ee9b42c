/* Arrays, texture and surface objects, and copies of arrays, as the driver describes them. */
#include "cuda/cuda_array.h"
#include "cuda/interfaces/call.h"

/* The driver has fewer numbers of errors. */
static cuda_error plain(cuda_error error) {
    return error == CUDA_INVALID_CHANNEL_DESCRIPTOR || error == CUDA_INVALID_FILTER_SETTING ||
                   error == CUDA_INVALID_NORM_SETTING
               ? CUDA_INVALID_VALUE
               : error;
}

/* ---- texels ------------------------------------------------------------------------------------- */

/* CUarray_format */
static const struct {
    int format;
    uint32_t bits, kind;
} formats[] = {{0x01, 8, KIR_TEXTURE_UNSIGNED},  {0x02, 16, KIR_TEXTURE_UNSIGNED},
               {0x03, 32, KIR_TEXTURE_UNSIGNED}, {0x08, 8, KIR_TEXTURE_SIGNED},
               {0x09, 16, KIR_TEXTURE_SIGNED},   {0x0a, 32, KIR_TEXTURE_SIGNED},
               {0x10, 16, KIR_TEXTURE_FLOAT},    {0x20, 32, KIR_TEXTURE_FLOAT}};
enum { FORMATS = sizeof formats / sizeof *formats };

static cuda_texels texels_of(int format, unsigned channels) {
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].format == format)
            return (cuda_texels){formats[i].bits, channels, formats[i].kind};
    return (cuda_texels){0};
}

static int format_of(cuda_texels t) {
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].bits == t.bits && formats[i].kind == t.kind)
            return formats[i].format;
    return 0;
}

/* ---- arrays ------------------------------------------------------------------------------------- */

typedef struct array_description { /* CUDA_ARRAY_DESCRIPTOR */
    size_t width, height;
    int format;
    unsigned channels;
} array_description;
typedef struct box_description { /* CUDA_ARRAY3D_DESCRIPTOR */
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} box_description;

static cuda_array array_of(const box_description *d) {
    return (cuda_array){.texels = texels_of(d->format, d->channels),
                        .width = d->width,
                        .height = d->height,
                        .depth = d->depth,
                        .flags = d->flags};
}

static cuda_error make(cuda_process *p, cuda_handle *array, const box_description *d) {
    cuda_array *made;
    const cuda_array like = array_of(d);
    cuda_error error = array ? cuda_not_captured(p) : CUDA_INVALID_VALUE;
    if (!error)
        error = plain(cuda_array_make(p, &like, &made));
    return error ? error : GIVE(array, made);
}

CALL(cuArrayCreate_v2, (cuda_handle * array, const array_description *d), array, d) {
    return d ? make(p, array, &(box_description){d->width, d->height, 0, d->format, d->channels, 0})
             : CUDA_INVALID_VALUE;
}
CALL(cuArray3DCreate_v2, (cuda_handle * array, const box_description *d), array, d) {
    return d ? make(p, array, d) : CUDA_INVALID_VALUE;
}
CALL(cuMipmappedArrayCreate, (cuda_handle * mipmap, const box_description *d, unsigned levels),
     mipmap, d, levels) {
    cuda_mipmap *made;
    if (!mipmap || !d)
        return CUDA_INVALID_VALUE;
    const cuda_array like = array_of(d);
    cuda_error error = cuda_not_captured(p);
    if (!error)
        error = plain(cuda_mipmap_make(p, &like, levels, &made));
    return error ? error : GIVE(mipmap, made);
}

CALL(cuArrayGetDescriptor_v2, (array_description * d, cuda_handle array), d, array) {
    const cuda_array *a = array;
    if (!cuda_handle_is(p, array, CUDA_ARRAY))
        return CUDA_INVALID_HANDLE;
    return GIVE(
        d, ((array_description){a->width, a->height, format_of(a->texels), a->texels.channels}));
}
CALL(cuArray3DGetDescriptor_v2, (box_description * d, cuda_handle array), d, array) {
    const cuda_array *a = array;
    if (!cuda_handle_is(p, array, CUDA_ARRAY))
        return CUDA_INVALID_HANDLE;
    return GIVE(d, ((box_description){a->width, a->height, a->depth, format_of(a->texels),
                                      a->texels.channels, a->flags}));
}

/* ---- bytes of a row ------------------------------------------------------------------------------- */

/* A side: an array and the first byte of it, or, without an array, memory. */
typedef struct side {
    cuda_handle array;
    size_t first;
    void *at;
} side;

static cuda_error place_side(const cuda_process *p, const side *s, const cuda_box *box,
                             cuda_place *place) {
    *place = (cuda_place){s->at, 0, 0};
    return s->array ? cuda_array_place(p, s->array, (size_t[]){s->first, 0, 0}, box, place)
                    : CUDA_SUCCESS;
}

static cuda_error copy(cuda_process *p, side to, side from, size_t bytes, cuda_direction direction,
                       cuda_handle stream) {
    cuda_work work = {.kind = CUDA_WORK_COPY,
                      .copy = {.box = {bytes, 1, 1}, .direction = direction}};
    cuda_error error = place_side(p, &to, &work.copy.box, &work.copy.to);
    if (!error)
        error = place_side(p, &from, &work.copy.box, &work.copy.from);
    return error ? error : cuda_submit(p, stream, &work);
}

static side in_array(cuda_handle array, size_t first) { return (side){array, first, NULL}; }
static side in_memory(const void *at) { return (side){NULL, 0, (void *)(uintptr_t)at}; }

CALL(cuMemcpyHtoA_v2, (cuda_handle to, size_t first, const void *from, size_t bytes), to, first,
     from, bytes) {
    return copy(p, in_array(to, first), in_memory(from), bytes, CUDA_HOST_TO_DEVICE, NULL);
}
CALL(cuMemcpyHtoAAsync_v2,
     (cuda_handle to, size_t first, const void *from, size_t bytes, cuda_handle stream), to, first,
     from, bytes, stream) {
    return copy(p, in_array(to, first), in_memory(from), bytes, CUDA_HOST_TO_DEVICE, stream);
}
CALL(cuMemcpyAtoH_v2, (void *to, cuda_handle from, size_t first, size_t bytes), to, from, first,
     bytes) {
    return copy(p, in_memory(to), in_array(from, first), bytes, CUDA_DEVICE_TO_HOST, NULL);
}
CALL(cuMemcpyAtoHAsync_v2,
     (void *to, cuda_handle from, size_t first, size_t bytes, cuda_handle stream), to, from, first,
     bytes, stream) {
    return copy(p, in_memory(to), in_array(from, first), bytes, CUDA_DEVICE_TO_HOST, stream);
}
CALL(cuMemcpyDtoA_v2, (cuda_handle to, size_t first, void *from, size_t bytes), to, first, from,
     bytes) {
    return copy(p, in_array(to, first), in_memory(from), bytes, CUDA_DEVICE_TO_DEVICE, NULL);
}
CALL(cuMemcpyAtoD_v2, (void *to, cuda_handle from, size_t first, size_t bytes), to, from, first,
     bytes) {
    return copy(p, in_memory(to), in_array(from, first), bytes, CUDA_DEVICE_TO_DEVICE, NULL);
}
CALL(cuMemcpyAtoA_v2,
     (cuda_handle to, size_t to_first, cuda_handle from, size_t first, size_t bytes), to, to_first,
     from, first, bytes) {
    return copy(p, in_array(to, to_first), in_array(from, first), bytes, CUDA_DEVICE_TO_DEVICE,
                NULL);
}

/* ---- objects ------------------------------------------------------------------------------------ */

typedef struct texel_memory {
    void *at;
    int format;
    unsigned channels;
    size_t bytes_or_width, height, pitch; /* of linear memory its bytes alone */
} texel_memory;
typedef struct resource_description { /* CUDA_RESOURCE_DESC */
    int type;
    union {
        cuda_handle handle;
        texel_memory memory;
        int reserved[32];
    } of;
    unsigned flags;
} resource_description;
typedef struct sampling_description { /* CUDA_TEXTURE_DESC */
    int address[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float bias, least_level, most_level, border[4];
    int reserved[12];
} sampling_description;
_Static_assert(sizeof(resource_description) == CUDA_RESOURCE_BYTES, "as CUDA has it");
_Static_assert(sizeof(sampling_description) == CUDA_SAMPLING_BYTES, "as CUDA has it");

static cuda_resource resource_of(const resource_description *d) {
    const texel_memory *m = &d->of.memory;
    cuda_resource r = {.type = d->type, .at = d->of.handle};
    if (d->type != CUDA_OF_MEMORY && d->type != CUDA_OF_ROWS)
        return r;
    r.texels = texels_of(m->format, m->channels);
    r.width = m->bytes_or_width;
    if (d->type == CUDA_OF_ROWS) {
        r.height = m->height;
        r.pitch = m->pitch;
    }
    return r;
}

/* CU_TRSF_READ_AS_INTEGER and its like */
enum { AS_INTEGER = 1, NORMALIZED = 2, SRGB = 16, NOT_BETWEEN = 32, SEAMLESS = 64 };

/* Integers of 8 and 16 bits are read as floats unless the flags say otherwise; those of 32 never. */
static kir_texture sampled_as(const sampling_description *d, unsigned bits) {
    kir_texture t = {.flags = (d->flags & NORMALIZED ? KIR_TEXTURE_NORMALIZED : 0u) |
                              (d->filter ? KIR_TEXTURE_LINEAR : 0u) |
                              (d->flags & AS_INTEGER || bits > 16 ? 0u : KIR_TEXTURE_AS_FLOAT) |
                              (d->level_filter ? KIR_TEXTURE_BETWEEN_LEVELS : 0u) |
                              (d->flags & SRGB ? KIR_TEXTURE_SRGB : 0u),
                     .bias = d->bias,
                     .least_level = d->least_level,
                     .most_level = d->most_level};
    for (int i = 0; i < 3; i++)
        t.address[i] = (uint32_t)d->address[i];
    memcpy(t.border, d->border, sizeof t.border);
    return t;
}

static uint32_t bits_of(const cuda_process *p, const cuda_resource *r) {
    return r->type == CUDA_OF_ARRAY && cuda_handle_is(p, r->at, CUDA_ARRAY)
               ? ((const cuda_array *)r->at)->texels.bits
           : r->type == CUDA_OF_MIPMAP && cuda_handle_is(p, r->at, CUDA_MIPMAP)
               ? ((const cuda_mipmap *)r->at)->levels[0]->texels.bits
               : r->texels.bits;
}

CALL(cuTexObjectCreate,
     (unsigned long long *object, const resource_description *resource,
      const sampling_description *sampling, const cuda_view *view),
     object, resource, sampling, view) {
    uint64_t made;
    if (!object || !resource || !sampling)
        return CUDA_INVALID_VALUE;
    if (sampling->flags & SEAMLESS)
        return cuda_seamless_refused(p);
    cuda_object like = {.has_view = view != NULL};
    memcpy(like.resource, resource, sizeof like.resource);
    memcpy(like.sampling, sampling, sizeof like.sampling);
    if (view)
        like.view = *view;
    const cuda_resource r = resource_of(resource);
    const kir_texture sampled = sampled_as(sampling, bits_of(p, &r));
    cuda_error error = plain(cuda_texture_make(p, &r, view, &sampled, &like, &made));
    return error ? error : GIVE(object, made);
}
CALL(cuSurfObjectCreate, (unsigned long long *object, const resource_description *resource), object,
     resource) {
    uint64_t made;
    if (!object || !resource)
        return CUDA_INVALID_VALUE;
    cuda_object like = {.is_surface = true};
    memcpy(like.resource, resource, sizeof like.resource);
    const cuda_resource r = resource_of(resource);
    cuda_error error = plain(cuda_surface_make(p, &r, &like, &made));
    return error ? error : GIVE(object, made);
}

CALL(cuDeviceGetTexture1DLinearMaxWidth,
     (size_t *texels, int format, unsigned channels, int device), texels, format, channels,
     device) {
    if (device || !cuda_texel_bytes(texels_of(format, channels)))
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    return GIVE(texels, CUDA_LINEAR_MOST);
}
