// What an atomic gives back is the old value: tickets are handed out once each.
// buffer: next int 1
// buffer: taken int 40
// run: tickets 40/8
// expect: next = 40
// expect: taken = 1
__kernel void tickets(__global int *next, __global int *taken) {
    int ticket = atomic_inc(next);
    atomic_add(&taken[ticket], 1);
}
