// Variables that the host fills are buffers.
//: init - name: weights
//: init type: float
//: init count: 16
//: init - {name: weights, buffer: weights}
__constant__ float weights[16];
__global__ void weigh(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] *= weights[i & 15];
}
int main() {
    float host[16] = {1}, *a;
    cudaMalloc(&a, 512 * sizeof(float));
    cudaMemcpyToSymbol(weights, host, sizeof host);
    weigh<<<2, 256>>>(a, 512);
}
