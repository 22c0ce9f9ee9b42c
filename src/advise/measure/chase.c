/* Walks on rings, and the time of a step. */
#include <stdio.h>
#include <stdlib.h>

#include "advise/measure/chase.h"

/* A timed walk takes at least so long, since what it takes to start one is in its time; and before
 * the first one the device is kept busy for a while, since idle ones have slower clocks. */
static const double least_seconds = 1e-3, busy_seconds = 0.1;
enum { FEWEST_STEPS = 1 << 12, MOST_STEPS = 1 << 22, MOST_WARMING = 1 << 20, WALKS = 5 };

/* The work-item's own number, which is 0, is not known to be the same for all lanes, so that no
 * compiler takes the loads for those of a scalar, which have a cache of their own on AMD's GPUs. */
static const char opencl_source[] =
    "__kernel void chase(__global const uint *ring, uint at, uint steps, __global uint *end) {\n"
    "    at += (uint)get_local_id(0);\n"
    "    for (uint s = 0; s < steps; s++)\n"
    "        at = ring[at];\n"
    "    *end = at;\n"
    "}\n";
static const char cuda_source[] =
    "extern \"C\" __global__ void chase(const unsigned *ring, unsigned at, unsigned steps,\n"
    "                                 unsigned *end) {\n"
    "    at += threadIdx.x;\n"
    "    for (unsigned s = 0; s < steps; s++)\n"
    "        at = ring[at];\n"
    "    *end = at;\n"
    "}\n";

const char *measure_chaser_open(hd_arena *arena, hd_compute *gpu, measure_chaser *chaser) {
    static const char *const name = "chase";
    bool is_cuda = gpu->api == &hd_compute_cuda;
    const hd_compute_source source = {.file = is_cuda ? "chase.cu" : "chase.cl",
                                      .text = is_cuda ? cuda_source : opencl_source,
                                      .names = &name,
                                      .name_count = 1};
    double seconds, start = hd_clock();
    *chaser = (measure_chaser){.arena = arena, .gpu = gpu};
    const char *error = gpu->api->make_queue(gpu, true, &chaser->queue);
    if (!error)
        error = gpu->api->build(gpu, &source, &chaser->program);
    if (!error)
        error = gpu->api->load(gpu, chaser->program);
    if (!error)
        error = gpu->api->get_kernel(gpu, chaser->program, name, 0, &chaser->kernel);
    if (!error)
        error = gpu->api->allocate(gpu, HD_PLACEMENT_DEVICE, sizeof(uint32_t), &chaser->end);
    while (!error && hd_clock() - start < busy_seconds)
        error = measure_chase(chaser, &(measure_ring){.bytes = 4 << 10, .step = 128}, &seconds);
    return error;
}

void measure_chaser_close(measure_chaser *chaser) {
    hd_compute *gpu = chaser->gpu;
    gpu->api->settle(gpu, &chaser->queue);
    if (chaser->end)
        gpu->api->release(gpu, chaser->end);
    if (chaser->program)
        gpu->api->release_program(gpu, chaser->program);
    gpu->api->release_queue(gpu, &chaser->queue);
}

/* In random order (Fisher and Yates), so that nothing can be prefetched. */
void measure_ring_link(const measure_ring *ring, uint32_t *words) {
    uint32_t nodes = (uint32_t)(ring->bytes / ring->step);
    uint32_t *order = hd_checked(malloc(nodes * sizeof *order));
    uint64_t seed = nodes;
    for (uint32_t n = 0; n < nodes; n++)
        order[n] = n;
    for (uint32_t n = nodes - 1; n > 0; n--) {
        uint32_t other = (uint32_t)(hd_next_random(&seed) % (n + 1)), kept = order[n];
        order[n] = order[other];
        order[other] = kept;
    }
    uint32_t step = ring->step / 4, second = ring->second / 4;
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t at = order[n] * step, next = order[(n + 1) % nodes] * step;
        words[at] = second ? at + second : next;
        if (second)
            words[at + second] = next;
    }
    free(order);
}

/* Goes on from *at by so many steps. */
static const char *walk(measure_chaser *chaser, hd_compute_memory ring, uint32_t *at,
                        uint32_t steps, double *seconds) {
    hd_compute *gpu = chaser->gpu;
    const hd_compute_launch launch = {.dims = 1, .global = {1, 1, 1}, .local = {1, 1, 1}};
    const hd_compute_argument arguments[] = {{&ring, sizeof ring, true},
                                             {at, sizeof *at, false},
                                             {&steps, sizeof steps, false},
                                             {&chaser->end, sizeof ring, true}};
    hd_compute_timer timer = {0};
    const char *error =
        gpu->api->launch(gpu, &chaser->queue, chaser->kernel, &launch, arguments, 4, &timer);
    if (!error)
        error = gpu->api->read(gpu, &chaser->queue, at, chaser->end, 0, sizeof *at);
    if (!error)
        error = gpu->api->finish(gpu, &chaser->queue);
    if (!error)
        error = gpu->api->elapsed(gpu, &timer, seconds);
    gpu->api->release_timer(gpu, &timer);
    return error;
}

/* Walks that each take long enough; the fastest step of them, since all that disturbs one makes it
 * slower. `most` is the number of steps that there may be in all. */
static const char *time_walks(measure_chaser *chaser, hd_compute_memory memory, uint32_t *at,
                              uint64_t most, double *seconds) {
    uint32_t steps = FEWEST_STEPS;
    double taken = 0, best = 0;
    const char *error = NULL;
    for (int walks = 0; walks < WALKS && most >= steps && !error; most -= steps) {
        if (best && taken < least_seconds && steps < MOST_STEPS && most >= 2 * (uint64_t)steps)
            steps *= 2;
        else
            walks++;
        error = walk(chaser, memory, at, steps, &taken);
        if (!best || taken / steps < best)
            best = taken / steps;
    }
    *seconds = best;
    return error;
}

const char *measure_chase(measure_chaser *chaser, const measure_ring *ring, double *seconds) {
    hd_compute *gpu = chaser->gpu;
    uint64_t bytes = ring->is_cold ? 2 * ring->bytes : ring->bytes;
    uint64_t steps = ring->bytes / ring->step * (ring->second ? 2 : 1);
    uint32_t at = 0;
    hd_compute_memory memory = 0;
    uint32_t *words = hd_zeroed(1, bytes);
    measure_ring_link(ring, words);
    *seconds = 0;
    const char *error = gpu->api->allocate(gpu, HD_PLACEMENT_DEVICE, bytes, &memory);
    if (!error)
        error = gpu->api->write(gpu, &chaser->queue, memory, 0, words, bytes);
    if (!error)
        error = gpu->api->finish(gpu, &chaser->queue);
    if (!error && !ring->is_cold)
        error = walk(chaser, memory, &at, steps < MOST_WARMING ? (uint32_t)steps : MOST_WARMING,
                     seconds);
    if (!error)
        error = time_walks(chaser, memory, &at, ring->is_cold ? steps : UINT64_MAX, seconds);
    if (!error && !(*seconds > 0)) {
        snprintf(gpu->doing, sizeof gpu->doing, "time loads");
        error = "its clock says that they take no time";
    }
    gpu->api->settle(gpu, &chaser->queue);
    if (memory)
        gpu->api->release(gpu, memory);
    free(words);
    return error;
}
