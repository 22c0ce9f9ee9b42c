/*
 * An interval for a median, whatever the distribution (race.h).
 *
 * Of n independent values the number that lie below the true median is binomial, with
 * probability 1/2 each. So the median lies below the k-th smallest value, or above the k-th
 * largest, with a probability of at most 2 P(Bin(n, 1/2) < k): the interval from the k-th
 * smallest to the k-th largest value, with the greatest k for which this is no more than the
 * error allowed, is the interval of the sign test (H. A. David and H. N. Nagaraja, Order
 * Statistics, 3rd edition, 2003, section 7.1).
 */
#include <math.h>
#include <stdlib.h>

#include "model/race.h"

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The greatest k with 2 P(Bin(count, 1/2) < k) <= error; 0: none. Terms are logarithms, since
 * 2^-count may be too small for a double. */
static uint32_t greatest_rank(uint32_t count, double error) {
    double below = 0;
    for (uint32_t k = 0; k < count; k++) {
        double term =
            lgamma(count + 1.0) - lgamma(k + 1.0) - lgamma(count - k + 1.0) - count * log(2.0);
        below += exp(term);
        if (2 * below > error)
            return k;
    }
    return 0;
}

hd_interval hd_interval_of_median(double *values, uint32_t count, double error) {
    if (!count)
        return (hd_interval){1, 0, INFINITY};
    qsort(values, count, sizeof *values, by_size);
    double median = (values[(count - 1) / 2] + values[count / 2]) / 2;
    uint32_t rank = greatest_rank(count, error);
    if (!rank)
        return (hd_interval){median, 0, INFINITY};
    return (hd_interval){median, values[rank - 1], values[count - rank]};
}

uint32_t hd_interval_least(double error) {
    uint32_t count = 1;
    while (!greatest_rank(count, error))
        count++;
    return count;
}
