// A bilateral filter over an image of four bytes a pixel, several times, and then its edges by Sobel.
#include <cuda_runtime.h>

#include <utility>

#include "cuda_check.h"
#include "inputs.h"

enum { RADIUS = 3, WINDOW = 2 * RADIUS + 1 };

__constant__ float nearness[WINDOW * WINDOW];

__device__ float4 floats(uchar4 pixel) { return make_float4(pixel.x, pixel.y, pixel.z, pixel.w); }

__device__ float grey(uchar4 pixel) {
    return 0.299f * pixel.x + 0.587f * pixel.y + 0.114f * pixel.z;
}

__global__ void smooth(const uchar4 *in, uchar4 *out, int width, int height, float sharpness) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float4 centre = floats(in[y * width + x]);
    float red = 0, green = 0, blue = 0, weights = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            int nx = min(max(x + dx, 0), width - 1), ny = min(max(y + dy, 0), height - 1);
            float4 other = floats(in[ny * width + nx]);
            float r = other.x - centre.x, g = other.y - centre.y, b = other.z - centre.z;
            float weight = nearness[(dy + RADIUS) * WINDOW + dx + RADIUS] *
                           expf(-(r * r + g * g + b * b) * sharpness);
            red += weight * other.x;
            green += weight * other.y;
            blue += weight * other.z;
            weights += weight;
        }
    out[y * width + x] =
        make_uchar4(red / weights + 0.5f, green / weights + 0.5f, blue / weights + 0.5f, centre.w);
}

__global__ void edges(const uchar4 *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float around[3][3];
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) {
            int nx = min(max(x + dx - 1, 0), width - 1), ny = min(max(y + dy - 1, 0), height - 1);
            around[dy][dx] = grey(in[ny * width + nx]);
        }
    float gx = around[0][2] + 2 * around[1][2] + around[2][2] - around[0][0] - 2 * around[1][0] -
               around[2][0];
    float gy = around[2][0] + 2 * around[2][1] + around[2][2] - around[0][0] - 2 * around[0][1] -
               around[0][2];
    out[y * width + x] = sqrtf(gx * gx + gy * gy);
}

int main(int argc, char **argv) {
    int width = input_argument(argc, argv, 1, 1024), height = width * 3 / 4;
    int times = input_argument(argc, argv, 2, 12);
    size_t pixels = (size_t)width * height;
    uchar4 *image = (uchar4 *)malloc(pixels * sizeof(uchar4)), *d_in, *d_out;
    float *strengths = (float *)malloc(pixels * sizeof(float)), *d_strengths;
    float weights[WINDOW * WINDOW];
    for (size_t i = 0; i < pixels; i++) {
        uint32_t noise = input_bits(50, i);
        image[i] =
            make_uchar4(i % width / 8 % 64 * 3 + noise % 32, i / width % 192 + noise / 32 % 32,
                        (i % width + i / width) % 192 + noise / 1024 % 32, 255);
    }
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++)
            weights[(dy + RADIUS) * WINDOW + dx + RADIUS] = expf(-(dx * dx + dy * dy) / 8.0f);
    CHECK(cudaMemcpyToSymbol(nearness, weights, sizeof weights));
    CHECK(cudaMalloc(&d_in, pixels * sizeof(uchar4)));
    CHECK(cudaMalloc(&d_out, pixels * sizeof(uchar4)));
    CHECK(cudaMalloc(&d_strengths, pixels * sizeof(float)));
    CHECK(cudaMemcpy(d_in, image, pixels * sizeof(uchar4), cudaMemcpyHostToDevice));
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    for (int t = 0; t < times; t++) {
        smooth<<<grid, block>>>(d_in, d_out, width, height, 1 / 1800.0f);
        std::swap(d_in, d_out);
    }
    edges<<<grid, block>>>(d_in, d_strengths, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(image, d_in, pixels * sizeof(uchar4), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(strengths, d_strengths, pixels * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (size_t i = 0; i < pixels; i++)
        sum += image[i].x + 2 * image[i].y + 3 * image[i].z;
    printf("colours %.5e, edges %.5e\n", sum, sum_of_floats(strengths, pixels));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_strengths));
    free(image);
    free(strengths);
    return 0;
}
