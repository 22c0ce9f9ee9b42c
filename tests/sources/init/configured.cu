// A launch whose sizes are members of a configuration.
//: init blocks: [64]
//: init threads: [32]
//: init - {name: by, value: 2}
__global__ void add(int *a, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += by;
}
int main() {
    const int n = 2048;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(n / 32);
    config.blockDim = dim3(32);
    cudaLaunchKernelEx(&config, add, a, 2, n);
}
