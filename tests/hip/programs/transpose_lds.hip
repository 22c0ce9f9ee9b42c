// A tile in local memory with a column more, against conflicts of banks.
#include "check.h"

#define TILE 32

struct cell {
    float density, energy;
};

__global__ void transpose(cell *out, const cell *in, int width) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x].density;
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[(y + j) * width + x].density = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
    const int width = 128;
    cell *host = new cell[width * width], *in, *out;
    for (int i = 0; i < width * width; i++)
        host[i] = {(float)i, 1};
    HIP_CHECK(hipMalloc(&in, width * width * sizeof(cell)));
    HIP_CHECK(hipMalloc(&out, width * width * sizeof(cell)));
    HIP_CHECK(hipMemcpy(in, host, width * width * sizeof(cell), hipMemcpyHostToDevice));
    dim3 grid(width / TILE, width / TILE), block(TILE, 8);
    hipLaunchKernelGGL(transpose, grid, block, 0, 0, out, in, width);
    HIP_CHECK(hipMemcpy(host, out, width * width * sizeof(cell), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(out));
    delete[] host;
}
