/*
 * What `./run bench machine` measures: four programs as jobs, and an OpenCL client that
 * times one of them on whatever device it finds.
 */
#ifndef HD_BENCH_WORKLOAD_H
#define HD_BENCH_WORKLOAD_H

#include "job/job.h"

typedef enum workload_id { NBODY, BFS, BITONIC, MATMUL, WORKLOADS } workload_id;

typedef struct workload {
    const char *name;
    const char *title; /* what it is */
    const char *note;  /* what is not as it should be with the inputs; NULL: nothing */
    hd_job *job;       /* resolved */
    void **contents;   /* initial bytes of each buffer */
    /* Whether the buffers hold the right result after a run: levels, order or product as
     * plain C makes them, positions within the job's tolerance. */
    bool (*correct)(const struct workload *workload, void *const *result);
    void *expected; /* of `correct` */
} workload;

extern const char *const workload_names[WORKLOADS];

/* Makes a workload whose launches are run `times` times in a row (1: as measured; `correct`
 * speaks of that only). `source` is the folder of the repository. */
hd_status workload_make(hd_arena *arena, const hd_diag *diag, const char *source, workload_id id,
                        uint32_t times, workload *made);

/* client.c: seconds by the wall clock from the first enqueue to the end of the last kernel,
 * in `runs` runs after a first one that is not counted if `warm_up`. `device` is part of a
 * platform's name, or NULL for the first. */
hd_status client_run(hd_arena *arena, const hd_diag *diag, const workload *w, const char *device,
                     bool warm_up, uint32_t runs, double *seconds);

#endif
