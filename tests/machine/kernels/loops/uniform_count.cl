// The count is an argument: no lane leaves before the others.
// buffer: in int 32 = i
// buffer: out int 8
// run: rows 8/4 n=4
// expect: out = in[i] + in[8 + i] + in[16 + i] + in[24 + i]
// mis: 10
// lanes: 40
__kernel void rows(__global const int *in, __global int *out, int n) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[k * 8 + i];
    out[i] = sum;
}
