/*
 * Which whole numbers of a job are those of elements: the entries of `indices`, and the numberings
 * that follow from them.
 *
 *     {from: partners, to: atoms}               each value is the number of an atom
 *     {from: nodes.first, end: nodes.end, to: neighbours}   each node has a row of neighbours
 *     {argument: search.start, to: nodes}       so is the value of an argument
 *     {points: [atoms.x, atoms.y]}              where the elements of a numbering are
 *
 * Buffers are joined to numberings where one entry names several of them, where rows begin and end,
 * where the job says that they are indexed alike (`arrays`), and where one is copied to another.
 */
#include "job/internal.h"
#include "job/numbering.h"

/* ---- reading ------------------------------------------------------------------------ */

/* A list of names, or one. */
static hd_status read_texts(const reader *r, const hd_yaml *map, const char *key, uint32_t *count,
                            hd_job_text **texts) {
    const hd_yaml *value = hd_yaml_get(map, key);
    if (!value)
        return HD_OK;
    const hd_yaml *items = value->kind == HD_YAML_TEXT ? value : value->items;
    *count = value->kind == HD_YAML_TEXT ? 1 : value->count;
    *texts = hd_new_array(r->arena, hd_job_text, *count);
    for (uint32_t i = 0; i < *count; i++) {
        if (!*items[i].text)
            return FAIL(r, &items[i], "'%s' is empty; write a name", key);
        (*texts)[i] = (hd_job_text){items[i].text, hd_yaml_place(r->file, &items[i])};
    }
    return *count ? HD_OK : FAIL(r, value, "the list '%s' is empty; name something", key);
}

/* Which keys go together. */
static hd_status check_entry(const reader *r, const hd_yaml *map, const hd_job_indices *entry) {
    bool has_rows = entry->rows.text || entry->end.text || entry->length.text;
    if (!!entry->from.text + !!entry->argument.text + !!entry->point_count != 1)
        return FAIL(r, map, "an entry of 'indices' needs one of 'from', 'argument' and 'points'");
    if (!entry->point_count && !entry->to_count)
        return FAIL(r, map, "the key 'to' is missing: the buffers whose elements '%s' numbers",
                    entry->from.text ? entry->from.text : entry->argument.text);
    if (entry->point_count && (entry->to_count || has_rows || entry->none_count))
        return FAIL(r, map, "beside 'points' there are no other keys");
    if (entry->argument.text && has_rows)
        return FAIL(r, map, "rows begin at the values of buffers, not at that of an argument");
    if (has_rows && entry->none_count)
        return FAIL(r, map, "'none' is for numbers of elements; a row without any is an empty one");
    if (entry->end.text && entry->length.text)
        return FAIL(r, map, "rows have an 'end' or a 'length'; keep one");
    return HD_OK;
}

hd_status job_reader_indices(const reader *r, const hd_yaml *map, void *at, uint32_t number) {
    (void)number;
    hd_job_indices *entry = at;
    entry->place = hd_yaml_place(r->file, map);
    hd_status status;
    if ((status = job_reader_members(r, map, job_indices_keys, entry)) ||
        (status = read_texts(r, map, "to", &entry->to_count, &entry->to)) ||
        (status = read_texts(r, map, "points", &entry->point_count, &entry->points)) ||
        (status = read_texts(r, map, "none", &entry->none_count, &entry->none)))
        return status;
    return check_entry(r, map, entry);
}

/* ---- names ---------------------------------------------------------------------------- */

/* While numberings are found a buffer's is the least buffer that it is joined with. */
typedef struct finder {
    const resolver *r;
    hd_numberings *found;
    uint32_t *least; /* [buffers] */
    bool *named;     /* [buffers]: some entry speaks of it */
    hd_vec(hd_index) indices;
    hd_vec(hd_index_rows) rows;
    hd_vec(hd_number_field) points;
} finder;

static const hd_buffer *buffer_of(const finder *f, uint32_t b) { return &f->r->job->buffers[b]; }

static hd_status find_buffer(const finder *f, const hd_job_text *name, uint32_t *buffer) {
    uint64_t found = hd_hash_get_key(&f->r->buffers, name->text);
    if (found == HD_NO_VALUE)
        return REFUSE(f->r, name, "there is no buffer '%s'; the job's buffers are: %s", name->text,
                      job_resolver_buffers(f->r));
    *buffer = (uint32_t)found;
    f->named[found] = true;
    return HD_OK;
}

/* "nodes.first": the buffer, and the rest. A name of a buffer may have dots. */
static hd_status split_name(const finder *f, const hd_job_text *name, uint32_t *buffer,
                            const char **path) {
    for (const char *dot = strchr(name->text, '.'); dot; dot = strchr(dot + 1, '.')) {
        const char *head = hd_strndup(f->r->arena, name->text, (size_t)(dot - name->text));
        if (hd_hash_get_key(&f->r->buffers, name->text) != HD_NO_VALUE)
            break;
        if (hd_hash_get_key(&f->r->buffers, head) != HD_NO_VALUE) {
            *path = dot + 1;
            return find_buffer(f, &(hd_job_text){head, name->place}, buffer);
        }
    }
    *path = NULL;
    return find_buffer(f, name, buffer);
}

/* The scalars that a name stands for, lane by lane. */
static hd_status find_numbers(const finder *f, const hd_job_text *name, hd_number_field *field) {
    hd_arena *arena = f->r->arena;
    const char *path;
    *field = (hd_number_field){.text = name->text, .place = name->place};
    hd_status status = split_name(f, name, &field->buffer, &path);
    if (status)
        return status;
    const hd_buffer *buffer = buffer_of(f, field->buffer);
    uint32_t count;
    const hd_leaf *leaves = hd_leaves_of_buffer(arena, buffer, path, &count);
    if (!count)
        return REFUSE(f->r, name, "an element of '%s', %s, has no '%s'", buffer->name, buffer->type,
                      path);
    hd_vec(hd_leaf) lanes = {0};
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t lane = 0; lane < leaves[l].type.lanes; lane++) {
            hd_leaf one = leaves[l];
            one.type.lanes = 1;
            one.offset += lane * (one.type.bits / 8u);
            hd_push(arena, &lanes, one);
        }
    field->leaves = lanes.data;
    field->leaf_count = (uint32_t)lanes.count;
    return HD_OK;
}

/* The same, of whole numbers; `one`: of a single one in each element. */
static hd_status find_integers(const finder *f, const hd_job_text *name, bool one,
                               hd_number_field *field) {
    hd_status status = find_numbers(f, name, field);
    if (status)
        return status;
    const hd_buffer *buffer = buffer_of(f, field->buffer);
    for (uint32_t l = 0; l < field->leaf_count; l++)
        if (field->leaves[l].opaque || field->leaves[l].type.kind != KIR_INT) {
            const char *path = hd_leaf_path(f->r->arena, buffer->record, &field->leaves[l]);
            return REFUSE(f->r, name,
                          "'%s' holds what is no whole number, so no indices%s%s; name a field of "
                          "whole numbers",
                          name->text, *path ? ": " : "", path);
        }
    if (one && field->leaf_count != 1)
        return REFUSE(f->r, name,
                      "'%s' has %u numbers in each element; a row begins and ends at one",
                      name->text, field->leaf_count);
    return HD_OK;
}

/* ---- joining ---------------------------------------------------------------------------- */

static uint32_t least_of(const finder *f, uint32_t b) {
    while (f->least[b] != b)
        b = f->least[b];
    return b;
}

static hd_status join(const finder *f, const hd_place *place, uint32_t a, uint32_t b) {
    const hd_buffer *one = buffer_of(f, a), *other = buffer_of(f, b);
    if (one->count != other->count)
        return hd_fail(f->r->diag, HD_EINPUT, place,
                       "'%s' has %llu elements and '%s' has %llu; buffers that are numbered alike "
                       "have as many",
                       one->name, (ull)one->count, other->name, (ull)other->count);
    if (one->count > UINT32_MAX)
        return hd_fail(f->r->diag, HD_EUNSUPPORTED, place,
                       "'%s' has %llu elements; at most %u can be renumbered", one->name,
                       (ull)one->count, UINT32_MAX);
    uint32_t x = least_of(f, a), y = least_of(f, b);
    f->least[x > y ? x : y] = x > y ? y : x;
    return HD_OK;
}

/* All buffers of `to`, as one. */
static hd_status find_targets(const finder *f, const hd_job_indices *entry, uint32_t *first) {
    hd_status status = find_buffer(f, &entry->to[0], first);
    for (uint32_t t = 0; t < entry->to_count && status == HD_OK; t++) {
        uint32_t buffer = 0;
        if ((status = find_buffer(f, &entry->to[t], &buffer)) == HD_OK)
            status = join(f, &entry->to[t].place, *first, buffer);
    }
    return status;
}

/* "search.start": names of kernels and of arguments may have dots. */
static hd_status find_argument(const finder *f, const hd_job_text *name, hd_index *index) {
    const hd_job *job = f->r->job;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        size_t length = strlen(launch->kernel_name);
        if (strncmp(name->text, launch->kernel_name, length) != 0 || name->text[length] != '.')
            continue;
        for (uint32_t a = 0; a < launch->arg_count; a++) {
            const hd_arg *arg = &launch->args[a];
            if (strcmp(arg->name, name->text + length + 1) != 0 || arg->kind != HD_ARG_VALUE)
                continue;
            const kir_param *param =
                arg->param == KIR_NONE ? NULL : &launch->kernel->params[arg->param];
            if (!param || param->by_value_struct || param->type.kind != KIR_INT ||
                param->type.lanes != 1)
                return REFUSE(f->r, name, "argument '%s' of kernel '%s' is no whole number",
                              arg->name, launch->kernel_name);
            index->kernel = launch->kernel_name;
            index->argument = arg->name;
            return HD_OK;
        }
    }
    return REFUSE(f->r, name,
                  "no launch of the job has an argument '%s' with a value; write KERNEL.NAME",
                  name->text);
}

static hd_status add_index(finder *f, const hd_job_indices *entry) {
    static const kir_type long_type = {.kind = KIR_INT, .bits = 64, .lanes = 1};
    hd_index index = {.place = entry->place};
    hd_status status = entry->argument.text ? find_argument(f, &entry->argument, &index)
                                            : find_integers(f, &entry->from, false, &index.from);
    int64_t *none = hd_new_array(f->r->arena, int64_t, entry->none_count);
    index.none = none;
    index.none_count = entry->none_count;
    for (uint32_t i = 0; i < entry->none_count && status == HD_OK; i++)
        if (!hd_type_parse_value(long_type, true, entry->none[i].text, &none[i]))
            status = REFUSE(f->r, &entry->none[i], "'none: %s' is no whole number, such as -1",
                            entry->none[i].text);
    if (status == HD_OK)
        status = find_targets(f, entry, &index.to);
    hd_push(f->r->arena, &f->indices, index);
    return status;
}

/* Where rows begin belongs to the numbering whose rows they are; only with the end of the last row
 * there may be one more. */
static hd_status join_rows(const finder *f, const hd_job_indices *entry, hd_index_rows *rows) {
    hd_status status = HD_OK;
    rows->of = rows->first.buffer;
    if (entry->rows.text)
        status = find_buffer(f, &entry->rows, &rows->of);
    if (status)
        return status;
    const hd_buffer *of = buffer_of(f, rows->of), *first = buffer_of(f, rows->first.buffer);
    if (rows->ends != HD_ROW_END_NEXT)
        status = join(f, &rows->end.place, rows->of, rows->end.buffer);
    if (status == HD_OK && (rows->ends != HD_ROW_END_NEXT || first->count == of->count))
        return join(f, &rows->first.place, rows->of, rows->first.buffer);
    if (status == HD_OK && first->count != of->count + 1)
        return REFUSE(f->r, &rows->first,
                      "'%s' has %llu elements, '%s' has %llu; where rows begin has as many as "
                      "there are rows, or one more",
                      first->name, (ull)first->count, of->name, (ull)of->count);
    return status ? status : join(f, &rows->place, rows->of, rows->of);
}

static hd_status add_rows(finder *f, const hd_job_indices *entry) {
    hd_index_rows rows = {.place = entry->place};
    const hd_job_text *end = entry->end.text ? &entry->end : &entry->length;
    rows.ends = entry->end.text      ? HD_ROW_END_FIELD
                : entry->length.text ? HD_ROW_END_LENGTH
                                     : HD_ROW_END_NEXT;
    hd_status status = find_integers(f, &entry->from, true, &rows.first);
    if (status == HD_OK && end->text)
        status = find_integers(f, end, true, &rows.end);
    if (status == HD_OK)
        status = find_targets(f, entry, &rows.to);
    if (status == HD_OK)
        status = join_rows(f, entry, &rows);
    hd_push(f->r->arena, &f->rows, rows);
    return status;
}

static hd_status add_points(finder *f, const hd_job_indices *entry) {
    uint32_t buffer = 0, scalars = 0;
    for (uint32_t p = 0; p < entry->point_count; p++) {
        hd_number_field field;
        hd_status status = find_numbers(f, &entry->points[p], &field);
        if (status)
            return status;
        /* The fourth of a float4 is no coordinate. */
        if (entry->point_count == 1 && field.leaf_count == 4)
            field.leaf_count = 3;
        buffer = p ? buffer : field.buffer;
        scalars += field.leaf_count;
        for (uint32_t l = 0; l < field.leaf_count; l++)
            if (field.leaves[l].opaque)
                return REFUSE(f->r, &field, "'%s' holds what is no number, so no coordinates",
                              field.text);
        if (scalars > 3)
            return REFUSE(f->r, &field, "'points' has more than 3 coordinates for an element");
        if ((status = join(f, &field.place, buffer, field.buffer)) != HD_OK)
            return status;
        hd_push(f->r->arena, &f->points, field);
    }
    return HD_OK;
}

/* Of what is copied between launches both sides are numbered alike. */
static hd_status join_copy(const finder *f, const hd_held *held) {
    if (!f->named[held->buffer] && !f->named[held->from])
        return HD_OK;
    f->named[held->buffer] = f->named[held->from] = true;
    return join(f, &held->place, held->buffer, held->from);
}

typedef hd_status copy_fn(const finder *f, const hd_held *held);

/* For everything that the job copies between launches, and behind the last. */
static hd_status each_copy(const finder *f, copy_fn *fn) {
    const hd_job *job = f->r->job;
    hd_status status = HD_OK;
    for (uint32_t l = 0; l <= job->launch_count; l++) {
        bool is_last = l == job->launch_count;
        const hd_held *held = is_last ? job->last : job->launches[l].before;
        uint32_t count = is_last ? job->last_count : job->launches[l].before_count;
        for (uint32_t i = 0; i < count && status == HD_OK; i++)
            if (held[i].kind == HD_HELD_COPY)
                status = fn(f, &held[i]);
    }
    return status;
}

static hd_status join_alike(const finder *f) {
    const hd_job *job = f->r->job;
    hd_status status = HD_OK;
    for (uint32_t a = 0; a < job->arrays_count; a++) {
        const hd_job_arrays *arrays = &job->arrays[a];
        bool named = false;
        for (uint32_t i = 0; i < arrays->field_count; i++)
            named = named || f->named[arrays->buffers[i]];
        for (uint32_t i = 0; named && i < arrays->field_count && status == HD_OK; i++) {
            f->named[arrays->buffers[i]] = true;
            status = join(f, &arrays->place, arrays->buffers[0], arrays->buffers[i]);
        }
    }
    /* A copy may name a buffer that an earlier one joins. */
    for (uint32_t round = 0; round < job->buffer_count && status == HD_OK; round++)
        status = each_copy(f, join_copy);
    return status;
}

/* ---- numberings --------------------------------------------------------------------------- */

static bool overlaps(const hd_number_field *a, const hd_number_field *b) {
    for (uint32_t i = 0; a->buffer == b->buffer && i < a->leaf_count; i++)
        for (uint32_t j = 0; j < b->leaf_count; j++)
            if (a->leaves[i].offset < b->leaves[j].offset + b->leaves[j].type.bits / 8u &&
                b->leaves[j].offset < a->leaves[i].offset + a->leaves[i].type.bits / 8u)
                return true;
    return false;
}

static hd_status two_meanings(const finder *f, const hd_number_field *field,
                              const hd_place *other) {
    return REFUSE(f->r, field, "'%s' is declared twice, here and in line %u; keep one", field->text,
                  other->line);
}

/* A number means one thing. */
static hd_status check_meanings(const finder *f) {
    const hd_numberings *n = f->found;
    for (uint32_t i = 0; i < n->index_count; i++) {
        const hd_number_field *field = &n->indices[i].from;
        if (n->indices[i].kernel)
            continue;
        for (uint32_t j = 0; j < i; j++)
            if (!n->indices[j].kernel && overlaps(field, &n->indices[j].from))
                return two_meanings(f, field, &n->indices[j].place);
        for (uint32_t r = 0; r < n->row_count; r++)
            if (overlaps(field, &n->rows[r].first) ||
                (n->rows[r].ends != HD_ROW_END_NEXT && overlaps(field, &n->rows[r].end)))
                return two_meanings(f, field, &n->rows[r].place);
    }
    return HD_OK;
}

/* What is copied holds the same kind of numbers on both sides. */
static hd_status check_copy(const finder *f, const hd_held *held) {
    const hd_numberings *n = f->found;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t from = side ? held->buffer : held->from, to = side ? held->from : held->buffer;
        for (uint32_t i = 0; i < n->index_count + n->row_count; i++) {
            bool is_index = i < n->index_count, has_twin = false;
            const hd_index_rows *row = is_index ? NULL : &n->rows[i - n->index_count];
            hd_number_field field = is_index ? n->indices[i].from : row->first;
            if ((is_index && n->indices[i].kernel) || field.buffer != from)
                continue;
            hd_number_field twin = field;
            twin.buffer = to;
            for (uint32_t j = 0; j < n->index_count && is_index; j++)
                has_twin =
                    has_twin || (!n->indices[j].kernel && n->indices[j].to == n->indices[i].to &&
                                 n->indices[j].from.leaf_count == field.leaf_count &&
                                 overlaps(&twin, &n->indices[j].from));
            for (uint32_t j = 0; j < n->row_count && row; j++)
                has_twin = has_twin || overlaps(&twin, &n->rows[j].first);
            if (!has_twin)
                return REFUSE(f->r, held,
                              "'%s' holds indices, and is copied %s '%s', of which 'indices' does "
                              "not say so; declare it alike",
                              field.text, side ? "from" : "to", buffer_of(f, to)->name);
        }
    }
    return HD_OK;
}

/* Gives a number to each class of buffers, in the order of their first. */
static void number_classes(const finder *f) {
    const hd_job *job = f->r->job;
    hd_numberings *n = f->found;
    n->numberings = hd_new_array(f->r->arena, hd_numbering, job->buffer_count);
    n->of = hd_new_array(f->r->arena, int32_t, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        uint32_t least = least_of(f, b);
        n->of[b] = HD_NO_NUMBERING;
        if (!f->named[b])
            continue;
        if (least == b) {
            n->of[b] = (int32_t)n->numbering_count;
            n->numberings[n->numbering_count++] =
                (hd_numbering){.name = job->buffers[b].name,
                               .count = job->buffers[b].count,
                               .buffers = hd_new_array(f->r->arena, uint32_t, job->buffer_count),
                               .owner = -1};
        }
        n->of[b] = n->of[least];
        hd_numbering *of = &n->numberings[n->of[b]];
        of->buffers[of->buffer_count++] = b;
    }
}

/* Elements lie in the rows of one numbering, and it in none of theirs. */
static hd_status find_owner(const finder *f, uint32_t row) {
    hd_numberings *n = f->found;
    hd_index_rows *rows = &n->rows[row];
    hd_numbering *to = &n->numberings[rows->to];
    if (to->owner >= 0 && n->rows[to->owner].of != rows->of)
        return REFUSE(f->r, rows,
                      "the elements of '%s' lie in rows of '%s' here, and of '%s' by line %u; they "
                      "can follow only one of them",
                      to->name, n->numberings[rows->of].name,
                      n->numberings[n->rows[to->owner].of].name, n->rows[to->owner].place.line);
    uint32_t above = rows->of;
    for (uint32_t depth = 0; depth <= n->row_count; depth++) {
        if (above == rows->to)
            return REFUSE(f->r, rows,
                          "the elements of '%s' would lie in rows of themselves; give rows and "
                          "what lies in them buffers of their own",
                          to->name);
        if (n->numberings[above].owner < 0)
            break;
        above = n->rows[n->numberings[above].owner].of;
    }
    if (to->owner < 0)
        to->owner = (int32_t)row;
    return HD_OK;
}

static hd_status make_numberings(const finder *f) {
    hd_numberings *n = f->found;
    hd_status status = HD_OK;
    number_classes(f);
    for (uint32_t i = 0; i < n->index_count; i++)
        n->indices[i].to = (uint32_t)n->of[n->indices[i].to];
    for (uint32_t r = 0; r < n->row_count; r++) {
        n->rows[r].of = (uint32_t)n->of[n->rows[r].of];
        n->rows[r].to = (uint32_t)n->of[n->rows[r].to];
    }
    for (uint32_t r = 0; r < n->row_count && status == HD_OK; r++)
        status = find_owner(f, r);
    for (uint32_t i = 0; i < n->index_count; i++)
        n->numberings[n->indices[i].to].is_free = true;
    for (uint32_t r = 0; r < n->row_count; r++)
        n->numberings[n->rows[r].of].is_free = true;
    for (uint32_t k = 0; k < n->numbering_count; k++)
        n->numberings[k].is_free = n->numberings[k].is_free && n->numberings[k].owner < 0;
    for (size_t p = 0; p < f->points.count; p++) {
        hd_numbering *of = &n->numberings[n->of[f->points.data[p].buffer]];
        uint32_t scalars = f->points.data[p].leaf_count;
        for (uint32_t i = 0; i < of->point_count; i++)
            scalars += of->points[i].leaf_count;
        if (scalars > 3)
            return REFUSE(f->r, &f->points.data[p],
                          "'%s' has points already; keep one entry of them", of->name);
        of->points[of->point_count++] = f->points.data[p];
    }
    return status;
}

hd_status job_resolve_indices(const resolver *r) {
    hd_job *job = r->job;
    job->numberings = NULL;
    if (!job->indices_count)
        return HD_OK;
    hd_numberings *n = hd_new(r->arena, hd_numberings);
    finder f = {.r = r,
                .found = n,
                .least = hd_new_array(r->arena, uint32_t, job->buffer_count),
                .named = hd_new_array(r->arena, bool, job->buffer_count)};
    for (uint32_t b = 0; b < job->buffer_count; b++)
        f.least[b] = b;
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < job->indices_count && status == HD_OK; i++) {
        const hd_job_indices *entry = &job->indices[i];
        bool is_rows = entry->rows.text || entry->end.text || entry->length.text;
        status = entry->point_count ? add_points(&f, entry)
                 : is_rows          ? add_rows(&f, entry)
                                    : add_index(&f, entry);
    }
    if (status == HD_OK)
        status = join_alike(&f);
    if (status)
        return status;
    n->indices = f.indices.data;
    n->index_count = (uint32_t)f.indices.count;
    n->rows = f.rows.data;
    n->row_count = (uint32_t)f.rows.count;
    if ((status = make_numberings(&f)) || (status = check_meanings(&f)))
        return status;
    job->numberings = n;
    return each_copy(&f, check_copy);
}

hd_status hd_numbering_find(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            const char *buffer, uint32_t *numbering) {
    const hd_numberings *n = job->numberings;
    hd_str names = {.arena = arena};
    for (uint32_t k = 0; n && k < n->numbering_count; k++) {
        if (!n->numberings[k].is_free)
            continue;
        for (uint32_t b = 0; b < n->numberings[k].buffer_count; b++) {
            const char *name = job->buffers[n->numberings[k].buffers[b]].name;
            hd_str_printf(&names, "%s%s", names.length ? ", " : "", name);
            *numbering = k;
            if (!buffer || !strcmp(name, buffer))
                return HD_OK;
        }
    }
    const hd_place place = {.file = job->path};
    if (!names.length)
        return hd_fail(diag, HD_EINPUT, job->path ? &place : NULL,
                       "the job does not say which numbers are indices, so nothing can be "
                       "renumbered; declare them: 'indices: [{from: neighbours, to: nodes}]'");
    return hd_fail(diag, HD_EINPUT, job->path ? &place : NULL,
                   "the elements of '%s' have no numbers of their own that could change; those of "
                   "these buffers have: %s",
                   buffer, hd_str_text(&names));
}
