// Sub-groups: what all lanes have together.
//: run sums 4: 6 3 0 24
//: run bits 4: 7 0 3 1
//: run votes 4: 1 0 1 0
kernel void sums(global int *y) {
    int lane = get_sub_group_local_id();
    int sum = sub_group_reduce_add(lane), most = sub_group_reduce_max(lane);
    uint least = sub_group_reduce_min((uint)lane);
    int product = sub_group_non_uniform_reduce_mul(lane + 1);
    y[0] = sum, y[1] = most, y[2] = least, y[3] = product;
}
kernel void bits(global int *y) {
    int lane = get_sub_group_local_id();
    int all = sub_group_non_uniform_reduce_or(1 << lane % 3);
    int common = sub_group_non_uniform_reduce_and(1 << lane);
    int odd = sub_group_non_uniform_reduce_xor(lane == 2 ? 3 : 0);
    int logic = sub_group_non_uniform_reduce_logical_or(lane == 3);
    y[0] = all, y[1] = common, y[2] = odd, y[3] = logic;
}
kernel void votes(global int *y) {
    int lane = get_sub_group_local_id();
    int any = sub_group_any(lane == 1), all = sub_group_all(lane == 1);
    int same = sub_group_non_uniform_all_equal(5.0f), other = sub_group_non_uniform_all_equal(lane);
    y[0] = any, y[1] = all, y[2] = same, y[3] = other;
}
