// Sums, products and negation wrap around.
// buffer: in int 6 = {2147483647 -2147483648 65536 -1 46341 1000000007}
// buffer: sum int 6
// buffer: product int 6
// buffer: negated int 6
// buffer: wide long 6
// run: wrap 6/3
// expect: sum = i32(in[i] + in[(i + 1) % 6])
// expect: product = i32(in[i] * in[i])
// expect: negated = i32(-in[i])
// expect: wide = in[i] * in[i] * 3
__kernel void wrap(__global const int *in, __global int *sum, __global int *product,
                   __global int *negated, __global long *wide) {
    int i = get_global_id(0);
    uint a = in[i], b = in[(i + 1) % 6];
    sum[i] = a + b;
    product[i] = a * a;
    negated[i] = 0u - a;
    wide[i] = (long)in[i] * in[i] * 3;
}
