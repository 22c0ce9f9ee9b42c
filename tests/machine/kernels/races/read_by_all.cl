// All threads read and the last one writes: the message names another one.
// option: races
// buffer: p int 1 = 5
// run: self 16/16
// fault: 9:14 which thread 14 of block 0 has read
__kernel void self(__global int *p) {
    int x = p[0];
    if (get_local_id(0) == 15)
        p[0] = x + 1;
}
