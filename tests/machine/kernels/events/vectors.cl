// A vector is one access of its whole width, wherever it lies.
// buffer: in float4 4 = i
// buffer: out float 16
// run: move 4/2
// expect: out = i / 4
// event: 0.0 L 16 in+0 stride 16 lanes 0-1
// event: 0.1 S 16 out+0 stride 16 lanes 0-1
// event: 1.0 L 16 in+32 stride 16 lanes 0-1
// event: 1.1 S 16 out+32 stride 16 lanes 0-1
__kernel void move(__global const float4 *in, __global float *out) {
    int i = get_global_id(0);
    vstore4(in[i], i, out);
}
