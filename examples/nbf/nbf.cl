/*
 * Non-bonded forces of molecular dynamics: every atom is pushed and pulled by the charges of
 * those in its list of partners.
 *
 * `forces` gathers from the list, in which each pair stands twice, once with either atom;
 * `update` then moves the atoms along. They are two kernels because every work-item of the
 * first reads its partners' places, so none may change under it.
 *
 * One work-item per atom in both.
 */
#define SOFTENING 0.01f /* keeps the force of very close atoms finite */

typedef struct atom {
    float x, y, z, charge;
    float fx, fy, fz;
} atom;

/* The partners of atom i are partners[first[i]] to partners[first[i + 1] - 1]. */
__kernel void forces(__global atom *atoms, __global const uint *first,
                     __global const uint *partners, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint end = first[i + 1];
    float x = atoms[i].x, y = atoms[i].y, z = atoms[i].z;
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (uint p = first[i]; p < end; p++) {
        uint j = partners[p];
        float dx = x - atoms[j].x;
        float dy = y - atoms[j].y;
        float dz = z - atoms[j].z;
        float squared = dx * dx + dy * dy + dz * dz + SOFTENING;
        float force = atoms[j].charge / (squared * sqrt(squared));
        fx += force * dx;
        fy += force * dy;
        fz += force * dz;
    }
    float charge = atoms[i].charge;
    atoms[i].fx = charge * fx;
    atoms[i].fy = charge * fy;
    atoms[i].fz = charge * fz;
}

__kernel void update(__global atom *atoms, uint count, float step) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    atoms[i].x += step * atoms[i].fx;
    atoms[i].y += step * atoms[i].fy;
    atoms[i].z += step * atoms[i].fz;
}
