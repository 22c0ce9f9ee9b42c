/*
 * SELECT-TILESIZE: from the bytes of a cluster to its tile, by a decision tree that was
 * learned from measurements (Kofler, Cosenza and Fahringer, "Automatic Data Layout
 * Optimizations for GPUs", Euro-Par 2015, section 3.2).
 *
 *     hd_tile_kernel   times of one training kernel in each tile
 *     hd_tile_pattern  a tile that is good for a number of bytes: the fastest of a kernel,
 *                      and each that is less than 1% slower
 *     hd_tile_tree     what the patterns teach
 *
 *     patterns = hd_tile_patterns(arena, kernels, kernel_count, &pattern_count);
 *     tree = hd_tile_tree_learn(arena, patterns, pattern_count);
 *     tile = hd_tile_tree_select(tree, bytes);
 */
#ifndef HD_TILE_TREE_H
#define HD_TILE_TREE_H

#include "layout/layout.h"

/* The tiles that are told apart: AoS, 2, 4, ..., 2^15, SoA. */
enum { HD_TILE_CLASSES = 17 };
uint64_t hd_tile_of_class(uint32_t class);
/* HD_TILE_CLASSES when it is none of them. */
uint32_t hd_tile_class(uint64_t tile);
/* "AoS", "512", "SoA" */
const char *hd_tile_name(hd_arena *arena, uint64_t tile);

/* ---- tile_tree.c ------------------------------------------------------------ */

typedef struct hd_tile_pattern {
    uint64_t bytes, tile;
} hd_tile_pattern;

typedef struct hd_tile_tree hd_tile_tree;
struct hd_tile_tree {
    uint64_t threshold;             /* bytes <= threshold: */
    const hd_tile_tree *low, *high; /* low, else high; both NULL: a leaf */
    uint64_t tile;                  /* of a leaf */
};

/* The tree of C5.0 with its default settings. Without a pattern it is the leaf AoS. */
hd_tile_tree *hd_tile_tree_learn(hd_arena *arena, const hd_tile_pattern *patterns, size_t count);
uint64_t hd_tile_tree_select(const hd_tile_tree *tree, uint64_t bytes);

/* ---- tile_tree_text.c --------------------------------------------------------- */

/* On one line: a leaf is its tile, a node "<= 20 (LOW) (HIGH)", where a leaf needs no
 * parentheses: "<= 20 (<= 12 1024 512) AoS". */
const char *hd_tile_tree_print(hd_arena *arena, const hd_tile_tree *tree);
hd_status hd_tile_tree_parse(hd_arena *arena, const hd_diag *diag, const char *text,
                             hd_tile_tree **tree);
/* For reading: a line for each branch, those of `low` first, indented by their depth. */
void hd_tile_tree_show(hd_str *out, const hd_tile_tree *tree, uint32_t indent);

/* ---- tile_check.c: patterns, and how good trees are ---------------------------- */

typedef struct hd_tile_kernel {
    uint64_t bytes;                  /* of its record */
    double seconds[HD_TILE_CLASSES]; /* of each tile; 0: not measured */
} hd_tile_kernel;

hd_tile_pattern *hd_tile_patterns(hd_arena *arena, const hd_tile_kernel *kernels, size_t count,
                                  size_t *pattern_count);

/* How kernels fared with tiles from trees that were learned without them. A kernel that was not
 * measured in the tile that was chosen for it counts as one that missed, and as no slowdown. */
typedef struct hd_tile_score {
    uint32_t kernels;
    uint32_t folds;  /* trees that were learned */
    uint32_t within; /* kernels whose tile was the best or less than 1% slower */
    double slowdown; /* mean of time / best time */
    double worst;
} hd_tile_score;

/* k folds of kernels in an order that `seed` shuffles; fewer where there are fewer kernels. */
hd_tile_score hd_tile_cross_validate(const hd_tile_kernel *kernels, size_t count, uint32_t folds,
                                     uint64_t seed);
/* Each number of bytes in turn is left out. */
hd_tile_score hd_tile_leave_size_out(const hd_tile_kernel *kernels, size_t count);
/* The kernels that the tree itself was learned from. */
hd_tile_score hd_tile_score_tree(const hd_tile_tree *tree, const hd_tile_kernel *kernels,
                                 size_t count);

#endif
