/*
 * Judges of layouts, behind one interface.
 *
 * A judge knows which layouts are good, and keeps to itself why: it holds a cost model, a graph
 * of accesses, or a device with a clock. It can do one of two things:
 *
 *     propose   name the layouts that it would take, the best first: cheap
 *     time      say how long the job takes in a layout: dear, and never twice the same
 *
 * The search asks those who propose what to try, and races what they name on one that times
 * (race.h).
 */
#ifndef HD_JUDGE_H
#define HD_JUDGE_H

#include "cost/layout_graph.h"
#include "search/search.h"
#include "search/tile_steps.h"

typedef struct hd_judge hd_judge;
struct hd_judge {
    const char *name; /* "graph and tree" */
    const void *state;
    /* At most `most` layouts in normal form, the best first; returns how many. */
    uint32_t (*propose)(const hd_judge *judge, hd_arena *arena, hd_layout **layouts, uint32_t most);
};

/* ---- propose.c: judges that propose ------------------------------------------- */

/* The best of a static search. */
hd_judge hd_judge_cost(hd_arena *arena, const hd_device *device, const hd_search_result *search);

/* The clusters of the graph for `epsilon`, each with the tile that the tree selects for its
 * bytes (LAYOUTOPTIMIZE of Kofler, Cosenza and Fahringer, section 3.3), and then, as one
 * cluster, the whole record with its tile. Without a tree the clusters alone, each AoS. */
hd_judge hd_judge_graph(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon,
                        const hd_tile_steps *tree);

/* What everybody would try: SoA, then the whole record in tiles. */
hd_judge hd_judge_plain(hd_arena *arena, const hd_record *record);

typedef struct hd_proposal {
    hd_layout *layout;
    const char *by; /* names of the judges, with ", " between them */
} hd_proposal;

/* What the judges propose: the best of each, then the second of each, and so on; no layout
 * twice, and not the original. Layouts that differ only in the places of fields beside `used`,
 * those that some access touches, are one. */
hd_proposal *hd_propose(hd_arena *arena, const hd_record *record, uint64_t used,
                        const hd_judge *judges, uint32_t judge_count, uint32_t most,
                        uint32_t *count);

#endif
