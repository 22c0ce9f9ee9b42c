/* What counters ask of the addresses of many lanes, looked at all at once: how many different words those
 * of a request touch, and rows of words. */
#ifndef HD_WARP_WORDS_H
#define HD_WARP_WORDS_H

#include "machine/event.h"

enum { WORD_LANES = 32 /* of a request, at most */ };

/* Of the lanes of `mask`, which are counted from lane `first` on and of which one is active: counts words
 * of `width` bytes and rows of `row_bytes`, no fewer; both are powers of two. False: an address is no
 * multiple of the width, or two are 2^30 words apart. */
bool warp_words_count(const hd_event *e, uint32_t first, uint32_t mask, uint32_t width,
                      uint32_t row_bytes, uint32_t *words, uint32_t *rows);

/* The most words that one of `banks` banks has, where successive words of `bytes` bytes lie in
 * successive banks: a power of two, at most WORD_LANES. `width`: of an access, at most `bytes`. 0: as
 * above. */
uint32_t warp_words_of_bank(const hd_event *e, uint32_t first, uint32_t mask, uint32_t width,
                            uint32_t bytes, uint32_t banks);

/* Whether each lane's address is `distance` behind that of lane 0. */
bool lanes_have_distances(const uint64_t *address, const uint64_t *distance, uint32_t count);

#endif
