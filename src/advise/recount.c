/* Layouts counted as they will run (recount.h). */
#include "advise/recount.h"

#include "advise/nvcc_job.h"
#include "advise/vectors.h"
#include "advise/verify.h"
#include "analysis/coalesce.h"

enum { OF_LIMIT = 4 };

typedef struct counting {
    const hd_job *job;
    const hd_device *device;
    const hd_evidence_options *options;
    void **before;  /* contents of the job's buffers */
    bool asks_nvcc; /* it compiles these kernels, and is here */
    hd_recount *result;
} counting;

/* ---- one run ------------------------------------------------------------------------------- */

static hd_status run_launches(const hd_job *job, hd_vm *vm, const hd_sink *sink, uint64_t left) {
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        bool is_over = hd_vm_is_over(vm, l);
        for (uint64_t r = 0; r < job->launches[l].repeat && !is_over && !status; r++) {
            hd_vm_counts counts = {0};
            status = hd_vm_run(vm, l, sink, &counts);
            if (counts.lane_accesses >= left)
                return HD_EUNSUPPORTED;
            left -= counts.lane_accesses;
        }
    }
    return status;
}

/* Runs all of the job from these contents. */
static hd_status count_job(hd_arena *arena, const counting *c, const hd_job *job,
                           void *const *contents, hd_recounted *result) {
    static const hd_diag silent = {0};
    const hd_tally_work work = hd_coalesce_work(arena, c->device);
    uint64_t limit = c->options->limit ? c->options->limit : HD_EVIDENCE_LIMIT;
    limit = limit < UINT64_MAX / OF_LIMIT ? limit * OF_LIMIT : limit;
    hd_tally *tally = hd_tally_new(arena, &work, 1);
    hd_sink sink = hd_tally_sink(tally);
    const hd_vm_options options = {.workers = 1,
                                   .max_instructions = limit < UINT64_MAX ? limit : 0,
                                   .spaces = (uint32_t)1 << KIR_GLOBAL,
                                   .stop = c->options->stop};
    hd_vm *vm;
    hd_status status = hd_vm_open(arena, &silent, job, contents, &options, &vm);
    if (status == HD_OK) {
        status = run_launches(job, vm, &sink, limit);
        hd_vm_close(vm);
    }
    const hd_coalesce_counts *counts;
    for (uint32_t n = 0; (counts = hd_tally_of_launch(tally, 0, n)) != NULL; n++) {
        result->requests += counts->requests;
        result->transactions += counts->transactions;
    }
    hd_tally_free(tally);
    result->counted = status == HD_OK && !(c->options->stop && *c->options->stop);
    return status;
}

/* ---- one layout ----------------------------------------------------------------------------- */

/* Counts a job, the original or the one `rewritten`, as nvcc compiles it, if it does. */
static void count_by_nvcc(hd_arena *arena, const counting *c, const hd_job *job,
                          const hd_rewritten *rewritten, void *const *inputs, hd_recounted *to) {
    static const hd_diag silent = {0};
    const char *source = job->kernel_path;
    const char *options = rewritten ? rewritten->options : job->options;
    hd_recounted found = {0};
    hd_job *made;
    char *folder;
    hd_status status = hd_scratch_make(arena, &silent, &folder);
    if (status != HD_OK)
        return;
    if (rewritten)
        status = hd_rewritten_store(arena, &silent, rewritten, folder, &source);
    if (status == HD_OK)
        status = hd_nvcc_job(arena, &silent, job, source, options,
                             hd_format(arena, "%s/kernels.ptx", folder), &made);
    if (status == HD_OK)
        count_job(arena, c, made, inputs, &found);
    if (found.counted) {
        to->nvcc_requests = found.requests;
        to->nvcc_transactions = found.transactions;
    }
    hd_scratch_remove(folder);
}

static void count_layout(hd_arena *arena, const counting *c, hd_recounted *to) {
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
    if (count_job(arena, c, placed->job, inputs, to) == HD_OK && to->counted && c->asks_nvcc)
        count_by_nvcc(arena, c, placed->job, rewritten, inputs, to);
}

/* A layout, or behind the last one the original by nvcc. What fails for one may work for another. */
static hd_status count_one(void *self, uint32_t worker, uint64_t number) {
    const counting *c = self;
    hd_arena *arena = hd_arena_new();
    (void)worker;
    if (number < c->result->count)
        count_layout(arena, c, &c->result->layouts[number]);
    else
        count_by_nvcc(arena, c, c->job, NULL, c->before, &c->result->original);
    hd_arena_free(arena);
    return HD_OK;
}

/* ---- which layouts ------------------------------------------------------------------------------ */

/* The transactions of a layout by the model, and where they are served. */
enum { SPARED, L1, L2, DRAM, LEVELS };
typedef struct modelled {
    double transactions, of_level[LEVELS], lane_accesses;
} modelled;

static modelled model_layout(hd_arena *arena, hd_cost_model *model, const hd_layout *layout) {
    hd_cost_line *lines;
    size_t count;
    modelled sum = {0};
    hd_cost_of_layout(arena, model, layout, &lines, &count);
    for (size_t i = 0; i < count; i++) {
        const hd_cost_line *line = &lines[i];
        double transactions = line->executions * line->transactions;
        sum.transactions += transactions;
        sum.of_level[SPARED] += transactions * line->kept;
        sum.of_level[L1] += transactions * line->l1;
        sum.of_level[L2] += transactions * line->l2;
        sum.of_level[DRAM] += transactions * (1 - line->kept - line->l1 - line->l2);
        sum.lane_accesses += line->executions * line->lanes;
    }
    return sum;
}

/* The cost to the original's, where a layout of the list places fields alike; else the model's. */
static double ratio_of(hd_arena *arena, hd_cost_model *model, const hd_search_result *ranking,
                       const hd_layout *layout) {
    const hd_record *record = hd_cost_record(model);
    uint64_t used = hd_cost_used_fields(model), unit = hd_cost_unit(model);
    uint64_t group = hd_layout_group(record, layout, used, unit);
    for (uint32_t i = 0; i < ranking->ranked_count; i++)
        if (hd_layout_group(record, ranking->ranked[i].layout, used, unit) == group)
            return ranking->ranked[i].ratio;
    const hd_layout *original = hd_layout_original(arena, record);
    hd_cost_vector cost = hd_cost_of_layout(arena, model, layout, NULL, NULL),
                   own = hd_cost_of_layout(arena, model, original, NULL, NULL);
    return hd_cost_ratio(&cost, &own);
}

static void add(hd_arena *arena, hd_cost_model *model, const hd_search_result *ranking,
                const hd_layout *layout, hd_recount *r) {
    if (hd_layout_equal(layout, hd_layout_original(arena, hd_cost_record(model))))
        return;
    for (uint32_t i = 0; i < r->count; i++)
        if (hd_layout_equal(r->layouts[i].layout, layout))
            return;
    r->layouts[r->count++] =
        (hd_recounted){.layout = layout, .ratio = ratio_of(arena, model, ranking, layout)};
}

static void choose(hd_arena *arena, const hd_device *device, hd_cost_model *model,
                   const hd_search_result *ranking, hd_recount *r) {
    enum { BEST = 3, HABITS = 4 };
    static const hd_diag silent = {0};
    const hd_record *record = hd_cost_record(model);
    hd_layout *tiles;
    r->layouts = hd_new_array(arena, hd_recounted, BEST + HABITS);
    for (uint32_t i = 0; i < ranking->ranked_count && i < BEST; i++)
        add(arena, model, ranking, ranking->ranked[i].layout, r);
    add(arena, model, ranking, hd_layout_soa(arena, record), r);
    if (!hd_layout_parse(arena, &silent, record, hd_format(arena, "aosoa:%u", device->warp),
                         &tiles))
        add(arena, model, ranking, tiles, r);
    for (int pads = 0; pads < 2; pads++) {
        const hd_layout *vectors = advise_vectors(arena, model, pads);
        if (vectors)
            add(arena, model, ranking, vectors, r);
    }
}

/* ---- what it says of the cost ------------------------------------------------------------------ */

/* The share of a layout's cost that goes with these transactions: those that a compiler spares are
 * of memory that was just accessed, and would have been served by the nearest level. */
static double share_of(const modelled *m, const hd_device *device, double transactions) {
    const double prices[LEVELS] = {0, device->w_l1, device->w_l2, device->w_dram};
    double cost = 0, gone = 0;
    for (int level = 0; level < LEVELS; level++) {
        double here = m->of_level[level] < transactions ? m->of_level[level] : transactions;
        cost += m->of_level[level] * prices[level];
        gone += here * prices[level];
        transactions -= here;
    }
    return cost > 0 ? gone / cost : 0;
}

/* What is more than the model expects costs as much as the others. */
static void correct(hd_arena *arena, hd_cost_model *model, const modelled *original,
                    hd_recount *r) {
    double times = original->transactions / (double)r->original.transactions;
    for (uint32_t i = 0; i < r->count; i++) {
        hd_recounted *of = &r->layouts[i];
        modelled m = model_layout(arena, model, of->layout);
        double found = (double)of->transactions * times;
        if (!of->counted || m.transactions <= 0)
            continue;
        of->ratio *= found > m.transactions
                         ? found / m.transactions
                         : 1 - share_of(&m, hd_cost_device(model), m.transactions - found);
    }
}

static bool is_cheaper(const hd_recounted *a, const hd_recounted *b) {
    return a->counted != b->counted ? a->counted : a->ratio < b->ratio;
}

static bool has_fewer_requests(const hd_recounted *a, const hd_recounted *b) {
    return a->requests != b->requests ? a->requests < b->requests : a->ratio < b->ratio;
}

/* Equal ones stay in order: the plainer first, as they were chosen. */
static void sort_by(bool (*is_before)(const hd_recounted *, const hd_recounted *),
                    hd_recounted *layouts, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k && is_before(&layouts[k], &layouts[k - 1]); k--) {
            hd_recounted later = layouts[k];
            layouts[k] = layouts[k - 1];
            layouts[k - 1] = later;
        }
}

/* The best first: of costs that are alike that of fewer requests. */
static void sort(hd_recount *r) {
    const double alike = 0.005;
    sort_by(is_cheaper, r->layouts, r->count);
    for (uint32_t from = 0, to; from < r->count && r->layouts[from].counted; from = to) {
        for (to = from + 1; to < r->count && r->layouts[to].counted &&
                            r->layouts[to].ratio < r->layouts[from].ratio * (1 + alike);)
            to++;
        sort_by(has_fewer_requests, &r->layouts[from], to - from);
    }
}

/* nvcc's transactions are those of the GPU: where it compiles the original they correct the cost. */
static void correct_by_nvcc(hd_recount *r) {
    for (uint32_t i = 0; i < r->count && r->original.nvcc_transactions; i++) {
        hd_recounted *of = &r->layouts[i];
        if (of->counted && of->nvcc_transactions)
            of->ratio *= (double)of->nvcc_transactions / (double)r->original.nvcc_transactions /
                         ((double)of->transactions / (double)r->original.transactions);
    }
}

hd_status advise_recount(hd_arena *arena, const hd_job *job, const hd_device *device,
                         hd_cost_model *model, const hd_search_result *ranking,
                         const hd_evidence_options *options, hd_recount *recount) {
    static const hd_diag silent = {0};
    uint64_t limit = options->limit ? options->limit : HD_EVIDENCE_LIMIT, failed;
    modelled all = model_layout(arena, model, hd_layout_original(arena, job->record));
    *recount = (hd_recount){.tried = true, .original.ratio = 1};
    if (all.lane_accesses > OF_LIMIT * (double)limit) {
        recount->why = "the job is more work than the limit; raise it with --run";
        return HD_OK;
    }
    choose(arena, device, model, ranking, recount);
    counting c = {.job = job,
                  .device = device,
                  .options = options,
                  .before = hd_new_array(arena, void *, job->buffer_count + 1),
                  .asks_nvcc = job->module->form == KIR_FOR_NVIDIA &&
                               hd_ends_in(job->kernel_path, ".cu") && hd_nvcc_find(arena),
                  .result = recount};
    hd_status status = hd_job_all_contents(arena, &silent, job, c.before);
    if (status == HD_OK)
        status = count_job(arena, &c, job, c.before, &recount->original);
    if (status != HD_OK || !recount->original.transactions) {
        recount->why = "the kernels do not run on the job's contents";
        return HD_OK;
    }
    status = hd_in_parallel(hd_core_count(), recount->count + c.asks_nvcc, count_one, &c, &failed);
    if (status != HD_OK)
        return status;
    correct(arena, model, &all, recount);
    correct_by_nvcc(recount);
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
    const hd_recounted *r = recount->layouts, *own = &recount->original;
    if (recount->why || !recount->count || !r->counted || !hd_layout_equal(r->layout, layout) ||
        before->transactions <= 0 || !own->requests || !own->transactions)
        return;
    after->requests = part_then(before->requests, (double)own->requests, (double)r->requests);
    after->transactions =
        part_then(before->transactions, (double)own->transactions, (double)r->transactions);
    after->moved = after->transactions * before->moved / before->transactions;
}

const hd_search_result *advise_recounted_ranking(hd_arena *arena, const hd_recount *recount) {
    hd_search_result *ranking = hd_new(arena, hd_search_result);
    ranking->ranked = hd_new_array(arena, hd_ranked, recount->count);
    for (uint32_t i = 0; i < recount->count; i++)
        if (recount->layouts[i].counted && recount->layouts[i].ratio <= 1 - HD_NOTICEABLE)
            ranking->ranked[ranking->ranked_count++] =
                (hd_ranked){.layout = (hd_layout *)recount->layouts[i].layout,
                            .ratio = recount->layouts[i].ratio};
    ranking->leave = !ranking->ranked_count;
    return ranking;
}
