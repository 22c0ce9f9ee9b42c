#include "reference.h"

#include <math.h>
#include <stdlib.h>

/* Adds the force of a pair to both of its atoms. */
static void nbf_pair(const nbf_atom *a, const nbf_atom *b, double *force_a, double *force_b) {
    double d[3] = {(double)a->x - b->x, (double)a->y - b->y, (double)a->z - b->z};
    double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01;
    double strength = (double)a->charge * b->charge / (squared * sqrt(squared));
    for (int k = 0; k < 3; k++) {
        force_a[k] += strength * d[k];
        force_b[k] -= strength * d[k];
    }
}

void nbf_step(nbf_atom *atoms, size_t count, const uint32_t *first, const uint32_t *partners,
              double step) {
    double(*forces)[3] = calloc(count, sizeof *forces);
    if (!forces)
        abort();
    for (size_t i = 0; i < count; i++)
        for (uint32_t p = first[i]; p < first[i + 1]; p++)
            nbf_pair(&atoms[i], &atoms[partners[p]], forces[i], forces[partners[p]]);
    for (size_t i = 0; i < count; i++) {
        atoms[i].fx = (float)forces[i][0];
        atoms[i].fy = (float)forces[i][1];
        atoms[i].fz = (float)forces[i][2];
        atoms[i].x = (float)(atoms[i].x + step * forces[i][0]);
        atoms[i].y = (float)(atoms[i].y + step * forces[i][1]);
        atoms[i].z = (float)(atoms[i].z + step * forces[i][2]);
    }
    free(forces);
}
