/*
 * The variability of blocks. What a block of the kernel does most often at each distance is
 * the median of the degrees there; the typical block is the one nearest to these medians, so
 * that it is one that ran and not an average of blocks that are nothing alike. Outliers are
 * found by Tukey's fence on how far blocks are from it.
 *
 * The medians take the sum of the domains, and sorting, not blocks times the largest domain:
 * with blocks in descending order of domain, those that reach distance d stand first, and all
 * others have a degree of 0 there.
 */
#include <stdlib.h>

#include "analysis/reuse_shape.h"

/* Blocks nearer than this to the typical one are no outliers, however alike the others are. */
static const double least_limit = 0.05;

/* ---- of two ------------------------------------------------------------------------------ */

static uint64_t degree_at(const hd_reuse_stream *s, uint64_t d) {
    return d <= s->domain ? s->degree[d] : 0;
}

double hd_reuse_apart(const hd_reuse_stream *a, const hd_reuse_stream *b) {
    uint64_t domain = a->domain > b->domain ? a->domain : b->domain;
    double differ = 0, both = 0;
    for (uint64_t d = 1; d <= domain; d++) {
        uint64_t x = degree_at(a, d), y = degree_at(b, d);
        differ += (double)(x > y ? x - y : y - x);
        both += (double)x + (double)y;
    }
    return both > 0 ? differ / both : 0;
}

hd_reuse_difference *hd_reuse_compare(hd_arena *arena, const hd_reuse_stream *a,
                                      const hd_reuse_stream *b) {
    hd_reuse_difference *difference = hd_new(arena, hd_reuse_difference);
    uint64_t domain = a->domain > b->domain ? a->domain : b->domain;
    *difference = (hd_reuse_difference){.domain = domain, .apart = hd_reuse_apart(a, b)};
    difference->change = hd_new_array(arena, int64_t, domain + 1);
    for (uint64_t d = 1; d <= domain; d++) {
        int64_t before = (int64_t)degree_at(a, d), after = (int64_t)degree_at(b, d);
        difference->change[d] = after - before;
        difference->sum += after - before;
        difference->absolute += (uint64_t)(after > before ? after - before : before - after);
    }
    return difference;
}

/* ---- the typical one ------------------------------------------------------------------- */

static int by_domain(const void *a, const void *b) {
    const hd_reuse_stream *x = *(const hd_reuse_stream *const *)a;
    const hd_reuse_stream *y = *(const hd_reuse_stream *const *)b;
    return (x->domain < y->domain) - (x->domain > y->domain);
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The lower median at each distance. */
static hd_reuse_stream median_of(hd_arena *arena, const hd_reuse_stream *const *streams,
                                 uint64_t count) {
    const hd_reuse_stream **sorted = hd_new_array(arena, const hd_reuse_stream *, count);
    uint64_t *degrees = hd_new_array(arena, uint64_t, count), reach = count;
    for (uint64_t s = 0; s < count; s++)
        sorted[s] = streams[s];
    qsort(sorted, count, sizeof *sorted, by_domain);
    hd_reuse_stream median = {.domain = sorted[0]->domain};
    median.degree = hd_new_array(arena, uint64_t, median.domain + 1);
    for (uint64_t d = 1; d <= median.domain; d++) {
        while (sorted[reach - 1]->domain < d)
            reach--;
        uint64_t zeros = count - reach, middle = (count - 1) / 2;
        for (uint64_t s = 0; s < reach; s++)
            degrees[s] = sorted[s]->degree[d];
        if (middle < zeros)
            continue;
        qsort(degrees, reach, sizeof *degrees, by_value);
        median.degree[d] = degrees[middle - zeros];
    }
    return median;
}

/* ---- outliers ---------------------------------------------------------------------------- */

typedef struct far_one {
    double deviation;
    uint64_t row;
} far_one;

static int by_deviation(const void *a, const void *b) {
    const far_one *x = a, *y = b;
    if (x->deviation != y->deviation)
        return x->deviation < y->deviation ? 1 : -1;
    return x->row < y->row ? -1 : 1;
}

static void find_outliers(hd_arena *arena, hd_reuse_spread *spread) {
    uint64_t count = spread->count;
    far_one *sorted = hd_new_array(arena, far_one, count);
    for (uint64_t s = 0; s < count; s++)
        sorted[s] = (far_one){spread->deviation[s], s};
    qsort(sorted, count, sizeof *sorted, by_deviation);
    double upper = sorted[(count - 1) / 4].deviation,
           lower = sorted[count - 1 - (count - 1) / 4].deviation;
    spread->median = sorted[count / 2].deviation;
    spread->limit = upper + 1.5 * (upper - lower);
    spread->limit = spread->limit < least_limit ? least_limit : spread->limit;
    while (spread->outlier_count < count && sorted[spread->outlier_count].deviation > spread->limit)
        spread->outlier_count++;
    spread->outliers = hd_new_array(arena, uint64_t, spread->outlier_count);
    for (uint64_t i = 0; i < spread->outlier_count; i++)
        spread->outliers[i] = sorted[i].row;
}

hd_reuse_spread *hd_reuse_spread_of(hd_arena *arena, const hd_reuse_stream *const *streams,
                                    uint64_t count) {
    hd_reuse_spread *spread = hd_new(arena, hd_reuse_spread);
    spread->count = count;
    hd_arena *scratch = hd_arena_new();
    const hd_reuse_stream median = median_of(scratch, streams, count);
    double nearest = 2;
    for (uint64_t s = 0; s < count; s++) {
        double apart = hd_reuse_apart(streams[s], &median);
        if (apart < nearest) {
            nearest = apart;
            spread->typical = s;
        }
    }
    hd_arena_free(scratch);
    spread->deviation = hd_new_array(arena, double, count);
    for (uint64_t s = 0; s < count; s++) {
        spread->deviation[s] = hd_reuse_apart(streams[s], streams[spread->typical]);
        spread->classes[hd_reuse_shape_of(streams[s]->degree, streams[s]->domain).kind]++;
    }
    find_outliers(arena, spread);
    return spread;
}

/* ---- by kernel ------------------------------------------------------------------------------ */

uint32_t hd_reuse_by_kernel(hd_arena *arena, const hd_trace_contents *contents,
                            const hd_reuse *reuse, hd_reuse_kernel **kernels) {
    hd_vec(hd_reuse_kernel) found = {0};
    hd_vec(uint64_t) counts = {0};
    uint32_t *kernel = hd_new_array(arena, uint32_t, reuse->stream_count); /* of each stream */
    for (uint64_t s = 0, l = 0; s < reuse->stream_count; s++) {
        const hd_reuse_stream *stream = &reuse->streams[s];
        kernel[s] = s ? kernel[s - 1] : 0;
        if (!s || stream->launch != stream[-1].launch) {
            while (contents->launches[l].launch.number != stream->launch)
                l++;
            const char *name = contents->launches[l].launch.kernel;
            kernel[s] = 0;
            while (kernel[s] < found.count && strcmp(found.data[kernel[s]].name, name))
                kernel[s]++;
            if (kernel[s] == found.count) {
                hd_push(arena, &found, (hd_reuse_kernel){.name = name});
                hd_push(arena, &counts, 0);
            }
        }
        counts.data[kernel[s]]++;
    }
    for (uint32_t k = 0; k < found.count; k++) {
        found.data[k].streams = hd_new_array(arena, const hd_reuse_stream *, counts.data[k]);
        counts.data[k] = 0;
    }
    for (uint64_t s = 0; s < reuse->stream_count; s++)
        found.data[kernel[s]].streams[counts.data[kernel[s]]++] = &reuse->streams[s];
    for (uint32_t k = 0; k < found.count; k++)
        found.data[k].spread = hd_reuse_spread_of(arena, found.data[k].streams, counts.data[k]);
    *kernels = found.data;
    return (uint32_t)found.count;
}
