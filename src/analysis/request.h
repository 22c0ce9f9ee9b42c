/*
 * The requests of one event, and what the memory system makes of them under a device's rules: the
 * counting that coalesce.c and shapes.c share.
 */
#ifndef HD_REQUEST_H
#define HD_REQUEST_H

#include "analysis/coalesce.h"
#include "analysis/warp_lanes.h"

enum { REQUESTS_KEPT = 256 };

/* What a request of a strided event depends on, and what became of it. */
typedef struct request_kept {
    uint64_t mask; /* of the warp's lanes; 0: this place is free */
    int64_t stride;
    uint32_t width, start; /* start: of lane 0, modulo the segment */
    hd_coalesce_counts result;
} request_kept;

/* Of one thread; zeros are an empty one. */
typedef struct request_memo {
    request_kept kept[REQUESTS_KEPT];
} request_memo;

/* Whether the lanes from `first` up to `end`, which all are active, are evenly apart, as the warps
 * of a block of two dimensions are where the block is not. */
static inline bool request_is_strided(const hd_event *e, uint32_t first, uint32_t end,
                                      int64_t *stride) {
    *stride = e->stride;
    if (!e->address || end - first < 2)
        return !e->address;
    const uint64_t *at = e->address + first;
    uint64_t step = at[1] - at[0], differs = 0;
    for (uint32_t i = 1; i < end - first; i++)
        differs |= (at[i] - at[i - 1]) ^ step;
    *stride = (int64_t)step;
    return !differs;
}

/* Counts an event of accesses of `width` bytes. `moves`: its space has transactions. */
hd_coalesce_counts request_count(const hd_device *device, request_memo *memo, const hd_event *event,
                                 uint32_t width, bool moves);

#endif
