// A lane reads what another writes without a barrier between.
// option: races
// buffer: out int 8
// run: race 8/8
// fault: * race
__kernel void race(__global int *out) {
    __local int tile[8];
    int l = get_local_id(0);
    tile[l] = l;
    out[l] = tile[7 - l];
}
