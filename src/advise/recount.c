/* Layouts counted as they will run (recount.h). */
#include "advise/recount.h"

#include <math.h>

#include "advise/nvcc_job.h"
#include "advise/vectors.h"
#include "advise/verify.h"
#include "analysis/cache.h"
#include "analysis/coalesce.h"
#include "device/energy_model.h"

typedef struct counting {
    const hd_job *job;
    const hd_device *device;
    const hd_evidence_options *options;
    void **before;  /* contents of the job's buffers */
    double share;   /* of the blocks, that caches are simulated for */
    bool is_part;   /* no others run: they would be too much work */
    bool is_cached; /* they can be: else transactions are the cost */
    bool of_energy; /* joules are */
    bool asks_nvcc; /* it compiles these kernels, and is here */
    uint32_t *near; /* layouts that it is asked about, [near_count] */
    uint32_t near_count;
    char *folder; /* for files, which begin with the number of the layout there */
    hd_recount *result;
} counting;

/* ---- one run ------------------------------------------------------------------------------- */

typedef hd_vec(double) run_times;

/* A launch, as it is counted. */
typedef struct counted_launch {
    hd_arena *arena;
    hd_block_choice some; /* that caches are simulated for */
    double times;         /* as many blocks as run are all of its */
    run_times *runs;      /* of all launches, in the order in which they run */
} counted_launch;

static hd_status note_run(void *self, const hd_event_launch *launch) {
    const counted_launch *of = self;
    (void)launch;
    hd_push(of->arena, of->runs, of->times);
    return HD_OK;
}

/* For each launch: sinks that hear all that runs of it, and one for the share of the blocks. */
static hd_sink *make_sinks(hd_arena *arena, const counting *c, const hd_job *job, hd_sink whole,
                           hd_sink part, counted_launch *launches) {
    hd_sink *sinks = hd_new_array(arena, hd_sink, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        const uint64_t blocks = hd_grid_of(launch->dims, launch->global, launch->local).block_count;
        counted_launch *of = &launches[l];
        of->some = hd_blocks_spread(blocks, (double)blocks * c->share);
        of->times = c->is_part ? (double)blocks / (double)hd_blocks_chosen(&of->some, blocks) : 1;
        const hd_sink all[] = {
            {.self = of, .launch = note_run}, whole, hd_sink_blocks(arena, part, of->some)};
        sinks[l] = hd_sink_tee(arena, all, c->is_cached ? 3 : 2);
    }
    return sinks;
}

/* Blocks that did not run do as those that did. */
static hd_run_counts sum_up(const hd_tally *tally, const run_times *runs) {
    double requests = 0, transactions = 0;
    for (uint32_t n = 0; n < runs->count; n++) {
        const hd_coalesce_counts *counts = hd_tally_of_launch(tally, 0, n);
        requests += runs->data[n] * (double)counts->requests;
        transactions += runs->data[n] * (double)counts->transactions;
    }
    return (hd_run_counts){(uint64_t)(requests + 0.5), (uint64_t)(transactions + 0.5),
                           transactions};
}

/* What caches serve of it, as cost or as joules. */
static hd_status simulate(hd_arena *arena, const counting *c, const hd_job *job, const char *file,
                          const hd_vm_counts *all, double *cost) {
    static const hd_diag silent = {0};
    const hd_trace_watch watch = {.stop = c->options->stop};
    const hd_caches_options options = {.watch = &watch};
    const hd_caches *caches;
    hd_trace *trace;
    hd_status status = hd_trace_open(arena, &silent, file, &trace);
    if (status != HD_OK)
        return status;
    status = hd_caches_run(arena, &silent, trace, c->device, job, NULL, &options, &caches);
    hd_trace_close(trace);
    if (status != HD_OK)
        return status;
    *cost = caches->total.cost;
    hd_energy_counts counts = hd_caches_energy_counts(caches);
    const double share = c->is_part ? 1 : c->share;
    counts.fp32 = share * (double)all->operations[HD_OPERATION_FP32];
    counts.fp64 = share * (double)all->operations[HD_OPERATION_FP64];
    counts.integer = share * (double)all->operations[HD_OPERATION_INTEGER];
    if (c->of_energy)
        hd_energy_modelled(c->device, &counts, cost);
    return HD_OK;
}

/* Runs the job, or the part of it, from these contents. The file is for a trace. */
static hd_status count_job(hd_arena *arena, const counting *c, const hd_job *job,
                           void *const *contents, const char *file, hd_run_counts *result) {
    static const hd_diag silent = {0};
    const hd_trace_header header = {.spaces = (uint32_t)1 << KIR_GLOBAL};
    const uint64_t most = hd_evidence_limit_again(c->options);
    const hd_vm_options options = {.workers = 1,
                                   .max_instructions = most < UINT64_MAX ? most : 0,
                                   .spaces = (uint32_t)1 << KIR_GLOBAL,
                                   .stop = c->options->stop};
    hd_vm_counts all = {0};
    counted_launch *launches = hd_new_array(arena, counted_launch, job->launch_count);
    hd_block_choice *parts = hd_new_array(arena, hd_block_choice, job->launch_count);
    const hd_tally_work work = hd_coalesce_work(arena, c->device);
    run_times runs = {0};
    hd_trace_writer *writer;
    hd_vm *vm;
    hd_status status = hd_trace_create(arena, &silent, file, &header, &writer);
    if (status != HD_OK)
        return status;
    for (uint32_t l = 0; l < job->launch_count; l++)
        launches[l] = (counted_launch){.arena = arena, .runs = &runs};
    hd_tally *tally = hd_tally_new(arena, &work, 1);
    const hd_sink *sinks =
        make_sinks(arena, c, job, hd_tally_sink(tally), hd_trace_sink(writer), launches);
    for (uint32_t l = 0; l < job->launch_count; l++)
        parts[l] = launches[l].some;
    status = hd_vm_open(arena, &silent, job, contents, &options, &vm);
    if (status == HD_OK) {
        status = hd_vm_run_all(vm, c->is_part ? parts : NULL, sinks, most, &all);
        hd_vm_close(vm);
    }
    if (status == HD_OK && c->options->stop && *c->options->stop)
        status = HD_EUNSUPPORTED;
    status = hd_trace_end(writer, status, true);
    hd_run_counts sum = {0};
    if (status == HD_OK)
        sum = sum_up(tally, &runs);
    hd_tally_free(tally);
    if (status == HD_OK && c->is_cached)
        status = simulate(arena, c, job, file, &all, &sum.cost);
    if (status == HD_OK)
        *result = sum;
    return status;
}

/* ---- one layout ----------------------------------------------------------------------------- */

/* Counts a job, the original or the one `rewritten`, as nvcc compiles it, if it does. */
static void count_by_nvcc(hd_arena *arena, const counting *c, const hd_job *job,
                          const hd_rewritten *rewritten, void *const *inputs, const char *files,
                          hd_recounted *to) {
    static const hd_diag silent = {0};
    const char *source = job->kernel_path;
    const char *options = rewritten ? rewritten->options : job->options;
    hd_job *made;
    hd_status status = HD_OK;
    if (rewritten)
        status = hd_rewritten_store(arena, &silent, rewritten, files, &source);
    if (status == HD_OK)
        status = hd_nvcc_job(arena, &silent, job, source, options,
                             hd_format(arena, "%s.ptx", files), &made);
    if (status == HD_OK)
        count_job(arena, c, made, inputs, hd_format(arena, "%s.hdt", files), &to->nvcc);
}

static void count_layout(hd_arena *arena, const counting *c, const char *files, hd_recounted *to) {
    static const hd_diag silent = {0};
    const hd_record_layout layout = {c->job->record, to->layout};
    hd_rewritten *rewritten;
    hd_placed_job *placed;
    if (hd_rewrite_kernels_of_program(arena, &silent, c->job, &layout, 1, &rewritten))
        return;
    hd_rewritten_view view = {arena, &silent, rewritten, NULL};
    if (hd_place_rewritten(&view, c->job, &layout, 1, &placed))
        return;
    void **inputs = hd_new_array(arena, void *, placed->job->buffer_count + 1);
    hd_placed_scatter(arena, placed, c->before, inputs);
    if (c->near_count)
        count_by_nvcc(arena, c, placed->job, rewritten, inputs, files, to);
    else
        to->counted = count_job(arena, c, placed->job, inputs, hd_format(arena, "%s.hdt", files),
                                &to->compiled) == HD_OK;
}

static void count_original(hd_arena *arena, const counting *c, const char *files,
                           hd_recounted *to) {
    to->counted = count_job(arena, c, c->job, c->before, hd_format(arena, "%s.hdt", files),
                            &to->compiled) == HD_OK;
    if (to->counted && c->asks_nvcc)
        count_by_nvcc(arena, c, c->job, NULL, c->before, files, to);
}

/* Takes over what was counted before. */
static void recall(const hd_recount *before, hd_recount *r) {
    for (uint32_t i = 0; before && i <= r->count; i++) {
        hd_recounted *of = i < r->count ? &r->layouts[i] : &r->original;
        const hd_recounted *known = hd_recount_of(before, of->layout);
        if (known)
            *of = *known;
    }
}

/* A layout, or behind the last one the original. What fails for one may work for another. */
static hd_status count_one(void *self, uint32_t worker, uint64_t number) {
    const counting *c = self;
    hd_arena *arena = hd_arena_new();
    const char *files = hd_format(arena, "%s/%llu", c->folder, (unsigned long long)number);
    if (!worker)
        hd_evidence_show(c->options, "counting layouts",
                         (double)number / (double)(c->result->count + 1));
    hd_recounted *of =
        number < c->result->count ? &c->result->layouts[number] : &c->result->original;
    if (!of->counted && number < c->result->count)
        count_layout(arena, c, files, of);
    else if (!of->counted)
        count_original(arena, c, files, of);
    hd_arena_free(arena);
    return HD_OK;
}

static hd_status ask_one(void *self, uint32_t worker, uint64_t number) {
    const counting *c = self;
    hd_arena *arena = hd_arena_new();
    if (!worker)
        hd_evidence_show(c->options, "asking nvcc", (double)number / (double)c->near_count);
    const uint32_t layout = c->near[number];
    count_layout(arena, c, hd_format(arena, "%s/%u", c->folder, layout),
                 &c->result->layouts[layout]);
    c->result->layouts[layout].asked = true;
    hd_arena_free(arena);
    return HD_OK;
}

/* ---- which layouts ------------------------------------------------------------------------------ */

static void add(hd_arena *arena, const hd_record *record, const hd_layout *layout, hd_recount *r) {
    if (hd_layout_equal(layout, hd_layout_original(arena, record)))
        return;
    for (uint32_t i = 0; i < r->count; i++)
        if (hd_layout_equal(r->layouts[i].layout, layout))
            return;
    r->layouts[r->count++] = (hd_recounted){.layout = layout};
}

/* Of the job, in the model. */
static double lane_accesses(hd_arena *arena, hd_cost_model *model) {
    hd_cost_line *lines;
    size_t count;
    double sum = 0;
    hd_cost_of_layout(arena, model, hd_layout_original(arena, hd_cost_record(model)), &lines,
                      &count);
    for (size_t i = 0; i < count; i++)
        sum += lines[i].executions * lines[i].lanes;
    return sum;
}

static void choose(hd_arena *arena, const hd_device *device, hd_cost_model *model,
                   const hd_search_result *ranking, const hd_evidence_options *options,
                   hd_recount *r) {
    enum { BEST = 3, HABITS = 2 + HD_THREES };
    static const hd_diag silent = {0};
    const hd_record *record = hd_cost_record(model);
    hd_layout *tiles;
    r->layouts = hd_new_array(arena, hd_recounted, BEST + HABITS + options->layout_count);
    for (uint32_t i = 0; i < options->layout_count; i++)
        add(arena, record, options->layouts[i], r);
    for (uint32_t i = 0; i < ranking->ranked_count && i < BEST; i++)
        add(arena, record, ranking->ranked[i].layout, r);
    add(arena, record, hd_layout_soa(arena, record), r);
    if (!hd_layout_parse(arena, &silent, record, hd_format(arena, "aosoa:%u", device->warp),
                         &tiles))
        add(arena, record, tiles, r);
    for (hd_threes threes = 0; threes < HD_THREES; threes++) {
        const hd_layout *vectors = advise_vectors(arena, model, threes);
        if (vectors)
            add(arena, record, vectors, r);
    }
}

/* ---- what it says of the cost ------------------------------------------------------------------ */

const hd_run_counts *hd_recount_deciding(const hd_recount *r, const hd_recounted *of) {
    (void)r;
    return of->nvcc.transactions ? &of->nvcc : &of->compiled;
}

const hd_run_counts *hd_recount_own(const hd_recount *r, const hd_recounted *of) {
    return of->nvcc.transactions ? &r->original.nvcc : &r->original.compiled;
}

const hd_recounted *hd_recount_of(const hd_recount *r, const hd_layout *layout) {
    if (!r->tried || r->why)
        return NULL;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->layouts[i].counted && hd_layout_equal(r->layouts[i].layout, layout))
            return &r->layouts[i];
    return hd_layout_equal(r->original.layout, layout) ? &r->original : NULL;
}

static void compare(hd_recount *r) {
    for (uint32_t i = 0; i < r->count; i++) {
        hd_recounted *of = &r->layouts[i];
        of->counted = of->counted && hd_recount_deciding(r, of)->transactions &&
                      (!of->asked || of->nvcc.transactions);
        of->ratio =
            of->counted ? hd_recount_deciding(r, of)->cost / hd_recount_own(r, of)->cost : 0;
    }
}

/* Of layouts whose costs can hardly be told apart: fewer transactions, then fewer requests. The plainer
 * ones come first. */
static bool is_better(const hd_recount *r, const hd_recounted *a, const hd_recounted *b) {
    const hd_run_counts *x = hd_recount_deciding(r, a), *y = hd_recount_deciding(r, b);
    const double few = (double)x->transactions / (double)y->transactions;
    return few < 1 - HD_NOTICEABLE / 2 ||
           (few < 1 + HD_NOTICEABLE / 2 && x->requests < y->requests);
}

static bool is_cheaper(const hd_recounted *a, const hd_recounted *b) {
    return a->counted != b->counted ? a->counted : a->ratio < b->ratio;
}

/* Moves layout `from` before layout `to`. */
static void move_up(hd_recounted *layouts, uint32_t from, uint32_t to) {
    const hd_recounted moved = layouts[from];
    memmove(&layouts[to + 1], &layouts[to], (from - to) * sizeof moved);
    layouts[to] = moved;
}

/* By cost; but first the one to take. */
static void sort(hd_recount *r) {
    hd_recounted *all = r->layouts;
    uint32_t best = 0;
    for (uint32_t i = 1, k; i < r->count; i++) {
        for (k = i; k && is_cheaper(&all[i], &all[k - 1]);)
            k--;
        move_up(all, i, k);
    }
    for (uint32_t i = 1;
         i < r->count && all[i].counted && all[i].ratio <= all[0].ratio * (1 + HD_NOTICEABLE); i++)
        best = is_better(r, &all[i], &all[best]) ? i : best;
    move_up(all, best, 0);
}

/* nvcc takes seconds for each: it is asked about those that are near the best by what is known, until
 * it has compiled all of these, and about those that the user wants to know. */
static hd_status ask_nvcc(hd_arena *arena, counting *c) {
    static const double near = 1.25;
    hd_recount *r = c->result;
    hd_status status = HD_OK;
    uint64_t failed;
    c->near = hd_new_array(arena, uint32_t, r->count + 1);
    do {
        double best = INFINITY;
        compare(r);
        for (uint32_t i = 0; i < r->count; i++)
            best = r->layouts[i].counted ? fmin(best, r->layouts[i].ratio) : best;
        c->near_count = 0;
        for (uint32_t i = 0; i < r->count; i++)
            if (r->layouts[i].counted && !r->layouts[i].asked &&
                (r->layouts[i].ratio <= best * near || c->options->layout_count))
                c->near[c->near_count++] = i;
        if (c->near_count)
            status = hd_in_parallel(hd_core_count(), c->near_count, ask_one, c, &failed);
    } while (c->near_count && status == HD_OK && !(c->options->stop && *c->options->stop));
    return status;
}

/* Blocks that ran, of all, where not all did. */
static void count_blocks(const counting *c) {
    for (uint32_t l = 0; l < c->job->launch_count && c->is_part; l++) {
        const hd_launch *launch = &c->job->launches[l];
        const uint64_t blocks = hd_grid_of(launch->dims, launch->global, launch->local).block_count;
        const hd_block_choice some = hd_blocks_spread(blocks, (double)blocks * c->share);
        c->result->blocks += launch->repeat * hd_blocks_chosen(&some, blocks);
        c->result->block_count += launch->repeat * blocks;
    }
}

hd_status advise_recount(hd_arena *arena, const hd_job *job, const hd_device *device,
                         hd_cost_model *model, bool by_part, const hd_search_result *ranking,
                         const hd_evidence_options *options, bool of_energy,
                         const hd_recount *before, hd_recount *recount) {
    static const hd_diag silent = {0};
    const double limit = (double)hd_evidence_limit(options);
    const double all = lane_accesses(arena, model);
    const bool is_part = all > (double)hd_evidence_limit_again(options);
    uint64_t failed;
    *recount = (hd_recount){
        .tried = true, .original = {.layout = hd_layout_original(arena, job->record), .ratio = 1}};
    if (is_part && !by_part) {
        recount->why = "the job is more work than the limit; raise it with --run";
        return HD_OK;
    }
    choose(arena, device, model, ranking, options, recount);
    recall(before, recount);
    counting c = {.job = job,
                  .device = device,
                  .options = options,
                  .before = hd_new_array(arena, void *, job->buffer_count + 1),
                  .share = all > limit ? limit / all : 1,
                  .is_part = is_part,
                  .is_cached = hd_caches_check(&silent, device) == HD_OK,
                  .of_energy = of_energy,
                  .asks_nvcc = job->module->form == KIR_FOR_NVIDIA &&
                               hd_ends_in(job->kernel_path, ".cu") && hd_nvcc_find(arena),
                  .result = recount};
    hd_status status = hd_job_all_contents(arena, &silent, job, c.before);
    if (status == HD_OK && (status = hd_scratch_make(arena, &silent, &c.folder)) != HD_OK) {
        recount->why = "there is no temporary folder";
        return HD_OK;
    }
    if (status == HD_OK)
        status = hd_in_parallel(hd_core_count(), recount->count + 1, count_one, &c, &failed);
    if (status == HD_OK && recount->original.nvcc.transactions)
        status = ask_nvcc(arena, &c);
    hd_scratch_remove(c.folder);
    if (status == HD_ESYSTEM)
        return status;
    if (!recount->original.compiled.transactions) {
        recount->why = "the kernels do not run on the job's contents";
        return HD_OK;
    }
    recount->simulated = c.is_cached;
    count_blocks(&c);
    compare(recount);
    sort(recount);
    if (!recount->count || !recount->layouts[0].counted)
        recount->why = "no layout could be rewritten and run";
    return HD_OK;
}

/* `part` of what was `whole` and became `then`, the rest staying; more than all is the model's guess. */
static double part_then(double part, double whole, double then) {
    double left = then - (whole - part);
    return part <= whole && left >= 0 ? left : part * then / whole;
}

void advise_recounted_movement(const hd_recount *recount, const hd_layout *layout,
                               const hd_movement *before, hd_movement *after) {
    const hd_run_counts *own, *r;
    if (recount->why || !recount->count || !hd_layout_equal(recount->layouts->layout, layout) ||
        before->transactions <= 0)
        return;
    own = hd_recount_own(recount, recount->layouts);
    if (!own->requests || !own->transactions)
        return;
    r = hd_recount_deciding(recount, recount->layouts);
    after->requests = part_then(before->requests, (double)own->requests, (double)r->requests);
    after->transactions =
        part_then(before->transactions, (double)own->transactions, (double)r->transactions);
    after->moved = after->transactions * before->moved / before->transactions;
}

const hd_search_result *advise_recounted_ranking(hd_arena *arena, const hd_recount *recount,
                                                 double margin) {
    hd_search_result *ranking = hd_new(arena, hd_search_result);
    ranking->ranked = hd_new_array(arena, hd_ranked, recount->count);
    for (uint32_t i = 0; i < recount->count; i++)
        if (recount->layouts[i].counted && recount->layouts[i].ratio <= 1 - margin)
            ranking->ranked[ranking->ranked_count++] =
                (hd_ranked){.layout = (hd_layout *)recount->layouts[i].layout,
                            .ratio = recount->layouts[i].ratio};
    ranking->leave = !ranking->ranked_count;
    return ranking;
}
