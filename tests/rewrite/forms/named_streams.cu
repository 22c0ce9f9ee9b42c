// Arrays with names that are copied in pieces, in a stream, and of which the size is asked for.
// in: Tap=aosoa:4
#include <cuda_runtime.h>

#include <cstdio>

template <typename T> static void must(T status) {
    if (status != cudaSuccess)
        std::printf("failed: %d\n", (int)status);
}

struct Tap {
    float weight;
    int shift;
    long long uses;
};

constexpr int kTaps = 8, kBanks = 3;
static __device__ __constant__ Tap kernelTaps[kTaps * kBanks];
static __device__ Tap counted[kTaps];

template <int BANK> __device__ float filter(const float *in, int i, int n) {
    float sum = 0;
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
        const auto &tap = kernelTaps[BANK * kTaps + t];
        int at = i + tap.shift;
        if (at >= 0 && at < n)
            sum += tap.weight * in[at];
        atomicAdd((unsigned long long *)&counted[t].uses, 1ull);
    }
    return sum;
}

template <int BANK> __global__ void run(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += filter<BANK>(in, i, n);
}

int main() {
    const int n = 100;
    cudaStream_t stream;
    must(cudaStreamCreate(&stream));
    Tap bank[kTaps], zero[kTaps] = {}, back[kTaps];
    float *buffers[2], host[n];
    for (int i = 0; i < n; ++i)
        host[i] = i % 13;
    for (float *&b : buffers)
        must(cudaMalloc(&b, sizeof host));
    must(cudaMemcpy(buffers[0], host, sizeof host, cudaMemcpyHostToDevice));
    must(cudaMemset(buffers[1], 0, sizeof host));
    for (int b = 0; b < kBanks; ++b) {
        for (int t = 0; t < kTaps; ++t)
            bank[t] = Tap{0.25f * (b + t), t - kTaps / 2, 0};
        must(cudaMemcpyToSymbolAsync(kernelTaps, bank, sizeof bank, b * sizeof bank,
                                     cudaMemcpyHostToDevice, stream));
        must(cudaStreamSynchronize(stream));
    }
    must(cudaMemcpyToSymbol(counted, zero, sizeof(counted)));
    run<0><<<4, 32, 0, stream>>>(buffers[0], buffers[1], n);
    run<2><<<4, 32, 0, stream>>>(buffers[0], buffers[1], n);
    must(cudaMemcpyFromSymbolAsync(back, counted, sizeof back, 0, cudaMemcpyDeviceToHost, stream));
    must(cudaStreamSynchronize(stream));
    must(cudaMemcpy(host, buffers[1], sizeof host, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += host[i] * (i + 1);
    printf("%.3f %lld %zu\n", sum, back[3].uses, sizeof(kernelTaps) / sizeof(kernelTaps[0]));
    for (float *b : buffers)
        cudaFree(b);
    return 0;
}
