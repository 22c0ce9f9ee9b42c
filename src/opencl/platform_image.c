/* Images of the platform, memory whose texels stand row behind row without anything between, and samplers. */
#include <stdlib.h>
#include <string.h>

#include "opencl/platform.h"

kir_image platform_image_of(const cl_image_format *format, const cl_image_desc *d) {
    const cl_mem_object_type type = d->image_type;
    const bool has_layers =
        type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const bool is_3d = type == CL_MEM_OBJECT_IMAGE3D;
    const bool has_height =
        is_3d || type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    return (kir_image){.width = d->image_width,
                       .height = has_height ? d->image_height : 0,
                       .depth = is_3d ? d->image_depth : 0,
                       .layers = has_layers ? d->image_array_size : 0,
                       .format = {format->image_channel_order, format->image_channel_data_type}};
}

/* ---- what an image may be ---------------------------------------------------------------------------- */

static bool is_supported(kir_image_format format) {
    hd_arena *arena = hd_arena_new();
    const bool is = kir_image_texel(arena, format) != NULL;
    hd_arena_free(arena);
    return is;
}

static cl_int check_format(const cl_image_format *f) {
    if (!f || !kir_image_order_name(f->image_channel_order) ||
        !kir_image_type_name(f->image_channel_data_type))
        return f ? CL_IMAGE_FORMAT_NOT_SUPPORTED : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return is_supported((kir_image_format){f->image_channel_order, f->image_channel_data_type})
               ? CL_SUCCESS
               : CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

static bool is_size(size_t size, size_t most) { return size && size <= most; }

static cl_int check_sizes(const cl_image_desc *d) {
    const size_t wide = PLATFORM_WIDEST, deep = PLATFORM_DEEPEST;
    bool are = false;
    switch (d->image_type) {
    case CL_MEM_OBJECT_IMAGE1D_BUFFER: are = is_size(d->image_width, PLATFORM_LONGEST_ROW); break;
    case CL_MEM_OBJECT_IMAGE1D: are = is_size(d->image_width, wide); break;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        are = is_size(d->image_width, wide) && is_size(d->image_array_size, deep);
        break;
    case CL_MEM_OBJECT_IMAGE2D:
        are = is_size(d->image_width, wide) && is_size(d->image_height, wide);
        break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        are = is_size(d->image_width, wide) && is_size(d->image_height, wide) &&
              is_size(d->image_array_size, deep);
        break;
    case CL_MEM_OBJECT_IMAGE3D:
        are = is_size(d->image_width, deep) && is_size(d->image_height, deep) &&
              is_size(d->image_depth, deep);
        break;
    default: return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    return are ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

/* Where rows of the host's memory stand; of a 1-D array its images are rows. */
static cl_int find_pitches(const cl_image_desc *d, const kir_image *image, bool has_host,
                           size_t *row, size_t *slice) {
    const size_t texel = kir_image_texel_bytes(image->format), dense = image->width * texel,
                 given_row = d->image_row_pitch, given_slice = d->image_slice_pitch;
    const bool are_rows = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t box[3];
    kir_image_box(image, box);
    if (!has_host && (given_row || given_slice))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    *row = given_row ? given_row : dense;
    if (are_rows && given_slice)
        *row = given_slice;
    *slice = given_slice && !are_rows ? given_slice : *row * box[1];
    return *row < dense || *row % texel || *slice < *row * box[1] ? CL_INVALID_IMAGE_DESCRIPTOR
                                                                  : CL_SUCCESS;
}

/* An image over a buffer has its context and its bytes; others are over nothing. */
static cl_int check_over(cl_context context, const cl_image_desc *d, const cl_image_format *f) {
    cl_mem over = d->mem_object;
    if (d->num_mip_levels || d->num_samples ||
        (d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) != (over != NULL))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (!over)
        return CL_SUCCESS;
    if (!platform_is(over, PLATFORM_MEMORY) || platform_is_image(over) || over->context != context)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    const kir_image image = platform_image_of(f, d);
    return image.width > over->bytes / kir_image_texel_bytes(image.format) ? CL_INVALID_IMAGE_SIZE
                                                                           : CL_SUCCESS;
}

static cl_int check_image(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                          const cl_image_desc *d, const void *host) {
    const bool has_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    cl_int error;
    if (!platform_is(context, PLATFORM_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!platform_are_flags(flags))
        return CL_INVALID_VALUE;
    if ((error = check_format(format)))
        return error;
    if (!d)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if ((error = check_sizes(d)) || (error = check_over(context, d, format)))
        return error;
    return has_host != (host != NULL) ? CL_INVALID_HOST_PTR : CL_SUCCESS;
}

/* ---- making ------------------------------------------------------------------------------------------ */

/* Texels of the host whose rows are `row` and `slice` bytes apart. */
static cl_mem new_image(machine *m, cl_context context, cl_mem_flags flags, const cl_image_desc *d,
                        const kir_image *image, void *host, size_t row, size_t slice) {
    const size_t texel = kir_image_texel_bytes(image->format);
    size_t box[3];
    kir_image_box(image, box);
    const size_t own_row = image->width * texel, own_slice = own_row * box[1];
    const bool is_apart = row != own_row || slice != own_slice;
    const cl_mem_flags own = is_apart ? flags & ~(cl_mem_flags)CL_MEM_USE_HOST_PTR : flags;
    if (own_slice * box[2] > platform_memory_size(m))
        return NULL;
    cl_mem made = platform_memory_new(m, context, d->mem_object, own, own_slice * box[2], host);
    if (!made)
        return NULL;
    if (d->mem_object && !flags)
        made->flags = d->mem_object->flags;
    made->type = d->image_type;
    made->image = *image;
    made->row = own_row;
    made->slice = own_slice;
    if (host && !made->host) {
        const platform_place to = {made->memory, own_row, own_slice}, from = {host, row, slice};
        platform_copy_box(m, &to, &from, (const size_t[]){own_row, box[1], box[2]});
    }
    if (is_apart && flags & CL_MEM_USE_HOST_PTR) {
        made->flags |= CL_MEM_USE_HOST_PTR;
        made->host = host;
        made->host_row = row;
        made->host_slice = slice;
    }
    return made;
}

size_t platform_host_bytes(cl_mem image) {
    size_t box[3];
    if (!image->host_row)
        return 0;
    kir_image_box(&image->image, box);
    return image->host_slice * box[2];
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                                    const cl_image_format *format,
                                                    const cl_image_desc *d, void *host,
                                                    cl_int *error) {
    machine *m = machine_enter();
    size_t row = 0, slice = 0;
    kir_image image = {0};
    cl_mem made = NULL;
    cl_int wrong = check_image(context, flags, format, d, host);
    if (!wrong) {
        image = platform_image_of(format, d);
        wrong = find_pitches(d, &image, host != NULL || d->mem_object, &row, &slice);
    }
    if (!wrong && !(made = new_image(m, context, flags, d, &image, host, row, slice)))
        wrong = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    platform_fail(wrong, error);
    platform_leave(m);
    return made;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_with(
    cl_context context, const cl_mem_properties *how, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *desc, void *host, cl_int *error) {
    if (how && *how)
        return platform_fail(CL_INVALID_PROPERTY, error);
    return create_image(context, flags, format, desc, host, error);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags,
                                                       const cl_image_format *format, size_t width,
                                                       size_t height, size_t row, void *host,
                                                       cl_int *error) {
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row};
    return create_image(context, flags, format, &desc, host, error);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_3d(cl_context context, cl_mem_flags flags,
                                                       const cl_image_format *format, size_t width,
                                                       size_t height, size_t depth, size_t row,
                                                       size_t slice, void *host, cl_int *error) {
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row,
                                .image_slice_pitch = slice};
    return create_image(context, flags, format, &desc, host, error);
}

/* ---- asking ------------------------------------------------------------------------------------------ */

/* All that the standard has names for. */
static CL_API_ENTRY cl_int CL_API_CALL image_formats(cl_context context, cl_mem_flags flags,
                                                     cl_mem_object_type type, cl_uint room,
                                                     cl_image_format *formats, cl_uint *count) {
    cl_uint found = 0;
    (void)flags;
    if (!platform_is(context, PLATFORM_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER || (formats && !room))
        return CL_INVALID_VALUE;
    for (uint32_t order = CL_R; order <= CL_ABGR; order++)
        for (uint32_t channel = CL_SNORM_INT8; channel <= CL_FLOAT; channel++)
            if (is_supported((kir_image_format){order, channel})) {
                if (formats && found < room)
                    formats[found] = (cl_image_format){order, channel};
                found++;
            }
    if (count)
        *count = found;
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL image_info(cl_mem image, cl_image_info what, size_t room,
                                                  void *to, size_t *needs) {
    static const cl_uint none = 0;
    if (!platform_is_image(image))
        return CL_INVALID_MEM_OBJECT;
    const kir_image *is = &image->image;
    const cl_image_format format = {is->format.order, is->format.type};
    const size_t texel = kir_image_texel_bytes(is->format),
                 slice = platform_sheet_pitch(image, image->row, image->slice);
    const cl_mem over = image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? image->whole : NULL;
    const size_t width = is->width, height = is->height, depth = is->depth, layers = is->layers;
    switch (what) {
    case CL_IMAGE_FORMAT: return platform_give(&format, sizeof format, room, to, needs);
    case CL_IMAGE_ELEMENT_SIZE: return platform_give(&texel, sizeof texel, room, to, needs);
    case CL_IMAGE_ROW_PITCH: return platform_give(&image->row, sizeof(size_t), room, to, needs);
    case CL_IMAGE_SLICE_PITCH: return platform_give(&slice, sizeof slice, room, to, needs);
    case CL_IMAGE_WIDTH: return platform_give(&width, sizeof width, room, to, needs);
    case CL_IMAGE_HEIGHT: return platform_give(&height, sizeof height, room, to, needs);
    case CL_IMAGE_DEPTH: return platform_give(&depth, sizeof depth, room, to, needs);
    case CL_IMAGE_ARRAY_SIZE: return platform_give(&layers, sizeof layers, room, to, needs);
    case CL_IMAGE_BUFFER: return platform_give(&over, sizeof over, room, to, needs);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES: return platform_give(&none, sizeof none, room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- samplers ---------------------------------------------------------------------------------------- */

static cl_sampler new_sampler(cl_context context, cl_bool normalized, cl_addressing_mode address,
                              cl_filter_mode filter, cl_int *error) {
    const cl_int wrong = !platform_is(context, PLATFORM_CONTEXT) ? CL_INVALID_CONTEXT
                         : address < CL_ADDRESS_NONE || address > CL_ADDRESS_MIRRORED_REPEAT ||
                                 (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR) ||
                                 normalized > CL_TRUE
                             ? CL_INVALID_VALUE
                             : CL_SUCCESS;
    platform_fail(wrong, error);
    if (wrong)
        return NULL;
    cl_sampler sampler = platform_new(PLATFORM_SAMPLER, sizeof *sampler);
    sampler->context = platform_hold(context);
    sampler->normalized = normalized;
    sampler->address = address;
    sampler->filter = filter;
    return sampler;
}

static CL_API_ENTRY cl_sampler CL_API_CALL create_sampler(cl_context context, cl_bool normalized,
                                                          cl_addressing_mode address,
                                                          cl_filter_mode filter, cl_int *error) {
    machine *m = machine_enter();
    cl_sampler sampler = new_sampler(context, normalized, address, filter, error);
    platform_leave(m);
    return sampler;
}

static CL_API_ENTRY cl_sampler CL_API_CALL create_sampler_with(cl_context context,
                                                               const cl_sampler_properties *given,
                                                               cl_int *error) {
    cl_sampler_properties how[] = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
    size_t count = 0;
    for (; given && given[count]; count += 2) {
        const cl_sampler_properties what = given[count] - CL_SAMPLER_NORMALIZED_COORDS;
        if (what > 2 || count > 4) /* an unknown one, or one of them again */
            return platform_fail(CL_INVALID_VALUE, error);
        how[what] = given[count + 1];
    }
    machine *m = machine_enter();
    cl_sampler sampler = new_sampler(context, (cl_bool)how[0], (cl_addressing_mode)how[1],
                                     (cl_filter_mode)how[2], error);
    if (sampler && given) {
        sampler->given_bytes = (count + 1) * sizeof *given;
        memcpy(sampler->given, given, sampler->given_bytes);
    }
    platform_leave(m);
    return sampler;
}

PLATFORM_HELD(sampler, cl_sampler, PLATFORM_SAMPLER, CL_INVALID_SAMPLER)

static CL_API_ENTRY cl_int CL_API_CALL sampler_info(cl_sampler s, cl_sampler_info what, size_t room,
                                                    void *to, size_t *needs) {
    if (!platform_is(s, PLATFORM_SAMPLER))
        return CL_INVALID_SAMPLER;
    switch (what) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return platform_give(&s->object.held, sizeof(cl_uint), room, to, needs);
    case CL_SAMPLER_CONTEXT: return platform_give(&s->context, sizeof s->context, room, to, needs);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return platform_give(&s->normalized, sizeof s->normalized, room, to, needs);
    case CL_SAMPLER_ADDRESSING_MODE:
        return platform_give(&s->address, sizeof s->address, room, to, needs);
    case CL_SAMPLER_FILTER_MODE:
        return platform_give(&s->filter, sizeof s->filter, room, to, needs);
    case CL_SAMPLER_PROPERTIES: return platform_give(s->given, s->given_bytes, room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

void platform_images(cl_icd_dispatch *table) {
    table->clCreateImage = create_image;
    table->clCreateImageWithProperties = create_image_with;
    table->clCreateImage2D = create_image_2d;
    table->clCreateImage3D = create_image_3d;
    table->clGetSupportedImageFormats = image_formats;
    table->clGetImageInfo = image_info;
    table->clCreateSampler = create_sampler;
    table->clCreateSamplerWithProperties = create_sampler_with;
    table->clRetainSampler = hold_sampler;
    table->clReleaseSampler = release_sampler;
    table->clGetSamplerInfo = sampler_info;
}
