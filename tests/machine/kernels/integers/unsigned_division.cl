// Division and comparison without a sign, at 32 and 64 bits.
// buffer: a ulong 5 = {-1 0x8000000000000000 10 123456789012345 -7}
// buffer: b ulong 5 = {10 3 -1 1000 2}
// buffer: quotient ulong 5
// buffer: rest ulong 5
// buffer: less int 5
// buffer: small uint 5
// run: divide 5/5
// expect: quotient = udiv(a[i], b[i])
// expect: rest = umod(a[i], b[i])
// expect: less = ult(a[i], b[i])
// expect: small = u32(a[i]) / (i + 1) + u32(a[i]) % (i + 1)
__kernel void divide(__global const ulong *a, __global const ulong *b, __global ulong *quotient,
                     __global ulong *rest, __global int *less, __global uint *small) {
    int i = get_global_id(0);
    uint low = a[i];
    quotient[i] = a[i] / b[i];
    rest[i] = a[i] % b[i];
    less[i] = a[i] < b[i];
    small[i] = low / (i + 1u) + low % (i + 1u);
}
