/* What a program makes of images and samplers. An image is followed as memory, whose bytes are its texels
 * row by row, and as a job says it; one of a format that jobs have no name for is not followed. */
#include "opencl/layer.h"

#include <string.h>

#include "job/job.h"
#include "opencl/platform.h"

static uint64_t key_of(const void *handle) { return (uint64_t)(uintptr_t)handle; }

/* ---- images --------------------------------------------------------------------------------------- */

static void follow(layer *l, cl_context context, cl_mem_flags flags, cl_mem image,
                   const cl_image_format *f, const cl_image_desc *d) {
    layer_forget_buffer(l, image); /* of a handle that comes again */
    kir_image *is = hd_new(l->arena, kir_image);
    *is = platform_image_of(f, d);
    if (!kir_image_texel(l->arena, is->format) || d->num_samples > 1)
        return;
    layer_whole whole = {.memory = image,
                         .context = context,
                         .flags = flags,
                         .bytes = kir_image_texels(is) * kir_image_texel_bytes(is->format),
                         .image = is,
                         .image_text =
                             hd_format(l->arena, "image: {%s}", kir_image_text(l->arena, is))};
    kir_image_box(is, whole.region);
    layer_follow_whole(l, whole);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                                    const cl_image_format *format,
                                                    const cl_image_desc *desc, void *host,
                                                    cl_int *error) {
    layer *l = layer_enter();
    if (desc && desc->mem_object)
        layer_share_buffer(l, desc->mem_object);
    cl_mem image = l->target->clCreateImage(context, flags, format, desc, host, error);
    if (image)
        follow(l, context, flags, image, format, desc);
    layer_leave(l);
    return image;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_with(
    cl_context context, const cl_mem_properties *how, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *desc, void *host, cl_int *error) {
    layer *l = layer_enter();
    if (desc && desc->mem_object)
        layer_share_buffer(l, desc->mem_object);
    cl_mem image =
        l->target->clCreateImageWithProperties(context, how, flags, format, desc, host, error);
    if (image)
        follow(l, context, flags, image, format, desc);
    layer_leave(l);
    return image;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags,
                                                       const cl_image_format *format, size_t width,
                                                       size_t height, size_t pitch, void *host,
                                                       cl_int *error) {
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    layer *l = layer_enter();
    cl_mem image =
        l->target->clCreateImage2D(context, flags, format, width, height, pitch, host, error);
    if (image)
        follow(l, context, flags, image, format, &desc);
    layer_leave(l);
    return image;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_image_3d(cl_context context, cl_mem_flags flags,
                                                       const cl_image_format *format, size_t width,
                                                       size_t height, size_t depth, size_t row,
                                                       size_t slice, void *host, cl_int *error) {
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth};
    layer *l = layer_enter();
    cl_mem image = l->target->clCreateImage3D(context, flags, format, width, height, depth, row,
                                              slice, host, error);
    if (image)
        follow(l, context, flags, image, format, &desc);
    layer_leave(l);
    return image;
}

/* ---- samplers ---------------------------------------------------------------------------------------- */

const layer_sampler *layer_sampler_of(const layer *l, cl_sampler sampler) {
    const uint64_t row = hd_hash_get(&l->samplers, key_of(sampler));
    return row == HD_NO_VALUE ? NULL : &l->sampler_rows.data[row];
}

const layer_sampler *layer_arg_sampler(const layer *l, const layer_arg *a) {
    return a->value && a->bytes == sizeof(cl_sampler)
               ? layer_sampler_of(l, *(const cl_sampler *)a->value)
               : NULL;
}

/* A handle that comes again is that of the new one. */
static void follow_sampler(layer *l, cl_sampler sampler, cl_bool normalized,
                           cl_addressing_mode address, cl_filter_mode filter) {
    const uint32_t bits = kir_sampler_of(normalized, address, filter);
    hd_hash_set(&l->samplers, key_of(sampler), l->sampler_rows.count);
    hd_push(l->arena, &l->sampler_rows,
            (layer_sampler){bits,
                            hd_format(l->arena, "sampler: {%s}", hd_sampler_text(l->arena, bits))});
}

static CL_API_ENTRY cl_sampler CL_API_CALL create_sampler(cl_context context, cl_bool normalized,
                                                          cl_addressing_mode address,
                                                          cl_filter_mode filter, cl_int *error) {
    layer *l = layer_enter();
    cl_sampler sampler = l->target->clCreateSampler(context, normalized, address, filter, error);
    if (sampler)
        follow_sampler(l, sampler, normalized, address, filter);
    layer_leave(l);
    return sampler;
}

static CL_API_ENTRY cl_sampler CL_API_CALL create_sampler_with(cl_context context,
                                                               const cl_sampler_properties *how,
                                                               cl_int *error) {
    cl_sampler_properties normalized = CL_TRUE, address = CL_ADDRESS_CLAMP,
                          filter = CL_FILTER_NEAREST;
    layer *l = layer_enter();
    cl_sampler sampler = l->target->clCreateSamplerWithProperties(context, how, error);
    for (const cl_sampler_properties *p = how; p && *p; p += 2) {
        normalized = *p == CL_SAMPLER_NORMALIZED_COORDS ? p[1] : normalized;
        address = *p == CL_SAMPLER_ADDRESSING_MODE ? p[1] : address;
        filter = *p == CL_SAMPLER_FILTER_MODE ? p[1] : filter;
    }
    if (sampler)
        follow_sampler(l, sampler, (cl_bool)normalized, (cl_addressing_mode)address,
                       (cl_filter_mode)filter);
    layer_leave(l);
    return sampler;
}

void layer_images(cl_icd_dispatch *table) {
    table->clCreateImage = create_image;
    if (table->clCreateImageWithProperties)
        table->clCreateImageWithProperties = create_image_with;
    table->clCreateImage2D = create_image_2d;
    table->clCreateImage3D = create_image_3d;
    table->clCreateSampler = create_sampler;
    if (table->clCreateSamplerWithProperties)
        table->clCreateSamplerWithProperties = create_sampler_with;
}
