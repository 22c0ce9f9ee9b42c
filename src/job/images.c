/*
 * Images and samplers of OpenCL C in jobs. An image is a buffer whose elements are texels, row behind row
 * and slice behind slice, and which has sizes and a format beside it; a sampler is the number that OpenCL C
 * has for it. What a kernel asks of an image is a parameter more ("photo.width"), which the image gives:
 * users know nothing of it.
 */
#include "job/internal.h"

/* ---- reading ----------------------------------------------------------------------------------- */

#define MEMBER(T, member, key, how, ...)                                  \
    {.name = #key, .as = how, .offset = offsetof(T, member), __VA_ARGS__}

/* As the job file has them. */
typedef struct image_entry {
    hd_image image;
    hd_job_text channels, type;
} image_entry;

const hd_yaml_key job_image_keys[] = {
    MEMBER(image_entry, image.width, width, JOB_COUNT, .needed = true, .least = 1),
    MEMBER(image_entry, image.height, height, JOB_COUNT, .least = 1),
    MEMBER(image_entry, image.depth, depth, JOB_COUNT, .least = 1),
    MEMBER(image_entry, image.layers, layers, JOB_COUNT, .least = 1),
    MEMBER(image_entry, channels, channels, JOB_PLACED, .needed = true,
           .example = "channels: rgba"),
    MEMBER(image_entry, type, type, JOB_PLACED, .needed = true, .example = "type: unorm8"),
    {0}};

typedef struct sampler_entry {
    hd_job_text address, filter, normalized;
} sampler_entry;

const hd_yaml_key job_sampler_keys[] = {MEMBER(sampler_entry, address, address, JOB_PLACED),
                                        MEMBER(sampler_entry, filter, filter, JOB_PLACED),
                                        MEMBER(sampler_entry, normalized, normalized, JOB_PLACED),
                                        {0}};

static uint64_t or_one(uint64_t size) { return size ? size : 1; }

kir_image_shape hd_image_shape(const hd_image *image) {
    return (kir_image_shape){image->depth ? 3 : image->height ? 2 : 1, image->layers > 0};
}

const char *hd_image_name(hd_arena *arena, kir_image_shape shape) {
    return hd_format(arena, "a %u-D image%s", shape.dims, shape.has_layers ? " with layers" : "");
}

hd_status job_reader_image(const reader *r, const hd_yaml *map, hd_buffer *buffer) {
    static const uint64_t most = 1 << 30;
    image_entry entry = {0};
    hd_status status = job_reader_members(r, map, job_image_keys, &entry);
    if (status)
        return status;
    hd_image *image = hd_new(r->arena, hd_image);
    *image = entry.image;
    image->format.order = kir_image_order_named(entry.channels.text);
    image->format.type = kir_image_type_named(entry.type.text);
    if (!image->format.order)
        return FAIL(r, hd_yaml_get(map, "channels"), "unknown channels '%s'; there are: %s",
                    entry.channels.text, kir_image_order_names(r->arena));
    if (!image->format.type)
        return FAIL(r, hd_yaml_get(map, "type"), "unknown type '%s' of channels; there are: %s",
                    entry.type.text, kir_image_type_names(r->arena));
    buffer->type = kir_image_texel(r->arena, image->format);
    if (!buffer->type)
        return FAIL(r, hd_yaml_get(map, "type"),
                    "OpenCL has no image with channels %s of type %s; an image with any channels "
                    "is rgba of float",
                    entry.channels.text, entry.type.text);
    if (image->depth && (!image->height || image->layers))
        return FAIL(r, hd_yaml_get(map, "depth"),
                    "'depth' is of a 3-D image, which has a width and a height, and no 'layers'");
    if (image->width > most || image->height > most || image->depth > most ||
        image->layers > most || or_one(image->height) * or_one(image->depth) > most ||
        image->width * or_one(image->height) * or_one(image->depth) > UINT64_MAX / most)
        return FAIL(r, map, "an image of this size is beyond any device; make it smaller");
    buffer->count = kir_image_texels(image);
    buffer->image = image;
    return HD_OK;
}

static const struct sampler_word {
    const char *word;
    uint32_t bits;
} modes[] = {{"none", KIR_SAMPLER_NONE},
             {"clamp_to_edge", KIR_SAMPLER_CLAMP_TO_EDGE},
             {"clamp", KIR_SAMPLER_CLAMP},
             {"repeat", KIR_SAMPLER_REPEAT},
             {"mirrored_repeat", KIR_SAMPLER_MIRRORED_REPEAT}},
  filters[] = {{"nearest", KIR_SAMPLER_NEAREST}, {"linear", KIR_SAMPLER_LINEAR}},
  truths[] = {{"false", 0}, {"true", KIR_SAMPLER_NORMALIZED}};

static hd_status add_word(const reader *r, const hd_yaml *map, const char *key,
                          const struct sampler_word *words, size_t count, uint32_t *bits) {
    const hd_yaml *value = hd_yaml_get(map, key);
    for (size_t i = 0; i < count; i++)
        if (value ? !strcmp(words[i].word, value->text) : i == 0) {
            *bits |= words[i].bits;
            return HD_OK;
        }
    return FAIL(r, value, "'%s: %s' of a sampler is none of: %s", key, value->text,
                job_names(r->arena, words, count, sizeof *words));
}
#define ADD_WORD(r, map, key, words, bits)                              \
    add_word(r, map, key, words, sizeof(words) / sizeof *(words), bits)

hd_status job_reader_sampler(const reader *r, const hd_yaml *map, hd_arg *arg) {
    uint32_t bits = 0;
    hd_status status;
    if ((status = ADD_WORD(r, map, "address", modes, &bits)) ||
        (status = ADD_WORD(r, map, "filter", filters, &bits)) ||
        (status = ADD_WORD(r, map, "normalized", truths, &bits)))
        return status;
    if ((bits & 0xe) >= KIR_SAMPLER_REPEAT && !(bits & KIR_SAMPLER_NORMALIZED))
        return FAIL(r, map, "a sampler with 'address: %s' has 'normalized: true'",
                    hd_yaml_text(map, "address"));
    arg->value_text = hd_format(r->arena, "%u", bits);
    arg->is_sampler = true;
    return HD_OK;
}

/* ---- printing ----------------------------------------------------------------------------------- */

const char *hd_sampler_text(hd_arena *arena, uint32_t bits) {
    const char *address = "none";
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if ((bits & 0xe) == modes[i].bits)
            address = modes[i].word;
    return hd_format(arena, "address: %s, filter: %s, normalized: %s", address,
                     filters[(bits & KIR_SAMPLER_LINEAR) != 0].word,
                     truths[bits & KIR_SAMPLER_NORMALIZED].word);
}

/* ---- what kernels are given ---------------------------------------------------------------------- */

hd_status job_check_object(const resolver *r, const hd_launch *launch, const hd_arg *arg,
                           const kir_param *param) {
    const hd_image *image = arg->kind == HD_ARG_BUFFER ? r->job->buffers[arg->buffer].image : NULL;
    const char *kernel = launch->kernel->name;
    if (arg->is_sampler != (param->object == KIR_SAMPLER))
        return REFUSE(r, arg,
                      arg->is_sampler
                          ? "parameter '%s' of kernel '%s' is no sampler, but %s"
                          : "parameter '%s' of kernel '%s' is a sampler; give it {name: %s, "
                            "sampler: {address: clamp, filter: linear, normalized: true}}",
                      arg->name, kernel,
                      !arg->is_sampler   ? arg->name
                      : param->type_name ? param->type_name
                                         : "a number");
    if (image && param->object != KIR_IMAGE)
        return REFUSE(
            r, arg,
            "parameter '%s' of kernel '%s' points to a buffer (%s), but '%s' is an image; "
            "give that buffer a 'type' and a 'count' in place of 'image'",
            arg->name, kernel, param->type_name ? param->type_name : "memory", arg->buffer_name);
    if (param->object != KIR_IMAGE)
        return HD_OK;
    if (!image)
        return REFUSE(r, arg,
                      "parameter '%s' of kernel '%s' is an image (%s), but '%s' is a buffer; give "
                      "that 'image: {width: ..., channels: rgba, type: unorm8}' in place of 'type' "
                      "and 'count'",
                      arg->name, kernel, param->type_name,
                      arg->buffer_name ? arg->buffer_name : "its value");
    kir_image_shape wanted = kir_image_shape_of(param->type_name), is = hd_image_shape(image);
    if (wanted.dims != is.dims || wanted.has_layers != is.has_layers)
        return REFUSE(r, arg, "parameter '%s' of kernel '%s' is %s (%s), but '%s' is %s", arg->name,
                      kernel, hd_image_name(r->arena, wanted), param->type_name, arg->buffer_name,
                      hd_image_name(r->arena, is));
    if (arg->offset)
        return REFUSE(r, arg, "argument '%s' is an image, which takes no 'offset'", arg->name);
    if (param->format.order &&
        (param->format.order != image->format.order || param->format.type != image->format.type))
        return REFUSE(r, arg,
                      "kernel '%s' was compiled for an image '%s' with channels %s of type %s, but "
                      "'%s' has %s",
                      kernel, arg->name, kir_image_order_name(param->format.order),
                      kir_image_type_name(param->format.type), arg->buffer_name,
                      kir_image_text(r->arena, image));
    return HD_OK;
}

void job_give_images(hd_arena *arena, const hd_job *job, hd_launch *launch) {
    const kir_kernel *kernel = launch->kernel;
    uint32_t first = kir_given_params(kernel), own = 0;
    while (own < launch->arg_count && !launch->args[own].is_derived)
        own++;
    launch->arg_count = own;
    if (first == kernel->param_count)
        return;
    hd_arg *args = hd_new_array(arena, hd_arg, own + kernel->param_count - first);
    memcpy(args, launch->args, own * sizeof *args);
    launch->args = args;
    for (uint32_t p = first; p < kernel->param_count; p++) {
        uint32_t of;
        const char *what = kir_asked_of_image(kernel, p, &of);
        for (uint32_t a = 0; a < own; a++) {
            const hd_image *image =
                args[a].kind == HD_ARG_BUFFER ? job->buffers[args[a].buffer].image : NULL;
            if (!image || strcmp(args[a].name, kernel->params[of].name) != 0)
                continue;
            uint32_t *value = hd_new(arena, uint32_t);
            *value = kir_image_number(image, what);
            args[launch->arg_count++] = (hd_arg){.name = kernel->params[p].name,
                                                 .kind = HD_ARG_VALUE,
                                                 .value_text = hd_format(arena, "%u", *value),
                                                 .is_derived = true,
                                                 .place = args[a].place,
                                                 .param = p,
                                                 .value = (uint8_t *)value,
                                                 .value_bytes = 4};
        }
    }
}

/* ---- what the front end is told -------------------------------------------------------------------- */

const char *hd_job_front_options(hd_arena *arena, const hd_job *job, const char *options) {
    hd_hash_table rows = {.arena = arena, .key_bytes = HD_TEXT_KEYS};
    hd_hash_table images = {.arena = arena, .key_bytes = HD_TEXT_KEYS};
    hd_vec(const char *) names = {0}, values = {0};
    if (hd_ends_in(job->kernel_path, ".kir")) /* it is for some, or for any, already */
        return options;
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (job->buffers[b].image)
            hd_hash_add_key(&images, job->buffers[b].name, b);
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint32_t a = 0; a < job->launches[l].arg_count; a++) {
            const hd_arg *arg = &job->launches[l].args[a];
            uint64_t b =
                arg->buffer_name ? hd_hash_get_key(&images, arg->buffer_name) : HD_NO_VALUE;
            if (b == HD_NO_VALUE && !arg->is_sampler)
                continue;
            const char *name = hd_format(arena, "%s.%s", job->launches[l].kernel_name, arg->name);
            const char *value = arg->is_sampler
                                    ? arg->value_text
                                    : hd_format(arena, "%u,%u", job->buffers[b].image->format.order,
                                                job->buffers[b].image->format.type);
            uint64_t row = hd_hash_add_key(&rows, name, names.count);
            if (row == names.count) {
                hd_push(arena, &names, name);
                hd_push(arena, &values, value);
            } else if (values.data[row] && strcmp(values.data[row], value) != 0) {
                values.data[row] = NULL; /* the kernel is one for all launches */
            }
        }
    hd_str all = {.arena = arena};
    hd_str_add(&all, options ? options : "");
    for (size_t i = 0; i < names.count; i++)
        if (values.data[i])
            hd_str_printf(&all, " " KIR_KNOWN_OPTION "%s=%s", names.data[i], values.data[i]);
    return hd_str_text(&all);
}
