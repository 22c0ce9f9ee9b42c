/*
 * Coalescing: how many transactions each warp's share of an MI becomes, and how
 * many bytes they move, counted on events under a device profile's rules
 * (docs/devices.md, "Which accesses are joined").
 */
#ifndef HD_COALESCE_H
#define HD_COALESCE_H

#include "base/result.h"
#include "device/device.h"
#include "analysis/tally.h"

typedef struct hd_coalesce_counts {
    uint64_t mis;      /* executions by a block */
    uint64_t requests; /* executions by a warp with at least one active lane */
    uint64_t lane_accesses;
    uint64_t transactions;
    uint64_t bytes_moved; /* sum of the transactions' segments */
    uint64_t bytes_used;  /* different bytes asked for, summed over the requests */
    uint64_t moving;      /* of the requests, those that are not to local memory */
} hd_coalesce_counts;

void hd_coalesce_add(hd_coalesce_counts *sum, const hd_coalesce_counts *more);

/* Counts accesses to global and constant memory; other spaces have no transactions and count
 * only mis, requests and lane_accesses. An access of which the source does not say the space
 * counts for the one that its first lane is in. A launch's sum is that of global memory only, for
 * constant memory has a cache of its own. */
hd_tally_work hd_coalesce_work(hd_arena *arena, const hd_device *device);

#endif
