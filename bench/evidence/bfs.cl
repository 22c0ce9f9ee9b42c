/*
 * Breadth-first search with a mask in the place of a queue: `expand` has every node of the
 * frontier mark its neighbours, `advance` makes the marked ones the next frontier. A pair of
 * launches does one level; the host stops when `changed` stays 0.
 *
 * One work-item per node, of which most find nothing to do.
 */
#define NOT_REACHED -1

typedef struct {
    int first; /* its edges lead to edges[first] to edges[first + degree - 1] */
    int degree;
    int distance;
    uchar frontier;
    uchar next;
    uchar visited;
} node_t;

__kernel void begin(__global node_t *nodes, const int source, const int count) {
    int v = get_global_id(0);
    if (v >= count)
        return;
    nodes[v].distance = v == source ? 0 : NOT_REACHED;
    nodes[v].frontier = v == source;
    nodes[v].visited = v == source;
    nodes[v].next = 0;
}

__kernel void expand(__global node_t *nodes, __global const int *restrict edges, const int count) {
    int v = get_global_id(0);
    if (v < count && nodes[v].frontier) {
        nodes[v].frontier = 0;
        int end = nodes[v].first + nodes[v].degree;
        for (int e = nodes[v].first; e < end; e++) {
            int neighbour = edges[e];
            if (!nodes[neighbour].visited) {
                nodes[neighbour].distance = nodes[v].distance + 1;
                nodes[neighbour].next = 1;
            }
        }
    }
}

__kernel void advance(__global node_t *nodes, __global int *changed, const int count) {
    int v = get_global_id(0);
    if (v < count && nodes[v].next) {
        nodes[v].frontier = 1;
        nodes[v].visited = 1;
        nodes[v].next = 0;
        *changed = 1;
    }
}
