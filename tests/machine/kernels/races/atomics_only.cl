// Atomics of all blocks, loads among them, do not race.
// option: races
// buffer: p int 1
// buffer: q int 16
// run: count 16/4
// expect: p = 16
__kernel void count(volatile __global int *p, __global int *q) {
    atomic_inc(p);
    q[get_global_id(0)] = atomic_add(p, 0) > 0;
}
