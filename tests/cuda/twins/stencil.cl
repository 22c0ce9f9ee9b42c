// flags: -g 64,32 --local 32,4 -a width=64 -a height=32
// writes: out
__kernel void smooth(__global const float *in, __global float *out, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        __global const float *p = in + y * width + x;
        out[y * width + x] = 0.25f * (p[-1] + p[1] + p[-width] + p[width]);
    }
}
