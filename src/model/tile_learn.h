/*
 * Learning which tile is best for how many bytes (layout/tile_steps.h), from measured kernels.
 *
 *     hd_tile_kernel   times of one training kernel in each tile
 *     hd_tile_pattern  a tile that is good for a number of bytes: the fastest of a kernel,
 *                      and each that is less than 1% slower
 *     hd_tile_steps    what the patterns teach
 *
 *     patterns = hd_tile_patterns(arena, kernels, kernel_count, &pattern_count);
 *     steps = hd_tile_learn(arena, patterns, pattern_count);
 *     tile = hd_tile_select(steps, bytes);
 */
#ifndef HD_TILE_LEARN_H
#define HD_TILE_LEARN_H

#include "layout/tile_steps.h"

/* ---- tile_learn.c ----------------------------------------------------------- */

typedef struct hd_tile_pattern {
    uint64_t bytes, tile;
} hd_tile_pattern;

/* What a tree of C5.0 with its default settings says. Without a pattern it is AoS. */
hd_tile_steps *hd_tile_learn(hd_arena *arena, const hd_tile_pattern *patterns, size_t count);

/* ---- tile_check.c: patterns, and how good steps are ---------------------------- */

typedef struct hd_tile_kernel {
    uint64_t bytes;                  /* of its record */
    double seconds[HD_TILE_CLASSES]; /* of each tile; 0: not measured */
} hd_tile_kernel;

hd_tile_pattern *hd_tile_patterns(hd_arena *arena, const hd_tile_kernel *kernels, size_t count,
                                  size_t *pattern_count);

/* How kernels fared with tiles that were learned without them. A kernel that was not
 * measured in the tile that was chosen for it counts as one that missed, and as no slowdown. */
typedef struct hd_tile_score {
    uint32_t kernels;
    uint32_t folds;  /* times that was learned */
    uint32_t within; /* kernels whose tile was the best or less than 1% slower */
    double slowdown; /* mean of time / best time */
    double worst;
} hd_tile_score;

/* k folds of kernels in an order that `seed` shuffles; fewer where there are fewer kernels. */
hd_tile_score hd_tile_cross_validate(const hd_tile_kernel *kernels, size_t count, uint32_t folds,
                                     uint64_t seed);
/* Each number of bytes in turn is left out. */
hd_tile_score hd_tile_leave_size_out(const hd_tile_kernel *kernels, size_t count);
/* The kernels that the steps themselves were learned from. */
hd_tile_score hd_tile_score_steps(const hd_tile_steps *steps, const hd_tile_kernel *kernels,
                                  size_t count);

#endif
