// sub, dec and xchg: each lane has a place of its own, so that results are certain.
// buffer: v int 16 = 100 * i
// buffer: old int 16
// run: change 16/8
// expect: old = i % 3 == 0 ? 100 * i : i % 3 == 1 ? 100 * i : 100 * i * 2
// expect: v = i % 3 == 0 ? 100 * i - i : i % 3 == 1 ? 100 * i - 1 : -i
__kernel void change(__global int *v, __global int *old) {
    int i = get_global_id(0);
    if (i % 3 == 0)
        old[i] = atomic_sub(&v[i], i);
    else if (i % 3 == 1)
        old[i] = atomic_dec(&v[i]);
    else
        old[i] = 2 * atomic_xchg(&v[i], -i);
}
