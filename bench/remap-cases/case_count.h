/*
 * The global loads and stores of a job under the rules of compute capability 1.3, and as the
 * counters of a GTX 285 add them up: a load transaction counts as 1, a store as 1 for each 16
 * bytes (docs/reproduce-remap.md says how that is known).
 */
#ifndef HD_BENCH_REMAP_CASES_COUNT_H
#define HD_BENCH_REMAP_CASES_COUNT_H

#include "job/job.h"

typedef struct transactions {
    uint64_t loads, stores, stored_bytes;
    uint64_t blocks; /* of all launches */
} transactions;

/* Runs the job. Accesses to the buffer `without`, if not NULL, are left out. */
hd_status count_transactions(const hd_diag *diag, hd_job *job, const char *without,
                             transactions *sum);

static inline uint64_t transactions_of(const transactions *t) { return t->loads + t->stores; }
static inline uint64_t counter_of(const transactions *t) { return t->loads + t->stored_bytes / 16; }

#endif
