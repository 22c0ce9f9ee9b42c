// Pointers into arrays and structs that are fields, and to one field.
// in: Ray=soa; Ray={origin,dir}{t,weights,bounces}
#include <cuda_runtime.h>

#include <cstdio>

struct Vec {
    float x, y, z;
};

struct Ray {
    Vec origin;
    float dir[3], t;
    double weights[2][4];
    int bounces;
};

__device__ const float *larger(const Ray &a, const Ray &b) { return a.t < b.t ? b.dir : a.dir; }

__device__ float dot(const float *a, const float *b) {
    float sum = 0;
    for (const float *end = a + 3; a != end;)
        sum += *a++ * *b++;
    return sum;
}

__global__ void trace(Ray *rays, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Vec *origin = &rays[i].origin;
    float *dir = rays[i].dir, *t = &rays[i].t;
    int *const bounces = &rays[i].bounces;
    double(*w)[4] = rays[i].weights;
    double *row = rays[i].weights[1];
    for (float *f = dir; f != rays[i].dir + 3; ++f)
        *f += origin->x;
    for (int k = 0; k < 4; k++)
        row[k] += w[0][k];
    const float *d = larger(rays[i], rays[n - 1 - i]);
    *t += dot(dir, d) > 100 ? 1 : 2;
    ++*bounces;
    atomicAdd(bounces, 2);
    origin = i % 2 ? &rays[i].origin : origin;
    origin->z = *t;
    out[i] = row[2] + *bounces + d[i % 3] * 0;
}

int main() {
    const int n = 80;
    static Ray h[n];
    Ray *rays;
    float ho[n], *out;
    for (int i = 0; i < n; i++)
        h[i] = Ray{{1.0f * (i % 4), 2, 3}, {1, 2, 3}, 1.0f * i, {{1, 2, 3, 4}, {5, 6, 7, 8}}, i % 5};
    cudaMalloc(&rays, sizeof h);
    cudaMalloc(&out, sizeof ho);
    cudaMemcpy(rays, h, sizeof h, cudaMemcpyHostToDevice);
    trace<<<3, 32>>>(rays, out, n);
    cudaMemcpy(h, rays, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(ho, out, sizeof ho, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (h[i].origin.z + h[i].dir[1] + h[i].weights[1][3] + h[i].bounces + ho[i]) * (i + 1);
    printf("%.3f\n", sum);
    cudaFree(rays);
    cudaFree(out);
    return 0;
}
