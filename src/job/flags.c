/*
 * A job for one kernel without a job file: a buffer for every pointer, a value
 * for every scalar, and sizes that suit a first look.
 *
 * Buffers hold numbers from 0 to 1, so that floating-point code sees ordinary
 * values and an index read from a buffer stays inside it. Integers get the
 * element count, because that is what a scalar `n` most often is. A dynamic shared array
 * of CUDA gets 16 bytes for each thread of a block.
 */
#include <ctype.h>
#include <math.h>

#include "job/internal.h"

typedef struct maker {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job_flags *flags;
    const kir_kernel *kernel;
    hd_job *job;
    hd_place place;             /* the kernel's, for all that the flags left open */
    uint64_t count, extents[3]; /* elements of a buffer; what numbers named after dimensions are */
} maker;

enum { LAYERS = 4 }; /* of arrays with a dimension more than the launch */

static hd_status find_entry(maker *m, const kir_module *module) {
    const char *entry = m->flags->entry;
    hd_str names = {.arena = m->arena};
    for (uint32_t k = 0; k < module->kernel_count; k++)
        hd_str_printf(&names, "%s%s", k ? ", " : "", module->kernels[k]->name);
    m->place = (hd_place){.file = m->flags->kernel_path};
    if (!module->kernel_count)
        return REFUSE(m, m, "there is no kernel in this file");
    if (!entry && module->kernel_count > 1)
        return REFUSE(m, m, "there are several kernels; choose one as the entry: %s",
                      hd_str_text(&names));
    m->kernel = entry ? kir_find_kernel(module, entry) : module->kernels[0];
    if (!m->kernel)
        return REFUSE(m, m, "there is no kernel '%s'; there are: %s", entry, hd_str_text(&names));
    if (m->kernel->place.file)
        m->place = m->kernel->place;
    return HD_OK;
}

uint32_t job_dims_of(const kir_kernel *kernel) {
    uint32_t dims = 1;
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        const kir_inst *inst = &kernel->insts[i];
        int64_t dimension;
        bool is_id = inst->op == KIR_QUERY && inst->index <= KIR_Q_GROUP_ID && inst->arg_count;
        if (is_id && kir_const_int(kernel, inst->args[0], &dimension) && dimension >= dims &&
            dimension < 3)
            dims = (uint32_t)dimension + 1;
    }
    for (uint32_t d = 1; d < 3; d++)
        if (kernel->required_local[d] > 1 && dims <= d)
            dims = d + 1;
    return dims;
}

static hd_status choose_sizes(const maker *m, hd_launch *launch) {
    static const uint64_t global[3][3] = {{65536, 1, 1}, {256, 256, 1}, {64, 32, 32}};
    static const uint64_t local[3][3] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}};
    const hd_job_flags *flags = m->flags;
    const uint32_t *required = m->kernel->required_local;
    uint32_t dims = flags->dims ? flags->dims : job_dims_of(m->kernel);
    launch->guess = flags->dims ? NULL : "sizes";
    if (dims > 3)
        return hd_fail(m->diag, HD_EINPUT, &m->place, "%u dimensions; a launch has 1 to 3", dims);
    launch->dims = dims;
    launch->local_given = true;
    for (uint32_t d = 0; d < 3; d++) {
        uint64_t size = flags->global[d] && d < dims ? flags->global[d] : global[dims - 1][d];
        uint64_t step = flags->local[d] && d < dims  ? flags->local[d]
                        : required[0] && required[d] ? required[d]
                                                     : job_power_dividing(size, local[dims - 1][d]);
        if (!flags->global[d])
            size = hd_align_up(size, step);
        if (size % step)
            return hd_fail(
                m->diag, HD_EINPUT, &m->place,
                "global size %llu is not a multiple of the local size %llu; the next one "
                "is %llu",
                (ull)size, (ull)step, (ull)hd_align_up(size, step));
        launch->global[d] = size;
        launch->local[d] = step;
    }
    launch->shared_given = true;
    launch->cooperative = kir_calls(m->kernel, "grid_workspace");
    for (uint32_t v = 0; v < m->kernel->static_count; v++)
        if (m->kernel->statics[v].is_dynamic)
            launch->shared = 16 * launch->local[0] * launch->local[1] * launch->local[2];
    return hd_launch_check_size(m->diag, launch);
}

bool job_flag_is_of(const kir_param *param, const char *value) {
    size_t length = strcspn(value, "=");
    return job_arg_kind(param) == HD_ARG_VALUE && strlen(param->name) == length &&
           !strncmp(param->name, value, length);
}

const char *job_flag_of(const hd_job_flags *flags, const kir_param *param) {
    for (uint32_t v = 0; v < flags->value_count; v++)
        if (job_flag_is_of(param, flags->values[v]))
            return flags->values[v];
    return NULL;
}

static hd_status check_values(const maker *m) {
    hd_str names = {.arena = m->arena};
    for (uint32_t p = 0; p < m->kernel->param_count; p++)
        if (job_arg_kind(&m->kernel->params[p]) == HD_ARG_VALUE)
            hd_str_printf(&names, "%s%s", names.length ? ", " : "", m->kernel->params[p].name);
    for (uint32_t v = 0; v < m->flags->value_count; v++) {
        const char *value = m->flags->values[v];
        size_t length = strcspn(value, "=");
        bool found = false;
        for (uint32_t p = 0; p < m->kernel->param_count && value[length]; p++)
            found = found || job_flag_is_of(&m->kernel->params[p], value);
        if (!found)
            return hd_fail(m->diag, HD_EINPUT, &m->place,
                           "'%s' does not give a scalar argument of kernel '%s' as name=value; "
                           "those arguments are: %s",
                           value, m->kernel->name, names.length ? hd_str_text(&names) : "none");
        for (uint32_t u = 0; u < v; u++)
            if (!strncmp(m->flags->values[u], value, length + 1))
                return hd_fail(m->diag, HD_EINPUT, &m->place,
                               "argument '%.*s' has two values, '%s' and '%s'; give one",
                               (int)length, value, m->flags->values[u] + length + 1,
                               value + length + 1);
    }
    return HD_OK;
}

/* The name of the elements' type; one of the same size where it is a typedef, say. */
static const char *buffer_type(const maker *m, const kir_param *param) {
    kir_type type;
    bool is_signed;
    if (m->job->declared_count && !strcmp(m->flags->record_of, param->name))
        return m->job->declared->name;
    if (param->record)
        return param->record->name;
    if (param->element_type && hd_type_parse(param->element_type, &type, &is_signed))
        return param->element_type;
    switch (param->element_bytes) {
    case 0: return "uint";
    case 1: return "uchar";
    case 2: return "ushort";
    case 4: return "uint";
    case 8: return "ulong";
    case 16: return "uint4";
    default: return param->element_type ? param->element_type : "uint";
    }
}

/* Random numbers for the fields of a record: a nested struct's one by one, an array's in one go.
 * `leaf` counts the scalars before the field: the seed of its numbers. Fields without numbers
 * in them (pointers, say) stay zero. */
typedef struct filler {
    const maker *m;
    hd_vec(hd_init) inits;
    uint64_t leaf;
} filler;

static void fill_with_random(filler *f, const char *field, uint64_t seed) {
    hd_init init = {.field = field,
                    .generator = HD_GEN_UNIFORM,
                    .high = 1,
                    .seed = seed,
                    .place = f->m->place,
                    .skips_opaque = true};
    hd_push(f->m->arena, &f->inits, init);
}

static void fill_record(filler *f, const hd_record *record, const char *prefix) {
    for (uint32_t i = 0; i < record->field_count; i++) {
        const hd_field *field = &record->fields[i];
        const char *path = hd_format(f->m->arena, "%s%s", prefix, field->name);
        if (field->record && field->count <= 1) {
            fill_record(f, field->record, hd_format(f->m->arena, "%s.", path));
            continue;
        }
        hd_arena *scratch = hd_arena_new();
        uint32_t leaves, known = 0;
        const hd_leaf *list = hd_leaves_of_record(scratch, record, field->name, &leaves);
        for (uint32_t l = 0; l < leaves; l++)
            known += !list[l].opaque;
        hd_arena_free(scratch);
        if (known)
            fill_with_random(f, path, (uint64_t)(f->m->job->buffer_count + 1) * 1000 + f->leaf);
        f->leaf += leaves;
    }
}

/* An image of a made-up size, and where the kernel takes any channels, of rgba of float. */
static const hd_image *made_up_image(const maker *m, const hd_launch *launch,
                                     const kir_param *param) {
    static const uint64_t sides[] = {0, 1024, 128}, layers = 4;
    const kir_image_shape shape = kir_image_shape_of(param->type_name);
    hd_image *image = hd_new(m->arena, hd_image);
    uint64_t *const sizes[] = {&image->width, &image->height, &image->depth};
    for (uint32_t d = 0; d < shape.dims; d++)
        *sizes[d] = shape.dims == 1              ? m->count
                    : launch->dims >= shape.dims ? launch->global[d]
                                                 : sides[shape.dims - 1];
    image->layers = shape.has_layers ? layers : 0;
    image->format = param->format.order ? param->format : kir_image_usual;
    return image;
}

static void add_buffer(const maker *m, const hd_launch *launch, const kir_param *param,
                       uint64_t count, hd_arg *arg) {
    hd_buffer *buffer = &m->job->buffers[m->job->buffer_count];
    kir_type type;
    bool is_signed;
    *buffer = (hd_buffer){.name = param->name, .count = count, .place = m->place};
    buffer->guess = m->flags->count ? "contents" : "count, contents";
    buffer->type = buffer_type(m, param);
    if (param->object == KIR_IMAGE) {
        buffer->image = made_up_image(m, launch, param);
        buffer->type = kir_image_texel(m->arena, buffer->image->format);
        buffer->count = kir_image_texels(buffer->image);
        buffer->guess = "count, contents";
    }
    filler f = {.m = m};
    /* Numbers or vectors, though a struct of CUDA's may have that name (__half). A vector of three
     * is a record where it has one. */
    if (hd_type_parse(buffer->type, &type, &is_signed) && !(param->record && type.lanes == 3))
        fill_with_random(&f, NULL, m->job->buffer_count + 1);
    else if (param->record)
        fill_record(&f, param->record, "");
    else if (m->job->declared_count && buffer->type == m->job->declared->name)
        fill_with_random(&f, NULL, m->job->buffer_count + 1);
    buffer->inits = f.inits.data;
    buffer->init_count = (uint32_t)f.inits.count;
    arg->buffer_name = buffer->name;
    m->job->buffer_count++;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* Which dimension a number of this name counts, as "nx", "sizeY", "height" and "rows" do; 3: none. */
static uint32_t dimension_named(const char *name) {
    static const char *const words[3][3] = {
        {"width", "col", "pitch"}, {"height", "row"}, {"depth", "slice"}};
    static const char before[] = "n l d g dim size num len count cells grid n_ l_ dim_ size_ num_ "
                                 "len_ count_ cells_ grid_";
    char lower[32] = "";
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof lower; length++)
        lower[length] = (char)tolower((unsigned char)name[length]);
    for (uint32_t d = 0; d < 3; d++) {
        if (length == 1 && (lower[0] == "whd"[d] || lower[0] == "xyz"[d]))
            return d;
        for (int w = 0; w < 3 && words[d][w]; w++)
            if (strstr(lower, words[d][w]))
                return d;
    }
    char last = length > 1 ? lower[length - 1] : 0;
    lower[length ? length - 1 : 0] = 0;
    return last >= 'x' && last <= 'z' && hd_has_word(before, lower) ? (uint32_t)(last - 'x') : 3;
}

/* The type is one of counts. */
static bool is_whole(kir_type type, const char *name) {
    return type.kind == KIR_INT && type.bits > 1 && !hd_has_word("bool _Bool", name ? name : "");
}

/* Those of a struct by value, as long as it is one that a launch can give. */
static const hd_leaf *numbers_of(const maker *m, const kir_param *param, uint32_t *count) {
    enum { MOST_BYTES = 32764 }; /* CUDA's limit of all arguments together */
    *count = 0;
    return param->record && param->record->size <= MOST_BYTES
               ? hd_leaves_of_record(m->arena, param->record, NULL, count)
               : NULL;
}

/* Which dimensions whole numbers among the arguments are named after, members of structs by value
 * included. */
static void find_named(const maker *m, bool named[3]) {
    for (uint32_t p = 0; p < m->kernel->param_count; p++) {
        const kir_param *param = &m->kernel->params[p];
        uint32_t count = 0, d = 3;
        const hd_leaf *leaves = param->by_value_struct ? numbers_of(m, param, &count) : NULL;
        for (uint32_t l = 0; l < count; l++)
            if (is_whole(leaves[l].type, NULL) && !leaves[l].opaque &&
                (d = dimension_named(hd_leaf_path(m->arena, param->record, &leaves[l]))) < 3)
                named[d] = true;
        if (job_arg_kind(param) == HD_ARG_VALUE && !param->by_value_struct &&
            is_whole(param->type, param->type_name) && (d = dimension_named(param->name)) < 3)
            named[d] = true;
    }
}

/* How long the arrays of the kernel are in each dimension, so that all threads of the launch find
 * something there. Where it takes apart the ids of a launch in one dimension ("nx", "ny"), that is
 * shared between these. */
static void choose_extents(maker *m, const hd_launch *launch) {
    bool named[3] = {false, false, false};
    uint64_t threads = launch->global[0] * launch->global[1] * launch->global[2], left = threads;
    find_named(m, named);
    uint32_t names = named[0] + named[1] + named[2];
    bool is_shared = launch->dims == 1 && names > 1 && !m->flags->count;
    m->count = m->flags->count ? m->flags->count : threads;
    for (uint32_t d = 0; d < 3; d++)
        m->extents[d] = m->flags->count ? m->count : launch->global[launch->dims > 1 ? d : 0];
    for (uint32_t d = 0; d < 3 && is_shared; d++) {
        double root = pow((double)left, 1.0 / names);
        m->extents[d] = names == 1 ? left : (uint64_t)1 << (uint32_t)(log2(root) + 0.5);
        if (!named[d])
            m->extents[d] = 1;
        else
            left /= m->extents[d], names--;
    }
    for (uint32_t d = launch->dims; d < 3 && launch->dims > 1 && !m->flags->count; d++) {
        m->extents[d] = named[d] ? LAYERS : 1; /* that each thread goes through */
        m->count *= m->extents[d];
    }
}

/* A whole number of this name. */
static uint64_t number_named(const maker *m, const hd_launch *launch, kir_type type,
                             const char *name) {
    uint64_t limit = ((uint64_t)1 << (type.bits - 1)) - 1;
    uint32_t d = dimension_named(name);
    uint64_t number = d < 3 ? m->extents[d] : launch->dims > 1 ? m->extents[0] : m->count;
    return number < limit ? number : limit;
}

/* The members of a struct by value, as text; "1", which is all of them, where it has others than
 * numbers. */
static const char *members_of(const maker *m, const hd_launch *launch, const kir_param *param) {
    uint32_t count = 0;
    const hd_leaf *leaves = numbers_of(m, param, &count);
    hd_str text = {.arena = m->arena};
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t lane = 0; lane < leaves[l].type.lanes; lane++) {
            const char *path = hd_leaf_path(m->arena, param->record, &leaves[l]);
            if (leaves[l].opaque)
                return "1";
            hd_str_printf(&text, "%s%llu", text.length ? ", " : "",
                          is_whole(leaves[l].type, NULL) && leaves[l].type.bits > 8
                              ? (ull)number_named(m, launch, leaves[l].type, path)
                              : 1ull);
        }
    return text.length ? hd_str_text(&text) : "1";
}

/* What the flags say, or else a size for integers and 1 for others, truths among them, in every
 * lane. */
static const char *value_of(const maker *m, const hd_launch *launch, const kir_param *param) {
    const char *given = job_flag_of(m->flags, param);
    if (given)
        return strchr(given, '=') + 1;
    if (param->object == KIR_TEXTURE) /* one row of so many elements, read without filtering */
        return hd_ends_in(param->name, ".width") ? hd_format(m->arena, "%llu", (ull)m->count)
               : hd_ends_in(param->name, ".height") || hd_ends_in(param->name, ".depth") ? "1"
                                                                                         : "0";
    if (param->object == KIR_SAMPLER)
        return hd_format(m->arena, "%d", KIR_SAMPLER_USUAL);
    if (param->by_value_struct)
        return members_of(m, launch, param);
    return is_whole(param->type, param->type_name)
               ? hd_format(m->arena, "%llu", (ull)number_named(m, launch, param->type, param->name))
               : "1";
}

static void add_args(maker *m, hd_launch *launch) {
    uint64_t local = launch->local[0] * launch->local[1] * launch->local[2];
    choose_extents(m, launch);
    for (uint32_t p = 0; p < launch->arg_count; p++) {
        const kir_param *param = &m->kernel->params[p];
        hd_arg *arg = &launch->args[p];
        *arg = (hd_arg){.name = param->name, .kind = job_arg_kind(param), .place = m->place};
        if (arg->kind != HD_ARG_BUFFER && !job_flag_of(m->flags, param))
            arg->guess = "value";
        if (arg->kind == HD_ARG_LOCAL)
            arg->local_bytes = local * (param->element_bytes ? param->element_bytes : 16);
        else if (arg->kind == HD_ARG_BUFFER)
            add_buffer(m, launch, param, m->count, arg);
        else
            arg->value_text = value_of(m, launch, param);
        arg->is_sampler = param->object == KIR_SAMPLER;
    }
}

/* The record of the flags has the name of the parameter that points to it. */
static hd_status declare_record(const maker *m) {
    const hd_job_flags *flags = m->flags;
    hd_job *job = m->job;
    bool found = false;
    hd_str names = {.arena = m->arena};
    for (uint32_t p = 0; p < m->kernel->param_count; p++) {
        const kir_param *param = &m->kernel->params[p];
        bool is_plain = job_arg_kind(param) == HD_ARG_BUFFER && !param->record;
        found |= is_plain && !strcmp(param->name, flags->record_of);
        if (is_plain)
            hd_str_printf(&names, "%s%s", names.length ? ", " : "", param->name);
    }
    if (!found)
        return hd_fail(m->diag, HD_EINPUT, &m->place,
                       "'%s' is no parameter of kernel '%s' that points to global memory without "
                       "structs; such parameters are: %s",
                       flags->record_of, m->kernel->name,
                       names.length ? hd_str_text(&names) : "none");
    job->declared = hd_new(m->arena, hd_job_declared);
    *job->declared = (hd_job_declared){.name = hd_format(m->arena, "%s_element", flags->record_of),
                                       .fields = flags->record,
                                       .place = {.file = flags->kernel_path}};
    job->declared_count = 1;
    job->record_name = job->declared->name;
    return HD_OK;
}

hd_status hd_job_from_flags(hd_arena *arena, const hd_diag *diag, const hd_job_flags *flags,
                            const kir_module *module, hd_job **result) {
    maker m = {.arena = arena, .diag = diag, .flags = flags};
    hd_status status = find_entry(&m, module);
    if (status != HD_OK)
        return status;
    hd_job *job = m.job = hd_new(arena, hd_job);
    hd_launch *launch = job->launches = hd_new(arena, hd_launch);
    job->kernel_path = flags->kernel_path;
    job->options = flags->options ? flags->options : "";
    job->record_name = flags->record;
    job->record_place = job->split_place = m.place;
    job->split = flags->split;
    job->split_count = flags->split_count;
    job->buffers = hd_new_array(arena, hd_buffer, m.kernel->param_count);
    job->launch_count = 1;
    launch->kernel_name = m.kernel->name;
    launch->repeat = 1;
    launch->place = m.place;
    launch->arg_count = kir_given_params(m.kernel);
    launch->args = hd_new_array(arena, hd_arg, m.kernel->param_count);
    if (flags->record_of)
        status = declare_record(&m);
    if (status == HD_OK)
        status = choose_sizes(&m, launch);
    if (status == HD_OK)
        status = check_values(&m);
    if (status != HD_OK)
        return status;
    add_args(&m, launch);
    status = hd_job_resolve(arena, diag, job, module);
    if (status == HD_OK)
        *result = job;
    return status;
}
