/* Agreement of predictions and measurements (agreement.h). */
#include "model/agreement.h"

#include <math.h>

#include "model/race.h"

/* Values that differ by rounding alone are equal. */
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

double hd_rank_correlation(hd_arena *arena, const double *a, const double *b, uint32_t count) {
    const double *x = ranks_of(arena, a, count), *y = ranks_of(arena, b, count);
    double mean = (count - 1.0) / 2, xy = 0, xx = 0, yy = 0;
    for (uint32_t i = 0; i < count; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

hd_agreement hd_agreement_of(hd_arena *arena, const hd_time_gain *predicted, const double *measured,
                             uint32_t count) {
    static const double slower = 0.95;
    double *times = hd_new_array(arena, double, count),
           *errors = hd_new_array(arena, double, count);
    hd_agreement a = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        const hd_time_gain *p = &predicted[i];
        const double m = measured[i];
        times[i] = p->times;
        errors[i] = fmax(p->times / m, m / p->times) - 1;
        a.within += m >= p->low && m <= p->high;
        a.wrong += (m < slower && p->low > 1) || (m > 1 / slower && p->high < 1);
    }
    a.correlation = hd_rank_correlation(arena, times, measured, count);
    a.error = count ? hd_interval_of_median(errors, count, 0.05).median : NAN;
    return a;
}
