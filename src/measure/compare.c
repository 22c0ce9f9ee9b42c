/*
 * Do two versions of a job leave the same values in every buffer?
 *
 * Buffers are walked value by value, so that padding does not count and a
 * difference has a name: `bodies[17].vx`. Integers must have the same bits;
 * reals may differ within the job's tolerance, and a NaN equals a NaN.
 */
#include <math.h>

#include "measure/opencl.h"

typedef struct comparison {
    hd_session *session;
    const hd_buffer *buffer;
    const hd_leaf *leaves;
    uint32_t leaf_count;
    const uint8_t *original, *rewritten;
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

static const char *name_of(const comparison *c, uint64_t element, const hd_leaf *leaf,
                           uint32_t lane) {
    hd_arena *arena = c->session->arena;
    const char *name = hd_format(arena, "%s[%llu]%s%s", c->buffer->name,
                                 (unsigned long long)element, *leaf->path ? "." : "", leaf->path);
    return leaf->type.lanes > 1 ? hd_format(arena, "%s.s%x", name, lane) : name;
}

static void compare_value(comparison *c, uint64_t element, const hd_leaf *leaf, uint32_t lane) {
    uint32_t bytes = leaf->type.bits / 8;
    uint64_t offset = element * c->buffer->element_bytes + leaf->offset + lane * bytes;
    const uint8_t *a = c->original + offset, *b = c->rewritten + offset;
    if (!memcmp(a, b, bytes))
        return;
    c->bit_equal = false;
    if (agree(c->session->job, leaf, a, b))
        return;
    if (!c->different++)
        c->first =
            hd_format(c->session->arena, "'%s': %s became %s", name_of(c, element, leaf, lane),
                      hd_type_print(c->session->arena, leaf->type, leaf->is_signed, a),
                      hd_type_print(c->session->arena, leaf->type, leaf->is_signed, b));
}

static void compare_buffer(comparison *c) {
    uint32_t scalars = 0, size = c->buffer->element_bytes;
    for (uint32_t l = 0; l < c->leaf_count; l++)
        scalars += c->leaves[l].type.lanes;
    c->values += c->buffer->count * scalars;
    for (uint64_t element = 0; element < c->buffer->count; element++) {
        if (!memcmp(c->original + element * size, c->rewritten + element * size, size))
            continue;
        for (uint32_t l = 0; l < c->leaf_count; l++)
            for (uint32_t lane = 0; lane < c->leaves[l].type.lanes; lane++)
                compare_value(c, element, &c->leaves[l], lane);
    }
}

hd_status hd_outputs_compare(hd_session *session, void *const *original, void *const *rewritten,
                             bool *equal, bool *bit_equal) {
    const hd_job *job = session->job;
    comparison c = {.session = session, .bit_equal = true};
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        c.buffer = &job->buffers[b];
        c.leaves = hd_leaves_of_buffer(session->arena, c.buffer, &c.leaf_count);
        c.original = original[b];
        c.rewritten = rewritten[b];
        compare_buffer(&c);
    }
    *equal = !c.different;
    *bit_equal = c.bit_equal;
    if (!c.different)
        return HD_OK;
    hd_place place = {.file = job->path ? job->path : job->kernel_path};
    return hd_fail(
        session->diag, HD_EDIFFER, &place, "the outputs differ: %s; %llu of %llu values differ%s",
        c.first, (unsigned long long)c.different, (unsigned long long)c.values,
        job->relative == 0 && job->absolute == 0
            ? " (compared bit for bit; a 'tolerance' in the job would allow for rounding)"
            : " by more than the tolerance");
}
