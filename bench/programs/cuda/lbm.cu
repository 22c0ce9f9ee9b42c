// Flow around obstacles by lattice Boltzmann (D2Q9): each step streams in and collides; walls and
// obstacles throw back.
#include <cuda_runtime.h>

#include <utility>

#include "cuda_check.h"
#include "inputs.h"

enum { WAYS = 9 };

__constant__ int along_x[WAYS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int along_y[WAYS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int opposite[WAYS] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ float weights[WAYS] = {4 / 9.0f,  1 / 9.0f,  1 / 9.0f,  1 / 9.0f, 1 / 9.0f,
                                    1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};

__global__ void step(const float *in, float *out, const uint8_t *solid, int width, int height,
                     float rate, float push) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int cells = width * height, own = y * width + x;
    float f[WAYS];
#pragma unroll
    for (int q = 0; q < WAYS; q++) {
        int fx = x - along_x[q], fy = y - along_y[q];
        fx = fx < 0 ? width - 1 : fx == width ? 0 : fx;
        fy = fy < 0 ? height - 1 : fy == height ? 0 : fy;
        f[q] = in[q * cells + fy * width + fx];
    }
    if (solid[own]) {
#pragma unroll
        for (int q = 0; q < WAYS; q++)
            out[opposite[q] * cells + own] = f[q];
        return;
    }
    float density = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < WAYS; q++) {
        density += f[q];
        ux += along_x[q] * f[q];
        uy += along_y[q] * f[q];
    }
    ux = ux / density + push;
    uy = uy / density;
    float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int q = 0; q < WAYS; q++) {
        float u = 3 * (along_x[q] * ux + along_y[q] * uy);
        float rest = weights[q] * density * (1 + u + 0.5f * u * u - square);
        out[q * cells + own] = f[q] + rate * (rest - f[q]);
    }
}

int main(int argc, char **argv) {
    int width = input_argument(argc, argv, 1, 1024), height = width / 2;
    int steps = input_argument(argc, argv, 2, 800);
    int cells = width * height;
    size_t bytes = (size_t)cells * WAYS * sizeof(float);
    const float own_weights[3] = {4 / 9.0f, 1 / 9.0f, 1 / 36.0f};
    float *f = (float *)malloc(bytes), *d_in, *d_out;
    uint8_t *solid = (uint8_t *)malloc(cells), *d_solid;
    for (int i = 0; i < cells; i++) {
        int x = i % width, y = i / width, bx = x % 64 - 32, by = y % 64 - 32;
        solid[i] = y == 0 || y == height - 1 || bx * bx + by * by < 60;
        for (int q = 0; q < WAYS; q++)
            f[q * cells + i] = own_weights[(q > 0) + (q > 4)] * input_between(150, i, 0.98f, 1.02f);
    }
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMalloc(&d_solid, cells));
    CHECK(cudaMemcpy(d_in, f, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_solid, solid, cells, cudaMemcpyHostToDevice));
    dim3 block(64, 4), grid((width + 63) / 64, (height + 3) / 4);
    for (int s = 0; s < steps; s++) {
        step<<<grid, block>>>(d_in, d_out, d_solid, width, height, 1.2f, 1e-5f);
        std::swap(d_in, d_out);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(f, d_in, bytes, cudaMemcpyDeviceToHost));
    double mass = sum_of_floats(f, (size_t)cells * WAYS), flow = 0;
    for (int i = 0; i < cells; i++)
        flow += f[cells + i] + f[5 * cells + i] + f[8 * cells + i];
    printf("mass %.5e, flow %.5e\n", mass, flow);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_solid));
    free(f);
    free(solid);
    return 0;
}
