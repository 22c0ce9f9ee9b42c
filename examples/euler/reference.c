#include "reference.h"

typedef struct euler_flux {
    double density, mx, my, mz, energy;
} euler_flux;

/* What flows through a cell along (nx, ny, nz). */
static euler_flux euler_flux_of(const euler_cell *c, double nx, double ny, double nz) {
    double squared = (double)c->mx * c->mx + (double)c->my * c->my + (double)c->mz * c->mz;
    double pressure = 0.4 * (c->energy - 0.5 * squared / c->density);
    double speed = (c->mx * nx + c->my * ny + c->mz * nz) / c->density;
    return (euler_flux){c->density * speed, c->mx * speed + pressure * nx,
                        c->my * speed + pressure * ny, c->mz * speed + pressure * nz,
                        (c->energy + pressure) * speed};
}

void euler_fluxes(euler_cell *cells, size_t count, const uint32_t *first,
                  const uint32_t *neighbours) {
    for (size_t i = 0; i < count; i++) {
        euler_cell *c = &cells[i];
        euler_flux sum = {0};
        for (uint32_t n = first[i]; n < first[i + 1]; n++) {
            const euler_cell *other = &cells[neighbours[n]];
            double nx = (double)other->x - c->x, ny = (double)other->y - c->y;
            double nz = (double)other->z - c->z;
            euler_flux here = euler_flux_of(c, nx, ny, nz);
            euler_flux there = euler_flux_of(other, nx, ny, nz);
            sum.density += there.density - here.density;
            sum.mx += there.mx - here.mx;
            sum.my += there.my - here.my;
            sum.mz += there.mz - here.mz;
            sum.energy += there.energy - here.energy;
        }
        c->r_density = (float)sum.density;
        c->r_mx = (float)sum.mx;
        c->r_my = (float)sum.my;
        c->r_mz = (float)sum.mz;
        c->r_energy = (float)sum.energy;
    }
}
