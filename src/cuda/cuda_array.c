#include "cuda/cuda_array.h"

#include "cuda/cuda_memory.h"

/* ---- texels ------------------------------------------------------------------------------------ */

uint32_t cuda_texel_bytes(cuda_texels t) {
    const bool is_known = t.kind == KIR_TEXTURE_FLOAT ? t.bits == 16 || t.bits == 32
                                                      : t.bits == 8 || t.bits == 16 || t.bits == 32;
    const bool has_channels = t.channels == 1 || t.channels == 2 || t.channels == 4;
    return is_known && has_channels ? t.bits / 8 * t.channels : 0;
}

/* cudaResourceViewFormat: three numbers of channels of each of eight formats, from 1 on. */
static cuda_texels texels_of_view(int format) {
    static const cuda_texels formats[] = {
        {8, 0, KIR_TEXTURE_UNSIGNED}, {8, 0, KIR_TEXTURE_SIGNED},    {16, 0, KIR_TEXTURE_UNSIGNED},
        {16, 0, KIR_TEXTURE_SIGNED},  {32, 0, KIR_TEXTURE_UNSIGNED}, {32, 0, KIR_TEXTURE_SIGNED},
        {16, 0, KIR_TEXTURE_FLOAT},   {32, 0, KIR_TEXTURE_FLOAT}};
    if (format < 1 || format > 24)
        return (cuda_texels){0};
    cuda_texels t = formats[(format - 1) / 3];
    t.channels = 1u << (format - 1) % 3;
    return t;
}

/* ---- arrays ------------------------------------------------------------------------------------ */

enum {
    KNOWN_FLAGS = CUDA_ARRAY_LAYERED | CUDA_ARRAY_SURFACE | CUDA_ARRAY_CUBEMAP | CUDA_ARRAY_GATHER,
    SIDE_MOST = 1 << 20
};

static size_t or_one(size_t size) { return size ? size : 1; }

static cuda_error check_shape(cuda_process *p, const cuda_array *a) {
    const bool is_layered = a->flags & CUDA_ARRAY_LAYERED;
    if (a->flags & ~(unsigned)KNOWN_FLAGS) {
        cuda_say(p,
                 "error: arrays with the flags %#x are not supported; layered, cubemap, "
                 "surfaces and gather (%#x) are",
                 a->flags, KNOWN_FLAGS);
        return CUDA_NOT_SUPPORTED;
    }
    if (!cuda_texel_bytes(a->texels))
        return CUDA_INVALID_CHANNEL_DESCRIPTOR;
    if (!a->width || a->width > SIDE_MOST || a->height > SIDE_MOST || a->depth > SIDE_MOST)
        return CUDA_INVALID_VALUE;
    if (a->flags & CUDA_ARRAY_CUBEMAP)
        return a->width == a->height && (is_layered ? a->depth && a->depth % 6 == 0 : a->depth == 6)
                   ? CUDA_SUCCESS
                   : CUDA_INVALID_VALUE;
    return (is_layered && !a->depth) || (!is_layered && a->depth && !a->height) ? CUDA_INVALID_VALUE
                                                                                : CUDA_SUCCESS;
}

static cuda_error make_array(cuda_process *p, const cuda_array *like, bool is_level,
                             cuda_array **result) {
    cuda_array a = *like;
    void *at;
    a.is_level = is_level;
    a.row = a.width * cuda_texel_bytes(a.texels);
    a.plane = a.row * or_one(a.height);
    a.bytes = a.plane * or_one(a.depth);
    cuda_error error = cuda_memory_make(p, CUDA_MEMORY_ARRAY, a.bytes, &at);
    if (error)
        return error;
    a.at = at;
    *result = cuda_handle_new(p, CUDA_ARRAY, sizeof a);
    **result = a;
    return CUDA_SUCCESS;
}

static void end_array(cuda_process *p, cuda_array *a) {
    cuda_memory_end(p, a->at, 1 << CUDA_MEMORY_ARRAY, CUDA_INVALID_VALUE);
    cuda_handle_free(p, a);
}

cuda_error cuda_array_make(cuda_process *p, const cuda_array *like, cuda_array **result) {
    cuda_error error = check_shape(p, like);
    return error ? error : make_array(p, like, false, result);
}

cuda_error cuda_array_end(cuda_process *p, void *array) {
    if (!cuda_handle_is(p, array, CUDA_ARRAY) || ((cuda_array *)array)->is_level)
        return CUDA_INVALID_HANDLE;
    end_array(p, array);
    return CUDA_SUCCESS;
}

static size_t half(size_t size) { return size > 1 ? size / 2 : size; }

/* Each level has half of the sides of the one before; layers and faces stay. */
cuda_error cuda_mipmap_make(cuda_process *p, const cuda_array *like, uint32_t levels,
                            cuda_mipmap **result) {
    cuda_array level = *like;
    const bool has_layers = like->flags & (CUDA_ARRAY_LAYERED | CUDA_ARRAY_CUBEMAP);
    size_t longest = like->width > like->height ? like->width : like->height;
    uint32_t most = 1;
    cuda_error error = check_shape(p, like);
    if (!has_layers && like->depth > longest)
        longest = like->depth;
    for (; longest > 1; longest /= 2)
        most++;
    if (error)
        return error;
    if (most > KIR_TEXTURE_LEVELS)
        return CUDA_INVALID_VALUE;
    cuda_mipmap *made = cuda_handle_new(p, CUDA_MIPMAP, sizeof *made);
    for (uint32_t l = 0; l < (levels < 1 ? 1 : levels < most ? levels : most) && !error; l++) {
        error = make_array(p, &level, true, &made->levels[l]);
        made->count += !error;
        level.width = half(level.width);
        level.height = half(level.height);
        level.depth = has_layers ? level.depth : half(level.depth);
    }
    if (error)
        cuda_mipmap_end(p, made);
    else
        *result = made;
    return error;
}

cuda_error cuda_mipmap_end(cuda_process *p, void *mipmap) {
    if (!cuda_handle_is(p, mipmap, CUDA_MIPMAP))
        return CUDA_INVALID_HANDLE;
    cuda_mipmap *m = mipmap;
    for (uint32_t l = 0; l < m->count; l++)
        end_array(p, m->levels[l]);
    cuda_handle_free(p, m);
    return CUDA_SUCCESS;
}

/* ---- places in them ------------------------------------------------------------------------------ */

static bool fits(size_t first, size_t count, size_t all) {
    return first <= all && count <= all - first;
}

cuda_error cuda_array_place(const cuda_process *p, void *array, const size_t at[3],
                            const cuda_box *box, cuda_place *place) {
    const cuda_array *a = array;
    if (!cuda_handle_is(p, array, CUDA_ARRAY))
        return CUDA_INVALID_HANDLE;
    if (!fits(at[0], box->width, a->row) || !fits(at[1], box->height, or_one(a->height)) ||
        !fits(at[2], box->depth, or_one(a->depth)))
        return CUDA_INVALID_VALUE;
    *place = (cuda_place){a->at + at[2] * a->plane + at[1] * a->row + at[0], a->row, a->plane};
    return CUDA_SUCCESS;
}

cuda_error cuda_array_run(const cuda_process *p, void *array, size_t x, size_t y, size_t bytes,
                          cuda_place *place) {
    const cuda_array *a = array;
    if (!cuda_handle_is(p, array, CUDA_ARRAY))
        return CUDA_INVALID_HANDLE;
    if (x > a->row || y > or_one(a->height) || !fits(y * a->row + x, bytes, a->bytes))
        return CUDA_INVALID_VALUE;
    *place = (cuda_place){a->at + y * a->row + x, 0, 0};
    return CUDA_SUCCESS;
}

enum { CLAMP = 1, BORDER = 3 }; /* modes of addresses */

/* ---- what an object stands for -------------------------------------------------------------------- */

static kir_texture_level level_of(const cuda_array *a) {
    return (kir_texture_level){.texels = (uintptr_t)a->at,
                               .row = a->row,
                               .plane = a->plane,
                               .width = (uint32_t)a->width,
                               .height = (uint32_t)or_one(a->height),
                               .depth = (uint32_t)or_one(a->depth)};
}

static void set_texels(kir_texture *t, cuda_texels texels) {
    t->bits = texels.bits;
    t->channels = texels.channels;
    t->kind = texels.kind;
}

static void describe_array(kir_texture *t, const cuda_array *a) {
    set_texels(t, a->texels);
    t->levels = 1;
    if (a->flags & (CUDA_ARRAY_LAYERED | CUDA_ARRAY_CUBEMAP))
        t->layers = (uint32_t)a->depth;
    if (a->flags & CUDA_ARRAY_CUBEMAP) /* a direction leads to a place from 0 to 1 */
        t->flags |= KIR_TEXTURE_NORMALIZED;
    t->level[0] = level_of(a);
}

/* Of one dimension, of so many bytes; or rows. All must be memory of the device. */
static cuda_error describe_memory(const cuda_process *p, kir_texture *t, const cuda_resource *r) {
    enum { PITCH_ALIGNMENT = 32 };
    const cuda_allocation *a = cuda_memory_at(p, r->at);
    const uint32_t texel = cuda_texel_bytes(r->texels);
    const bool is_rows = r->type == CUDA_OF_ROWS;
    if (!texel)
        return CUDA_INVALID_CHANNEL_DESCRIPTOR;
    const size_t width = is_rows ? r->width : r->width / texel;
    size_t bytes = width * texel;
    if (!a || !width || (is_rows && !r->height) || (uintptr_t)r->at % CUDA_TEXTURE_ALIGNMENT ||
        (is_rows && (r->pitch < bytes || r->pitch % PITCH_ALIGNMENT)))
        return CUDA_INVALID_VALUE;
    if (is_rows && __builtin_mul_overflow(r->height - 1, r->pitch, &bytes))
        return CUDA_INVALID_VALUE;
    bytes += is_rows ? width * texel : 0;
    if (width > CUDA_LINEAR_MOST || r->height > INT32_MAX ||
        !fits((uintptr_t)r->at - a->address, bytes, a->bytes))
        return CUDA_INVALID_VALUE;
    set_texels(t, r->texels);
    t->levels = 1;
    if (!is_rows) { /* zeros outside, and no filter */
        t->flags &= ~(unsigned)KIR_TEXTURE_LINEAR;
        t->address[0] = BORDER;
        memset(t->border, 0, sizeof t->border);
    }
    t->level[0] = (kir_texture_level){.texels = (uintptr_t)r->at,
                                      .row = is_rows ? r->pitch : bytes,
                                      .width = (uint32_t)width,
                                      .height = is_rows ? (uint32_t)r->height : 1,
                                      .depth = 1};
    return CUDA_SUCCESS;
}

/* Of an array: texels of another format and the same size, some levels, some layers. */
static cuda_error apply_view(cuda_process *p, kir_texture *t, const cuda_resource *r,
                             const cuda_view *v) {
    const uint32_t bytes = t->bits / 8 * t->channels;
    if (r->type != CUDA_OF_ARRAY && r->type != CUDA_OF_MIPMAP)
        return CUDA_INVALID_VALUE;
    if (v->format) {
        const cuda_texels texels = texels_of_view(v->format);
        if (!texels.bits) {
            cuda_say(p, "error: textures with a view of compressed blocks are not supported");
            return CUDA_NOT_SUPPORTED;
        }
        if (cuda_texel_bytes(texels) != bytes)
            return CUDA_INVALID_VALUE;
        set_texels(t, texels);
    }
    if (v->width != t->level[0].width || or_one(v->height) != t->level[0].height ||
        or_one(v->depth) != t->level[0].depth)
        return CUDA_INVALID_VALUE;
    if (v->last_level < v->first_level || v->last_level >= t->levels ||
        v->last_layer < v->first_layer || v->last_layer >= or_one(t->layers))
        return CUDA_INVALID_VALUE;
    t->levels = v->last_level - v->first_level + 1;
    memmove(t->level, t->level + v->first_level, t->levels * sizeof *t->level);
    if (!t->layers)
        return CUDA_SUCCESS;
    t->layers = v->last_layer - v->first_layer + 1;
    for (uint32_t l = 0; l < t->levels; l++)
        t->level[l].texels += v->first_layer * t->level[l].plane;
    return CUDA_SUCCESS;
}

static cuda_error describe(cuda_process *p, kir_texture *t, const cuda_resource *r) {
    const cuda_mipmap *m = r->at;
    switch (r->type) {
    case CUDA_OF_ARRAY:
        if (!cuda_handle_is(p, r->at, CUDA_ARRAY))
            return CUDA_INVALID_HANDLE;
        describe_array(t, r->at);
        return CUDA_SUCCESS;
    case CUDA_OF_MIPMAP:
        if (!cuda_handle_is(p, r->at, CUDA_MIPMAP))
            return CUDA_INVALID_HANDLE;
        describe_array(t, m->levels[0]);
        t->levels = m->count;
        for (uint32_t l = 0; l < m->count; l++)
            t->level[l] = level_of(m->levels[l]);
        return CUDA_SUCCESS;
    case CUDA_OF_MEMORY:
    case CUDA_OF_ROWS: return describe_memory(p, t, r);
    default: return CUDA_INVALID_VALUE;
    }
}

cuda_error cuda_resource_check(cuda_process *p, const cuda_resource *r) {
    return describe(p, &(kir_texture){0}, r);
}

/* ---- objects --------------------------------------------------------------------------------------- */

static bool has_border(const kir_texture *t) {
    for (int k = 0; k < 4; k++)
        if (t->border[k] != 0)
            return t->address[0] == BORDER || t->address[1] == BORDER || t->address[2] == BORDER;
    return false;
}

/* Ways of sampling that what is sampled does not have. The driver reads integers of 32 bits as they are,
 * whatever it is asked for. */
static cuda_error check_sampling(cuda_process *p, kir_texture *t, const cuda_resource *r,
                                 bool is_runtimes) {
    const bool is_float = t->kind == KIR_TEXTURE_FLOAT;
    const bool is_filtered = t->flags & KIR_TEXTURE_LINEAR;
    if (is_float || (t->bits > 16 && !is_runtimes))
        t->flags &= ~(unsigned)KIR_TEXTURE_AS_FLOAT;
    if (t->flags & KIR_TEXTURE_AS_FLOAT && t->bits > 16)
        return CUDA_INVALID_NORM_SETTING;
    const bool gives_float = is_float || t->flags & KIR_TEXTURE_AS_FLOAT;
    const bool is_srgb = t->flags & KIR_TEXTURE_SRGB && t->flags & KIR_TEXTURE_AS_FLOAT &&
                         t->bits == 8 && t->kind == KIR_TEXTURE_UNSIGNED;
    if (!is_srgb)
        t->flags &= ~(unsigned)KIR_TEXTURE_SRGB;
    if (!gives_float)
        t->flags &= ~(unsigned)KIR_TEXTURE_BETWEEN_LEVELS;
    if (is_filtered && !gives_float)
        return CUDA_INVALID_FILTER_SETTING;
    if (r->type == CUDA_OF_MIPMAP && !(t->flags & KIR_TEXTURE_NORMALIZED))
        return CUDA_INVALID_VALUE;
    for (int d = 0; d < 3; d++)
        if (t->address[d] > 3)
            return CUDA_INVALID_VALUE;
    if (has_border(t) && (!gives_float || is_srgb)) {
        cuda_say(p, "error: a border colour other than zeros is supported for textures that are "
                    "read as floats without sRGB alone");
        return CUDA_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

/* What kernels would otherwise find for every texel. */
static void precompute(kir_texture *t) {
    const bool is_normalized = t->flags & KIR_TEXTURE_NORMALIZED;
    const bool is_signed = t->kind == KIR_TEXTURE_SIGNED;
    const float least = t->least_level < t->most_level ? t->least_level : t->most_level;
    t->bytes = t->bits / 8 * t->channels;
    t->mask = UINT32_MAX >> (32 - t->bits);
    t->sign = is_signed && t->bits < 32 ? 1u << (t->bits - 1) : 0;
    t->most = (float)(is_signed ? t->mask >> 1 : t->mask);
    t->half = t->flags & KIR_TEXTURE_LINEAR ? 0.5f : 0;
    t->base = least > 0 ? (uint32_t)(least + 0.5f) : 0;
    t->base = t->base < t->levels ? t->base : t->levels - 1;
    for (int d = 0; d < 3; d++)
        if (!is_normalized && t->address[d] != BORDER)
            t->address[d] = CLAMP;
    for (uint32_t l = 0; l < t->levels; l++) {
        kir_texture_level *level = &t->level[l];
        level->scale[0] = is_normalized ? (float)level->width : 1;
        level->scale[1] = is_normalized ? (float)level->height : 1;
        level->scale[2] = is_normalized ? (float)level->depth : 1;
    }
}

static cuda_error make_object(cuda_process *p, const cuda_object *like, const kir_texture *t,
                              uint64_t *result) {
    void *at;
    cuda_error error = cuda_memory_make(p, CUDA_MEMORY_OBJECT, sizeof(cuda_object), &at);
    if (error)
        return error;
    cuda_object *object = at;
    *object = *like;
    object->described = *t;
    precompute(&object->described);
    *result = (uintptr_t)at;
    return CUDA_SUCCESS;
}

cuda_error cuda_texture_make(cuda_process *p, const cuda_resource *resource, const cuda_view *view,
                             const kir_texture *sampled, const cuda_object *like,
                             uint64_t *result) {
    kir_texture t = *sampled;
    cuda_error error = describe(p, &t, resource);
    if (!error && view)
        error = apply_view(p, &t, resource, view);
    if (!error)
        error = check_sampling(p, &t, resource, like->is_runtimes);
    return error ? error : make_object(p, like, &t, result);
}

cuda_error cuda_surface_make(cuda_process *p, const cuda_resource *resource,
                             const cuda_object *like, uint64_t *result) {
    kir_texture t = {0};
    if (resource->type != CUDA_OF_ARRAY)
        return CUDA_INVALID_VALUE;
    cuda_error error = describe(p, &t, resource);
    if (!error && !(((const cuda_array *)resource->at)->flags & CUDA_ARRAY_SURFACE))
        error = CUDA_INVALID_VALUE;
    return error ? error : make_object(p, like, &t, result);
}

cuda_error cuda_seamless_refused(cuda_process *p) {
    cuda_say(p, "error: cubemaps that are filtered from face to face (seamlessCubemap) are not "
                "supported");
    return CUDA_NOT_SUPPORTED;
}

cuda_object *cuda_object_at(const cuda_process *p, uint64_t object, bool is_surface) {
    void *at = (void *)(uintptr_t)object; /* NOLINT: the handle is an address */
    const cuda_allocation *a = cuda_memory_at(p, at);
    bool is_one = a && a->kind == CUDA_MEMORY_OBJECT && a->address == object;
    return is_one && ((cuda_object *)at)->is_surface == is_surface ? at : NULL;
}

cuda_error cuda_object_end(cuda_process *p, uint64_t object, bool is_surface) {
    return cuda_object_at(p, object, is_surface)
               ? cuda_memory_end(p, (void *)(uintptr_t)object, /* NOLINT */
                                 1 << CUDA_MEMORY_OBJECT, CUDA_INVALID_VALUE)
               : CUDA_INVALID_VALUE;
}

/* ---- references --------------------------------------------------------------------------------- */

cuda_reference *cuda_reference_of(cuda_process *p, void *variable, const char *name,
                                  bool is_surface) {
    for (size_t i = 0; i < p->references.count; i++)
        if (p->references.data[i]->variable == variable)
            return p->references.data[i];
    cuda_reference *r = cuda_handle_new(p, CUDA_REFERENCE, sizeof *r);
    r->name = hd_strdup(p->arena, name);
    r->variable = variable;
    r->is_surface = is_surface;
    r->sampled.flags = KIR_TEXTURE_AS_FLOAT;
    for (int d = 0; d < 3; d++)
        r->sampled.address[d] = CLAMP;
    hd_push(p->arena, &p->references, r);
    return r;
}

static cuda_error settle(cuda_process *p, cuda_reference *r) {
    const cuda_object like = {.is_surface = r->is_surface};
    cuda_object_end(p, r->object, r->is_surface);
    r->object = 0;
    r->is_changed = false;
    cuda_error error =
        !r->is_bound    ? CUDA_SUCCESS
        : r->is_surface ? cuda_surface_make(p, &r->resource, &like, &r->object)
                        : cuda_texture_make(p, &r->resource, NULL, &r->sampled, &like, &r->object);
    if (error)
        cuda_say(p, "error: what reference '%s' is bound to cannot be read so", r->name);
    else if (r->object) /* which the program does not free */
        cuda_memory_at(p, (void *)(uintptr_t)r->object)->is_own = true; /* NOLINT */
    *r->variable = r->object;
    return error ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
}

cuda_error cuda_references_settle(cuda_process *p) {
    cuda_error error = CUDA_SUCCESS;
    for (size_t i = 0; i < p->references.count && !error; i++)
        if (p->references.data[i]->is_changed)
            error = settle(p, p->references.data[i]);
    return error;
}

void cuda_reference_drop(cuda_process *p, const void *variable) {
    for (size_t i = 0; i < p->references.count; i++) {
        cuda_reference *r = p->references.data[i];
        if (r->variable != variable)
            continue;
        cuda_object_end(p, r->object, r->is_surface);
        cuda_handle_free(p, r);
        p->references.data[i] = p->references.data[--p->references.count];
        return;
    }
}
