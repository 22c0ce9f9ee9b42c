// Lanes go two ways, one of them through a loop, and meet at the barrier.
// buffer: out int 24
// run: meet 24/12
// expect: out = (11 - i % 12) % 3 == 0 ? 100 + 11 - i % 12 : (11 - i % 12) * (10 - i % 12) / 2
__kernel void meet(__global int *out) {
    __local int tile[12];
    int l = get_local_id(0), v = 0;
    if (l % 3 == 0) {
        v = 100 + l;
    } else {
        for (int k = 0; k < l; k++)
            v += k;
    }
    tile[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[11 - l];
}
