// cmpxchg changes what it expects and leaves what it does not; it gives the old value.
// buffer: v int 8 = i % 2
// buffer: old int 8
// run: change 8/8
// expect: old = i % 2
// expect: v = i % 2 ? 1 : 50 + i
__kernel void change(__global int *v, __global int *old) {
    int i = get_global_id(0);
    old[i] = atomic_cmpxchg(&v[i], 0, 50 + i);
}
