/*
 * Do two runs of a job leave the same values in every buffer?
 *
 * Buffers are walked value by value, so that padding does not count and a
 * difference has a name: `bodies[17].vx`. Integers must have the same bits;
 * reals may differ within the job's tolerance, and a NaN equals a NaN.
 */
#include <math.h>

#include "advise/measure/measure.h"

typedef struct comparison {
    hd_arena *arena;
    const hd_job *job;
    const hd_contents *sides[2];
    const hd_buffer *buffer;
    const hd_leaf *leaves;
    uint32_t leaf_count;
    const uint8_t *bytes[2]; /* of the buffer, on each side */
    bool bit_equal;
    uint64_t values, different; /* in all buffers */
    const char *first;          /* the first difference in words */
} comparison;

static bool agree(const hd_job *job, const hd_leaf *leaf, const void *a, const void *b) {
    if (leaf->type.kind != KIR_FLOAT)
        return false;
    double x = hd_type_get(leaf->type, true, a), y = hd_type_get(leaf->type, true, b);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (job->relative == 0 && job->absolute == 0)
        return false;
    if (isinf(x) || isinf(y))
        return x == y;
    return fabs(x - y) <= job->absolute + job->relative * fmax(fabs(x), fabs(y));
}

static void compare_value(comparison *c, uint64_t element, const hd_leaf *leaf, uint32_t lane) {
    uint32_t bytes = leaf->type.bits / 8;
    uint64_t offset = hd_buffer_byte(c->buffer, element, leaf->offset) + lane * bytes;
    const uint8_t *a = c->bytes[0] + offset, *b = c->bytes[1] + offset;
    if (!memcmp(a, b, bytes))
        return;
    c->bit_equal = false;
    if (agree(c->job, leaf, a, b))
        return;
    if (c->different++)
        return;
    const char *path = hd_leaf_path(c->arena, c->buffer->record, leaf);
    c->first =
        hd_format(c->arena, "'%s[%llu]%s%s%s' is %s %s and %s %s", c->buffer->name,
                  (unsigned long long)element, *path ? "." : "", path,
                  leaf->type.lanes > 1 ? hd_format(c->arena, ".s%x", lane) : "",
                  hd_type_print(c->arena, leaf->type, leaf->is_signed, a), c->sides[0]->where,
                  hd_type_print(c->arena, leaf->type, leaf->is_signed, b), c->sides[1]->where);
}

static void compare_buffer(comparison *c) {
    uint32_t scalars = 0, size = c->buffer->element_bytes;
    bool in_columns = c->buffer->record && c->buffer->record->in_columns;
    for (uint32_t l = 0; l < c->leaf_count; l++)
        scalars += c->leaves[l].type.lanes;
    c->values += c->buffer->count * scalars;
    for (uint64_t element = 0; element < c->buffer->count; element++) {
        if (!in_columns &&
            !memcmp(c->bytes[0] + element * size, c->bytes[1] + element * size, size))
            continue;
        for (uint32_t l = 0; l < c->leaf_count; l++)
            for (uint32_t lane = 0; lane < c->leaves[l].type.lanes; lane++)
                compare_value(c, element, &c->leaves[l], lane);
    }
}

hd_status hd_contents_compare(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                              const hd_contents *one, const hd_contents *other, bool *equal,
                              bool *bit_equal) {
    comparison c = {.arena = arena, .job = job, .sides = {one, other}, .bit_equal = true};
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        if (!one->buffers[b] || !other->buffers[b])
            continue;
        c.buffer = &job->buffers[b];
        c.leaves = hd_leaves_of_buffer(arena, c.buffer, NULL, &c.leaf_count);
        c.bytes[0] = one->buffers[b];
        c.bytes[1] = other->buffers[b];
        compare_buffer(&c);
    }
    *equal = !c.different;
    *bit_equal = c.bit_equal;
    if (!c.different)
        return HD_OK;
    hd_place place = {.file = job->path ? job->path : job->kernel_path};
    return hd_fail(
        diag, HD_EDIFFER, &place, "the outputs differ: %s; %llu of %llu values differ%s", c.first,
        (unsigned long long)c.different, (unsigned long long)c.values,
        job->relative == 0 && job->absolute == 0
            ? " (compared bit for bit; a 'tolerance' in the job would allow for rounding)"
            : " by more than the tolerance");
}
