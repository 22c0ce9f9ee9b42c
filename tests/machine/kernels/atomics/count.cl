// All lanes of all groups add to one counter.
// buffer: total int 1 = 1000
// run: count 64/16
// expect: total = 1000 + 64 * 63 / 2
__kernel void count(__global int *total) { atomic_add(total, (int)get_global_id(0)); }
