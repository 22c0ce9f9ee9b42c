/* Layouts counted as they will run (recount.h). */
#include "advise/recount.h"

#include <math.h>

#include "advise/nvcc_job.h"
#include "advise/ptxas.h"
#include "advise/vectors.h"
#include "advise/verify.h"
#include "analysis/banks.h"
#include "analysis/time_work.h"
#include "device/energy_model.h"
#include "model/race.h"

typedef struct counting {
    hd_arena *arena; /* of what is kept, and not for threads */
    const hd_diag *diag;
    const hd_job *job;
    const hd_device *device;
    const hd_evidence_options *options;
    void **before;  /* contents of the job's buffers */
    double share;   /* of the blocks, that caches are simulated for */
    bool is_part;   /* no others run: they would be too much work */
    bool is_cached; /* they can be: else transactions are the cost */
    bool asks_nvcc; /* it compiles these kernels, and is here */
    uint32_t *near; /* layouts that it is asked about, [near_count] */
    uint32_t near_count;
    char *folder; /* for files, which begin with the number of the layout there */
    hd_recount *result;
} counting;

/* ---- one run ------------------------------------------------------------------------------- */

/* A run of a launch. */
typedef struct counted_run {
    uint32_t launch;
    double times; /* as many blocks as ran are all of its */
} counted_run;
typedef hd_vec(counted_run) counted_runs;

/* A launch, as it is counted. */
typedef struct counted_launch {
    hd_arena *arena;
    hd_block_choice some; /* that caches are simulated for */
    counted_run run;
    counted_runs *runs; /* of all launches, in the order in which they run */
} counted_launch;

static hd_status note_run(void *self, const hd_event_launch *launch) {
    const counted_launch *of = self;
    (void)launch;
    hd_push(of->arena, of->runs, of->run);
    return HD_OK;
}

/* What is counted of a job. */
typedef struct job_counts {
    hd_arena *arena;
    const counting *counting;
    const hd_job *job;
    const hd_placed_job *placed; /* what the job's buffers were; NULL: the same */
    counted_launch *launches;
    counted_runs runs;
    hd_tally *tally;
    hd_vm_counts *each; /* launch */
    const hd_caches *caches;
} job_counts;

/* For each launch: sinks that hear all that runs of it, and one for the share of the blocks. */
static hd_sink *make_sinks(job_counts *j, hd_sink part) {
    const counting *c = j->counting;
    hd_sink *sinks = hd_new_array(j->arena, hd_sink, j->job->launch_count);
    j->launches = hd_new_array(j->arena, counted_launch, j->job->launch_count);
    for (uint32_t l = 0; l < j->job->launch_count; l++) {
        const hd_launch *launch = &j->job->launches[l];
        const uint64_t blocks = hd_grid_of(launch->dims, launch->global, launch->local).block_count;
        counted_launch *of = &j->launches[l];
        const hd_block_choice some = hd_blocks_spread(blocks, (double)blocks * c->share);
        const double chosen = (double)hd_blocks_chosen(&some, blocks);
        *of = (counted_launch){
            j->arena, some, {l, c->is_part ? (double)blocks / chosen : 1}, &j->runs};
        const hd_sink all[] = {{.self = of, .launch = note_run},
                               hd_tally_sink(j->tally),
                               hd_sink_blocks(j->arena, part, some)};
        sinks[l] = hd_sink_tee(j->arena, all, c->is_cached ? 3 : 2);
    }
    return sinks;
}

/* Which buffer of the original job one of this job is; false: none. */
static bool find_original(const job_counts *j, uint32_t buffer, uint32_t *original) {
    int32_t field;
    *original = j->placed ? UINT32_MAX : buffer;
    if (j->placed)
        hd_placed_find(j->placed, buffer, 0, original, &field);
    return *original != UINT32_MAX;
}

/* Of the buffer with this name in a run of a launch. */
static void add_traffic(const job_counts *j, const char *name, const hd_cache_counts *c,
                        double times, hd_buffer_traffic *traffic) {
    const double sector = times * j->caches->sector;
    uint32_t b = 0, original;
    while (b < j->job->buffer_count && strcmp(j->job->buffers[b].name, name) != 0)
        b++;
    if (b == j->job->buffer_count || !find_original(j, b, &original))
        return;
    hd_buffer_traffic *to = &traffic[original];
    to->read += times * (double)c->l2_bytes;
    to->written += sector * (double)c->l2_sectors - times * (double)c->l2_bytes;
    to->l2_hits += sector * (double)c->l2_hits;
    to->dram_read += times * (double)c->dram_read;
    to->dram_written += times * (double)c->dram_written;
    to->dram_rows += times * (double)c->dram_rows;
}

/* What caches served of each buffer, of a share of a run's blocks. */
static void add_buffers(const job_counts *j, uint32_t n, hd_run_counts *sum) {
    const hd_cache_launch *l = &j->caches->launches[n];
    const double times = l->blocks ? (double)l->launch->block_count / (double)l->blocks : 1;
    const uint32_t launch = j->runs.data[n].launch;
    for (uint32_t b = 0; sum->traffic && b < l->launch->buffer_count; b++)
        if (l->launch->buffers[b].name)
            add_traffic(j, l->launch->buffers[b].name, &l->buffers[b], times,
                        &sum->traffic[launch * sum->buffer_count]);
}

/* Blocks that did not run do as those that did. */
static void sum_up(const job_counts *j, hd_run_counts *sum) {
    double requests = 0;
    for (uint32_t n = 0; n < j->runs.count; n++) {
        const counted_run *run = &j->runs.data[n];
        const hd_coalesce_counts *moved = hd_tally_of_launch(j->tally, 0, n);
        hd_time_work_add(&sum->works[run->launch], run->times, moved);
        sum->cost += run->times * (double)moved->transactions;
    }
    for (uint32_t n = 0; j->caches && n < j->caches->launch_count; n++) {
        hd_time_work_add_served(&sum->works[j->runs.data[n].launch], j->caches, n);
        add_buffers(j, n, sum);
    }
    for (uint32_t l = 0; l < sum->work_count; l++) {
        hd_time_work *w = &sum->works[l];
        if (w->runs > 0)
            hd_time_work_end(w, &j->job->launches[l], j->counting->device, j->launches[l].run.times,
                             &j->each[l]);
        requests += w->requests;
    }
    for (uint32_t b = 0, original; sum->bytes && b < j->job->buffer_count; b++)
        if (find_original(j, b, &original))
            sum->bytes[original] += j->job->buffers[b].count * j->job->buffers[b].element_bytes;
    sum->requests = (uint64_t)(requests + 0.5);
    sum->transactions = (uint64_t)(sum->cost + 0.5);
}

/* What caches serve of it. */
static hd_status simulate(job_counts *j, const char *file) {
    const counting *c = j->counting;
    const hd_trace_watch watch = {.stop = c->options->stop};
    const hd_caches_options options = {.watch = &watch};
    hd_trace *trace;
    hd_status status = hd_trace_open(j->arena, c->diag, file, &trace);
    if (status != HD_OK)
        return status;
    status = hd_caches_run(j->arena, c->diag, trace, c->device, j->job, NULL, &options, &j->caches);
    hd_trace_close(trace);
    return status;
}

static bool uses_local_memory(const hd_job *job) {
    for (uint32_t k = 0; k < job->module->kernel_count; k++)
        for (kir_value v = 0; v < job->module->kernels[k]->inst_count; v++)
            if (job->module->kernels[k]->insts[v].type.kind == KIR_PTR &&
                job->module->kernels[k]->insts[v].type.space == KIR_LOCAL)
                return true;
    return false;
}

static hd_status run_all(job_counts *j, void *const *contents, hd_sink part, hd_vm_counts *all) {
    const counting *c = j->counting;
    const uint64_t most = hd_evidence_limit_again(c->options);
    const hd_vm_options options = {.workers = 1,
                                   .max_instructions = most < UINT64_MAX ? most : 0,
                                   .spaces = (uint32_t)1 << KIR_GLOBAL,
                                   .stop = c->options->stop};
    hd_block_choice *parts = hd_new_array(j->arena, hd_block_choice, j->job->launch_count);
    const hd_sink *sinks = make_sinks(j, part);
    hd_vm *vm;
    for (uint32_t l = 0; l < j->job->launch_count; l++)
        parts[l] = j->launches[l].some;
    hd_status status = hd_vm_open(j->arena, c->diag, j->job, contents, &options, &vm);
    if (status != HD_OK)
        return status;
    status = hd_vm_run_all(vm, c->is_part ? parts : NULL, sinks, most, j->each, all);
    hd_vm_close(vm);
    return status == HD_OK && c->options->stop && *c->options->stop ? HD_EUNSUPPORTED : status;
}

/* Passes of the banks of local memory, by a few blocks of each launch: they hardly depend on what
 * buffers hold, and not on the layout of records. Where these blocks do not run it is none. */
static void count_passes(hd_arena *arena, const counting *c, const hd_job *job,
                         hd_run_counts *counts) {
    enum { BLOCKS = 4, MOST_INSTRUCTIONS = 1 << 20 };
    static const hd_diag silent = {0};
    const hd_vm_options options = {.workers = 1,
                                   .max_instructions = MOST_INSTRUCTIONS,
                                   .spaces = (uint32_t)1 << KIR_LOCAL,
                                   .stop = c->options->stop};
    const hd_tally_work banks = hd_banks_work(arena, c->device);
    hd_vm *vm;
    uint32_t ran = 0;
    if (!uses_local_memory(job) ||
        hd_vm_open(arena, &silent, job, c->before, &options, &vm) != HD_OK)
        return;
    for (uint32_t l = 0; l < counts->work_count; l++) {
        hd_time_work *w = &counts->works[l];
        const hd_block_choice some = hd_blocks_spread(w->blocks, BLOCKS);
        hd_tally *tally = hd_tally_new(arena, &banks, 1);
        const hd_sink sink = hd_tally_sink(tally);
        const hd_banks_counts *found = NULL;
        if (w->runs > 0 && hd_vm_write_before(vm, l) == HD_OK) {
            hd_status status = hd_vm_run_blocks(vm, l, &some, &sink, NULL);
            found = status == HD_OK ? hd_tally_of_launch(tally, 0, ran) : NULL;
            ran++;
        }
        if (found)
            w->passes = w->runs * (double)found->passes * (double)w->blocks /
                        (double)hd_blocks_chosen(&some, w->blocks);
        hd_tally_free(tally);
    }
    hd_vm_close(vm);
}

/* Of what caches were simulated for. */
static void price(const hd_device *device, hd_run_counts *counts) {
    counts->time = (hd_time){0};
    if (hd_time_is_known(device))
        counts->time = hd_time_of_all(device, counts->works, counts->work_count);
    if (!hd_time_joules(device, counts->works, counts->work_count, &counts->time, &counts->joules))
        counts->joules = 0;
}

/* Runs the job, or the part of it, from these contents. `placed`: what its buffers were, NULL for the same
 * ones. The file is for a trace. `result` has room for the works. */
static hd_status count_job(hd_arena *arena, const counting *c, const hd_job *job,
                           const hd_placed_job *placed, void *const *contents, const char *file,
                           hd_run_counts *result) {
    const hd_trace_header header = {.spaces = (uint32_t)1 << KIR_GLOBAL};
    const hd_tally_work work = hd_coalesce_work(arena, c->device);
    job_counts j = {.arena = arena,
                    .counting = c,
                    .job = job,
                    .placed = placed,
                    .each = hd_new_array(arena, hd_vm_counts, job->launch_count)};
    hd_vm_counts all = {0};
    hd_trace_writer *writer;
    hd_status status = hd_trace_create(arena, c->diag, file, &header, &writer);
    if (status != HD_OK)
        return status;
    j.tally = hd_tally_new(arena, &work, 1);
    status = hd_trace_end(writer, run_all(&j, contents, hd_trace_sink(writer), &all), true);
    if (status == HD_OK && c->is_cached)
        status = simulate(&j, file);
    if (status == HD_OK) {
        sum_up(&j, result);
        result->cost = j.caches ? j.caches->total.cost : result->cost;
        if (j.caches)
            price(c->device, result);
    }
    hd_tally_free(j.tally);
    return status;
}

static void take_passes(const hd_run_counts *from, const hd_device *device, hd_run_counts *to) {
    for (uint32_t l = 0; l < to->work_count; l++)
        to->works[l].passes = from->works[l].passes;
    price(device, to);
}

static void make_room(hd_arena *arena, const hd_job *job, bool by_buffer, hd_run_counts *counts) {
    counts->works = hd_new_array(arena, hd_time_work, job->launch_count);
    counts->work_count = job->launch_count;
    if (!by_buffer)
        return;
    counts->buffer_count = job->buffer_count;
    counts->traffic =
        hd_new_array(arena, hd_buffer_traffic, (size_t)job->launch_count * job->buffer_count);
    counts->bytes = hd_new_array(arena, uint64_t, job->buffer_count);
}

/* ---- one layout ----------------------------------------------------------------------------- */

/* Registers and shared memory as ptxas gives them, where it does. */
static void take_registers(hd_arena *arena, const counting *c, const hd_job *made, const char *ptx,
                           hd_run_counts *counts) {
    static const hd_diag silent = {0};
    hd_ptxas found;
    if (hd_ptxas_registers(arena, &silent, ptx, c->device->board.capability, &found) != HD_OK)
        return;
    for (uint32_t l = 0; l < counts->work_count; l++) {
        const hd_ptxas_kernel *kernel = hd_ptxas_find(&found, made->launches[l].kernel_name);
        if (!kernel)
            continue;
        counts->works[l].registers = kernel->registers;
        counts->works[l].shared = kernel->shared;
    }
    if (counts->time.seconds > 0)
        price(c->device, counts);
}

/* Counts a job, the original or the one `rewritten`, as nvcc compiles it, if it does. */
static void count_by_nvcc(hd_arena *arena, const counting *c, const hd_job *job,
                          const hd_rewritten *rewritten, void *const *inputs, const char *files,
                          hd_recounted *to) {
    const char *source = job->kernel_path;
    const char *options = rewritten ? rewritten->options : job->options;
    hd_job *made;
    hd_status status = HD_OK;
    if (rewritten)
        status = hd_rewritten_store(arena, c->diag, rewritten, files, &source);
    if (status == HD_OK)
        status = hd_nvcc_job(arena, c->diag, job, source, options,
                             hd_format(arena, "%s.ptx", files), &made);
    if (status == HD_OK && count_job(arena, c, made, NULL, inputs,
                                     hd_format(arena, "%s.hdt", files), &to->nvcc) == HD_OK)
        take_registers(arena, c, made, hd_format(arena, "%s.ptx", files), &to->nvcc);
}

/* The job with its kernels and contents in a layout. */
static hd_status place(hd_arena *arena, const counting *c, const hd_layout *in,
                       hd_rewritten **rewritten, hd_placed_job **placed, void ***inputs) {
    const hd_record_layout layout = {c->job->record, in};
    hd_status status = hd_rewrite_kernels_of_program(arena, c->diag, c->job, &layout, 1, rewritten);
    if (status != HD_OK)
        return status;
    hd_rewritten_view view = {arena, c->diag, *rewritten, NULL};
    if ((status = hd_place_rewritten(&view, c->job, &layout, 1, placed)) != HD_OK)
        return status;
    *inputs = hd_new_array(arena, void *, (*placed)->job->buffer_count + 1);
    hd_placed_scatter(arena, *placed, c->before, *inputs);
    return HD_OK;
}

static void count_layout(hd_arena *arena, const counting *c, const char *files, hd_recounted *to) {
    hd_rewritten *rewritten;
    hd_placed_job *placed;
    void **inputs;
    if (place(arena, c, to->layout, &rewritten, &placed, &inputs) != HD_OK)
        return;
    if (c->near_count)
        count_by_nvcc(arena, c, placed->job, rewritten, inputs, files, to);
    else
        to->counted = count_job(arena, c, placed->job, placed, inputs,
                                hd_format(arena, "%s.hdt", files), &to->compiled) == HD_OK;
}

static void count_original(hd_arena *arena, const counting *c, const char *files,
                           hd_recounted *to) {
    to->counted = count_job(arena, c, c->job, NULL, c->before, hd_format(arena, "%s.hdt", files),
                            &to->compiled) == HD_OK;
    if (to->counted)
        count_passes(arena, c, c->job, &to->compiled);
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

double hd_expected_accesses(const hd_cost_line *lines, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += lines[i].executions * lines[i].lanes;
    return sum;
}

double hd_lane_accesses(hd_arena *arena, hd_cost_model *model) {
    hd_cost_line *lines;
    size_t count;
    hd_cost_of_layout(arena, model, hd_layout_original(arena, hd_cost_record(model)), &lines,
                      &count);
    return hd_expected_accesses(lines, count);
}

/* Whether a plainer layout before it costs the same by what is known. */
static bool is_beside(const hd_record *record, const hd_search_result *ranking, uint32_t number) {
    static const double same = 1e-3;
    const hd_ranked *of = &ranking->ranked[number];
    for (uint32_t i = 0; i < number; i++)
        if (of->ratio <= ranking->ranked[i].ratio * (1 + same) &&
            hd_layout_nearer(record, ranking->ranked[i].layout, of->layout) < 0)
            return true;
    return false;
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
        if (!is_beside(record, ranking, i))
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

/* What is to be least; without simulated caches the cost. */
static double value_of(const hd_recount *r, const hd_run_counts *counts) {
    if (r->objective == HD_QUANTITY_TIME || !(counts->joules > 0))
        return counts->cost;
    return counts->joules * (r->objective == HD_QUANTITY_EDP ? counts->time.seconds : 1);
}

static void compare(hd_recount *r) {
    for (uint32_t i = 0; i < r->count; i++) {
        hd_recounted *of = &r->layouts[i];
        of->counted = of->counted && hd_recount_deciding(r, of)->transactions &&
                      (!of->asked || of->nvcc.transactions);
        of->ratio = of->counted ? value_of(r, hd_recount_deciding(r, of)) /
                                      value_of(r, hd_recount_own(r, of))
                                : 0;
    }
}

/* Of layouts whose costs can hardly be told apart: fewer transactions, then fewer requests, then the
 * plainer one. */
static bool is_better(const hd_recount *r, const hd_record *record, const hd_recounted *a,
                      const hd_recounted *b) {
    const hd_run_counts *x = hd_recount_deciding(r, a), *y = hd_recount_deciding(r, b);
    const double few = (double)x->transactions / (double)y->transactions;
    if (few < 1 - HD_NOTICEABLE / 2 || few >= 1 + HD_NOTICEABLE / 2)
        return few < 1;
    return x->requests == y->requests ? hd_layout_nearer(record, a->layout, b->layout) < 0
                                      : x->requests < y->requests;
}

/* How long it takes to the original of the same compiler; 0: that is not known. */
static hd_time relative_time(const hd_recount *r, const hd_recounted *of) {
    hd_time time = hd_recount_deciding(r, of)->time;
    const double own = hd_recount_own(r, of)->time.seconds;
    time.seconds = own > 0 ? time.seconds / own : 0;
    return time;
}

int hd_recount_faster(const hd_recount *r, const hd_recounted *a, const hd_recounted *b) {
    const hd_time x = relative_time(r, a), y = relative_time(r, b);
    if (r->objective != HD_QUANTITY_TIME || !(x.seconds > 0) || !(y.seconds > 0))
        return 0;
    const hd_time_gain gain = hd_time_gain_of(&y, &x); /* from b to a */
    return (gain.low > 1) - (gain.high < 1);
}

/* By the time, where that tells them apart, else by cost. */
static bool is_cheaper(const hd_recount *r, const hd_recounted *a, const hd_recounted *b) {
    if (a->counted != b->counted || !a->counted)
        return a->counted && !b->counted;
    const int faster = hd_recount_faster(r, a, b);
    return faster ? faster > 0 : a->ratio < b->ratio;
}

/* Moves layout `from` before layout `to`. */
static void move_up(hd_recounted *layouts, uint32_t from, uint32_t to) {
    const hd_recounted moved = layouts[from];
    memmove(&layouts[to + 1], &layouts[to], (from - to) * sizeof moved);
    layouts[to] = moved;
}

/* By cost; but first the one to take. */
static void sort(hd_recount *r, const hd_record *record) {
    hd_recounted *all = r->layouts;
    uint32_t best = 0;
    for (uint32_t i = 1, k; i < r->count; i++) {
        for (k = i; k && is_cheaper(r, &all[i], &all[k - 1]);)
            k--;
        move_up(all, i, k);
    }
    for (uint32_t i = 1;
         i < r->count && all[i].counted && all[i].ratio <= all[0].ratio * (1 + HD_NOTICEABLE); i++)
        if (is_better(r, record, &all[i], &all[best]) &&
            hd_recount_faster(r, &all[i], &all[best]) >= 0)
            best = i;
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

static counting counting_of(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            const hd_device *device, double lane_accesses,
                            const hd_evidence_options *options) {
    static const hd_diag silent = {0};
    const double limit = (double)hd_evidence_limit(options);
    return (counting){.arena = arena,
                      .diag = diag,
                      .job = job,
                      .device = device,
                      .options = options,
                      .before = hd_new_array(arena, void *, job->buffer_count + 1),
                      .share = lane_accesses > limit ? limit / lane_accesses : 1,
                      .is_part = lane_accesses > (double)hd_evidence_limit_again(options),
                      .is_cached = hd_caches_check(&silent, device) == HD_OK};
}

hd_status hd_count_in_layout(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_layout *layout, const hd_device *device, double expected,
                             const hd_evidence_options *options, hd_run_counts *counts) {
    counting c = counting_of(arena, diag, job, device, expected, options);
    const hd_job *placed_job = job;
    void **inputs = c.before;
    hd_rewritten *rewritten;
    hd_placed_job *placed = NULL;
    *counts = (hd_run_counts){0};
    make_room(arena, job, true, counts);
    hd_status status = hd_job_all_contents(arena, diag, job, c.before);
    if (status == HD_OK && layout) {
        status = place(arena, &c, layout, &rewritten, &placed, &inputs);
        placed_job = status == HD_OK ? placed->job : NULL;
    }
    if (status == HD_OK)
        status = hd_scratch_make(arena, diag, &c.folder);
    if (status != HD_OK)
        return status;
    status = count_job(arena, &c, placed_job, placed, inputs,
                       hd_format(arena, "%s/trace.hdt", c.folder), counts);
    hd_scratch_remove(c.folder);
    if (status == HD_OK) {
        count_passes(arena, &c, job, counts);
        if (counts->time.seconds > 0)
            price(device, counts);
    }
    return status;
}

hd_status advise_recount(hd_arena *arena, const hd_job *job, const hd_device *device,
                         hd_cost_model *model, bool by_part, const hd_search_result *ranking,
                         const hd_evidence_options *options, hd_objective objective,
                         const hd_recount *before, hd_recount *recount) {
    static const hd_diag silent = {0};
    uint64_t failed;
    counting c = counting_of(arena, &silent, job, device, hd_lane_accesses(arena, model), options);
    *recount =
        (hd_recount){.tried = true,
                     .objective = objective,
                     .original = {.layout = hd_layout_original(arena, job->record), .ratio = 1}};
    if (c.is_part && !by_part) {
        recount->why = "the job is more work than the limit; raise it with --run";
        return HD_OK;
    }
    choose(arena, device, model, ranking, options, recount);
    for (uint32_t i = 0; i <= recount->count; i++) {
        hd_recounted *of = i < recount->count ? &recount->layouts[i] : &recount->original;
        make_room(arena, job, true, &of->compiled);
        make_room(arena, job, false, &of->nvcc);
    }
    recall(before, recount);
    c.asks_nvcc = job->module->form == KIR_FOR_NVIDIA && hd_ends_in(job->kernel_path, ".cu") &&
                  hd_nvcc_find(arena);
    c.result = recount;
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
    for (uint32_t i = 0; i <= recount->count && c.is_cached; i++) {
        hd_recounted *of = i < recount->count ? &recount->layouts[i] : &recount->original;
        take_passes(&recount->original.compiled, device, &of->compiled);
        take_passes(&recount->original.compiled, device, &of->nvcc);
    }
    recount->simulated = c.is_cached;
    count_blocks(&c);
    compare(recount);
    sort(recount, job->record);
    if (!recount->count || !recount->layouts[0].counted)
        recount->why = "no layout could be rewritten and run";
    return HD_OK;
}

void advise_count_original(hd_arena *arena, const hd_job *job, const hd_device *device,
                           hd_cost_model *model, bool by_part, const hd_evidence_options *options,
                           hd_recount *recount) {
    static const hd_diag silent = {0};
    const double all = hd_lane_accesses(arena, model);
    hd_run_counts *counts = &recount->original.compiled;
    *recount = (hd_recount){.original = {.layout = hd_layout_original(arena, job->record)}};
    if ((by_part || all <= (double)hd_evidence_limit_again(options)) &&
        hd_count_in_layout(arena, &silent, job, NULL, device, all, options, counts) != HD_OK)
        *counts = (hd_run_counts){0};
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

/* Nothing is advised that is slower, however little it moves; and what is faster need not move less. */
static bool gains(const hd_recount *r, const hd_recounted *of, double margin) {
    const int faster = of->counted ? hd_recount_faster(r, of, &r->original) : -1;
    return faster > 0 || (!faster && of->ratio <= 1 - margin);
}

const hd_search_result *advise_recounted_ranking(hd_arena *arena, const hd_recount *recount,
                                                 double margin) {
    hd_search_result *ranking = hd_new(arena, hd_search_result);
    ranking->ranked = hd_new_array(arena, hd_ranked, recount->count);
    for (uint32_t i = 0; i < recount->count; i++)
        if (gains(recount, &recount->layouts[i], margin))
            ranking->ranked[ranking->ranked_count++] =
                (hd_ranked){.layout = (hd_layout *)recount->layouts[i].layout,
                            .ratio = recount->layouts[i].ratio};
    ranking->leave = !ranking->ranked_count;
    return ranking;
}
