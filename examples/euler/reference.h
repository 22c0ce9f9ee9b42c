/* Flux differences of Euler's equations in plain C; see euler.cl. */
#ifndef EULER_REFERENCE_H
#define EULER_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct euler_cell {
    float x, y, z;
    float density, mx, my, mz, energy;
    float r_density, r_mx, r_my, r_mz, r_energy;
} euler_cell;

void euler_fluxes(euler_cell *cells, size_t count, const uint32_t *first,
                  const uint32_t *neighbours);

#endif
