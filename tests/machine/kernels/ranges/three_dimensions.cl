// A range of 4 x 6 x 2 in blocks of 2 x 3 x 2.
// buffer: out int 48
// run: ids 4x6x2/2x3x2
// expect: out = i % 4 / 2 + 10 * (i / 4 % 6 / 3) + 100 * (i % 2) + 1000 * (i / 4 % 3) + 10000 * (i / 24)
__kernel void ids(__global int *out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(z * 6 + y) * 4 + x] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_local_id(0) +
                               1000 * get_local_id(1) + 10000 * get_local_id(2) +
                               100000 * get_group_id(2);
}
