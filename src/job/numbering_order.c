/*
 * Orders of a numbering from a job's data (numbering.h).
 *
 * Every number in a buffer joins two elements: the one that it leads to, and the one that it is read
 * for. Both are taken for what owns them, however deep: of
 *
 *     {from: first, rows: atoms, to: pairs}    {from: back_first, rows: atoms, to: back}
 *     {from: partners, to: atoms}              {from: back, to: pairs}
 *
 * a number in `back` is read for the atom whose row it lies in, and leads to the atom whose pair that
 * is. So each numbering that owns others, or is read by itself, has a list for each of its elements:
 * the elements that it leads to.
 */
#include <stdlib.h>

#include "job/numbering_parts.h"

const char *const hd_order_kind_names[HD_ORDER_KINDS] = {"random", "rcm", "bisection", "curve",
                                                         "touch"};

enum { NOBODY = UINT32_MAX, LEAST_PART = 64 /* elements: what two warps go through */ };

typedef struct lists {
    uint64_t *first;    /* [count + 1] */
    uint32_t *elements; /* [first[count]] */
    uint32_t count;
    bool own; /* they are the lists of the numbering itself */
} lists;

typedef struct collector {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    const hd_numberings *n;
    void *const *contents;
    uint32_t numbering;
    uint32_t *top;     /* [numberings]: what owns it in the end, perhaps itself */
    uint32_t **top_of; /* [numberings][elements]: the element of `top`, or NOBODY; NULL: itself */
} collector;

/* ---- owners -------------------------------------------------------------------------------- */

static hd_status find_top(const collector *c, uint32_t k) {
    const hd_numbering *of = &c->n->numberings[k];
    if (of->owner < 0 || c->top_of[k]) {
        c->top[k] = of->owner < 0 ? k : c->top[k];
        return HD_OK;
    }
    const hd_index_rows *rows = &c->n->rows[of->owner];
    hd_status status = find_top(c, rows->of);
    const uint32_t *above = c->top_of[rows->of];
    uint32_t *top_of = c->top_of[k] = hd_new_array(c->arena, uint32_t, of->count);
    c->top[k] = c->top[rows->of];
    memset(top_of, 0xff, of->count * sizeof *top_of);
    for (uint64_t i = 0; i < c->n->numberings[rows->of].count && status == HD_OK; i++) {
        number_row row = {0, 0};
        status = number_find_row(c->diag, c->job, rows, c->contents, i, &row);
        for (uint64_t e = row.begin; e < row.end && status == HD_OK; e++)
            top_of[e] = above ? above[i] : (uint32_t)i;
    }
    return status;
}

static hd_status open_collector(collector *c) {
    hd_status status = HD_OK;
    c->n = c->job->numberings;
    c->top = hd_new_array(c->arena, uint32_t, c->n->numbering_count);
    c->top_of = hd_new_array(c->arena, uint32_t *, c->n->numbering_count);
    for (uint32_t k = 0; k < c->n->numbering_count && status == HD_OK; k++)
        status = find_top(c, k);
    return status;
}

static uint32_t top_element(const collector *c, uint32_t numbering, uint64_t element) {
    const uint32_t *top_of = c->top_of[numbering];
    return top_of ? top_of[element] : (uint32_t)element;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* Counts what the numbers of a field lead to (elements NULL), or puts it down. */
static hd_status walk_index(const collector *c, const hd_index *index, uint64_t *at,
                            uint32_t *elements) {
    const hd_buffer *buffer = &c->job->buffers[index->from.buffer];
    uint32_t reader = (uint32_t)c->n->of[index->from.buffer];
    uint64_t count = c->n->numberings[index->to].count;
    const void *bytes = c->contents[index->from.buffer];
    for (uint64_t e = 0; e < buffer->count; e++)
        for (uint32_t l = 0; l < index->from.leaf_count; l++) {
            const hd_leaf *leaf = &index->from.leaves[l];
            uint64_t value = number_get(buffer, leaf, bytes, e);
            if (number_is_none(index, value, leaf->type.bits))
                continue;
            if (value >= count)
                return number_fail(c->diag, c->job, index, e, leaf, value);
            uint32_t from = top_element(c, reader, e), to = top_element(c, index->to, value);
            if (from == NOBODY || to == NOBODY)
                continue;
            if (elements)
                elements[at[from]] = to;
            at[from]++;
        }
    return HD_OK;
}

static bool leads_here(const collector *c, const hd_index *index, uint32_t top) {
    return !index->kernel && c->top[index->to] == c->numbering &&
           c->top[c->n->of[index->from.buffer]] == top;
}

/* What each element of the numbering `top` leads to. */
static hd_status list_of(const collector *c, uint32_t top, lists *made) {
    hd_status status = HD_OK;
    made->own = top == c->numbering;
    made->count = (uint32_t)c->n->numberings[top].count;
    made->first = hd_new_array(c->arena, uint64_t, (size_t)made->count + 2);
    for (uint32_t i = 0; i < c->n->index_count && status == HD_OK; i++)
        if (leads_here(c, &c->n->indices[i], top))
            status = walk_index(c, &c->n->indices[i], made->first + 2, NULL);
    for (uint32_t e = 0; e < made->count; e++)
        made->first[e + 2] += made->first[e + 1];
    made->elements = hd_new_array(c->arena, uint32_t, made->first[made->count + 1] + 1);
    for (uint32_t i = 0; i < c->n->index_count && status == HD_OK; i++)
        if (leads_here(c, &c->n->indices[i], top))
            status = walk_index(c, &c->n->indices[i], made->first + 1, made->elements);
    return status;
}

/* ---- nets ----------------------------------------------------------------------------------- */

static int compare_elements(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void sort_elements(uint32_t *elements, uint64_t count) {
    if (count > 32) {
        qsort(elements, count, sizeof *elements, compare_elements);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        uint32_t element = elements[i];
        uint64_t at = i;
        for (; at && element < elements[at - 1]; at--)
            elements[at] = elements[at - 1];
        elements[at] = element;
    }
}

/* Ends the net whose elements were put behind the others: sorted, each once; none if it is alone. */
static void end_net(hd_nets *nets, uint64_t end) {
    uint64_t begin = nets->first[nets->count], kept = begin;
    sort_elements(nets->thread + begin, end - begin);
    for (uint64_t i = begin; i < end; i++)
        if (kept == begin || nets->thread[kept - 1] != nets->thread[i])
            nets->thread[kept++] = nets->thread[i];
    if (kept - begin < 2)
        return;
    nets->weight[nets->count++] = 1;
    nets->first[nets->count] = kept;
}

static void add_nets(const lists *of, hd_nets_kind kind, hd_nets *nets) {
    for (uint32_t e = 0; e < of->count; e++) {
        uint64_t end = nets->first[nets->count];
        for (uint64_t i = of->first[e]; i < of->first[e + 1]; i++) {
            nets->thread[end++] = of->elements[i];
            if (kind == HD_NETS_ROWS || !of->own)
                continue;
            nets->thread[end++] = e;
            end_net(nets, end);
            end = nets->first[nets->count];
        }
        if (kind == HD_NETS_PAIRS && of->own)
            continue;
        if (of->own)
            nets->thread[end++] = e;
        end_net(nets, end);
    }
}

hd_status hd_numbering_nets(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            void *const *contents, uint32_t numbering, hd_nets_kind kind,
                            hd_nets *nets) {
    collector c = {
        .arena = arena, .diag = diag, .job = job, .contents = contents, .numbering = numbering};
    hd_status status = open_collector(&c);
    if (status)
        return status;
    lists *all = hd_new_array(arena, lists, c.n->numbering_count);
    uint64_t most = 0, elements = 0;
    for (uint32_t k = 0; k < c.n->numbering_count; k++) {
        if (c.top[k] != k)
            continue;
        if ((status = list_of(&c, k, &all[k])) != HD_OK)
            return status;
        uint64_t listed = all[k].first[all[k].count];
        most += all[k].count + listed;
        elements += all[k].count + 2 * listed;
    }
    *nets = (hd_nets){.first = hd_new_array(arena, uint64_t, most + 1),
                      .thread = hd_new_array(arena, uint32_t, elements + 1),
                      .weight = hd_new_array(arena, uint32_t, most + 1)};
    for (uint32_t k = 0; k < c.n->numbering_count; k++)
        if (c.top[k] == k)
            add_nets(&all[k], kind, nets);
    return HD_OK;
}

/* ---- points ----------------------------------------------------------------------------------- */

float *hd_numbering_points(hd_arena *arena, const hd_job *job, void *const *contents,
                           uint32_t numbering, uint32_t *dims) {
    const hd_numbering *of = &job->numberings->numberings[numbering];
    *dims = 0;
    for (uint32_t p = 0; p < of->point_count; p++)
        *dims += of->points[p].leaf_count;
    if (!*dims)
        return NULL;
    float *points = hd_new_array(arena, float, of->count **dims);
    for (uint32_t p = 0, d = 0; p < of->point_count; p++) {
        const hd_number_field *field = &of->points[p];
        const hd_buffer *buffer = &job->buffers[field->buffer];
        for (uint32_t l = 0; l < field->leaf_count; l++, d++)
            for (uint64_t e = 0; e < of->count; e++) {
                const hd_leaf *leaf = &field->leaves[l];
                const uint8_t *at = (const uint8_t *)contents[field->buffer] +
                                    hd_buffer_byte(buffer, e, leaf->offset);
                points[e * *dims + d] = (float)hd_type_get(leaf->type, leaf->is_signed, at);
            }
    }
    return points;
}

/* ---- orders ----------------------------------------------------------------------------------- */

static hd_status order_by_curve(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                                void *const *contents, uint32_t numbering, uint32_t *order) {
    const hd_numbering *of = &job->numberings->numberings[numbering];
    uint32_t dims;
    const float *points = hd_numbering_points(arena, job, contents, numbering, &dims);
    if (!points)
        return hd_fail(
            diag, HD_EINPUT, &job->indices[0].place,
            "nothing says where the elements of '%s' are, so no curve goes through them; "
            "name their coordinates: '- {points: [%s.x, %s.y]}'",
            of->name, of->name, of->name);
    hd_order_curve(points, dims, (uint32_t)of->count, order);
    return HD_OK;
}

static void touch(uint32_t element, bool *touched, uint32_t *order, uint32_t *next) {
    if (!touched[element])
        order[(*next)++] = element;
    touched[element] = true;
}

/* Where threads go through other elements than these, as through a list of them, its order says what
 * is touched first; else a thread touches its own element, and then those of its row (consecutive
 * packing: Ding and Kennedy, "Improving cache performance in dynamic applications through data and
 * computation reorganization at run time", PLDI 1999). */
static hd_status order_by_touch(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                                void *const *contents, uint32_t numbering, uint32_t *order) {
    collector c = {
        .arena = arena, .diag = diag, .job = job, .contents = contents, .numbering = numbering};
    bool *touched = hd_new_array(arena, bool, job->numberings->numberings[numbering].count);
    uint32_t next = 0;
    hd_status status = open_collector(&c);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < job->numberings->numbering_count && status == HD_OK; k++) {
            lists of = {0};
            if (c.top[k] != k || (k == numbering) != (pass == 1))
                continue;
            status = list_of(&c, k, &of);
            for (uint32_t e = 0; e < of.count && status == HD_OK; e++) {
                if (of.own)
                    touch(e, touched, order, &next);
                for (uint64_t i = of.first[e]; i < of.first[e + 1]; i++)
                    touch(of.elements[i], touched, order, &next);
            }
        }
    return status;
}

hd_status hd_numbering_order(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             void *const *contents, uint32_t numbering, const hd_order_by *by,
                             uint32_t **order) {
    uint32_t count = (uint32_t)job->numberings->numberings[numbering].count;
    *order = hd_new_array(arena, uint32_t, count);
    hd_arena *scratch = hd_arena_new();
    hd_nets nets;
    hd_status status = HD_OK;
    switch (by->kind) {
    case HD_ORDER_CURVE:
        status = order_by_curve(scratch, diag, job, contents, numbering, *order);
        break;
    case HD_ORDER_TOUCH:
        status = order_by_touch(scratch, diag, job, contents, numbering, *order);
        break;
    case HD_ORDER_RCM:
    case HD_ORDER_BISECTION:
        status = hd_numbering_nets(scratch, diag, job, contents, numbering, HD_NETS_PAIRS, &nets);
        if (status == HD_OK && by->kind == HD_ORDER_RCM)
            hd_order_rcm(&nets, count, *order);
        else if (status == HD_OK)
            hd_order_bisection(&nets, count, LEAST_PART, *order);
        break;
    default: hd_order_random(by->seed, count, *order);
    }
    hd_arena_free(scratch);
    return status;
}
