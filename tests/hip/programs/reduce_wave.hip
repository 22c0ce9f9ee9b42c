// A sum over waves by shuffles, and over a block by local memory.
#include "check.h"

struct reading {
    float value, error;
    unsigned sensor;
};

__inline__ __device__ float wave_sum(float v) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down(v, offset);
    return v;
}

__global__ void __launch_bounds__(256) block_sum(const reading *in, float *out, int n) {
    __shared__ float parts[32];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += in[i].value;
    v = wave_sum(v);
    int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    if (lane == 0)
        parts[wave] = v;
    __syncthreads();
    if (wave == 0) {
        v = threadIdx.x < blockDim.x / warpSize ? parts[lane] : 0;
        v = wave_sum(v);
        if (lane == 0)
            atomicAdd(out, v);
    }
}

int main() {
    const int n = 8192;
    reading *host = new reading[n], *in;
    float *out, sum;
    for (int i = 0; i < n; i++)
        host[i] = {1.0f, 0.1f, (unsigned)i};
    HIP_CHECK(hipMalloc((void **)&in, n * sizeof(reading)));
    HIP_CHECK(hipMalloc((void **)&out, sizeof(float)));
    HIP_CHECK(hipMemcpy(in, host, n * sizeof(reading), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemset(out, 0, sizeof(float)));
    block_sum<<<4, 256>>>(in, out, n);
    HIP_CHECK(hipMemcpy(&sum, out, sizeof(float), hipMemcpyDeviceToHost));
    HIP_CHECK(hipDeviceSynchronize());
    std::printf("%g\n", sum);
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(out));
    delete[] host;
}
