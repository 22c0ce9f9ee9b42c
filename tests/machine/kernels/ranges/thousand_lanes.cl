// A block of 1,024 lanes, all of which see each other.
// buffer: out int 1024
// run: far 1024/1024
// expect: out = (i * 5 + 17) % 1024
__kernel void far(__global int *out) {
    __local int tile[1024];
    int l = get_local_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[(l * 5 + 17) % 1024];
}
