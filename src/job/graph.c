/*
 * Graphs in CSR form.
 *
 * A list of edges becomes rows by counting: how many edges leave each node gives where its
 * row begins, and a second walk over the list puts every edge into its row. Walking a graph's
 * rows in order and putting each edge into the row of its other end is a transposition, and
 * what it puts there is ascending. So two transpositions sort all rows, in time that grows
 * with the edges alone:
 *
 *     edges 0-2 0-1 1-2   ─►   first 0 2 3 3   to 2 1 2   ─► ─►   to 1 2 2
 */
#include "job/graph.h"

/* Counts in first[node + 1] to where each row begins; returns a copy of these places. */
static uint32_t *counts_to_rows(hd_arena *arena, uint32_t nodes, uint32_t *first) {
    uint32_t *at = hd_new_array(arena, uint32_t, nodes);
    for (uint32_t v = 0; v < nodes; v++)
        first[v + 1] += first[v];
    return memcpy(at, first, sizeof *at * nodes);
}

static hd_graph *new_graph(hd_arena *arena, uint32_t nodes, uint32_t edges, bool directed) {
    hd_graph *graph = hd_new(arena, hd_graph);
    *graph = (hd_graph){.nodes = nodes,
                        .edges = edges,
                        .directed = directed,
                        .first = hd_new_array(arena, uint32_t, (size_t)nodes + 1),
                        .to = hd_new_array(arena, uint32_t, (size_t)edges *(directed ? 1 : 2))};
    return graph;
}

hd_graph *hd_graph_transpose(hd_arena *arena, const hd_graph *graph) {
    hd_graph *turned = new_graph(arena, graph->nodes, graph->edges, graph->directed);
    for (uint32_t e = 0; e < graph->first[graph->nodes]; e++)
        turned->first[graph->to[e] + 1]++;
    uint32_t *at = counts_to_rows(arena, graph->nodes, turned->first);
    for (uint32_t v = 0; v < graph->nodes; v++)
        for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
            turned->to[at[graph->to[e]]++] = v;
    turned->gates = graph->gates;
    return turned;
}

hd_graph *hd_graph_of_edges(hd_arena *arena, uint32_t nodes, bool directed,
                            const hd_graph_edge *edges, uint32_t edge_count) {
    hd_arena *scratch = hd_arena_new();
    hd_graph *graph = new_graph(scratch, nodes, edge_count, directed);
    for (uint32_t e = 0; e < edge_count; e++) {
        graph->first[edges[e].from + 1]++;
        if (!directed)
            graph->first[edges[e].to + 1]++;
    }
    uint32_t *at = counts_to_rows(scratch, nodes, graph->first);
    for (uint32_t e = 0; e < edge_count; e++) {
        graph->to[at[edges[e].from]++] = edges[e].to;
        if (!directed)
            graph->to[at[edges[e].to]++] = edges[e].from;
    }
    hd_graph *sorted = hd_graph_transpose(arena, hd_graph_transpose(scratch, graph));
    hd_arena_free(scratch);
    return sorted;
}
