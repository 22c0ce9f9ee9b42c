// A local array whose size is an argument of the launch.
// buffer: out int 16
// run: share 16/8 tile=local:32
// expect: out = (i / 8) * 8 + 7 - i % 8
__kernel void share(__global int *out, __local int *tile) {
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[7 - l];
}
