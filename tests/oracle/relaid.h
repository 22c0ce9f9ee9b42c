/*
 * A job's kernels rewritten to layouts, on the machine: they leave the contents that its own kernels
 * leave, and count what the static cost says.
 *
 *     relaid r;
 *     relaid_open(&r, arena, "name", job);
 *     module = relaid_compile(arena, job, relaid_layout(arena, job, "soa"));
 *     relaid_check(&r, "soa", module, &sum);
 *
 * The rewritten kernels' accesses are told by the fields that their addresses lie in, and by their
 * order.
 *
 * Include after cmocka.h.
 */
#ifndef ORACLE_RELAID_H
#define ORACLE_RELAID_H

#include <pthread.h>

#include "oracle/jobs.h"
#include "oracle/layout_map.h"
#include "rewrite/placed.h"
#include "rewrite/rewrite.h"
#include "machine/vm.h"

/* Runs each launch of a job once and takes the final bytes of its buffers; `contents` NULL:
 * from what the job says. */
static hd_status relaid_run(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            void *const *contents, const hd_sink *sink, void **after) {
    const hd_vm_options options = {.workers = 2, .max_instructions = 10000000};
    hd_vm *vm = NULL;
    hd_status status = hd_vm_open(arena, diag, job, contents, &options, &vm);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = hd_vm_run(vm, l, sink, NULL);
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++) {
        size_t bytes = job->buffers[b].count * job->buffers[b].element_bytes;
        after[b] = memcpy(hd_alloc(arena, bytes), hd_vm_contents(vm, b), bytes);
    }
    if (vm)
        hd_vm_close(vm);
    return status;
}

/* ---- a job ---------------------------------------------------------------------------- */

typedef struct relaid {
    hd_arena *arena;
    const char *path;
    hd_job *job;
    hd_cost_model *models[COUNTED_DEVICES], *measured[COUNTED_DEVICES];
    hd_kernel_info **infos;
    counted_row **executed; /* of its own kernels */
    void **contents;        /* initial bytes of its buffers */
    void **after;           /* what its own kernels leave */
    bool all;               /* every line must be exact, as in `counted` */
} relaid;

static void relaid_open(relaid *e, hd_arena *arena, const char *path, hd_job *job) {
    hd_tally *counters[COUNTED_DEVICES];
    hd_shapes *shapes[COUNTED_DEVICES];
    *e = (relaid){.arena = arena, .path = path, .job = job};
    counted_make_models(arena, &jobs_diag, job, e->models);
    e->infos = counted_analyse(arena, job);
    e->executed = counted_new_rows(arena, job, e->infos);
    e->contents = hd_new_array(arena, void *, job->buffer_count);
    e->after = hd_new_array(arena, void *, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        assert_int_equal(hd_job_contents(arena, &jobs_diag, &job->buffers[b], &e->contents[b]),
                         HD_OK);
    hd_sink sinks[] = {counted_new_counters(arena, e->models, counters),
                       counted_new_shapes(arena, &jobs_diag, job, e->models, shapes)};
    hd_sink sink = hd_sink_tee(arena, sinks, 2);
    assert_int_equal(relaid_run(arena, &jobs_diag, job, e->contents, &sink, e->after), HD_OK);
    counted_measured_models(arena, &jobs_diag, job, shapes, e->measured);
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint32_t k = 0; k < e->infos[l]->access_count; k++)
            counted_add_row(&e->executed[l][k], hd_tally_of(counters[0], 0, l, k));
    for (int d = 0; d < COUNTED_DEVICES; d++) {
        hd_tally_free(counters[d]);
        hd_shapes_free(shapes[d]);
    }
}

/* ---- what rewritten accesses are -------------------------------------------------------- */

/* Where an access of a rewritten kernel leads: a buffer of the original job, and a field
 * of its record. */
typedef struct relaid_found {
    bool known;
    uint32_t buffer;
    int32_t field;
} relaid_found;

typedef struct relaid_finder {
    const hd_placed_job *placed;
    const hd_event_launch *launch;
    uint32_t number;
    relaid_found **found; /* [launch][access] */
    hd_arena *arena;
    pthread_mutex_t lock; /* of found */
} relaid_finder;

static relaid_found relaid_find(const relaid_finder *f, uint64_t address) {
    for (uint32_t r = 0; r < f->launch->buffer_count; r++) {
        const hd_event_buffer *row = &f->launch->buffers[r];
        if (row->space != KIR_GLOBAL || address < row->base || address >= row->base + row->bytes)
            continue;
        assert_int_equal(row->base % 512, 0); /* as the cost takes buffers to lie */
        for (uint32_t b = 0; b < f->placed->original->buffer_count; b++) {
            const hd_placed_buffer *at = &f->placed->buffers[b];
            for (uint32_t m = 0; m < at->count; m++) {
                if (strcmp(f->placed->job->buffers[at->first + m].name, row->name))
                    continue;
                if (!at->map)
                    return (relaid_found){true, b, -1};
                byte_owner owner = owner_of(at->map, m, address - row->base);
                assert_false(owner.padding);
                return (relaid_found){true, b, (int32_t)owner.field};
            }
        }
    }
    return (relaid_found){false, 0, -1};
}

static hd_status relaid_launch(void *self, const hd_event_launch *launch) {
    relaid_finder *f = self;
    f->launch = launch;
    f->number = launch->number;
    f->found[f->number] = hd_new_array(f->arena, relaid_found, launch->access_count + 1);
    return HD_OK;
}

static void *relaid_open_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

static void relaid_event(void *stream, const hd_event *event) {
    relaid_finder *f = stream;
    relaid_found *to = &f->found[f->number][event->access];
    uint32_t lane = 0;
    while (!hd_event_active(event, lane))
        lane++;
    pthread_mutex_lock(&f->lock);
    if (!to->known)
        *to = relaid_find(f, hd_event_address(event, lane));
    pthread_mutex_unlock(&f->lock);
}

/* ---- matching ----------------------------------------------------------------------------- */

/* Where an access of the original leads. */
static relaid_found relaid_target(const relaid *e, uint32_t launch, const hd_access *a) {
    const hd_launch *from = &e->job->launches[launch];
    for (uint32_t i = 0; i < from->arg_count && a->param >= 0; i++)
        if (from->args[i].param == (uint32_t)a->param && from->args[i].kind == HD_ARG_BUFFER) {
            uint32_t buffer = from->args[i].buffer;
            bool records = e->job->buffers[buffer].record == e->job->record;
            return (relaid_found){true, buffer, records ? a->field : -1};
        }
    return (relaid_found){false, 0, -1};
}

static bool relaid_is_same(relaid_found a, hd_access_kind a_kind, relaid_found b,
                           hd_access_kind b_kind) {
    return a.known && b.known && a.buffer == b.buffer && a.field == b.field && a_kind == b_kind;
}

/* The rewritten access for access k of the original: the n-th of equal kind and field for
 * the n-th, of those that were executed. */
static uint32_t relaid_match(const relaid *e, const relaid_finder *f, uint32_t launch,
                             const hd_kernel_info *rewritten, uint32_t k) {
    const hd_access *accesses = e->infos[launch]->accesses;
    relaid_found wanted = relaid_target(e, launch, &accesses[k]);
    uint32_t before = 0;
    for (uint32_t i = 0; i < k; i++)
        before += e->executed[launch][i].executions > 0 &&
                  relaid_is_same(relaid_target(e, launch, &accesses[i]), accesses[i].kind, wanted,
                                 accesses[k].kind);
    for (uint32_t i = 0; i < rewritten->access_count; i++)
        if (relaid_is_same(f->found[launch][i], rewritten->accesses[i].kind, wanted,
                           accesses[k].kind) &&
            before-- == 0)
            return i;
    return KIR_NONE;
}

/* The rewritten kernels' counts as rows of the original's accesses. */
static counted_row **relaid_rows(const relaid *e, const relaid_finder *f, const hd_tally *counter) {
    counted_row **rows = counted_new_rows(e->arena, e->job, e->infos);
    hd_kernel_info **rewritten = counted_analyse(e->arena, f->placed->job);
    for (uint32_t l = 0; l < e->job->launch_count; l++)
        for (uint32_t k = 0; k < e->infos[l]->access_count; k++) {
            const hd_access *a = &e->infos[l]->accesses[k];
            if (e->executed[l][k].executions <= 0 || a->space != KIR_GLOBAL)
                continue;
            uint32_t i = relaid_match(e, f, l, rewritten[l], k);
            if (i == KIR_NONE)
                fail_msg("%s: launch %u: no rewritten access is that of line %u", e->path, l,
                         a->line);
            counted_add_row(&rows[l][k], hd_tally_of(counter, 0, l, i));
        }
    return rows;
}

/* ---- the kernels rewritten ----------------------------------------------------------------- */

static kir_module *relaid_compile(hd_arena *arena, const hd_job *job, const hd_layout *layout) {
    char *folder;
    const char *path;
    hd_rewritten *rewritten = NULL;
    kir_module *module = NULL;
    assert_int_equal(hd_scratch_make(arena, &jobs_diag, &folder), HD_OK);
    assert_int_equal(hd_rewrite_job(arena, &jobs_diag, job,
                                    &(hd_record_layout){job->record, layout}, 1, &rewritten),
                     HD_OK);
    assert_int_equal(hd_rewritten_store(arena, &jobs_diag, rewritten, folder, &path), HD_OK);
    assert_int_equal(hd_frontend(arena, &jobs_diag, path, rewritten->options, &module), HD_OK);
    hd_scratch_remove(folder);
    return module;
}

static void relaid_check_contents(const relaid *e, const hd_placed_job *placed, void *const *after,
                                  const char *layout) {
    void **back = hd_new_array(e->arena, void *, e->job->buffer_count);
    hd_placed_gather(e->arena, placed, after, back);
    for (uint32_t b = 0; b < e->job->buffer_count; b++) {
        const hd_buffer *buffer = &e->job->buffers[b];
        if (memcmp(back[b], e->after[b], buffer->count * buffer->element_bytes))
            fail_msg("%s: in layout %s buffer '%s' ends with other contents", e->path, layout,
                     buffer->name);
    }
}

static hd_layout *relaid_layout(hd_arena *arena, const hd_job *job, const char *text) {
    hd_layout *layout;
    assert_int_equal(hd_layout_parse(arena, &jobs_diag, job->record, text, &layout), HD_OK);
    return layout;
}

/* Fails where the kernels of the module, which are in this layout, do something else than the job's
 * own, or where a line that must be exact is not. */
static void relaid_check(const relaid *e, const char *text, const kir_module *module,
                         counted_total *sum) {
    hd_layout *layout = relaid_layout(e->arena, e->job, text);
    hd_placed_job *placed;
    hd_tally *counters[COUNTED_DEVICES];
    assert_int_equal(hd_job_in_layout(e->arena, &jobs_diag, e->job,
                                      &(hd_record_layout){e->job->record, layout}, 1, NULL, module,
                                      &placed),
                     HD_OK);
    void **inputs = hd_new_array(e->arena, void *, placed->job->buffer_count);
    void **after = hd_new_array(e->arena, void *, placed->job->buffer_count);
    hd_placed_scatter(e->arena, placed, e->contents, inputs);
    relaid_finder f = {.placed = placed, .arena = e->arena, .lock = PTHREAD_MUTEX_INITIALIZER};
    f.found = hd_new_array(e->arena, relaid_found *, e->job->launch_count);
    hd_sink sinks[] = {{&f, relaid_launch, relaid_open_block, relaid_event, NULL, NULL},
                       counted_new_counters(e->arena, e->models, counters)};
    hd_sink both = hd_sink_tee(e->arena, sinks, 2);
    assert_int_equal(relaid_run(e->arena, &jobs_diag, placed->job, inputs, &both, after), HD_OK);
    relaid_check_contents(e, placed, after, text);
    for (int d = 0; d < COUNTED_DEVICES; d++) {
        counted_case one = {
            e->path, e->job, e->infos, layout, text, e->models[d], relaid_rows(e, &f, counters[d]),
            e->all};
        counted_check_case(&one, sum);
        one.measured = true;
        one.model = e->measured[d];
        counted_check_case(&one, sum);
        hd_tally_free(counters[d]);
    }
}

#endif
