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
 *     measure   lengths, so that every MI knows its position           reuse_measure.c
 *     touch     the trace once more: (element, position, weight)       touch.c
 *     lists     touches by element, positions in order, then pairs     lists.c, correlate.c
 *
 * With T lane accesses, of which an element gets n_e at different positions, this costs T
 * steps to read, T log r to sort (r runs of ascending positions, at most as many as blocks
 * that are merged), and the sum of n_e^2 / 2 additions. Where an element is touched all over
 * a long stream, n_e^2 / 2 is more than a transform of the stream takes, and correlate.c
 * finds the same sums in n log n.
 *
 * Memory holds 12 bytes for each touch. How many there are is not known before: neighbouring
 * lanes at one element, or each at the next one, are one. So all elements are tried first; when
 * their touches do not fit, elements are split in shares by a hash, as many as what was read until
 * then suggests, and the trace is read once for each. A share that does not fit is split again.
 *
 * Ranks divide the blocks to read, each a stretch of them, and the elements by a hash. Who reads a
 * touch of another one's element sends it there, in exchanges of a few MiB (touch.c); then each
 * does the same as one alone, and degrees are added up over workers and ranks in the end. All
 * decide as one, shares for instance: what a rank finds, all hear before they go on.
 */
#include <stdlib.h>

#include "analysis/reuse_parts.h"

typedef struct analysis {
    reuse_plan plan;
    uint32_t workers, shares;
    uint64_t room, preferred; /* bytes for touches: all there is, and what should suffice */
    uint64_t most_shares;
    hd_arena **arenas; /* [workers] */
    lists_sum *sums;   /* [workers] */
    const touches *touches;
    uint64_t elements, accesses;
} analysis;

enum { SHARES_MOST = 4096, PREFERRED_SHARES_MOST = 64 };

static hd_status add_bucket(void *self, uint32_t worker, uint64_t number) {
    analysis *a = self;
    reuse_meter *m = a->plan.meter;
    lists_add(&a->plan, a->touches, (uint32_t)number, &a->sums[worker]);
    if (!worker && m->progress)
        m->progress(m->user, "adding up", (double)number / TOUCH_BUCKETS);
    return HD_OK;
}

/* What ranks find of a share. */
typedef struct share_found {
    uint64_t fits, bytes, read, all;
} share_found;

/* Of all ranks together: whether it fits on each, the most bytes, the sums of what was read. */
static hd_status found_by_all(const analysis *a, share_found *found) {
    const hd_ranks *ranks = a->plan.ranks;
    const uint32_t count = ranks ? ranks->count : 1;
    share_found *all = hd_zeroed(count, sizeof *all), sum = {.fits = 1};
    hd_status status = hd_ranks_gather(ranks, a->plan.diag, found, sizeof *found, all);
    for (uint32_t r = 0; r < count && !status; r++) {
        sum.fits &= all[r].fits;
        sum.bytes = all[r].bytes > sum.bytes ? all[r].bytes : sum.bytes;
        sum.read += all[r].read;
        sum.all += all[r].all;
    }
    free(all);
    *found = sum;
    return status;
}

static hd_status add_share(analysis *a, uint32_t share, uint32_t shares) {
    bool last = shares > a->most_shares / 2; /* which cannot be split */
    uint64_t room = last ? a->room : a->preferred;
    touches all;
    reuse_meter_begin(&a->plan, shares > 1 ? "reading, for a share of the elements" : "reading");
    hd_status status = touches_collect(&a->plan, a->workers, share, shares, room, &all);
    uint64_t bytes = lists_bytes(&all), none;
    uint32_t pieces = 0;
    share_found found = {bytes <= room, a->plan.memory - room + bytes, all.read,
                         a->plan.meter->all};
    if (!status)
        status = found_by_all(a, &found);
    if (!status && found.fits) {
        a->touches = &all;
        a->accesses += all.accesses;
        a->shares++;
        status = hd_in_parallel(a->workers, TOUCH_BUCKETS, add_bucket, a, &none);
    } else if (!status && last) {
        status = reuse_no_room(&a->plan, found.bytes);
    } else if (!status) { /* as many as the part of the trace suggests that it took to see that */
        double wanted = 1.25 * (double)found.all / ((double)found.read + 1) + 1;
        uint32_t most = (uint32_t)a->most_shares / shares;
        pieces = wanted < 2 ? 2 : wanted < most ? (uint32_t)wanted : most;
    }
    touches_free(&all);
    for (uint32_t p = 0; p < pieces && !status; p++)
        status = add_share(a, share + p * shares, shares * pieces);
    return status;
}

/* Leaves as many workers as have room, and the rest of the room to touches. */
static hd_status divide_memory(analysis *a, uint64_t preferred) {
    const reuse_plan *plan = &a->plan;
    const hd_ranks *ranks = plan->ranks;
    uint64_t all = plan->stream_start[plan->stream_count], longest = 0;
    for (uint64_t s = 0; s < plan->stream_count; s++) {
        uint64_t length = plan->stream_start[s + 1] - plan->stream_start[s];
        longest = length > longest ? length : longest;
    }
    /* Degrees of all streams as results, and of one as it is described. */
    uint64_t results = all * sizeof(uint64_t) + longest * 6 * sizeof(uint64_t);
    uint64_t each = lists_bytes_of_worker(plan, longest), needed = plan->tables + results + each;
    if (needed > plan->memory / 4 * 3)
        return reuse_no_room(plan, needed + needed / 3);
    while (a->workers > 1 && plan->tables + results + a->workers * each > plan->memory / 2)
        a->workers--;
    a->room = plan->memory - plan->tables - results - a->workers * each;
    a->preferred = preferred && preferred < a->room ? preferred : a->room;
    /* Less memory than the least is only a preference. */
    uint64_t most = a->preferred < a->room ? PREFERRED_SHARES_MOST : SHARES_MOST;
    uint64_t *of_ranks = hd_zeroed(ranks ? ranks->count : 1, sizeof *of_ranks);
    hd_status status = hd_ranks_gather(ranks, plan->diag, &most, sizeof most, of_ranks);
    for (uint32_t r = 0; r < (ranks ? ranks->count : 1) && !status; r++)
        a->most_shares = of_ranks[r] > a->most_shares ? of_ranks[r] : a->most_shares;
    free(of_ranks);
    return status;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Degrees, accesses and elements of all workers, then of all ranks, in sums[0] and *a. */
static hd_status add_up(analysis *a) {
    const reuse_plan *plan = &a->plan;
    const uint64_t positions = plan->stream_start[plan->stream_count];
    unsigned __int128 total = 0;
    for (uint32_t w = 0; w < a->workers; w++) {
        total += a->sums[w].total;
        a->elements += a->sums[w].elements;
        for (uint64_t p = 0; p < positions && w; p++)
            a->sums[0].degree[p] += a->sums[w].degree[p];
        for (uint64_t s = 0; s < plan->stream_count && w; s++)
            a->sums[0].accesses[s] += a->sums[w].accesses[s];
    }
    uint64_t few[] = {a->elements, a->accesses, (uint32_t)total, (uint32_t)(total >> 32),
                      (uint64_t)(total >> 64)};
    hd_status status = hd_ranks_sum(plan->ranks, plan->diag, few, sizeof few / sizeof *few);
    if (status)
        return status;
    a->elements = few[0];
    a->accesses = few[1];
    total = ((unsigned __int128)few[4] << 64) + ((unsigned __int128)few[3] << 32) + few[2];
    if (total > INT64_MAX / 2)
        return hd_fail(plan->diag, HD_EUNSUPPORTED, NULL,
                       "the degrees do not fit 62 bits; choose launches with --launch");
    if (!a->accesses)
        return hd_fail(plan->diag, HD_EINPUT, NULL,
                       "the trace has no access to the memory that is analysed; 'heddle trace "
                       "info' says what was traced");
    status = hd_ranks_sum(plan->ranks, plan->diag, a->sums[0].degree, positions);
    if (!status)
        status = hd_ranks_sum(plan->ranks, plan->diag, a->sums[0].accesses, plan->stream_count);
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

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
    reuse->elements = a->elements;
    for (uint64_t i = 0; i < plan->aggregate_count; i++) {
        const reuse_aggregate *aggregate = &plan->aggregates[i];
        const reuse_block *block = &plan->blocks[aggregate->first];
        hd_reuse_stream *stream = &reuse->streams[aggregate->stream];
        stream->blocks += aggregate->count;
        stream->launch = o->scenario == 2 ? block->launch->launch.number : 0;
        stream->number = o->scenario == 2 ? block->index->block : 0;
    }
    for (uint64_t s = 0; s < plan->stream_count; s++) {
        hd_reuse_stream *stream = &reuse->streams[s];
        uint64_t start = plan->stream_start[s], length = plan->stream_start[s + 1] - start;
        const uint64_t *sum = a->sums[0].degree + start;
        stream->number = o->scenario == 2 ? stream->number : s;
        stream->mis = length;
        stream->accesses = a->sums[0].accesses[s];
        for (uint64_t d = 1; d < length; d++)
            stream->domain = sum[d] ? d : stream->domain;
        stream->degree = hd_new_array(arena, uint64_t, stream->domain + 1);
        for (uint64_t d = 1; d <= stream->domain; d++)
            stream->degree[d] = sum[d];
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static hd_status run(hd_arena *arena, analysis *a, const hd_reuse_options *o, hd_reuse *reuse) {
    hd_status status;
    if ((status = reuse_measure(&a->plan, a->workers, a->arenas)) ||
        (status = reuse_plan_place(arena, &a->plan)) || (status = divide_memory(a, o->memory)))
        return status;
    for (uint32_t w = 0; w < a->workers; w++)
        lists_begin(&a->plan, &a->sums[w]);
    if ((status = add_share(a, 0, 1)) || (status = add_up(a)))
        return status;
    take_results(arena, a, o, reuse);
    return HD_OK;
}

hd_status hd_reuse_analyse(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                           const hd_reuse_options *options, hd_reuse **result) {
    hd_arena *own = hd_arena_new();
    const uint32_t workers = options->workers ? options->workers : hd_core_count();
    analysis a = {.workers = workers};
    hd_reuse *reuse = hd_new(arena, hd_reuse);
    a.arenas = hd_new_array(own, hd_arena *, workers);
    a.sums = hd_new_array(own, lists_sum, workers);
    for (uint32_t w = 0; w < workers; w++)
        a.arenas[w] = hd_arena_new();
    hd_status status = reuse_plan_make(own, diag, trace, options, &a.plan);
    if (status == HD_OK)
        status = run(arena, &a, options, reuse);
    for (uint32_t w = 0; w < workers; w++) {
        lists_free(&a.sums[w]);
        hd_arena_free(a.arenas[w]);
    }
    hd_arena_free(own);
    *result = status == HD_OK ? reuse : NULL;
    return status;
}
