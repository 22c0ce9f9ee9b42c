/*
 * A program of ./run bench evidence: its job, what one whole run of it shows, and what its kernels
 * do when they are rewritten.
 */
#ifndef HD_BENCH_EVIDENCE_PROGRAM_H
#define HD_BENCH_EVIDENCE_PROGRAM_H

#include "analysis/cache.h"
#include "analysis/shapes.h"
#include "model/search.h"

typedef struct program {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_device *device;
    hd_job *job; /* resolved */
    /* Of the whole run: */
    void **contents; /* that the buffers begin with */
    hd_shapes *shapes;
    const hd_measured *measured;
    hd_cost_model *model; /* with measured shapes */
    char *folder;         /* of the trace */
    hd_trace *trace;
} program;

/* Reads the job file `path`, relative to the repository. */
hd_status program_read(program *p, const char *path);
/* Runs the job once, all of it: `contents` to `trace`. */
hd_status program_hear(program *p);
/* Frees all but the arena. */
void program_close(program *p);

/* Transactions of all accesses to global memory, and of those to fields of the record alone, as
 * the model has them with measured shapes. */
typedef struct program_priced {
    double all, record;
} program_priced;
program_priced program_price(program *p, const hd_layout *layout);

/* Rewrites the kernels in a layout, runs them on the machine and counts the transactions to global
 * memory. */
hd_status program_count(program *p, const hd_layout *layout, double *transactions);

/* Bytes from and to memory, by simulation of caches, of each of these layouts; several at once. */
hd_status program_simulate(program *p, const hd_layout *const *layouts, uint32_t count,
                           double *bytes);

#endif
