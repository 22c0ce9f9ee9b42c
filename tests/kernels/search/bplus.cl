// flags: -g 512 --local 16 -n 512 -a height=3 -a queries=32
// accesses: 15
// layouts: {keys}{indices,location,is_leaf} soa
// A search in a B+ tree, level by level: a group for each query, a work-item for each key of a node.
#define ORDER 16
typedef struct {
    int location;
    int indices[ORDER];
    int keys[ORDER + 1];
    char is_leaf;
} node;
__kernel void find(__global const node *nodes, __global const int *values,
                   __global const int *wanted, __global int *found, const int height,
                   const int queries) {
    int k = get_local_id(0), query = get_group_id(0);
    __local int at, next;
    if (query >= queries)
        return;
    if (k == 0)
        at = next = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int key = wanted[query];
    for (int level = 0; level < height; level++) {
        if (nodes[at].keys[k] <= key && nodes[at].keys[k + 1] > key)
            next = nodes[at].indices[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k == 0)
            at = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (nodes[at].keys[k] == key)
        found[query] = values[nodes[at].indices[k]];
}
