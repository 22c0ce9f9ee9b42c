// Kernels that keep tiles in shared memory or many sums in registers.
#include <cuda_runtime.h>

template <typename T, int SIDE> __global__ void transpose(const T *in, T *out, int n) {
    __shared__ T tile[SIDE][SIDE + 1];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * SIDE + threadIdx.x;
    y = blockIdx.x * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += 8)
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
template __global__ void transpose<float, 32>(const float *, float *, int);
template __global__ void transpose<double, 32>(const double *, double *, int);

// 64 x 64 of C by a block of 16 x 16 threads, 4 x 4 by each.
template <typename T> __global__ void gemm(const T *a, const T *b, T *c, int n) {
    __shared__ T as[16][64], bs[16][64];
    T sums[4][4] = {};
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    int t = threadIdx.y * 16 + threadIdx.x;
    for (int k = 0; k < n; k += 16) {
        for (int i = t; i < 16 * 64; i += 256) {
            as[i / 64][i % 64] = a[(row + i % 64) * n + k + i / 64];
            bs[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk++)
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sums[i][j] += as[kk][threadIdx.y * 4 + i] * bs[kk][threadIdx.x * 4 + j];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            c[(row + threadIdx.y * 4 + i) * n + column + threadIdx.x * 4 + j] = sums[i][j];
}
template __global__ void gemm<float>(const float *, const float *, float *, int);
template __global__ void gemm<double>(const double *, const double *, double *, int);

__constant__ float mask[25];

__global__ void convolve(const float *in, float *out, int width, int height) {
    __shared__ float tile[20][20];
    int x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 16 - 2;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256) {
        int x = min(max(x0 + i % 20, 0), width - 1), y = min(max(y0 + i / 20, 0), height - 1);
        tile[i / 20][i % 20] = in[y * width + x];
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy < 5; dy++)
#pragma unroll
        for (int dx = 0; dx < 5; dx++)
            sum += mask[dy * 5 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    int x = x0 + 2 + threadIdx.x, y = y0 + 2 + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = sum;
}

// Jacobi's method on a plane of doubles that moves through the third dimension.
__global__ void jacobi(const double *u, const double *f, double *next, int n, double h2) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int plane = n * n, i = plane + y * n + x;
    double below = u[i - plane], here = u[i];
    for (int z = 1; z < n - 1; z++, i += plane) {
        double above = u[i + plane];
        next[i] = (below + above + u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - h2 * f[i]) / 6;
        below = here;
        here = above;
    }
}

template <int SUMS> __global__ void dot(const float *a, const float *b, float *out, int n) {
    float sums[SUMS] = {};
    int step = gridDim.x * blockDim.x * SUMS;
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * SUMS; i + SUMS <= n; i += step)
#pragma unroll
        for (int k = 0; k < SUMS; k++)
            sums[k] += a[i + k] * b[i + k];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < SUMS; k++)
        sum += sums[k];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}
template __global__ void dot<1>(const float *, const float *, float *, int);
template __global__ void dot<4>(const float *, const float *, float *, int);
template __global__ void dot<8>(const float *, const float *, float *, int);

__global__ void scan_block(const int *in, int *out, int *sums, int n) {
    __shared__ int warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = i < n ? in[i] : 0, sum = value;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, d);
        sum += lane >= d ? other : 0;
    }
    if (lane == 31)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        int all = warps[lane];
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffff, all, d);
            all += lane >= d ? other : 0;
        }
        warps[lane] = all;
    }
    __syncthreads();
    sum += threadIdx.x >= 32 ? warps[threadIdx.x / 32 - 1] : 0;
    if (i < n)
        out[i] = sum - value;
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = sum;
}

__global__ void histogram(const uchar4 *pixels, int *bins, int n) {
    __shared__ int own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 p = pixels[i];
        atomicAdd(&own[p.x], 1);
        atomicAdd(&own[p.y], 1);
        atomicAdd(&own[p.z], 1);
        atomicAdd(&own[p.w], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], own[b]);
}

__global__ void softmax(const float *__restrict__ in, float *__restrict__ out, int columns) {
    __shared__ float part[32];
    const float *row = in + (size_t)blockIdx.x * columns;
    float most = -1e30f, sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        most = fmaxf(most, row[c]);
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = most;
    __syncthreads();
    most = part[0];
    for (int w = 1; w < blockDim.x / 32; w++)
        most = fmaxf(most, part[w]);
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += expf(row[c] - most);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < blockDim.x / 32; w++)
        sum += part[w];
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        out[(size_t)blockIdx.x * columns + c] = expf(row[c] - most) / sum;
}
