// A record with a float4 and a float2 in it.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Comet {
    float4 pos;
    float2 drift;
    float2 spin;
};

__global__ void drift(Comet *comets, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = comets[i].pos;
    float2 d = comets[i].drift;
    p.x += dt * d.x;
    p.y += dt * d.y;
    comets[i].pos = p;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Comet);
    Comet *comets = (Comet *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        comets[i].pos = make_float4(i % 17, i % 13, i % 11, 1);
        comets[i].drift = make_float2(1, 2);
        comets[i].spin = make_float2(0, 0);
    }
    Comet *d_comets;
    cudaMalloc(&d_comets, bytes);
    cudaMemcpy(d_comets, comets, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++)
        drift<<<(n + 127) / 128, 128>>>(d_comets, n, 0.01f);
    cudaMemcpy(comets, d_comets, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += comets[i].pos.x + comets[i].spin.y;
    printf("comets: %.6f\n", sum);
    cudaFree(d_comets);
    free(comets);
    return 0;
}
