/*
 * Next comes the block that shares most elements with those just placed (the idea of thread
 * block scheduling in section 8.1): greedily, from block 0 on. Of blocks that share as many
 * the first one is taken, so that a kernel without sharing keeps its order.
 */
#include <stdlib.h>

#include "locality/schedule.h"

enum { JUST_PLACED = 4 }; /* blocks that are looked back at */

/* Different elements of a block, ascending. */
typedef struct block_elements {
    uint64_t *element;
    uint64_t count, room;
    const hd_schedule_input *input;
} block_elements;

static void add_element(block_elements *b, uint64_t element) {
    if (b->count && b->element[b->count - 1] == element)
        return;
    if (b->count == b->room) {
        b->room = b->room ? 2 * b->room : 256;
        b->element = realloc(b->element, b->room * sizeof *b->element);
        if (!b->element)
            abort();
    }
    b->element[b->count++] = element;
}

static void *open_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

static void add_event(void *stream, const hd_event *e) {
    block_elements *b = stream;
    const hd_event_access *access = &b->input->launch->launch.accesses[e->access];
    if (!(b->input->spaces >> access->space & 1))
        return;
    for (uint32_t lane = 0; lane < e->threads; lane++) {
        if (!hd_event_active(e, lane))
            continue;
        uint64_t at = hd_event_address(e, lane), size = b->input->element_bytes;
        for (uint64_t i = at / size; i <= (at + access->width - 1) / size; i++)
            add_element(b, i);
    }
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static hd_status read_elements(const hd_schedule_input *input, uint64_t block, block_elements *b) {
    *b = (block_elements){.input = input};
    const hd_sink sink = {.self = b, .open_block = open_block, .event = add_event};
    hd_status status =
        hd_trace_replay_block(input->trace, input->diag, input->launch->launch.number,
                              input->launch->blocks[block].block, &sink);
    if (b->count)
        qsort(b->element, b->count, sizeof *b->element, ascending);
    uint64_t count = b->count;
    b->count = 0;
    for (uint64_t i = 0; i < count; i++)
        add_element(b, b->element[i]);
    return status;
}

static uint64_t shared(const block_elements *a, const block_elements *b) {
    uint64_t i = 0, j = 0, count = 0;
    while (i < a->count && j < b->count) {
        count += a->element[i] == b->element[j];
        bool first = a->element[i] <= b->element[j], second = b->element[j] <= a->element[i];
        i += first;
        j += second;
    }
    return count;
}

/* shares[b]: what block b shares with the blocks just placed; -1: it is placed itself. */
static void place_all(const block_elements *blocks, uint64_t count, uint64_t *order,
                      int64_t *shares) {
    for (uint64_t n = 0; n < count; n++) {
        uint64_t best = 0;
        for (uint64_t b = 1; b < count; b++)
            best = shares[b] > shares[best] ? b : best;
        order[n] = best;
        shares[best] = -1;
        for (uint64_t b = 0; b < count; b++) {
            if (shares[b] < 0)
                continue;
            shares[b] += (int64_t)shared(&blocks[b], &blocks[best]);
            if (n >= JUST_PLACED)
                shares[b] -= (int64_t)shared(&blocks[b], &blocks[order[n - JUST_PLACED]]);
        }
    }
}

static hd_status fill(hd_arena *arena, const hd_schedule_input *input, uint64_t *order) {
    uint64_t count = input->launch->block_count;
    block_elements *blocks = hd_new_array(arena, block_elements, count);
    hd_status status = HD_OK;
    for (uint64_t b = 0; b < count && !status; b++)
        status = read_elements(input, b, &blocks[b]);
    if (!status)
        place_all(blocks, count, order, hd_new_array(arena, int64_t, count));
    for (uint64_t b = 0; b < count; b++)
        free(blocks[b].element);
    return status;
}

const hd_block_order hd_order_sharing = {
    "sharing", "next comes the block that shares most elements with the last four", fill};
