// Only the lanes that are there: every third, then one, then all.
// buffer: a int 8 = i
// buffer: b int 8
// buffer: c int 8
// run: some 8/8
// expect: b = i % 3 == 0 ? i + 1 : 0
// expect: c = i == 5 ? 5 : 0
// event: 0.0 L 4 a+0 stride 4 lanes 0-7
// event: 0.1 S 4 b+0 stride 4 lanes 0,3,6
// event: 0.2 S 4 c+20 lanes 5
__kernel void some(__global const int *a, __global int *b, __global int *c) {
    int i = get_global_id(0), v = a[i];
    if (v % 3 == 0)
        b[i] = v + 1;
    if (v == 5)
        c[i] = v;
}
