// Blocks of 33 x 3: rows that are longer than a warp by one lane.
// buffer: out int 198
// run: rows 66x3/33x3
// expect: out = i / 66 * 1000 + i % 66 % 33 * 10 + i % 66 / 33
// mis: 2
// lanes: 198
__kernel void rows(__global int *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[66 * y + x] = get_local_id(1) * 1000 + get_local_id(0) * 10 + get_group_id(0);
}
