// Temperatures of a chip that power heats: a 5-point stencil in steps of time, each block with a
// tile and its rim in shared memory.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

#define SIDE 16

struct Constants {
    float step, along_x, along_y, down, ambient;
};
__constant__ Constants constants;

__global__ void heat(const float *temperature, const float *power, float *next, int width,
                     int height) {
    __shared__ float tile[SIDE + 2][SIDE + 2];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int cx = min(x, width - 1), cy = min(y, height - 1);
    tile[ty][tx] = temperature[cy * width + cx];
    if (threadIdx.x == 0)
        tile[ty][0] = temperature[cy * width + max(x - 1, 0)];
    if (threadIdx.x == SIDE - 1)
        tile[ty][SIDE + 1] = temperature[cy * width + min(x + 1, width - 1)];
    if (threadIdx.y == 0)
        tile[0][tx] = temperature[max(y - 1, 0) * width + cx];
    if (threadIdx.y == SIDE - 1)
        tile[SIDE + 1][tx] = temperature[min(y + 1, height - 1) * width + cx];
    __syncthreads();
    if (x >= width || y >= height)
        return;
    float t = tile[ty][tx];
    float change = power[y * width + x] +
                   (tile[ty - 1][tx] + tile[ty + 1][tx] - 2 * t) * constants.along_y +
                   (tile[ty][tx - 1] + tile[ty][tx + 1] - 2 * t) * constants.along_x +
                   (constants.ambient - t) * constants.down;
    next[y * width + x] = t + constants.step * change;
}

int main(int argc, char **argv) {
    int side = input_argument(argc, argv, 1, 2048);
    int steps = input_argument(argc, argv, 2, 700);
    int cells = side * side;
    size_t bytes = cells * sizeof(float);
    float *temperature = (float *)malloc(bytes), *power = (float *)malloc(bytes);
    for (int i = 0; i < cells; i++) {
        temperature[i] = input_between(3, i, 320, 340);
        power[i] = input_between(4, i, 0, 20);
    }
    Constants own = {0.02f, 4, 6, 0.5f, 300};
    float *d_temperature[2], *d_power;
    CHECK(cudaMemcpyToSymbol(constants, &own, sizeof own));
    CHECK(cudaMalloc(&d_temperature[0], bytes));
    CHECK(cudaMalloc(&d_temperature[1], bytes));
    CHECK(cudaMalloc(&d_power, bytes));
    CHECK(cudaMemcpy(d_temperature[0], temperature, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_power, power, bytes, cudaMemcpyHostToDevice));
    dim3 block(SIDE, SIDE), grid((side + SIDE - 1) / SIDE, (side + SIDE - 1) / SIDE);
    for (int s = 0; s < steps; s++)
        heat<<<grid, block>>>(d_temperature[s % 2], d_power, d_temperature[1 - s % 2], side, side);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(temperature, d_temperature[steps % 2], bytes, cudaMemcpyDeviceToHost));
    printf("corner %.4f, middle %.4f, all %.5e\n", temperature[0], temperature[cells / 2],
           sum_of_floats(temperature, cells));
    CHECK(cudaFree(d_temperature[0]));
    CHECK(cudaFree(d_temperature[1]));
    CHECK(cudaFree(d_power));
    free(temperature);
    free(power);
    return 0;
}
