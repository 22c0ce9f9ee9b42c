/*
 * The first reading of the trace: how long blocks are, and what their MIs take of limited
 * load/store units: an MI is then issued in pieces. Lanes stand in the order of blocks, then
 * threads.
 *
 *     units < 32     an issue takes at most so many active lanes of one warp
 *     units >= 32    an issue takes units / 32 warps that have active lanes, whole
 *
 * A *slot* is what a warp takes: one of the warps of an issue, or its own issues. In the
 * order round-robin all pieces of an MI come before those of the next one:
 *
 *     block.slots[mi]      slots of the aggregate's blocks before this one, in this MI
 *     aggregate.order[mi]  issues of the MIs before this one
 *
 * In the order greedy, warps (or groups of units / 32 neighbouring warps of the aggregate)
 * issue all that they have, one after the other:
 *
 *     aggregate.order[group * length + mi]   issues before those of this group and MI
 */
#include <stdlib.h>

#include "analysis/reuse_parts.h"

/* ---- slots --------------------------------------------------------------------------------- */

static uint64_t warps_of_issue(const reuse_plan *plan) {
    return plan->units < REUSE_WARP ? 1 : plan->units / REUSE_WARP;
}

uint32_t issue_slots_of(const reuse_plan *plan, const hd_event *event, uint32_t warp) {
    uint32_t active =
        (uint32_t)__builtin_popcountll(event->mask[warp / 2] >> warp % 2 * 32 & 0xffffffff);
    if (plan->units >= REUSE_WARP)
        return active > 0;
    return (active + (uint32_t)plan->units - 1) / (uint32_t)plan->units;
}

static uint64_t warps_of_block(const reuse_block *block) {
    return (block->launch->launch.block_threads + REUSE_WARP - 1) / REUSE_WARP;
}

/* Of warps, for greedy. */
static uint64_t group_of(const reuse_plan *plan, const reuse_block *block, uint32_t warp) {
    return (block->place * warps_of_block(block) + warp) / warps_of_issue(plan);
}

/* Of the order table: groups of warps, or one. Blocks of an aggregate are of one launch. */
static uint64_t row_count(const reuse_plan *plan, const reuse_aggregate *a) {
    uint64_t warps = a->count * warps_of_block(&plan->blocks[a->first]);
    return plan->by_warp ? (warps + warps_of_issue(plan) - 1) / warps_of_issue(plan) : 1;
}

static uint64_t order_bytes(const reuse_plan *plan, const reuse_aggregate *a) {
    unsigned __int128 places = (unsigned __int128)row_count(plan, a) * a->length + 1;
    return places < UINT32_MAX ? (uint64_t)places * sizeof *a->order : UINT64_MAX / 4;
}

uint64_t issue_of(const reuse_plan *plan, const reuse_aggregate *a, const reuse_block *block,
                  uint64_t mi, uint32_t warp, uint32_t before) {
    if (plan->by_warp)
        return a->order[group_of(plan, block, warp) * a->length + mi];
    return a->order[mi] + (block->slots[mi] + before) / warps_of_issue(plan);
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct measuring {
    reuse_plan *plan;
    reuse_aggregate *aggregate;
    reuse_block *block;
    uint32_t worker;
    uint64_t mi; /* that comes next */
    uint64_t read;
} measuring;

static void measure_event(void *stream, const hd_event *event) {
    measuring *m = stream;
    const reuse_plan *plan = m->plan;
    reuse_aggregate *a = m->aggregate;
    reuse_meter_add(plan, m->worker, &m->read, event->active);
    if (!reuse_is_analysed(plan, m->block, event))
        return;
    for (uint32_t w = 0; w * REUSE_WARP < event->threads && plan->units; w++) {
        uint32_t slots = issue_slots_of(plan, event, w);
        if (!plan->by_warp)
            m->block->slots[m->mi] += slots;
        else if (slots) /* warps of a group issue together */
            a->order[group_of(plan, m->block, w) * a->length + m->mi] = slots;
    }
    m->mi++;
}

static hd_status measure_block(reuse_plan *plan, reuse_aggregate *aggregate, reuse_block *block,
                               uint32_t worker) {
    const hd_event_launch *launch = &block->launch->launch;
    measuring m = {plan, aggregate, block, worker, 0, 0};
    bool known = !plan->units; /* the trace's index has all that is to be known */
    for (uint32_t a = 0; a < launch->access_count; a++)
        known = known && plan->spaces >> launch->accesses[a].space & 1;
    if (known)
        return HD_OK;
    hd_status status = reuse_read_block(plan, block, measure_event, &m);
    if (!plan->units)
        block->length = m.mi;
    return status;
}

/* All events are noted: numbers become places. */
static void place_issues(const reuse_plan *plan, reuse_aggregate *a) {
    uint64_t rows = row_count(plan, a), issues = 0;
    uint64_t width = warps_of_issue(plan);
    for (uint64_t i = 0; i < rows * a->length; i++) {
        uint64_t before = 0; /* slots of the blocks before, in MI i */
        for (uint64_t b = a->first; b < a->first + a->count && !plan->by_warp; b++) {
            reuse_block *block = &plan->blocks[b];
            if (i >= block->length)
                continue;
            uint32_t own = block->slots[i];
            block->slots[i] = (uint32_t)before;
            before += own;
        }
        uint64_t own = plan->by_warp ? a->order[i] : (before + width - 1) / width;
        a->order[i] = (uint32_t)issues;
        issues += own;
    }
    a->issues = issues;
}

typedef struct job {
    reuse_plan *plan;
    hd_arena *const *arenas; /* of each worker */
} job;

static bool is_own(const reuse_plan *plan, const reuse_aggregate *a) {
    return a->first < plan->end_own && a->first + a->count > plan->first_own;
}

static hd_status measure_aggregate(void *self, uint32_t worker, uint64_t number) {
    const job *j = self;
    reuse_plan *plan = j->plan;
    reuse_aggregate *a = &plan->aggregates[number];
    hd_status status = HD_OK;
    if (!is_own(plan, a))
        return HD_OK;
    for (uint64_t b = a->first; b < a->first + a->count && plan->units && !plan->by_warp; b++)
        plan->blocks[b].slots = hd_new_array(j->arenas[worker], uint32_t, plan->blocks[b].length);
    if (plan->units)
        a->order = hd_alloc(j->arenas[worker], order_bytes(plan, a));
    for (uint64_t b = a->first; b < a->first + a->count && !status; b++)
        if (b >= plan->first_own && b < plan->end_own)
            status = measure_block(plan, a, &plan->blocks[b], worker);
    if (plan->units && !status)
        place_issues(plan, a);
    return status;
}

/* What other ranks have found: issues of aggregates where units are limited, else lengths of
 * blocks. */
static hd_status exchange_lengths(reuse_plan *plan) {
    const hd_ranks *ranks = plan->ranks;
    uint64_t own = plan->end_own - plan->first_own, *found = hd_zeroed(own + 1, sizeof *found);
    hd_piece *out = hd_zeroed(ranks->count, sizeof *out), *in = hd_zeroed(ranks->count, sizeof *in);
    for (uint64_t b = 0; b < own; b++) {
        const reuse_block *block = &plan->blocks[plan->first_own + b];
        found[b] = plan->units ? plan->aggregates[block->aggregate].issues : block->length;
    }
    for (uint32_t r = 0; r < ranks->count; r++)
        out[r] = (hd_piece){found, own * sizeof *found};
    hd_status status = ranks->exchange(ranks->self, plan->diag, out, in);
    for (uint32_t r = 0; r < ranks->count && !status; r++)
        for (uint64_t b = plan->bounds[r]; b < plan->bounds[r + 1]; b++) {
            uint64_t value = ((const uint64_t *)in[r].bytes)[b - plan->bounds[r]];
            *(plan->units ? &plan->aggregates[plan->blocks[b].aggregate].issues
                          : &plan->blocks[b].length) = value;
        }
    if (!status)
        hd_free_pieces(ranks, in);
    free(found);
    free(out);
    free(in);
    return status;
}

hd_status reuse_measure(reuse_plan *plan, uint32_t workers, hd_arena *const *arenas) {
    job j = {plan, arenas};
    uint64_t failed;
    /* Lengths with all MIs, as the index has them, and what tables of that length take. */
    for (uint64_t n = 0; n < plan->aggregate_count; n++) {
        reuse_aggregate *a = &plan->aggregates[n];
        bool has_tables = plan->units && is_own(plan, a);
        for (uint64_t b = a->first; b < a->first + a->count; b++) {
            reuse_block *block = &plan->blocks[b];
            block->length = block->index->mis;
            a->length = block->length > a->length ? block->length : a->length;
            plan->tables += has_tables && !plan->by_warp ? block->length * sizeof(uint32_t) : 0;
        }
        plan->tables += has_tables ? order_bytes(plan, a) : 0;
        if (plan->tables > plan->memory)
            return reuse_no_room(plan, plan->tables);
    }
    reuse_meter_begin(plan, "measuring");
    hd_status status =
        hd_in_parallel(workers, plan->aggregate_count, measure_aggregate, &j, &failed);
    const reuse_aggregate *of_failed = &plan->aggregates[failed];
    if (status)
        return reuse_say_fault(plan, of_failed->first, of_failed->count);
    if (plan->ranks)
        status = exchange_lengths(plan);
    for (uint64_t b = 0; b < plan->block_count && !plan->units; b++) {
        reuse_aggregate *a = &plan->aggregates[plan->blocks[b].aggregate];
        a->issues = plan->blocks[b].length > a->issues ? plan->blocks[b].length : a->issues;
    }
    return status;
}
