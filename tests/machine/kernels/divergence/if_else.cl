// The two sides of an if compute different things.
// buffer: in int 32 = i * 7 - 50
// buffer: out int 32
// run: sides 32/16
// expect: out = i % 2 ? in[i] * 3 : in[i] - 100
__kernel void sides(__global const int *in, __global int *out) {
    int i = get_global_id(0), v = in[i];
    if (i % 2)
        out[i] = v * 3;
    else
        out[i] = v - 100;
}
