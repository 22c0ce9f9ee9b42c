/* What an event has of one warp; for the counters of requests. Private to this folder. */
#ifndef LOCALITY_WARP_H
#define LOCALITY_WARP_H

#include "machine/event.h"

enum { MOST_LANES = 1024 /* of a warp */ };

/* The active lanes of first .. end - 1, a warp or a part of it, as bits; of more than 64 lanes those
 * of the first word that has any. 0: none is active. */
static inline uint64_t warp_mask(const hd_event *e, uint32_t first, uint32_t end) {
    uint64_t mask = 0;
    for (uint32_t at = first; at < end && !mask; at += 64 - at % 64) {
        mask = e->mask[at / 64] >> at % 64;
        if (end - at < 64)
            mask &= ((uint64_t)1 << (end - at)) - 1;
    }
    return mask;
}

/* The active lanes of first .. end - 1 that are in word `w` of the mask, as bits. */
static inline uint64_t warp_lanes_in_word(const hd_event *e, uint32_t w, uint32_t first,
                                          uint32_t end) {
    uint64_t bits = e->mask[w];
    if (first > w * 64)
        bits &= UINT64_MAX << (first - w * 64);
    if (end < w * 64 + 64)
        bits &= ((uint64_t)1 << (end - w * 64)) - 1;
    return bits;
}

/* Addresses of the active lanes of first .. end - 1 in order, as they nearly always stand already,
 * or all but. Returns how many there are. */
static inline uint32_t warp_addresses(const hd_event *e, uint32_t first, uint32_t end,
                                      uint64_t *address) {
    uint32_t count = 0;
    for (uint32_t lane = first; lane < end; lane++) {
        if (!hd_event_active(e, lane))
            continue;
        uint64_t value = hd_event_address(e, lane);
        uint32_t at = count++;
        for (; at > 0 && address[at - 1] > value; at--)
            address[at] = address[at - 1];
        address[at] = value;
    }
    return count;
}

/* What a request of a strided event depends on, for tables of the latest. */
static inline uint64_t warp_hash(int64_t stride, uint64_t mask, uint32_t width, uint32_t start) {
    return hd_hash_mix(mask ^ hd_hash_spread((uint64_t)stride), (uint64_t)width << 32 | start);
}

#endif
