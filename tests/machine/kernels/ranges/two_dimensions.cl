// A range of 12 x 6 in blocks of 4 x 3, with an offset in each dimension.
// buffer: out int 140
// run: ids 12x6/4x3 offset=2x1
// expect: out = i % 20 < 2 || i % 20 > 13 || i < 20 ? 0 : (i % 20 - 2) / 4 + 10 * ((i / 20 - 1) / 3) + 100 * ((i % 20 - 2) % 4) + 1000 * ((i / 20 - 1) % 3)
__kernel void ids(__global int *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[20 * y + x] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_local_id(0) +
                      1000 * get_local_id(1);
}
