// An atomic out of bounds.
// buffer: count int 4
// run: add 8/8
// fault: 6:5 atomic access of 4 bytes at byte 16 of buffer 'count' ... thread 4 of block 0
__kernel void add(__global int *count) {
    atomic_inc(&count[get_global_id(0)]);
}
