// Members smaller than a word beside wide ones.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Pixel {
    unsigned char r, g, b, a;
    short depth, id;
    float light;
    double weight;
};

__global__ void shade(Pixel *pixels, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float grey = 0.3f * pixels[i].r + 0.6f * pixels[i].g + 0.1f * pixels[i].b;
    pixels[i].light = grey * pixels[i].depth;
}

__global__ void weigh(Pixel *pixels, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && pixels[i].depth > 3)
        pixels[i].weight += pixels[i].light;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Pixel);
    Pixel *pixels = (Pixel *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        pixels[i].r = i % 255;
        pixels[i].g = i % 200;
        pixels[i].b = i % 100;
        pixels[i].a = 255;
        pixels[i].depth = i % 9;
        pixels[i].id = i % 1000;
        pixels[i].light = 0;
        pixels[i].weight = 1;
    }
    Pixel *d_pixels;
    cudaMalloc(&d_pixels, bytes);
    cudaMemcpy(d_pixels, pixels, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++) {
        shade<<<(n + 127) / 128, 128>>>(d_pixels, n);
        weigh<<<(n + 127) / 128, 128>>>(d_pixels, n);
    }
    cudaMemcpy(pixels, d_pixels, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += pixels[i].weight;
    printf("pixels: %.6f\n", sum);
    cudaFree(d_pixels);
    free(pixels);
    return 0;
}
