/* A counter of transactions, and beside it a note of what each launch's accesses are. */
#include "remap-cases/case_count.h"

#include "analysis/coalesce.h"
#include "shared/run_job.h"

typedef struct counting {
    hd_tally *coalesce;
    const char *without;
    const hd_event_launch *launch; /* that is running */
    transactions *sum;
} counting;

static hd_status begin(void *self, const hd_event_launch *launch) {
    counting *c = self;
    c->launch = launch;
    c->sum->blocks += launch->block_count;
    return HD_OK;
}

static hd_status end(void *self, bool complete) {
    counting *c = self;
    (void)complete;
    for (uint32_t a = 0; a < c->launch->access_count; a++) {
        const hd_coalesce_counts *counts = hd_tally_of(c->coalesce, 0, c->launch->number, a);
        const hd_event_access *access = &c->launch->accesses[a];
        if (c->without && access->buffer >= 0 &&
            !strcmp(c->launch->buffers[access->buffer].name, c->without))
            continue;
        if (access->kind == HD_LOAD)
            c->sum->loads += counts->transactions;
        else {
            c->sum->stores += counts->transactions;
            c->sum->stored_bytes += counts->bytes_moved;
        }
    }
    return HD_OK;
}

hd_status count_transactions(const hd_diag *diag, hd_job *job, const char *without,
                             transactions *sum) {
    hd_arena *arena = hd_arena_new();
    const hd_device *device;
    *sum = (transactions){0};
    hd_status status = hd_device_find(arena, diag, "geforce-gtx285", &device);
    if (status == HD_OK) {
        const hd_tally_work work = hd_coalesce_work(arena, device);
        counting c = {hd_tally_new(arena, &work, 1), without, NULL, sum};
        const hd_sink sinks[] = {hd_tally_sink(c.coalesce),
                                 {.self = &c, .launch = begin, .end_launch = end}};
        const hd_sink both = hd_sink_tee(arena, sinks, 2);
        status = run_read_job(arena, diag, job, 1u << KIR_GLOBAL, &both);
        hd_tally_free(c.coalesce);
    }
    hd_arena_free(arena);
    return status;
}
