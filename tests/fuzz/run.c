/*
 * Runs the kernels of a job on the machine and on PoCL, and compares.
 *
 * The machine runs them three times: with one worker; with two and the portable
 * handlers of lanes; and with the handlers of the instruction set below the best
 * and its checks for races and for reads of memory that nobody has written, which
 * must find nothing. Buffers and events must be the same.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "frontend/frontend.h"
#include "fuzz.h"
#include "advise/measure/measure.h"
#include "one_context.h"
#include "machine/lane_sets.h"
#include "machine/vm.h"

/* ---- a sink that sums up all events, whatever the order of blocks ------------ */

typedef struct summary {
    _Atomic uint64_t sum;
} summary;

typedef struct stream {
    uint64_t hash;
} stream;

static void mix(stream *s, uint64_t value) {
    s->hash = (s->hash ^ value) * 0x9e3779b97f4a7c15u;
    s->hash ^= s->hash >> 29;
}

static void *open_block(void *self, uint64_t block) {
    (void)self;
    stream *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    mix(s, block + 1);
    return s;
}

static void hear(void *state, const hd_event *event) {
    stream *s = state;
    mix(s, event->position);
    mix(s, event->access);
    mix(s, event->active);
    for (uint32_t lane = 0; lane < event->threads; lane++)
        if (hd_event_active(event, lane)) {
            mix(s, lane);
            mix(s, hd_event_address(event, lane));
        }
}

static hd_status close_block(void *self, void *state, uint64_t block, bool complete) {
    summary *sum = self;
    stream *s = state;
    (void)block;
    mix(s, complete);
    atomic_fetch_add(&sum->sum, s->hash);
    free(s);
    return HD_OK;
}

/* ---- the machine ------------------------------------------------------------- */

typedef struct outcome {
    void **buffers;
    uint64_t events; /* their sum */
} outcome;

static hd_status run_launches(hd_vm *vm, const hd_job *job, outcome *out) {
    summary sum = {0};
    hd_sink sink = {
        .self = &sum, .open_block = open_block, .event = hear, .close_block = close_block};
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = hd_vm_run(vm, l, &sink, NULL);
    out->events = atomic_load(&sum.sum);
    return status;
}

static hd_status run_machine(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             uint32_t workers, const vm_lanes *set, bool checks, outcome *out) {
    lanes_wanted = set;
    hd_vm_options options = {.workers = workers,
                             .max_instructions = 100000000,
                             .check_races = checks,
                             .check_uninitialised = checks};
    hd_vm *vm;
    hd_status status = hd_vm_open(arena, diag, job, NULL, &options, &vm);
    if (status != HD_OK)
        return status;
    status = run_launches(vm, job, out);
    out->buffers = hd_new_array(arena, void *, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        size_t bytes = job->buffers[b].count * job->buffers[b].element_bytes;
        out->buffers[b] = hd_alloc(arena, bytes);
        memcpy(out->buffers[b], hd_vm_contents(vm, b), bytes);
    }
    hd_vm_close(vm);
    return status;
}

/* ---- comparing --------------------------------------------------------------- */

static void tell(const hd_message *m, void *user) {
    if (m->severity == HD_ERROR)
        hd_str_printf(user, "  %s:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line,
                      m->text);
}

/* The buffers of one kernel, whose first is number `first` of the job. */
static bool differ(hd_arena *arena, const hd_diag *diag, const hd_job *job, uint32_t first,
                   uint32_t count, const hd_contents *a, const hd_contents *b) {
    bool equal = true, bit_equal;
    void **one = hd_new_array(arena, void *, job->buffer_count);
    void **other = hd_new_array(arena, void *, job->buffer_count);
    memcpy(one + first, a->buffers + first, count * sizeof *one);
    memcpy(other + first, b->buffers + first, count * sizeof *other);
    hd_contents_compare(arena, diag, job, &(hd_contents){a->where, one},
                        &(hd_contents){b->where, other}, &equal, &bit_equal);
    return !equal;
}

typedef struct trial {
    hd_arena *arena;
    hd_diag diag;
    hd_job *job;
    outcome one, two, checked;
    void **device;
} trial;

static hd_status run_all(trial *t, const char *folder, hd_str *told) {
    kir_module *module;
    hd_arena *arena = t->arena;
    const hd_diag *diag = &t->diag;
    hd_status status = hd_job_read(arena, diag, hd_format(arena, "%s/job.yaml", folder), &t->job);
    if (status == HD_OK)
        status = hd_frontend(arena, diag, t->job->kernel_path, t->job->options, &module);
    if (status == HD_OK)
        status = hd_job_resolve(arena, diag, t->job, module);
    if (status == HD_OK)
        status = run_machine(arena, diag, t->job, 1, hd_lanes_best(), false, &t->one);
    if (status == HD_OK)
        status = run_machine(arena, diag, t->job, 2, &vm_lanes_base, false, &t->two);
    if (status == HD_OK)
        status =
            run_machine(arena, diag, t->job, 1, lanes_below(hd_lanes_best()), true, &t->checked);
    if (status == HD_OK && (t->one.events != t->two.events || t->one.events != t->checked.events))
        hd_str_add(told, "  events depend on the workers or on the checks\n");
    if (status != HD_OK)
        return status;
    t->device = hd_new_array(arena, void *, t->job->buffer_count);
    hd_measure_options options = {.device = "Portable Computing Language"};
    return hd_measure_run(arena, diag, t->job, &options, t->device, NULL);
}

void fuzz_compare(const char *folder, kernel *const *kernels, uint32_t count, verdict *verdicts,
                  hd_str *told) {
    trial t = {.arena = hd_arena_new(), .diag = {tell, told}};
    bool ran = run_all(&t, folder, told) == HD_OK;
    bool same_events = t.one.events == t.two.events && t.one.events == t.checked.events;
    uint32_t first = 0;
    for (uint32_t k = 0; k < count; k++) {
        verdicts[k] = ran ? same_events ? SAME : DIFFERENT : NOT_RUN;
        const hd_contents here = {"on the machine", t.one.buffers};
        const hd_contents others[] = {{"on PoCL", t.device},
                                      {"with two workers", t.two.buffers},
                                      {"with checks", t.checked.buffers}};
        for (int i = 0; ran && i < 3; i++)
            if (differ(t.arena, &t.diag, t.job, first, kernels[k]->buffer_count, &here, &others[i]))
                verdicts[k] = DIFFERENT;
        first += kernels[k]->buffer_count;
    }
    hd_arena_free(t.arena);
}
