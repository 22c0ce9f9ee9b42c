/*
 * From times to patterns, and how good the learned tiles are for kernels that it has not seen.
 *
 * Kernels are left out whole: the patterns of one kernel are nearly the same pattern several
 * times, and one of them in the training would tell the others.
 */
#include <math.h>

#include "model/tile_learn.h"

/* ---- patterns -------------------------------------------------------------------- */

static double best_time(const hd_tile_kernel *kernel) {
    double best = INFINITY;
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++)
        if (kernel->seconds[k] > 0 && kernel->seconds[k] < best)
            best = kernel->seconds[k];
    return best;
}

/* Less than 1% slower than the best; those that were not measured are not. */
static bool is_good(const hd_tile_kernel *kernel, uint32_t class) {
    double seconds = kernel->seconds[class];
    return seconds > 0 && seconds < 1.01 * best_time(kernel);
}

/* Those of the kernels with out[i] false; out NULL: of all. */
static hd_tile_pattern *patterns_without(hd_arena *arena, const hd_tile_kernel *kernels,
                                         size_t count, const bool *out, size_t *pattern_count) {
    hd_vec(hd_tile_pattern) patterns = {0};
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < HD_TILE_CLASSES; k++)
            if (!(out && out[i]) && is_good(&kernels[i], k))
                hd_push(arena, &patterns, (hd_tile_pattern){kernels[i].bytes, hd_tile_of_class(k)});
    *pattern_count = patterns.count;
    return patterns.data;
}

hd_tile_pattern *hd_tile_patterns(hd_arena *arena, const hd_tile_kernel *kernels, size_t count,
                                  size_t *pattern_count) {
    return patterns_without(arena, kernels, count, NULL, pattern_count);
}

/* ---- scores ----------------------------------------------------------------------- */

static void add_kernel(hd_tile_score *score, const hd_tile_steps *steps,
                       const hd_tile_kernel *kernel) {
    uint32_t class = hd_tile_class(hd_tile_select(steps, kernel->bytes));
    double seconds = kernel->seconds[class];
    double slowdown = seconds > 0 ? seconds / best_time(kernel) : 1;
    score->kernels++;
    score->within += is_good(kernel, class);
    score->slowdown += slowdown; /* the sum, until finish() */
    score->worst = fmax(score->worst, slowdown);
}

static hd_tile_score finish(hd_tile_score score) {
    score.slowdown = score.kernels ? score.slowdown / score.kernels : 1;
    return score;
}

/* Learns from those that are not `out`, and scores those that are. */
static void score_fold(hd_tile_score *score, const hd_tile_kernel *kernels, size_t count,
                       const bool *out) {
    hd_arena *arena = hd_arena_new();
    size_t pattern_count;
    hd_tile_pattern *patterns = patterns_without(arena, kernels, count, out, &pattern_count);
    hd_tile_steps *steps = hd_tile_learn(arena, patterns, pattern_count);
    score->folds++;
    for (size_t i = 0; i < count; i++)
        if (out[i])
            add_kernel(score, steps, &kernels[i]);
    hd_arena_free(arena);
}

hd_tile_score hd_tile_score_steps(const hd_tile_steps *steps, const hd_tile_kernel *kernels,
                                  size_t count) {
    hd_tile_score score = {.folds = 1};
    for (size_t i = 0; i < count; i++)
        add_kernel(&score, steps, &kernels[i]);
    return finish(score);
}

hd_tile_score hd_tile_cross_validate(const hd_tile_kernel *kernels, size_t count, uint32_t folds,
                                     uint64_t seed) {
    hd_arena *arena = hd_arena_new();
    hd_tile_score score = {0};
    size_t *order = hd_new_array(arena, size_t, count);
    bool *out = hd_new_array(arena, bool, count);
    for (size_t i = 0; i < count; i++) { /* Fisher-Yates */
        size_t j = hd_next_random(&seed) % (i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t fold = 0; fold < folds && fold < count; fold++) {
        for (size_t i = 0; i < count; i++)
            out[order[i]] = i % folds == fold;
        score_fold(&score, kernels, count, out);
    }
    hd_arena_free(arena);
    return finish(score);
}

hd_tile_score hd_tile_leave_size_out(const hd_tile_kernel *kernels, size_t count) {
    hd_arena *arena = hd_arena_new();
    hd_tile_score score = {0};
    bool *done = hd_new_array(arena, bool, count), *out = hd_new_array(arena, bool, count);
    for (size_t i = 0; i < count; i++) {
        if (done[i])
            continue;
        for (size_t j = 0; j < count; j++) {
            out[j] = kernels[j].bytes == kernels[i].bytes;
            done[j] = done[j] || out[j];
        }
        score_fold(&score, kernels, count, out);
    }
    hd_arena_free(arena);
    return finish(score);
}
