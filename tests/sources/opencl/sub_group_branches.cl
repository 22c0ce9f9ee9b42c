// Functions of the lanes of a sub-group that come by, in a branch.
//: run odd 4: 0 4 2 4
//: run elected 4: 0 100 2 3
//: run counted 4: 0 2 2 2
kernel void odd(global int *y) {
    size_t i = get_global_id(0);
    if (i % 2)
        y[i] = sub_group_non_uniform_reduce_add(y[i]);
}
kernel void elected(global int *y) {
    size_t i = get_global_id(0);
    if (i > 0 && sub_group_elect())
        y[i] = 100;
}
kernel void counted(global int *y) {
    size_t i = get_global_id(0);
    if (i > 0)
        y[i] = sub_group_ballot_bit_count(sub_group_ballot(i > 1));
}
