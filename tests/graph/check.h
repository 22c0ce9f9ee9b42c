/* Every invariant of a graph; false with a message. */
#ifndef TESTS_GRAPH_CHECK_H
#define TESTS_GRAPH_CHECK_H

#include "graph/graph.h"

static inline bool graph_wrong(const hd_diag *diag, const char *what, uint32_t node) {
    hd_fail(diag, HD_EINPUT, NULL, "the graph is broken at node %u: %s", node, what);
    return false;
}

static inline bool graph_check_rows(const hd_diag *diag, const hd_graph *graph) {
    for (uint32_t v = 0; v < graph->nodes; v++) {
        if (graph->first[v] > graph->first[v + 1])
            return graph_wrong(diag, "its row ends before it begins", v);
        for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            if (graph->to[e] >= graph->nodes)
                return graph_wrong(diag, "a successor is no node", v);
            if (e > graph->first[v] && graph->to[e - 1] > graph->to[e])
                return graph_wrong(diag, "its successors do not ascend", v);
        }
    }
    return true;
}

static inline bool graph_check_both_ends(const hd_diag *diag, const hd_graph *graph) {
    hd_arena *arena = hd_arena_new();
    const hd_graph *turned = hd_graph_transpose(arena, graph);
    bool same = true;
    for (uint32_t v = 0; v < graph->nodes && same; v++) {
        same = graph->first[v + 1] == turned->first[v + 1];
        for (uint32_t e = graph->first[v]; same && e < graph->first[v + 1]; e++)
            same = graph->to[e] == turned->to[e] && graph->to[e] != v &&
                   (e == graph->first[v] || graph->to[e - 1] != graph->to[e]);
        if (!same)
            graph_wrong(diag, "an edge stands at one end only, twice, or leads to itself", v);
    }
    hd_arena_free(arena);
    return same;
}

static inline bool graph_check(const hd_diag *diag, const hd_graph *graph) {
    uint64_t entries = (uint64_t)graph->edges * (graph->directed ? 1 : 2);
    if (graph->nodes > HD_GRAPH_MOST || entries > HD_GRAPH_MOST)
        return graph_wrong(diag, "there are more than 2^31 - 1 of them, or of edges", 0);
    if (graph->first[0] || graph->first[graph->nodes] != entries)
        return graph_wrong(diag, "the rows do not hold all edges", graph->nodes);
    if (!graph_check_rows(diag, graph) || (!graph->directed && !graph_check_both_ends(diag, graph)))
        return false;
    for (uint32_t v = 0; v < graph->nodes && graph->gates; v++)
        if (graph->gates[v] >= HD_GATE_KINDS)
            return graph_wrong(diag, "it is no kind of gate", v);
    return true;
}

#endif
