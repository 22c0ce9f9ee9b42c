/*
 * Energies of springs at the nodes of a mesh, on an OpenCL device, from main() in reference.c.
 *
 *     renumbered [NODES]
 *
 * Springs and nodes are in the order in which they came. On the device the nodes lie along a
 * space-filling curve and the springs in an order in which those with the same nodes are together;
 * the kernel is the plain one, and energies come back in the order of the host.
 */
#include "../host_remap.h"
#include "reference.h"

/* The mesh in other orders; *energies is the map of what its nodes have. */
static mesh renumber(const mesh *m, hd_remap **energies) {
    hd_remap *nodes;
    mesh made = {m->nodes, m->springs, host_new(m->nodes * sizeof *m->position),
                 host_new((m->springs + 1) * sizeof *m->end)};
    uint32_t *order = host_new((m->nodes + m->springs + GROUP) * sizeof *order);
    const float *at = m->position[0];
    hd_remap_points points = {m->nodes, 3, {at, at + 1, at + 2}, sizeof *m->position, sizeof *at};
    double start = host_clock();
    host_ok(hd_remap_order_curve(&host_diag, &points, order));
    host_ok(hd_remap_gather(&host_diag, order, sizeof *order, m->nodes, m->nodes,
                            sizeof *m->position, &nodes));
    host_ok(hd_remap_gather(&host_diag, order, sizeof *order, m->nodes, m->nodes, sizeof(int32_t),
                            energies));
    host_ok(hd_remap_apply(&host_diag, nodes, (void *[]){made.position}, m->position, NULL));
    if (m->springs) {
        hd_remap *springs;
        uint32_t(*end)[2] = host_new(m->springs * sizeof *end);
        host_ok(hd_remap_apply_indices(&host_diag, nodes, end, m->end, sizeof **end, 2 * m->springs,
                                       NULL));
        hd_remap_lists ends = {m->springs, NULL, 2, sizeof **end, end};
        host_ok(hd_remap_order_lists(&host_diag, &ends, m->nodes, order));
        host_ok(hd_remap_gather(&host_diag, order, sizeof *order, m->springs, m->springs,
                                sizeof *end, &springs));
        host_ok(hd_remap_apply(&host_diag, springs, (void *[]){made.end}, end, NULL));
        hd_remap_free(springs);
        free(end);
    }
    hd_remap_free(nodes);
    printf("other orders of nodes and springs in %.2f s\n", host_clock() - start);
    free(order);
    return made;
}

void solve(host *h, mesh *m, int32_t *energy) {
    hd_remap *energies;
    mesh renumbered = renumber(m, &energies);
    int32_t *there = host_new(m->nodes * sizeof *there);
    springs_run(h, &renumbered, there);
    host_ok(hd_remap_revert(&host_diag, energies, energy, (const void *[]){there}, NULL));
    hd_remap_free(energies);
    free(there);
    springs_free(&renumbered);
}
