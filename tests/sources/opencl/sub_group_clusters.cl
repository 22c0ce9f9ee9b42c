// Reductions of clusters of a sub-group.
//: run pairs 4: 1 1 5 5
//: run least 4: 0 0 2 2
kernel void pairs(global int *y) {
    size_t i = get_global_id(0);
    y[i] = sub_group_clustered_reduce_add(y[i], 2);
}
kernel void least(global uint *y) {
    size_t i = get_global_id(0);
    y[i] = sub_group_clustered_reduce_min(y[i], 2);
}
