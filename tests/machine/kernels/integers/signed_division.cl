// Division rounds to zero, and the rest has the dividend's sign.
// buffer: a int 8 = {7 -7 7 -7 100 -2147483648 2147483647 0}
// buffer: b int 8 = {3 3 -3 -3 -100 2 -2 -5}
// buffer: quotient int 8
// buffer: rest int 8
// run: divide 8/4
// expect: quotient = {2 -2 -2 2 -1 -1073741824 -1073741823 0}
// expect: rest = {1 -1 1 -1 0 0 1 0}
__kernel void divide(__global const int *a, __global const int *b, __global int *quotient,
                     __global int *rest) {
    int i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    rest[i] = a[i] % b[i];
}
