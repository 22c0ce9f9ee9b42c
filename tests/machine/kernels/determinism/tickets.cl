// Which lane gets which ticket is not said, but the machine hands them out in one order.
// buffer: next int 1
// buffer: owner int 256
// run: tickets 256/16
// expect: next = 256
// pocl: it hands them out in the order of its threads
__kernel void tickets(__global int *next, __global int *owner) {
    int ticket = atomic_inc(next);
    owner[ticket] = get_global_id(0);
}
