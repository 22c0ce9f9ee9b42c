/*
 * The orders in which blocks and warps run in the scenarios of the reuse analysis: a table of each.
 * Adding one is a row in schedule.c.
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

typedef struct hd_order {
    const char *name;
    /* Of blocks: fills order[launch->block_count] with indices into launch->blocks, each once. */
    hd_status (*fill)(const hd_schedule_input *input, uint64_t *order);
    /* Of warps, where units are limited: which of two issues comes first, that of the earlier MI,
     * whatever its warp, or that of the earlier warps, whatever their MI. */
    bool by_warp;
} hd_order;

/* They end with a row without a name. */
extern const hd_order hd_block_orders[], hd_warp_orders[];

/* A row by its name, NULL for the first one; an error lists the names. */
hd_status hd_find_block_order(hd_arena *arena, const hd_diag *diag, const char *name,
                              const hd_order **order);
hd_status hd_find_warp_order(hd_arena *arena, const hd_diag *diag, const char *name,
                             const hd_order **order);

#endif
