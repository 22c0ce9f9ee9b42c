// Three kernels, each of which reads what the one before wrote.
// buffer: a int 16 = i
// buffer: b int 16
// buffer: c int 4
// run: double_all 16/8
// run: reverse 16/4
// run: total 4/2
// expect: a = 2 * i
// expect: b = 2 * (15 - i) + 1
// expect: c = sum(q, 0, 4, 2 * (15 - 4 * i - q) + 1)
__kernel void double_all(__global int *a) { a[get_global_id(0)] *= 2; }
__kernel void reverse(__global const int *a, __global int *b) {
    int i = get_global_id(0);
    b[i] = a[15 - i] + 1;
}
__kernel void total(__global const int *b, __global int *c) {
    int i = get_global_id(0);
    c[i] = b[4 * i] + b[4 * i + 1] + b[4 * i + 2] + b[4 * i + 3];
}
