/*
 * Energies of springs at the nodes of a mesh, on an OpenCL device, compared with reference.c.
 *
 *     renumbered [NODES]
 *
 * Springs and nodes are in the order in which they came. On the device the nodes lie along a
 * space-filling curve and the springs in an order in which those with the same nodes are together;
 * the kernel is the plain one, and energies come back in the order of the host.
 */
#include "../host_remap.h"
#include "reference.h"

enum { GROUP = 256 };

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

static void run(host *h, const mesh *m, int32_t *energy) {
    cl_kernel kernel = host_kernel(h, "stretch");
    cl_uint count = (cl_uint)m->springs;
    cl_mem position = host_buffer(h, m->position, m->nodes * sizeof *m->position);
    cl_mem end = host_buffer(h, m->end, (m->springs + 1) * sizeof *m->end);
    cl_mem result = host_buffer(h, energy, m->nodes * sizeof *energy);

    host_set(kernel, 0, position);
    host_set(kernel, 1, end);
    host_set(kernel, 2, result);
    host_set(kernel, 3, count);
    for (int step = 0; step < SPRINGS_STEPS; step++)
        host_run(h, kernel, m->springs + 1, GROUP);

    host_take(h, result, energy, m->nodes * sizeof *energy);
    clReleaseMemObject(end);
    clReleaseMemObject(position);
    clReleaseKernel(kernel);
}

int main(int argc, char **argv) {
    mesh m = springs_new(host_size(argc, argv, 32768));
    int32_t *energy = host_new(m.nodes * sizeof *energy);
    double *expected = host_new(m.nodes * sizeof *expected);
    host h = host_open(KERNEL_FILE, KERNEL_OPTIONS);

    hd_remap *energies;
    mesh renumbered = renumber(&m, &energies);
    int32_t *there = host_new(m.nodes * sizeof *there);
    run(&h, &renumbered, there);
    host_ok(hd_remap_revert(&host_diag, energies, energy, (const void *[]){there}, NULL));
    hd_remap_free(energies);
    free(there);
    springs_free(&renumbered);
    springs_energies(&m, expected);
    for (size_t i = 0; i < m.nodes; i++)
        host_expect("energy", i, (double)energy[i] / SPRINGS_UNIT, expected[i], 1e-4, 1e-2);
    host_report(&h, "springs", m.springs);
    host_close(&h);
    free(expected);
    free(energy);
    springs_free(&m);
    return 0;
}
