/*
 * Forces of springs on the nodes between which they are, on an OpenCL device, compared with
 * reference.c.
 *
 *     renumbered [NODES]
 *
 * Springs and nodes are in the order in which they came. On the device the nodes lie along a
 * space-filling curve and the springs in an order in which those with the same nodes are together;
 * the kernel is the plain one, and forces come back in the order of the host.
 */
#include "../host_remap.h"
#include "reference.h"

enum { GROUP = 256 };

/* The mesh in other orders; *nodes is the map of its nodes there. */
static mesh renumber(const mesh *m, hd_remap **nodes) {
    mesh made = {m->nodes, m->springs, host_new(m->nodes * sizeof *m->position),
                 host_new((m->springs + 1) * sizeof *m->end)};
    uint32_t *order = host_new((m->nodes + m->springs + GROUP) * sizeof *order);
    const float *at = m->position[0];
    hd_remap_points points = {m->nodes, 3, {at, at + 1, at + 2}, sizeof *m->position, sizeof *at};
    double start = host_clock();
    host_ok(hd_remap_order_curve(&host_diag, &points, order));
    host_ok(hd_remap_gather(&host_diag, order, sizeof *order, m->nodes, m->nodes,
                            sizeof *m->position, nodes));
    host_ok(hd_remap_apply(&host_diag, *nodes, (void *[]){made.position}, m->position, NULL));
    if (m->springs) {
        hd_remap *springs;
        uint32_t(*end)[2] = host_new(m->springs * sizeof *end);
        host_ok(hd_remap_apply_indices(&host_diag, *nodes, end, m->end, sizeof **end,
                                       2 * m->springs, NULL));
        hd_remap_lists ends = {m->springs, NULL, 2, sizeof **end, end};
        host_ok(hd_remap_order_lists(&host_diag, &ends, m->nodes, order));
        host_ok(hd_remap_gather(&host_diag, order, sizeof *order, m->springs, m->springs,
                                sizeof *end, &springs));
        host_ok(hd_remap_apply(&host_diag, springs, (void *[]){made.end}, end, NULL));
        hd_remap_free(springs);
        free(end);
    }
    printf("other orders of nodes and springs in %.2f s\n", host_clock() - start);
    free(order);
    return made;
}

static void run(host *h, const mesh *m, int32_t (*force)[4]) {
    cl_kernel kernel = host_kernel(h, "pull");
    cl_uint count = (cl_uint)m->springs;
    cl_mem position = host_buffer(h, m->position, m->nodes * sizeof *m->position);
    cl_mem end = host_buffer(h, m->end, (m->springs + 1) * sizeof *m->end);
    cl_mem result = host_buffer(h, force, m->nodes * sizeof *force);

    host_set(kernel, 0, position);
    host_set(kernel, 1, end);
    host_set(kernel, 2, result);
    host_set(kernel, 3, count);
    for (int step = 0; step < SPRINGS_STEPS; step++)
        host_run(h, kernel, m->springs + 1, GROUP);

    host_take(h, result, force, m->nodes * sizeof *force);
    clReleaseMemObject(end);
    clReleaseMemObject(position);
    clReleaseKernel(kernel);
}

int main(int argc, char **argv) {
    mesh m = springs_new(host_size(argc, argv, 65536));
    int32_t(*force)[4] = host_new(m.nodes * sizeof *force);
    double(*expected)[3] = host_new(m.nodes * sizeof *expected);
    host h = host_open(KERNEL_FILE, KERNEL_OPTIONS);

    hd_remap *nodes;
    mesh renumbered = renumber(&m, &nodes);
    int32_t(*there)[4] = host_new(m.nodes * sizeof *there);
    run(&h, &renumbered, there);
    host_ok(hd_remap_revert(&host_diag, nodes, force, (const void *[]){there}, NULL));
    hd_remap_free(nodes);
    free(there);
    springs_free(&renumbered);
    springs_forces(&m, expected);
    for (size_t i = 0; i < 3 * m.nodes; i++)
        host_expect("force", i / 3, (double)force[i / 3][i % 3] / SPRINGS_UNIT,
                    expected[i / 3][i % 3], 1e-4, 1e-2);
    host_report(&h, "springs", m.springs);
    host_close(&h);
    free(expected);
    free(force);
    springs_free(&m);
    return 0;
}
