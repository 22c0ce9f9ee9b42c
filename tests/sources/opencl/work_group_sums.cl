// Functions of a work-group.
//: run sums 4: 6 3 0 3
//: run scans 4: 0 1 3 6
//: run broadcast 4: 2 2 2 2
//: run votes 4: 1 0 2 3
kernel void sums(global int *y) {
    int i = get_local_id(0);
    int sum = work_group_reduce_add(i), most = work_group_reduce_max(i);
    int least = work_group_reduce_min(i);
    if (i == 0)
        y[0] = sum, y[1] = most, y[2] = least;
}
kernel void scans(global float *y) {
    size_t i = get_local_id(0);
    y[i] = work_group_scan_inclusive_add(y[i]);
}
kernel void broadcast(global int *y) {
    size_t i = get_local_id(0);
    y[i] = work_group_broadcast(y[i], 2);
}
kernel void votes(global int *y) {
    int i = get_local_id(0), any = work_group_any(i == 3), all = work_group_all(i == 3);
    if (i == 0)
        y[0] = any, y[1] = all;
}
