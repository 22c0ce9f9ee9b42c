/*
 * Molecular dynamics: molecules that attract each other from afar and repel each other nearby
 * (Lennard-Jones), each within reach of those in its list of neighbours.
 *
 * `forces` gathers from the list, in which each pair stands twice, once with either molecule;
 * `update` then changes velocities and positions. They are two kernels because every work-item
 * of the first reads its neighbours' positions, so none may change under it.
 *
 * One work-item per molecule in both.
 */
#define CUTOFF 0.5f     /* the square of the distance from which on there is no force */
#define SIGMA 0.05f     /* the square of the distance at which attraction turns to repulsion */
#define SOFTENING 0.05f /* keeps the force of very close molecules finite */

typedef struct molecule {
    float x, y, z;
    float vx, vy, vz;
    float fx, fy, fz;
} molecule;

/* The neighbours of molecule i are neighbours[first[i]] to neighbours[first[i + 1] - 1]. */
__kernel void forces(__global molecule *molecules, __global const uint *first,
                     __global const uint *neighbours, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint end = first[i + 1];
    float x = molecules[i].x, y = molecules[i].y, z = molecules[i].z;
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (uint n = first[i]; n < end; n++) {
        uint j = neighbours[n];
        float dx = x - molecules[j].x;
        float dy = y - molecules[j].y;
        float dz = z - molecules[j].z;
        float squared = dx * dx + dy * dy + dz * dz;
        if (squared < CUTOFF) {
            float ratio = SIGMA / (squared + SOFTENING);
            float sixth = ratio * ratio * ratio;
            /* Tapered, so that it is 0 at the cutoff. */
            float force = (48.0f * sixth * sixth - 24.0f * sixth) * ratio * (CUTOFF - squared);
            fx += force * dx;
            fy += force * dy;
            fz += force * dz;
        }
    }
    molecules[i].fx = fx;
    molecules[i].fy = fy;
    molecules[i].fz = fz;
}

__kernel void update(__global molecule *molecules, uint count, float dt) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    molecules[i].vx += dt * molecules[i].fx;
    molecules[i].vy += dt * molecules[i].fy;
    molecules[i].vz += dt * molecules[i].fz;
    molecules[i].x += dt * molecules[i].vx;
    molecules[i].y += dt * molecules[i].vy;
    molecules[i].z += dt * molecules[i].vz;
}
