/* N-body in plain C; see nbody.cl. */
#ifndef NBODY_REFERENCE_H
#define NBODY_REFERENCE_H

typedef struct nbody_body {
    float x, y, z, mass;
    float vx, vy, vz;
} nbody_body;

/* One time step: all velocities, then all positions. */
void nbody_step(nbody_body *bodies, int count, double softening, double dt);

#endif
