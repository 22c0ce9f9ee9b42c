/*
 * Memory instructions in pieces, where load/store units are limited. Lanes stand in the
 * order of blocks, then threads.
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
#include "locality/reuse_plan.h"

static uint32_t active_in_warp(const hd_event *e, uint32_t warp) {
    return (uint32_t)__builtin_popcountll(e->mask[warp / 2] >> warp % 2 * 32 & 0xffffffff);
}

static uint64_t warps_of_issue(const reuse_plan *plan) {
    return plan->units < REUSE_WARP ? 1 : plan->units / REUSE_WARP;
}

uint32_t issue_slots_of(const reuse_plan *plan, const hd_event *event, uint32_t warp) {
    uint32_t active = active_in_warp(event, warp);
    if (plan->units >= REUSE_WARP)
        return active > 0;
    return (active + (uint32_t)plan->units - 1) / (uint32_t)plan->units;
}

static uint32_t issue_slots(const reuse_plan *plan, const hd_event *event) {
    uint32_t slots = 0;
    for (uint32_t w = 0; w * REUSE_WARP < event->threads; w++)
        slots += issue_slots_of(plan, event, w);
    return slots;
}

/* ---- groups of warps, for greedy ----------------------------------------------------------- */

static uint64_t warps_of_block(const reuse_block *block) {
    return (block->launch->launch.block_threads + REUSE_WARP - 1) / REUSE_WARP;
}

static uint64_t group_of(const reuse_plan *plan, const reuse_block *block, uint32_t warp) {
    return (block->place * warps_of_block(block) + warp) / warps_of_issue(plan);
}

/* Blocks of an aggregate are of one launch. */
static uint64_t group_count(const reuse_plan *plan, const reuse_aggregate *a) {
    uint64_t warps = a->count * warps_of_block(&plan->blocks[a->first]);
    return (warps + warps_of_issue(plan) - 1) / warps_of_issue(plan);
}

/* ---- filling the tables -------------------------------------------------------------------- */

static uint64_t row_count(const reuse_plan *plan, const reuse_aggregate *a) {
    return plan->by_warp ? group_count(plan, a) : 1;
}

uint64_t issue_bytes(const reuse_plan *plan, const reuse_aggregate *a) {
    unsigned __int128 places = (unsigned __int128)row_count(plan, a) * a->length + 1;
    return places < UINT32_MAX ? (uint64_t)places * sizeof *a->order : UINT64_MAX / 4;
}

void issue_begin(hd_arena *arena, const reuse_plan *plan, reuse_aggregate *a) {
    a->order = hd_alloc(arena, issue_bytes(plan, a));
}

void issue_note(const reuse_plan *plan, reuse_aggregate *a, reuse_block *block, uint64_t mi,
                const hd_event *event) {
    if (!plan->by_warp) {
        block->slots[mi] = issue_slots(plan, event);
        return;
    }
    for (uint32_t w = 0; w * REUSE_WARP < event->threads; w++) {
        uint32_t slots = issue_slots_of(plan, event, w);
        if (slots) /* warps of a group issue together */
            a->order[group_of(plan, block, w) * a->length + mi] = slots;
    }
}

/* Blocks' slots become those before them; returns their sum. */
static uint64_t stack_slots(const reuse_plan *plan, const reuse_aggregate *a, uint64_t mi) {
    uint64_t before = 0;
    for (uint64_t b = a->first; b < a->first + a->count; b++) {
        reuse_block *block = &plan->blocks[b];
        if (mi >= block->length)
            continue;
        uint32_t own = block->slots[mi];
        block->slots[mi] = (uint32_t)before;
        before += own;
    }
    return before;
}

void issue_end(const reuse_plan *plan, reuse_aggregate *a) {
    uint64_t rows = row_count(plan, a), issues = 0;
    uint64_t width = warps_of_issue(plan);
    for (uint64_t i = 0; i < rows * a->length; i++) {
        uint64_t own = plan->by_warp ? a->order[i] : (stack_slots(plan, a, i) + width - 1) / width;
        a->order[i] = (uint32_t)issues;
        issues += own;
    }
    a->issues = issues;
}

uint64_t issue_of(const reuse_plan *plan, const reuse_aggregate *a, const reuse_block *block,
                  uint64_t mi, uint32_t warp, uint32_t before) {
    if (plan->by_warp)
        return a->order[group_of(plan, block, warp) * a->length + mi];
    return a->order[mi] + (block->slots[mi] + before) / warps_of_issue(plan);
}
