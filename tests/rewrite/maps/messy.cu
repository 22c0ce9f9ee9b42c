/* CUDA C in the styles that are met: macros, templates, functors, methods, lambdas, copies of
 * indices, grid-stride loops, and host code that launches all of it. */
#define GLOBAL_ID (blockIdx.x * blockDim.x + threadIdx.x)
#define FOR_ALL(i, n) for (int i = GLOBAL_ID; i < (n); i += blockDim.x * gridDim.x)
#define AXIS x

struct grid {
    int width;
    __device__ int at(uint3 block, const uint3 &thread) const {
        return (block.y * blockDim.y + thread.y) * width + block.x * blockDim.x + thread.x;
    }
    __device__ int here() const { return at(blockIdx, threadIdx); }
};

template <typename T> struct scaled {
    T by;
    __device__ T operator()(T v) const { return v * by + (T)(threadIdx.x % 3); }
};

namespace ids {
__device__ unsigned lane(int d = 0);
__device__ __forceinline__ unsigned all() { return lane() + lane(1) + lane(2); }
__device__ unsigned lane(int d) {
    return d == 0 ? threadIdx.AXIS : d == 1 ? threadIdx.y : threadIdx.z;
}
}

template <typename T, typename F> __device__ T applied(F f, T v) { return f(v); }

template <typename T> __device__ T own(T v) { return v + (T)blockIdx.x; }

template <typename T, int N>
__global__ void stride(T *out, const T *in, int n) {
    FOR_ALL (i, n) {
        T sum = in[i];
        for (int k = 0; k < N; k++)
            sum += own<T>(sum) + k;
        out[i] = sum;
    }
}
template __global__ void stride<double, 3>(double *, const double *, int);

__global__ void plane(float *out, grid g);

__global__ void plane(float *out, grid g) {
    dim3 block = blockIdx;
    uint3 thread = threadIdx;
    auto index = [&](int more) { return g.at(blockIdx, threadIdx) + more; };
    scaled<float> twice{2.0f};
    out[g.here()] += twice((float)index(0)) + block.y + thread.x * 3 + ids::all();
}

__global__ void functors(float *out, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        out[i] = applied<float>([=](float v) { return v + threadIdx.x; }, out[i]);
}

__global__ void together(float *out) {
    __shared__ float tile[64];
    unsigned t = threadIdx.x + blockDim.x * threadIdx.y;
    unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
    tile[t] = out[block * 64 + t] + ids::all();
    __syncthreads();
    out[block * 64 + t] = tile[63 - t] + own(1.0f);
}

void run(float *out, float *in, double *d, int n) {
    stride<float, 2><<<4, 32>>>(out, in, n);
    stride<double, 3><<<4, 32>>>(d, d, n);
    plane<<<dim3(4, 2), dim3(8, 8)>>>(out, grid{32});
    functors<<<8, 64>>>(out, n);
    together<<<dim3(4, 2), dim3(8, 8)>>>(out);
}
