/*
 * How well what was predicted agrees with what was measured.
 */
#ifndef HD_AGREEMENT_H
#define HD_AGREEMENT_H

#include "model/time.h"

/* Spearman's rank correlation, equal values sharing their ranks; NAN where one side is all equal. */
double hd_rank_correlation(hd_arena *arena, const double *a, const double *b, uint32_t count);

typedef struct hd_agreement {
    uint32_t count;
    double correlation; /* hd_rank_correlation() */
    double error; /* the median of how far apart they are: 0.2, the larger is 1.2 times the other */
    uint32_t within; /* measured gains that lie in the predicted interval */
    uint32_t
        wrong; /* predicted to be surely faster, and slower by 5% or more; or the other way round */
} hd_agreement;

/* Of predicted gains, and the measured ones [count]. */
hd_agreement hd_agreement_of(hd_arena *arena, const hd_time_gain *predicted, const double *measured,
                             uint32_t count);

#endif
