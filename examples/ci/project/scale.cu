// scale COUNT: doubles COUNT numbers, and checks each.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(float *out, const float *in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = 2 * in[i];
}

static void check(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "scale: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

int main(int words, char **word) {
    const int count = words > 1 ? std::atoi(word[1]) : 1000;
    std::vector<float> host(count);
    for (int i = 0; i < count; i++)
        host[i] = float(i);
    float *in, *out;
    check(cudaMalloc(&in, count * sizeof(float)));
    check(cudaMalloc(&out, count * sizeof(float)));
    check(cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    scale<<<(count + 255) / 256, 256>>>(out, in, count);
    check(cudaGetLastError());
    check(cudaMemcpy(host.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
    check(cudaFree(out));
    check(cudaFree(in));
    for (int i = 0; i < count; i++)
        if (host[i] != 2 * float(i))
            return std::fprintf(stderr, "scale: number %d is %g\n", i, host[i]), 1;
}
