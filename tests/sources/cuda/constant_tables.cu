// Tables in constant and device memory, with values and without.
//: headers both
//: run k 4: 10 21 32 43
//: accesses k: load table 4, load counts 4, store o 4
__constant__ float table[4] = {10, 20, 30, 40};
__device__ int counts[4] = {0, 1, 2, 3};
__constant__ struct {
    int n;
    float scale[2];
} settings;
__global__ void k(float *o) { o[threadIdx.x] = table[threadIdx.x] + counts[threadIdx.x]; }
__global__ void others(float *o) { o[threadIdx.x] = settings.scale[threadIdx.x & 1] * settings.n; }
int main() {
    float host[2] = {1, 2};
    cudaMemcpyToSymbol(settings, host, sizeof host);
    others<<<1, 32>>>(nullptr);
}
