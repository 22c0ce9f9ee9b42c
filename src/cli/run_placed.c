/* A job in a layout, without files (placed.h). */
#include "cli/run_placed.h"

#include "advise/verify.h"

hd_status cli_place(cli *c, const hd_job *job, const hd_record_layout *layouts, uint32_t count,
                    cli_placed *p) {
    *p = (cli_placed){.original = job, .job = job, .shown = c->diag};
    hd_record_layout *others = hd_new_array(c->arena, hd_record_layout, count + 1);
    uint32_t other_count = 0;
    for (uint32_t l = 0; l < count; l++)
        if (!hd_layout_equal(layouts[l].layout, hd_layout_original(c->arena, layouts[l].record)))
            others[other_count++] = layouts[l];
    if (!other_count)
        return HD_OK;
    hd_rewritten *rewritten;
    cli_progress(c, "rewriting");
    hd_status status = hd_rewrite_job(c->arena, &c->diag, job, others, other_count, &rewritten);
    if (status == HD_OK) {
        p->view = (hd_rewritten_view){c->arena, &p->shown, rewritten, NULL};
        p->told = (hd_diag){hd_rewritten_tell, &p->view};
        status = hd_place_rewritten(&p->view, job, others, other_count, &p->placed);
    }
    cli_progress(c, NULL);
    if (status != HD_OK)
        return status;
    void **before = hd_new_array(c->arena, void *, job->buffer_count + 1);
    p->job = p->placed->job;
    p->inputs = hd_new_array(c->arena, void *, p->job->buffer_count + 1);
    status = hd_job_all_contents(c->arena, &c->diag, job, before);
    if (status == HD_OK)
        hd_placed_scatter(c->arena, p->placed, before, p->inputs);
    return status;
}

/* Why lanes that read one address as the source has it read many. */
static void tell_splits(cli *c, const hd_job *job) {
    for (uint32_t k = 0; k < job->module->kernel_count; k++) {
        const kir_split *split = &job->module->kernels[k]->split;
        if (split->loop)
            hd_note(
                &c->diag, &split->question,
                "the compiler splits the loop of line %u where this answer changes, and in its "
                "second part lanes of a warp are in different iterations; --as-written keeps it "
                "one",
                split->loop);
    }
}

hd_status cli_load_placed(cli *c, const char *path, const cli_source *source,
                          const cli_texts *texts, cli_placed *placed) {
    hd_job *job;
    hd_record_layout *layouts = NULL;
    uint32_t count = 0;
    hd_status status = texts->count
                           ? cli_load_layouts(c, path, source, texts, &job, &layouts, &count)
                           : cli_load(c, path, source, &job);
    if (status)
        return status;
    tell_splits(c, job);
    return cli_place(c, job, layouts, count, placed);
}

void cli_placed_begin(cli *c, cli_placed *p) {
    p->shown = c->diag;
    p->view.diag = &p->shown;
    p->told.user = &p->view;
    if (p->placed)
        c->diag = p->told;
}

void cli_placed_end(cli *c, const cli_placed *p) { c->diag = p->shown; }

void **cli_placed_contents(cli *c, const cli_placed *p, const hd_vm *vm) {
    void **contents = hd_new_array(c->arena, void *, p->job->buffer_count + 1);
    for (uint32_t b = 0; b < p->job->buffer_count; b++)
        contents[b] = hd_vm_contents(vm, b);
    if (!p->placed)
        return contents;
    void **original = hd_new_array(c->arena, void *, p->original->buffer_count + 1);
    hd_placed_gather(c->arena, p->placed, contents, original);
    return original;
}

void cli_placed_restore(const cli_placed *p, cli_run *run) {
    for (size_t r = 0; r < run->rows.count; r++)
        run->rows.data[r].launch =
            &p->original->launches[run->rows.data[r].launch - p->job->launches];
}

/* ---- what was counted of accesses ------------------------------------------------------------ */

typedef struct hearing {
    hd_access_table *table;
    const hd_tally *counters;
    const hd_origin *origin;
    const hd_cache_sum *cached;
    const hd_event_launch *launch;
} hearing;

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    ((hearing *)self)->launch = launch;
    return HD_OK;
}

static hd_status end_launch(void *self, bool complete) {
    const hearing *h = self;
    (void)complete;
    hd_access_table_add(h->table, h->origin ? hd_origin_launch(h->origin) : h->launch, h->counters,
                        h->cached);
    return HD_OK;
}

hd_sink cli_rows_sink(hd_arena *arena, hd_access_table *table, const hd_tally *counters,
                      const hd_origin *origin, const hd_cache_sum *cached) {
    hearing *h = hd_new(arena, hearing);
    *h = (hearing){table, counters, origin, cached, NULL};
    return (hd_sink){.self = h, .launch = begin_launch, .end_launch = end_launch};
}
