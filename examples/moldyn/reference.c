#include "reference.h"

/* The force of a pair, over the distance. */
static double moldyn_force(double squared) {
    double ratio = 0.05 / (squared + 0.05), sixth = ratio * ratio * ratio;
    return squared < 0.5 ? (48 * sixth * sixth - 24 * sixth) * ratio * (0.5 - squared) : 0;
}

static void moldyn_gather(moldyn_molecule *m, const moldyn_molecule *all, const uint32_t *neighbour,
                          const uint32_t *end) {
    double fx = 0, fy = 0, fz = 0;
    for (; neighbour < end; neighbour++) {
        double dx = (double)m->x - all[*neighbour].x, dy = (double)m->y - all[*neighbour].y;
        double dz = (double)m->z - all[*neighbour].z;
        double force = moldyn_force(dx * dx + dy * dy + dz * dz);
        fx += force * dx;
        fy += force * dy;
        fz += force * dz;
    }
    m->fx = (float)fx;
    m->fy = (float)fy;
    m->fz = (float)fz;
}

void moldyn_step(moldyn_molecule *molecules, size_t count, const uint32_t *first,
                 const uint32_t *neighbours, double dt) {
    for (size_t i = 0; i < count; i++)
        moldyn_gather(&molecules[i], molecules, neighbours + first[i], neighbours + first[i + 1]);
    for (size_t i = 0; i < count; i++) {
        moldyn_molecule *m = &molecules[i];
        m->vx = (float)(m->vx + dt * m->fx);
        m->vy = (float)(m->vy + dt * m->fy);
        m->vz = (float)(m->vz + dt * m->fz);
        m->x = (float)(m->x + dt * m->vx);
        m->y = (float)(m->y + dt * m->vy);
        m->z = (float)(m->z + dt * m->vz);
    }
}
