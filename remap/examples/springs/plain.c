/*
 * Energies of springs at the nodes of a mesh, on an OpenCL device, compared with reference.c.
 *
 *     plain [NODES]
 *
 * Springs and nodes are in the order in which they came, so those that belong together are far apart.
 * In mapped.c the springs are in another order, in renumbered.c both have new numbers.
 */
#include "../../../examples/host.h"
#include "reference.h"

enum { GROUP = 256 };

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

    run(&h, &m, energy);
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
