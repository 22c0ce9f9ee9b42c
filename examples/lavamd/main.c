/*
 * LavaMD on an OpenCL device, compared with reference.c.
 *
 *     lavamd [EDGE]     EDGE x EDGE x EDGE boxes of 100 particles
 *
 * The particles are an array of structs. Compiled with -DLAID_OUT they lie on the device in the
 * layout for which `heddle apply` wrote the kernels and the header; the #ifdef blocks are all
 * that this takes.
 */
#include "../host.h"
#include "reference.h"

#ifdef LAID_OUT
#include "lavamd.h"
#endif

static const cl_float a2 = 0.5f;

static void fill(lavamd_particle *particles, size_t count) {
    for (size_t i = 0; i < count; i++)
        particles[i] = (lavamd_particle){.rv_v = host_uniform(1, i, 1.5, 2.5),
                                         .rv_x = host_uniform(2, i, 0.1, 1),
                                         .rv_y = host_uniform(3, i, 0.1, 1),
                                         .rv_z = host_uniform(4, i, 0.1, 1),
                                         .charge = host_uniform(5, i, 0.1, 1)};
}

/* The numbers of the boxes around each, in a buffer that the device fills. */
static cl_mem find_neighbours(host *h, int *neighbours, size_t boxes) {
    cl_kernel kernel = host_kernel(h, "find_neighbours");
    cl_mem buffer = host_buffer(h, neighbours, boxes * LAVAMD_NEIGHBOURS * sizeof *neighbours);
    host_set(kernel, 0, buffer);
    host_run(h, kernel, boxes, 64);
    clReleaseKernel(kernel);
    return buffer;
}

/* Computes potential and force of all particles on the device. */
static void compute(host *h, lavamd_particle *particles, cl_mem neighbours, size_t count) {
    cl_kernel kernel = host_kernel(h, "forces");
    cl_uint argument = 0;

#ifdef LAID_OUT
    void *parts[particle_allocations];
    cl_mem buffers[particle_allocations];
    cl_ulong elements = count;
    for (int a = 0; a < particle_allocations; a++)
        parts[a] = host_new(particle_bytes(a, count));
    particle_to_layout(particles, parts, count);
    for (int a = 0; a < particle_allocations; a++) {
        buffers[a] = host_buffer(h, parts[a], particle_bytes(a, count));
        host_set(kernel, argument++, buffers[a]);
    }
    host_set(kernel, argument++, elements);
#else
    cl_mem buffer = host_buffer(h, particles, count * sizeof *particles);
    host_set(kernel, argument++, buffer);
#endif
    host_set(kernel, argument++, neighbours);
    host_set(kernel, argument++, a2);
    host_run(h, kernel, count / LAVAMD_PARTICLES * 128, 128); /* a group for each box */

#ifdef LAID_OUT
    for (int a = 0; a < particle_allocations; a++)
        host_take(h, buffers[a], parts[a], particle_bytes(a, count));
    particle_from_layout(parts, particles, count);
    for (int a = 0; a < particle_allocations; a++)
        free(parts[a]);
#else
    host_take(h, buffer, particles, count * sizeof *particles);
#endif
    clReleaseKernel(kernel);
}

static void compare(const lavamd_particle *got, const lavamd_particle *want, size_t count) {
    for (size_t i = 0; i < count; i++) {
        host_expect("fv_v", i, got[i].fv_v, want[i].fv_v, 1e-4, 1e-3);
        host_expect("fv_x", i, got[i].fv_x, want[i].fv_x, 1e-4, 1e-3);
        host_expect("fv_y", i, got[i].fv_y, want[i].fv_y, 1e-4, 1e-3);
        host_expect("fv_z", i, got[i].fv_z, want[i].fv_z, 1e-4, 1e-3);
    }
}

int main(int argc, char **argv) {
    size_t edge = host_size(argc, argv, 10);
    size_t boxes = edge * edge * edge, count = boxes * LAVAMD_PARTICLES;
    lavamd_particle *particles = host_new(count * sizeof *particles);
    lavamd_particle *expected = host_new(count * sizeof *expected);
    int *neighbours = host_new(boxes * LAVAMD_NEIGHBOURS * sizeof *neighbours);
    char options[64];
    snprintf(options, sizeof options, "-DEDGE=%zu", edge);
    host h = host_open(KERNEL_FILE, options);

    fill(particles, count);
    fill(expected, count);
    cl_mem found = find_neighbours(&h, neighbours, boxes);
    compute(&h, particles, found, count);
    clReleaseMemObject(found);
    lavamd_find_neighbours(neighbours, (int)edge);
    lavamd_forces(expected, neighbours, (int)boxes, a2);
    compare(particles, expected, count);
    host_report(&h, "particles", count);
    host_close(&h);
    free(particles);
    free(expected);
    free(neighbours);
    return 0;
}
