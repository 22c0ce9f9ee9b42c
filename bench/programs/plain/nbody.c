#include <stdio.h>

#include "inputs.h"

typedef struct body {
    float x, y, z, w;
} body;

static void accelerate(const body *bodies, body *velocities, int count, float step,
                       float softening) {
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        body own = bodies[i];
        float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (int j = 0; j < count; j++) {
            float dx = bodies[j].x - own.x, dy = bodies[j].y - own.y, dz = bodies[j].z - own.z;
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = bodies[j].w * inverse * inverse * inverse;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        velocities[i].x += step * ax;
        velocities[i].y += step * ay;
        velocities[i].z += step * az;
    }
}

static void move(body *bodies, const body *velocities, int count, float step) {
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        bodies[i].x += step * velocities[i].x;
        bodies[i].y += step * velocities[i].y;
        bodies[i].z += step * velocities[i].z;
    }
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 8192);
    int steps = input_argument(argc, argv, 2, 8);
    body *bodies = malloc((size_t)count * sizeof *bodies);
    body *velocities = calloc((size_t)count, sizeof *velocities);
    for (uint32_t i = 0; i < (uint32_t)count; i++)
        bodies[i] = (body){input_between(100, i, -1, 1), input_between(101, i, -1, 1),
                           input_between(102, i, -1, 1), input_between(103, i, 0.5f, 1.5f)};
    for (int s = 0; s < steps; s++) {
        accelerate(bodies, velocities, count, 1e-4f, 0.01f);
        move(bodies, velocities, count, 1e-4f);
    }
    printf("places %.5e", sum_of_floats(&bodies[0].x, 4 * (size_t)count));
    printf(", velocities %.5e\n", sum_of_floats(&velocities[0].x, 4 * (size_t)count));
    free(bodies);
    free(velocities);
    return 0;
}
