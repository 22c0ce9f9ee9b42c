/* Cost vectors and their order (Peng et al., section IV-H). */
#include <math.h>

#include "cost/cost.h"

void hd_cost_add(hd_cost_vector *sum, const hd_cost_vector *part) {
    for (int d = 0; d <= HD_MAX_DEGREE; d++)
        sum->v[d] += part->v[d];
}

int hd_cost_compare(const hd_cost_vector *a, const hd_cost_vector *b) {
    for (int d = HD_MAX_DEGREE; d >= 0; d--) {
        double difference = a->v[d] - b->v[d];
        if (fabs(difference) > 1e-9 * fmax(fabs(a->v[d]), fabs(b->v[d])))
            return difference < 0 ? -1 : 1;
    }
    return 0;
}

uint32_t hd_cost_degree(const hd_cost_vector *a) {
    for (uint32_t d = HD_MAX_DEGREE; d > 0; d--)
        if (a->v[d] > 0)
            return d;
    return 0;
}

double hd_cost_ratio(const hd_cost_vector *a, const hd_cost_vector *b) {
    uint32_t degree = hd_cost_degree(b);
    if (b->v[degree] > 0)
        return a->v[degree] / b->v[degree];
    return a->v[degree] > 0 ? INFINITY : 1;
}
