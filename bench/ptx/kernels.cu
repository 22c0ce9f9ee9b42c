// What ../ptx.c times, from this source and from the PTX that make.sh makes of it.

// One sum for each body, of all others.
extern "C" __global__ void nbody(const float4 *bodies, float4 *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int k = 0; k < n; k++) {
        float4 other = bodies[k];
        float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        float d = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        float f = other.w * d * d * d;
        x += f * dx;
        y += f * dy;
        z += f * dz;
    }
    sums[i] = make_float4(x, y, z, 0);
}

// Square matrices in tiles of 16 x 16.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float left[16][16], right[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        left[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// One sum for each block: in warps by shuffles, then over the warps.
extern "C" __global__ void reduce(const float *x, float *sums, int n) {
    __shared__ float of_warp[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
        for (int d = 16; d; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}

// Counts of 256 values: of a block in shared memory, then of all.
extern "C" __global__ void histogram(const unsigned char *x, unsigned *counts, int n) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void empty() {}
