// Private memory has no events unless they are asked for.
// buffer: in int 4 = {2 0 3 1}
// buffer: out int 4
// run: own 4/4
// expect: out = in[i] * in[i]
// mis: 2
__kernel void own(__global const int *in, __global int *out) {
    int i = get_global_id(0), table[4];
    for (int k = 0; k < 4; k++)
        table[k] = k * k;
    out[i] = table[in[i]];
}
