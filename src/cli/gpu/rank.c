/* Spearman's correlation of ranks. */
#include <math.h>

#include "cli/gpu/gpu.h"

/* Costs that differ by rounding alone are equal. */
static bool is_less(double a, double b) { return a < b - 1e-9 * fabs(b); }

static double *ranks_of(hd_arena *arena, const double *values, uint32_t count) {
    double *ranks = hd_new_array(arena, double, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t below = 0, above = 0;
        for (uint32_t j = 0; j < count; j++) {
            below += is_less(values[j], values[i]);
            above += is_less(values[i], values[j]);
        }
        ranks[i] = (below + (double)(count - above) - 1) / 2; /* the middle of its equals */
    }
    return ranks;
}

double hd_gpu_rank_correlation(hd_arena *arena, const double *a, const double *b, uint32_t count) {
    const double *x = ranks_of(arena, a, count), *y = ranks_of(arena, b, count);
    double mean = (count - 1.0) / 2, xy = 0, xx = 0, yy = 0;
    for (uint32_t i = 0; i < count; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}
