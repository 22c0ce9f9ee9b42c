// All bodies against all others but themselves.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Ion {
    float x, y, z, charge;
    float fx, fy, fz;
    int kind;
};

__global__ void repel(Ion *ions, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; j++)
        if (i != j) {
            float dx = ions[i].x - ions[j].x, dy = ions[i].y - ions[j].y, dz = ions[i].z - ions[j].z;
            float f = ions[j].charge / (dx * dx + dy * dy + dz * dz + 0.01f);
            fx += f * dx;
            fy += f * dy;
            fz += f * dz;
        }
    ions[i].fx = fx;
    ions[i].fy = fy;
    ions[i].fz = fz;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 256;
    size_t bytes = n * sizeof(Ion);
    Ion *ions = (Ion *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        ions[i].x = i % 17;
        ions[i].y = i % 13;
        ions[i].z = i % 11;
        ions[i].charge = 1 + i % 3;
        ions[i].fx = ions[i].fy = ions[i].fz = 0;
        ions[i].kind = i % 4;
    }
    Ion *d_ions;
    cudaMalloc(&d_ions, bytes);
    cudaMemcpy(d_ions, ions, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 1; s++)
        repel<<<(n + 127) / 128, 128>>>(d_ions, n);
    cudaMemcpy(ions, d_ions, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += ions[i].fx + ions[i].fy;
    printf("ions: %.6f\n", sum);
    cudaFree(d_ions);
    free(ions);
    return 0;
}
