// Kernels made from templates, with a function object, a struct of arguments and device functions.
#include "check.h"

struct affine {
    double factor, offset;
    __host__ __device__ double operator()(double x) const { return factor * x + offset; }
};

template <class T> __device__ T twice(T x) { return x + x; }

template <class T, class F, int STEP> __global__ void apply(T *x, int n, F f) {
    for (int i = STEP * (blockIdx.x * blockDim.x + threadIdx.x); i < n;
         i += STEP * gridDim.x * blockDim.x)
        for (int k = i; k < i + STEP && k < n; k++)
            x[k] = twice((T)f(x[k]));
}

template <class T, int STEP> void check(int n) {
    T *x, *host = new T[n];
    affine f = {0.5, 3};
    for (int i = 0; i < n; i++)
        host[i] = (T)(2 * i);
    CUDA(cudaMalloc(&x, n * sizeof(T)));
    CUDA(cudaMemcpy(x, host, n * sizeof(T), cudaMemcpyHostToDevice));
    apply<T, affine, STEP><<<3, 32>>>(x, n, f);
    CUDA(cudaMemcpy(host, x, n * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == (T)(2 * (i + 3)));
    CUDA(cudaFree(x));
    delete[] host;
}

int main() {
    check<int, 1>(777);
    check<double, 4>(1001);
    check<short, 3>(100);
    check<unsigned long long, 2>(64);
    return DONE;
}
