/* A breadth-first search by frontiers, and what a host does between its launches. */
struct node { int level; float weight; };

__kernel void expand(__global struct node *nodes, __global const uint *first,
                     __global const uint *degree, __global const uint *to,
                     __global const uint *frontier, __global uint *next, __global uint *counts,
                     uint size, int level) {
    uint i = get_global_id(0);
    if (i >= size)
        return;
    uint v = frontier[i];
    for (uint e = first[v]; e < first[v] + degree[v]; e++)
        if (atomic_cmpxchg((volatile __global int *)&nodes[to[e]].level, -1, level) == -1)
            next[atomic_inc(&counts[1])] = to[e];
}

__kernel void take(__global const uint *counts, __global uint *sum, uint size) {
    if (get_global_id(0) == 0) {
        sum[0] += size;
        sum[1] += get_global_size(0);
    }
    (void)counts;
}

__kernel void move(__global uint *counts) {
    counts[0] = counts[1];
    counts[1] = 0;
}
