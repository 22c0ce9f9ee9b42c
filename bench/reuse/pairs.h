/*
 * Algorithm 1 of the document (chapter V): the address structures of all pairs of MIs are
 * compared. Here the structures are made once, before the pairs, and are sorted arrays of
 * elements with their multiplicities beside them, so that a comparison is a merge and not a
 * look-up in a map for each element. MIs without lanes are passed over. One thread, as there.
 */
#ifndef HD_BENCH_REUSE_PAIRS_H
#define HD_BENCH_REUSE_PAIRS_H

#include "trace/trace.h"

typedef struct pairs_mi {
    uint64_t first, count; /* its elements, ascending */
} pairs_mi;

typedef struct pairs_stream {
    hd_vec(pairs_mi) mis;
    hd_vec(uint64_t) elements;
    hd_vec(uint32_t) multiplicities;
} pairs_stream;

/* The stream of scenario 4: groups of `k` blocks run at once. Elements of 4 bytes, of global
 * memory. */
hd_status pairs_read(hd_arena *arena, const hd_diag *diag, const char *path, uint64_t k,
                     pairs_stream *stream);

/* degree[d] for d < stream->mis.count. Algorithm 1 compares every pair; `overlapping` leaves
 * out those of which one has only elements below the other's, which is no part of it. */
uint64_t *pairs_characteristic(hd_arena *arena, const pairs_stream *stream, bool overlapping);

/* Elements that the comparisons are given: of every pair i < j, those of i and those of j. */
double pairs_work(const pairs_stream *stream);

#endif
