/*
 * From a job to steps: each is the job with one thing more done to it, run on the machine.
 *
 *     the job ─► (unsorted input) ─► begin ──trace──► graphs of its launches ─► orders, by stages
 *                                      │                                            │ rewritten
 *                                      ├─► step 0                                   ├─► step 1, 2, 3
 *                                      └─► new numbers of data ─► step 4 ... ─► stages once more
 */
#include "advise/mapping.h"

#include <math.h>
#include <stdlib.h>

#include "advise/verify.h"
#include "analysis/sharing_graph.h"
#include "advise/measure/session.h"
#include "trace/trace.h"

enum {
    MOST_ROWS = 8,         /* runs of a launch that its graph is made of */
    LITTLE = 50,           /* a gain below one part in so many is none */
    SCENARIO_4_BLOCKS = 8, /* at once */
};

/* Launches that do the same, and their order. */
typedef struct group {
    uint32_t first;      /* of the launches */
    uint32_t number;     /* of the group: over ranks, who has its graph */
    hd_sharing *sharing; /* NULL: there is none here */
    uint32_t *order;     /* NULL: it has none */
    hd_map_launch *told;
    /* What its graph says of the order; known to all ranks. */
    struct outcome {
        hd_sharing_cost before, after;
        uint64_t reuse_distances, block_bytes;
        bool fixed;   /* it stays as it was */
        bool changed; /* by the last stage */
    } now;
} group;

typedef struct mapper {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_map_question *question;
    const hd_job *original, *job; /* as given; in the numbers that everything begins with */
    hd_renumbered *shuffled;      /* from the one to the other, or NULL */
    void **contents, **expected;  /* of `job`; of `original` when it has run */
    hd_mapping *mapping;
    double seconds; /* of making orders, so far */
    bool stopped;   /* over ranks */
} mapper;

static bool is_asked_to_stop(const mapper *m) {
    const hd_trace_watch *watch = m->question->watch;
    return watch && watch->stop && *watch->stop;
}

/* Over ranks: what they agreed on last, so that all do the same. */
static bool is_stopped(const mapper *m) {
    return m->question->ranks ? m->stopped : is_asked_to_stop(m);
}

/* ---- ranks -------------------------------------------------------------------------------------- */

static hd_status agree_to_stop(mapper *m) {
    uint64_t stop = is_asked_to_stop(m);
    hd_status status = hd_ranks_sum(m->question->ranks, m->diag, &stop, 1);
    m->stopped = stop > 0;
    return status;
}

/* Whether this rank does piece `number` of the work. */
static bool is_mine(const mapper *m, uint32_t number) {
    const hd_ranks *ranks = m->question->ranks;
    return !ranks || number % ranks->count == ranks->rank;
}

/* `bytes` of the rank whose piece `number` is go to all. */
static hd_status share(mapper *m, uint32_t number, void *bytes, size_t count) {
    const hd_ranks *ranks = m->question->ranks;
    if (!ranks || !count)
        return HD_OK;
    hd_arena *arena = hd_arena_new();
    hd_piece *out = hd_new_array(arena, hd_piece, ranks->count);
    hd_piece *in = hd_new_array(arena, hd_piece, ranks->count);
    uint32_t owner = number % ranks->count;
    for (uint32_t r = 0; r < ranks->count && owner == ranks->rank; r++)
        out[r] = (hd_piece){bytes, count};
    hd_status status = ranks->exchange(ranks->self, m->diag, out, in);
    if (status == HD_OK) {
        memcpy(bytes, in[owner].bytes, count);
        hd_free_pieces(ranks, in);
    }
    hd_arena_free(arena);
    return status;
}

static void say(void *user, const char *doing, double done) {
    const mapper *m = user;
    const hd_trace_watch *watch = m->question->watch;
    if (watch && watch->progress)
        watch->progress(watch->user, doing, done);
}

/* ---- a run, heard ------------------------------------------------------------------------------ */

/* The launches of the job that the trace's rows are of. */
typedef struct rows {
    hd_arena *arena;
    uint32_t now; /* the launch of the job that runs */
    hd_vec(uint32_t) launch;
} rows;

/* A run whose trace is still open. */
typedef struct heard {
    hd_trace *trace; /* NULL: there is none */
    rows of;
} heard;

static void forget(heard *run) {
    if (run->trace)
        hd_trace_close(run->trace);
    run->trace = NULL;
}

static hd_status note_row(void *self, const hd_event_launch *launch) {
    (void)launch;
    rows *r = self;
    hd_push(r->arena, &r->launch, r->now);
    return HD_OK;
}

static hd_status run_all(mapper *m, const hd_job *job, hd_vm *vm, const hd_sink *sink, rows *of) {
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint64_t r = 0; r < job->launches[l].repeat && status == HD_OK && !is_stopped(m);
             r++) {
            hd_vm_counts counts = {0};
            of->now = l;
            status = hd_vm_run(vm, l, sink, &counts);
        }
    return status;
}

static hd_status look_at_reuse(mapper *m, hd_trace *trace, hd_map_step *step) {
    for (uint32_t s = 0; s < HD_MAP_SCENARIOS && !is_stopped(m); s++) {
        const hd_reuse_options options = {.scenario = 2 + s,
                                          .k = SCENARIO_4_BLOCKS,
                                          .workers = m->question->workers,
                                          .progress = say,
                                          .user = m};
        hd_reuse *all;
        hd_status status = hd_reuse_analyse(m->arena, m->diag, trace, &options, &all);
        if (status != HD_OK)
            return status;
        hd_map_reuse *reuse = &step->reuse[step->reuse_count++];
        *reuse = (hd_map_reuse){.scenario = 2 + s, .all = all};
        for (uint64_t i = 0; i < all->stream_count; i++) {
            const hd_reuse_stream *stream = &all->streams[i];
            reuse->domain = stream->domain > reuse->domain ? stream->domain : reuse->domain;
            reuse->first += stream->domain ? stream->degree[1] : 0;
            for (uint64_t d = 1; d <= stream->domain; d++)
                reuse->degree += stream->degree[d];
        }
    }
    return HD_OK;
}

/* What a step's trace is asked for. */
static hd_status look_at_trace(mapper *m, hd_trace *trace, hd_map_step *step) {
    const hd_map_question *q = m->question;
    if (q->caches && !is_stopped(m)) {
        const hd_caches *caches;
        const hd_caches_options options = {.watch = q->watch};
        hd_status status =
            hd_caches_run(m->arena, m->diag, trace, q->device, step->job, NULL, &options, &caches);
        if (status != HD_OK)
            return status;
        step->caches = caches->total.counts;
    }
    return q->reuse ? look_at_reuse(m, trace, step) : HD_OK;
}

/* Runs the job on an open machine; its events are counted and go to a file. */
static hd_status run_traced(mapper *m, hd_vm *vm, const char *path, hd_map_step *step, rows *of) {
    hd_arena *arena = hd_arena_new();
    const hd_trace_header header = {step->job->path, 1u << KIR_GLOBAL};
    const hd_tally_work work = hd_coalesce_work(arena, m->question->device);
    hd_tally *tally = hd_tally_new(arena, &work, 1);
    hd_trace_writer *writer;
    hd_status status = hd_trace_create(arena, m->diag, path, &header, &writer);
    if (status == HD_OK) {
        const hd_sink sinks[] = {
            hd_tally_sink(tally), hd_trace_sink(writer), {.self = of, .launch = note_row}};
        const hd_sink sink = hd_sink_tee(arena, sinks, 3);
        status = hd_trace_end(writer, run_all(m, step->job, vm, &sink, of), true);
    }
    for (uint32_t l = 0; l < of->launch.count && status == HD_OK; l++) {
        const hd_coalesce_counts *counts = hd_tally_of_launch(tally, 0, l);
        if (counts)
            hd_coalesce_add(&step->counts, counts);
    }
    hd_tally_free(tally);
    hd_arena_free(arena);
    return status;
}

/* Runs a job on `contents`; what it leaves is copied to outputs[buffer_count]. With `kept`, which
 * may be NULL, the trace stays open, also where the run was stopped. */
static hd_status hear(mapper *m, const hd_job *job, void *const *contents, hd_map_step *step,
                      void **outputs, heard *kept) {
    const hd_trace_watch *watch = m->question->watch;
    const hd_vm_options options = {.workers = m->question->workers,
                                   .spaces = 1u << KIR_GLOBAL,
                                   .stop = watch ? watch->stop : NULL};
    heard run = {.of = {.arena = m->arena}};
    hd_vm *vm;
    char *folder;
    if (kept)
        kept->trace = NULL;
    step->job = job;
    hd_status status = hd_scratch_make(m->arena, m->diag, &folder);
    if (status != HD_OK)
        return status;
    const char *path = hd_format(m->arena, "%s/run.hdt", folder);
    say(m, hd_format(m->arena, "running: %s", step->name), 0);
    status = hd_vm_open(m->arena, m->diag, job, contents, &options, &vm);
    if (status == HD_OK) {
        status = run_traced(m, vm, path, step, &run.of);
        if (status == HD_OK)
            hd_vm_copy_contents(m->arena, vm, outputs);
        hd_vm_close(vm);
    }
    if (status == HD_OK)
        status = hd_trace_open(m->arena, m->diag, path, &run.trace);
    hd_scratch_remove(folder);
    if (status == HD_OK)
        status = look_at_trace(m, run.trace, step);
    if (kept && status == HD_OK)
        *kept = run;
    else
        forget(&run);
    return status ? status : agree_to_stop(m);
}

/* The bytes of a job's buffers before it runs. */
static hd_status contents_of(mapper *m, const hd_job *job, void ***contents) {
    *contents = hd_new_array(m->arena, void *, job->buffer_count);
    return hd_job_all_contents(m->arena, m->diag, job, *contents);
}

/* ---- a step ------------------------------------------------------------------------------------ */

/* What a run left, in the numbers of the original, against what that leaves. */
static hd_status compare(mapper *m, hd_map_step *step, void *const *outputs) {
    void **here = hd_new_array(m->arena, void *, m->original->buffer_count);
    void **back = hd_new_array(m->arena, void *, m->original->buffer_count);
    memcpy(here, outputs, m->original->buffer_count * sizeof *here);
    hd_renumbered *through[] = {step->renumbered, m->shuffled};
    hd_status status = HD_OK;
    for (int i = 0; i < 2 && status == HD_OK; i++)
        if (through[i]) {
            status = hd_renumbered_gather(m->arena, m->diag, through[i], here, back);
            memcpy(here, back, m->original->buffer_count * sizeof *here);
        }
    bool equal;
    return status ? status
                  : hd_contents_compare(m->arena, m->diag, m->original,
                                        &(hd_contents){"originally", m->expected},
                                        &(hd_contents){step->name, here}, &equal, &step->bit_equal);
}

/* Rewrites, runs, counts and compares. `job` and `contents` are in the numbers of the step; `kept` is
 * as for hear(). */
static hd_status try_step(mapper *m, const hd_job *job, void *const *contents, hd_map_step step,
                          heard *kept) {
    hd_placed_job *placed = NULL;
    hd_status status = HD_OK;
    const hd_job *runs = job;
    void **inputs = hd_new_array(m->arena, void *, job->buffer_count + 1);
    void **outputs = hd_new_array(m->arena, void *, job->buffer_count + 1);
    memcpy(inputs, contents, job->buffer_count * sizeof *inputs);
    if (step.orders) {
        status =
            hd_rewrite_job_map(m->arena, m->diag, job, step.orders, NULL, NULL, &step.rewritten);
        hd_rewritten_view view = {m->arena, m->diag, step.rewritten, NULL};
        if (status == HD_OK)
            status = hd_place_rewritten(&view, job, NULL, 0, &placed);
        if (status == HD_OK) {
            runs = placed->job;
            inputs[runs->buffer_count - 1] = hd_job_map(runs);
        }
    }
    if (status == HD_OK)
        status = hear(m, runs, inputs, &step, outputs, kept);
    if (status == HD_OK && !is_stopped(m))
        status = compare(m, &step, outputs);
    step.seconds = m->mapping->step_count ? m->seconds : 0;
    if (status == HD_OK && !is_stopped(m) && m->mapping->step_count < HD_MAP_MOST_STEPS)
        m->mapping->steps[m->mapping->step_count++] = step;
    return status;
}

/* ---- graphs ------------------------------------------------------------------------------------ */

typedef struct groups {
    group *group;
    hd_map_launch *told; /* of each */
    uint32_t count;
} groups;

static bool is_in_place(const uint32_t *order, uint32_t count) {
    uint32_t p = 0;
    while (p < count && order[p] == p)
        p++;
    return p == count;
}

static const hd_order_file *orders_of(mapper *m, const groups *all) {
    hd_order_file *file = hd_new(m->arena, hd_order_file);
    file->orders = hd_new_array(m->arena, hd_launch_order, all->count);
    for (uint32_t g = 0; g < all->count; g++) {
        const group *one = &all->group[g];
        uint32_t count = one->told->threads;
        if (!one->order || (!m->question->shuffled_threads && is_in_place(one->order, count)))
            continue;
        uint32_t *order = hd_new_array(m->arena, uint32_t, count);
        memcpy(order, one->order, count * sizeof *order);
        file->orders[file->order_count++] =
            (hd_launch_order){.kernel = one->told->kernel,
                              .launch = one->first,
                              .threads = count,
                              .block_threads = one->told->block_threads,
                              .whole_blocks = one->told->together,
                              .order = order};
    }
    return file->order_count ? file : NULL;
}

/* The rows of a trace that are runs of launches like this one, in rows[MOST_ROWS]: those that did
 * different things, as far as the numbers of what they did tell. */
static uint32_t find_rows(const hd_job *job, const heard *run, const hd_launch *launch,
                          uint32_t *found) {
    const hd_trace_launch *launches = hd_trace_get(run->trace)->launches;
    uint32_t count = 0;
    for (uint32_t r = 0; r < run->of.launch.count && count < MOST_ROWS; r++) {
        bool is_new = hd_launches_alike(&job->launches[run->of.launch.data[r]], launch);
        for (uint32_t i = 0; i < count && is_new; i++)
            is_new = launches[found[i]].mis != launches[r].mis ||
                     launches[found[i]].lane_accesses != launches[r].lane_accesses;
        if (is_new)
            found[count++] = r;
    }
    return count;
}

static void look_at_graph(group *g) {
    g->now.after = hd_sharing_count(g->sharing, g->order);
    g->now.reuse_distances = hd_reuse_distances(g->sharing, g->order);
    g->now.block_bytes = hd_block_bytes(g->sharing, g->order);
}

/* The graph of rows of a trace, where it is this rank's, and the order to begin with. */
static hd_status read_graph(mapper *m, hd_trace *trace, const uint32_t *found, uint32_t count,
                            group *g) {
    const hd_sharing_options options = {.device = m->question->device,
                                        .workers = m->question->workers,
                                        .watch = m->question->watch};
    const hd_event_launch *launch = &hd_trace_get(trace)->launches[found[0]].launch;
    uint32_t threads = (uint32_t)(launch->block_count * launch->block_threads);
    double begun = hd_clock();
    hd_status status = HD_OK;
    if (is_mine(m, g->number))
        status = hd_sharing_read(m->arena, m->diag, trace, found, count, &options, &g->sharing);
    m->seconds += hd_clock() - begun;
    if (status != HD_OK)
        return status;
    g->told->threads = threads;
    g->told->block_threads = launch->block_threads;
    g->order = hd_new_array(m->arena, uint32_t, threads + 1);
    for (uint32_t t = 0; t < threads; t++)
        g->order[t] = t;
    if (m->question->shuffled_threads) { /* or blocks, where only these may move */
        uint32_t each = g->told->together ? g->told->block_threads : 1;
        uint32_t *order = hd_zeroed((size_t)threads / each + 1, sizeof *order);
        hd_order_random(m->question->shuffled_threads, threads / each, order);
        for (uint32_t p = 0; p < threads; p++)
            g->order[p] = order[p / each] * each + p % each;
        free(order);
    }
    g->told->moved = m->question->shuffled_threads;
    if (g->sharing) {
        look_at_graph(g);
        g->now.before = g->now.after;
    }
    return HD_OK;
}

/* What each rank found of its groups goes to all. */
static hd_status share_groups(mapper *m, const groups *all) {
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < all->count && status == HD_OK; i++) {
        group *g = &all->group[i];
        if (!g->order)
            continue;
        status = share(m, g->number, &g->now, sizeof g->now);
        if (status == HD_OK)
            status = share(m, g->number, g->order, g->told->threads * sizeof *g->order);
        g->told->before = g->now.before;
        g->told->after = g->now.after;
    }
    return status;
}

static groups new_groups(mapper *m, uint32_t most) {
    return (groups){.group = hd_new_array(m->arena, group, most + 1),
                    .told = hd_new_array(m->arena, hd_map_launch, most + 1)};
}

/* The graphs of the job's launches, from a trace of it, with the orders that they begin with. */
static hd_status make_groups(mapper *m, const hd_job *job, const heard *run, groups *all) {
    hd_status status = HD_OK;
    *all = new_groups(m, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK && !is_stopped(m); l++) {
        const hd_launch *launch = &job->launches[l];
        bool is_new = true;
        for (uint32_t g = 0; g < all->count && is_new; g++)
            is_new = !hd_launches_alike(&job->launches[all->group[g].first], launch);
        if (!is_new)
            continue;
        group *g = &all->group[all->count];
        *g = (group){.first = l, .number = all->count, .told = &all->told[all->count]};
        all->count++;
        *g->told = (hd_map_launch){.launch = l,
                                   .kernel = launch->kernel_name,
                                   .together = hd_threads_stay_together(launch->kernel, NULL)};
        uint32_t found[MOST_ROWS], count = find_rows(job, run, launch, found);
        if (launch->items_from)
            g->told->untouched = "its size is read while the job runs";
        else if (!count)
            g->told->untouched = "it never ran";
        if (g->told->untouched) {
            g->now.fixed = true;
            continue;
        }
        status = read_graph(m, run->trace, found, count, g);
    }
    return status ? status : share_groups(m, all);
}

/* ---- stages ------------------------------------------------------------------------------------ */

static bool is_little(uint64_t before, uint64_t after) {
    return after > before || before - after < before / LITTLE;
}

/* One stage, or all, for a group whose graph is here. */
static hd_status do_group(mapper *m, const hd_stages *stages, group *g) {
    hd_stages now = *stages;
    now.whole_blocks = g->told->together != NULL;
    now.workers = m->question->workers;
    now.progress = say;
    now.user = m;
    size_t bytes = g->told->threads * sizeof *g->order;
    uint32_t *before = hd_checked(malloc(bytes + 1));
    memcpy(before, g->order, bytes);
    double begun = hd_clock();
    hd_status status = hd_order_threads(m->diag, g->sharing, &now, g->order);
    m->seconds += hd_clock() - begun;
    look_at_graph(g);
    const hd_sharing *s = g->sharing;
    uint64_t reads = 0; /* transactions that reading the map takes */
    if (!m->question->shuffled_threads)
        reads = (uint64_t)hd_sharing_warps(s) * ((s->warp * 4 + s->segment - 1) / s->segment);
    if (now.threads && !now.whole_blocks &&
        is_little(g->now.before.transactions, g->now.after.transactions + reads)) {
        g->now.fixed = true;
        memcpy(g->order, before, bytes);
        look_at_graph(g);
    }
    g->now.changed = memcmp(before, g->order, bytes) != 0;
    free(before);
    return status;
}

/* The same for all groups, each on its rank; whether any order is not the one it was. */
static hd_status do_stages(mapper *m, const hd_stages *stages, groups *all, bool *changed) {
    hd_status status = HD_OK;
    *changed = false;
    for (uint32_t i = 0; i < all->count && status == HD_OK && !is_stopped(m); i++) {
        group *g = &all->group[i];
        g->now.changed = false;
        if (!g->now.fixed && g->sharing)
            status = do_group(m, stages, g);
    }
    if (status == HD_OK)
        status = share_groups(m, all);
    for (uint32_t i = 0; i < all->count; i++) {
        group *g = &all->group[i];
        *changed = *changed || g->now.changed;
        if (g->now.fixed && !g->told->untouched)
            g->told->untouched = "its warps would not make fewer transactions";
        g->told->moved = g->order && !is_in_place(g->order, g->told->threads);
    }
    return status ? status : agree_to_stop(m);
}

/* What the graphs say of a step. */
static void add_graphs(mapper *m, const groups *all, hd_map_step *step) {
    hd_map_launch *launches = hd_new_array(m->arena, hd_map_launch, all->count + 1);
    memcpy(launches, all->told, all->count * sizeof *launches);
    step->launches = launches;
    step->launch_count = all->count;
    for (uint32_t g = 0; g < all->count; g++)
        if (all->group[g].order) {
            step->reuse_distances += all->group[g].now.reuse_distances;
            step->block_bytes += all->group[g].now.block_bytes;
        }
}

/* A step of a trace, of which no more is known. */
static void estimate(mapper *m, const groups *all, hd_map_step step) {
    for (uint32_t g = 0; g < all->count; g++) {
        step.counts.requests += all->told[g].after.issues;
        step.counts.transactions += all->told[g].after.transactions;
    }
    step.seconds = m->mapping->step_count ? m->seconds : 0;
    m->mapping->steps[m->mapping->step_count++] = step;
}

/* `job` NULL: of a trace. */
static hd_status try_stages(mapper *m, const hd_job *job, void *const *contents, groups *all) {
    static const struct {
        const char *name, *what;
    } text[] = {{"threads", "threads that share are a warp"},
                {"warps", "and warps that share are a block"},
                {"blocks", "and blocks that share follow each other"}};
    const hd_stages *asked = &m->question->stages;
    const bool wanted[] = {asked->threads, asked->warps, asked->blocks};
    hd_status status = HD_OK;
    for (uint32_t s = 0; s < 3 && status == HD_OK && !is_stopped(m); s++) {
        if (!wanted[s])
            continue;
        hd_stages one = *asked;
        one.threads = s == 0;
        one.warps = s == 1;
        one.blocks = s == 2;
        bool changed;
        status = do_stages(m, &one, all, &changed);
        if (status != HD_OK || !changed)
            continue;
        hd_map_step step = {
            .name = text[s].name, .what = text[s].what, .orders = orders_of(m, all)};
        add_graphs(m, all, &step);
        if (job)
            status = try_step(m, job, contents, step, NULL);
        else
            estimate(m, all, step);
    }
    return status;
}

/* ---- data -------------------------------------------------------------------------------------- */

/* Elements as threads are ordered: those that are touched together next to each other. */
static void order_by_sharing(mapper *m, const hd_nets *nets, uint32_t count, uint32_t *order) {
    enum { TOGETHER = 32, BLOCK = 256 };
    uint32_t all = (count + BLOCK - 1) / BLOCK * BLOCK;
    hd_sharing sharing = {.threads = all,
                          .block_threads = BLOCK,
                          .warp = TOGETHER,
                          .segment = 1,
                          .line = 1,
                          .lines = *nets};
    uint64_t none = 0;
    sharing.requests.first = &none;
    sharing.private_bytes = hd_new_array(m->arena, uint32_t, all);
    uint32_t *padded = hd_new_array(m->arena, uint32_t, all);
    for (uint32_t i = 0; i < all; i++)
        padded[i] = i;
    hd_cluster_threads(&sharing, padded);
    hd_cluster_warps(m->diag, &sharing, &(hd_stages){.refine = true}, padded);
    hd_schedule_blocks(&sharing, padded);
    uint32_t at = 0;
    for (uint32_t i = 0; i < all; i++)
        if (padded[i] < count)
            order[at++] = padded[i];
}

/* The kinds of orders that are tried, and after them the one by sharing. */
static const hd_order_kind data_kinds[] = {HD_ORDER_RCM, HD_ORDER_BISECTION, HD_ORDER_TOUCH,
                                           HD_ORDER_CURVE};
enum { DATA_KINDS = sizeof data_kinds / sizeof *data_kinds, BY_SHARING = DATA_KINDS };

static hd_status order_data(mapper *m, uint32_t numbering, uint32_t kind, uint32_t **order) {
    if (kind < BY_SHARING) {
        const hd_order_by by = {.kind = data_kinds[kind]};
        return hd_numbering_order(m->arena, m->diag, m->job, m->contents, numbering, &by, order);
    }
    hd_nets nets;
    hd_status status =
        hd_numbering_nets(m->arena, m->diag, m->job, m->contents, numbering, HD_NETS_ROWS, &nets);
    if (status == HD_OK)
        order_by_sharing(m, &nets, (uint32_t)m->job->numberings->numberings[numbering].count,
                         *order);
    return status;
}

/* One kind of order; over ranks one of them makes it. */
static hd_status try_data_order(mapper *m, uint32_t numbering, uint32_t kind, heard *kept) {
    const hd_numbering *of = &m->job->numberings->numberings[numbering];
    const char *name = kind < BY_SHARING ? hd_order_kind_names[data_kinds[kind]] : "sharing";
    uint32_t *order = hd_new_array(m->arena, uint32_t, of->count + 1);
    hd_renumbered *renumbered;
    void **contents;
    hd_status status = HD_OK;
    double begun = hd_clock();
    if (is_mine(m, kind))
        status = order_data(m, numbering, kind, &order);
    if (status == HD_OK)
        status = share(m, kind, order, of->count * sizeof *order);
    if (status == HD_OK)
        status =
            hd_job_renumber(m->arena, m->diag, m->job, m->contents, numbering, order, &renumbered);
    m->seconds = hd_clock() - begun; /* the graphs of the threads are not asked */
    if (status == HD_OK)
        status = contents_of(m, renumbered->job, &contents);
    if (status != HD_OK)
        return status;
    const hd_map_step step = {.name = hd_format(m->arena, "data by %s", name),
                              .what =
                                  hd_format(m->arena, "%s in another order of numbers", of->name),
                              .data = name,
                              .numbering = of,
                              .data_order = order,
                              .renumbered = renumbered};
    return try_step(m, renumbered->job, contents, step, kept);
}

/* The stages upon a step with data in another order, of which `run` was heard. */
static hd_status try_stages_on(mapper *m, const hd_map_step *from, const heard *run) {
    const hd_job *job = from->renumbered->job;
    groups all;
    bool changed = false;
    m->seconds = from->seconds;
    hd_status status = make_groups(m, job, run, &all);
    if (status == HD_OK)
        status = do_stages(m, &m->question->stages, &all, &changed);
    if (status != HD_OK || !changed || is_stopped(m))
        return status;
    hd_map_step step = {.name = "data and threads",
                        .what = hd_format(m->arena, "%s, then threads", from->name),
                        .data = from->data,
                        .numbering = from->numbering,
                        .data_order = from->data_order,
                        .renumbered = from->renumbered,
                        .orders = orders_of(m, &all)};
    add_graphs(m, &all, &step);
    void **contents;
    if (step.orders)
        status = contents_of(m, job, &contents);
    return status || !step.orders ? status : try_step(m, job, contents, step, NULL);
}

static hd_status try_data(mapper *m) {
    uint32_t numbering, dims;
    const hd_map_step *best = NULL;
    heard of_best = {0};
    hd_status status =
        hd_numbering_find(m->arena, m->diag, m->job, m->question->numbering, &numbering);
    if (status != HD_OK)
        return status;
    bool has_points = hd_numbering_points(m->arena, m->job, m->contents, numbering, &dims);
    for (uint32_t k = 0; k <= BY_SHARING && status == HD_OK && !is_stopped(m); k++) {
        if (k < BY_SHARING && data_kinds[k] == HD_ORDER_CURVE && !has_points)
            continue;
        heard now = {0};
        say(m, "ordering data", k / (DATA_KINDS + 1.0));
        status = try_data_order(m, numbering, k, &now);
        const hd_map_step *step = &m->mapping->steps[m->mapping->step_count - 1];
        if (status == HD_OK && !is_stopped(m) &&
            (!best || step->counts.transactions < best->counts.transactions)) {
            forget(&of_best);
            best = step;
            of_best = now;
        } else
            forget(&now);
    }
    const hd_stages *asked = &m->question->stages;
    if (status == HD_OK && !is_stopped(m) && best &&
        (asked->threads || asked->warps || asked->blocks))
        status = try_stages_on(m, best, &of_best);
    forget(&of_best);
    return status;
}

/* ---- times ------------------------------------------------------------------------------------- */

/* A step's job, ready on the device. */
typedef struct timed_step {
    hd_session session;
    hd_version version;
    double *seconds; /* of each round */
} timed_step;

/* Opens it, and runs it once for what it leaves. */
static hd_status ready_step(mapper *m, hd_map_step *step, timed_step *timed) {
    const hd_job *job = step->renumbered ? step->renumbered->job : m->job;
    void **contents = m->contents, **outputs = hd_new_array(m->arena, void *, job->buffer_count);
    hd_session *session = &timed->session;
    double unused;
    hd_status status = step->renumbered ? contents_of(m, job, &contents) : HD_OK;
    if (status == HD_OK)
        status = hd_session_open(m->arena, m->diag, job, m->question->measure->device, session);
    if (status == HD_OK)
        status =
            hd_version_make(session, step->rewritten, NULL, 0, NULL, contents, &timed->version);
    if (status == HD_OK)
        status = hd_version_outputs(session, m->arena, &timed->version, outputs, &unused);
    return status ? status : compare(m, step, outputs);
}

/* What a step's rounds say of it and the first one. */
static void tell_times(mapper *m, const timed_step *timed, uint32_t s, uint32_t rounds) {
    hd_map_step *steps = m->mapping->steps, *step = &steps[s];
    hd_timing speedup = hd_speedup_of(m->arena, timed[0].seconds, timed[s].seconds, rounds);
    step->time = hd_timing_of(m->arena, timed[s].seconds, rounds);
    step->speedup = speedup.median;
    step->speedup_low = speedup.low;
    step->speedup_high = speedup.high;
    double saved = steps[0].time.median - step->time.median;
    if (s && saved > 0 && speedup.low > 1)
        step->pays_after = ceil(step->seconds / saved);
}

static hd_status time_steps(mapper *m) {
    enum { REPEATS = 7 };
    uint32_t count = m->mapping->step_count, opened = 0, rounds = 0; /* that all steps ran in */
    uint32_t repeats = m->question->measure->repeats ? m->question->measure->repeats : REPEATS;
    timed_step *timed = hd_new_array(m->arena, timed_step, count);
    hd_status status = HD_OK;
    while (opened < count && status == HD_OK && !is_stopped(m)) {
        timed[opened].seconds = hd_new_array(m->arena, double, repeats);
        say(m, "building", (double)opened / (double)count);
        status = ready_step(m, &m->mapping->steps[opened], &timed[opened]);
        opened++;
    }
    for (; rounds < repeats && status == HD_OK && !is_stopped(m); rounds++)
        for (uint32_t s = 0; s < count && status == HD_OK; s++) {
            say(m, "measuring", (double)(rounds * count + s) / (double)(repeats * count));
            status =
                hd_version_run(&timed[s].session, &timed[s].version, &timed[s].seconds[rounds]);
        }
    if (status == HD_OK && rounds)
        m->mapping->measured_on = hd_format(m->arena, "%s", timed[0].session.device.name);
    for (uint32_t s = 0; s < count && m->mapping->measured_on; s++)
        tell_times(m, timed, s, rounds);
    for (uint32_t s = 0; s < opened; s++) {
        hd_version_free(&timed[s].session, &timed[s].version);
        hd_session_close(&timed[s].session);
    }
    return status;
}

/* ---- the choice -------------------------------------------------------------------------------- */

/* The price of the bytes that caches move; where they were not simulated, those of blocks' lines. */
static double price_of(const mapper *m, const hd_map_step *step) {
    return step->caches.requests ? hd_price_of_bytes(m->question->device, &step->caches)
                                 : (double)step->block_bytes;
}

/* Fewest transactions, of nearly equal ones those whose bytes cost less, then what comes back sooner,
 * then what does less. */
static bool is_better(const mapper *m, const hd_map_step *a, const hd_map_step *b) {
    uint64_t x = a->counts.transactions, y = b->counts.transactions;
    if (x + x / 100 < y || y + y / 100 < x)
        return x < y;
    double price_a = price_of(m, a), price_b = price_of(m, b);
    if (price_a * 1.01 < price_b || price_b * 1.01 < price_a)
        return price_a < price_b;
    return a->reuse_distances + a->reuse_distances / 100 < b->reuse_distances;
}

static void choose(mapper *m) {
    hd_mapping *mapping = m->mapping;
    const hd_map_step *from = &mapping->steps[0];
    for (uint32_t s = 1; s < mapping->step_count; s++) {
        const hd_map_step *step = &mapping->steps[s];
        bool measured_worse = step->time.repeats && step->speedup_high < 1;
        bool costs_more =
            from->caches.requests && price_of(m, step) > price_of(m, from) * (1 + 1.0 / LITTLE);
        if (is_little(from->counts.transactions, step->counts.transactions) || measured_worse ||
            costs_more)
            continue;
        if (!mapping->best || is_better(m, step, &mapping->steps[mapping->best]))
            mapping->best = s;
    }
    const hd_map_step *best = &mapping->steps[mapping->best];
    double fewer =
        1 - (double)best->counts.transactions / (double)(from->counts.transactions + 1e-9);
    mapping->reason =
        is_stopped(m) && !mapping->best ? "Nothing is recommended: no step until then is better"
        : mapping->best
            ? hd_format(m->arena, "%s: warps make %.1f%% fewer transactions", best->name,
                        100 * fewer)
            : "Leave it: no order makes at least 2% fewer transactions without bytes from L2 and "
              "memory that cost more, or taking longer";
}

/* ---- blocks at once ----------------------------------------------------------------------------- */

/* Runs the best step once more, for its trace. */
static hd_status throttle(mapper *m) {
    const hd_map_step *best = &m->mapping->steps[m->mapping->best];
    const hd_map_question *was = m->question;
    hd_map_question question = *was;
    question.caches = question.reuse = false;
    const hd_job *job = best->renumbered ? best->renumbered->job : m->job;
    void **contents = hd_new_array(m->arena, void *, best->job->buffer_count);
    void **outputs = hd_new_array(m->arena, void *, best->job->buffer_count);
    memcpy(contents, m->contents, job->buffer_count * sizeof *contents);
    hd_status status = HD_OK;
    if (best->renumbered)
        status = hd_job_all_contents(m->arena, m->diag, job, contents);
    if (best->orders)
        contents[best->job->buffer_count - 1] = hd_job_map(best->job);
    hd_map_step unused = {.name = best->name};
    heard run = {0};
    m->question = &question;
    if (status == HD_OK)
        status = hear(m, best->job, contents, &unused, outputs, &run);
    m->question = was;
    const hd_caches_options options = {.watch = was->watch};
    if (status == HD_OK && !is_stopped(m))
        status = hd_throttle(m->arena, m->diag, run.trace, was->device, best->job, NULL, &options,
                             &m->mapping->throttling);
    forget(&run);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* Gives the data random numbers, with which all begins then. */
static hd_status shuffle_data(mapper *m) {
    const hd_map_question *q = m->question;
    uint32_t numbering, *order;
    const hd_order_by by = {.kind = HD_ORDER_RANDOM, .seed = q->shuffled_data};
    hd_status status = hd_numbering_find(m->arena, m->diag, m->original, q->numbering, &numbering);
    if (status == HD_OK)
        status =
            hd_numbering_order(m->arena, m->diag, m->original, m->contents, numbering, &by, &order);
    if (status == HD_OK)
        status = hd_job_renumber(m->arena, m->diag, m->original, m->contents, numbering, order,
                                 &m->shuffled);
    if (status != HD_OK)
        return status;
    m->job = m->shuffled->job;
    return contents_of(m, m->job, &m->contents);
}

static mapper begin_mapping(hd_arena *arena, const hd_diag *diag, const hd_map_question *question,
                            hd_mapping **result) {
    hd_mapping *mapping = *result = hd_new(arena, hd_mapping);
    mapping->device = question->device;
    mapping->steps = hd_new_array(arena, hd_map_step, HD_MAP_MOST_STEPS);
    return (mapper){.arena = arena, .diag = diag, .question = question, .mapping = mapping};
}

/* What is known when all steps have been tried; `all` are the groups that were made first. */
static hd_status end_mapping(mapper *m, const groups *all, hd_status status) {
    hd_mapping *mapping = m->mapping;
    for (uint32_t s = 0; s < mapping->step_count; s++)
        mapping->steps[s].pays_after = NAN;
    if (status == HD_OK && m->question->measure && !is_stopped(m))
        status = time_steps(m);
    mapping->launches = all->told;
    mapping->launch_count = all->count;
    if (status == HD_OK && mapping->step_count) {
        choose(m);
        const hd_map_step *best = &mapping->steps[mapping->best];
        if (mapping->best && best->launches) {
            mapping->launches = best->launches;
            mapping->launch_count = best->launch_count;
        }
        if (m->question->throttle && !is_stopped(m))
            status = throttle(m);
    }
    mapping->complete = !is_stopped(m);
    return status;
}

hd_status hd_map_job(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                     const hd_map_question *question, hd_mapping **result) {
    mapper m = begin_mapping(arena, diag, question, result);
    hd_mapping *mapping = *result;
    m.original = m.job = job;
    hd_status status = contents_of(&m, job, &m.contents);
    if (status != HD_OK)
        return status;

    /* As it is, and what it leaves. */
    heard run = {0};
    hd_map_step *original = hd_new(arena, hd_map_step), first;
    *original = (hd_map_step){.name = "original", .what = "as it is", .bit_equal = true};
    m.expected = hd_new_array(arena, void *, job->buffer_count);
    status = hear(&m, job, m.contents, original, m.expected, &run);
    first = *original;
    if (question->shuffled_threads || question->shuffled_data)
        mapping->original = original;
    if (status == HD_OK && question->shuffled_data && !is_stopped(&m)) {
        void **outputs = hd_new_array(arena, void *, job->buffer_count);
        forget(&run);
        first = (hd_map_step){.name = "unsorted", .what = "data in a random order"};
        status = shuffle_data(&m);
        if (status == HD_OK)
            status = hear(&m, m.job, m.contents, &first, outputs, &run);
        if (status == HD_OK && !is_stopped(&m))
            status = compare(&m, &first, outputs);
    }
    mapping->job = m.job;
    groups all = {0};
    if (status == HD_OK && !is_stopped(&m))
        status = make_groups(&m, m.job, &run, &all);
    forget(&run);
    if (status == HD_OK && !is_stopped(&m)) {
        const hd_order_file *unsorted = question->shuffled_threads ? orders_of(&m, &all) : NULL;
        if (unsorted)
            first = (hd_map_step){.name = "unsorted",
                                  .what = m.shuffled ? "threads and data in a random order"
                                                     : "threads in a random order",
                                  .orders = unsorted};
        add_graphs(&m, &all, &first);
        if (unsorted)
            status = try_step(&m, m.job, m.contents, first, NULL);
        else
            mapping->steps[mapping->step_count++] = first;
    }
    if (status == HD_OK && !is_stopped(&m))
        status = try_stages(&m, m.job, m.contents, &all);
    if (status == HD_OK && question->orders_data && !question->shuffled_threads &&
        m.job->numberings && !is_stopped(&m))
        status = try_data(&m);
    return end_mapping(&m, &all, status);
}

/* ---- a trace ----------------------------------------------------------------------------------- */

static bool uses_local_memory(const hd_event_launch *launch) {
    for (uint32_t a = 0; a < launch->access_count; a++)
        if (launch->accesses[a].space == KIR_LOCAL)
            return true;
    return false;
}

/* The same as make_groups(), of the runs of a trace. */
static hd_status make_trace_groups(mapper *m, hd_trace *trace, groups *all) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    const hd_trace_launch *launches = contents->launches;
    uint32_t tells = 0;
    hd_status status = HD_OK;
    *all = new_groups(m, contents->launch_count);
    for (uint32_t l = 0; l < contents->launch_count && status == HD_OK && !is_stopped(m); l++) {
        const hd_event_launch *launch = &launches[l].launch;
        uint32_t found[MOST_ROWS], count = 0, earlier = 0;
        while (!hd_event_same_launch(&launches[earlier].launch, launch))
            earlier++;
        if (earlier < l)
            continue;
        for (uint32_t r = l; r < contents->launch_count && count < MOST_ROWS; r++)
            if (hd_event_same_launch(&launches[r].launch, launch))
                found[count++] = r;
        group *g = &all->group[all->count];
        *g = (group){.first = launch->number, .number = all->count, .told = &all->told[all->count]};
        all->count++;
        *g->told = (hd_map_launch){
            .launch = launch->number,
            .kernel = launch->kernel,
            .together = uses_local_memory(launch) ? "its threads share local memory" : NULL};
        tells += launch->block_threads > 1;
        status = read_graph(m, trace, found, count, g);
    }
    if (status == HD_OK)
        status = share_groups(m, all);
    return status || tells || is_stopped(m)
               ? status
               : hd_fail(m->diag, HD_EINPUT, NULL,
                         "the trace does not say which thread an access is of: each of its blocks "
                         "has one thread; make one with 'heddle trace', or import one whose blocks "
                         "have their threads");
}

hd_status hd_map_trace(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                       const hd_map_question *question, hd_mapping **result) {
    mapper m = begin_mapping(arena, diag, question, result);
    groups all = {0};
    hd_status status = make_trace_groups(&m, trace, &all);
    if (status != HD_OK)
        return status;
    hd_map_step first = {.name = question->shuffled_threads ? "unsorted" : "original",
                         .what =
                             question->shuffled_threads ? "threads in a random order" : "as it is",
                         .orders = question->shuffled_threads ? orders_of(&m, &all) : NULL};
    if (!is_stopped(&m)) {
        add_graphs(&m, &all, &first);
        estimate(&m, &all, first);
        status = try_stages(&m, NULL, NULL, &all);
    }
    return end_mapping(&m, &all, status);
}
