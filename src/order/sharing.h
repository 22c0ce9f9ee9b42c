/*
 * The data sharing and volume graph of a launch: which threads touch the same memory.
 *
 * A hypergraph HG(V, E, wv, we): vertices are threads, weighted by the bytes that they alone touch;
 * hyperedges (nets) are what several threads touch, weighted by its bytes (Memory-trace analysis of
 * the data sharing degree in SIMT architectures, section 8.1, equation 5). Two of them are kept,
 * over the same threads:
 *
 *     lines      a net is an aligned line that threads touch at any time: what caches serve
 *     requests   a net is a segment that threads touch in the same step, the k-th execution of one
 *                access: what a warp moves at once
 *
 * Lanes of a warp that touch a segment in the same step share one transaction. So the transactions
 * of a map are the sum over the nets of `requests` of weight times the number of warps that the
 * net's threads are in, plus `alone`. That a thread's k-th execution of an access happens with the
 * others' k-th one holds for accesses in at most one loop that all lanes go through together; where
 * it does not, the count is an estimate, and the machine's of the rewritten kernel decides.
 */
#ifndef HD_MAPPING_SHARING_H
#define HD_MAPPING_SHARING_H

#include "base/base.h"

/* Nets in CSR form: the threads of net n are thread[first[n]] .. thread[first[n + 1] - 1], ascending,
 * at least two. */
typedef struct hd_nets {
    uint64_t count;
    uint64_t *first;  /* [count + 1] */
    uint32_t *thread; /* [first[count]] */
    uint32_t *weight; /* [count]: transactions, or bytes */
} hd_nets;

/* Thread t is lane t mod block_threads of block t / block_threads (hd_event_launch). */
typedef struct hd_sharing {
    uint32_t threads; /* blocks * block_threads */
    uint32_t block_threads;
    uint32_t warp;    /* lanes whose accesses are joined */
    uint32_t segment; /* bytes of a transaction */
    uint32_t line;    /* bytes of a net of `lines` */
    hd_nets requests;
    hd_nets lines;
    uint64_t alone;          /* transactions of segments that one thread touches in a step */
    uint32_t *private_bytes; /* [threads]: of lines that no other thread touches */
    /* How often thread t executed access a: steps[t * accesses + a]. A warp issues each access as
     * often as the lane that executes it most. Accesses that all threads execute equally often are
     * one, of that weight. */
    uint32_t accesses;
    uint32_t *steps;
    uint32_t *issues; /* [accesses]: their weight */
    /* Where a thread first touches what an access does: the address at start[c * threads + t], for
     * accesses to which threads go in different places; UINT64_MAX: never. Threads that are sorted
     * by it touch neighbours together. */
    uint32_t starts;
    uint64_t *start;
    /* Lines left out of `lines`, as more threads touch them than tell anything (scalars, tables). */
    uint64_t dropped_lines;
} hd_sharing;

/* What a map of threads makes of it. */
typedef struct hd_sharing_cost {
    uint64_t transactions;
    uint64_t issues; /* requests by warps: of each access the most of a warp's lanes, summed up */
} hd_sharing_cost;

/* sharing.c: warps of the launch, the last of a block perhaps not full, and that of a place. */
uint32_t hd_sharing_warps(const hd_sharing *sharing);
uint32_t hd_sharing_warp_of(const hd_sharing *sharing, uint32_t place);

/* By definition. `order` lists the threads as the warps take them: place p is lane
 * p mod block_threads of block p / block_threads; NULL: as they are. */
hd_sharing_cost hd_sharing_count(const hd_sharing *sharing, const uint32_t *order);

/* Checks that `order` is a permutation of 0 .. count - 1; *bad is the first place where it is not. */
bool hd_is_permutation(const uint32_t *order, uint64_t count, uint64_t *bad);

#endif
