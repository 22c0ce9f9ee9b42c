// Private values live through a barrier: each lane has its own.
// buffer: out int 8
// run: keep 8/8
// expect: out = i * 100 + (7 - i) * (7 - i) + i * i * i
__kernel void keep(__global int *out) {
    __local int tile[8];
    int l = get_local_id(0), mine = l * 100, own[3] = {l, l * l, l * l * l};
    tile[l] = own[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = mine + tile[7 - l] + own[2];
}
