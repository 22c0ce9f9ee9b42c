#include "reference.h"

#include <math.h>

static void nbody4_pull(const nbody4_body *bodies, int count, int i, double softening,
                        double sum[3]) {
    const float *own = bodies[i].position;
    for (int j = 0; j < count; j++) {
        const float *other = bodies[j].position;
        double x = (double)other[0] - own[0];
        double y = (double)other[1] - own[1];
        double z = (double)other[2] - own[2];
        double square = x * x + y * y + z * z + softening;
        double pull = other[3] / (square * sqrt(square));
        sum[0] += pull * x;
        sum[1] += pull * y;
        sum[2] += pull * z;
    }
}

void nbody4_step(const nbody4_body *now, nbody4_body *next, int count, double softening,
                 double dt) {
    for (int i = 0; i < count; i++) {
        double pull[3] = {0};
        nbody4_pull(now, count, i, softening, pull);
        next[i] = now[i];
        for (int axis = 0; axis < 3; axis++) {
            next[i].velocity[axis] = (float)(now[i].velocity[axis] + pull[axis] * dt);
            next[i].position[axis] = (float)(now[i].position[axis] + next[i].velocity[axis] * dt);
        }
    }
}
