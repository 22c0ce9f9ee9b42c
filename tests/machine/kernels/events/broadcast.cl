// All lanes read one address: a stride of 0, and one event.
// buffer: in int 4 = {5 6 7 8}
// buffer: out int 8
// run: same 8/4 which=2
// expect: out = 7
// event: 0.0 L 4 in+8 stride 0 lanes 0-3
// event: 0.1 S 4 out+0 stride 4 lanes 0-3
// event: 1.0 L 4 in+8 stride 0 lanes 0-3
// event: 1.1 S 4 out+16 stride 4 lanes 0-3
__kernel void same(__global const int *in, __global int *out, int which) {
    out[get_global_id(0)] = in[which];
}
