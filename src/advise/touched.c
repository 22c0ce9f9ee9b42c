#include "advise/touched.h"

#include <stdlib.h>

/* The launch is given a buffer of the record, or one that may have its address. */
static bool is_given(const hd_job *job, const hd_launch *launch) {
    bool is_known = false;
    for (uint32_t b = 0; b < job->buffer_count; b++)
        is_known |= hd_job_is_of_record(job, b);
    for (uint32_t a = 0; a < launch->arg_count && is_known; a++)
        if (launch->args[a].kind == HD_ARG_BUFFER && !launch->args[a].bytes_text &&
            hd_job_is_of_record(job, launch->args[a].buffer))
            return true;
    for (uint32_t b = 0; b < job->buffer_count && is_known; b++)
        if (job->buffers[b].at) /* addresses may stand in memory */
            return true;
    return !is_known;
}

/* ---- by the prices -------------------------------------------------------------------------- */

static double threads_of(const hd_cost_line *line) {
    double threads = line->executions * line->lanes;
    for (int32_t l = line->access->loop; l >= 0; l = line->info->flow->loops[l].parent) {
        uint64_t runs;
        if (hd_runs_in_loop(line->info, line->access, l, &runs) && runs > 1)
            threads /= (double)runs;
    }
    return threads;
}

hd_touched hd_touched_by_cost(const hd_job *job, const hd_cost_line *lines, size_t count) {
    hd_touched touched = {0};
    for (uint32_t k = 0; k < job->module->kernel_count; k++) {
        double most = 0;
        for (size_t i = 0; i < count; i++)
            if (lines[i].info->kernel == job->module->kernels[k] &&
                lines[i].access->record == job->record && threads_of(&lines[i]) > most)
                most = threads_of(&lines[i]);
        touched.threads += most;
    }
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        if (is_given(job, launch))
            touched.of += (double)launch->repeat * (double)launch->global[0] *
                          (double)(launch->dims > 1 ? launch->global[1] : 1) *
                          (double)(launch->dims > 2 ? launch->global[2] : 1);
    }
    return touched;
}

/* ---- by what is heard ------------------------------------------------------------------------ */

struct hd_toucher {
    hd_arena *arena;
    const hd_job *job;
    hd_touched *counts;
    const hd_event_launch *launch;
    bool *is_record; /* of the launch's buffers */
    bool counts_run;
    _Atomic uint64_t threads, of;
};

typedef struct block {
    hd_toucher *toucher;
    uint64_t seen[]; /* a bit for each thread */
} block;

hd_toucher *hd_toucher_new(hd_arena *arena, const hd_job *job, hd_touched *counts) {
    hd_toucher *t = hd_new(arena, hd_toucher);
    t->arena = arena;
    t->job = job;
    t->counts = counts;
    return t;
}

void hd_toucher_next(hd_toucher *t, uint32_t launch) {
    t->counts_run = is_given(t->job, &t->job->launches[launch]);
}

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_toucher *t = self;
    t->launch = launch;
    t->threads = t->of = 0;
    t->is_record = hd_new_array(t->arena, bool, launch->buffer_count);
    for (uint32_t e = 0; e < launch->buffer_count; e++)
        for (uint32_t b = 0; b < t->job->buffer_count && !t->is_record[e]; b++)
            t->is_record[e] = launch->buffers[e].space != KIR_LOCAL &&
                              hd_job_is_of_record(t->job, b) &&
                              !strcmp(launch->buffers[e].name, t->job->buffers[b].name);
    return HD_OK;
}

static void *open_block(void *self, uint64_t number) {
    (void)number;
    hd_toucher *t = self;
    uint32_t words = (t->launch->block_threads + 63) / 64;
    block *b = hd_checked(calloc(1, sizeof *b + words * sizeof *b->seen));
    b->toucher = t;
    return b;
}

static void hear(void *stream, const hd_event *event) {
    block *b = stream;
    const hd_event_launch *launch = b->toucher->launch;
    uint32_t lane = 0, words = (event->threads + 63) / 64;
    while (lane < event->threads && !hd_event_active(event, lane))
        lane++;
    uint64_t address = hd_event_address(event, lane);
    for (uint32_t e = 0; e < launch->buffer_count; e++)
        if (b->toucher->is_record[e] &&
            address - launch->buffers[e].base < launch->buffers[e].bytes) {
            for (uint32_t w = 0; w < words; w++)
                b->seen[w] |= event->mask[w];
            return;
        }
}

static hd_status close_block(void *self, void *stream, uint64_t number, bool complete) {
    (void)number, (void)complete;
    hd_toucher *t = self;
    block *b = stream;
    uint64_t threads = 0;
    for (uint32_t w = 0; w < (t->launch->block_threads + 63) / 64; w++)
        threads += (uint64_t)__builtin_popcountll(b->seen[w]);
    t->threads += threads;
    t->of += t->launch->block_threads;
    free(b);
    return HD_OK;
}

static hd_status end_launch(void *self, bool complete) {
    (void)complete;
    hd_toucher *t = self;
    t->counts->threads += (double)t->threads;
    t->counts->of += t->counts_run || t->threads ? (double)t->of : 0;
    return HD_OK;
}

hd_sink hd_toucher_sink(hd_toucher *t) {
    return (hd_sink){.self = t,
                     .launch = begin_launch,
                     .open_block = open_block,
                     .event = hear,
                     .close_block = close_block,
                     .end_launch = end_launch};
}
