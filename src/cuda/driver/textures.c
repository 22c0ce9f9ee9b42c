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

/* Integers are read as floats unless the flags say otherwise. */
static unsigned flags_of(unsigned flags) {
    return (flags & NORMALIZED ? KIR_TEXTURE_NORMALIZED : 0u) |
           (flags & AS_INTEGER ? 0u : KIR_TEXTURE_AS_FLOAT) |
           (flags & SRGB ? KIR_TEXTURE_SRGB : 0u);
}

static kir_texture sampled_as(const sampling_description *d) {
    kir_texture t = {.flags = flags_of(d->flags) | (d->filter ? KIR_TEXTURE_LINEAR : 0u) |
                              (d->level_filter ? KIR_TEXTURE_BETWEEN_LEVELS : 0u),
                     .bias = d->bias,
                     .least_level = d->least_level,
                     .most_level = d->most_level};
    for (int i = 0; i < 3; i++)
        t.address[i] = (uint32_t)d->address[i];
    memcpy(t.border, d->border, sizeof t.border);
    return t;
}

CALL(cuTexObjectCreate,
     (unsigned long long *object, const resource_description *resource,
      const sampling_description *sampling, const cuda_view *view),
     object, resource, sampling, view) {
    uint64_t made;
    if (!object || !resource || !sampling || resource->flags)
        return CUDA_INVALID_VALUE;
    if (sampling->flags & SEAMLESS)
        return cuda_seamless_refused(p);
    cuda_object like = {.has_view = view != NULL};
    memcpy(like.resource, resource, sizeof like.resource);
    memcpy(like.sampling, sampling, sizeof like.sampling);
    if (view)
        like.view = *view;
    const cuda_resource r = resource_of(resource);
    const kir_texture sampled = sampled_as(sampling);
    cuda_error error = plain(cuda_texture_make(p, &r, view, &sampled, &like, &made));
    return error ? error : GIVE(object, made);
}
CALL(cuSurfObjectCreate, (unsigned long long *object, const resource_description *resource), object,
     resource) {
    uint64_t made;
    if (!object || !resource || resource->flags)
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

/* ---- references --------------------------------------------------------------------------------- */

/* A .texref or .surfref of a module, by its name. */
static cuda_error find_reference(cuda_process *p, cuda_handle *result, cuda_handle module,
                                 const char *name, bool is_surface) {
    void *variable;
    size_t bytes;
    if (!result || !name)
        return CUDA_INVALID_VALUE;
    if (!cuda_handle_is(p, module, CUDA_MODULE))
        return CUDA_INVALID_HANDLE;
    cuda_error error = cuda_variable_named(p, module, name, &variable, &bytes);
    if (error || bytes != sizeof(uint64_t))
        return CUDA_NOT_FOUND;
    *result = cuda_reference_of(p, variable, name, is_surface);
    return CUDA_SUCCESS;
}
CALL(cuModuleGetTexRef, (cuda_handle * reference, cuda_handle module, const char *name), reference,
     module, name) {
    return find_reference(p, reference, module, name, false);
}
CALL(cuModuleGetSurfRef, (cuda_handle * reference, cuda_handle module, const char *name), reference,
     module, name) {
    return find_reference(p, reference, module, name, true);
}

/* What it stands for from now on; it is described when a kernel is launched. */
static cuda_error bind(cuda_process *p, cuda_handle reference, bool is_surface,
                       const cuda_resource *resource) {
    cuda_reference *r = reference;
    if (!cuda_handle_is(p, reference, CUDA_REFERENCE) || r->is_surface != is_surface)
        return CUDA_INVALID_HANDLE;
    r->resource = *resource;
    r->is_bound = r->is_changed = true;
    return CUDA_SUCCESS;
}
/* Of an array or a mipmapped one, whose texels are the format from now on; NULL unbinds. */
static cuda_error bind_handle(cuda_process *p, cuda_handle reference, bool is_surface,
                              cuda_handle handle, bool is_mipmap) {
    cuda_resource resource = {.type = is_mipmap ? CUDA_OF_MIPMAP : CUDA_OF_ARRAY, .at = handle};
    if (handle) {
        if (!cuda_handle_is(p, handle, is_mipmap ? CUDA_MIPMAP : CUDA_ARRAY))
            return CUDA_INVALID_HANDLE;
        const cuda_array *array = is_mipmap ? ((const cuda_mipmap *)handle)->levels[0] : handle;
        if (is_surface && !(array->flags & CUDA_ARRAY_SURFACE))
            return CUDA_INVALID_VALUE;
        resource.texels = array->texels;
    }
    cuda_error error = bind(p, reference, is_surface, &resource);
    if (!error)
        ((cuda_reference *)reference)->is_bound = handle != NULL;
    return error;
}
enum { OVERRIDE_FORMAT = 1 }; /* CU_TRSA_OVERRIDE_FORMAT, without which no array is bound */
CALL(cuTexRefSetArray, (cuda_handle reference, cuda_handle array, unsigned flags), reference, array,
     flags) {
    return flags == OVERRIDE_FORMAT ? bind_handle(p, reference, false, array, false)
                                    : CUDA_INVALID_VALUE;
}
CALL(cuTexRefSetMipmappedArray, (cuda_handle reference, cuda_handle mipmap, unsigned flags),
     reference, mipmap, flags) {
    return flags == OVERRIDE_FORMAT ? bind_handle(p, reference, false, mipmap, true)
                                    : CUDA_INVALID_VALUE;
}
CALL(cuSurfRefSetArray, (cuda_handle reference, cuda_handle array, unsigned flags), reference,
     array, flags) {
    return flags ? CUDA_INVALID_VALUE : bind_handle(p, reference, true, array, false);
}

static cuda_reference *texture_at(const cuda_process *p, cuda_handle reference) {
    cuda_reference *r = reference;
    return cuda_handle_is(p, reference, CUDA_REFERENCE) && !r->is_surface ? r : NULL;
}

/* Memory that begins beside where textures may is bound from there on, and `offset` says how far
 * the program's lies behind it. */
CALL(cuTexRefSetAddress_v2, (size_t *offset, cuda_handle reference, char *at, size_t bytes), offset,
     reference, at, bytes) {
    const cuda_reference *r = texture_at(p, reference);
    const size_t behind = (uintptr_t)at % CUDA_TEXTURE_ALIGNMENT;
    if (!r)
        return CUDA_INVALID_HANDLE;
    if (behind && !offset)
        return CUDA_INVALID_VALUE;
    if (offset)
        *offset = behind;
    return bind(p, reference, false,
                &(cuda_resource){.type = CUDA_OF_MEMORY,
                                 .at = at - behind,
                                 .texels = r->resource.texels,
                                 .width = bytes + behind});
}
CALL(cuTexRefSetAddress2D_v3,
     (cuda_handle reference, const array_description *d, void *at, size_t pitch), reference, d, at,
     pitch) {
    if (!texture_at(p, reference) || !d)
        return d ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE;
    const cuda_resource rows = {.type = CUDA_OF_ROWS,
                                .at = at,
                                .texels = texels_of(d->format, d->channels),
                                .width = d->width,
                                .height = d->height,
                                .pitch = pitch};
    cuda_error error = plain(cuda_resource_check(p, &rows));
    return error ? error : bind(p, reference, false, &rows);
}

/* A call that sets something of the texture's, with `r`. */
#define SET_CALL(name, parameters, arguments, ...)                                              \
    CALL(name, (cuda_handle reference, CALL_BARE parameters), reference, CALL_BARE arguments) { \
        cuda_reference *r = texture_at(p, reference);                                           \
        if (!r)                                                                                 \
            return CUDA_INVALID_HANDLE;                                                         \
        r->is_changed = true;                                                                   \
        __VA_ARGS__;                                                                            \
        return CUDA_SUCCESS;                                                                    \
    }
static void set_flag(cuda_reference *r, unsigned flag, bool is_set) {
    r->sampled.flags = (r->sampled.flags & ~flag) | (is_set ? flag : 0);
}
SET_CALL(cuTexRefSetFormat, (int format, int channels), (format, channels),
         const cuda_texels texels = texels_of(format, (unsigned)channels);
         if (!cuda_texel_bytes(texels)) return CUDA_INVALID_VALUE; r->resource.texels = texels)
SET_CALL(cuTexRefSetFilterMode, (int mode), (mode),
         if (mode < 0 || mode > 1) return CUDA_INVALID_VALUE;
         set_flag(r, KIR_TEXTURE_LINEAR, mode))
SET_CALL(cuTexRefSetMipmapFilterMode, (int mode), (mode),
         if (mode < 0 || mode > 1) return CUDA_INVALID_VALUE;
         set_flag(r, KIR_TEXTURE_BETWEEN_LEVELS, mode))
SET_CALL(cuTexRefSetMipmapLevelBias, (float bias), (bias), r->sampled.bias = bias)
SET_CALL(cuTexRefSetMipmapLevelClamp, (float least, float most), (least, most),
         r->sampled.least_level = least;
         r->sampled.most_level = most)
SET_CALL(cuTexRefSetMaxAnisotropy, (unsigned most), (most), (void)most)
SET_CALL(cuTexRefSetAddressMode, (int d, int mode), (d, mode),
         if (d < 0 || d > 2 || mode < 0 || mode > 3) return CUDA_INVALID_VALUE;
         r->sampled.address[d] = (uint32_t)mode)
SET_CALL(cuTexRefSetBorderColor, (const float *colour), (colour),
         if (!colour) return CUDA_INVALID_VALUE;
         memcpy(r->sampled.border, colour, sizeof r->sampled.border))
SET_CALL(cuTexRefSetFlags, (unsigned flags), (flags),
         if (flags & SEAMLESS) return cuda_seamless_refused(p);
         r->flags = flags;
         set_flag(r, KIR_TEXTURE_NORMALIZED | KIR_TEXTURE_AS_FLOAT | KIR_TEXTURE_SRGB, false);
         r->sampled.flags |= flags_of(flags))

/* What was set. */
#define GET_CALL(name, type, expression)                                    \
    CALL(name, (type * result, cuda_handle reference), result, reference) { \
        const cuda_reference *r = texture_at(p, reference);                 \
        return r ? GIVE(result, expression) : CUDA_INVALID_HANDLE;          \
    }
/* What is bound, which nothing of another kind is. */
static cuda_error give_bound(const cuda_reference *r, bool is_handle, void **result) {
    const bool is_array = r->resource.type == CUDA_OF_ARRAY;
    const bool is_memory = r->resource.type == CUDA_OF_MEMORY || r->resource.type == CUDA_OF_ROWS;
    return r->is_bound && (is_handle ? is_array : is_memory) ? GIVE(result, r->resource.at)
                                                             : CUDA_INVALID_VALUE;
}
CALL(cuTexRefGetAddress_v2, (void **at, cuda_handle reference), at, reference) {
    const cuda_reference *r = texture_at(p, reference);
    return r ? give_bound(r, false, at) : CUDA_INVALID_HANDLE;
}
CALL(cuTexRefGetArray, (cuda_handle * array, cuda_handle reference), array, reference) {
    const cuda_reference *r = texture_at(p, reference);
    return r ? give_bound(r, true, array) : CUDA_INVALID_HANDLE;
}
GET_CALL(cuTexRefGetFilterMode, int, (r->sampled.flags & KIR_TEXTURE_LINEAR) != 0)
GET_CALL(cuTexRefGetFlags, unsigned, r->flags)
CALL(cuTexRefGetAddressMode, (int *mode, cuda_handle reference, int d), mode, reference, d) {
    const cuda_reference *r = texture_at(p, reference);
    return r && d >= 0 && d < 3 ? GIVE(mode, (int)r->sampled.address[d]) : CUDA_INVALID_VALUE;
}
CALL(cuTexRefGetFormat, (int *format, int *channels, cuda_handle reference), format, channels,
     reference) {
    const cuda_reference *r = texture_at(p, reference);
    if (!r || !cuda_texel_bytes(r->resource.texels))
        return r ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;
    if (format)
        *format = format_of(r->resource.texels);
    if (channels)
        *channels = (int)r->resource.texels.channels;
    return CUDA_SUCCESS;
}
CALL(cuSurfRefGetArray, (cuda_handle * array, cuda_handle reference), array, reference) {
    const cuda_reference *r = reference;
    return cuda_handle_is(p, reference, CUDA_REFERENCE) && r->is_surface
               ? give_bound(r, true, array)
               : CUDA_INVALID_HANDLE;
}
