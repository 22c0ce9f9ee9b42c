/*
 * Energies of springs at the nodes of a mesh, on an OpenCL device, from main() in reference.c.
 *
 *     mapped [NODES]
 *
 * Springs and nodes are in the order in which they came. On the device the springs lie in an order
 * of threads in which those with the same nodes are taken together; the kernel is the plain one.
 */
#include "../host_remap.h"
#include "reference.h"

#include <string.h>

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

void solve(host *h, mesh *m, int32_t *energy) {
    order_springs(m);
    springs_run(h, m, energy);
}
