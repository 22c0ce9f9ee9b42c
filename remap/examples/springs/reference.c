#include "reference.h"

static uint32_t *shuffled(uint64_t seed, size_t count) {
    uint32_t *number = host_new((count + 1) * sizeof *number);
    for (size_t i = 0; i < count; i++) {
        uint32_t other = host_whole(seed, i, 0, (uint32_t)i);
        number[i] = number[other];
        number[other] = (uint32_t)i;
    }
    return number;
}

/* A box of nodes, each at its place of a lattice or near it, with springs to those beside it along
 * an axis or a diagonal of two axes. */
static mesh springs_new(size_t nodes) {
    mesh m = {.nodes = nodes};
    uint32_t *number = shuffled(1, nodes);
    uint32_t(*end)[2] = host_new(nodes * SPRINGS_OF_NODE * sizeof *end);
    m.position = host_new(nodes * sizeof *m.position);
    long side = 1;
    while ((size_t)(side * side * side) < nodes)
        side++;
    for (size_t p = 0; p < nodes; p++) {
        long x = (long)p % side, y = (long)p / side % side, z = (long)p / side / side;
        float *position = m.position[number[p]];
        position[0] = (float)x + host_uniform(2, p, -0.3, 0.3);
        position[1] = (float)y + host_uniform(3, p, -0.3, 0.3);
        position[2] = (float)z + host_uniform(4, p, -0.3, 0.3);
        for (int d = 14; d < 27; d++) { /* half of the places beside it */
            long dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
            size_t q = p + (size_t)((dz * side + dy) * side + dx);
            if (labs(dx) + labs(dy) + labs(dz) == 3 || x + dx < 0 || x + dx >= side || y + dy < 0 ||
                y + dy >= side || q >= nodes)
                continue;
            end[m.springs][0] = number[p];
            end[m.springs++][1] = number[q];
        }
    }
    uint32_t *spring = shuffled(5, m.springs);
    m.end = host_new((m.springs + 1) * sizeof *m.end);
    for (size_t s = 0; s < m.springs; s++) {
        m.end[spring[s]][0] = end[s][0];
        m.end[spring[s]][1] = end[s][1];
    }
    free(spring);
    free(end);
    free(number);
    return m;
}

void springs_free(mesh *m) {
    free(m->position);
    free(m->end);
}

/* Of SPRINGS_STEPS steps. */
static void springs_energies(const mesh *m, double *energy) {
    for (size_t s = 0; s < m->springs; s++) {
        const float *a = m->position[m->end[s][0]], *b = m->position[m->end[s][1]];
        double squared = 0;
        for (int c = 0; c < 3; c++)
            squared += ((double)b[c] - a[c]) * ((double)b[c] - a[c]);
        double longer = sqrt(squared) - 1;
        energy[m->end[s][0]] += SPRINGS_STEPS * longer * longer / 2;
        energy[m->end[s][1]] += SPRINGS_STEPS * longer * longer / 2;
    }
}

void springs_run(host *h, const mesh *m, int32_t *energy) {
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

    solve(&h, &m, energy);
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
