// A tile of whole records in shared memory.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Mass {
    float x, y, m;
    float ax, ay;
    int id;
};

__global__ void fall(Mass *masses, int n) {
    __shared__ float xs[128], ys[128], ms[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float ax = 0, ay = 0;
    for (int t = 0; t < n; t += 128) {
        xs[threadIdx.x] = masses[t + threadIdx.x].x;
        ys[threadIdx.x] = masses[t + threadIdx.x].y;
        ms[threadIdx.x] = masses[t + threadIdx.x].m;
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float dx = xs[k] - masses[i].x, dy = ys[k] - masses[i].y;
            float f = ms[k] / (dx * dx + dy * dy + 0.1f);
            ax += f * dx;
            ay += f * dy;
        }
        __syncthreads();
    }
    masses[i].ax = ax;
    masses[i].ay = ay;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 512;
    size_t bytes = n * sizeof(Mass);
    Mass *masses = (Mass *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        masses[i].x = i % 31;
        masses[i].y = i % 17;
        masses[i].m = 1;
        masses[i].ax = masses[i].ay = 0;
        masses[i].id = i;
    }
    Mass *d_masses;
    cudaMalloc(&d_masses, bytes);
    cudaMemcpy(d_masses, masses, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 1; s++)
        fall<<<(n + 127) / 128, 128>>>(d_masses, n);
    cudaMemcpy(masses, d_masses, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += masses[i].ax;
    printf("masses: %.6f\n", sum);
    cudaFree(d_masses);
    free(masses);
    return 0;
}
