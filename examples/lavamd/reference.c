#include "reference.h"

#include <math.h>

/* Number of the box at (x, y, z), or -1 outside. */
static int lavamd_box(int x, int y, int z, int edge) {
    if (x < 0 || x >= edge || y < 0 || y >= edge || z < 0 || z >= edge)
        return -1;
    return (z * edge + y) * edge + x;
}

void lavamd_find_neighbours(int *neighbours, int edge) {
    for (int z = 0; z < edge; z++)
        for (int y = 0; y < edge; y++)
            for (int x = 0; x < edge; x++)
                for (int k = 0; k < LAVAMD_NEIGHBOURS; k++)
                    *neighbours++ =
                        lavamd_box(x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1, edge);
}

static void lavamd_add_box(lavamd_particle *a, const lavamd_particle *box, double a2,
                           double sum[4]) {
    for (int j = 0; j < LAVAMD_PARTICLES; j++) {
        const lavamd_particle *b = &box[j];
        double dot =
            (double)a->rv_x * b->rv_x + (double)a->rv_y * b->rv_y + (double)a->rv_z * b->rv_z;
        double potential = b->charge * exp(-a2 * ((double)a->rv_v + b->rv_v - dot));
        sum[0] += potential;
        sum[1] += 2 * potential * ((double)a->rv_x - b->rv_x);
        sum[2] += 2 * potential * ((double)a->rv_y - b->rv_y);
        sum[3] += 2 * potential * ((double)a->rv_z - b->rv_z);
    }
}

void lavamd_forces(lavamd_particle *particles, const int *neighbours, int boxes, double a2) {
    for (int i = 0; i < boxes * LAVAMD_PARTICLES; i++) {
        const int *around = neighbours + i / LAVAMD_PARTICLES * LAVAMD_NEIGHBOURS;
        double sum[4] = {0};
        for (int k = 0; k < LAVAMD_NEIGHBOURS; k++)
            if (around[k] >= 0)
                lavamd_add_box(&particles[i], particles + around[k] * LAVAMD_PARTICLES, a2, sum);
        particles[i].fv_v = (float)sum[0];
        particles[i].fv_x = (float)sum[1];
        particles[i].fv_y = (float)sum[2];
        particles[i].fv_z = (float)sum[3];
    }
}
