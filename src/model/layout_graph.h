/*
 * The kernel data layout graph: how many bytes of global memory lie between the uses of two
 * fields, and the clusters of fields that are used close together.
 *
 * After Kofler, Cosenza and Fahringer, "Automatic Data Layout Optimizations for GPUs", sections
 * 3.1 and 3.3. docs/layout-graph.md says what the document leaves open, and how it is decided
 * here.
 */
#ifndef HD_LAYOUT_GRAPH_H
#define HD_LAYOUT_GRAPH_H

#include "model/cost.h"

/* No way leads from one to the other. */
#define HD_UNREACHABLE UINT64_MAX
/* Longer ways are taken to be this long. */
#define HD_FARTHEST ((uint64_t)INT64_MAX)

/* ---- layout_distance.c: bytes between two accesses of a kernel ----------------- */

typedef struct hd_ways hd_ways;

/* `lengths`: iterations of every loop of info->flow. Both are borrowed. Ways are found when they
 * are first asked for, so not from two threads at once. */
hd_ways *hd_ways_make(hd_arena *arena, const hd_kernel_info *info, const uint64_t *lengths);
/* Bytes that a work-item moves to or from global memory after access `from`, up to and with
 * access `to` (OUT of the document); 0 from an access to itself. */
uint64_t hd_ways_bytes(hd_ways *ways, uint32_t from, uint32_t to);
/* Whether the access stands where the kernel comes by: not in a loop of no iterations. */
bool hd_ways_passes(const hd_ways *ways, uint32_t access);

/* ---- layout_graph.c ------------------------------------------------------------- */

/* A vertex for every field of `record`, of the field's size; an edge between any two. */
typedef struct hd_layout_graph {
    const hd_record *record;
    uint64_t reached;   /* fields that some launch accesses, as bits */
    uint64_t *distance; /* [field_count * field_count], symmetric; 0 from a field to itself */
} hd_layout_graph;

/* The graph of all launches of a resolved job, which must have a record. */
hd_status hd_layout_graph_make(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                               hd_layout_graph **graph);

static inline uint64_t hd_layout_distance(const hd_layout_graph *graph, uint32_t a, uint32_t b) {
    return graph->distance[a * graph->record->field_count + b];
}

/* Fields whose distance is less than `epsilon` come into one cluster (KDLG-PARTITIONING).
 * Returns how many clusters there are; they stand in the order of their first fields. */
uint32_t hd_layout_graph_clusters(const hd_layout_graph *graph, uint64_t epsilon,
                                  uint64_t masks[HD_MAX_FIELDS]);
/* They as a layout, each AoS. */
hd_layout *hd_layout_graph_split(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon);

#endif
