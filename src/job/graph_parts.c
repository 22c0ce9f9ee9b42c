/* A graph as arrays of numbers, for the buffers of jobs. */
#include "job/graph.h"

enum unit { NODE, BOUND, ARC, EDGE };

static const struct {
    const char *name;
    enum unit unit;
} parts[HD_PART_KINDS] = {
#define PART(name, text, unit) [HD_PART_##name] = {text, unit},
    HD_GRAPH_PARTS(PART)
#undef PART
};

bool hd_graph_part_parse(const char *name, hd_graph_part *part) {
    for (int p = 0; p < HD_PART_KINDS; p++)
        if (!strcmp(parts[p].name, name)) {
            *part = (hd_graph_part)p;
            return true;
        }
    return false;
}

const char *hd_graph_part_name(hd_graph_part part) { return parts[part].name; }

const char *hd_graph_part_names(hd_arena *arena) {
    hd_str names = {.arena = arena};
    for (int p = 0; p < HD_PART_KINDS; p++)
        hd_str_printf(&names, "%s%s", p ? ", " : "", parts[p].name);
    return hd_str_text(&names);
}

uint64_t hd_graph_part_count(const hd_graph *graph, hd_graph_part part, bool *may_drop_last) {
    enum unit unit = parts[part].unit;
    *may_drop_last = unit == BOUND;
    return unit == NODE    ? graph->nodes
           : unit == BOUND ? (uint64_t)graph->nodes + 1
           : unit == ARC   ? graph->first[graph->nodes]
                           : graph->edges;
}

bool hd_graph_has_part(const hd_graph *graph, hd_graph_part part) {
    return part != HD_PART_GATES || graph->gates;
}

/* ---- the numbers --------------------------------------------------------------- */

/* Every edge once, as a graph; an undirected edge leads from its lower end. */
static const hd_graph *edges_once(hd_arena *arena, const hd_graph *graph) {
    if (graph->directed)
        return graph;
    hd_graph *once = hd_new(arena, hd_graph);
    *once = (hd_graph){.nodes = graph->nodes,
                       .edges = graph->edges,
                       .directed = true,
                       .first = hd_new_array(arena, uint32_t, (size_t)graph->nodes + 1),
                       .to = hd_new_array(arena, uint32_t, graph->edges)};
    uint32_t count = 0;
    for (uint32_t v = 0; v < graph->nodes; v++) {
        for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
            if (v < graph->to[e])
                once->to[count++] = graph->to[e];
        once->first[v + 1] = count;
    }
    return once;
}

static const uint32_t *degrees(hd_arena *arena, const hd_graph *graph) {
    uint32_t *made = hd_new_array(arena, uint32_t, graph->nodes);
    for (uint32_t v = 0; v < graph->nodes; v++)
        made[v] = graph->first[v + 1] - graph->first[v];
    return made;
}

const uint32_t *hd_graph_part_values(hd_arena *arena, const hd_graph *graph, hd_graph_part part) {
    const hd_graph *once = part >= HD_PART_EDGE_FROM ? edges_once(arena, graph) : NULL;
    uint32_t *made, *at;
    switch (part) {
    case HD_PART_FIRST: return graph->first;
    case HD_PART_END: /* of a row: where the next one begins */ return graph->first + 1;
    case HD_PART_TO: return graph->to;
    case HD_PART_DEGREE: return degrees(arena, graph);
    case HD_PART_PREDECESSOR_DEGREE: return degrees(arena, hd_graph_transpose(arena, graph));
    case HD_PART_PREDECESSOR_FIRST: return hd_graph_transpose(arena, graph)->first;
    case HD_PART_PREDECESSOR_END: return hd_graph_transpose(arena, graph)->first + 1;
    case HD_PART_PREDECESSORS: return hd_graph_transpose(arena, graph)->to;
    case HD_PART_LEVELS: /* none is HD_NO_LEVEL here */
        return (const uint32_t *)hd_graph_levels(arena, graph)->level;
    case HD_PART_ORDER: return hd_graph_levels(arena, graph)->order;
    case HD_PART_GATES:
        made = hd_new_array(arena, uint32_t, graph->nodes);
        for (uint32_t v = 0; v < graph->nodes; v++)
            made[v] = graph->gates[v];
        return made;
    case HD_PART_EDGE_FROM:
        made = hd_new_array(arena, uint32_t, once->edges);
        for (uint32_t v = 0; v < once->nodes; v++)
            for (uint32_t e = once->first[v]; e < once->first[v + 1]; e++)
                made[e] = v;
        return made;
    case HD_PART_EDGE_TO: return once->to;
    case HD_PART_EDGE_FIRST: return once->first;
    case HD_PART_BACK_FIRST: return hd_graph_transpose(arena, once)->first;
    case HD_PART_BACK_EDGES: /* of each node, in the order of nodes */
        made = hd_new_array(arena, uint32_t, once->edges);
        at = hd_graph_transpose(arena, once)->first;
        for (uint32_t e = 0; e < once->edges; e++)
            made[at[once->to[e]]++] = e;
        return made;
    case HD_PART_KINDS: break;
    }
    return NULL;
}
