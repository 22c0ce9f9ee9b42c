// Both blocks count atomically, and the second one then reads plainly.
// option: races
// buffer: p int 1
// buffer: q int 1
// run: count 2/1
// fault: 10:16 race: this reads byte 0 of 'p', which thread 0 of block 0 has written
__kernel void count(__global int *p, __global int *q) {
    atomic_inc(p);
    if (get_group_id(0) == 1)
        q[0] = *(volatile __global int *)p;
}
