// 64 bits: sums beyond 32 of them, minima of negative numbers, cmpxchg.
// buffer: total long 1
// buffer: low long 1
// buffer: swapped ulong 2 = {5 6}
// run: wide 16/4
// expect: total = 16 * 5000000000 + 120
// expect: low = -15 * 10000000000
// expect: swapped = {123456789012345 6}
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void wide(__global long *total, __global long *low, __global ulong *swapped) {
    long i = get_global_id(0);
    atom_add(total, 5000000000L + i);
    atom_min(low, -i * 10000000000L);
    if (i < 2)
        atom_cmpxchg(&swapped[i], 5UL, 123456789012345UL);
}
