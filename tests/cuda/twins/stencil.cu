// flags: -g 64,32 --local 32,4 -a width=64 -a height=32
// writes: out
__global__ void smooth(const float *in, float *out, int width, int height) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        const float *p = in + y * width + x;
        out[y * width + x] = 0.25f * (p[-1] + p[1] + p[-width] + p[width]);
    }
}
