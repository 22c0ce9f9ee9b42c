// A store into a table of constants, by a cast.
// buffer: out int 4
// run: change 4/4
// fault: 7:54 constant memory ... 'table' ... thread 0 of block 0
__constant int table[4] = {1, 2, 3, 4};
__kernel void change(__global int *out) {
    ((__global int *)(ulong)table)[get_global_id(0)] = 1;
    out[0] = table[0];
}
