/* Springs between nodes as a file would have them, both in any order, and their energies in plain C;
 * see plain.cl. */
#ifndef REMAP_SPRINGS_REFERENCE_H
#define REMAP_SPRINGS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* Node i lies at position[i]; spring s is between nodes end[s][0] and end[s][1]. */
typedef struct mesh {
    size_t nodes, springs;
    float (*position)[4];
    uint32_t (*end)[2];
} mesh;

enum {
    SPRINGS_OF_NODE = 9, /* that begin there, at most */
    SPRINGS_STEPS = 10,
    SPRINGS_UNIT = 65536 /* of an energy */
};

/* A box of nodes, each at its place of a lattice or near it, with springs to those beside it along
 * an axis or a diagonal of two axes. */
mesh springs_new(size_t nodes);
void springs_free(mesh *m);

/* Of SPRINGS_STEPS steps. */
void springs_energies(const mesh *m, double *energy);

#endif
