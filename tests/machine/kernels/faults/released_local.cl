// A pointer to local memory, kept by one block and used by the next.
// options: -cl-std=CL2.0
// buffer: kept ulong 1
// buffer: out int 8
// run: keep 8/4
// fault: 12:18 local memory of another block ... released ... thread 0 of block 1
__kernel void keep(__global ulong *kept, __global int *out) {
    __local int tile[4];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = l;
    if (get_group_id(0) > 0) {
        out[i] = ((__local int *)kept[0])[l];
    } else if (l == 0) {
        kept[0] = (ulong)tile;
    }
}
