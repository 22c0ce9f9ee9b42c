// A global offset shifts the global ids, but neither local nor group ids.
// buffer: out int 12
// run: ids 8/4 offset=3
// expect: out = i < 3 || i > 10 ? 0 : i + 100 * ((i - 3) / 4) + 1000 * ((i - 3) % 4) + 30000
__kernel void ids(__global int *out) {
    int i = get_global_id(0);
    out[i] = i + 100 * get_group_id(0) + 1000 * get_local_id(0) + 10000 * get_global_offset(0);
}
