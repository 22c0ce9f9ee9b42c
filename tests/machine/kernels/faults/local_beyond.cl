// A local array too short for the block.
// buffer: out int 16
// run: tile 16/16
// fault: 8:14 store of 4 bytes at byte 32 of local memory 'small' ... 32 bytes ... thread 8 of block 0
__kernel void tile(__global int *out) {
    __local int small[8];
    int l = get_local_id(0);
    small[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = small[0];
}
