// expect: reversed int 128 = int(i / 64) * 64 + 63 - i % 64
// expect: sums float = 2016 6112
// expect: last uchar 2 = 63
//
// A shared array, and dynamic shared memory cut into two arrays of different types.
__global__ void reverse(const int *in, int *out) {
    __shared__ int tile[64];
    int base = blockIdx.x * 64;
    tile[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    out[base + threadIdx.x] = tile[63 - threadIdx.x];
}

// The sum of a block's 64 numbers by halving; the bytes behind hold thread numbers.
__global__ void sum(const int *in, float *sums, unsigned char *last) {
    extern __shared__ float part[];
    unsigned char *number = (unsigned char *)&part[blockDim.x];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    number[t] = t;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = part[0];
        last[blockIdx.x] = number[blockDim.x - 1];
    }
}
