// The smallest and the largest of numbers with and without a sign.
// buffer: in int 32 = (i * 7919 % 101 - 50) * 20000000
// buffer: low int 1 = 2147483647
// buffer: high int 1 = -2147483648
// buffer: ulow uint 1 = 4294967295
// buffer: uhigh uint 1
// run: bounds 32/8
// expect: low = min_of(q, 0, 32, in[q])
// expect: high = max_of(q, 0, 32, in[q])
// expect: ulow = min_of(q, 0, 32, u32(in[q]))
// expect: uhigh = max_of(q, 0, 32, u32(in[q]))
__kernel void bounds(__global const int *in, __global int *low, __global int *high,
                     __global uint *ulow, __global uint *uhigh) {
    int v = in[get_global_id(0)];
    atomic_min(low, v);
    atomic_max(high, v);
    atomic_min(ulow, (uint)v);
    atomic_max(uhigh, (uint)v);
}
