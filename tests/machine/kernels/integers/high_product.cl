// mul_hi, mad_hi, mul24 and mad24.
// buffer: a int 6 = {2147483647 -2147483648 65536 -1 8388607 -8388608}
// buffer: b int 6 = {2147483647 2 65536 1 3 -1}
// buffer: high int 6
// buffer: uhigh uint 6
// buffer: added int 6
// buffer: low int 6
// run: products 6/3
// expect: high = a[i] * b[i] >> 32
// expect: uhigh = ushr(u32(a[i]) * u32(b[i]), 32)
// expect: added = (a[i] * b[i] >> 32) + 5
// expect: low = i32(i < 4 ? (i + 1) * 1000 * -7 + 3 : a[i] * b[i] + 3)
__kernel void products(__global const int *a, __global const int *b, __global int *high,
                       __global uint *uhigh, __global int *added, __global int *low) {
    int i = get_global_id(0);
    high[i] = mul_hi(a[i], b[i]);
    uhigh[i] = mul_hi((uint)a[i], (uint)b[i]);
    added[i] = mad_hi(a[i], b[i], 5);
    low[i] = i < 4 ? mad24((i + 1) * 1000, -7, 3) : mul24(a[i], b[i]) + 3;
}
