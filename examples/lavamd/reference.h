/* LavaMD in plain C; see lavamd.cl. */
#ifndef LAVAMD_REFERENCE_H
#define LAVAMD_REFERENCE_H

enum { LAVAMD_PARTICLES = 100, LAVAMD_NEIGHBOURS = 27 };

typedef struct lavamd_particle {
    float rv_v, rv_x, rv_y, rv_z;
    float charge;
    float fv_v, fv_x, fv_y, fv_z;
} lavamd_particle;

/* The boxes around every box of an edge x edge x edge space; -1: outside. */
void lavamd_find_neighbours(int *neighbours, int edge);
void lavamd_forces(lavamd_particle *particles, const int *neighbours, int boxes, double a2);

#endif
