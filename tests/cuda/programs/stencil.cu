// A blur of an image over several steps, with weights in constant memory and a border.
#include <algorithm>

#include "check.h"

__constant__ int weights[3][3];

__global__ void blur(const int *__restrict__ from, int *__restrict__ to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int sx = min(max(x + dx, 0), width - 1), sy = min(max(y + dy, 0), height - 1);
            sum += weights[dy + 1][dx + 1] * __ldg(&from[sy * width + sx]);
        }
    to[y * width + x] = sum / 16;
}

int main() {
    const int width = 61, height = 43, steps = 3;
    static int image[height][width], wanted[2][height][width];
    const int host_weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    int *from, *to;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wanted[0][y][x] = image[y][x] = (x * 31 + y * 17) % 256 * 100;
    CUDA(cudaMalloc(&from, sizeof image));
    CUDA(cudaMalloc(&to, sizeof image));
    CUDA(cudaMemcpy(from, image, sizeof image, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights));
    for (int step = 0; step < steps; step++) {
        blur<<<dim3(4, 6), dim3(16, 8)>>>(from, to, width, height);
        std::swap(from, to);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int sum = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        sum += host_weights[dy + 1][dx + 1] *
                               wanted[step % 2][std::min(std::max(y + dy, 0), height - 1)]
                                     [std::min(std::max(x + dx, 0), width - 1)];
                wanted[(step + 1) % 2][y][x] = sum / 16;
            }
    }
    CUDA(cudaMemcpy(image, from, sizeof image, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            CHECK(image[y][x] == wanted[steps % 2][y][x]);
    return DONE;
}
