/*
 * What is to be tried: layouts that judges propose.
 *
 * A judge knows which layouts are good by static cost, or by a graph of accesses. What the judges
 * propose is raced on a device (race.h), which decides.
 */
#ifndef HD_PROPOSE_H
#define HD_PROPOSE_H

#include "layout/tile_steps.h"
#include "model/layout_graph.h"
#include "driver/placement.h"
#include "model/search.h"

typedef struct hd_judge {
    const char *name;            /* "graph and tree" */
    hd_vec(hd_layout *) layouts; /* that it would take, in normal form, the best first */
} hd_judge;

/* The best ten of a static search. */
hd_judge hd_judge_cost(hd_arena *arena, const hd_device *device, const hd_search_result *search);

/* The clusters of the graph for `epsilon`, each with the tile that is selected for its
 * bytes (LAYOUTOPTIMIZE of Kofler, Cosenza and Fahringer, section 3.3), and then, as one
 * cluster, the whole record with its tile. `tiles` NULL: the clusters alone, each AoS. */
hd_judge hd_judge_graph(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon,
                        const hd_tile_steps *tiles);

/* What everybody would try: SoA, then the whole record in tiles. */
hd_judge hd_judge_plain(hd_arena *arena, const hd_record *record);

typedef struct hd_proposal {
    hd_layout *layout;
    const char *by;                /* names of the judges, with ", " between them */
    const hd_placement *placement; /* of the record's buffers; NULL: the job's */
} hd_proposal;

/* What the judges propose: the best of each, then the second of each, and so on, `most` at most;
 * no layout twice, and not the original. Layouts that differ only in the places of fields beside
 * `used`, those that some access touches, are one; but for the original, so are those that group
 * these fields alike (hd_layout_group()). */
hd_proposal *hd_propose(hd_arena *arena, const hd_record *record, uint64_t used,
                        const hd_judge *judges, uint32_t judge_count, uint32_t most,
                        uint32_t *count);

/* Proposals of hd_propose(), which are in the job's placement, with others: the original in each
 * of `placements`, then the first HD_PLACED_LAYOUTS proposals, each in the job's and in each of
 * them, then the other proposals in the job's; `most` at most. *left_out: of the original and all
 * proposals, in all placements, how many are not among them. */
enum { HD_PLACED_LAYOUTS = 3 };
hd_proposal *hd_propose_placements(hd_arena *arena, const hd_record *record,
                                   const hd_proposal *proposals, uint32_t proposal_count,
                                   const hd_placement *placements, uint32_t placement_count,
                                   uint32_t most, uint32_t *count, uint32_t *left_out);

#endif
