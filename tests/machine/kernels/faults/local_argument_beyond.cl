// A local argument of fewer bytes than the kernel needs.
// buffer: out int 8
// run: tile 8/8 scratch=local:16
// fault: 7:16 store of 4 bytes at byte 16 of local memory 'scratch' ... 16 bytes ... by 'local' of the job ... thread 4 of block 0
__kernel void tile(__global int *out, __local int *scratch) {
    int l = get_local_id(0);
    scratch[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = scratch[7 - l];
}
