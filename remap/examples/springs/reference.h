/* Springs between nodes as a file would have them, both in any order, main(), and their energies
 * in plain C; see plain.cl. */
#ifndef REMAP_SPRINGS_REFERENCE_H
#define REMAP_SPRINGS_REFERENCE_H

#include "../../../examples/host.h"

/* Node i lies at position[i]; spring s is between nodes end[s][0] and end[s][1]. */
typedef struct mesh {
    size_t nodes, springs;
    float (*position)[4];
    uint32_t (*end)[2];
} mesh;

enum {
    GROUP = 256,
    SPRINGS_OF_NODE = 9, /* that begin there, at most */
    SPRINGS_STEPS = 10,
    SPRINGS_UNIT = 65536 /* of an energy */
};

void springs_free(mesh *m);

/* The steps on the device, for springs and nodes in the order in which they are. */
void springs_run(host *h, const mesh *m, int32_t *energy);
/* The energies of the nodes, from orders that are a version's own. In plain.c, mapped.c and
 * renumbered.c. */
void solve(host *h, mesh *m, int32_t *energy);

#endif
