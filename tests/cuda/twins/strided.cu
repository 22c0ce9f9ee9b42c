// flags: -g 512 --local 128 -a n=4096 -n 4096
// writes: out
__global__ void sum(const float4 *in, float *out, int n) {
    float total = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        total += v.x + v.y + v.z + v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
