/*
 * Breadth-first search over a graph in CSR form, one level a launch: every node of
 * level `now` gives the nodes after it that have no level yet the next one.
 *
 * One work-item per node.
 */
__kernel void visit(__global const int *first, __global const int *to, __global int *level,
                    int nodes, int now) {
    int node = get_global_id(0);
    if (node >= nodes || level[node] != now)
        return;
    for (int e = first[node]; e < first[node + 1]; e++)
        if (level[to[e]] < 0)
            level[to[e]] = now + 1;
}
