#include "reference.h"

#include <math.h>

static void nbody_attract(nbody_body *bodies, int count, int i, double softening, double dt) {
    double ax = 0, ay = 0, az = 0;
    for (int j = 0; j < count; j++) {
        double dx = (double)bodies[j].x - bodies[i].x;
        double dy = (double)bodies[j].y - bodies[i].y;
        double dz = (double)bodies[j].z - bodies[i].z;
        double square = dx * dx + dy * dy + dz * dz + softening;
        double pull = bodies[j].mass / (square * sqrt(square));
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
    }
    bodies[i].vx = (float)(bodies[i].vx + ax * dt);
    bodies[i].vy = (float)(bodies[i].vy + ay * dt);
    bodies[i].vz = (float)(bodies[i].vz + az * dt);
}

void nbody_step(nbody_body *bodies, int count, double softening, double dt) {
    for (int i = 0; i < count; i++)
        nbody_attract(bodies, count, i, softening, dt);
    for (int i = 0; i < count; i++) {
        bodies[i].x = (float)(bodies[i].x + bodies[i].vx * dt);
        bodies[i].y = (float)(bodies[i].y + bodies[i].vy * dt);
        bodies[i].z = (float)(bodies[i].z + bodies[i].vz * dt);
    }
}
