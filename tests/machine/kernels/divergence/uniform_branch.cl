// A branch on an argument: all lanes go one way, and the other is not run.
// buffer: in int 8 = i
// buffer: out int 8
// run: way 8/4 up=0
// run: way 8/4 up=1
// expect: out = 11 * i - i
// mis: 8
__kernel void way(__global const int *in, __global int *out, int up) {
    int i = get_global_id(0);
    if (up)
        out[i] += in[i] * 11;
    else
        out[i] = -i;
}
