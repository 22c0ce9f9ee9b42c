/*
 * Throttling: how many blocks an SM should hold at once, by the simulation of caches. Fewer blocks
 * share an L1, and L2, with fewer others, and more of their lines are still there when they come
 * back; but there are fewer warps to do something else while one waits for memory, which no
 * simulation of caches sees. So a smaller number is taken where it saves much, and its occupancy is
 * told.
 *
 * A program gets that number by local (shared) memory that it does not use: as many bytes for each
 * block that no more blocks fit into an SM's. Where L1 is a part of the same storage, the padding
 * takes from L1, and L1 is simulated as what is left. This is the fourth stage of Kuo, Chen, Lai and
 * Jou, "Thread affinity mapping for irregular data access on shared Cache GPGPU", ASP-DAC 2012.
 */
#ifndef HD_THROTTLE_H
#define HD_THROTTLE_H

#include "analysis/cache.h"

/* One number of blocks. */
typedef struct hd_throttled {
    uint32_t blocks_at_once; /* of an SM */
    double occupancy;        /* threads of these blocks, of those that an SM can hold */
    uint32_t local_bytes;    /* of a block, in all, so that no more fit; 0: none, or not known */
    uint64_t l1_bytes;       /* that are left */
    hd_cache_sum sum;
    bool chosen;
    double price; /* hd_price_of_bytes() */
} hd_throttled;

typedef struct hd_throttling {
    hd_throttled *rows; /* 1, 2, 4 and so on; last the number that fits without padding */
    uint32_t row_count;
    bool complete; /* false: the watch stopped it, and nothing is chosen */
    uint32_t best; /* a row: the last one, where nothing saves HD_THROTTLE_SAVES of its price */
} hd_throttling;

#define HD_THROTTLE_SAVES 0.05

/* Bytes from L2, and from and to memory, each times the profile's weight. */
double hd_price_of_bytes(const hd_device *device, const hd_cache_counts *counts);
/* Bytes of local memory with which `blocks` blocks fit into an SM and no more, in the middle of all
 * that do, so that what a driver keeps for itself does not matter. 0: the profile does not say how
 * much there is, or no number of bytes does. */
uint32_t hd_throttle_local_bytes(const hd_device *device, uint32_t blocks);

/* Simulates what hd_caches_run() does with these arguments for each number of blocks; each limits
 * the launches of which more fit. The same errors. */
hd_status hd_throttle(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                      const hd_device *device, const hd_job *job, const hd_layout *layout,
                      const hd_caches_options *options, const hd_throttling **throttling);

/* With their columns; of the rows. */
extern const hd_member hd_throttled_members[];

#endif
