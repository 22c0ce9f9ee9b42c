// Who is where in sub-groups; the last one has fewer lanes.
//: run places 4: 4 32 1 0
//: run second 34: 2 32 2 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void places(global int *y) {
    if (get_local_id(0) == 0) {
        y[0] = get_sub_group_size(), y[1] = get_max_sub_group_size();
        y[2] = get_num_sub_groups(), y[3] = get_sub_group_id();
    }
}
kernel void second(global int *y) {
    y[get_local_id(0)] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_sub_group_id() == 1 && get_sub_group_local_id() == 1) {
        y[0] = get_sub_group_size(), y[1] = get_max_sub_group_size();
        y[2] = get_num_sub_groups(), y[3] = get_sub_group_id();
    }
}
