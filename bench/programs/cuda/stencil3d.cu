// A 7-point stencil in three dimensions: each thread goes along z with three values in registers.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

#define AT(x, y, z) (((z) * ny + (y)) * nx + (x))

__global__ void stencil(const float *in, float *out, int nx, int ny, int nz, float centre,
                        float around) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1)
        return;
    float below = in[AT(x, y, 0)], here = in[AT(x, y, 1)];
    for (int z = 1; z < nz - 1; z++) {
        float above = in[AT(x, y, z + 1)];
        out[AT(x, y, z)] =
            centre * here + around * (below + above + in[AT(x - 1, y, z)] + in[AT(x + 1, y, z)] +
                                      in[AT(x, y - 1, z)] + in[AT(x, y + 1, z)]);
        below = here;
        here = above;
    }
}

int main(int argc, char **argv) {
    int nx = input_argument(argc, argv, 1, 256), ny = nx, nz = nx / 4;
    int steps = input_argument(argc, argv, 2, 1000);
    size_t count = (size_t)nx * ny * nz, bytes = count * sizeof(float);
    float *values = (float *)malloc(bytes), *d_in, *d_out;
    for (size_t i = 0; i < count; i++)
        values[i] = input_unit(5, i);
    CHECK(cudaMalloc((void **)&d_in, bytes));
    CHECK(cudaMalloc((void **)&d_out, bytes));
    CHECK(cudaMemcpy(d_in, values, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_out, d_in, bytes, cudaMemcpyDeviceToDevice));
    dim3 block(32, 4), grid((nx - 2 + 31) / 32, (ny - 2 + 3) / 4);
    for (int s = 0; s < steps; s++) {
        stencil<<<grid, block>>>(d_in, d_out, nx, ny, nz, 0.4f, 0.1f);
        float *swap = d_in;
        d_in = d_out;
        d_out = swap;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(values, d_in, bytes, cudaMemcpyDeviceToHost));
    printf("middle %.5f, all %.5e\n", values[AT(nx / 2, ny / 2, nz / 2)],
           sum_of_floats(values, count));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(values);
    return 0;
}
