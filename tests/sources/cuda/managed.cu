// Managed variables, which host and device see.
//: headers both
//: run k 1: 3
__managed__ int counter = 3;
__device__ __managed__ float table[16];
__global__ void k(int *o) { o[0] = atomicAdd(&counter, 1) + table[threadIdx.x]; }
int main() {
    k<<<1, 1>>>(0);
    cudaDeviceSynchronize();
    return counter + table[3];
}
