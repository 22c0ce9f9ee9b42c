// A pointer that is one of two buffers, by lane.
// buffer: a int 8 = i
// buffer: b int 8 = 100 + i
// buffer: out int 8
// run: either 8/4
// expect: out = i % 3 ? a[i] : b[i]
__kernel void either(__global const int *a, __global const int *b, __global int *out) {
    int i = get_global_id(0);
    __global const int *p = i % 3 ? a : b;
    out[i] = p[i];
}
