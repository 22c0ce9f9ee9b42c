/* Molecular dynamics in plain C; see moldyn.cl. */
#ifndef MOLDYN_REFERENCE_H
#define MOLDYN_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct moldyn_molecule {
    float x, y, z;
    float vx, vy, vz;
    float fx, fy, fz;
} moldyn_molecule;

void moldyn_step(moldyn_molecule *molecules, size_t count, const uint32_t *first,
                 const uint32_t *neighbours, double dt);

#endif
