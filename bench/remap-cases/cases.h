/* The four case studies of the document: its figures, and jobs of their kernels. */
#ifndef HD_BENCH_REMAP_CASES_CASES_H
#define HD_BENCH_REMAP_CASES_CASES_H

#include "job/job.h"

enum { CASES = 4, SIZES = 3 };

typedef enum version { PLAIN, REMAPPED, VERSIONS } version;

typedef struct remap_case {
    const char *title, *folder; /* in remap/examples */
    const char *size_names[SIZES];
    uint64_t sizes[SIZES];
    uint64_t there[SIZES][VERSIONS]; /* table 2 */
    /* Gives a job another size. Files that it needs go to `scratch`. */
    hd_status (*fit)(hd_arena *arena, const hd_diag *diag, hd_job *job, version v, uint64_t size,
                     const char *scratch);
} remap_case;

extern const remap_case remap_cases[CASES];

/* The job of a case at a size. */
hd_status read_case(hd_arena *arena, const hd_diag *diag, const remap_case *c, version v,
                    uint64_t size, const char *scratch, hd_job **job);

#endif
