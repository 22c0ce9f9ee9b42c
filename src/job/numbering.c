/*
 * Jobs whose elements have new numbers (numbering.h).
 *
 * An order of one numbering gives one to each that it owns, row by row: with rows of 2, 1 and 3 edges
 * and the order 2, 0, 1 of the nodes,
 *
 *     first         0 2 3 6        0 3 5 6
 *     edges         a b|c|d e f    d e f|a b|c      order 3 4 5 0 1 2
 *
 * What lies in no row stays in front of the rows if it was there, else goes behind them. When all
 * orders are known each buffer is copied element by element, and then each number in it is mapped; the
 * way back is the same with orders and their inverses exchanged. Where rows lie is not mapped but known
 * on both sides: an empty row lies nowhere.
 */
#include "job/numbering_parts.h"

typedef unsigned long long ull;

/* Which side contents are on: in the caller's numbers, or in the new ones. */
enum { OLD, NEW };

typedef struct maker {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job; /* the original */
    const hd_numberings *n;
    void *const *contents; /* of the original */
    hd_renumbered *made;
    hd_until **untils; /* [job->until_count]; NULL where none of its launches came yet */
} maker;

/* ---- numbers in buffers ------------------------------------------------------------------ */

static inline void put_number(const hd_buffer *buffer, const hd_leaf *leaf, void *bytes,
                              uint64_t element, uint64_t value) {
    uint8_t *at = (uint8_t *)bytes + hd_buffer_byte(buffer, element, leaf->offset);
    switch (leaf->type.bits) {
    case 32: memcpy(at, &value, 4); break;
    case 64: memcpy(at, &value, 8); break;
    case 16: memcpy(at, &value, 2); break;
    default: *at = (uint8_t)value;
    }
}

/* The number as its type has it, for messages. */
static long long shown(const hd_leaf *leaf, uint64_t value) {
    return leaf->is_signed ? (long long)kir_sign_extend(value, leaf->type.bits) : (long long)value;
}

hd_status number_fail(const hd_diag *diag, const hd_job *job, const hd_index *index,
                      uint64_t element, const hd_leaf *leaf, uint64_t value) {
    const hd_numbering *to = &job->numberings->numberings[index->to];
    return hd_fail(diag, HD_EINPUT, &index->from.place,
                   "'%s' holds %lld in element %llu, and '%s' has the elements 0 to %llu; if it "
                   "stands for none of them, declare it: 'none: %lld'",
                   index->from.text, shown(leaf, value), (ull)element, to->name, (ull)to->count - 1,
                   shown(leaf, value));
}

/* ---- rows ----------------------------------------------------------------------------------- */

static uint64_t field_value(const hd_job *job, const hd_number_field *field, void *const *contents,
                            uint64_t element) {
    return number_get(&job->buffers[field->buffer], field->leaves, contents[field->buffer],
                      element);
}

hd_status number_find_row(const hd_diag *diag, const hd_job *job, const hd_index_rows *rows,
                          void *const *contents, uint64_t number, number_row *r) {
    uint64_t count = job->numberings->numberings[rows->to].count;
    r->begin = field_value(job, &rows->first, contents, number);
    if (rows->ends == HD_ROW_END_FIELD)
        r->end = field_value(job, &rows->end, contents, number);
    else if (rows->ends == HD_ROW_END_LENGTH)
        r->end = r->begin + field_value(job, &rows->end, contents, number);
    else if (number + 1 < job->buffers[rows->first.buffer].count)
        r->end = field_value(job, &rows->first, contents, number + 1);
    else
        r->end = count;
    if (r->begin <= r->end && r->end <= count)
        return HD_OK;
    const hd_leaf *leaf = rows->first.leaves;
    return hd_fail(
        diag, HD_EINPUT, &rows->first.place,
        "row %llu by '%s' begins at %lld and ends at %lld; a row ends where it begins or "
        "behind it, and '%s' has %llu elements",
        (ull)number, rows->first.text, shown(leaf, r->begin), shown(leaf, r->end),
        job->numberings->numberings[rows->to].name, (ull)count);
}

static uint64_t old_number(const maker *m, uint32_t numbering, uint64_t number) {
    const uint32_t *order = m->made->order[numbering];
    return order ? order[number] : number;
}

/* Gives the elements of rows their order. */
static hd_status order_rows(const maker *m, const hd_index_rows *rows) {
    uint64_t count = m->n->numberings[rows->to].count, row_count = m->n->numberings[rows->of].count;
    uint64_t lowest = count, next;
    uint32_t *order = hd_new_array(m->arena, uint32_t, count);
    uint32_t *taken = hd_new_array(m->arena, uint32_t, count); /* by which row, plus 1 */
    for (uint64_t i = 0; i < row_count; i++) {
        number_row r;
        hd_status status = number_find_row(m->diag, m->job, rows, m->contents, i, &r);
        if (status)
            return status;
        for (uint64_t e = r.begin; e < r.end; e++) {
            if (taken[e])
                return hd_fail(m->diag, HD_EINPUT, &rows->first.place,
                               "rows %u and %llu by '%s' overlap in element %llu of '%s', which "
                               "can follow only one of them",
                               taken[e] - 1, (ull)i, rows->first.text, (ull)e,
                               m->n->numberings[rows->to].name);
            taken[e] = (uint32_t)i + 1;
        }
        if (r.begin < r.end && r.begin < lowest)
            lowest = r.begin;
    }
    for (next = 0; next < lowest && lowest < count; next++)
        order[next] = (uint32_t)next;
    for (uint64_t i = 0; i < row_count; i++) {
        number_row r;
        number_find_row(m->diag, m->job, rows, m->contents, old_number(m, rows->of, i), &r);
        for (uint64_t e = r.begin; e < r.end; e++)
            order[next++] = (uint32_t)e;
    }
    for (uint64_t e = lowest; e < count; e++)
        if (!taken[e])
            order[next++] = (uint32_t)e;
    for (uint64_t e = 0; lowest == count && e < count; e++)
        order[e] = (uint32_t)e;
    m->made->order[rows->to] = order;
    return HD_OK;
}

/* Where rows lie on both sides; another entry for the same elements must say the same of each row. */
static hd_status find_values(const maker *m, uint32_t number) {
    const hd_index_rows *rows = &m->n->rows[number];
    const hd_index_rows *owner = &m->n->rows[m->n->numberings[rows->to].owner];
    const hd_buffer *first = &m->job->buffers[rows->first.buffer];
    uint64_t row_count = m->n->numberings[rows->of].count;
    hd_row_values *values = &m->made->rows[number];
    uint64_t next = UINT64_MAX, in_rows = 0;
    for (int side = OLD; side <= NEW; side++) {
        values->first[side] = hd_new_array(m->arena, uint64_t, first->count);
        if (rows->ends != HD_ROW_END_NEXT)
            values->end[side] = hd_new_array(m->arena, uint64_t, row_count);
    }
    for (uint64_t i = 0; i < row_count; i++) {
        number_row r, by_owner;
        hd_status status = number_find_row(m->diag, m->job, rows, m->contents, i, &r);
        if (!status)
            status = number_find_row(m->diag, m->job, owner, m->contents, i, &by_owner);
        if (status)
            return status;
        if (r.end - r.begin != by_owner.end - by_owner.begin ||
            (r.begin < r.end && r.begin != by_owner.begin))
            return hd_fail(m->diag, HD_EINPUT, &rows->first.place,
                           "row %llu is elements %llu to %llu by '%s', and %llu to %llu by '%s' in "
                           "line %u; keep the entry that is right",
                           (ull)i, (ull)r.begin, (ull)r.end, rows->first.text, (ull)by_owner.begin,
                           (ull)by_owner.end, owner->first.text, owner->place.line);
        values->first[OLD][i] = r.begin;
        if (values->end[OLD])
            values->end[OLD][i] = rows->ends == HD_ROW_END_FIELD ? r.end : r.end - r.begin;
        next = r.begin < r.end && r.begin < next ? r.begin : next;
        in_rows += r.end - r.begin;
    }
    next = in_rows ? next : 0;
    for (uint64_t i = 0; i < row_count; i++) {
        number_row r;
        number_find_row(m->diag, m->job, rows, m->contents, old_number(m, rows->of, i), &r);
        values->first[NEW][i] = next;
        next += r.end - r.begin;
        if (values->end[NEW])
            values->end[NEW][i] = rows->ends == HD_ROW_END_FIELD ? next : r.end - r.begin;
    }
    if (first->count > row_count) {
        values->first[OLD][row_count] = field_value(m->job, &rows->first, m->contents, row_count);
        values->first[NEW][row_count] = next;
    }
    return HD_OK;
}

/* ---- orders ----------------------------------------------------------------------------------- */

/* The orders of all numberings that the first one owns, at any depth, and where their rows lie. */
static hd_status find_orders(const maker *m) {
    const hd_numberings *n = m->n;
    hd_renumbered *made = m->made;
    hd_status status = HD_OK;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t r = 0; r < n->row_count && status == HD_OK; r++)
            if (made->order[n->rows[r].of] && !made->order[n->rows[r].to]) {
                status = order_rows(m, &n->rows[r]);
                more = status == HD_OK;
            }
    }
    for (uint32_t r = 0; r < n->row_count && status == HD_OK; r++)
        if (made->order[n->rows[r].to])
            status = find_values(m, r);
    for (uint32_t k = 0; k < n->numbering_count && status == HD_OK; k++) {
        if (!made->order[k])
            continue;
        made->number[k] = hd_new_array(m->arena, uint32_t, n->numberings[k].count);
        for (uint64_t i = 0; i < n->numberings[k].count; i++)
            made->number[k][made->order[k][i]] = (uint32_t)i;
    }
    return status;
}

/* ---- contents --------------------------------------------------------------------------------- */

/* From one side to the other. */
typedef struct mover {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_renumbered *made;
    const hd_job *job;
    int side; /* that `from` is on */
    void *const *from;
    void **to;
} mover;

/* Elements in their new places; what is not moved is copied. */
static void move_elements(const mover *m, uint32_t b) {
    const hd_buffer *buffer = &m->job->buffers[b];
    int32_t k = m->job->numberings->of[b];
    const uint32_t *order = k < 0 ? NULL : m->made->order[k];
    uint8_t *to = m->to[b] = hd_alloc(m->arena, buffer->count * buffer->element_bytes);
    const uint8_t *from = m->from[b];
    bool in_columns = buffer->record && buffer->record->in_columns;
    uint32_t size = buffer->element_bytes, step = in_columns ? buffer->record->align : size;
    if (!order)
        memcpy(to, from, buffer->count * size);
    for (uint64_t i = 0; order && i < buffer->count; i++) {
        uint64_t source = m->side == OLD ? order[i] : i, target = m->side == OLD ? i : order[i];
        for (uint32_t at = 0; at < size; at += step)
            memcpy(to + hd_buffer_byte(buffer, target, at),
                   from + hd_buffer_byte(buffer, source, at), step);
    }
}

static hd_status map_index(const mover *m, const hd_index *index) {
    const hd_buffer *buffer = &m->job->buffers[index->from.buffer];
    int32_t k = m->job->numberings->of[index->from.buffer];
    const uint32_t *map = m->side == OLD ? m->made->number[index->to] : m->made->order[index->to];
    const uint32_t *order = k < 0 || m->side == NEW ? NULL : m->made->order[k];
    uint64_t count = m->job->numberings->numberings[index->to].count;
    uint8_t *bytes = m->to[index->from.buffer];
    for (uint32_t l = 0; l < index->from.leaf_count; l++) {
        const hd_leaf *leaf = &index->from.leaves[l];
        for (uint64_t e = 0; e < buffer->count; e++) {
            uint64_t value = number_get(buffer, leaf, bytes, e);
            if (number_is_none(index, value, leaf->type.bits))
                continue;
            if (value >= count)
                return number_fail(m->diag, m->job, index, order ? order[e] : e, leaf, value);
            if (map)
                put_number(buffer, leaf, bytes, e, map[value]);
        }
    }
    return HD_OK;
}

static hd_status map_rows(const mover *m, const hd_number_field *field, uint64_t *const sides[2]) {
    const hd_buffer *buffer = &m->job->buffers[field->buffer];
    const void *from = m->from[field->buffer];
    for (uint64_t i = 0; i < buffer->count; i++)
        if (number_get(buffer, field->leaves, from, i) != sides[m->side][i])
            return hd_fail(m->diag, HD_EINPUT, &field->place,
                           "'%s' says where rows lie, and the contents have changed that (element "
                           "%llu%s), so that they cannot be renumbered",
                           field->text, (ull)i, m->side == NEW ? " of the renumbered job" : "");
    for (uint64_t i = 0; i < buffer->count; i++)
        put_number(buffer, field->leaves, m->to[field->buffer], i, sides[!m->side][i]);
    return HD_OK;
}

/* Which buffers differ between the sides. */
static bool *find_changed(hd_arena *arena, const hd_renumbered *made) {
    const hd_job *job = made->original;
    const hd_numberings *n = job->numberings;
    bool *changed = hd_new_array(arena, bool, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        changed[b] = n->of[b] >= 0 && made->order[n->of[b]];
    for (uint32_t i = 0; i < n->index_count; i++)
        if (!n->indices[i].kernel && made->order[n->indices[i].to])
            changed[n->indices[i].from.buffer] = true;
    for (uint32_t r = 0; r < n->row_count; r++)
        if (made->order[n->rows[r].to]) {
            changed[n->rows[r].first.buffer] = true;
            if (n->rows[r].ends != HD_ROW_END_NEXT)
                changed[n->rows[r].end.buffer] = true;
        }
    return changed;
}

static hd_status move_contents(const mover *m) {
    const hd_numberings *n = m->job->numberings;
    const bool *changed = find_changed(m->arena, m->made);
    hd_status status = HD_OK;
    for (uint32_t b = 0; b < m->job->buffer_count; b++) {
        m->to[b] = m->from[b];
        if (changed[b])
            move_elements(m, b);
    }
    /* Contents that stay are checked, too, as long as it is not results. */
    for (uint32_t i = 0; i < n->index_count && status == HD_OK; i++)
        if (!n->indices[i].kernel && (m->side == OLD || m->made->order[n->indices[i].to]))
            status = map_index(m, &n->indices[i]);
    for (uint32_t r = 0; r < n->row_count && status == HD_OK; r++) {
        if (!m->made->order[n->rows[r].to])
            continue;
        status = map_rows(m, &n->rows[r].first, m->made->rows[r].first);
        if (status == HD_OK && n->rows[r].ends != HD_ROW_END_NEXT)
            status = map_rows(m, &n->rows[r].end, m->made->rows[r].end);
    }
    return status;
}

hd_status hd_renumbered_scatter(hd_arena *arena, const hd_diag *diag, const hd_renumbered *made,
                                void *const *from, void **to) {
    return move_contents(&(mover){arena, diag, made, made->original, OLD, from, to});
}

hd_status hd_renumbered_gather(hd_arena *arena, const hd_diag *diag, const hd_renumbered *made,
                               void *const *from, void **to) {
    return move_contents(&(mover){arena, diag, made, made->original, NEW, from, to});
}

/* ---- launches --------------------------------------------------------------------------------- */

static uint64_t new_number(const maker *m, uint32_t buffer, uint64_t element) {
    int32_t k = m->n->of[buffer];
    return k >= 0 && m->made->number[k] ? m->made->number[k][element] : element;
}

static hd_status map_argument(const maker *m, const hd_launch *launch, hd_arg *arg) {
    for (uint32_t i = 0; i < m->n->index_count; i++) {
        const hd_index *index = &m->n->indices[i];
        uint64_t value = 0, count = m->n->numberings[index->to].count;
        if (!index->kernel || strcmp(index->kernel, launch->kernel_name) != 0 ||
            strcmp(index->argument, arg->name) != 0)
            continue;
        memcpy(&value, arg->value, arg->value_bytes < 8 ? arg->value_bytes : 8);
        if (number_is_none(index, value, arg->value_bytes * 8))
            return HD_OK;
        if (value >= count)
            return hd_fail(m->diag, HD_EINPUT, &arg->place,
                           "argument '%s' is %s, and '%s' has the elements 0 to %llu; if it stands "
                           "for none of them, declare it with 'none', in line %u",
                           arg->name, arg->value_text, m->n->numberings[index->to].name,
                           (ull)count - 1, index->place.line);
        if (!m->made->number[index->to])
            return HD_OK;
        value = m->made->number[index->to][value];
        uint8_t *bytes = hd_alloc(m->arena, arg->value_bytes + 8);
        memcpy(bytes, &value, 8);
        arg->value = bytes;
        arg->value_text = hd_format(m->arena, "%llu", (ull)value);
    }
    return HD_OK;
}

static bool is_in(const hd_number_field *field, uint32_t buffer, uint32_t offset) {
    for (uint32_t l = 0; l < field->leaf_count; l++)
        if (field->buffer == buffer && field->leaves[l].offset == offset)
            return true;
    return false;
}

/* Whether a scalar says where rows lie that lie elsewhere now. */
static bool is_of_rows(const maker *m, uint32_t buffer, uint32_t offset) {
    for (uint32_t r = 0; r < m->n->row_count; r++)
        if (m->made->order[m->n->rows[r].to] &&
            (is_in(&m->n->rows[r].first, buffer, offset) ||
             (m->n->rows[r].ends != HD_ROW_END_NEXT && is_in(&m->n->rows[r].end, buffer, offset))))
            return true;
    return false;
}

/* What a text that is written to a scalar, or compared with it, is in new numbers. */
static const char *map_text(const maker *m, uint32_t buffer, const hd_leaf *leaf,
                            const char *text) {
    for (uint32_t i = 0; i < m->n->index_count; i++) {
        const hd_index *index = &m->n->indices[i];
        const uint32_t *number = m->made->number[index->to];
        uint64_t value = 0;
        if (!number || index->kernel || !is_in(&index->from, buffer, leaf->offset) ||
            !hd_type_parse_value(leaf->type, leaf->is_signed, text, &value) ||
            number_is_none(index, value, leaf->type.bits) ||
            value >= m->n->numberings[index->to].count)
            continue;
        return hd_format(m->arena, "%u", number[value]);
    }
    return text;
}

static hd_status renumber_spot(const maker *m, hd_spot *spot) {
    if (is_of_rows(m, spot->buffer, spot->offset))
        return hd_fail(m->diag, HD_EUNSUPPORTED, &spot->place,
                       "this reads where a row of '%s' lies, which renumbering changes",
                       spot->buffer_name);
    spot->element = new_number(m, spot->buffer, spot->element);
    return HD_OK;
}

static hd_status renumber_read(const maker *m, const hd_spot **spot) {
    if (!*spot)
        return HD_OK;
    hd_spot *made = hd_new(m->arena, hd_spot);
    *made = **spot;
    *spot = made;
    return renumber_spot(m, made);
}

static hd_status renumber_until(const maker *m, const hd_until **until) {
    if (!*until)
        return HD_OK;
    hd_until **made = &m->untils[(*until)->number];
    const hd_until *from = *until;
    if (*made) {
        *until = *made;
        return HD_OK;
    }
    *until = *made = hd_new(m->arena, hd_until);
    **made = *from;
    const hd_spot *spot = &from->spot;
    const hd_leaf leaf = {spot->offset, spot->type, spot->is_signed, false, false};
    (*made)->value_text = map_text(m, spot->buffer, &leaf, from->value_text);
    hd_type_parse_value(spot->type, spot->is_signed, (*made)->value_text, (*made)->value);
    return renumber_spot(m, &(*made)->spot);
}

/* One text for all scalars that are written, or none. */
static hd_status renumber_held(const maker *m, hd_held *held) {
    const hd_buffer *buffer = &m->job->buffers[held->buffer];
    if (held->kind != HD_HELD_FILL && held->kind != HD_HELD_SET)
        return HD_OK;
    uint32_t count;
    const hd_leaf *leaves = hd_leaves_of_buffer(m->arena, buffer, held->field, &count);
    const char *text = NULL;
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t lane = 0; lane < leaves[l].type.lanes && !leaves[l].opaque; lane++) {
            hd_leaf one = leaves[l];
            one.offset += lane * (one.type.bits / 8u);
            one.type.lanes = 1;
            const char *mapped = map_text(m, held->buffer, &one, held->value_text);
            if (is_of_rows(m, held->buffer, one.offset))
                return hd_fail(
                    m->diag, HD_EUNSUPPORTED, &held->place,
                    "this writes where rows lie, into '%s', and renumbering changes that; "
                    "leave rows where they are",
                    buffer->name);
            if (text && strcmp(text, mapped) != 0)
                return hd_fail(m->diag, HD_EUNSUPPORTED, &held->place,
                               "this writes %s to numbers of elements and to others in '%s', and "
                               "renumbering changes only the first; name the field",
                               held->value_text, buffer->name);
            text = mapped;
        }
    held->value_text = text ? text : held->value_text;
    if (held->kind == HD_HELD_SET)
        held->element = new_number(m, held->buffer, held->element);
    return HD_OK;
}

static hd_status renumber_all_held(const maker *m, hd_held **held, uint32_t count) {
    hd_held *made = hd_new_array(m->arena, hd_held, count);
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < count && status == HD_OK; i++) {
        made[i] = (*held)[i];
        status = renumber_held(m, &made[i]);
    }
    *held = made;
    return status;
}

static hd_status renumber_launch(const maker *m, const bool *changed, hd_launch *launch) {
    hd_arg *args = hd_new_array(m->arena, hd_arg, launch->arg_count);
    hd_status status = renumber_all_held(m, &launch->before, launch->before_count);
    for (uint32_t a = 0; a < launch->arg_count && status == HD_OK; a++) {
        hd_arg *arg = &args[a];
        *arg = launch->args[a];
        if (arg->kind == HD_ARG_BUFFER && arg->offset && changed[arg->buffer])
            return hd_fail(m->diag, HD_EUNSUPPORTED, &arg->place,
                           "argument '%s' points into the middle of '%s', whose elements are "
                           "renumbered; give it a buffer of its own",
                           arg->name, arg->buffer_name);
        status = arg->kind == HD_ARG_VALUE ? map_argument(m, launch, arg) : HD_OK;
        if (status == HD_OK)
            status = renumber_read(m, &arg->from);
    }
    launch->args = args;
    launch->after = NULL; /* files in the caller's numbers */
    launch->after_count = 0;
    launch->after_given = false;
    if (status == HD_OK)
        status = renumber_read(m, &launch->items_from);
    return status ? status : renumber_until(m, &launch->until);
}

/* The job as it is, but for what changes with the numbers. */
static hd_status renumber_job(const maker *m, void *const *bytes) {
    hd_job *job = hd_new(m->arena, hd_job);
    *job = *m->job;
    job->buffers = hd_new_array(m->arena, hd_buffer, job->buffer_count);
    job->launches = hd_new_array(m->arena, hd_launch, job->launch_count);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        job->buffers[b] = m->job->buffers[b];
        job->buffers[b].bytes = bytes[b];
        job->buffers[b].file = NULL;
        job->buffers[b].inits = NULL;
        job->buffers[b].init_count = 0;
    }
    const bool *changed = find_changed(m->arena, m->made);
    hd_status status = renumber_all_held(m, &job->last, job->last_count);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++) {
        job->launches[l] = m->job->launches[l];
        status = renumber_launch(m, changed, &job->launches[l]);
    }
    m->made->job = job;
    return status;
}

static hd_status check_order(const maker *m, uint32_t numbering, const uint32_t *order) {
    const hd_numbering *of = &m->n->numberings[numbering];
    uint64_t bad;
    if (!of->is_free)
        return hd_fail(m->diag, HD_EINPUT, NULL,
                       "'%s' has no order of its own: its elements lie in rows, or nothing says "
                       "what their numbers are; renumber the elements that own them",
                       of->name);
    if (hd_is_permutation(order, of->count, &bad))
        return HD_OK;
    return hd_fail(
        m->diag, HD_EINPUT, NULL,
        "the order of '%s' is none of 0 to %llu: entry %llu is %u, which is too large or "
        "there already",
        of->name, (ull)of->count - 1, (ull)bad, order[bad]);
}

hd_status hd_job_renumber(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          void *const *contents, uint32_t numbering, const uint32_t *order,
                          hd_renumbered **renumbered) {
    const hd_numberings *n = job->numberings;
    hd_renumbered *made = hd_new(arena, hd_renumbered);
    const maker m = {
        arena, diag, job, n, contents, made, hd_new_array(arena, hd_until *, job->until_count)};
    hd_status status = hd_job_check_portable(diag, job, "renumbering");
    if (status == HD_OK)
        status = check_order(&m, numbering, order);
    if (status)
        return status;
    made->original = job;
    made->order = hd_new_array(arena, const uint32_t *, n->numbering_count);
    made->number = hd_new_array(arena, uint32_t *, n->numbering_count);
    made->rows = hd_new_array(arena, hd_row_values, n->row_count);
    uint32_t *copy = hd_new_array(arena, uint32_t, n->numberings[numbering].count);
    memcpy(copy, order, n->numberings[numbering].count * sizeof *copy);
    made->order[numbering] = copy;
    void **bytes = hd_new_array(arena, void *, job->buffer_count);
    if ((status = find_orders(&m)) ||
        (status = hd_renumbered_scatter(arena, diag, made, contents, bytes)) ||
        (status = renumber_job(&m, bytes)))
        return status;
    *renumbered = made;
    return HD_OK;
}
