/* Measured variants that are made up, for studies of them. */
#ifndef HD_TESTS_MADE_UP_H
#define HD_TESTS_MADE_UP_H

#include <stdlib.h>

#include "advise/explore/explored.h"

typedef struct scene {
    hd_arena *arena;
    hd_vec(hd_explored) all;
} scene;

static inline hd_timing around(double median, double spread) {
    return (hd_timing){median, median * (1 - spread), median * (1 + spread), 7};
}

/* The usual point but for one dimension. */
static inline hd_micro_point at(int dimension, double value) {
    hd_micro_point point = hd_micro_usual();
    point.value[dimension] = value;
    return point;
}

/* Without energy where `joules` is 0. */
static inline hd_explored *add(scene *s, hd_micro_point point, const char *layout,
                               const char *placement, double seconds, double joules,
                               double spread) {
    hd_explored e = {.point = point,
                     .layout = layout,
                     .placement = placement,
                     .kernels = around(seconds, spread),
                     .whole = around(seconds, spread),
                     .counters = ""};
    if (joules > 0)
        e.energy = (hd_energy_of){.joules = around(joules, spread), .meter = "fake"};
    else
        e.energy.why = "the meter went away";
    hd_push(s->arena, &s->all, e);
    return &s->all.data[s->all.count - 1];
}

static inline int begin(void **state) {
    scene *s = hd_zeroed(1, sizeof *s);
    s->arena = hd_arena_new();
    *state = s;
    return 0;
}

static inline int end(void **state) {
    scene *s = *state;
    hd_arena_free(s->arena);
    free(s);
    return 0;
}

#endif
