/*
 * Energies of springs at the nodes of a mesh, on an OpenCL device, compared with reference.c.
 *
 *     mapped [NODES]
 *
 * Springs and nodes are in the order in which they came. On the device the springs lie in an order
 * of threads in which those with the same nodes are taken together; the kernel is the plain one.
 */
#include "../host_remap.h"
#include "reference.h"

#include <string.h>

enum { GROUP = 256 };

/* Puts the springs into the order in which threads are to take them. */
static void order_springs(mesh *m) {
    size_t threads = (m->springs + GROUP) / GROUP * GROUP; /* of whole groups */
    uint32_t *order = host_new(threads * sizeof *order);
    uint32_t(*end)[2] = host_new(threads * sizeof *end);
    hd_remap_lists ends = {m->springs, NULL, 2, sizeof **m->end, m->end};
    hd_remap_touch touches[] = {
        {.elements = m->nodes, .element_bytes = sizeof *m->position, .lists = &ends},
        {.elements = m->nodes, .element_bytes = sizeof(int32_t), .lists = &ends}}; /* energy */
    hd_remap_launch launch = {
        .threads = threads, .block = GROUP, .touches = touches, .touch_count = 2};
    hd_remap_expected expected;
    host_ok(hd_remap_order_threads(&host_diag, &launch, order, &expected));
    for (size_t p = 0, s = 0; p < threads; p++) /* but for threads that only fill the last group */
        if (order[p] < m->springs)
            memcpy(end[s++], m->end[order[p]], sizeof *end);
    printf("an order of threads in %.2f s: %.2f million transactions become %.2f\n",
           expected.seconds, (double)expected.before.transactions * 1e-6,
           (double)expected.after.transactions * 1e-6);
    free(m->end);
    free(order);
    m->end = end;
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

    order_springs(&m);
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
