/*
 * Coalescing: how many transactions each warp's share of an MI becomes, and how
 * many bytes they move, counted on events under a device profile's rules
 * (docs/devices.md, "Which accesses are joined").
 *
 *     hd_coalesce *counter = hd_coalesce_new(arena, device);
 *     hd_sink sink = hd_coalesce_sink(counter);        give it to any producer
 *     const hd_coalesce_counts *row = hd_coalesce_of(counter, launch, access);
 */
#ifndef HD_COALESCE_H
#define HD_COALESCE_H

#include "base/result.h"
#include "device/device.h"
#include "event/event.h"

typedef struct hd_coalesce_counts {
    uint64_t mis;      /* executions by a block */
    uint64_t requests; /* executions by a warp with at least one active lane */
    uint64_t lane_accesses;
    uint64_t transactions;
    uint64_t bytes_moved; /* sum of the transactions' segments */
    uint64_t bytes_used;  /* different bytes asked for, summed over the requests */
} hd_coalesce_counts;

/* With their columns. */
extern const hd_member hd_coalesce_members[];

void hd_coalesce_add(hd_coalesce_counts *sum, const hd_coalesce_counts *more);

typedef struct hd_coalesce hd_coalesce;

hd_coalesce *hd_coalesce_new(hd_arena *arena, const hd_device *device);
/* Counts accesses to global and constant memory; other spaces have no transactions and count
 * only mis, requests and lane_accesses. An access of which the source does not say the space
 * counts for the one that its first lane is in. Blocks that are closed incomplete are left out.
 * Results do not depend on the order of blocks. */
hd_sink hd_coalesce_sink(hd_coalesce *counter);
/* Of one access of a launch (its number as the events gave it), and of a whole launch: global
 * memory only, for constant memory has a cache of its own. NULL when there is no such launch or
 * access. */
const hd_coalesce_counts *hd_coalesce_of(const hd_coalesce *counter, uint32_t launch,
                                         uint32_t access);
const hd_coalesce_counts *hd_coalesce_of_launch(const hd_coalesce *counter, uint32_t launch);
void hd_coalesce_free(hd_coalesce *counter);

#endif
