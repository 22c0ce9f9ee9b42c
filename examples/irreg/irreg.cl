/*
 * Relaxation over an unstructured mesh, as solvers of partial differential equations do it:
 * each node's value moves towards those of its neighbours.
 *
 * `relax` gathers the differences to all neighbours; `update` then changes the values. They
 * are two kernels because every work-item of the first reads its neighbours' values, so none
 * may change under it.
 *
 * One work-item per node in both.
 */
#define RATE (1.0f / 32.0f) /* less than one over the most neighbours, so that it settles */

typedef struct node {
    uint first, end; /* its neighbours are neighbours[first] to neighbours[end - 1] */
    float value, change;
} node;

__kernel void relax(__global node *nodes, __global const uint *neighbours, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint begin = nodes[i].first;
    uint end = nodes[i].end;
    float value = nodes[i].value;
    float change = 0.0f;
    for (uint n = begin; n < end; n++)
        change += nodes[neighbours[n]].value - value;
    nodes[i].change = change;
}

__kernel void update(__global node *nodes, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    nodes[i].value += RATE * nodes[i].change;
}
