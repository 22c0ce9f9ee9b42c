// A float4-like record, read whole: nothing to gain.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct alignas(16) Star {
    float x, y, z, m;
};

__global__ void pull(Star *stars, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Star a = stars[i];
    float r = rsqrtf(a.x * a.x + a.y * a.y + a.z * a.z + 0.1f);
    a.x -= dt * a.x * r;
    a.y -= dt * a.y * r;
    a.z -= dt * a.z * r;
    a.m *= 0.99f;
    stars[i] = a;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Star);
    Star *stars = (Star *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        stars[i].x = i % 17;
        stars[i].y = i % 13;
        stars[i].z = i % 11;
        stars[i].m = 1;
    }
    Star *d_stars;
    cudaMalloc(&d_stars, bytes);
    cudaMemcpy(d_stars, stars, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++)
        pull<<<(n + 127) / 128, 128>>>(d_stars, n, 0.01f);
    cudaMemcpy(stars, d_stars, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += stars[i].x + stars[i].m;
    printf("stars: %.6f\n", sum);
    cudaFree(d_stars);
    free(stars);
    return 0;
}
