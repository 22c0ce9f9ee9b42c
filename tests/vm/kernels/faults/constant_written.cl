// A store into constant memory, by a cast.
// buffer: table int 4
// run: change 4/4
// fault: 6:54 constant memory ... 'table' ... thread 0 of block 0
__kernel void change(__constant int *table) {
    ((__global int *)(ulong)table)[get_global_id(0)] = 1;
}
