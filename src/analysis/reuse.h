/*
 * The data reuse characteristic: how much data the memory instructions (MIs) of a
 * reference stream use again, by how many MIs lie between (Memory-trace analysis of
 * the data sharing degree in SIMT architectures, chapters IV to VI). docs/reuse.md has
 * the definitions.
 *
 *     hd_reuse_options o = {.scenario = 4, .k = 8};
 *     hd_reuse *reuse;
 *     hd_reuse_analyse(arena, diag, trace, &o, &reuse);
 *     reuse->streams[0].degree[d]                 at distance d
 */
#ifndef HD_REUSE_H
#define HD_REUSE_H

#include "base/ranks.h"
#include "trace/trace.h"

typedef struct hd_reuse_options {
    uint32_t scenario;                 /* 1 to 6 */
    uint64_t k;                        /* scenario 4: blocks that run at once */
    uint32_t clusters, units;          /* 5, 6: core clusters, and load/store units of each */
    uint32_t element_bytes;            /* 0: 4 */
    uint32_t spaces;                   /* bit 1 << kir_space; 0: global memory */
    uint64_t first_launch, end_launch; /* numbers, from the first to before the end; 0, 0: all */
    const char *block_order;           /* of hd_block_orders; NULL: sequential */
    const char *warp_order;            /* 5, 6: of hd_warp_orders; NULL: round-robin */
    uint64_t seed;                     /* of the order `random` */
    uint64_t memory;  /* bytes that it may take for what it keeps of MIs and accesses, 64 MiB at
                       * least; 0: 1 GiB. More accesses than that are handled in shares */
    uint32_t workers; /* 0: one for each core; fewer where memory is short */
    /* That divide the work, each of which has the trace open; NULL: there is one. Options are the
     * same on all but for `workers` and `progress`; `memory` is that of each. */
    const hd_ranks *ranks;
    /* Called from the calling thread some thousand times a second at most, with what is done of
     * all that there is to do; may be NULL. */
    void (*progress)(void *user, const char *doing, double done);
    void *user;
} hd_reuse_options;

/* What one stream is, and its characteristic. */
typedef struct hd_reuse_stream {
    uint32_t launch; /* scenario 2: number of its launch */
    uint64_t number; /* scenario 2: of the block; 5: of the cluster; else 0 */
    uint64_t blocks;
    uint64_t mis;      /* its length: issues, where units are limited */
    uint64_t accesses; /* of elements, by lanes */
    uint64_t domain;   /* the largest distance with a degree, 0 when there is none */
    uint64_t *degree;  /* [domain + 1]; [0] is 0 */
} hd_reuse_stream;

typedef struct hd_reuse {
    hd_reuse_stream *streams;
    uint64_t stream_count;
    uint64_t blocks, aggregates; /* of all streams */
    uint64_t elements;           /* different ones */
    uint64_t accesses;
    uint64_t k;      /* scenario 4: that was used, at most all blocks of a launch */
    uint32_t shares; /* in how many the elements were handled, for want of memory */
} hd_reuse;

/* HD_EINPUT when parameters are missing or make no sense, whatever the trace. */
hd_status hd_reuse_check(hd_arena *arena, const hd_diag *diag, const hd_reuse_options *options);

/* Several blocks of the trace may be read at once. Results depend on nothing but the trace
 * and the options that have to do with it (`shares` also on memory); all ranks have the same.
 * HD_EINPUT: options that hd_reuse_check() refuses, a trace without accesses to these spaces;
 * HD_EUNSUPPORTED: degrees whose sum is beyond 62 bits, more memory than `memory` allows.
 * A rank that fails returns; the others then fail at their next exchange. */
hd_status hd_reuse_analyse(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                           const hd_reuse_options *options, hd_reuse **reuse);

#endif
