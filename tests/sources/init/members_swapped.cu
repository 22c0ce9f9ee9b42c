// A class that owns its buffers and swaps them in each step.
//: init - repeat: 3
//: init - {name: in, buffer: now}
//: init - {name: in, buffer: next}
__global__ void step(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i + 1 < n)
        out[i] = 0.5f * (in[i - 1] + in[i + 1]);
}
struct field {
    float *now, *next;
    int n;
    explicit field(int count) : n(count) {
        cudaMalloc(&now, n * sizeof(float));
        cudaMalloc(&next, n * sizeof(float));
    }
    void advance() {
        step<<<(n + 127) / 128, 128>>>(now, next, n);
        float *held = now;
        now = next;
        next = held;
    }
};
int main() {
    field f(700);
    for (int i = 0; i < 6; i++)
        f.advance();
}
