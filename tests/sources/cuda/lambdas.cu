// Lambdas as arguments of kernels that are templates, also through a wrapper.
//: headers both
//: options --extended-lambda
template <class F> __global__ void each(int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}
template <class F> void for_each(int n, F f) { each<<<(n + 255) / 256, 256>>>(n, f); }
int main() {
    float *p, s = 2;
    cudaMalloc(&p, 400);
    each<<<1, 32>>>(32, [=] __device__(int i) { p[i] *= s; });
    for_each(100, [=] __host__ __device__(int i) { p[i] += 1; });
}
