// Blocks of one lane each.
// buffer: out int 9
// run: single 9/1
// expect: out = 3 * i + 10
// mis: 27
__kernel void single(__global int *out) {
    __local int mine;
    mine = get_group_id(0) * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = mine + 10 + get_local_id(0);
}
