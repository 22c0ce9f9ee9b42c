#include "evidence/evidence_program.h"

#include "advise/verify.h"
#include "frontend/frontend.h"
#include "analysis/coalesce.h"
#include "shared/run_job.h"

hd_status program_read(program *p, const char *path) {
    const char *file = hd_format(p->arena, "%s/%s", HEDDLE_SOURCE, path);
    kir_module *module;
    hd_status status = hd_job_read(p->arena, p->diag, file, &p->job);
    if (status == HD_OK)
        status = hd_frontend(p->arena, p->diag, p->job->kernel_path, p->job->options, &module);
    return status == HD_OK ? hd_job_resolve(p->arena, p->diag, p->job, module) : status;
}

/* So many that all are kept: prices are to be exact. */
enum { MOST_PATTERNS = 1 << 24 };

/* ---- runs --------------------------------------------------------------------------- */

static hd_status run_launches(hd_vm *vm, const hd_job *job, hd_shapes *shapes,
                              const hd_sink *sink) {
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint64_t r = 0; r < job->launches[l].repeat && status == HD_OK; r++) {
            if (shapes)
                hd_shapes_next(shapes, l);
            status = hd_vm_run(vm, l, sink, NULL);
        }
    return status;
}

static hd_status run(hd_arena *arena, const hd_diag *diag, const hd_job *job, void *const *contents,
                     hd_shapes *shapes, const hd_sink *sink) {
    const hd_vm_options options = {.spaces = 1u << KIR_GLOBAL};
    hd_vm *vm;
    hd_status status = hd_vm_open(arena, diag, job, contents, &options, &vm);
    if (status != HD_OK)
        return status;
    status = run_launches(vm, job, shapes, sink);
    hd_vm_close(vm);
    return status;
}

static hd_status hear_and_trace(program *p, const char *path) {
    const hd_trace_header header = {.source = p->job->path, .spaces = 1u << KIR_GLOBAL};
    hd_trace_writer *writer;
    hd_status status = hd_trace_create(p->arena, p->diag, path, &header, &writer);
    if (status != HD_OK)
        return status;
    hd_sink sinks[] = {hd_shapes_sink(p->shapes), hd_trace_sink(writer)};
    hd_sink both = hd_sink_tee(p->arena, sinks, 2);
    status = run(p->arena, p->diag, p->job, p->contents, p->shapes, &both);
    return hd_trace_end(writer, status, true);
}

hd_status program_hear(program *p) {
    p->contents = hd_new_array(p->arena, void *, p->job->buffer_count);
    p->shapes = hd_shapes_new(p->arena, p->diag, p->job, p->device, MOST_PATTERNS);
    hd_status status = hd_job_all_contents(p->arena, p->diag, p->job, p->contents);
    if (status == HD_OK)
        status = hd_scratch_make(p->arena, p->diag, &p->folder);
    if (status != HD_OK)
        return status;
    const char *path = hd_format(p->arena, "%s/run.hdt", p->folder);
    status = hear_and_trace(p, path);
    if (status == HD_OK)
        status = hd_trace_open(p->arena, p->diag, path, &p->trace);
    if (status != HD_OK)
        return status;
    p->measured = hd_shapes_result(p->shapes);
    const hd_cost_options options = {.loops = HD_LOOPS_PENG, .measured = p->measured};
    return hd_cost_model_make(p->arena, p->diag, p->job, p->device, &options, &p->model);
}

void program_close(program *p) {
    if (p->trace)
        hd_trace_close(p->trace);
    if (p->shapes)
        hd_shapes_free(p->shapes);
    hd_scratch_remove(p->folder);
}

/* ---- transactions --------------------------------------------------------------------- */

program_priced program_price(program *p, const hd_layout *layout) {
    hd_arena *arena = hd_arena_new();
    program_priced sum = {0};
    hd_cost_line *lines;
    size_t count;
    hd_cost_of_layout(arena, p->model, layout, &lines, &count);
    for (size_t i = 0; i < count; i++) {
        const hd_access *access = lines[i].access;
        double transactions = lines[i].executions * lines[i].transactions;
        sum.all += transactions;
        if (access->record == p->job->record && access->field >= 0)
            sum.record += transactions;
    }
    hd_arena_free(arena);
    return sum;
}

static hd_status count_run(program *p, hd_arena *arena, const hd_job *job, void *const *contents,
                           double *transactions) {
    const hd_tally_work counter_work = hd_coalesce_work(arena, p->device);
    hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
    const hd_sink sink = hd_tally_sink(counter);
    const hd_coalesce_counts *counts;
    hd_status status = run(arena, p->diag, job, contents, NULL, &sink);
    *transactions = 0;
    for (uint32_t l = 0; (counts = hd_tally_of_launch(counter, 0, l)); l++)
        *transactions += (double)counts->transactions;
    hd_tally_free(counter);
    return status;
}

static hd_status count_rewritten(program *p, hd_arena *arena, const hd_layout *layout,
                                 double *transactions) {
    const hd_record_layout chosen = {p->job->record, layout};
    hd_rewritten *rewritten;
    hd_placed_job *placed;
    hd_status status = hd_rewrite_job(arena, p->diag, p->job, &chosen, 1, &rewritten);
    if (status != HD_OK)
        return status;
    hd_rewritten_view view = {arena, p->diag, rewritten, NULL};
    status = hd_place_rewritten(&view, p->job, &chosen, 1, &placed);
    if (status != HD_OK)
        return status;
    void **inputs = hd_new_array(arena, void *, placed->job->buffer_count);
    hd_placed_scatter(arena, placed, p->contents, inputs);
    return count_run(p, arena, placed->job, inputs, transactions);
}

hd_status program_count(program *p, const hd_layout *layout, double *transactions) {
    hd_arena *arena = hd_arena_new();
    bool original = hd_layout_equal(layout, hd_layout_original(arena, p->job->record));
    hd_status status = original ? count_run(p, arena, p->job, p->contents, transactions)
                                : count_rewritten(p, arena, layout, transactions);
    hd_arena_free(arena);
    return status;
}

/* ---- caches ------------------------------------------------------------------------------ */

typedef struct simulations {
    program *p;
    const hd_layout *const *layouts;
    double *bytes;
} simulations;

static hd_status simulate(void *self, uint32_t worker, uint64_t number) {
    const simulations *s = self;
    const hd_caches_options options = {0};
    const hd_caches *caches;
    hd_arena *arena = hd_arena_new();
    (void)worker;
    hd_status status = hd_caches_run(arena, s->p->diag, s->p->trace, s->p->device, s->p->job,
                                     s->layouts[number], &options, &caches);
    if (status == HD_OK) {
        const hd_cache_counts *all = &caches->total.counts;
        s->bytes[number] = (double)(all->dram_read + all->dram_written);
    }
    hd_arena_free(arena);
    return status;
}

hd_status program_simulate(program *p, const hd_layout *const *layouts, uint32_t count,
                           double *bytes) {
    simulations all = {p, layouts, bytes};
    uint64_t failed;
    return hd_in_parallel(hd_core_count(), count, simulate, &all, &failed);
}
