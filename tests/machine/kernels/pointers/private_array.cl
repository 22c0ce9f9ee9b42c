// An array of pointers in private memory.
// buffer: a int 4 = i
// buffer: b int 4 = 10 * i
// buffer: c int 4 = 100 * i
// buffer: out int 12
// run: choose 12/12
// expect: out = i % 3 == 0 ? a[i / 3] : i % 3 == 1 ? b[i / 3] : c[i / 3]
__kernel void choose(__global const int *a, __global const int *b, __global const int *c,
                     __global int *out) {
    int i = get_global_id(0);
    __global const int *list[3] = {a, b, c};
    out[i] = list[i % 3][i / 3];
}
