/*
 * Non-bonded forces of molecular dynamics: atoms push and pull each other by their charges.
 *
 * The list of partners is a partial one: each pair stands in it once, with the atom of the
 * lower number. `forces` goes through an atom's pairs, sums their forces and leaves each of
 * them in `pairs`. `update` takes from that sum what the pairs exert in which the atom is the
 * partner (action is reaction), finds those through a list of their numbers, and moves the
 * atom. Nothing is added to an atom that is not the work-item's own, so no outcome depends on
 * an order.
 *
 * One work-item per atom in both.
 */
#define SOFTENING 0.01f /* keeps the force of very close atoms finite */

typedef struct atom {
    float x, y, z, charge;
    float fx, fy, fz;
} atom;

typedef struct force {
    float x, y, z;
} force;

/* The pairs of atom i are those from first[i] to first[i + 1] - 1. */
__kernel void forces(__global atom *atoms, __global const uint *first,
                     __global const uint *partners, __global force *pairs, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint end = first[i + 1];
    float x = atoms[i].x, y = atoms[i].y, z = atoms[i].z;
    float charge = atoms[i].charge;
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (uint p = first[i]; p < end; p++) {
        uint j = partners[p];
        float dx = x - atoms[j].x;
        float dy = y - atoms[j].y;
        float dz = z - atoms[j].z;
        float squared = dx * dx + dy * dy + dz * dz + SOFTENING;
        float strength = charge * atoms[j].charge / (squared * sqrt(squared));
        pairs[p].x = strength * dx;
        pairs[p].y = strength * dy;
        pairs[p].z = strength * dz;
        fx += strength * dx;
        fy += strength * dy;
        fz += strength * dz;
    }
    atoms[i].fx = fx;
    atoms[i].fy = fy;
    atoms[i].fz = fz;
}

/* The pairs in which atom i is the partner are back[back_first[i]] and so on. */
__kernel void update(__global atom *atoms, __global const uint *back_first,
                     __global const uint *back, __global const force *pairs, uint count,
                     float step) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint end = back_first[i + 1];
    float fx = atoms[i].fx, fy = atoms[i].fy, fz = atoms[i].fz;
    for (uint b = back_first[i]; b < end; b++) {
        uint p = back[b];
        fx -= pairs[p].x;
        fy -= pairs[p].y;
        fz -= pairs[p].z;
    }
    atoms[i].fx = fx;
    atoms[i].fy = fy;
    atoms[i].fz = fz;
    atoms[i].x += step * fx;
    atoms[i].y += step * fy;
    atoms[i].z += step * fz;
}
