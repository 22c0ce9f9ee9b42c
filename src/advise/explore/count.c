/*
 * What the machine counts of a micro-kernel: one run, traced, and the trace in every layout put
 * through the simulation of caches.
 */
#include "advise/explore/explore.h"
#include "analysis/cache.h"

typedef struct counter {
    const hd_diag *diag;
    const hd_micro *micro;
    const hd_device *device;
    const hd_layout *const *layouts;
    hd_trace *trace;
    hd_variant_counts *counts;
} counter;

static hd_status run_traced(hd_arena *arena, const hd_diag *diag, const hd_micro *micro,
                            const char *path, hd_vm_counts *counts) {
    const hd_vm_options options = {.spaces = (uint32_t)1 << KIR_GLOBAL};
    const hd_trace_header header = {.source = micro->job->kernel_path, .spaces = options.spaces};
    hd_trace_writer *writer;
    hd_vm *vm;
    hd_status status = hd_vm_open(arena, diag, micro->job, NULL, &options, &vm);
    if (status != HD_OK)
        return status;
    status = hd_trace_create(arena, diag, path, &header, &writer);
    if (status == HD_OK) {
        hd_sink sink = hd_trace_sink(writer);
        status = hd_trace_end(writer, hd_vm_run(vm, 0, &sink, counts), true);
    }
    hd_vm_close(vm);
    return status;
}

/* Layout number `number`, in a thread. */
static hd_status simulate(void *self, uint32_t worker, uint64_t number) {
    (void)worker;
    counter *c = self;
    hd_arena *arena = hd_arena_new();
    const hd_caches_options options = {0};
    const hd_caches *caches;
    hd_status status = hd_caches_run(arena, c->diag, c->trace, c->device, c->micro->job,
                                     c->layouts[number], &options, &caches);
    if (status == HD_OK) {
        const hd_cache_counts *t = &caches->total.counts;
        hd_variant_counts *to = &c->counts[number];
        to->requests = t->requests;
        to->transactions = t->transactions;
        to->l1_bytes = t->sectors * caches->sector;
        to->l2_bytes = t->l2_bytes;
        to->dram_bytes = t->dram_read + t->dram_written;
    }
    hd_arena_free(arena);
    return status;
}

hd_status explore_count(hd_arena *arena, const hd_diag *diag, const hd_micro *micro,
                        const hd_device *device, const hd_layout *const *layouts, uint32_t count,
                        hd_variant_counts *counts) {
    counter c = {
        .diag = diag, .micro = micro, .device = device, .layouts = layouts, .counts = counts};
    hd_vm_counts run;
    uint64_t failed;
    char *folder;
    hd_status status = hd_scratch_make(arena, diag, &folder);
    if (status != HD_OK)
        return status;
    const char *path = hd_format(arena, "%s/run.hdt", folder);
    status = run_traced(arena, diag, micro, path, &run);
    if (status == HD_OK)
        status = hd_trace_open(arena, diag, path, &c.trace);
    if (status == HD_OK) {
        status = hd_in_parallel(hd_core_count(), count, simulate, &c, &failed);
        hd_trace_close(c.trace);
    }
    hd_scratch_remove(folder);
    for (uint32_t i = 0; i < count && status == HD_OK; i++)
        memcpy(counts[i].operations, run.operations, sizeof run.operations);
    return status;
}
