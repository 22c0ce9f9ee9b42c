// An array of pointers, each of which has memory of its own.
//: init - name: d_0
//: init count: 1024
//: init - name: d_1
//: init count: 2048
//: init - {name: in, buffer: d_0}
//: init - {name: out, buffer: d_1}
__global__ void step(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i + 1 < n)
        out[i] = 0.5f * (in[i - 1] + in[i + 1]);
}
int main() {
    float *d[2];
    cudaMalloc(&d[0], 1024 * sizeof(float));
    cudaMalloc((void **)&d[1], 2048 * sizeof(float));
    step<<<8, 128>>>(d[0], d[1], 1024);
}
