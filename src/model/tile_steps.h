/*
 * SELECT-TILESIZE: from the bytes of a cluster to its tile, by what a decision tree learned from
 * measurements (Kofler, Cosenza and Fahringer, "Automatic Data Layout Optimizations for GPUs",
 * Euro-Par 2015, section 3.2). The tree has one attribute, the bytes; so what it says is a step
 * function, and that is kept of it.
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
#ifndef HD_TILE_STEPS_H
#define HD_TILE_STEPS_H

#include "layout/layout.h"

/* The tiles that are told apart: AoS, 2, 4, ..., 2^15, SoA. */
enum { HD_TILE_CLASSES = 17 };
uint64_t hd_tile_of_class(uint32_t class);
/* HD_TILE_CLASSES when it is none of them. */
uint32_t hd_tile_class(uint64_t tile);

/* The tile for clusters of more bytes than the step before goes to. */
typedef struct hd_tile_step {
    uint64_t up_to; /* bytes, ascending; UINT64_MAX in the last one */
    uint64_t tile;  /* another one than that of the step before */
} hd_tile_step;
typedef hd_vec(hd_tile_step) hd_tile_steps;

/* ---- tile_learn.c ----------------------------------------------------------- */

typedef struct hd_tile_pattern {
    uint64_t bytes, tile;
} hd_tile_pattern;

/* What a tree of C5.0 with its default settings says. Without a pattern it is AoS. */
hd_tile_steps *hd_tile_learn(hd_arena *arena, const hd_tile_pattern *patterns, size_t count);

/* ---- tile_steps.c ----------------------------------------------------------- */

uint64_t hd_tile_select(const hd_tile_steps *steps, uint64_t bytes);
/* Adds a step behind the last one, or to it when it is of the same tile. */
void hd_tile_steps_add(hd_arena *arena, hd_tile_steps *steps, uint64_t up_to, uint64_t tile);

/* On one line: "1024 to 12, 512 to 20, AoS". */
const char *hd_tile_steps_print(hd_arena *arena, const hd_tile_steps *steps);
/* Such a line. */
hd_status hd_tile_steps_parse(hd_arena *arena, const hd_diag *diag, const char *text,
                              hd_tile_steps **steps);
/* For reading: a line for each step, indented by two. */
void hd_tile_steps_show(hd_str *out, const hd_tile_steps *steps);

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
