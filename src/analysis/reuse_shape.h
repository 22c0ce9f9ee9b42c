/*
 * What is read off data reuse characteristics (Memory-trace analysis of the data sharing
 * degree in SIMT architectures, chapter IX): the shape of one, the variability of many, the
 * difference of two. docs/reuse.md has the definitions.
 */
#ifndef HD_REUSE_SHAPE_H
#define HD_REUSE_SHAPE_H

#include "analysis/reuse.h"

/* ---- reuse_shape.c: of one ------------------------------------------------------------ */

/* Section 9.1. */
typedef enum hd_reuse_class {
    HD_REUSE_NONE, /* no data is reused */
    HD_REUSE_MB,   /* monotonic: degrees never rise */
    HD_REUSE_AMB,  /* approximately so: the maximum is at 1 or 2, and crests fall from there */
    HD_REUSE_NMB   /* not monotonic */
} hd_reuse_class;

/* "none", "MB", "AMB", "NMB". */
const char *hd_reuse_class_name(hd_reuse_class kind);

typedef struct hd_reuse_peak {
    uint64_t distance, degree;
} hd_reuse_peak;

enum { HD_REUSE_PEAKS = 8 };

typedef struct hd_reuse_shape {
    uint64_t domain;    /* the largest distance with a degree */
    uint64_t distances; /* that have one */
    uint64_t total;     /* of all degrees */
    double mean;        /* distance, weighted by degree; NAN without reuse */
    hd_reuse_class kind;
    hd_reuse_peak peaks[HD_REUSE_PEAKS]; /* the most prominent, highest first */
    uint32_t peak_count;
} hd_reuse_shape;

/* Of the degrees [1 .. domain]; their sum fits 62 bits, as those of hd_reuse do. */
hd_reuse_shape hd_reuse_shape_of(const uint64_t *degree, uint64_t domain);

/* The characteristics of all streams added up, as one stream. */
hd_reuse_stream hd_reuse_sum(hd_arena *arena, const hd_reuse *reuse);

/* ---- reuse_spread.c: of many ------------------------------------------------------------ */

/* How far apart two are, from 0 (equal) to 1 (no degree in common): the sum of what differs at
 * each distance, as a share of the degrees of both. */
double hd_reuse_apart(const hd_reuse_stream *a, const hd_reuse_stream *b);

/* The blocks of a kernel, in the order in which they were given. */
typedef struct hd_reuse_spread {
    uint64_t count;
    uint64_t typical;     /* the one nearest to the median degree of each distance */
    double *deviation;    /* [count]: how far from the typical one */
    double median, limit; /* of deviations; an outlier is beyond the limit */
    uint64_t *outliers;   /* [outlier_count]: the farthest first */
    uint64_t outlier_count;
    uint64_t classes[HD_REUSE_NMB + 1]; /* how many are of each */
} hd_reuse_spread;

/* `count` is at least 1. */
hd_reuse_spread *hd_reuse_spread_of(hd_arena *arena, const hd_reuse_stream *const *streams,
                                    uint64_t count);

/* The blocks of a kernel, of all its launches, as scenario 2 gives them. */
typedef struct hd_reuse_kernel {
    const char *name;
    const hd_reuse_stream **streams; /* [spread->count] */
    hd_reuse_spread *spread;
} hd_reuse_kernel;

/* `reuse` is of scenario 2. Kernels in the order of their first launch; returns how many. */
uint32_t hd_reuse_by_kernel(hd_arena *arena, const hd_trace_contents *contents,
                            const hd_reuse *reuse, hd_reuse_kernel **kernels);

/* ---- of two, in reuse_spread.c -------------------------------------------------------------- */

/* Section 9.4, figures 71 to 84. */
typedef struct hd_reuse_difference {
    uint64_t domain;   /* the larger of both */
    int64_t *change;   /* [domain + 1]: degree in b less degree in a; [0] is 0 */
    int64_t sum;       /* of the changes */
    uint64_t absolute; /* of their sizes */
    double apart;      /* hd_reuse_apart() */
} hd_reuse_difference;

hd_reuse_difference *hd_reuse_compare(hd_arena *arena, const hd_reuse_stream *a,
                                      const hd_reuse_stream *b);

#endif
