/*
 * Whole CUDA programs: what `heddle advise -- PROGRAM` promises of a layout, and what the program
 * does that is rewritten to it, built by nvcc and run by `heddle run`; the same of other layouts.
 */
#ifndef HD_BENCH_COMPILED_PROMISED_H
#define HD_BENCH_COMPILED_PROMISED_H

#include "base/base.h"

enum { WHOLE_MOST_LAYOUTS = 8 };

/* The program in a layout; the first one is as it is, the second as advised. */
typedef struct whole_layout {
    const char *notation;
    const char *options; /* of heddle apply; NULL: as it is */
    uint64_t requests, transactions;
} whole_layout;

typedef struct whole_program {
    const char *name, *source;
    const char *record; /* the one that is laid out */
    whole_layout layouts[WHOLE_MOST_LAYOUTS];
    uint32_t count;
    double before, after; /* transactions of the record, as advise counts them */
    const char *failed;   /* NULL: nothing did */
} whole_program;

/* Fills in all but the first two. Files go to `folder`. */
void whole_measure(hd_arena *arena, const char *nvcc, const char *folder, whole_program *program);

#endif
