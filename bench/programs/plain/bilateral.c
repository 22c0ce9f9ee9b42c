#include <stdio.h>

#include "inputs.h"

enum { RADIUS = 3, WINDOW = 2 * RADIUS + 1 };

typedef struct pixel {
    uint8_t r, g, b, a;
} pixel;

static int between(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

static pixel smooth_at(const pixel *in, int width, int height, int x, int y, const float *nearness,
                       float sharpness) {
    pixel centre = in[(size_t)y * width + x];
    float red = 0, green = 0, blue = 0, weights = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        const pixel *row = in + (size_t)between(y + dy, 0, height - 1) * width;
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            pixel other = row[between(x + dx, 0, width - 1)];
            int r = other.r - centre.r, g = other.g - centre.g, b = other.b - centre.b;
            float weight = nearness[(dy + RADIUS) * WINDOW + dx + RADIUS] *
                           expf(-(float)(r * r + g * g + b * b) * sharpness);
            red += weight * other.r;
            green += weight * other.g;
            blue += weight * other.b;
            weights += weight;
        }
    }
    return (pixel){(uint8_t)(red / weights + 0.5f), (uint8_t)(green / weights + 0.5f),
                   (uint8_t)(blue / weights + 0.5f), centre.a};
}

static void smooth(const pixel *in, pixel *out, int width, int height, const float *nearness,
                   float sharpness) {
#pragma omp parallel for
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            out[(size_t)y * width + x] = smooth_at(in, width, height, x, y, nearness, sharpness);
}

static float grey(pixel p) { return 0.299f * p.r + 0.587f * p.g + 0.114f * p.b; }

static void edges(const pixel *in, float *out, int width, int height) {
#pragma omp parallel for
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float around[3][3];
            for (int dy = 0; dy < 3; dy++)
                for (int dx = 0; dx < 3; dx++)
                    around[dy][dx] = grey(in[(size_t)between(y + dy - 1, 0, height - 1) * width +
                                             between(x + dx - 1, 0, width - 1)]);
            float gx = around[0][2] + 2 * around[1][2] + around[2][2] - around[0][0] -
                       2 * around[1][0] - around[2][0];
            float gy = around[2][0] + 2 * around[2][1] + around[2][2] - around[0][0] -
                       2 * around[0][1] - around[0][2];
            out[(size_t)y * width + x] = sqrtf(gx * gx + gy * gy);
        }
}

int main(int argc, char **argv) {
    int width = input_argument(argc, argv, 1, 1024), height = width * 3 / 4;
    int times = input_argument(argc, argv, 2, 12);
    size_t pixels = (size_t)width * height;
    pixel *in = malloc(pixels * sizeof *in), *out = malloc(pixels * sizeof *out);
    float *strengths = malloc(pixels * sizeof *strengths), nearness[WINDOW * WINDOW];
    for (size_t i = 0; i < pixels; i++) {
        uint32_t noise = input_bits(50, (uint32_t)i);
        in[i] = (pixel){(uint8_t)(i % width / 8 % 64 * 3 + noise % 32),
                        (uint8_t)(i / width % 192 + noise / 32 % 32),
                        (uint8_t)((i % width + i / width) % 192 + noise / 1024 % 32), 255};
    }
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++)
            nearness[(dy + RADIUS) * WINDOW + dx + RADIUS] =
                expf(-(float)(dx * dx + dy * dy) / 8.0f);
    for (int t = 0; t < times; t++) {
        smooth(in, out, width, height, nearness, 1 / 1800.0f);
        pixel *swap = in;
        in = out;
        out = swap;
    }
    edges(in, strengths, width, height);
    double sum = 0;
    for (size_t i = 0; i < pixels; i++)
        sum += in[i].r + 2 * in[i].g + 3 * in[i].b;
    printf("colours %.5e, edges %.5e\n", sum, sum_of_floats(strengths, pixels));
    free(in);
    free(out);
    free(strengths);
    return 0;
}
