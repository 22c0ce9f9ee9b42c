/* Traces of the applications, and what they are; a prefix of one. */
#ifndef HD_BENCH_REUSE_TRACES_H
#define HD_BENCH_REUSE_TRACES_H

#include "trace/trace.h"

typedef struct trace_facts {
    hd_trace_sums sums;
    uint64_t bytes;
} trace_facts;

/* Runs examples/NAME/NAME.yaml on the machine, and keeps its accesses to global memory. */
hd_status write_trace(const hd_diag *diag, const char *name, const char *path);

/* The first `blocks` blocks of each launch of a trace as a trace. */
hd_status write_prefix(const hd_diag *diag, const char *path, uint64_t blocks,
                       const char *prefix_path);

hd_status read_facts(const hd_diag *diag, const char *path, trace_facts *facts);

#endif
