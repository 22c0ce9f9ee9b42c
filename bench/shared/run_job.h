/* What several benchmarks do with a job: run it on the machine, and keep its accesses. */
#ifndef HD_BENCH_SHARED_RUN_H
#define HD_BENCH_SHARED_RUN_H

#include "job/job.h"
#include "trace/trace.h"

/* Reads the job file `path`, relative to the repository, and ties it to its kernels. */
hd_status load_job(hd_arena *arena, const hd_diag *diag, const char *path, hd_job **job);
/* The same, to kernels in this form instead of as they are written. */
hd_status load_job_in_form(hd_arena *arena, const hd_diag *diag, const char *path, kir_form form,
                           hd_job **job);
/* Runs the job file `path`, relative to the repository; `sink` hears accesses to `spaces`
 * (bit 1 << kir_space). */
hd_status run_job(hd_arena *arena, const hd_diag *diag, const char *path, uint32_t spaces,
                  const hd_sink *sink);
/* The same for a job that was read, and perhaps changed. */
hd_status run_read_job(hd_arena *arena, const hd_diag *diag, hd_job *job, uint32_t spaces,
                       const hd_sink *sink);
/* Into a trace file. */
hd_status trace_job(const hd_diag *diag, const char *path, uint32_t spaces, const char *trace);

#endif
