/*
 * The order in which blocks and warps run in the scenarios of the reuse analysis: a table
 * of each, one file for each row. Adding one is a file and its row in schedule.c.
 */
#ifndef HD_SCHEDULE_H
#define HD_SCHEDULE_H

#include "trace/trace.h"

/* What an order of blocks may look at. */
typedef struct hd_schedule_input {
    hd_trace *trace;
    const hd_diag *diag;
    const hd_trace_launch *launch;
    uint32_t element_bytes, spaces;
    uint64_t seed;
    uint64_t memory; /* bytes that it may take; 0: any */
} hd_schedule_input;

typedef struct hd_block_order {
    const char *name, *what;
    /* Fills order[launch->block_count] with indices into launch->blocks, each once. */
    hd_status (*fill)(hd_arena *arena, const hd_schedule_input *input, uint64_t *order);
} hd_block_order;

/* Which of two issues comes first when units are limited: that of the earlier MI, whatever
 * its warp (round-robin), or that of the earlier warps, whatever their MI (greedy). */
typedef struct hd_warp_order {
    const char *name, *what;
    bool by_warp;
} hd_warp_order;

extern const hd_block_order hd_order_sequential, hd_order_random, hd_order_sharing;
extern const hd_warp_order hd_order_round_robin, hd_order_greedy;
extern const hd_block_order *const hd_block_orders[]; /* ends with NULL */
extern const hd_warp_order *const hd_warp_orders[];

/* By name, NULL for the first one; an error lists the names. */
hd_status hd_find_block_order(hd_arena *arena, const hd_diag *diag, const char *name,
                              const hd_block_order **order);
hd_status hd_find_warp_order(hd_arena *arena, const hd_diag *diag, const char *name,
                             const hd_warp_order **order);

#endif
