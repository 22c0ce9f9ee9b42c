#include <stdio.h>
#include <string.h>

#include "inputs.h"

#define AT(x, y, z) (((size_t)(z) * ny + (y)) * nx + (x))

static void stencil(const float *restrict in, float *restrict out, int nx, int ny, int nz,
                    float centre, float around) {
#pragma omp parallel for
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++)
                out[AT(x, y, z)] =
                    centre * in[AT(x, y, z)] +
                    around * (in[AT(x, y, z - 1)] + in[AT(x, y, z + 1)] + in[AT(x - 1, y, z)] +
                              in[AT(x + 1, y, z)] + in[AT(x, y - 1, z)] + in[AT(x, y + 1, z)]);
}

int main(int argc, char **argv) {
    int nx = input_argument(argc, argv, 1, 256), ny = nx, nz = nx / 4;
    int steps = input_argument(argc, argv, 2, 1000);
    size_t count = (size_t)nx * ny * nz;
    float *in = malloc(count * sizeof *in), *out = malloc(count * sizeof *out);
    for (size_t i = 0; i < count; i++)
        in[i] = input_unit(5, (uint32_t)i);
    memcpy(out, in, count * sizeof *in);
    for (int s = 0; s < steps; s++) {
        stencil(in, out, nx, ny, nz, 0.4f, 0.1f);
        float *swap = in;
        in = out;
        out = swap;
    }
    printf("middle %.5f, all %.5e\n", in[AT(nx / 2, ny / 2, nz / 2)], sum_of_floats(in, count));
    free(in);
    free(out);
    return 0;
}
