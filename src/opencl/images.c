/* What a program makes of images and samplers. An image is followed as memory, whose bytes are its texels
 * row by row, and as a job says it; one of a format that jobs have no name for is not followed. */
#include "opencl/layer.h"

#include <string.h>

#include "kernel/image.h"

static uint64_t key_of(const void *handle) { return (uint64_t)(uintptr_t)handle; }

/* ---- images --------------------------------------------------------------------------------------- */

static size_t or_one(size_t size) { return size ? size : 1; }

/* As a job has it. */
static const char *image_text(hd_arena *arena, const cl_image_desc *d, kir_image_format format) {
    const bool one = d->image_type == CL_MEM_OBJECT_IMAGE1D ||
                     d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ||
                     d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const bool layers = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                        d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    hd_str text = {.arena = arena};
    hd_str_printf(&text, "image: {width: %zu", d->image_width);
    if (!one)
        hd_str_printf(&text, ", height: %zu", d->image_height);
    if (d->image_type == CL_MEM_OBJECT_IMAGE3D)
        hd_str_printf(&text, ", depth: %zu", d->image_depth);
    if (layers)
        hd_str_printf(&text, ", layers: %zu", d->image_array_size);
    hd_str_printf(&text, ", channels: %s, type: %s}", kir_image_order_name(format.order),
                  kir_image_type_name(format.type));
    return hd_str_text(&text);
}

void layer_follow_image(layer *l, cl_context context, cl_mem image, const cl_image_format *f,
                        const cl_image_desc *d) {
    const kir_image_format format = {f->image_channel_order, f->image_channel_data_type};
    if (!image || !kir_image_texel(l->arena, format) || d->num_samples > 1)
        return;
    const bool rows = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const bool sheets = d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const bool one =
        d->image_type == CL_MEM_OBJECT_IMAGE1D || d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    layer_whole whole = {.memory = image,
                         .context = context,
                         .region = {d->image_width,
                                    rows  ? d->image_array_size
                                    : one ? 1
                                          : or_one(d->image_height),
                                    sheets ? d->image_array_size
                                    : d->image_type == CL_MEM_OBJECT_IMAGE3D
                                        ? or_one(d->image_depth)
                                        : 1},
                         .image = image_text(l->arena, d, format)};
    whole.bytes =
        whole.region[0] * whole.region[1] * whole.region[2] * kir_image_texel_bytes(format);
    hd_hash_set(&l->images, key_of(image), layer_add_whole(l, whole)->address);
}

layer_whole *layer_arg_image(const layer *l, const layer_arg *a) {
    const uint64_t address = a->value && a->bytes == sizeof(cl_mem)
                                 ? hd_hash_get(&l->images, key_of(*(const cl_mem *)a->value))
                                 : HD_NO_VALUE;
    return address == HD_NO_VALUE ? NULL : layer_whole_at(l, address);
}

cl_int layer_read_image(const layer *l, cl_command_queue queue, const layer_whole *image,
                        void *bytes) {
    const size_t origin[3] = {0};
    return l->target->clEnqueueReadImage(queue, image->memory, CL_TRUE, origin, image->region, 0, 0,
                                         bytes, 0, NULL, NULL);
}

cl_int layer_copy_image(const layer *l, cl_command_queue queue, const layer_whole *image,
                        cl_mem to) {
    const size_t origin[3] = {0};
    return l->target->clEnqueueCopyImageToBuffer(queue, image->memory, to, origin, image->region, 0,
                                                 0, NULL, NULL);
}

/* ---- samplers ---------------------------------------------------------------------------------------- */

const char *layer_arg_sampler(const layer *l, const layer_arg *a) {
    const uint64_t row = a->value && a->bytes == sizeof(cl_sampler)
                             ? hd_hash_get(&l->samplers, key_of(*(const cl_sampler *)a->value))
                             : HD_NO_VALUE;
    return row == HD_NO_VALUE ? NULL : l->sampler_rows.data[row];
}

bool layer_is_sampler(const layer *l, cl_kernel kernel, cl_uint index) {
    char type[16];
    return !l->target->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type,
                                          NULL) &&
           !strcmp(type, "sampler_t");
}

/* A handle that comes again is that of the new one. */
static void follow_sampler(layer *l, cl_sampler sampler, cl_bool normalized,
                           cl_addressing_mode address, cl_filter_mode filter) {
    static const struct {
        cl_addressing_mode mode;
        const char *name;
    } modes[] = {{CL_ADDRESS_NONE, "none"},
                 {CL_ADDRESS_CLAMP_TO_EDGE, "clamp_to_edge"},
                 {CL_ADDRESS_CLAMP, "clamp"},
                 {CL_ADDRESS_REPEAT, "repeat"},
                 {CL_ADDRESS_MIRRORED_REPEAT, "mirrored_repeat"}};
    const char *name = modes[0].name;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].mode == address)
            name = modes[i].name;
    hd_hash_set(&l->samplers, key_of(sampler), l->sampler_rows.count);
    hd_push(l->arena, &l->sampler_rows,
            hd_format(l->arena, "sampler: {address: %s, filter: %s, normalized: %s}", name,
                      filter == CL_FILTER_LINEAR ? "linear" : "nearest",
                      normalized ? "true" : "false"));
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

void layer_samplers(cl_icd_dispatch *table) {
    table->clCreateSampler = create_sampler;
    if (table->clCreateSamplerWithProperties)
        table->clCreateSamplerWithProperties = create_sampler_with;
}
