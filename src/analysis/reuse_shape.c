/*
 * The shape of a characteristic.
 *
 * A crest is a distance whose degree is above those on either side. Noise makes many; what tells
 * the ones that one sees is their prominence: how deep one must go down from a crest before one can
 * climb higher. It takes one pass with a stack of the crests that are still in sight from the left,
 * highest at the bottom, each with the deepest valley between it and the next.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/reuse_shape.h"

typedef struct crest {
    uint64_t distance, height;
    uint64_t left;   /* the deepest valley since ground as high, or 0 */
    uint64_t valley; /* the deepest between it and the next on the stack */
    uint64_t prominence;
} crest;

typedef hd_vec(crest) crests;

const char *hd_reuse_class_name(hd_reuse_class kind) {
    static const char *const names[] = {"none", "MB", "AMB", "NMB"};
    return names[kind];
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- crests -------------------------------------------------------------------------------- */

/* The way down to higher ground on either side; on the left, ground as high will do. */
static void settle(crest *c, uint64_t right) {
    c->prominence = c->height - (c->left > right ? c->left : right);
}

/* Takes the crests lower than `height` from the stack. Returns the deepest valley between
 * what is then on top and the present place. */
static uint64_t pop_lower(crest **stack, uint64_t *depth, uint64_t height, uint64_t valley) {
    while (*depth) {
        crest *top = stack[*depth - 1];
        valley = least(valley, top->valley);
        if (top->height >= height)
            return top->valley = valley;
        settle(top, valley);
        --*depth;
    }
    return 0;
}

static void find_prominences(hd_arena *arena, crests all, const uint64_t *degree) {
    crest **stack = hd_new_array(arena, crest *, all.count + 1);
    uint64_t depth = 0;
    for (uint64_t i = 0, d = 1; i < all.count; i++) {
        crest *c = &all.data[i];
        uint64_t valley = UINT64_MAX;
        for (; d < c->distance; d++)
            valley = least(valley, degree[d]);
        c->left = pop_lower(stack, &depth, c->height, valley);
        c->valley = UINT64_MAX;
        stack[depth++] = c;
    }
    while (depth)
        settle(stack[--depth], 0);
}

/* ---- peaks --------------------------------------------------------------------------------- */

static int by_prominence(const void *a, const void *b) {
    const crest *x = a, *y = b;
    if (x->prominence != y->prominence)
        return x->prominence < y->prominence ? 1 : -1;
    return x->distance < y->distance ? -1 : 1;
}

static int by_height(const void *a, const void *b) {
    const hd_reuse_peak *x = a, *y = b;
    if (x->degree != y->degree)
        return x->degree < y->degree ? 1 : -1;
    return x->distance < y->distance ? -1 : 1;
}

/* ---- the class ------------------------------------------------------------------------------- */

static hd_reuse_class classify(crests all, const uint64_t *degree, uint64_t domain) {
    uint64_t maximum = 0, at = 0, lowest = UINT64_MAX;
    bool falls = true;
    for (uint64_t d = 1; d <= domain; d++) {
        falls = falls && (d == 1 || degree[d] <= degree[d - 1]);
        if (degree[d] > maximum) {
            maximum = degree[d];
            at = d;
        }
    }
    if (!domain)
        return HD_REUSE_NONE;
    if (falls)
        return HD_REUSE_MB;
    /* No crest behind the maximum stands more than a tenth of it above an earlier one. */
    bool crests_fall = at <= 2;
    for (uint64_t i = 0; i < all.count && crests_fall; i++) {
        if (lowest == UINT64_MAX && all.data[i].height < maximum)
            continue;
        lowest = least(lowest, all.data[i].height);
        crests_fall = all.data[i].height - lowest <= maximum / 10;
    }
    return crests_fall ? HD_REUSE_AMB : HD_REUSE_NMB;
}

/* ---- all of it ------------------------------------------------------------------------------ */

hd_reuse_shape hd_reuse_shape_of(const uint64_t *degree, uint64_t domain) {
    hd_reuse_shape shape = {.domain = domain};
    unsigned __int128 weighted = 0;
    for (uint64_t d = 1; d <= domain; d++) {
        shape.distances += degree[d] > 0;
        shape.total += degree[d];
        weighted += (unsigned __int128)d * degree[d];
    }
    shape.mean = shape.total ? (double)weighted / (double)shape.total : NAN;
    hd_arena *arena = hd_arena_new();
    crests all = {0};
    uint64_t before = 0;
    for (uint64_t d = 1, end; d <= domain; d = end) { /* a plateau is a crest at its beginning */
        for (end = d + 1; end <= domain && degree[end] == degree[d];)
            end++;
        if (degree[d] > before && (end > domain || degree[end] < degree[d]))
            hd_push(arena, &all, (crest){.distance = d, .height = degree[d]});
        before = degree[d];
    }
    shape.kind = classify(all, degree, domain);
    find_prominences(arena, all, degree);
    if (all.count)
        qsort(all.data, all.count, sizeof(crest), by_prominence);
    for (uint64_t i = 0; i < all.count && i < HD_REUSE_PEAKS; i++)
        shape.peaks[shape.peak_count++] = (hd_reuse_peak){all.data[i].distance, all.data[i].height};
    qsort(shape.peaks, shape.peak_count, sizeof(hd_reuse_peak), by_height);
    hd_arena_free(arena);
    return shape;
}

hd_reuse_stream hd_reuse_sum(hd_arena *arena, const hd_reuse *reuse) {
    hd_reuse_stream sum = {0};
    for (uint64_t s = 0; s < reuse->stream_count; s++) {
        const hd_reuse_stream *stream = &reuse->streams[s];
        sum.blocks += stream->blocks;
        sum.mis += stream->mis;
        sum.accesses += stream->accesses;
        sum.domain = stream->domain > sum.domain ? stream->domain : sum.domain;
    }
    sum.degree = hd_new_array(arena, uint64_t, sum.domain + 1);
    for (uint64_t s = 0; s < reuse->stream_count; s++)
        for (uint64_t d = 1; d <= reuse->streams[s].domain; d++)
            sum.degree[d] += reuse->streams[s].degree[d];
    return sum;
}
