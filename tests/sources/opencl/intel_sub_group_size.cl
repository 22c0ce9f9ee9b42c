// A kernel says how many lanes its sub-groups have.
//: run sums 8: 6 6 6 6 22 22 22 22
//: run sizes 8: 4 8 2 1 4 5 6 7
__attribute__((intel_reqd_sub_group_size(4))) kernel void sums(global int *y) {
    size_t i = get_global_id(0);
    y[i] = sub_group_reduce_add(y[i]);
}
__attribute__((intel_reqd_sub_group_size(4))) kernel void sizes(global int *y) {
    if (get_local_id(0) == 7) {
        y[0] = get_max_sub_group_size();
        y[1] = get_local_size(0);
        y[2] = get_num_sub_groups();
        y[3] = get_sub_group_id();
    }
}
