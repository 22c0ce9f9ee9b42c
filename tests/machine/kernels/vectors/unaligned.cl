// vload and vstore at addresses aligned for a scalar only.
// buffer: in float 20 = i
// buffer: out float 20 = -1
// run: shifted 4/2
// expect: out = i == 0 || i > 16 ? -1 : in[i + 1] * 2
// mis: 4
__kernel void shifted(__global const float *in, __global float *out) {
    int i = get_global_id(0);
    vstore4(vload4(i, in + 2) * 2.0f, i, out + 1);
}
