/*
 * Tying a job's names to the compiled kernels.
 *
 * The job names kernels, parameters, buffers, types and fields; the module knows
 * what they are. Each check here compares one entry with its counterpart, and a
 * mismatch is reported at the entry, with the names it could have been.
 */
#include <math.h>
#include <sys/stat.h>

#include "job/internal.h"

enum {
    MOST_BY_VALUE = 32764, /* bytes of CUDA's parameters together */
    MOST_LISTED = 16       /* parts of a struct, in a message */
};
static const uint64_t most_work_items = (uint64_t)1 << 40;
static const uint64_t max_job_bytes = (uint64_t)16 << 30;
static const uint32_t max_record_bytes = 16 << 20; /* its scalars are listed, one by one */

/* ---- names -------------------------------------------------------------- */

static const char *without_tag(const char *name) {
    return strncmp(name, "struct ", 7) ? name : name + 7;
}

const hd_record *job_resolver_record(const resolver *r, const char *name) {
    const kir_module *module = r->module;
    for (uint32_t i = 0; i < module->record_count; i++) {
        const hd_record *record = module->records[i];
        if (!strcmp(without_tag(record->name), without_tag(name)) ||
            (record->spelling && !strcmp(record->spelling, name)))
            return record;
    }
    for (uint32_t d = 0; d < r->job->declared_count; d++) {
        const hd_record *record = r->job->declared[d].record;
        if (record && !strcmp(record->name, name))
            return record;
    }
    /* A typedef's, where the struct has a tag of its own: what parameters point to. */
    for (uint32_t k = 0; k < module->kernel_count; k++)
        for (uint32_t p = 0; p < module->kernels[k]->param_count; p++) {
            const kir_param *param = &module->kernels[k]->params[p];
            if (param->record && param->element_type && !strcmp(param->element_type, name))
                return param->record;
        }
    return NULL;
}

const char *job_resolver_records(const resolver *r) {
    hd_str s = {.arena = r->arena};
    for (uint32_t i = 0; i < r->module->record_count; i++)
        hd_str_printf(&s, "%s%s", i ? ", " : "", r->module->records[i]->name);
    for (uint32_t d = 0; d < r->job->declared_count; d++)
        hd_str_printf(&s, "%s%s", s.length ? ", " : "", r->job->declared[d].name);
    return s.length ? hd_str_text(&s) : "none";
}

const char *job_resolver_buffers(const resolver *r) {
    return JOB_NAMES(r->arena, r->job->buffers, r->job->buffer_count, name);
}

const char *job_names(hd_arena *arena, const void *texts, size_t count, size_t stride) {
    hd_str s = {.arena = arena};
    for (size_t i = 0; i < count; i++)
        hd_str_printf(&s, "%s%s", i ? ", " : "",
                      *(const char *const *)(const void *)((const char *)texts + i * stride));
    return count ? hd_str_text(&s) : "none";
}

/* ---- buffers ------------------------------------------------------------ */

/* The scalar or vector that kernels have by this name: `real` where one has a parameter
 * `real *v`. NULL: none. */
static const char *element_named(const resolver *r, const char *name) {
    const kir_module *module = r->module;
    for (uint32_t k = 0; k < module->kernel_count; k++)
        for (uint32_t p = 0; p < module->kernels[k]->param_count; p++) {
            const kir_param *param = &module->kernels[k]->params[p];
            const char *last = param->type_name ? strrchr(param->type_name, '*') : NULL;
            hd_str pointee = {.arena = r->arena};
            if (!last || param->record || !param->element_type)
                continue;
            hd_str_addn(&pointee, param->type_name, (size_t)(last - param->type_name));
            if (hd_has_word(hd_str_text(&pointee), name))
                return param->element_type;
        }
    return NULL;
}

static hd_status resolve_type(const resolver *r, hd_buffer *buffer) {
    bool is_signed;
    const char *element; /* that a kernel names, where the language has none */
    buffer->record = NULL;
    /* A float3 takes the room of four numbers; where it takes that of three it is a record, if a
     * kernel uses it. */
    if ((hd_type_parse(buffer->type, &buffer->scalar, &is_signed) ||
         ((element = element_named(r, buffer->type)) != NULL &&
          hd_type_parse(element, &buffer->scalar, &is_signed))) &&
        (buffer->scalar.lanes != 3 || !KIR_HAS(r->module, VECTOR_STRUCTS))) {
        buffer->element_bytes = hd_type_stride(buffer->scalar);
        return HD_OK;
    }
    buffer->record = job_resolver_record(r, buffer->type);
    if (!buffer->record)
        return REFUSE(r, buffer,
                      "buffer '%s' has the unknown type '%s'; it is a scalar (float, uint, ...), a "
                      "vector (float4, ...) or a record of the kernel: %s",
                      buffer->name, buffer->type, job_resolver_records(r));
    buffer->element_bytes = buffer->record->size;
    if (!buffer->element_bytes)
        return REFUSE(r, buffer,
                      "record '%s' of buffer '%s' is empty; a buffer needs elements of some bytes",
                      buffer->record->name, buffer->name);
    if (buffer->element_bytes > max_record_bytes)
        return hd_fail(r->diag, HD_EUNSUPPORTED, &buffer->place,
                       "record '%s' of buffer '%s' has %u bytes; one of more than 16 MiB is not "
                       "taken: make its long array a buffer of its own",
                       buffer->record->name, buffer->name, buffer->element_bytes);
    return HD_OK;
}

static hd_status check_file(const resolver *r, const hd_buffer *buffer) {
    struct stat info;
    uint64_t bytes = buffer->count * buffer->element_bytes;
    if (!buffer->file)
        return HD_OK;
    if (stat(buffer->file, &info) != 0)
        return REFUSE(r, buffer, "the file of buffer '%s', %s, is not there", buffer->name,
                      buffer->file);
    if (!S_ISREG(info.st_mode))
        return REFUSE(r, buffer,
                      "the file of buffer '%s', %s, is no regular file; save what it gives in one",
                      buffer->name, buffer->file);
    if (!hd_job_is_packed(buffer->file) && (uint64_t)info.st_size != bytes)
        return REFUSE(r, buffer,
                      "buffer '%s' takes %llu bytes (%llu elements of %u), its file %s has %llu",
                      buffer->name, (ull)bytes, (ull)buffer->count, buffer->element_bytes,
                      buffer->file, (ull)info.st_size);
    return HD_OK;
}

/* Constants and bounds must be values of the type that they are for. */
static bool fits(const hd_leaf *leaf, double value) {
    if (leaf->type.kind == KIR_FLOAT)
        return true;
    double low = leaf->is_signed ? -ldexp(1, leaf->type.bits - 1) : 0;
    double high = ldexp(1, leaf->type.bits - (leaf->is_signed ? 1 : 0));
    return value >= low && value < high;
}

/* The numbers of a part fill the buffer, but for the last one of `first`. */
static hd_status check_part(const resolver *r, const hd_buffer *buffer, const hd_init *init,
                            uint64_t scalars) {
    bool may_drop_last;
    const char *part = hd_graph_part_name(init->part), *graph = init->graph->name;
    uint64_t count = hd_graph_part_count(init->graph->graph, init->part, &may_drop_last);
    uint64_t filled = buffer->count * scalars;
    if (filled == count || (may_drop_last && filled + 1 == count))
        return HD_OK;
    return REFUSE(r, init,
                  "part '%s' of graph '%s' has %llu numbers, but %s%s%sbuffer '%s' takes %llu; "
                  "leave its 'count' out%s",
                  part, graph, (ull)count, init->field ? "field '" : "",
                  init->field ? init->field : "", init->field ? "' of " : "", buffer->name,
                  (ull)filled, scalars == 1 ? "" : ", and fill one scalar of each element");
}

static const char *name_of(const resolver *r, const hd_buffer *buffer, const hd_leaf *leaf) {
    const char *path = hd_leaf_path(r->arena, buffer->record, leaf);
    return *path ? path : "an element";
}

/* Every number of a part fits. */
static hd_status check_part_leaf(const resolver *r, const hd_buffer *buffer, const hd_init *init,
                                 const hd_leaf *leaf) {
    hd_arena *scratch = hd_arena_new();
    bool may_drop_last;
    uint64_t count = hd_graph_part_count(init->graph->graph, init->part, &may_drop_last);
    const uint32_t *numbers = hd_graph_part_values(scratch, init->graph->graph, init->part);
    uint32_t most = 0;
    for (uint64_t i = 0; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    hd_arena_free(scratch);
    unsigned digits = leaf->type.kind != KIR_FLOAT ? leaf->type.bits - (leaf->is_signed ? 1u : 0u)
                      : leaf->type.bits == 16      ? 11u
                                                   : 24u;
    if (most < ldexp(1, (int)digits))
        return HD_OK;
    return REFUSE(r, init,
                  "part '%s' of graph '%s' goes up to %u, which does not fit %s of buffer '%s'; "
                  "use uint",
                  hd_graph_part_name(init->part), init->graph->name, most, name_of(r, buffer, leaf),
                  buffer->name);
}

static hd_status check_init_leaf(const resolver *r, const hd_buffer *buffer, const hd_init *init,
                                 const hd_leaf *leaf) {
    if (leaf->opaque && init->generator != HD_GEN_ZERO) {
        const char *name = name_of(r, buffer, leaf);
        const char *byte = strstr(name, " byte ");
        return REFUSE(r, init,
                      "'%.*s' of buffer '%s' %s; name other fields, or give the buffer a 'file'",
                      byte ? (int)(byte - name) : (int)strlen(name), name, buffer->name,
                      leaf->is_pointer ? "is a pointer, which can't be generated"
                                       : "has no scalar type to generate");
    }
    bool narrow = leaf->type.bits < 32 || (leaf->type.kind == KIR_FLOAT && leaf->type.bits == 32);
    if (init->generator == HD_GEN_GRAPH && narrow)
        return check_part_leaf(r, buffer, init, leaf);
    bool bounded = init->generator == HD_GEN_CONSTANT || init->generator == HD_GEN_UNIFORM;
    bool high = init->generator == HD_GEN_UNIFORM;
    if (bounded && (!fits(leaf, init->low) || (high && !fits(leaf, init->high))))
        return REFUSE(r, init, "%g does not fit %s of buffer '%s' (%s%u)",
                      fits(leaf, init->low) ? init->high : init->low, name_of(r, buffer, leaf),
                      buffer->name, leaf->is_signed ? "int" : "uint", leaf->type.bits);
    if (high && leaf->type.kind == KIR_INT && ceil(init->low) > floor(init->high))
        return REFUSE(r, init, "there is no whole number from %g to %g for %s of buffer '%s'",
                      init->low, init->high, name_of(r, buffer, leaf), buffer->name);
    return HD_OK;
}

/* Leaves of one type are alike for the checks: a bit for each. */
static uint64_t kind_of(const hd_leaf *leaf) {
    unsigned bytes = leaf->type.bits / 8u; /* 1, 2, 4, 8 */
    return (uint64_t)bytes << (leaf->is_signed ? 4 : 0) << (leaf->type.kind == KIR_FLOAT ? 8 : 0)
                           << (leaf->opaque ? 16 : 0);
}

/* What a field's name stands for, as far as the checks ask. */
typedef struct named_leaves {
    uint64_t scalars;
    hd_vec(hd_leaf) kinds; /* the first of each kind; none: nothing has this name */
} named_leaves;

/* Names that are known already: a short job could name a long array very often. */
typedef struct known_names {
    hd_hash_table rows;
    hd_vec(named_leaves) names;
} known_names;

static named_leaves leaves_named(known_names *known, const hd_buffer *buffer, const char *field) {
    hd_arena *arena = known->rows.arena;
    uint64_t row = hd_hash_add_key(&known->rows, field ? field : "", known->names.count), seen = 0;
    if (row < known->names.count)
        return known->names.data[row];
    named_leaves named = {0};
    uint32_t count;
    hd_arena *scratch = hd_arena_new();
    const hd_leaf *leaves = hd_leaves_of_buffer(scratch, buffer, field, &count);
    for (uint32_t l = 0; l < count; l++) {
        named.scalars += leaves[l].type.lanes;
        if (!(seen & kind_of(&leaves[l])))
            hd_push(arena, &named.kinds, leaves[l]);
        seen |= kind_of(&leaves[l]);
    }
    hd_arena_free(scratch);
    hd_push(arena, &known->names, named);
    return named;
}

static hd_status check_init(const resolver *r, const hd_buffer *buffer, const hd_init *init,
                            known_names *known) {
    named_leaves named = leaves_named(known, buffer, init->field);
    for (size_t k = 0; k < named.kinds.count; k++) {
        hd_status status = check_init_leaf(r, buffer, init, &named.kinds.data[k]);
        if (status != HD_OK)
            return status;
    }
    if (named.kinds.count)
        return init->generator == HD_GEN_GRAPH ? check_part(r, buffer, init, named.scalars) : HD_OK;
    if (!buffer->record)
        return REFUSE(r, init,
                      "buffer '%s' is of type %s, which has no field '%s'; leave 'field' out",
                      buffer->name, buffer->type, init->field);
    return REFUSE(r, init, "'%s' is no field of record %s; its fields are: %s", init->field,
                  buffer->record->name, hd_record_field_names(r->arena, buffer->record));
}

static hd_status resolve_buffers(const resolver *r) {
    uint64_t total = 0;
    for (uint32_t b = 0; b < r->job->buffer_count; b++) {
        hd_buffer *buffer = &r->job->buffers[b];
        hd_status status = resolve_type(r, buffer);
        if (status != HD_OK)
            return status;
        if (buffer->count > (max_job_bytes - total) / buffer->element_bytes)
            return REFUSE(r, buffer,
                          "with buffer '%s' (%llu elements of %u bytes) the job takes more than "
                          "16 GiB; give it fewer elements",
                          buffer->name, (ull)buffer->count, buffer->element_bytes);
        total += buffer->count * buffer->element_bytes;
        status = check_file(r, buffer);
        known_names known = {.rows = {.arena = hd_arena_new(), .key_bytes = HD_TEXT_KEYS}};
        for (uint32_t i = 0; i < buffer->init_count && status == HD_OK; i++)
            status = check_init(r, buffer, &buffer->inits[i], &known);
        hd_arena_free(known.rows.arena);
        if (status != HD_OK)
            return status;
    }
    return HD_OK;
}

/* ---- values of arguments ------------------------------------------------ */

/* The next part between commas of "(1, 2, 3)", without blanks; NULL at the end. */
static const char *next_part(hd_arena *arena, const char **text) {
    const char *at = *text + strspn(*text, " \t(");
    if (!*at)
        return NULL;
    size_t length = strcspn(at, ",");
    *text = at + length + (at[length] == ',');
    while (length && strchr(" \t)", at[length - 1]))
        length--;
    return hd_strndup(arena, at, length);
}

/* A struct of the source that is a number or a vector all the same: CUDA's __half and float4. */
static bool is_plain_struct(const resolver *r, const kir_param *param, hd_leaf *leaf) {
    const char *name = param->record ? param->record->name : param->element_type;
    return KIR_HAS(r->module, VECTOR_STRUCTS) && name &&
           hd_type_parse(name, &leaf->type, &leaf->is_signed) && leaf->type.lanes != 3 &&
           hd_type_stride(leaf->type) == param->bytes;
}

/* The record of a struct by value that is made of fields, or NULL. */
static const hd_record *record_of_param(const resolver *r, const kir_param *param) {
    hd_leaf plain;
    if (!param->by_value_struct || is_plain_struct(r, param, &plain))
        return NULL;
    return !param->record && param->type_name ? job_resolver_record(r, param->type_name)
                                              : param->record;
}

/* A struct by value of which nobody says what is in it: one of PTX, or of too many fields. */
static bool has_no_record(const resolver *r, const kir_param *param) {
    hd_leaf plain;
    return param->by_value_struct && !is_plain_struct(r, param, &plain) &&
           !record_of_param(r, param);
}

/* What a by-value parameter is made of: one leaf, or those of a struct. */
static hd_leaf *leaves_of_param(const resolver *r, const kir_kernel *kernel, uint32_t index,
                                uint32_t *count, uint32_t *bytes) {
    const kir_param *param = &kernel->params[index];
    hd_leaf *leaf = hd_new(r->arena, hd_leaf);
    *count = 1;
    *bytes = param->bytes;
    if (has_no_record(r, param))
        return job_leaves_of_loads(r->arena, kernel, index, count);
    if (param->by_value_struct && !is_plain_struct(r, param, leaf)) {
        const hd_record *record = record_of_param(r, param);
        *count = 0;
        *bytes = record ? record->size : param->bytes;
        if (record && !record->field_count) /* a functor without state */
            return leaf;
        return record && record->size <= MOST_BY_VALUE
                   ? hd_leaves_of_record(r->arena, record, NULL, count)
                   : NULL;
    }
    if (param->by_value_struct)
        return leaf;
    if (!param->type_name || !hd_type_parse(param->type_name, &leaf->type, &leaf->is_signed) ||
        leaf->type.kind != param->type.kind || leaf->type.lanes != param->type.lanes) {
        leaf->type = param->type; /* a typedef: its sign is not known, so both fit */
        leaf->is_signed = true;
    }
    *bytes = hd_type_stride(leaf->type);
    return leaf;
}

/* ": 32 bits at byte 0, 32 bits of a float at byte 4; or all of its 8 bytes" without a record. */
static const char *list_places(const resolver *r, const hd_leaf *leaves, uint32_t count,
                               uint32_t bytes) {
    hd_str s = {.arena = r->arena};
    for (uint32_t l = 0; l < count && l < MOST_LISTED; l++)
        hd_str_printf(&s, "%s%u %s at byte %u", l ? ", " : ": ", leaves[l].type.bits,
                      leaves[l].type.kind == KIR_FLOAT ? "bits of a float" : "bits",
                      leaves[l].offset);
    if (count > MOST_LISTED)
        hd_str_printf(&s, " and so on up to byte %u", leaves[count - 1].offset);
    hd_str_printf(&s, "; or all of its %u bytes", bytes);
    return hd_str_text(&s);
}

/* ": n, c (4 numbers), u (its bytes); the pointer p is null" for a struct. */
static const char *list_values(const resolver *r, const hd_record *record, const hd_leaf *leaves,
                               uint32_t count) {
    hd_str values = {.arena = r->arena}, pointers = {.arena = r->arena};
    for (uint32_t l = 0; record && l < count; l++) {
        const char *path = hd_leaf_path(r->arena, record, &leaves[l]);
        const char *byte = strstr(path, " byte ");
        if (byte && strcmp(byte, " byte 0") != 0)
            continue;
        hd_str *to = leaves[l].is_pointer ? &pointers : &values;
        hd_str_printf(to, "%s%.*s", to->length ? ", " : "",
                      byte ? (int)(byte - path) : (int)strlen(path), path);
        if (leaves[l].type.lanes > 1)
            hd_str_printf(to, " (%u numbers)", leaves[l].type.lanes);
        else if (byte && !leaves[l].is_pointer)
            hd_str_add(to, " (its bytes)");
    }
    return hd_format(r->arena, "%s%s%s%s%s", values.length ? ": " : "", hd_str_text(&values),
                     pointers.length ? "; a job can't give the pointer " : "",
                     hd_str_text(&pointers), pointers.length ? ", which is null" : "");
}

static hd_status parse_lane(const resolver *r, const hd_arg *arg, const kir_param *param,
                            const hd_leaf *leaf, const char *text, void *bytes) {
    if (hd_type_parse_value(leaf->type, leaf->is_signed, text, bytes))
        return HD_OK;
    bool sign_known = (param->by_value_struct && !has_no_record(r, param)) ||
                      (param->type_name && strstr(param->type_name, "int") != NULL);
    if (!sign_known && hd_type_parse_value(leaf->type, false, text, bytes))
        return HD_OK;
    const char *path = hd_leaf_path(r->arena, record_of_param(r, param), leaf);
    return REFUSE(r, arg, "'%.80s' is no value for argument '%s' of type %s%s%s", text, arg->name,
                  param->type_name ? param->type_name : "scalar", *path ? ", field " : "", path);
}

static hd_status resolve_value(const resolver *r, const kir_kernel *kernel, hd_arg *arg) {
    const kir_param *param = &kernel->params[arg->param];
    uint32_t leaf_count, bytes, lanes = 0, given = 0;
    if (param->bytes > MOST_BY_VALUE)
        return hd_fail(
            r->diag, HD_EUNSUPPORTED, &arg->place,
            "argument '%s' of type %s (%u bytes) is too large to be given by value; pass "
            "it through a buffer",
            arg->name, param->type_name, param->bytes);
    hd_leaf *leaves = leaves_of_param(r, kernel, arg->param, &leaf_count, &bytes);
    if (!leaves || bytes > MOST_BY_VALUE)
        return hd_fail(r->diag, HD_EUNSUPPORTED, &arg->place,
                       "argument '%s' is of type %s, whose parts are not known; pass it through a "
                       "buffer",
                       arg->name, param->type_name);
    for (const char *text = arg->value_text; next_part(r->arena, &text);)
        given++;
    bool is_open = has_no_record(r, param);
    if (is_open && given > 1 && given == bytes) {
        leaves = job_leaves_of_bytes(r->arena, bytes);
        leaf_count = bytes;
    }
    for (uint32_t l = 0; l < leaf_count; l++)
        lanes += leaves[l].is_pointer ? 0 : leaves[l].type.lanes;
    if (given != lanes && given != 1)
        return REFUSE(r, arg,
                      "argument '%s' of type %s takes %u value%s, separated by commas%s; there are "
                      "%u in '%.80s'",
                      arg->name, param->type_name, lanes, lanes == 1 ? "" : "s",
                      is_open ? list_places(r, leaves, leaf_count, bytes)
                              : list_values(r, record_of_param(r, param), leaves, leaf_count),
                      given, arg->value_text);
    const char *text = arg->value_text, *part = NULL;
    arg->value = hd_new_array(r->arena, uint8_t, bytes + 1);
    for (uint32_t l = 0; l < leaf_count; l++)
        for (uint32_t lane = 0; lane < leaves[l].type.lanes && !leaves[l].is_pointer; lane++) {
            if (given > 1 || !part)
                part = next_part(r->arena, &text);
            hd_status status =
                parse_lane(r, arg, param, &leaves[l], part,
                           arg->value + leaves[l].offset + lane * (leaves[l].type.bits / 8));
            if (status != HD_OK)
                return status;
        }
    arg->value_bytes = bytes;
    return HD_OK;
}

const char *hd_job_value_text(hd_arena *arena, const kir_module *module, const kir_kernel *kernel,
                              uint32_t index, const void *bytes) {
    hd_job none = {0};
    const resolver r = {.arena = arena, .job = &none, .module = module};
    const kir_param *param = &kernel->params[index];
    uint32_t count, taken;
    hd_leaf *leaves =
        param->bytes <= MOST_BY_VALUE ? leaves_of_param(&r, kernel, index, &count, &taken) : NULL;
    if (!leaves || taken > MOST_BY_VALUE)
        return NULL;
    hd_str text = {.arena = arena};
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t lane = 0; lane < leaves[l].type.lanes; lane++) {
            const hd_leaf *leaf = &leaves[l];
            uint32_t each = (leaf->type.bits + 7u) / 8;
            const char *from = (const char *)bytes + leaf->offset + lane * each;
            uint64_t again = 0;
            const char *part = hd_type_print(arena, leaf->type, leaf->is_signed, from);
            if (leaf->is_pointer ||
                !hd_type_parse_value(leaf->type, leaf->is_signed, part, &again) ||
                memcmp(&again, from, each) != 0)
                return NULL;
            hd_str_printf(&text, "%s%s", text.length ? ", " : "", part);
        }
    return text.length ? hd_str_text(&text) : NULL;
}

/* ---- launches ----------------------------------------------------------- */

static hd_status find_buffer(const resolver *r, hd_arg *arg) {
    uint64_t number = hd_hash_get_key(&r->buffers, arg->buffer_name);
    if (number == HD_NO_VALUE)
        return REFUSE(
            r, arg, "argument '%s' names the buffer '%s', which is not there; the buffers are: %s",
            arg->name, arg->buffer_name, job_resolver_buffers(r));
    arg->buffer = (uint32_t)number;
    return HD_OK;
}

static hd_status check_offset(const resolver *r, const hd_arg *arg) {
    const hd_buffer *buffer = &r->job->buffers[arg->buffer];
    uint64_t bytes = buffer->count * buffer->element_bytes;
    bool laid_out = r->job->record && buffer->record == hd_record_declared(r->job->record);
    if (arg->offset >= bytes)
        return REFUSE(r, arg, "argument '%s' begins at byte %llu of buffer '%s', which has %llu",
                      arg->name, (ull)arg->offset, buffer->name, (ull)bytes);
    if (arg->offset && (laid_out || buffer->arrays))
        return hd_fail(
            r->diag, HD_EUNSUPPORTED, &arg->place,
            "argument '%s' begins inside of buffer '%s', whose layout would change; only "
            "buffers that stay as they are take an 'offset'",
            arg->name, buffer->name);
    return HD_OK;
}

static hd_status resolve_buffer_arg(const resolver *r, const hd_launch *launch, hd_arg *arg,
                                    const kir_param *param) {
    const hd_job *job = r->job;
    hd_status status = job_check_declared(r, launch, arg);
    if (status)
        return status;
    const hd_buffer *buffer = &job->buffers[arg->buffer];
    const char *type = param->element_type ? param->element_type : param->type_name;
    /* Of numbers, as many as one of its elements takes. */
    if (hd_job_declared_of(job, arg) && !param->record &&
        (!param->element_bytes || buffer->element_bytes % param->element_bytes == 0))
        return check_offset(r, arg);
    bool is_typed = param->element_bytes && !KIR_HAS(r->module, UNTYPED_POINTERS);
    if (is_typed && param->element_bytes != buffer->element_bytes)
        return REFUSE(r, arg,
                      "parameter '%s' points to %s (%u bytes), but an element of buffer '%s' is %s "
                      "(%u bytes); give the buffer 'type: %s'",
                      arg->name, type, param->element_bytes, buffer->name, buffer->type,
                      buffer->element_bytes, type);
    const hd_record *record = hd_record_declared(job->record);
    bool laid_out = record && (param->record == record || buffer->record == record);
    if (laid_out && param->record != buffer->record)
        return REFUSE(r, arg,
                      "parameter '%s' points to %s, but buffer '%s' holds %s, and %s is the record "
                      "to lay out; give both the same type",
                      arg->name, type, buffer->name, buffer->type, record->name);
    return check_offset(r, arg);
}

/* A variable such as CUDA's __device__ and __constant__ ones, whose place a buffer takes. */
static hd_status resolve_variable(const resolver *r, const kir_kernel *kernel, hd_arg *arg) {
    const kir_static *variable = &kernel->statics[arg->variable];
    if (arg->kind != HD_ARG_BUFFER)
        return REFUSE(r, arg, "variable '%s' is given a buffer: {name: %s, buffer: ...}", arg->name,
                      arg->name);
    hd_status status = find_buffer(r, arg);
    if (status != HD_OK)
        return status;
    const hd_buffer *buffer = &r->job->buffers[arg->buffer];
    uint64_t bytes = buffer->count * buffer->element_bytes;
    if (arg->offset)
        return REFUSE(r, arg, "variable '%s' takes all of buffer '%s'; leave 'offset' out",
                      arg->name, buffer->name);
    if (bytes != variable->bytes)
        return REFUSE(r, arg,
                      "variable '%s' has %llu bytes, but buffer '%s' has %llu (%llu elements of "
                      "%u); make them equal",
                      arg->name, (ull)variable->bytes, buffer->name, (ull)bytes, (ull)buffer->count,
                      buffer->element_bytes);
    return HD_OK;
}

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A scalar, a vector, a struct or a pointer as the machine takes it. */
static hd_status resolve_bytes(const resolver *r, hd_arg *arg, const kir_param *param) {
    bool is_pointer = param->type.kind == KIR_PTR && !param->by_value_struct;
    uint32_t bytes = is_pointer ? 8 : param->bytes;
    const char *text = arg->bytes_text;
    uint8_t *raw = hd_new_array(r->arena, uint8_t, bytes + 1);
    bool fits = strlen(text) == 2 * (size_t)bytes;
    for (uint32_t i = 0; fits && i < bytes; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        fits = high >= 0 && low >= 0;
        raw[i] = (uint8_t)(16 * high + low);
    }
    if (!fits)
        return REFUSE(r, arg,
                      "argument '%s' takes %u bytes, each two of the digits 0 to 9 and a to f; "
                      "'%.80s' is not that",
                      arg->name, bytes, text);
    arg->value = raw;
    arg->value_bytes = bytes;
    return HD_OK;
}

static hd_status resolve_arg(const resolver *r, const hd_launch *launch, hd_arg *arg) {
    const kir_kernel *kernel = launch->kernel;
    arg->param = 0;
    while (arg->param < kernel->param_count &&
           strcmp(kernel->params[arg->param].name, arg->name) != 0)
        arg->param++;
    if (arg->param == kernel->param_count && KIR_HAS(r->module, NAMED_VARIABLES))
        for (uint32_t s = 0; s < kernel->static_count; s++)
            if (kernel->statics[s].space != KIR_LOCAL &&
                !strcmp(kernel->statics[s].name, arg->name)) {
                arg->param = KIR_NONE;
                arg->variable = s;
                return resolve_variable(r, kernel, arg);
            }
    if (arg->param == kernel->param_count)
        return REFUSE(r, arg, "kernel '%s' has no parameter '%s'; its parameters are: %s",
                      kernel->name, arg->name,
                      JOB_NAMES(r->arena, kernel->params, kernel->param_count, name));
    const kir_param *param = &kernel->params[arg->param];
    static const char *const keys[] = {"'buffer' with the name of one", "'value'",
                                       "'local' with a number of bytes"};
    hd_arg_kind wanted = job_arg_kind(param);
    bool is_number =
        param->type.kind == KIR_INT && param->type.bits == 64 && !param->by_value_struct;
    if (arg->kind == HD_ARG_BUFFER && is_number && KIR_HAS(r->module, UNTYPED_POINTERS)) {
        hd_status status = find_buffer(r, arg);
        return status ? status : check_offset(r, arg);
    }
    if (arg->param >= kir_given_params(kernel))
        return REFUSE(r, arg, "'%s' comes from the image itself; leave it out", arg->name);
    if (arg->bytes_text && !param->object && (wanted == HD_ARG_VALUE || wanted == HD_ARG_BUFFER))
        return resolve_bytes(r, arg, param);
    if (arg->kind != wanted)
        return REFUSE(r, arg, "parameter '%s' of kernel '%s' is %s; give it %s", arg->name,
                      kernel->name, param->type_name ? param->type_name : "of another kind",
                      keys[wanted]);
    hd_status status = wanted == HD_ARG_BUFFER ? find_buffer(r, arg) : HD_OK;
    if (status || (status = job_check_object(r, launch, arg, param)))
        return status;
    if (wanted == HD_ARG_BUFFER)
        return resolve_buffer_arg(r, launch, arg, param);
    return wanted == HD_ARG_VALUE ? resolve_value(r, kernel, arg) : HD_OK;
}

static hd_status check_all_given(const resolver *r, const hd_launch *launch) {
    const kir_kernel *kernel = launch->kernel;
    for (uint32_t p = 0; p < kernel->param_count; p++) {
        uint32_t a = 0;
        while (a < launch->arg_count && launch->args[a].param != p)
            a++;
        if (a < launch->arg_count)
            continue;
        const kir_param *param = &kernel->params[p];
        const char *const keys[] = {"buffer", param->object == KIR_SAMPLER ? "sampler" : "value",
                                    "local"};
        return REFUSE(
            r, launch,
            "the launch of '%s' does not give its parameter '%s' (%s); add {name: %s, %s: ...}",
            kernel->name, param->name, param->type_name ? param->type_name : "scalar", param->name,
            keys[job_arg_kind(param)]);
    }
    return HD_OK;
}

/* A kernel may fix its local size with reqd_work_group_size. */
static hd_status check_local_size(const resolver *r, hd_launch *launch) {
    const uint32_t *required = launch->kernel->required_local;
    if (!required[0])
        return HD_OK;
    for (uint32_t d = 0; d < 3; d++) {
        uint64_t size = required[d] ? required[d] : 1;
        if (!launch->local_given)
            launch->local[d] = size;
        if (launch->local[d] != size)
            return REFUSE(r, launch,
                          "kernel '%s' requires the local size %u x %u x %u; write it in 'local'",
                          launch->kernel->name, required[0], required[1] ? required[1] : 1,
                          required[2] ? required[2] : 1);
        if (launch->global[d] % size)
            return REFUSE(r, launch,
                          "global size %llu is not a multiple of %llu, the local size that kernel "
                          "'%s' requires; the next one is %llu",
                          (ull)launch->global[d], (ull)size, launch->kernel->name,
                          (ull)hd_align_up(launch->global[d], size));
    }
    return HD_OK;
}

/* Blocks of a cluster, as the launch or the kernel says; where both do, they agree. */
static hd_status take_cluster(const resolver *r, hd_launch *launch) {
    const uint32_t *required = launch->kernel->required_cluster;
    if (!required[0])
        return HD_OK;
    if (!launch->cluster[0])
        memcpy(launch->cluster, required, sizeof launch->cluster);
    for (uint32_t d = 0; d < 3; d++)
        if (launch->cluster[d] != required[d] ||
            launch->global[d] / launch->local[d] % launch->cluster[d])
            return REFUSE(r, launch,
                          "kernel '%s' runs in clusters of %u x %u x %u blocks; let 'blocks' be "
                          "multiples of that",
                          launch->kernel->name, required[0], required[1], required[2]);
    return HD_OK;
}

hd_status hd_launch_check_size(const hd_diag *diag, const hd_launch *launch) {
    uint64_t room = most_work_items;
    for (uint32_t d = 0; d < launch->dims; d++) {
        if (launch->global[d] > room)
            return hd_fail(diag, HD_EINPUT, &launch->place,
                           "the launch of '%s' has more than 2^40 work-items, beyond any device; "
                           "make its global size smaller",
                           launch->kernel_name);
        room /= launch->global[d];
    }
    return HD_OK;
}

static hd_status find_held_buffer(const resolver *r, const char *name, const hd_place *place,
                                  uint32_t *buffer) {
    uint64_t number = hd_hash_get_key(&r->buffers, name);
    if (number == HD_NO_VALUE)
        return hd_fail(r->diag, HD_EINPUT, place,
                       "there is no buffer '%s' that could hold this; the buffers are: %s", name,
                       job_resolver_buffers(r));
    *buffer = (uint32_t)number;
    return HD_OK;
}

/* The scalars of an element that a value goes to, each of which must be able to hold it. */
static hd_status check_held_value(const resolver *r, const hd_buffer *buffer, const char *field,
                                  const char *text, const hd_place *place, const hd_leaf **leaves) {
    uint32_t count;
    uint8_t bytes[8];
    *leaves = hd_leaves_of_buffer(r->arena, buffer, field, &count);
    if (!count)
        return hd_fail(r->diag, HD_EINPUT, place, "an element of buffer '%s' has no field '%s'",
                       buffer->name, field ? field : "");
    for (uint32_t l = 0; l < count; l++) {
        kir_type type = (*leaves)[l].type;
        type.lanes = 1;
        if (!(*leaves)[l].opaque && !hd_type_parse_value(type, (*leaves)[l].is_signed, text, bytes))
            return hd_fail(r->diag, HD_EINPUT, place,
                           "'value: %s' is no value of buffer '%s', whose type is %s", text,
                           buffer->name, buffer->type);
    }
    return HD_OK;
}

static hd_status check_element(const resolver *r, const hd_buffer *buffer, uint64_t element,
                               const hd_place *place) {
    if (element < buffer->count)
        return HD_OK;
    return hd_fail(r->diag, HD_EINPUT, place, "buffer '%s' has no element %llu, it has %llu",
                   buffer->name, (ull)element, (ull)buffer->count);
}

static hd_status resolve_one_held(const resolver *r, hd_held *held) {
    hd_status status = find_held_buffer(r, held->buffer_name, &held->place, &held->buffer);
    const hd_buffer *to = &r->job->buffers[held->buffer], *from = to;
    const hd_leaf *leaves;
    if (status || held->kind == HD_HELD_FILE)
        return status;
    if (held->kind == HD_HELD_COPY) {
        status = find_held_buffer(r, held->from_name, &held->place, &held->from);
        from = &r->job->buffers[status ? 0 : held->from];
        if (!status && (from->count != to->count || from->element_bytes != to->element_bytes ||
                        from->record != to->record))
            status = REFUSE(r, held,
                            "'%s' (%llu of %s) cannot be copied to '%s' (%llu of %s): both must "
                            "have the same type and count",
                            from->name, (ull)from->count, from->type, to->name, (ull)to->count,
                            to->type);
        return status;
    }
    if (held->kind == HD_HELD_SET &&
        (status = check_element(r, to, held->element, &held->place)) != HD_OK)
        return status;
    return check_held_value(r, to, held->field, held->value_text, &held->place, &leaves);
}

static hd_status resolve_held(const resolver *r, hd_held *held, uint32_t count) {
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < count && status == HD_OK; i++)
        status = resolve_one_held(r, &held[i]);
    return status;
}

/* Where a scalar lies, the first one of an element. */
static hd_status resolve_spot(const resolver *r, hd_spot *spot) {
    hd_status status = find_held_buffer(r, spot->buffer_name, &spot->place, &spot->buffer);
    if (status)
        return status;
    const hd_buffer *buffer = &r->job->buffers[spot->buffer];
    uint32_t count;
    const hd_leaf *leaf = hd_leaves_of_buffer(r->arena, buffer, spot->field, &count);
    if ((status = check_element(r, buffer, spot->element, &spot->place)) != HD_OK)
        return status;
    if (!count || leaf->opaque)
        return REFUSE(r, spot, "an element of buffer '%s' has no scalar '%s' that could be read",
                      buffer->name, spot->field ? spot->field : "");
    spot->type = leaf->type;
    spot->type.lanes = 1;
    spot->is_signed = leaf->is_signed;
    spot->offset = leaf->offset;
    return HD_OK;
}

/* The size and the arguments that are read when the launch is to run. */
static hd_status resolve_reads(const resolver *r, const hd_launch *launch) {
    hd_status status = HD_OK;
    hd_spot *items = (hd_spot *)launch->items_from;
    if (items)
        status = resolve_spot(r, items);
    if (items && status == HD_OK && items->type.kind != KIR_INT)
        return REFUSE(r, items,
                      "buffer '%s' holds no whole numbers, so no size can be read from it",
                      items->buffer_name);
    for (uint32_t a = 0; a < launch->arg_count && status == HD_OK; a++) {
        hd_arg *arg = &launch->args[a];
        if (!arg->from)
            continue;
        const kir_param *param =
            arg->param == KIR_NONE ? NULL : &launch->kernel->params[arg->param];
        if (!param || param->by_value_struct || param->type.kind == KIR_PTR ||
            param->type.lanes > 1)
            return REFUSE(r, arg->from,
                          "argument '%s' is no scalar; only a scalar is read from a buffer",
                          arg->name);
        arg->type = param->type;
        status = resolve_spot(r, (hd_spot *)arg->from);
    }
    return status;
}

static hd_status resolve_launch(const resolver *r, hd_launch *launch) {
    launch->kernel = kir_find_kernel(r->module, launch->kernel_name);
    if (!launch->kernel) {
        hd_str names = {.arena = r->arena};
        for (uint32_t k = 0; k < r->module->kernel_count; k++)
            hd_str_printf(&names, "%s%s", k ? ", " : "", r->module->kernels[k]->name);
        return REFUSE(r, launch, "there is no kernel '%s' in %s; its kernels are: %s",
                      launch->kernel_name, r->job->kernel_path,
                      names.length ? hd_str_text(&names) : "none");
    }
    hd_status status;
    if ((status = job_launch_check_way(r, launch)) ||
        (status = hd_launch_check_size(r->diag, launch)) ||
        (status = check_local_size(r, launch)) || (status = take_cluster(r, launch)))
        return status;
    for (uint32_t s = 0; s < launch->kernel->static_count && !launch->shared_given; s++)
        if (launch->kernel->statics[s].is_dynamic)
            return REFUSE(r, launch,
                          "kernel '%s' has the dynamic shared array '%s'; give the launch its "
                          "size: 'shared: BYTES'",
                          launch->kernel->name, launch->kernel->statics[s].name);
    for (uint32_t a = 0; a < launch->arg_count && status == HD_OK; a++)
        if (!launch->args[a].is_derived)
            status = resolve_arg(r, launch, &launch->args[a]);
    if (status == HD_OK)
        job_give_images(r->arena, r->job, launch);
    if (status == HD_OK)
        status = resolve_held(r, launch->before, launch->before_count);
    if (status == HD_OK)
        status = resolve_held(r, launch->after, launch->after_count);
    if (status == HD_OK && launch->begins_round) {
        hd_until *until = (hd_until *)launch->until; /* where the value lies that ends the rounds */
        const hd_spot *spot = &until->spot;
        const hd_leaf *leaves;
        status = resolve_spot(r, &until->spot);
        if (status == HD_OK)
            status = check_held_value(r, &r->job->buffers[spot->buffer], spot->field,
                                      until->value_text, &spot->place, &leaves);
        if (status == HD_OK)
            hd_type_parse_value(spot->type, spot->is_signed, until->value_text, until->value);
    }
    if (status == HD_OK)
        status = resolve_reads(r, launch);
    if (status == HD_OK)
        status = job_resolve_array_args(r, launch);
    return status == HD_OK ? check_all_given(r, launch) : status;
}

hd_status hd_job_resolve(hd_arena *arena, const hd_diag *diag, hd_job *job,
                         const kir_module *module) {
    resolver r = {.arena = arena, .diag = diag, .job = job, .module = module};
    r.buffers = (hd_hash_table){.arena = arena, .key_bytes = HD_TEXT_KEYS};
    job->module = module;
    for (uint32_t b = 0; b < job->buffer_count; b++)
        hd_hash_add_key(&r.buffers, job->buffers[b].name, b);
    r.first = hd_new_array(arena, const hd_arg **, module->kernel_count);
    for (uint32_t k = 0; k < module->kernel_count; k++)
        r.first[k] = hd_new_array(arena, const hd_arg *, module->kernels[k]->param_count);
    hd_status status = job_resolve_declared(&r);
    if (status == HD_OK)
        status = resolve_buffers(&r);
    if (status == HD_OK)
        status = job_resolve_records(&r);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = resolve_launch(&r, &job->launches[l]);
    if (status == HD_OK)
        status = resolve_held(&r, job->last, job->last_count);
    return status == HD_OK ? job_resolve_indices(&r) : status;
}

/* ---- what only the machine can do ---------------------------------------------------- */

static hd_status not_portable(const hd_diag *diag, const hd_place *place, const char *key,
                              const char *what) {
    return hd_fail(diag, HD_EUNSUPPORTED, place,
                   "this job says '%s', which only the machine takes: %s can't do it", key, what);
}

hd_status hd_job_check_portable(const hd_diag *diag, const hd_job *job, const char *what) {
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (job->buffers[b].at)
            return not_portable(diag, &job->buffers[b].place, "at", what);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        for (uint32_t i = 0; i < launch->before_count; i++)
            if (launch->before[i].kind == HD_HELD_FILE)
                return not_portable(diag, &launch->before[i].place, "before", what);
        for (uint32_t a = 0; a < launch->arg_count; a++)
            if (launch->args[a].bytes_text)
                return not_portable(diag, &launch->args[a].place, "bytes", what);
    }
    return HD_OK;
}
