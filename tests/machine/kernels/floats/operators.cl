// The five operators, each rounded to float at once.
// buffer: a float 8 = i * 1.1 - 3
// buffer: b float 8 = 7.3 - i * 0.9
// buffer: sum float 8
// buffer: product float 8
// buffer: quotient float 8
// buffer: rest float 8
// run: operate 8/8
// expect: sum = f(a[i] + b[i])
// expect: product = f(a[i] * b[i])
// expect: quotient = f(a[i] / b[i])
// expect: rest = f(-f(f(a[i] - b[i]) - 1.5))
// ulps: 2.5
__kernel void operate(__global const float *a, __global const float *b, __global float *sum,
                      __global float *product, __global float *quotient, __global float *rest) {
    int i = get_global_id(0);
    sum[i] = a[i] + b[i];
    product[i] = a[i] * b[i];
    quotient[i] = a[i] / b[i];
    rest[i] = -(a[i] - b[i] - 1.5f);
}
