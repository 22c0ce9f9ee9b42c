/*
 * Made-up data sharing graphs: threads that walk over their neighbours in some space touch segments
 * and lines in which several elements lie, so that nets overlap as those of real kernels do.
 */
#ifndef HD_TESTS_MAPPING_RANDOM_SHARING_H
#define HD_TESTS_MAPPING_RANDOM_SHARING_H

#include "order/sharing.h"

typedef struct random_shape {
    uint32_t blocks, block_threads, warp;
    uint32_t steps;        /* accesses of a thread, one request each */
    uint32_t per_segment;  /* elements of a segment, and of a line */
    uint32_t elements;     /* that threads touch */
    uint32_t far;          /* how far from its own element a thread touches others */
    uint32_t steps_differ; /* 1: threads take fewer steps, too */
} random_shape;

static inline uint32_t random_below(uint64_t *seed, uint32_t end) {
    return (uint32_t)(hd_next_random(seed) % end);
}

/* The nets of touched[threads * steps]: of each step alone, or of all together. UINT32_MAX: none. */
static inline hd_nets random_nets(hd_arena *arena, const random_shape *shape,
                                  const uint32_t *touched, bool by_step, uint32_t weight,
                                  uint64_t *alone) {
    uint32_t threads = shape->blocks * shape->block_threads;
    uint32_t segments = shape->elements / shape->per_segment + 1;
    size_t most = (size_t)threads * shape->steps + 1;
    hd_nets nets = {.first = hd_new_array(arena, uint64_t, most + 1),
                    .thread = hd_new_array(arena, uint32_t, most),
                    .weight = hd_new_array(arena, uint32_t, most)};
    uint64_t pins = 0;
    for (uint32_t step = 0; step < (by_step ? shape->steps : 1); step++)
        for (uint32_t segment = 0; segment < segments; segment++) {
            uint64_t begin = pins;
            for (uint32_t t = 0; t < threads; t++) {
                bool touches = false;
                for (uint32_t s = 0; s < shape->steps; s++)
                    touches |=
                        (!by_step || s == step) &&
                        touched[(size_t)t * shape->steps + s] / shape->per_segment == segment;
                if (touches)
                    nets.thread[pins++] = t;
            }
            if (pins - begin < 2) {
                *alone += pins - begin;
                pins = begin;
                continue;
            }
            nets.weight[nets.count++] = weight;
            nets.first[nets.count] = pins;
        }
    return nets;
}

static inline hd_sharing random_sharing(hd_arena *arena, const random_shape *shape, uint64_t seed) {
    uint32_t threads = shape->blocks * shape->block_threads;
    hd_sharing s = {.threads = threads,
                    .block_threads = shape->block_threads,
                    .warp = shape->warp,
                    .segment = 32,
                    .line = 128,
                    .private_bytes = hd_new_array(arena, uint32_t, threads),
                    .accesses = 1,
                    .steps = hd_new_array(arena, uint32_t, threads),
                    .issues = hd_new_array(arena, uint32_t, 1)};
    s.issues[0] = 1;
    uint32_t *touched = hd_new_array(arena, uint32_t, (size_t)threads * shape->steps);
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t own = random_below(&seed, shape->elements);
        s.steps[t] = shape->steps - (shape->steps_differ ? random_below(&seed, shape->steps) : 0);
        for (uint32_t i = 0; i < shape->steps; i++)
            touched[(size_t)t * shape->steps + i] =
                i < s.steps[t] ? (own + random_below(&seed, shape->far)) % shape->elements
                               : UINT32_MAX - shape->per_segment;
    }
    uint64_t unused = 0;
    s.requests = random_nets(arena, shape, touched, true, 1, &s.alone);
    s.lines = random_nets(arena, shape, touched, false, 128, &unused);
    return s;
}

/* The same for every number of elements: 0 .. count - 1, shuffled. */
static inline uint32_t *random_order(hd_arena *arena, uint32_t count, uint64_t seed) {
    uint32_t *order = hd_new_array(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = random_below(&seed, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

#endif
