/*
 * N-body with vectors on an OpenCL device, compared with reference.c.
 *
 *     nbody4 [BODIES]
 *
 * The bodies are an array of structs, and there are two such arrays: each step reads one and
 * writes the other. Compiled with -DLAID_OUT they lie on the device in the layout for which
 * `heddle apply` wrote the kernels and the header; the #ifdef blocks are all that this takes.
 */
#include "../host.h"
#include "reference.h"

#ifdef LAID_OUT
#include "nbody4.h"
#endif

enum { STEPS = 2 };
static const cl_float dt = 0.0001f;

static void fill(nbody4_body *bodies, size_t count) {
    for (size_t i = 0; i < 4 * count; i++) {
        bodies[i / 4].position[i % 4] = host_uniform(1, i, 0.5, 1.5);
        bodies[i / 4].velocity[i % 4] = host_uniform(2, i, -0.1, 0.1);
    }
}

/* An array of bodies on the device. */
typedef struct device_bodies {
#ifdef LAID_OUT
    cl_mem buffers[body_allocations];
#else
    cl_mem buffer;
#endif
} device_bodies;

static device_bodies upload(host *h, nbody4_body *bodies, size_t count) {
    device_bodies on_device;
#ifdef LAID_OUT
    void *parts[body_allocations];
    for (int a = 0; a < body_allocations; a++)
        parts[a] = host_new(body_bytes(a, count));
    body_to_layout(bodies, parts, count);
    for (int a = 0; a < body_allocations; a++) {
        on_device.buffers[a] = host_buffer(h, parts[a], body_bytes(a, count));
        free(parts[a]);
    }
#else
    on_device.buffer = host_buffer(h, bodies, count * sizeof *bodies);
#endif
    return on_device;
}

static void download(host *h, device_bodies *on_device, nbody4_body *bodies, size_t count) {
#ifdef LAID_OUT
    void *parts[body_allocations];
    for (int a = 0; a < body_allocations; a++) {
        parts[a] = host_new(body_bytes(a, count));
        host_take(h, on_device->buffers[a], parts[a], body_bytes(a, count));
    }
    body_from_layout(parts, bodies, count);
    for (int a = 0; a < body_allocations; a++)
        free(parts[a]);
#else
    host_take(h, on_device->buffer, bodies, count * sizeof *bodies);
#endif
}

/* Makes the bodies the kernel's argument `argument`; returns the next one's number. */
static cl_uint set_bodies(cl_kernel kernel, cl_uint argument, device_bodies *bodies, size_t count) {
#ifdef LAID_OUT
    cl_ulong elements = count;
    for (int a = 0; a < body_allocations; a++)
        host_set(kernel, argument++, bodies->buffers[a]);
    host_set(kernel, argument++, elements);
#else
    (void)count;
    host_set(kernel, argument++, bodies->buffer);
#endif
    return argument;
}

/* Moves the bodies by STEPS time steps on the device. */
static void move(host *h, nbody4_body *bodies, size_t count) {
    cl_kernel kernel = host_kernel(h, "advance");
    cl_int number = (cl_int)count;
    device_bodies arrays[2] = {upload(h, bodies, count), upload(h, bodies, count)};
    for (int step = 0; step < STEPS; step++) {
        cl_uint argument = set_bodies(kernel, 0, &arrays[step % 2], count);
        argument = set_bodies(kernel, argument, &arrays[(step + 1) % 2], count);
        host_set(kernel, argument, number);
        host_set(kernel, argument + 1, dt);
        host_run(h, kernel, count, 256);
    }
    for (int last = STEPS - 1; last <= STEPS; last++) /* both are given back; the result stays */
        download(h, &arrays[last % 2], bodies, count);
    clReleaseKernel(kernel);
}

static void move_on_host(nbody4_body *bodies, size_t count) {
    nbody4_body *other = host_new(count * sizeof *other);
    for (int step = 0; step < STEPS; step += 2) {
        nbody4_step(bodies, other, (int)count, 0.01, dt);
        nbody4_step(other, bodies, (int)count, 0.01, dt);
    }
    free(other);
}

int main(int argc, char **argv) {
    size_t count = host_size(argc, argv, 8192);
    nbody4_body *bodies = host_new(count * sizeof *bodies);
    nbody4_body *expected = host_new(count * sizeof *expected);
    host h = host_open(KERNEL_FILE, "-DSOFTENING=0.01f");

    fill(bodies, count);
    fill(expected, count);
    move(&h, bodies, count);
    move_on_host(expected, count);
    for (size_t i = 0; i < 4 * count; i++) {
        host_expect("position", i / 4, bodies[i / 4].position[i % 4],
                    expected[i / 4].position[i % 4], 1e-5, 1e-6);
        host_expect("velocity", i / 4, bodies[i / 4].velocity[i % 4],
                    expected[i / 4].velocity[i % 4], 1e-4, 1e-5);
    }
    host_report(&h, "bodies", count);
    host_close(&h);
    free(bodies);
    free(expected);
    return 0;
}
