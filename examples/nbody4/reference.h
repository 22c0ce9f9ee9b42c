/* N-body with vectors in plain C; see nbody4.cl. */
#ifndef NBODY4_REFERENCE_H
#define NBODY4_REFERENCE_H

typedef struct nbody4_body {
    float position[4]; /* [3]: the mass */
    float velocity[4]; /* [3]: unused */
} nbody4_body;

/* One time step from `now` to `next`. */
void nbody4_step(const nbody4_body *now, nbody4_body *next, int count, double softening, double dt);

#endif
