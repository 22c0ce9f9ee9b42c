/*
 * Levels: which nodes can be worked on side by side.
 *
 * A circuit settles level by level: when all gates of one level have their values, those of
 * the next have all their operands. Nodes are taken up as soon as their last operand was
 * (Kahn, "Topological sorting of large networks", CACM 1962). Edges into flip-flops do not
 * count, since a flip-flop takes its input over only at the next clock. What is never taken up
 * stands in a cycle or behind one.
 */
#include "job/graph.h"

static bool is_flip_flop(const hd_graph *graph, uint32_t node) {
    return graph->gates && graph->gates[node] == HD_GATE_DFF;
}

/* ---- circuits ----------------------------------------------------------------- */

/* Operands that are still to come of each node. */
static uint32_t *count_operands(hd_arena *arena, const hd_graph *graph) {
    uint32_t *left = hd_new_array(arena, uint32_t, graph->nodes);
    for (uint32_t e = 0; e < graph->first[graph->nodes]; e++)
        left[graph->to[e]] += !is_flip_flop(graph, graph->to[e]);
    return left;
}

/* Takes nodes up; left[v] stays above 0 where it never happens. How many were taken up. */
static uint32_t settle(const hd_graph *graph, uint32_t *left, uint32_t *queue, int32_t *level,
                       uint32_t *count) {
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < graph->nodes; v++)
        if (!left[v])
            queue[tail++] = v;
    while (head < tail) {
        uint32_t v = queue[head++];
        if ((uint32_t)level[v] + 1 > *count)
            *count = (uint32_t)level[v] + 1;
        for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            uint32_t next = graph->to[e];
            if (is_flip_flop(graph, next))
                continue;
            if (level[next] <= level[v])
                level[next] = level[v] + 1;
            if (!--left[next])
                queue[tail++] = next;
        }
    }
    return tail;
}

uint32_t hd_graph_find_cycle(hd_arena *arena, const hd_graph *graph, uint32_t **cycle) {
    int32_t *level = hd_new_array(arena, int32_t, graph->nodes);
    uint32_t *queue = hd_new_array(arena, uint32_t, graph->nodes), count = 0, v = 0;
    uint32_t *left = count_operands(arena, graph);
    if (settle(graph, left, queue, level, &count) == graph->nodes)
        return 0;
    /* What is left has an operand that is left: going from operand to operand must return. */
    const hd_graph *operands = hd_graph_transpose(arena, graph);
    uint32_t *step = hd_new_array(arena, uint32_t, graph->nodes), steps = 0;
    while (!left[v])
        v++;
    while (!step[v]) {
        step[v] = ++steps;
        queue[steps - 1] = v;
        uint32_t e = operands->first[v];
        while (!left[operands->to[e]])
            e++;
        v = operands->to[e];
    }
    /* The walk went against the edges; the cycle is told along them, from its lowest node. */
    uint32_t length = steps - step[v] + 1, lowest = 0;
    *cycle = hd_new_array(arena, uint32_t, length);
    for (uint32_t i = 1; i < length; i++)
        if (queue[steps - 1 - i] < queue[steps - 1 - lowest])
            lowest = i;
    for (uint32_t i = 0; i < length; i++)
        (*cycle)[i] = queue[steps - 1 - (lowest + i) % length];
    return length;
}

/* ---- meshes ---------------------------------------------------------------------- */

static void level_mesh(const hd_graph *graph, uint32_t *queue, int32_t *level, uint32_t *count) {
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < graph->nodes; v++)
        level[v] = HD_NO_LEVEL;
    for (uint32_t source = 0; source < graph->nodes; source++) {
        if (level[source] >= 0)
            continue;
        level[source] = 0;
        queue[tail++] = source;
        while (head < tail) {
            uint32_t v = queue[head++];
            if ((uint32_t)level[v] + 1 > *count)
                *count = (uint32_t)level[v] + 1;
            for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
                if (level[graph->to[e]] < 0) {
                    level[graph->to[e]] = level[v] + 1;
                    queue[tail++] = graph->to[e];
                }
        }
    }
}

hd_levels *hd_graph_levels(hd_arena *arena, const hd_graph *graph) {
    int32_t *level = hd_new_array(arena, int32_t, graph->nodes);
    uint32_t *queue = hd_new_array(arena, uint32_t, graph->nodes), count = 0;
    if (graph->directed)
        settle(graph, count_operands(arena, graph), queue, level, &count);
    else
        level_mesh(graph, queue, level, &count);
    hd_levels *levels = hd_new(arena, hd_levels);
    *levels = (hd_levels){.count = count,
                          .level = level,
                          .order = hd_new_array(arena, uint32_t, graph->nodes),
                          .first = hd_new_array(arena, uint32_t, (size_t)count + 1)};
    uint32_t *at = hd_new_array(arena, uint32_t, (size_t)count + 1);
    for (uint32_t v = 0; v < graph->nodes; v++)
        if (level[v] >= 0)
            levels->first[level[v] + 1]++;
    for (uint32_t l = 0; l < count; l++)
        levels->first[l + 1] += levels->first[l];
    memcpy(at, levels->first, sizeof *at * count);
    for (uint32_t v = 0; v < graph->nodes; v++)
        if (level[v] >= 0)
            levels->order[at[level[v]]++] = v;
    return levels;
}
