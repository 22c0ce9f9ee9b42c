/* The same programs written otherwise: what the document's ratios depend on. */
#ifndef HD_BENCH_REMAP_CASES_VARIANTS_H
#define HD_BENCH_REMAP_CASES_VARIANTS_H

#include "remap-cases/cases.h"

typedef struct variant {
    const char *program, *title;
    const char *jobs[VERSIONS], *options[VERSIONS];
    const char *without; /* a buffer whose accesses are not counted, or NULL */
} variant;

enum { VARIANTS = 11 };
extern const variant variants[VARIANTS];

hd_status read_variant(hd_arena *arena, const hd_diag *diag, const variant *v, version which,
                       hd_job **job);

#endif
