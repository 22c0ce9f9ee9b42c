/*
 * Running a job and hearing it, within a limit of work (evidence.h).
 *
 * First all of it is heard, unless it is expected to be more than the limit. When it turns out to be,
 * it begins anew, and the job is run twice: once without anybody who listens, which tells how much work each run of a
 * launch is, and then for the ear. What is heard of a run is the same share of the blocks of each,
 * in groups of neighbours spread over the launch, since neighbours share lines. All other blocks
 * are run all the same, because later launches read what they write. When running alone takes too
 * much work the run ends there, and later launches are not heard.
 *
 * Where one block is more than the limit, blocks are heard in part: several, spread over the launch, each
 * as far as every thread of it has come so far (vm.h, hd_vm_extent). What later launches would read is
 * not there then, so they are not run.
 */
#include "advise/evidence.h"

#include <stdatomic.h>

#include "advise/made_up.h"
#include "machine/vm.h"

/* A run of a launch, and how much of it is heard. */
typedef struct planned_run {
    uint32_t launch;
    uint64_t blocks, tried; /* of the launch; that could be run within the limit */
    uint64_t lane_accesses; /* of the tried ones */
    hd_launch now;          /* the launch as it was run */
    hd_block_choice heard;
    bool is_last; /* of the launch's repeats */
    bool in_part; /* blocks are not run to their end; it is the last run of the plan */
} planned_run;

typedef struct hearing {
    hd_arena *arena, *scratch;
    const hd_diag *diag;
    const hd_job *job;
    const hd_device *const *devices;
    const hd_evidence_options *options;
    hd_evidence *evidence;
    uint64_t limit, most_run; /* accesses of lanes: heard, and run */
    uint64_t part_limit;      /* of the limit, for the run whose blocks are heard in part, */
    hd_vm_extent part;        /* each so far */
    bool cut_short;           /* the job is more work than is run */
    void **contents;          /* that the job's buffers begin with, made for the first run */
    hd_vec(planned_run) plan;
    const char *doing; /* for who watches; NULL: nobody */
    uint64_t begun;    /* runs of launches, while that is done */
    /* While it is heard: */
    _Atomic uint64_t heard;    /* accesses of lanes */
    volatile sig_atomic_t end; /* set to stop the machine */
    bool over;                 /* more than the limit was heard */
    hd_toucher *toucher;
} hearing;

/* What keeps a job from being heard is no error of the answer. */
static void as_warning(const hd_message *message, void *user) {
    const hd_diag *diag = user;
    hd_message softer = *message;
    softer.severity = message->severity == HD_ERROR ? HD_WARNING : message->severity;
    if (diag->fn)
        diag->fn(&softer, diag->user);
}

/* ---- whether there is something to run on -------------------------------------------------- */

/* The job's buffer behind the base of an access, or -1. */
static int64_t buffer_of(const hd_launch *launch, const hd_access *access) {
    for (uint32_t a = 0; a < launch->arg_count; a++)
        if (launch->args[a].kind == HD_ARG_BUFFER && access->param >= 0 &&
            (int64_t)launch->args[a].param == access->param)
            return launch->args[a].buffer;
    return -1;
}

/* The buffers that decide where lanes point, and those that kernels write. */
static void look_at_launch(const hearing *h, const hd_launch *launch, bool *decides,
                           bool *written) {
    hd_kernel_info *info = hd_job_analyse(h->arena, h->job, launch);
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *access = &info->accesses[i];
        int64_t buffer = buffer_of(launch, access);
        if (buffer < 0)
            continue;
        written[buffer] |= access->kind != HD_LOAD;
        for (uint32_t j = 0; j < info->access_count; j++)
            decides[buffer] |=
                info->accesses[j].indirect && info->accesses[j].indirect_load == access->inst;
    }
}

/* What Heddle makes up is none. */
static bool has_contents(const hd_buffer *buffer) {
    return hd_job_has_made_up_indices(buffer) ||
           (!hd_is_guess(buffer->guess, "contents") && (buffer->file || buffer->init_count));
}

/* A buffer that would have to hold indices, and holds nothing. */
static const char *missing_input(const hearing *h) {
    const hd_job *job = h->job;
    bool *decides = hd_new_array(h->arena, bool, job->buffer_count);
    bool *written = hd_new_array(h->arena, bool, job->buffer_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        look_at_launch(h, launch, decides, written);
        for (uint32_t i = 0; i < launch->before_count; i++)
            written[launch->before[i].buffer] = true;
    }
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (decides[b] && !written[b] && !has_contents(&job->buffers[b]))
            return hd_format(h->arena,
                             "buffer '%s' has no contents%s, and they decide which elements are "
                             "read; give them in a job file",
                             job->buffers[b].name,
                             hd_is_guess(job->buffers[b].guess, "contents") && job->path
                                 ? " but made-up ones"
                                 : "");
    return NULL;
}

/* ---- the first time: how much work is it? --------------------------------------------------- */

/* Of a block: one that takes more makes more accesses than are run, or loops for ever. 0: the
 * machine's own limit. */
static uint64_t most_instructions(const hearing *h) {
    return h->most_run < UINT64_MAX ? h->most_run / 16 : 0;
}

static void show_blocks(void *user, uint64_t done, uint64_t count) {
    const hearing *h = user;
    if (h->doing)
        hd_evidence_show(h->options, h->doing,
                         ((double)h->begun - 1 + (double)done / (double)count) /
                             (double)h->evidence->run_count);
}

static hd_status open_machine(hearing *h, const hd_diag *diag, const volatile sig_atomic_t *stop,
                              hd_vm **vm) {
    const hd_vm_options options = {.max_instructions = most_instructions(h),
                                   .spaces = (uint32_t)1 << KIR_GLOBAL,
                                   .progress = show_blocks,
                                   .user = h,
                                   .stop = stop};
    if (!h->contents) {
        void **contents = hd_new_array(h->scratch, void *, h->job->buffer_count + 1);
        hd_status status = hd_job_all_contents(h->scratch, diag, h->job, contents);
        if (status != HD_OK)
            return status;
        h->contents = contents;
    }
    return hd_vm_open(h->arena, diag, h->job, h->contents, &options, vm);
}

static const char *too_much(const hearing *h, uint32_t launch) {
    return hd_format(h->arena,
                     "a block of '%s' does more work than the limit of %llu accesses allows",
                     h->job->launches[launch].kernel_name, (unsigned long long)h->limit);
}

/* A run of a launch failed: by a fault, or because a block is too much work. */
static hd_status failed(hearing *h, uint32_t launch, const hd_vm_counts *counts, hd_status status) {
    if (most_instructions(h) && counts->instructions >= most_instructions(h))
        h->evidence->why = too_much(h, launch);
    return status;
}

/* Blocks to run next: one where nothing is known of the kernel, else so many that a quarter of
 * what is left is not passed. */
static uint64_t next_blocks(double each, uint64_t left, uint64_t rest) {
    double fit = each > 0 ? (double)left / (4 * each) : 1;
    return fit < 1 ? 1 : fit < (double)rest ? (uint64_t)fit : rest;
}

/* ---- blocks that are too long ------------------------------------------------------------- */

/* How many blocks are heard in part, at least, of all that there are; how many accesses of each thread, at
 * least, and how many instructions it may take for each: kernels that compute much take time, too. */
enum { PARTS = 8, LEAST = 16, INSTRUCTIONS = 16 };

/* Where a block is found to be too long: when it has more work than is heard, where nothing comes
 * behind it, and else more than is run. */
static hd_vm_extent too_long(const hearing *h, const planned_run *run) {
    const hd_job *job = h->job;
    const bool is_last = run->launch + 1 == job->launch_count && run->is_last;
    return (hd_vm_extent){.block = {.accesses = (is_last ? h->limit : h->most_run) + 1,
                                    .instructions = most_instructions(h)}};
}

/* So many blocks, each so far, fill the limit; what launches before have is a quarter at most. 0: none
 * comes far enough to tell anything. */
static uint64_t plan_part(hearing *h, planned_run *run, uint64_t before) {
    const hd_grid grid = hd_grid_of(run->now.dims, run->now.global, run->now.local);
    const uint64_t most = h->limit / 4;
    uint64_t parts = run->blocks < PARTS ? run->blocks : PARTS;
    h->part_limit = h->limit - (before < most ? before : most);
    const uint64_t fit = h->part_limit / LEAST / grid.block_threads;
    parts = parts < fit ? parts : fit;
    if (!parts || h->options->whole_blocks)
        return 0;
    const uint64_t each = h->part_limit / parts / grid.block_threads;
    h->part = (hd_vm_extent){.thread = {each, INSTRUCTIONS * each}};
    run->in_part = true;
    run->heard = hd_blocks_spread(run->blocks, (double)parts);
    return parts;
}

/* A block of the run was too long. As many are run so far as fill the limit if they all are; where
 * others are shorter more are heard. */
static hd_status try_part(hearing *h, hd_vm *vm, planned_run *run) {
    hd_vm_counts counts = {0};
    uint64_t before = 0;
    for (size_t i = 0; i < h->plan.count; i++)
        before += h->plan.data[i].lane_accesses;
    if (hd_may_wait(run->now.kernel, hd_flow_analyse(h->arena, run->now.kernel))) {
        h->evidence->why =
            hd_format(h->arena, "%s, and may wait for others, so that a part of it says nothing",
                      too_much(h, run->launch));
        return HD_OK;
    }
    const double parts = (double)plan_part(h, run, before), all = (double)h->part_limit;
    if (parts < 1) {
        h->evidence->why = too_much(h, run->launch);
        return HD_OK;
    }
    hd_vm_set_extent(vm, &h->part);
    hd_status status = hd_vm_run_blocks(vm, run->launch, &run->heard, NULL, &counts);
    const double by_accesses = all / (double)(counts.lane_accesses + 1);
    const double by_work = INSTRUCTIONS * all / (double)(counts.thread_instructions + 1);
    const double wanted = parts * (by_accesses < by_work ? by_accesses : by_work);
    run->heard = hd_blocks_spread(run->blocks, (double)(uint64_t)wanted);
    return status;
}

static uint64_t blocks_of(const hd_launch *launch) {
    return hd_grid_of(launch->dims, launch->global, launch->local).block_count;
}

/* Runs blocks from the first on until the limit; *each is the work of a block of the kernel. */
static hd_status try_run(hearing *h, hd_vm *vm, planned_run *run, uint64_t *left, double *each) {
    h->begun++;
    hd_status ready = hd_vm_write_before(vm, run->launch);
    if (ready == HD_OK)
        ready = hd_vm_launch_now(h->arena, vm, run->launch, &run->now);
    if (ready != HD_OK)
        return ready;
    run->blocks = blocks_of(&run->now);
    const hd_vm_extent extent = too_long(h, run);
    const bool in_part = h->devices && !h->options->whole_blocks; /* what nobody hears is whole */
    hd_vm_set_extent(vm, in_part ? &extent : NULL);
    while (run->tried < run->blocks && *left && !h->evidence->stopped) {
        uint64_t count = next_blocks(*each, *left, run->blocks - run->tried);
        const hd_block_choice some = {run->tried, run->tried + count - 1, 0, 1};
        hd_vm_counts counts = {0};
        hd_status status = hd_vm_run_blocks(vm, run->launch, &some, NULL, &counts);
        if (status != HD_OK)
            return failed(h, run->launch, &counts, status);
        h->evidence->stopped = counts.stopped;
        run->tried += counts.blocks;
        run->lane_accesses += counts.lane_accesses;
        *left -= counts.lane_accesses < *left ? counts.lane_accesses : *left;
        if (counts.cut_blocks && !counts.stopped) {
            *left = 0;
            return try_part(h, vm, run);
        }
        double now = (double)counts.lane_accesses / (double)(counts.blocks ? counts.blocks : 1);
        *each = now > *each ? now : *each;
    }
    return HD_OK;
}

static hd_status try_all(hearing *h, hd_vm *vm) {
    const hd_job *job = h->job;
    double *each = hd_new_array(h->arena, double, job->module->kernel_count);
    uint64_t left = h->most_run;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        uint32_t kernel = 0;
        while (job->module->kernels[kernel] != job->launches[l].kernel)
            kernel++;
        bool is_over = hd_vm_is_over(vm, l);
        for (uint64_t r = 0; r < job->launches[l].repeat && !is_over; r++) {
            planned_run run = {.launch = l, .is_last = r + 1 == job->launches[l].repeat};
            hd_status status = try_run(h, vm, &run, &left, &each[kernel]);
            if (status != HD_OK || h->evidence->stopped || h->evidence->why)
                return status;
            if (run.tried)
                hd_push(h->arena, &h->plan, run);
            if (!left) {
                h->cut_short = true;
                return HD_OK;
            }
        }
    }
    return HD_OK;
}

static hd_status try_job(hearing *h, const hd_diag *diag) {
    hd_vm *vm;
    hd_status status = open_machine(h, diag, h->options->stop, &vm);
    if (status != HD_OK)
        return status;
    status = try_all(h, vm);
    hd_vm_close(vm);
    return status;
}

hd_status hd_evidence_run(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          const hd_evidence_options *options) {
    hd_evidence unused = {0};
    hearing h = {.arena = arena,
                 .scratch = hd_arena_new(),
                 .job = job,
                 .options = options,
                 .evidence = &unused,
                 .limit = options->limit,
                 .most_run = options->limit};
    hd_status status = try_job(&h, diag);
    hd_arena_free(h.scratch);
    return unused.why ? HD_OK : status;
}

bool hd_evidence_try(hd_arena *arena, const hd_job *job, const hd_evidence_options *options,
                     hd_launch *ran) {
    static const hd_diag silent = {0};
    hd_evidence unused = {0};
    hearing h = {.arena = arena,
                 .scratch = hd_arena_new(),
                 .job = job,
                 .options = options,
                 .evidence = &unused,
                 .limit = hd_evidence_limit(options)};
    h.most_run = h.limit;
    bool whole = !missing_input(&h) && try_job(&h, &silent) == HD_OK && !unused.stopped;
    hd_arena_free(h.scratch);
    for (size_t i = 0; i < h.plan.count; i++)
        ran[h.plan.data[i].launch] = h.plan.data[i].now;
    return whole && !h.cut_short;
}

/* ---- the plan: what is heard ------------------------------------------------------------------ */

static void make_plan(hearing *h) {
    uint64_t all = 0, least = UINT64_MAX;
    for (size_t i = 0; i < h->plan.count; i++) {
        const planned_run *run = &h->plan.data[i];
        uint64_t block = run->in_part ? 0 : run->lane_accesses / run->tried;
        all += run->in_part ? 0 : run->lane_accesses;
        least = block < least ? block : least;
    }
    if (least > h->limit && h->plan.count) {
        planned_run *run = h->plan.data; /* the others read what it would write */
        const hd_grid grid = hd_grid_of(run->now.dims, run->now.global, run->now.local);
        h->plan.count = 1;
        if (!plan_part(h, run, 0))
            h->evidence->why =
                hd_format(h->arena,
                          "a block makes %llu accesses of lanes, more than the limit "
                          "of %llu; raise it with --run",
                          (unsigned long long)least, (unsigned long long)h->limit);
        else
            h->evidence->part_of =
                (double)run->lane_accesses / (double)run->tried / (double)grid.block_threads;
        return;
    }
    for (size_t i = 0; i < h->plan.count; i++) {
        planned_run *run = &h->plan.data[i];
        if (!run->in_part)
            run->heard = hd_blocks_spread(
                run->blocks, (double)run->tried * (double)(h->limit - h->part_limit) / (double)all);
    }
}

/* ---- the ear ---------------------------------------------------------------------------------- */

/* A sink that counts, and ends a run that is too much work or is to be stopped. */
static void *count_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

static void count_event(void *stream, const hd_event *event) {
    hearing *h = stream;
    uint64_t sum = atomic_fetch_add_explicit(&h->heard, event->active, memory_order_relaxed);
    if (!h->plan.count && sum > h->limit)
        h->over = true;
    if (h->over || (h->options->stop && *h->options->stop))
        h->end = 1;
}

static hd_sink listen(hearing *h, const hd_diag *diag, hd_trace_writer *writer) {
    hd_evidence *e = h->evidence;
    hd_sink *sinks = hd_new_array(h->arena, hd_sink, e->device_count + 3);
    e->touched = (hd_touched){0};
    h->toucher = hd_toucher_new(h->arena, h->job, &e->touched);
    for (uint32_t d = 0; d < e->device_count; d++) {
        e->shapes[d] = hd_shapes_new(h->arena, diag, h->job, h->devices[d], 0);
        sinks[d] = hd_shapes_sink(e->shapes[d]);
    }
    sinks[e->device_count] = hd_trace_sink(writer);
    sinks[e->device_count + 1] =
        (hd_sink){.self = h, .open_block = count_block, .event = count_event};
    sinks[e->device_count + 2] = hd_toucher_sink(h->toucher);
    return hd_sink_tee(h->arena, sinks, e->device_count + 3);
}

/* Later launches need all blocks of a run; the last one is run only where it is heard. */
static hd_status hear_run(hearing *h, hd_vm *vm, const planned_run *run, bool last,
                          const hd_sink *sink) {
    hd_evidence *e = h->evidence;
    hd_sink some = hd_sink_blocks(h->arena, *sink, run->heard);
    hd_vm_counts counts = {0};
    for (uint32_t d = 0; d < e->device_count; d++)
        hd_shapes_next(e->shapes[d], run->launch);
    hd_toucher_next(h->toucher, run->launch);
    h->begun++;
    const hd_vm_extent longest = {.block = {.instructions = most_instructions(h)}};
    hd_vm_set_extent(vm, run->in_part ? &h->part : h->plan.count ? NULL : &longest);
    hd_status status = hd_vm_write_before(vm, run->launch);
    if (status == HD_OK)
        status =
            hd_vm_run_blocks(vm, run->launch, last ? &run->heard : &hd_all_blocks, &some, &counts);
    if (run->in_part) {
        e->part = h->part.thread;
        e->part_blocks = counts.cut_blocks;
        e->behind = counts.behind;
    } else if (counts.cut_blocks) { /* it was heard at once, and is too much work */
        h->over = true;
        h->end = 1;
    }
    uint64_t heard = hd_blocks_chosen(&run->heard, run->blocks);
    double share = counts.blocks ? (double)heard / (double)counts.blocks : 0;
    for (int k = 0; k < HD_OPERATIONS; k++)
        e->operations[k] += share * (double)counts.operations[k];
    e->runs++;
    e->blocks += heard;
    return status == HD_OK ? HD_OK : failed(h, run->launch, &counts, status);
}

/* What was planned; without a plan, all. */
static hd_status hear_all(hearing *h, hd_vm *vm, const hd_sink *sink) {
    const hd_job *job = h->job;
    hd_status status = HD_OK;
    for (size_t i = 0; i < h->plan.count && status == HD_OK && !h->end; i++)
        status = hear_run(h, vm, &h->plan.data[i], i + 1 == h->plan.count, sink);
    for (uint32_t l = 0; l < job->launch_count && !h->plan.count; l++) {
        const planned_run run = {
            .launch = l, .blocks = blocks_of(&job->launches[l]), .heard = hd_all_blocks};
        bool is_over = hd_vm_is_over(vm, l);
        for (uint64_t r = 0; r < job->launches[l].repeat && !is_over && !status && !h->end; r++)
            status = hear_run(h, vm, &run, false, sink);
    }
    return status;
}

static void forget(hd_evidence *e) {
    for (uint32_t d = 0; d < e->device_count; d++) {
        if (e->shapes[d])
            hd_shapes_free(e->shapes[d]);
        e->shapes[d] = NULL;
    }
    hd_scratch_remove(e->folder);
    e->folder = NULL;
}

static hd_status hear_job(hearing *h, const hd_diag *diag) {
    hd_evidence *e = h->evidence;
    const hd_trace_header header = {.source = h->job->kernel_path,
                                    .spaces = (uint32_t)1 << KIR_GLOBAL};
    hd_trace_writer *writer;
    hd_vm *vm;
    h->heard = 0;
    hd_status status = open_machine(h, diag, &h->end, &vm);
    if (status != HD_OK)
        return status;
    status = hd_scratch_make(h->arena, diag, &e->folder);
    if (status == HD_OK) {
        e->trace = hd_format(h->arena, "%s/run.hdt", e->folder);
        status = hd_trace_create(h->arena, diag, e->trace, &header, &writer);
    }
    if (status == HD_OK) {
        hd_sink sink = listen(h, diag, writer);
        status = hd_trace_end(writer, hear_all(h, vm, &sink), !h->end);
    }
    hd_vm_close(vm);
    h->evidence->stopped = h->end && !h->over;
    return status;
}

/* ---- attempts ----------------------------------------------------------------------------------- */

/* Tries or hears the job. What goes wrong is told as a warning, and makes `why`. */
static hd_status attempt(hearing *h, const char *doing,
                         hd_status (*work)(hearing *h, const hd_diag *diag)) {
    /* Messages are kept back until it is known that it was no limit that ended the run. */
    hd_kept_messages held = {.arena = h->arena};
    const hd_diag diag = {hd_keep_message, &held},
                  milder = {as_warning, (void *)(uintptr_t)h->diag};
    h->doing = doing;
    h->begun = 0;
    hd_evidence_show(h->options, doing, 0);
    hd_status status = work(h, &diag);
    if (h->evidence->why)
        return HD_OK;
    hd_tell_kept(&milder, &held);
    if (status == HD_ESYSTEM)
        return status;
    if (status != HD_OK)
        h->evidence->why = "the kernels fault on the job's data";
    else if (h->evidence->stopped)
        h->evidence->why = "it was stopped";
    return HD_OK;
}

static hd_status hear_within_limit(hearing *h, double expected) {
    const hd_evidence *e = h->evidence;
    if (expected <= (double)h->limit) {
        hd_status status = attempt(h, "counting", hear_job);
        if (status != HD_OK || e->why || !h->over)
            return status;
        forget(h->evidence);
        h->evidence->runs = h->evidence->blocks = 0;
        memset(h->evidence->operations, 0, sizeof h->evidence->operations);
    }
    hd_status status = attempt(h, "running", try_job);
    if (status == HD_OK && !e->why)
        make_plan(h);
    h->over = false;
    h->end = 0;
    return status != HD_OK || e->why ? status : attempt(h, "counting", hear_job);
}

hd_status hd_evidence_hear(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                           const hd_device *const *devices, uint32_t device_count,
                           const hd_evidence_options *options, double expected,
                           hd_evidence **evidence) {
    hd_evidence *e = *evidence = hd_new(arena, hd_evidence);
    e->device_count = device_count;
    e->made_up = advise_made_up_contents(arena, job);
    e->shapes = hd_new_array(arena, hd_shapes *, device_count);
    e->measured = hd_new_array(arena, const hd_measured *, device_count);
    hearing h = {.arena = arena,
                 .scratch = hd_arena_new(),
                 .diag = diag,
                 .job = job,
                 .devices = devices,
                 .options = options,
                 .evidence = e,
                 .limit = hd_evidence_limit(options)};
    h.most_run =
        h.limit < UINT64_MAX / HD_EVIDENCE_UNHEARD ? h.limit * HD_EVIDENCE_UNHEARD : UINT64_MAX;
    double start = hd_clock();
    for (uint32_t l = 0; l < job->launch_count; l++) {
        e->run_count += job->launches[l].repeat;
        e->block_count += job->launches[l].repeat * blocks_of(&job->launches[l]);
    }
    hd_status status = HD_OK;
    e->why = missing_input(&h);
    if (!e->why && status == HD_OK)
        status = hear_within_limit(&h, expected);
    hd_arena_free(h.scratch);
    e->lane_accesses = h.heard;
    e->is_silent = !e->why && status == HD_OK && !e->lane_accesses;
    if (e->is_silent)
        e->why = "no access to global memory was executed";
    for (uint32_t d = 0; d < device_count && !e->why && status == HD_OK; d++)
        e->measured[d] = hd_shapes_result(e->shapes[d]);
    e->seconds = hd_clock() - start;
    return status;
}

hd_status hd_evidence_retell(hd_arena *arena, const hd_diag *diag, hd_evidence *e,
                             const hd_job *job, const hd_evidence_options *options) {
    const hd_trace_watch watch = {.stop = options->stop};
    const hd_trace_choice all = {.launch = -1, .last_block = UINT64_MAX, .watch = &watch};
    hd_sink *sinks = hd_new_array(arena, hd_sink, e->device_count);
    hd_trace *trace;
    hd_status status = hd_trace_open(arena, diag, e->trace, &trace);
    if (status != HD_OK)
        return status;
    for (uint32_t d = 0; d < e->device_count; d++) {
        const hd_device *device = e->measured[d]->device;
        hd_shapes_free(e->shapes[d]);
        e->shapes[d] = hd_shapes_new(arena, diag, job, device, 0);
        sinks[d] = hd_shapes_sink(e->shapes[d]);
    }
    const hd_sink sink = hd_sink_tee(arena, sinks, e->device_count);
    status = hd_trace_replay(trace, diag, &all, &sink);
    hd_trace_close(trace);
    for (uint32_t d = 0; d < e->device_count; d++)
        e->measured[d] = hd_shapes_result(e->shapes[d]);
    e->stopped = options->stop && *options->stop;
    if (e->stopped)
        e->why = "it was stopped";
    return status;
}

void hd_evidence_free(hd_evidence *evidence) {
    if (evidence)
        forget(evidence);
}
