/*
 * Do two runs of a job leave the same values in every buffer?
 *
 * Buffers are walked value by value, so that padding does not count and a
 * difference has a name: `bodies[17].vx`. Integers must have the same bits;
 * reals may differ within the job's tolerance, and a NaN equals a NaN. Channels of images of normalised
 * types are the reals that they mean.
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
    double largest;             /* difference of two numbers; infinite where one is none */
    const hd_buffer *largest_buffer;
    const hd_leaf *largest_leaf;
    uint64_t largest_element;
    uint32_t largest_lane;
} comparison;

bool hd_values_agree(const hd_job *job, const hd_buffer *buffer, const hd_leaf *leaf, const void *a,
                     const void *b) {
    double one = buffer->image ? kir_image_one(buffer->image->format.type) : 0;
    if (leaf->type.kind != KIR_FLOAT && !one)
        return false;
    double x = hd_type_get(leaf->type, leaf->is_signed, a);
    double y = hd_type_get(leaf->type, leaf->is_signed, b);
    x /= one ? one : 1;
    y /= one ? one : 1;
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (job->relative == 0 && job->absolute == 0)
        return false;
    if (isinf(x) || isinf(y))
        return x == y;
    return fabs(x - y) <= job->absolute + job->relative * fmax(fabs(x), fabs(y));
}

/* "bodies[17].pos.s2" */
static const char *name_of(const comparison *c, const hd_buffer *buffer, uint64_t element,
                           const hd_leaf *leaf, uint32_t lane) {
    const char *path = hd_leaf_path(c->arena, buffer->record, leaf);
    return hd_format(c->arena, "%s[%llu]%s%s%s", buffer->name, (unsigned long long)element,
                     *path ? "." : "", path,
                     leaf->type.lanes > 1 ? hd_format(c->arena, ".s%x", lane) : "");
}

static void keep_largest(comparison *c, uint64_t element, const hd_leaf *leaf, uint32_t lane,
                         const void *a, const void *b) {
    double x = hd_type_get(leaf->type, leaf->is_signed, a);
    double y = hd_type_get(leaf->type, leaf->is_signed, b), difference = fabs(x - y);
    if (leaf->opaque)
        return;
    if (isnan(difference))
        difference = INFINITY;
    if (c->largest_leaf && difference <= c->largest)
        return;
    c->largest = difference;
    c->largest_buffer = c->buffer;
    c->largest_element = element;
    c->largest_leaf = leaf;
    c->largest_lane = lane;
}

static void compare_value(comparison *c, uint64_t element, const hd_leaf *leaf, uint32_t lane) {
    uint32_t bytes = leaf->type.bits / 8;
    uint64_t offset = hd_buffer_byte(c->buffer, element, leaf->offset) + lane * bytes;
    const uint8_t *a = c->bytes[0] + offset, *b = c->bytes[1] + offset;
    if (!memcmp(a, b, bytes))
        return;
    c->bit_equal = false;
    if (hd_values_agree(c->job, c->buffer, leaf, a, b))
        return;
    keep_largest(c, element, leaf, lane, a, b);
    if (c->different++)
        return;
    c->first =
        hd_format(c->arena, "'%s' is %s %s and %s %s", name_of(c, c->buffer, element, leaf, lane),
                  hd_type_print(c->arena, leaf->type, leaf->is_signed, a), c->sides[0]->where,
                  hd_type_print(c->arena, leaf->type, leaf->is_signed, b), c->sides[1]->where);
}

/* " by at most 0.25, in 'bodies[17].vx'" */
static const char *say_largest(const comparison *c) {
    if (!c->largest_leaf)
        return "";
    const char *name =
        name_of(c, c->largest_buffer, c->largest_element, c->largest_leaf, c->largest_lane);
    return isinf(c->largest)
               ? hd_format(c->arena, ", most of all '%s', which is a number on one side only", name)
               : hd_format(c->arena, ", by at most %.9g, in '%s'", c->largest, name);
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
    bool is_exact = job->relative == 0 && job->absolute == 0;
    return hd_fail(
        diag, HD_EDIFFER, &place, "the outputs differ: %s; %llu of %llu values differ%s%s%s",
        c.first, (unsigned long long)c.different, (unsigned long long)c.values,
        is_exact ? "" : " by more than the tolerance", say_largest(&c),
        is_exact ? " (compared bit for bit; a 'tolerance' in the job would allow for rounding)"
                 : "");
}
