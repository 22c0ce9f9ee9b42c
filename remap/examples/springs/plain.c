/*
 * Energies of springs at the nodes of a mesh, on an OpenCL device, from main() in reference.c.
 *
 *     plain [NODES]
 *
 * Springs and nodes are in the order in which they came, so those that belong together are far apart.
 * In mapped.c the springs are in another order, in renumbered.c both have new numbers.
 */
#include "reference.h"

void solve(host *h, mesh *m, int32_t *energy) { springs_run(h, m, energy); }
