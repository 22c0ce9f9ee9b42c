// Lanes count through the block's first dimension first.
// buffer: in int 24 = i
// buffer: out int 24
// run: turn 6x4/3x2
// expect: out = in[6 * (i % 4) + i / 4]
// event: 0.0 L 4 in: 0 4 8 24 28 32 lanes 0-5
// event: 0.1 S 4 out: 0 16 32 4 20 36 lanes 0-5
// event: 1.0 L 4 in: 12 16 20 36 40 44 lanes 0-5
// event: 1.1 S 4 out: 48 64 80 52 68 84 lanes 0-5
__kernel void turn(__global const int *in, __global int *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[4 * x + y] = in[6 * y + x];
}
