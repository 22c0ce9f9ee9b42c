/* The whole OpenCL programs of examples/, run as anybody would run them. */
#ifndef BENCH_OPENCL_PROGRAMS_H
#define BENCH_OPENCL_PROGRAMS_H

#include "base/base.h"

extern const char *const bench_opencl_names[]; /* NULL ends them */

/* Builds it, in build/examples; its path, or NULL, and the reason is said. */
const char *bench_opencl_build(hd_arena *arena, const char *name);

/* A process, and what it prints on standard output. */
typedef struct bench_process {
    double seconds; /* by the wall clock */
    int status;     /* 0: it ended well */
    const char *printed;
} bench_process;
bench_process bench_run(hd_arena *arena, const char *const *words);

/* "kernels took 12.3 ms" of what an example prints; 0: it does not say. */
double bench_kernel_seconds(const char *printed);
/* The same line, but for times. */
bool bench_same_outcome(const char *a, const char *b);
enum { BENCH_MOST_RUNS = 99 };
/* "--runs N" of a benchmark's arguments; 0: they are something else, which is said. */
int bench_runs(int argc, char **argv, int usual);
double bench_median(double *values, size_t count);

#endif
