// Sub-groups: what another lane has.
//: run given 4: 30 20 10 0
//: run xored 4: 2 3 0 1
//: run up 4: 7 0 1 2
//: run down 4: 1 2 3 7
//: run first 4: 0 0 0 0
kernel void given(global int *y) {
    uint lane = get_sub_group_local_id();
    y[lane] = sub_group_shuffle(y[lane] * 10, 3 - lane);
}
kernel void xored(global float *y) {
    uint lane = get_sub_group_local_id();
    y[lane] = sub_group_shuffle_xor(y[lane], 2);
}
kernel void up(global long *y) {
    uint lane = get_sub_group_local_id();
    long below = sub_group_shuffle_up(y[lane], 1);
    y[lane] = lane ? below : 7;
}
kernel void down(global short *y) {
    uint lane = get_sub_group_local_id();
    short above = sub_group_shuffle_down(y[lane], 1);
    y[lane] = lane < 3 ? above : 7;
}
kernel void first(global int *y) {
    uint lane = get_sub_group_local_id();
    y[lane] = sub_group_broadcast_first(y[lane]);
}
