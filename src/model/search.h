/*
 * The search for the best layout, over evaluators behind one interface.
 */
#ifndef HD_SEARCH_H
#define HD_SEARCH_H

#include "model/cost.h"

/* A layout gains when it is better by more than this share: in static cost, and in time
 * (race.h). A new layout has a price that neither knows. */
#define HD_NOTICEABLE 0.01

typedef struct hd_search_options {
    uint32_t keep;          /* how many layouts to rank; 0: 16 */
    uint32_t exact_fields;  /* score every partition up to so many fields; 0: 12 */
    uint32_t subset_fields; /* all subsets up to so many; 0, and at most: 20 */
    double seconds;         /* limit for branch and bound; 0: 60 */
    uint64_t nodes;         /* another one, that is the same on every machine; 0: none */
    double leave; /* recommend leaving the original unless a layout is cheaper by this share;
                   * 0: HD_NOTICEABLE */
} hd_search_options;

typedef struct hd_ranked {
    hd_layout *layout;
    hd_cost_vector cost;
    double ratio; /* to the original */
} hd_ranked;

typedef struct hd_search_result {
    hd_cost_vector original; /* of AoS; of a record of arrays, of those */
    hd_ranked *ranked;       /* best first */
    uint32_t ranked_count;
    bool leave;          /* the original is as good as it gets */
    bool proven;         /* ranked[0] is optimal in the model */
    double gap;          /* else: (best - lower bound) / best */
    uint64_t partitions; /* scored one by one; 0 beyond exact_fields */
    bool subsets;        /* found by all subsets: `nodes` is the clusters priced */
    uint64_t nodes;      /* of branch and bound */
    double seconds;
} hd_search_result;

/* Ranks layouts by static cost. Equal costs go to the plainest layout (tie.c). Layouts are one
 * where they differ only in where fields lie that no access touches, or in tiles so long that
 * they make no difference, and of many of one cost two are ranked. */
void hd_search_static(hd_arena *arena, hd_cost_model *model, const hd_search_options *options,
                      hd_search_result *result);

#endif
