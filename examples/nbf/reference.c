#include "reference.h"

#include <math.h>

static void nbf_force(nbf_atom *atom, const nbf_atom *atoms, const uint32_t *partner,
                      const uint32_t *end) {
    double fx = 0, fy = 0, fz = 0;
    for (; partner < end; partner++) {
        const nbf_atom *other = &atoms[*partner];
        double dx = (double)atom->x - other->x, dy = (double)atom->y - other->y;
        double dz = (double)atom->z - other->z;
        double squared = dx * dx + dy * dy + dz * dz + 0.01;
        double force = (double)atom->charge * other->charge / (squared * sqrt(squared));
        fx += force * dx;
        fy += force * dy;
        fz += force * dz;
    }
    atom->fx = (float)fx;
    atom->fy = (float)fy;
    atom->fz = (float)fz;
}

void nbf_step(nbf_atom *atoms, size_t count, const uint32_t *first, const uint32_t *partners,
              double step) {
    for (size_t i = 0; i < count; i++)
        nbf_force(&atoms[i], atoms, partners + first[i], partners + first[i + 1]);
    for (size_t i = 0; i < count; i++) {
        atoms[i].x = (float)(atoms[i].x + step * atoms[i].fx);
        atoms[i].y = (float)(atoms[i].y + step * atoms[i].fy);
        atoms[i].z = (float)(atoms[i].z + step * atoms[i].fz);
    }
}
