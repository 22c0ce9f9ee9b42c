// void * of helpers that allocate and copy for every type, and are given one.
// in: Pixel=soa
#include <cuda_runtime.h>
#include <stdio.h>

struct Pixel {
    short r, g, b;
    int id;
};

void *to_device(const void *host, size_t bytes) {
    void *device = nullptr;
    cudaMalloc(&device, bytes);
    cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    return device;
}

void to_host(void *host, const void *device, size_t bytes) {
    cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
}

__global__ void invert(Pixel *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].r = 255 - p[i].r;
        p[i].id++;
    }
}

int main() {
    const int n = 50;
    Pixel h[n];
    for (int i = 0; i < n; i++)
        h[i] = Pixel{(short)i, 1, 2, i};
    Pixel *d = (Pixel *)to_device(h, sizeof h); //! this is a cast of another pointer.*template <class T> that returns 'T \*'
    invert<<<2, 32>>>(d, n);
    to_host(h, d, sizeof h); //! is passed to 'to_host' as another type; declare its parameter 'Pixel \*', or.*'T \*' of a template
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += (h[i].r + h[i].id) * (i + 1);
    printf("%d\n", sum);
    cudaFree(d);
    return 0;
}
