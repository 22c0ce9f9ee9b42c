// The loop over a grid's stride, and sizes of 64 bits.
//: headers both
//: run k 4: 0 2 4 6
//: accesses k: load o 4, store o 4
__global__ void k(int *o, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        o[i] *= 2;
}
