/*
 * Forces of springs on the nodes between which they are, on an OpenCL device, compared with
 * reference.c.
 *
 *     plain [NODES]
 *
 * Springs and nodes are in the order in which they came, so those that belong together are far apart.
 * In renumbered.c both get new numbers.
 */
#include "../../../examples/host.h"
#include "reference.h"

enum { GROUP = 256 };

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

    run(&h, &m, force);
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
