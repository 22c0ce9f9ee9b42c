/*
 * The data reuse characteristic, exactly, in time that grows with the accesses and not with
 * the pairs of MIs.
 *
 * The document's Algorithm 1 (chapter V) takes every pair of MIs i < j of a stream of S,
 * looks for the elements that both touch, and adds their multiplicities in j at distance
 * j - i. Most pairs have none. Turned round, the same sum goes over elements:
 *
 *     degree[d] = sum over elements e of the sum over i < j, j - i = d, both touching e,
 *                 of multiplicity[j][e]
 *
 * so all that is needed of an element is the list of positions where it is touched.
 *
 *     plan      the scenario as streams of aggregates of blocks        reuse_plan.c
 *     measure   lengths, so that every MI knows its position           reuse_measure.c, issue.c
 *     touch     the trace once more: (element, position, weight)       touch.c
 *     lists     touches by element, positions in order, then pairs     lists.c, correlate.c
 *
 * With T lane accesses, of which an element gets n_e at different positions, this costs T
 * steps to read, T log r to sort (r runs of ascending positions, at most as many as blocks
 * that are merged), and the sum of n_e^2 / 2 additions. Where an element is touched all over
 * a long stream, n_e^2 / 2 is more than a transform of the stream takes, and correlate.c
 * finds the same sums in n log n.
 *
 * Memory holds 12 bytes for each touch. When a trace has more than fit, elements are split
 * in shares by a hash of their page, and the trace is read once for each share.
 */
#include <stdlib.h>

#include "locality/lists.h"
#include "locality/reuse.h"

typedef struct analysis {
    reuse_plan plan;
    uint32_t workers, shares;
    hd_arena **arenas; /* [workers] */
    lists_sum *sums;   /* [workers] */
    const touches *touches;
    uint64_t elements, accesses;
} analysis;

static hd_status add_bucket(void *self, uint32_t worker, uint64_t number) {
    analysis *a = self;
    lists_add(&a->plan, a->touches, (uint32_t)number, &a->sums[worker]);
    return HD_OK;
}

static hd_status add_share(analysis *a, uint32_t share) {
    touches all;
    hd_status status = touches_collect(&a->plan, a->workers, share, a->shares, &all);
    a->touches = &all;
    if (status == HD_OK)
        status = reuse_in_parallel(a->workers, TOUCH_BUCKETS, add_bucket, a);
    a->accesses += all.accesses;
    touches_free(&all);
    return status;
}

/* How many shares it takes that touches stay within `memory`. */
static uint32_t shares_for(const reuse_plan *plan, uint64_t memory) {
    const uint64_t entry = 2 * sizeof(touch); /* with what lies about half empty, and sorting */
    uint64_t accesses = 0;
    for (uint64_t b = 0; b < plan->block_count; b++)
        accesses += plan->blocks[b].accesses;
    uint64_t bytes = accesses * entry, room = memory ? memory : (uint64_t)1 << 30;
    uint64_t shares = bytes / room + 1;
    return shares > 1024 ? 1024 : (uint32_t)shares;
}

/* ---- results --------------------------------------------------------------------------------- */

static hd_status check_total(const analysis *a) {
    unsigned __int128 total = 0;
    for (uint32_t w = 0; w < a->workers; w++)
        total += a->sums[w].total;
    if (total <= INT64_MAX / 2)
        return HD_OK;
    return hd_fail(a->plan.diag, HD_EUNSUPPORTED, NULL,
                   "the degrees do not fit 62 bits; choose launches with --launch");
}

static void take_stream(hd_arena *arena, const analysis *a, uint64_t s, hd_reuse_stream *stream) {
    uint64_t start = a->plan.stream_start[s], length = a->plan.stream_start[s + 1] - start;
    uint64_t *sum = a->sums[0].degree + start;
    stream->mis = length;
    for (uint32_t w = 0; w < a->workers; w++)
        stream->accesses += a->sums[w].accesses[s];
    for (uint64_t d = 1; d < length; d++) {
        for (uint32_t w = 1; w < a->workers; w++)
            sum[d] += a->sums[w].degree[start + d];
        stream->domain = sum[d] ? d : stream->domain;
    }
    stream->degree = hd_new_array(arena, uint64_t, stream->domain + 1);
    for (uint64_t d = 1; d <= stream->domain; d++)
        stream->degree[d] = sum[d];
}

static void take_results(hd_arena *arena, const analysis *a, const hd_reuse_options *o,
                         hd_reuse *reuse) {
    const reuse_plan *plan = &a->plan;
    *reuse = (hd_reuse){.stream_count = plan->stream_count,
                        .blocks = plan->block_count,
                        .aggregates = plan->aggregate_count,
                        .accesses = a->accesses,
                        .k = plan->k,
                        .shares = a->shares};
    reuse->streams = hd_new_array(arena, hd_reuse_stream, plan->stream_count);
    for (uint32_t w = 0; w < a->workers; w++)
        reuse->elements += a->sums[w].elements;
    for (uint64_t s = 0; s < plan->stream_count; s++)
        reuse->streams[s].number = s;
    for (uint64_t i = 0; i < plan->aggregate_count; i++) {
        const reuse_aggregate *aggregate = &plan->aggregates[i];
        const reuse_block *block = &plan->blocks[aggregate->first];
        hd_reuse_stream *stream = &reuse->streams[aggregate->stream];
        stream->blocks += aggregate->count;
        if (o->scenario != 2)
            continue;
        stream->launch = block->launch->launch.number;
        stream->number = block->index->block;
    }
    for (uint64_t s = 0; s < plan->stream_count; s++)
        take_stream(arena, a, s, &reuse->streams[s]);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static hd_status run(hd_arena *arena, analysis *a, const hd_reuse_options *o, hd_reuse *reuse) {
    hd_status status = reuse_measure(&a->plan, a->workers, a->arenas);
    if (status == HD_OK)
        status = reuse_plan_place(arena, &a->plan);
    if (status != HD_OK)
        return status;
    a->shares = shares_for(&a->plan, o->memory);
    for (uint32_t w = 0; w < a->workers; w++)
        lists_begin(&a->plan, &a->sums[w]);
    for (uint32_t share = 0; share < a->shares && !status; share++)
        status = add_share(a, share);
    if (status == HD_OK)
        status = check_total(a);
    if (status == HD_OK && !a->accesses)
        status =
            hd_fail(a->plan.diag, HD_EINPUT, NULL,
                    "the trace has no access to the memory that is analysed; 'heddle trace info' "
                    "says what was traced");
    if (status == HD_OK)
        take_results(arena, a, o, reuse);
    return status;
}

hd_status hd_reuse_analyse(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                           const hd_reuse_options *options, hd_reuse **result) {
    hd_arena *own = hd_arena_new();
    analysis a = {.workers = reuse_worker_count(options->workers)};
    hd_reuse *reuse = hd_new(arena, hd_reuse);
    a.arenas = hd_new_array(own, hd_arena *, a.workers);
    a.sums = hd_new_array(own, lists_sum, a.workers);
    for (uint32_t w = 0; w < a.workers; w++)
        a.arenas[w] = hd_arena_new();
    hd_status status = reuse_plan_make(own, diag, trace, options, &a.plan);
    if (status == HD_OK)
        status = run(arena, &a, options, reuse);
    for (uint32_t w = 0; w < a.workers; w++) {
        lists_free(&a.sums[w]);
        hd_arena_free(a.arenas[w]);
    }
    hd_arena_free(own);
    *result = status == HD_OK ? reuse : NULL;
    return status;
}
