// Positions and velocities move; the rest of a wide record stands by.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Shell {
    float x, y, z;
    float vx, vy, vz;
    float fuse, charge;
    int team, hits;
};

__global__ void fly(Shell *shells, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    shells[i].vz -= 9.81f * dt;
    shells[i].x += dt * shells[i].vx;
    shells[i].y += dt * shells[i].vy;
    shells[i].z += dt * shells[i].vz;
}

__global__ void burn(Shell *shells, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && shells[i].fuse > 0)
        shells[i].fuse -= dt;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Shell);
    Shell *shells = (Shell *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        shells[i].x = i % 10;
        shells[i].y = i % 9;
        shells[i].z = 100;
        shells[i].vx = 1;
        shells[i].vy = 2;
        shells[i].vz = 3;
        shells[i].fuse = i % 4;
        shells[i].charge = 1;
        shells[i].team = i % 2;
        shells[i].hits = 0;
    }
    Shell *d_shells;
    cudaMalloc(&d_shells, bytes);
    cudaMemcpy(d_shells, shells, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++) {
        fly<<<(n + 127) / 128, 128>>>(d_shells, n, 0.01f);
        burn<<<(n + 127) / 128, 128>>>(d_shells, n, 0.01f);
    }
    cudaMemcpy(shells, d_shells, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += shells[i].z + shells[i].fuse;
    printf("shells: %.6f\n", sum);
    cudaFree(d_shells);
    free(shells);
    return 0;
}
