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

/* A request of an event that is not strided, but for where it lies: those of a block of two dimensions
 * repeat the same few. What becomes of two with the same pattern is the same. */
enum { PATTERN_LANES = 32, PATTERNS_KEPT = 32 };
typedef struct warp_pattern {
    uint64_t mask;         /* of the warp's lanes; 0: none */
    uint32_t width, start; /* start: of the first active lane, modulo what its rules repeat after */
    uint32_t offset[PATTERN_LANES]; /* of each active lane from the first one, modulo 2^32 */
} warp_pattern;

/* False: it has none that is worth keeping. `period`: a power of two. */
static inline bool warp_pattern_make(const hd_event *e, uint32_t first, uint32_t end, uint64_t mask,
                                     uint32_t width, uint32_t period, warp_pattern *p) {
    if (!e->address || end - first > PATTERN_LANES)
        return false;
    const uint64_t *at = e->address + first;
    uint64_t base = at[__builtin_ctzll(mask)], far = 0;
    *p = (warp_pattern){mask, width, (uint32_t)((base + e->base) & (period - 1)), {0}};
    for (uint32_t i = 0; i < end - first; i++) {
        uint64_t apart = (at[i] - base) & (0 - (mask >> i & 1));
        p->offset[i] = (uint32_t)apart;
        far |= (apart + ((uint64_t)1 << 31)) >> 32;
    }
    return !far;
}

/* The place of a pattern among those that are kept, which it has from now on. False: something else had
 * it, and what is kept with it is not its own yet. */
static inline bool warp_pattern_find(warp_pattern *kept, const warp_pattern *p, uint32_t *place) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < PATTERN_LANES; i++)
        sum += p->offset[i] * (2 * i + 1);
    *place = (uint32_t)(warp_hash(sum, p->mask, p->width, p->start) >> 32) & (PATTERNS_KEPT - 1);
    if (!memcmp(&kept[*place], p, sizeof *p))
        return true;
    kept[*place] = *p;
    return false;
}

#endif
