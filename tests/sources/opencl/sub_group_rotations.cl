// Sub-groups turn as a whole, and in clusters.
//: run whole 4: 32 0 1 2
//: run clusters 4: 1 0 3 2
kernel void whole(global int *y) {
    uint lane = get_sub_group_local_id();
    int turned = sub_group_rotate((int)lane, 31);
    y[lane] = lane ? turned : 32;
}
kernel void clusters(global int *y) {
    uint lane = get_sub_group_local_id();
    y[lane] = sub_group_clustered_rotate(y[lane], 1, 2);
}
