/*
 * Hashes. Which one it is decides no result, but in two places that say so.
 */
#ifndef HD_BASE_HASH_H
#define HD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of a number in its upper bits: multiplication by the golden ratio (Knuth, The Art of Computer
 * Programming 3, 6.4), which spreads numbers that follow each other, and those that are any power
 * of two apart, evenly. */
static inline uint64_t hd_hash_spread(uint64_t number) {
    return number * UINT64_C(0x9e3779b97f4a7c15);
}

/* Of what `hash` is of and one more number, in all bits. */
static inline uint64_t hd_hash_mix(uint64_t hash, uint64_t number) {
    hash = (hash ^ number) * UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
    hash *= UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 29;
}

/* Of bytes, for names that are kept in files: FNV-1a (Fowler, Noll and Vo; RFC 9923), after those
 * that `hash` is of; the first ones come after HD_HASH_START. */
#define HD_HASH_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t hd_hash_bytes(uint64_t hash, const void *data, size_t length) {
    const unsigned char *at = data;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
