/* Correlations of lists that are too dense for pairs. */
#ifndef HD_CORRELATE_H
#define HD_CORRELATE_H

#include "base/base.h"

/* The work of reuse_correlate() for positions that span so many, in pairs' time. */
double correlate_cost(uint64_t span);
/* Bytes that it takes meanwhile. */
uint64_t correlate_bytes(uint64_t span);
/* Adds to degree[d], for every d from 1, the sum of weight[j] over all i < j with
 * position[j] - position[i] = d. Positions ascend; all weights together are less than 2^63.
 * Exact: by a number-theoretic transform modulo 2^64 - 2^32 + 1. */
void correlate(const uint32_t *position, const uint64_t *weight, uint64_t count, uint64_t *degree);

#endif
