/*
 * The cross-check of the design: for every example and a set of layouts, executions and
 * transactions that the static cost gives for affine accesses equal those of the
 * machine's events. If one of these fails, one of the two is wrong: src/cost and
 * src/kernel on the one side, src/vm on the other; tests/cost/test_walk.c is a third
 * opinion.
 *
 * Four times: the examples' kernels as they are, their addresses moved to each layout
 * (each access by its number); the examples' kernels rewritten to each layout, whose
 * accesses are told by the fields that their addresses lie in, and by their order; and
 * the kernels of tests/kernels as they are; and kernels whose lanes share what they read
 * (shared/). Rewritten kernels must leave the same contents as the original, too.
 *
 * Not compared is what the model does not claim to count exactly, since data decide it
 * (oracle/counted.h, counted_why_not): accesses under conditions on data, indices read
 * from memory, loops that may end early.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "oracle/jobs.h"
#include "oracle/layout_map.h"
#include "rewrite/placed.h"
#include "rewrite/rewrite.h"
#include "sanitized.h"
#include "vm/vm.h"

/* Runs each launch of a job once and takes the final bytes of its buffers; `contents` NULL:
 * from what the job says. */
static hd_status run_machine(hd_arena *arena, const hd_diag *diag, const hd_job *job,
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

/* ---- the kernels as they are ------------------------------------------------------------ */

/* A kernel that faults on the made-up contents of a job from flags is left out. */
static void check_own(hd_arena *arena, const char *path, hd_job *job, bool all,
                      counted_total *sum) {
    counted c;
    void **after = hd_new_array(arena, void *, job->buffer_count + 1);
    counted_open_all(&c, arena, &jobs_diag, job);
    c.all = all;
    hd_sink sink = counted_sink(&c);
    hd_status status =
        run_machine(arena, job->path ? &jobs_diag : &jobs_silent, job, NULL, &sink, after);
    assert_true(status == HD_OK || !job->path);
    if (status == HD_OK)
        counted_check(&c, path, sum);
    counted_close(&c);
}

static void check_original(hd_arena *arena, const char *path, hd_job *job, counted_total *sum) {
    check_own(arena, path, job, false, sum);
}

static void check_whole(hd_arena *arena, const char *path, hd_job *job, counted_total *sum) {
    check_own(arena, path, job, true, sum);
}

/* ---- an example ---------------------------------------------------------------------------- */

typedef struct example {
    hd_arena *arena;
    const char *path;
    hd_job *job;
    hd_cost_model *models[COUNTED_DEVICES], *measured[COUNTED_DEVICES];
    hd_kernel_info **infos;
    counted_row **executed; /* of its own kernels */
    void **contents;        /* initial bytes of its buffers */
    void **after;           /* what its own kernels leave */
} example;

static void open_example(example *e, hd_arena *arena, const char *path, hd_job *job) {
    hd_tally *counters[COUNTED_DEVICES];
    hd_shapes *shapes[COUNTED_DEVICES];
    *e = (example){.arena = arena, .path = path, .job = job};
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
    assert_int_equal(run_machine(arena, &jobs_diag, job, e->contents, &sink, e->after), HD_OK);
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
typedef struct found {
    bool known;
    uint32_t buffer;
    int32_t field;
} found;

typedef struct finder {
    const hd_placed_job *placed;
    const hd_event_launch *launch;
    uint32_t number;
    found **found; /* [launch][access] */
    hd_arena *arena;
    pthread_mutex_t lock; /* of found */
} finder;

static found find_address(const finder *f, uint64_t address) {
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
                    return (found){true, b, -1};
                byte_owner owner = owner_of(at->map, m, address - row->base);
                assert_false(owner.padding);
                return (found){true, b, (int32_t)owner.field};
            }
        }
    }
    return (found){false, 0, -1};
}

static hd_status finder_launch(void *self, const hd_event_launch *launch) {
    finder *f = self;
    f->launch = launch;
    f->number = launch->number;
    f->found[f->number] = hd_new_array(f->arena, found, launch->access_count + 1);
    return HD_OK;
}

static void *finder_open(void *self, uint64_t block) {
    (void)block;
    return self;
}

static void finder_event(void *stream, const hd_event *event) {
    finder *f = stream;
    found *to = &f->found[f->number][event->access];
    uint32_t lane = 0;
    while (!hd_event_active(event, lane))
        lane++;
    pthread_mutex_lock(&f->lock);
    if (!to->known)
        *to = find_address(f, hd_event_address(event, lane));
    pthread_mutex_unlock(&f->lock);
}

/* ---- matching ----------------------------------------------------------------------------- */

/* Where an access of the original leads. */
static found of_original(const example *e, uint32_t launch, const hd_access *a) {
    const hd_launch *from = &e->job->launches[launch];
    for (uint32_t i = 0; i < from->arg_count && a->param >= 0; i++)
        if (from->args[i].param == (uint32_t)a->param && from->args[i].kind == HD_ARG_BUFFER) {
            uint32_t buffer = from->args[i].buffer;
            bool records = e->job->buffers[buffer].record == e->job->record;
            return (found){true, buffer, records ? a->field : -1};
        }
    return (found){false, 0, -1};
}

static bool is_same(found a, hd_access_kind a_kind, found b, hd_access_kind b_kind) {
    return a.known && b.known && a.buffer == b.buffer && a.field == b.field && a_kind == b_kind;
}

/* The rewritten access for access k of the original: the n-th of equal kind and field for
 * the n-th, of those that were executed. */
static uint32_t match(const example *e, const finder *f, uint32_t launch,
                      const hd_kernel_info *rewritten, uint32_t k) {
    const hd_access *accesses = e->infos[launch]->accesses;
    found wanted = of_original(e, launch, &accesses[k]);
    uint32_t before = 0;
    for (uint32_t i = 0; i < k; i++)
        before += e->executed[launch][i].executions > 0 &&
                  is_same(of_original(e, launch, &accesses[i]), accesses[i].kind, wanted,
                          accesses[k].kind);
    for (uint32_t i = 0; i < rewritten->access_count; i++)
        if (is_same(f->found[launch][i], rewritten->accesses[i].kind, wanted, accesses[k].kind) &&
            before-- == 0)
            return i;
    return KIR_NONE;
}

/* The rewritten kernels' counts as rows of the original's accesses. */
static counted_row **matched_rows(const example *e, const finder *f, const hd_tally *counter) {
    counted_row **rows = counted_new_rows(e->arena, e->job, e->infos);
    hd_kernel_info **rewritten = counted_analyse(e->arena, f->placed->job);
    for (uint32_t l = 0; l < e->job->launch_count; l++)
        for (uint32_t k = 0; k < e->infos[l]->access_count; k++) {
            const hd_access *a = &e->infos[l]->accesses[k];
            if (e->executed[l][k].executions <= 0 || a->space != KIR_GLOBAL)
                continue;
            uint32_t i = match(e, f, l, rewritten[l], k);
            if (i == KIR_NONE)
                fail_msg("%s: launch %u: no rewritten access is that of line %u", e->path, l,
                         a->line);
            counted_add_row(&rows[l][k], hd_tally_of(counter, 0, l, i));
        }
    return rows;
}

/* ---- the kernels rewritten ----------------------------------------------------------------- */

static kir_module *compile_rewritten(const example *e, const hd_layout *layout) {
    char *folder;
    const char *path;
    const hd_job *job = e->job;
    hd_rewritten *rewritten = NULL;
    kir_module *module = NULL;
    assert_int_equal(hd_scratch_make(e->arena, &jobs_diag, &folder), HD_OK);
    assert_int_equal(hd_rewrite_job(e->arena, &jobs_diag, job,
                                    &(hd_record_layout){job->record, layout}, 1, &rewritten),
                     HD_OK);
    assert_int_equal(hd_rewritten_store(e->arena, &jobs_diag, rewritten, folder, &path), HD_OK);
    assert_int_equal(hd_frontend(e->arena, &jobs_diag, path, rewritten->options, &module), HD_OK);
    hd_scratch_remove(folder);
    return module;
}

static void check_contents(const example *e, const hd_placed_job *placed, void *const *after,
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

static void check_layout(example *e, const char *text, counted_total *sum) {
    hd_layout *layout;
    hd_placed_job *placed;
    hd_tally *counters[COUNTED_DEVICES];
    assert_int_equal(hd_layout_parse(e->arena, &jobs_diag, e->job->record, text, &layout), HD_OK);
    assert_int_equal(hd_job_in_layout(e->arena, &jobs_diag, e->job,
                                      &(hd_record_layout){e->job->record, layout}, 1,
                                      compile_rewritten(e, layout), &placed),
                     HD_OK);
    void **inputs = hd_new_array(e->arena, void *, placed->job->buffer_count);
    void **after = hd_new_array(e->arena, void *, placed->job->buffer_count);
    hd_placed_scatter(e->arena, placed, e->contents, inputs);
    finder f = {.placed = placed, .arena = e->arena, .lock = PTHREAD_MUTEX_INITIALIZER};
    f.found = hd_new_array(e->arena, found *, e->job->launch_count);
    hd_sink sinks[] = {{&f, finder_launch, finder_open, finder_event, NULL, NULL},
                       counted_new_counters(e->arena, e->models, counters)};
    hd_sink both = hd_sink_tee(e->arena, sinks, 2);
    assert_int_equal(run_machine(e->arena, &jobs_diag, placed->job, inputs, &both, after), HD_OK);
    check_contents(e, placed, after, text);
    for (int d = 0; d < COUNTED_DEVICES; d++) {
        counted_case one = {e->path,
                            e->job,
                            e->infos,
                            layout,
                            text,
                            e->models[d],
                            matched_rows(e, &f, counters[d])};
        counted_check_case(&one, sum);
        one.measured = true;
        one.model = e->measured[d];
        counted_check_case(&one, sum);
        hd_tally_free(counters[d]);
    }
}

/* In each n-th layout of `every`, sanitized in fewer. */
static void check_layouts(hd_arena *arena, const char *path, hd_job *job, uint32_t every,
                          counted_total *sum) {
    const char *layouts[COUNTED_LAYOUTS];
    uint32_t count = counted_list_layouts(arena, job, layouts);
    example e;
    if (!job->record->spelling)
        return; /* a stand-in: there is nothing to rewrite */
    open_example(&e, arena, path, job);
    for (uint32_t n = 0; n < count; n += every)
        if (IS_TRIED(n, 3))
            check_layout(&e, layouts[n], sum);
    sum->jobs++;
}

static void check_rewritten(hd_arena *arena, const char *path, hd_job *job, counted_total *sum) {
    check_layouts(arena, path, job, 1, sum);
}

static void check_some_rewritten(hd_arena *arena, const char *path, hd_job *job,
                                 counted_total *sum) {
    check_layouts(arena, path, job, 3, sum);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void kernels_of_examples(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_examples(check_original, &sum);
    assert_true(sum.jobs == 15 && sum.exact > 2500);
}

static void rewritten_kernels_of_examples(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_examples(check_rewritten, &sum);
    assert_true(sum.jobs == 14 && (SANITIZED || sum.exact > 2500));
}

static void kernels_as_people_write_them(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_kernels(check_original, &sum);
    assert_true(sum.jobs > (SANITIZED ? 25 : 80) && sum.exact > (SANITIZED ? 2000 : 7000));
}

/* Indices that are read from memory, but are the same for all lanes of a warp. */
static void elements_that_a_warp_shares(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_files("tests/vm/shared/*.yaml", check_whole, &sum);
    assert_true(sum.jobs == 2 && sum.exact == sum.lines && sum.exact > 300);
}

/* The programs of ./run bench evidence: gathers, trees, lists, and structs by value. */
static void kernels_of_others(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_files("bench/evidence/*-small.yaml", check_original, &sum);
    jobs_for_files("bench/evidence/*-small.yaml", check_some_rewritten, &sum);
    assert_true(sum.jobs == 12 && sum.exact > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_examples),
        cmocka_unit_test(rewritten_kernels_of_examples),
        cmocka_unit_test(kernels_as_people_write_them),
        cmocka_unit_test(elements_that_a_warp_shares),
        cmocka_unit_test(kernels_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
