// Each side of an if has an event of its own, with its lanes; the first side comes first.
// buffer: a int 4 = i
// buffer: b int 4 = 10 * i
// buffer: out int 4
// run: sides 4/4
// expect: out = i < 3 ? i + 1 : 60
// event: 0.0 L 4 a+0 stride 4 lanes 0-2
// event: 0.1 L 4 b+12 lanes 3
// event: 0.2 S 4 out+0 stride 4 lanes 0-3
__kernel void sides(__global const int *a, __global const int *b, __global int *out) {
    int i = get_global_id(0), v;
    if (i < 3)
        v = a[i] + 1;
    else
        v = b[i] * 2;
    out[i] = v;
}
