/*
 * Measured shapes. Random events of every kind of access, priced in random layouts, against a twin
 * that counts the segments of every request (oracle/shapes.h); a sample of them, its error, and
 * that it is the same for any order and number of threads; runs in part, and runs of other jobs.
 * tests/machine/test_crosscheck.c compares with what the machine counts of real kernels.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/cost.h"
#include "frontend/frontend.h"
#include "layout/random_record.h"
#include "analysis/shapes.h"
#include "oracle/shapes.h"
#include "sanitized.h"
#include "trace/trace.h"
#include "machine/vm.h"

enum { THREADS = 96, WORDS = 2, BLOCKS = 10, COUNT = 4096, LAYOUTS = SANITIZED ? 4 : 12 };

static const char *const devices[] = {"tesla-m2050", "h200", "tesla-c1060"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* ---- jobs ----------------------------------------------------------------------------------- */

typedef struct scene {
    hd_arena *arena;
    char text[1024]; /* of the last message */
    hd_diag diag;
    hd_job *job;
    hd_kernel_info *whole, *info; /* of the first launch: as it is written, and as laid out */
} scene;

static void remember(const hd_message *message, void *user) {
    snprintf(user, sizeof((scene *)user)->text, "%s", message->text);
}

static void open_scene(scene *s, const char *name) {
    const char *source = getenv("HEDDLE_SOURCE");
    kir_module *module;
    *s = (scene){.arena = hd_arena_new()};
    s->diag = (hd_diag){remember, s->text};
    const char *path = hd_format(s->arena, "%s/%s", source ? source : ".", name);
    assert_int_equal(hd_job_read(s->arena, &s->diag, path, &s->job), HD_OK);
    assert_int_equal(hd_frontend(s->arena, &s->diag, s->job->kernel_path, s->job->options, &module),
                     HD_OK);
    assert_int_equal(hd_job_resolve(s->arena, &s->diag, s->job, module), HD_OK);
    hd_binding binding = hd_job_binding(s->arena, s->job, &s->job->launches[0]);
    s->whole = hd_kernel_analyse(s->arena, module, s->job->launches[0].kernel, &binding);
    s->info = hd_job_analyse(s->arena, s->job, &s->job->launches[0]);
}

static const hd_device *device_of(const scene *s, const char *name) {
    const hd_device *device = NULL;
    assert_int_equal(hd_device_find(s->arena, &s->diag, name, &device), HD_OK);
    return device;
}

/* ---- random events -------------------------------------------------------------------------- */

static uint64_t base_of(uint32_t buffer) { return (uint64_t)(buffer + 1) << 30; }

static uint32_t buffer_of(const scene *s, const hd_access *a) {
    const hd_launch *launch = &s->job->launches[0];
    for (uint32_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == HD_ARG_BUFFER && (int64_t)launch->args[i].param == a->param)
            return launch->args[i].buffer;
    fail_msg("no buffer");
    return 0;
}

/* What the lanes of an event reach: the element, and the byte of the field of the source. */
typedef struct made {
    hd_event event;
    uint64_t mask[WORDS], address[THREADS], element[THREADS];
    uint32_t inside[THREADS];
} made;

static void make_mask(made *m, dice *d) {
    uint32_t way = roll(d, 5), limit = roll(d, THREADS);
    memset(m->mask, 0, sizeof m->mask);
    m->event.active = 0;
    for (uint32_t l = 0; l < THREADS; l++)
        if (way <= 1 || (way == 2 && l < limit) || (way == 3 && l >= limit) ||
            (way == 4 && !roll(d, 3))) {
            m->mask[l / 64] |= (uint64_t)1 << l % 64;
            m->event.active++;
        }
    if (!m->event.active) {
        m->mask[0] = m->event.active = 1;
    }
}

/* Elements of the lanes: one for all, a step apart, near each other, anywhere, or some of these. */
static void make_elements(made *m, dice *d) {
    uint32_t way = roll(d, 6), start = roll(d, COUNT / 2), step = roll(d, 20);
    for (uint32_t l = 0; l < THREADS; l++) {
        uint32_t near = start + roll(d, 40), any = roll(d, COUNT), apart = start + l * step;
        m->element[l] = way == 0   ? start
                        : way <= 2 ? apart
                        : way == 3 ? near
                        : way == 4 ? any
                        : l % 4    ? near
                                   : any;
        m->element[l] %= COUNT;
    }
}

static void make_event(const scene *s, dice *d, uint32_t row, made *m) {
    const hd_access *a = &s->whole->accesses[row];
    const hd_buffer *buffer = &s->job->buffers[buffer_of(s, a)];
    uint32_t offset = a->record && a->field >= 0 ? a->record->fields[a->field].offset : 0;
    uint32_t places = a->record && a->inner.term_count ? a->record->fields[a->field].count : 1;
    uint32_t way = roll(d, 2), first = roll(d, places);
    m->event = (hd_event){.access = row, .threads = THREADS, .mask = m->mask};
    make_mask(m, d);
    make_elements(m, d);
    for (uint32_t l = 0; l < THREADS; l++) {
        uint32_t place = way ? first : roll(d, places);
        m->inside[l] = a->inner.term_count ? place * a->width : (uint32_t)a->inner.constant;
        m->address[l] = base_of(buffer_of(s, a)) + m->element[l] * buffer->element_bytes + offset +
                        m->inside[l];
    }
    int64_t stride = (int64_t)(m->address[1] - m->address[0]);
    bool strided = roll(d, 4) > 0;
    for (uint32_t l = 0; l < THREADS; l++)
        strided &= m->address[l] == m->address[0] + (uint64_t)stride * l;
    if (strided) {
        m->event.base = m->address[0];
        m->event.stride = stride;
    } else {
        m->event.address = m->address;
    }
}

typedef hd_vec(made *) events;

static hd_event_launch launch_of(const scene *s, uint32_t number) {
    const hd_launch *from = &s->job->launches[0];
    hd_grid grid = hd_grid_of(from->dims, from->global, from->local);
    hd_event_access *rows = hd_new_array(s->arena, hd_event_access, s->whole->access_count);
    hd_event_buffer *buffers = hd_new_array(s->arena, hd_event_buffer, s->job->buffer_count);
    for (uint32_t a = 0; a < s->whole->access_count; a++) {
        const hd_access *from_row = &s->whole->accesses[a];
        rows[a] = (hd_event_access){.kind = from_row->kind,
                                    .space = from_row->space,
                                    .width = from_row->width,
                                    .line = from_row->line,
                                    .buffer = a % 2 ? -1 : (int32_t)buffer_of(s, from_row)};
    }
    for (uint32_t b = 0; b < s->job->buffer_count; b++)
        buffers[b] = (hd_event_buffer){
            .name = s->job->buffers[b].name, .space = KIR_GLOBAL, .base = base_of(b)};
    hd_event_launch launch = {.number = number,
                              .kernel = from->kernel_name,
                              .dims = from->dims,
                              .block_count = grid.block_count,
                              .block_threads = (uint32_t)grid.block_threads,
                              .accesses = rows,
                              .access_count = s->whole->access_count,
                              .buffers = buffers,
                              .buffer_count = s->job->buffer_count};
    memcpy(launch.groups, grid.groups, sizeof launch.groups);
    memcpy(launch.local, grid.local, sizeof launch.local);
    return launch;
}

/* Random events of all rows, as many in each block. */
static void make_events(const scene *s, uint64_t seed, uint32_t each, events *list) {
    dice d = {seed * 2654435761u + 1};
    for (uint32_t n = 0; n < BLOCKS * each; n++) {
        made *m = hd_new(s->arena, made);
        make_event(s, &d, n % s->whole->access_count, m);
        hd_push(s->arena, list, m);
    }
}

/* One run: block b has the b-th part of the events. All blocks are open at once when `mixed`,
 * and the last is heard first, as with several threads. */
static void send(const scene *s, hd_shapes *shapes, const events *list, uint32_t number,
                 bool mixed) {
    hd_sink sink = hd_shapes_sink(shapes);
    hd_event_launch launch = launch_of(s, number);
    size_t each = list->count / BLOCKS;
    void *streams[BLOCKS];
    assert_int_equal(sink.launch(sink.self, &launch), HD_OK);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        streams[b] = sink.open_block(sink.self, b);
        for (size_t i = 0; i < each && !mixed; i++)
            sink.event(streams[b], &list->data[b * each + i]->event);
        if (!mixed)
            sink.close_block(sink.self, streams[b], b, true);
    }
    for (uint32_t b = BLOCKS; b-- > 0 && mixed;) {
        for (size_t i = 0; i < each; i++)
            sink.event(streams[b], &list->data[b * each + i]->event);
        sink.close_block(sink.self, streams[b], b, true);
    }
    assert_int_equal(sink.end_launch(sink.self, true), HD_OK);
}

/* ---- the twin ------------------------------------------------------------------------------- */

typedef struct totals {
    double executions, transactions;
} totals;

/* The lane of an event, if it reaches this access. */
static bool reaches(const scene *s, const hd_access *a, const made *m, uint32_t lane,
                    oracle_lane *found) {
    const hd_access *whole = &s->whole->accesses[a->id];
    found->element = m->element[lane];
    found->byte = m->inside[lane];
    if (s->job->record->of_arrays) { /* a field of a struct is a place inside the array's */
        found->byte += whole->record ? whole->record->fields[whole->field].offset : 0;
        return true;
    }
    uint32_t begin = whole->record->fields[whole->field].offset + m->inside[lane];
    const hd_field *field = &a->record->fields[a->field];
    found->byte = begin > field->offset ? begin - field->offset : 0;
    return begin < field->offset + field->size && begin + whole->width > field->offset;
}

static totals count_slowly(const scene *s, const hd_device *device, const hd_map *map,
                           const hd_access *a, const events *list) {
    totals sum = {0, 0};
    for (size_t i = 0; i < list->count; i++) {
        const made *m = list->data[i];
        for (uint32_t first = 0; first < THREADS && m->event.access == a->id;
             first += device->warp) {
            oracle_lane lanes[64];
            uint32_t count = 0;
            for (uint32_t l = first; l < first + device->warp && l < THREADS; l++) {
                lanes[count].lane = l - first;
                count += hd_event_active(&m->event, l) && reaches(s, a, m, l, &lanes[count]);
            }
            sum.executions += count > 0;
            sum.transactions += (double)oracle_warp_segments(device, map, (uint32_t)a->field, lanes,
                                                             count, a->width);
        }
    }
    return sum;
}

/* The line of an access that layouts move. */
static const hd_cost_line *line_of(const hd_cost_line *lines, size_t count, const hd_access *a) {
    for (size_t i = 0; i < count; i++)
        if (lines[i].access->id == a->id && lines[i].access->field == a->field)
            return &lines[i];
    fail_msg("no line for access %u of line %u", a->id, a->line);
    return NULL;
}

/* Parts of one access that lie as in the struct are one request, which the first part pays for: the
 * number of this part among them; -1: they are not. */
static int joined_part(const scene *s, const hd_access *a, const hd_cost_line *lines,
                       size_t count) {
    const hd_access *first = a;
    while (first > s->info->accesses && first[-1].id == a->id)
        first--;
    bool has_second = first + 1 < s->info->accesses + s->info->access_count &&
                      first[1].id == a->id && first[1].record == s->job->record;
    if (!a->whole || a->shares || !has_second || line_of(lines, count, first + 1)->transactions > 0)
        return -1;
    return (int)(a - first);
}

static void check_layout(const scene *s, hd_cost_model *model, const hd_layout *layout,
                         const events *list) {
    hd_arena *arena = hd_arena_new();
    hd_cost_line *lines;
    size_t count;
    hd_map *map;
    assert_int_equal(hd_map_make(arena, &s->diag, s->job->record, layout, COUNT, &map), HD_OK);
    hd_cost_of_layout(arena, model, layout, &lines, &count);
    for (uint32_t k = 0; k < s->info->access_count; k++) {
        const hd_access *a = &s->info->accesses[k];
        if (a->record != s->job->record || a->field < 0)
            continue;
        const hd_cost_line *line = line_of(lines, count, a);
        int joined = joined_part(s, a, lines, count);
        hd_access all = *a;
        if (joined == 0)
            all.width = a->whole->width;
        totals want = count_slowly(s, hd_cost_device(model), map, &all, list);
        if (joined > 0)
            want.transactions = 0;
        double got = line->executions * line->transactions;
        if (line->executions != want.executions ||
            fabs(got - want.transactions) > 1e-6 * want.transactions)
            fail_msg("%s at line %u, in %s on %s: %g executions and %g transactions, not %g and %g",
                     s->job->record->fields[a->field].name, a->line,
                     hd_layout_print(arena, s->job->record, layout), hd_cost_device(model)->name,
                     line->executions, got, want.executions, want.transactions);
    }
    hd_arena_free(arena);
}

static void check_events(const char *name, uint64_t seed) {
    scene s;
    events list = {0};
    open_scene(&s, name);
    make_events(&s, seed, 3 * s.whole->access_count, &list);
    for (int d = 0; d < DEVICES; d++) {
        hd_shapes *shapes =
            hd_shapes_new(s.arena, &s.diag, s.job, device_of(&s, devices[d]), 1 << 20);
        send(&s, shapes, &list, 0, seed % 2);
        const hd_cost_options options = {.measured = hd_shapes_result(shapes)};
        hd_cost_model *model;
        assert_false(options.measured->sampled);
        assert_int_equal(
            hd_cost_model_make(s.arena, &s.diag, s.job, options.measured->device, &options, &model),
            HD_OK);
        dice layouts = {seed + 77};
        check_layout(&s, model, hd_layout_original(s.arena, s.job->record), &list);
        for (int n = 0; n < LAYOUTS; n++)
            check_layout(&s, model, random_layout(s.arena, &layouts, s.job->record), &list);
        hd_shapes_free(shapes);
    }
    hd_arena_free(s.arena);
}

static void random_events_in_random_layouts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 4); seed++) {
        check_events("tests/analysis/shapes/whole.yaml", seed);
        check_events("tests/analysis/shapes/split.yaml", seed);
        check_events("tests/analysis/shapes/arrays.yaml", seed);
    }
}

/* ---- samples -------------------------------------------------------------------------------- */

static void same_measured(const hd_measured *a, const hd_measured *b) {
    for (uint32_t l = 0; l < a->job->launch_count; l++) {
        assert_int_equal(a->launches[l].access_count, b->launches[l].access_count);
        for (uint32_t k = 0; k < a->launches[l].access_count && a->launches[l].blocks; k++) {
            const hd_measured_access *x = &a->launches[l].accesses[k];
            const hd_measured_access *y = &b->launches[l].accesses[k];
            assert_true(x->executions == y->executions && x->lanes == y->lanes &&
                        x->sampled == y->sampled && x->error == y->error &&
                        x->clump_count == y->clump_count && x->transactions == y->transactions);
            for (uint32_t c = 0; c < x->clump_count; c++) {
                const hd_measured_clump *p = &x->clumps[c], *q = &y->clumps[c];
                assert_true(p->lanes == q->lanes && p->residue == q->residue &&
                            p->count == q->count);
                assert_memory_equal(p->index, q->index, p->lanes * sizeof *p->index);
                assert_memory_equal(p->inner, q->inner, p->lanes * sizeof *p->inner);
            }
        }
    }
}

/* A sample of many events: the same in any order, and within some standard errors of the truth. */
static void a_sample_and_its_error(void **state) {
    (void)state;
    scene s;
    events list = {0};
    enum { MOST = 2000 };
    double apart = 0, errors = 0;
    open_scene(&s, "tests/analysis/shapes/whole.yaml");
    make_events(&s, 5, 40 * s.whole->access_count, &list);
    const hd_device *device = device_of(&s, "h200");
    hd_shapes *few = hd_shapes_new(s.arena, &s.diag, s.job, device, MOST);
    hd_shapes *mixed = hd_shapes_new(s.arena, &s.diag, s.job, device, MOST);
    hd_shapes *all = hd_shapes_new(s.arena, &s.diag, s.job, device, 1 << 24);
    send(&s, few, &list, 0, false);
    send(&s, mixed, &list, 0, true);
    send(&s, all, &list, 0, false);
    const hd_measured *sample = hd_shapes_result(few), *truth = hd_shapes_result(all);
    same_measured(sample, hd_shapes_result(mixed));
    assert_true(sample->sampled && !truth->sampled && truth->error == 0);
    assert_true(sample->error > 0 && sample->error < 0.1);
    hd_cost_line *got, *want;
    size_t got_count, want_count;
    hd_cost_model *models[2];
    const hd_cost_options options[] = {{.measured = sample}, {.measured = truth}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            hd_cost_model_make(s.arena, &s.diag, s.job, device, &options[i], &models[i]), HD_OK);
    hd_layout *aos = hd_layout_aos(s.arena, s.job->record);
    hd_cost_of_layout(s.arena, models[0], aos, &got, &got_count);
    hd_cost_of_layout(s.arena, models[1], aos, &want, &want_count);
    for (uint32_t k = 0; k < s.info->access_count; k++) {
        const hd_measured_access *a = &sample->launches[0].accesses[k];
        if (!a->moves)
            continue;
        const hd_cost_line *x = line_of(got, got_count, &s.info->accesses[k]);
        const hd_cost_line *y = line_of(want, want_count, &s.info->accesses[k]);
        assert_true(a->clump_count <= MOST / 4 && x->executions == y->executions);
        assert_true(fabs(x->transactions / y->transactions - 1) <= 4.5 * a->error + 1e-9);
        apart += pow(x->transactions / y->transactions - 1, 2);
        errors += a->error * a->error;
    }
    assert_true(apart < 2.5 * errors && apart > errors / 4); /* they are neither small nor large */
    hd_shapes_free(few);
    hd_shapes_free(mixed);
    hd_shapes_free(all);
    hd_arena_free(s.arena);
}

/* A run on the machine; into a trace file, too, unless it is NULL. */
static void run_machine(const scene *s, uint32_t workers, hd_shapes *shapes, const char *trace) {
    const hd_vm_options options = {.workers = workers};
    const hd_trace_header header = {.source = "shapes", .spaces = 1u << KIR_GLOBAL};
    hd_sink sinks[2] = {hd_shapes_sink(shapes)};
    hd_trace_writer *writer = NULL;
    hd_vm *vm;
    if (trace) {
        assert_int_equal(hd_trace_create(s->arena, &s->diag, trace, &header, &writer), HD_OK);
        sinks[1] = hd_trace_sink(writer);
    }
    hd_sink sink = hd_sink_tee(s->arena, sinks, trace ? 2 : 1);
    assert_int_equal(hd_vm_open(s->arena, &s->diag, s->job, NULL, &options, &vm), HD_OK);
    for (uint32_t l = 0; l < s->job->launch_count; l++)
        assert_int_equal(hd_vm_run(vm, l, &sink, NULL), HD_OK);
    hd_vm_close(vm);
    if (trace)
        assert_int_equal(hd_trace_finish(writer, true), HD_OK);
}

/* One worker, four, and the trace file of the latter: the same sample. */
static void workers_and_traces_make_no_difference(void **state) {
    (void)state;
    enum { RUNS = 3 };
    scene s;
    hd_trace *trace;
    hd_shapes *shapes[RUNS];
    open_scene(&s, "examples/sampo/sampo-small.yaml");
    const char *path = hd_format(s.arena, "/tmp/heddle-shapes-%ld.hdt", (long)getpid());
    for (int i = 0; i < RUNS; i++)
        shapes[i] = hd_shapes_new(s.arena, &s.diag, s.job, device_of(&s, "h200"), 3000);
    run_machine(&s, 1, shapes[0], NULL);
    run_machine(&s, 4, shapes[1], path);
    hd_sink sink = hd_shapes_sink(shapes[2]);
    assert_int_equal(hd_trace_open(s.arena, &s.diag, path, &trace), HD_OK);
    assert_int_equal(
        hd_trace_replay(trace, &s.diag, &(hd_trace_choice){-1, 0, UINT64_MAX, 0, NULL}, &sink),
        HD_OK);
    hd_trace_close(trace);
    unlink(path);
    assert_true(hd_shapes_result(shapes[0])->sampled);
    same_measured(hd_shapes_result(shapes[0]), hd_shapes_result(shapes[1]));
    same_measured(hd_shapes_result(shapes[0]), hd_shapes_result(shapes[2]));
    for (int i = 0; i < RUNS; i++)
        hd_shapes_free(shapes[i]);
    hd_arena_free(s.arena);
}

/* ---- which launch a run is of --------------------------------------------------------------- */

/* Executions of the first access that layouts move. */
static double executions_of(const scene *s, hd_shapes *shapes, uint32_t launch) {
    const hd_measured *m = hd_shapes_result(shapes);
    for (uint32_t k = 0; k < s->info->access_count; k++)
        if (m->launches[launch].accesses[k].moves)
            return m->launches[launch].accesses[k].executions;
    return 0;
}

static void repeats_and_parts(void **state) {
    (void)state;
    scene s;
    events list = {0};
    open_scene(&s, "tests/analysis/shapes/whole.yaml");
    make_events(&s, 9, s.whole->access_count, &list);
    const hd_device *device = device_of(&s, "tesla-m2050");
    hd_shapes *once = hd_shapes_new(s.arena, &s.diag, s.job, device, 0);
    send(&s, once, &list, 0, false);
    double executions = executions_of(&s, once, 0);
    assert_true(executions > 0);

    s.job->launches[0].repeat = 3;
    hd_shapes *one_of_three = hd_shapes_new(s.arena, &s.diag, s.job, device, 0);
    send(&s, one_of_three, &list, 0, false);
    assert_true(executions_of(&s, one_of_three, 0) == 3 * executions);
    send(&s, one_of_three, &list, 1, false);
    send(&s, one_of_three, &list, 2, false);
    const hd_measured_launch *heard = &hd_shapes_result(one_of_three)->launches[0];
    assert_true(heard->runs == 3 && heard->blocks == 3 * BLOCKS &&
                heard->block_count == 3 * BLOCKS);
    assert_true(heard->complete && executions_of(&s, one_of_three, 0) == 3 * executions);

    /* Two blocks of ten, of which the second is stopped. */
    hd_shapes *some = hd_shapes_new(s.arena, &s.diag, s.job, device, 0);
    hd_sink sink = hd_shapes_sink(some);
    hd_event_launch launch = launch_of(&s, 0);
    assert_int_equal(sink.launch(sink.self, &launch), HD_OK);
    for (uint32_t b = 0; b < 2; b++) {
        void *stream = sink.open_block(sink.self, 4 * b);
        for (size_t i = 0; i < s.whole->access_count; i++)
            sink.event(stream, &list.data[i]->event);
        sink.close_block(sink.self, stream, 4 * b, b == 0);
    }
    sink.end_launch(sink.self, false);
    heard = &hd_shapes_result(some)->launches[0];
    assert_true(heard->blocks == 2 && heard->block_count == 3 * BLOCKS && !heard->complete);
    /* A run more than there are. */
    launch.number = 3;
    assert_int_equal(sink.launch(sink.self, &launch), HD_EINPUT);
    assert_non_null(strstr(s.text, "more than the job's launches"));
    hd_shapes_free(once);
    hd_shapes_free(one_of_three);
    hd_shapes_free(some);
    hd_arena_free(s.arena);
}

static void refused(scene *s, const hd_event_launch *launch) {
    hd_shapes *shapes = hd_shapes_new(s->arena, &s->diag, s->job, device_of(s, "h200"), 0);
    hd_sink sink = hd_shapes_sink(shapes);
    s->text[0] = '\0';
    assert_int_equal(sink.launch(sink.self, launch), HD_EINPUT);
    assert_non_null(strstr(s->text, "of another kernel than launch 0 of the job"));
    assert_int_equal(sink.end_launch(sink.self, false), HD_OK);
    assert_true(hd_shapes_result(shapes)->launches[0].blocks == 0);
    hd_shapes_free(shapes);
}

static void runs_of_other_jobs(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "tests/analysis/shapes/whole.yaml");
    hd_event_launch launch = launch_of(&s, 0), other = launch;
    other.kernel = "arrays";
    refused(&s, &other);
    other = launch;
    other.groups[0]++;
    refused(&s, &other);
    other = launch;
    other.access_count--;
    refused(&s, &other);
    hd_event_access *rows = hd_new_array(s.arena, hd_event_access, launch.access_count);
    memcpy(rows, launch.accesses, launch.access_count * sizeof *rows);
    rows[1].line++;
    other = launch;
    other.accesses = rows;
    refused(&s, &other);

    /* A model of another device. */
    hd_shapes *shapes = hd_shapes_new(s.arena, &s.diag, s.job, device_of(&s, "h200"), 0);
    const hd_cost_options options = {.measured = hd_shapes_result(shapes)};
    hd_cost_model *model;
    assert_int_equal(
        hd_cost_model_make(s.arena, &s.diag, s.job, device_of(&s, "tesla-m2050"), &options, &model),
        HD_EINPUT);
    hd_shapes_free(shapes);
    hd_arena_free(s.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_events_in_random_layouts),
        cmocka_unit_test(a_sample_and_its_error),
        cmocka_unit_test(workers_and_traces_make_no_difference),
        cmocka_unit_test(repeats_and_parts),
        cmocka_unit_test(runs_of_other_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
