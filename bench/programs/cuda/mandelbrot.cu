// The Mandelbrot set: how many steps each point of a picture stays near.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

struct View {
    float left, top, step;
};

__global__ void escape(View view, int width, int height, int most, uint16_t *steps) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    float cx = view.left + px * view.step, cy = view.top + py * view.step;
    float x = 0, y = 0;
    int n = 0;
    for (; n < most; n++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4)
            break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
    }
    steps[py * width + px] = n;
}

int main(int argc, char **argv) {
    int width = input_argument(argc, argv, 1, 1120), height = width * 2 / 3;
    int most = input_argument(argc, argv, 2, 1000);
    size_t pixels = (size_t)width * height, bytes = pixels * sizeof(uint16_t);
    uint16_t *steps = (uint16_t *)malloc(bytes), *d_steps;
    CHECK(cudaMalloc(&d_steps, bytes));
    const View views[] = {{-2, -1, 3.0f / width}, {-0.8f, 0.05f, 0.15f / width}};
    for (View view : views) {
        dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
        escape<<<grid, block>>>(view, width, height, most, d_steps);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(steps, d_steps, bytes, cudaMemcpyDeviceToHost));
        double sum = 0, inside = 0;
        for (size_t i = 0; i < pixels; i++) {
            sum += steps[i];
            inside += steps[i] == most;
        }
        printf("steps %.5e, inside %.5e\n", sum, inside);
    }
    CHECK(cudaFree(d_steps));
    free(steps);
    return 0;
}
