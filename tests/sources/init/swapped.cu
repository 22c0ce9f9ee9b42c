// Pointers that are swapped: two rounds are a round of the job.
//: init # swapped.cu:19: a loop of 10 rounds; two of them, which swap pointers
//: init - repeat: 5
//: init - {name: in, buffer: a}
//: init - {name: out, buffer: b}
//: init - {name: in, buffer: b}
//: init - {name: out, buffer: a}
#include <utility>
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
    for (int i = 0; i < 10; i++) {
        step<<<n / 128, 128>>>(a, b, n);
        std::swap(a, b);
    }
}
