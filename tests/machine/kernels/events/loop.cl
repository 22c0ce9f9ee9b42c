// One event for each trip, with the lanes that still run; after the loop all are there.
// buffer: in int 16 = i
// buffer: out int 4
// run: trips 4/4
// expect: out = sum(q, 0, i, 4 * q + i)
// event: 0.0 L 4 in+4 stride 4 lanes 1-3
// event: 0.1 L 4 in+24 stride 4 lanes 2-3
// event: 0.2 L 4 in+44 lanes 3
// event: 0.3 S 4 out+0 stride 4 lanes 0-3
__kernel void trips(__global const int *in, __global int *out) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < i; k++)
        sum += in[4 * k + i];
    out[i] = sum;
}
