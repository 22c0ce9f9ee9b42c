/* What others measured: the same kernel in two layouts of its data, on named devices. */
#ifndef HD_BENCH_TIME_SETS_H
#define HD_BENCH_TIME_SETS_H

#include <stdbool.h>
#include <stdint.h>

/* A kernel with its data in one layout. */
typedef struct form {
    const char *name;    /* "AoS" */
    const char *job;     /* relative to the repository */
    const char *options; /* in place of the job's; NULL: those */
    const char *layout;  /* of the job's record; NULL: as it is */
    uint64_t records;    /* in each buffer of records, and of the argument n; 0: the job's */
    const char *scalar;  /* type of the buffers of scalars, as many bytes of it; NULL: the job's */
    uint64_t threads;    /* and the argument n, without changing buffers; 0: the job's */
    uint32_t block[2];   /* 0: the job's */
    double share;        /* of its time that counts, 0: all */
} form;

typedef struct measurement {
    const char *device;
    const form *before, *after;
    double gain; /* times as fast, as published */
    bool
        is_unknown; /* the source does not tell the kernel or the layout: shown, but not judged by */
} measurement;

typedef struct measured_set {
    const char *name, *source, *differs; /* differs: what is not told there, or other here */
    const measurement *rows;             /* ends with a NULL device */
} measured_set;

/* In the order in which they were collected: constants of the model were chosen with those of even numbers
 * (the first is 0); the others judge it. */
extern const measured_set measured_sets[];
extern const unsigned measured_set_count;

#endif
