// Functions of a warp give all its threads one answer.
struct part { float a, b, c; int next; };
__global__ void warps(const part *p, const int *idx, float *out) {
    int thread = threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffffu, idx[thread] & 1);
    int warp = thread >> 5, count = __syncthreads_count(idx[thread] > 3);
    out[blockIdx.x * blockDim.x + thread] =
        p[votes & 63].a + p[__shfl_sync(0xffffffffu, idx[thread], 2)].b + p[idx[warp]].c + p[count & 63].a;
}
