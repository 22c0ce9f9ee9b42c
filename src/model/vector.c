/*
 * Cost vectors and their order.
 *
 * Entry d of a vector is the cost inside d loops of unknown length, taken to run L times each. Peng
 * et al., section IV-H, rank by the last entry, as if such loops ran for ever: however small the
 * difference there, it outweighs any other. Here a loop may run anything from a tenth of L to ten
 * times L, every order of magnitude as likely as another, and layouts are ranked by the mean of
 * their cost. A length n of that distribution has the mean
 *
 *     integral of n dn / (n ln 100) from L / 10 to 10 L = 9.9 / ln 100 × L = 2.15 L
 *
 * and several loops are independent, so entry d counts 2.15^d times. Later entries still outweigh
 * earlier ones of their size, as in the paper's example, and because the rank is a sum, vectors can
 * be added, shared out and bounded like numbers.
 */
#include <math.h>

#include "model/cost.h"

static const double MEAN_LENGTH = 2.1497577; /* 9.9 / ln 100 */

void hd_cost_add(hd_cost_vector *sum, const hd_cost_vector *part) {
    for (int d = 0; d <= HD_MAX_DEGREE; d++)
        sum->v[d] += part->v[d];
}

double hd_cost_mean(const hd_cost_vector *a) {
    double mean = a->v[HD_MAX_DEGREE];
    for (int d = HD_MAX_DEGREE; d-- > 0;)
        mean = mean * MEAN_LENGTH + a->v[d];
    return mean;
}

int hd_cost_compare(const hd_cost_vector *a, const hd_cost_vector *b) {
    double x = hd_cost_mean(a), y = hd_cost_mean(b);
    if (fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y)))
        return 0;
    return x < y ? -1 : 1;
}

uint32_t hd_cost_degree(const hd_cost_vector *a) {
    for (uint32_t d = HD_MAX_DEGREE; d > 0; d--)
        if (a->v[d] > 0)
            return d;
    return 0;
}

double hd_cost_ratio(const hd_cost_vector *a, const hd_cost_vector *b) {
    double x = hd_cost_mean(a), y = hd_cost_mean(b);
    return y > 0 ? x / y : x > 0 ? INFINITY : 1;
}
