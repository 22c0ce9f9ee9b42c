// Threads and blocks of a range of two dimensions are named by all their numbers.
// buffer: out int 30
// run: rows 8x4/4x2
// fault: 7:20 store of 4 bytes at byte 120 of buffer 'out' ... thread (2,1) of block (1,1)
__kernel void rows(__global int *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[8 * y + x] = x;
}
