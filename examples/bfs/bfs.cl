/*
 * Breadth-first search over a circuit from all its inputs and flip-flops: how many gates the
 * shortest path to each gate has. Each node looks back at its operands, as in sta.cl, whose
 * accesses these are but for the delay.
 *
 * A launch does one level of the circuit, whose nodes need nothing of each other: `order` has
 * all nodes by level, those of this level from `first` on. `start` does level 0, where the
 * search begins; `visit` every other one.
 *
 * One work-item per node of the level.
 */
typedef struct node {
    uint first, end; /* its operands are operands[first] to operands[end - 1] */
    uint distance;
} node;

__kernel void start(__global node *nodes, __global const uint *order, uint first, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    nodes[order[first + i]].distance = 0;
}

__kernel void visit(__global node *nodes, __global const uint *operands,
                    __global const uint *order, uint first, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint v = order[first + i];
    uint begin = nodes[v].first;
    uint end = nodes[v].end;
    uint nearest = UINT_MAX - 1;
    for (uint a = begin; a < end; a++)
        nearest = min(nearest, nodes[operands[a]].distance);
    nodes[v].distance = nearest + 1;
}
