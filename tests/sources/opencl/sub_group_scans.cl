// Sub-groups: running sums.
//: run inclusive 4: 0 1 3 6
//: run exclusive 4: 0 0 1 3
//: run largest 4: 3 3 3 3
//: run products 4: 1 1 2 6
kernel void inclusive(global int *y) {
    size_t i = get_global_id(0);
    y[i] = sub_group_scan_inclusive_add(y[i]);
}
kernel void exclusive(global float *y) {
    size_t i = get_global_id(0);
    y[i] = sub_group_scan_exclusive_add(y[i]);
}
kernel void largest(global uint *y) {
    size_t i = get_global_id(0);
    y[i] = sub_group_non_uniform_scan_inclusive_max(3u - y[i]);
}
kernel void products(global int *y) {
    size_t i = get_global_id(0);
    y[i] = sub_group_non_uniform_scan_exclusive_mul(y[i] + 1);
}
