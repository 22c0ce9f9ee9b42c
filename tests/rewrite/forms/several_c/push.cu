#include <cstdio>

#include "particle.h"
#include "push_kernel.cuh"

extern "C" int push_particles(particle *host, size_t n, double dt, int steps) {
    particle *dev = NULL;
    size_t bytes = n * sizeof(particle);
    if (cudaMalloc((void **)&dev, bytes) != cudaSuccess)
        return -1;
    cudaMemcpy(dev, host, bytes, cudaMemcpyHostToDevice);
    while (steps-- > 0)
        push<<<(unsigned)((n + 63) / 64), 64>>>(dev, (int)n, dt);
    cudaMemcpy(host, dev, bytes, cudaMemcpyDeviceToHost);
    cudaFree(dev);
    return 0;
}
