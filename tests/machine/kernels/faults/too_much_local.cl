// More local memory than the option allows: found before anything runs.
// option: local-memory 1024
// buffer: out int 4
// run: large 4/4
// fault: * local memory ... 1024
__kernel void large(__global int *out) {
    __local int tile[512];
    int l = get_local_id(0);
    tile[l] = l;
    tile[511 - l] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[508 + l];
}
