/* Median and quartiles. */
#include <stdlib.h>

#include "measure/timing.h"

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which a share of the sorted values lies, between its neighbours. */
static double quantile(const double *sorted, uint32_t count, double share) {
    double at = share * (count - 1);
    uint32_t below = (uint32_t)at;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

hd_timing hd_timing_of(hd_arena *arena, const double *seconds, uint32_t count) {
    double *sorted = hd_new_array(arena, double, count);
    memcpy(sorted, seconds, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    return (hd_timing){.median = quantile(sorted, count, 0.5),
                       .low = quantile(sorted, count, 0.25),
                       .high = quantile(sorted, count, 0.75),
                       .repeats = count};
}
