/*
 * LavaMD of the evaluation of the static cost estimate (docs/reproduce-static-cost.md):
 * each thread does a whole box, particle by particle, and adds every pair's
 * share to the particle's force in memory.
 *
 * One thread per box. Loop lengths are compile-time constants, as there.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define PARTICLES 100 /* in a box */
#ifndef NEIGHBOURS
#define NEIGHBOURS 27   /* boxes around a box, itself among them */
#define DONE PARTICLES  /* of a box's particles */
#define PAIRS PARTICLES /* of a particle with those of a neighbour */
#endif

typedef struct particle {
    double rv_v, rv_x, rv_y, rv_z; /* position */
    double fv_v, fv_x, fv_y, fv_z; /* potential and force */
} particle;

/* nn[box * NEIGHBOURS + k]: number of a neighbouring box, -1 for none. */
__kernel void lavamd(__global particle *p, __global const int *nn, int boxes, double a2) {
    int l = get_global_id(0);
    if (l >= boxes)
        return;

    for (int i = 0; i < DONE; i++) {
        double v = p[l * PARTICLES + i].rv_v;
        double x = p[l * PARTICLES + i].rv_x;
        double y = p[l * PARTICLES + i].rv_y;
        double z = p[l * PARTICLES + i].rv_z;
        for (int k = 0; k < NEIGHBOURS; k++) {
            int other = nn[l * NEIGHBOURS + k];
            if (other < 0)
                continue;
            for (int j = 0; j < PAIRS; j++) {
                double bv = p[other * PARTICLES + j].rv_v;
                double bx = p[other * PARTICLES + j].rv_x;
                double by = p[other * PARTICLES + j].rv_y;
                double bz = p[other * PARTICLES + j].rv_z;
                double potential = exp(-a2 * (v + bv - (x * bx + y * by + z * bz)));
                p[l * PARTICLES + i].fv_v += potential;
                p[l * PARTICLES + i].fv_x += 2.0 * potential * (x - bx);
                p[l * PARTICLES + i].fv_y += 2.0 * potential * (y - by);
                p[l * PARTICLES + i].fv_z += 2.0 * potential * (z - bz);
            }
        }
    }
}
