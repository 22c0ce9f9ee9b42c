/* What the resolving of a job is made of. Private to this folder. */
#ifndef HD_JOB_RESOLVER_H
#define HD_JOB_RESOLVER_H

#include "base/table.h"
#include "job/job.h"

typedef struct resolver {
    hd_arena *arena;
    const hd_diag *diag;
    hd_job *job;
    const kir_module *module;
    hd_hash_table buffers; /* the job's: their numbers */
    const hd_arg ***first; /* [kernel][parameter]: what the first launch gives it, or NULL */
} resolver;

/* How a launch gives a kernel this parameter. */
static inline hd_arg_kind job_arg_kind(const kir_param *param) {
    if (param->type.kind != KIR_PTR || param->by_value_struct)
        return HD_ARG_VALUE;
    return param->type.space == KIR_LOCAL ? HD_ARG_LOCAL : HD_ARG_BUFFER;
}
/* The largest power of two up to `limit`, itself one, that divides a size: for local sizes. */
static inline uint64_t job_power_dividing(uint64_t size, uint64_t limit) {
    while (size % limit)
        limit /= 2;
    return limit;
}

/* The job's buffer of this name, or HD_NO_VALUE. */
uint64_t job_resolver_buffer(const resolver *r, const char *name);

/* launches.c: an error when the launch says its size in another way than its kernel takes it. */
hd_status job_launch_check_way(const resolver *r, const hd_launch *launch);

/* ---- resolve.c: names ------------------------------------------------------------ */

/* The record of the module with this name or spelling, or NULL. */
const hd_record *job_resolver_record(const resolver *r, const char *name);
/* Names, for messages. */
const char *job_resolver_records(const resolver *r);
const char *job_resolver_buffers(const resolver *r);

/* ---- records.c ------------------------------------------------------------------- */

/* Makes the records of arrays, and finds the one to lay out. Buffers are resolved. */
hd_status job_resolve_records(const resolver *r);
/* Checks what a launch, whose arguments are resolved, gives of records of arrays. */
hd_status job_resolve_array_args(const resolver *r, const hd_launch *launch);

#endif
