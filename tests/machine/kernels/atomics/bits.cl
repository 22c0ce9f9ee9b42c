// and, or and xor of all lanes.
// buffer: a uint 1 = -1
// buffer: o uint 1
// buffer: x uint 1
// run: bits 32/8
// expect: a = u32(~(1 << 3 | 1 << 7 | 1 << 30))
// expect: o = (1 << 3 | 1 << 7 | 1 << 30)
// expect: x = 31 ^ 30 ^ 29 ^ 28 ^ 0
__kernel void bits(__global uint *a, __global uint *o, __global uint *x) {
    uint i = get_global_id(0);
    if (i == 3 || i == 7 || i == 30) {
        atomic_and(a, ~(1u << i));
        atomic_or(o, 1u << i);
    }
    if (i >= 28)
        atomic_xor(x, i);
}
