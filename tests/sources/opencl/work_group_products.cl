// Other functions of a work-group, by the names of cl_khr_work_group_uniform_arithmetic.
//: run whole 4: 24 7 0 1
//: run running 4: 1 1 2 6
kernel void whole(global int *y) {
    int i = get_local_id(0), product = work_group_reduce_mul(i + 1);
    int bits = work_group_reduce_or(1 << i % 3), common = work_group_reduce_and(1 << i);
    int odd = work_group_reduce_logical_xor(i == 2);
    if (i == 0)
        y[0] = product, y[1] = bits, y[2] = common, y[3] = odd;
}
kernel void running(global float *y) {
    size_t i = get_local_id(0);
    y[i] = work_group_scan_exclusive_mul(y[i] + 1);
}
