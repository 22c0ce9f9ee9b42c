// Every work-item function of sizes, in a range of two dimensions.
// buffer: out ulong 12
// run: sizes 6x4/3x2 offset=1x5
// expect: out = {2 6 4 1 3 2 1 2 2 1 5 0}
__kernel void sizes(__global ulong *out) {
    if (get_global_id(0) != 1 || get_global_id(1) != 5)
        return;
    out[0] = get_work_dim();
    for (int d = 0; d < 3; d++) {
        out[1 + d] = get_global_size(d);
        out[4 + d] = get_local_size(d);
        out[7 + d] = get_num_groups(d);
    }
    out[10] = get_global_offset(1);
    out[11] = get_global_offset(2);
}
