// expect: ints int 64 = 3 * i + 7
// expect: reals double 64 = 2 * i + 0.5
// expect: sums int = 120 376
// expect: points float 64 = (i % 2 ? 2 * i : i) + 1
//
// Templates of kernels, with types and numbers; a struct and a functor that are templates.
template <typename T> struct affine {
    T factor, offset;
    __device__ T operator()(T x) const { return factor * x + offset; }
};

template <typename T> struct point { T x, y; };

template <typename T, typename F> __device__ void apply(T *p, int i, F f) { p[i] = f(p[i]); }

template <typename T> __global__ void scale(T *p, affine<T> f) {
    apply(p, blockIdx.x * blockDim.x + threadIdx.x, f);
}
template __global__ void scale<int>(int *, affine<int>);
template __global__ void scale<double>(double *, affine<double>);

namespace block {
template <int N> __global__ void sum(const int *in, int *out) {
    __shared__ int part[N];
    part[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int d = N / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
template __global__ void sum<16>(const int *, int *);
} // namespace block

template <typename P> __global__ void shift(P *p) {
    P q = p[threadIdx.x];
    q.x += 1;
    q.y = 2 * q.y + 1;
    p[threadIdx.x] = q;
}
template __global__ void shift(point<float> *);
