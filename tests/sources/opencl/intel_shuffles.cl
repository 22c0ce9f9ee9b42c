// Sub-groups as Intel has them: shuffles of one value, and of two side by side.
//: run given 4: 3 2 1 0
//: run xored 4: 1 0 3 2
//: run down 4: 2 3 100 101
//: run up 4: 130 131 0 1
__attribute__((intel_reqd_sub_group_size(4))) kernel void given(global float *y) {
    uint lane = get_sub_group_local_id();
    y[lane] = intel_sub_group_shuffle(y[lane], 3 - lane);
}
__attribute__((intel_reqd_sub_group_size(4))) kernel void xored(global int *y) {
    uint lane = get_sub_group_local_id();
    int2 v = intel_sub_group_shuffle_xor((int2)(y[lane], 5), 1);
    y[lane] = v.y == 5 ? v.x : -1;
}
__attribute__((intel_reqd_sub_group_size(4))) kernel void down(global int *y) {
    uint lane = get_sub_group_local_id();
    y[lane] = intel_sub_group_shuffle_down(y[lane], y[lane] + 100, 2);
}
__attribute__((intel_reqd_sub_group_size(4))) kernel void up(global int *y) {
    uint lane = get_sub_group_local_id();
    y[lane] = intel_sub_group_shuffle_up(y[lane] + 128, y[lane], 2);
}
