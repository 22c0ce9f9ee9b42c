// A copy between buffers, instead of a swap.
//: init - repeat: 8
//: init - kernel: step
//: init - copy: {from: b, to: a}
__global__ void step(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i + 1 < n)
        out[i] = 0.5f * (in[i - 1] + in[i + 1]);
}
int main() {
    const int n = 1024;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    for (int i = 0; i < 8; i++) {
        step<<<n / 128, 128>>>(a, b, n);
        cudaMemcpy(a, b, n * sizeof(float), cudaMemcpyDeviceToDevice);
    }
}
