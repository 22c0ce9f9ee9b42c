// Beyond the dimensions of the range, ids are 0 and sizes 1.
// buffer: out int 4
// run: beyond 4/2
// expect: out = 11100
__kernel void beyond(__global int *out) {
    out[get_global_id(0)] = get_global_id(1) + 10 * get_local_id(2) + 100 * get_global_size(1) +
                            1000 * get_local_size(2) + 10000 * get_num_groups(1) +
                            100000 * get_group_id(2) + 1000000 * get_global_offset(1) +
                            10000000 * get_global_id(7);
}
