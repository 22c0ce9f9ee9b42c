/*
 * Layouts judged by what was heard of a job (evidence.h).
 *
 * The search prices all of them with measured shapes: once with the weights of the device, where
 * links between accesses tell hits, and once by transactions alone. Of what these two, the static
 * search and habit propose, the best go through the simulation of caches, each in a thread, with
 * the trace of the run. The dynamic cost decides, or joules and seconds that models make of the same
 * counts; of layouts whose cost cannot be told apart the one of fewer transactions is taken, then the one
 * nearest to the source.
 */
#include "advise/evidence.h"
#include "model/propose.h"
#include "model/race.h"
#include "model/time.h"

#include <stdatomic.h>
#include <stdlib.h>

/* What a part of the blocks can tell from none. */
#define MARGIN_OF_A_PART 0.03
/* The same of blocks that were heard in part: what follows may be otherwise. */
#define MARGIN_OF_BEGINNINGS 0.05

typedef struct judge {
    hd_arena *arena;
    const hd_diag *diag;
    hd_evidence *evidence; /* NULL: nothing was heard */
    const hd_job *job;
    const hd_device *device;
    const hd_measured *measured;
    hd_trace *trace;
    const hd_cost_options *cost;
    const hd_evidence_options *options; /* of evidence */
    hd_trace_watch watch;
    atomic_bool stopped;
    hd_judgement *result;
} judge;

/* ---- who is judged ------------------------------------------------------------------------ */

/* Of a record taken apart: its fields alone, each whole, as `soa` of the record as declared. */
static hd_judge judge_whole_fields(hd_arena *arena, const hd_record *record) {
    hd_judge by = {.name = "whole fields"};
    const hd_record *whole = record->whole;
    uint64_t masks[HD_MAX_FIELDS] = {0};
    for (uint32_t f = 0; f < record->field_count && whole; f++)
        masks[hd_record_field_at(whole, record->fields[f].offset)] |= (uint64_t)1 << f;
    if (whole)
        hd_push(arena, &by.layouts,
                hd_layout_of_masks(arena, masks, NULL, whole->field_count, false));
    return by;
}

/* The best where the levels' weights are picojoules: operations are the same in all layouts. */
static hd_judge judge_energy(const judge *j, const hd_search_options *search) {
    const hd_device_energy *e = &j->device->energy;
    hd_search_result found;
    if (j->result->objective == HD_QUANTITY_TIME)
        return (hd_judge){.name = "energy"};
    hd_cost_model *energy = hd_cost_model_weighed(j->arena, j->result->model, e->l1, e->l1 + e->l2,
                                                  e->l1 + e->l2 + e->dram);
    hd_search_static(j->arena, energy, search, &found);
    return hd_judge_cost(j->arena, hd_cost_device(energy), &found);
}

static hd_status propose(judge *j, const hd_search_options *search, const hd_search_result *also,
                         uint32_t most, hd_proposal **proposals, uint32_t *count) {
    const hd_record *record = j->job->record;
    hd_cost_options options = *j->cost;
    hd_search_result fewest;
    options.measured = j->measured;
    hd_status status =
        hd_cost_model_make(j->arena, j->diag, j->job, j->device, &options, &j->result->model);
    if (status != HD_OK)
        return status;
    /* Were all levels of memory as fast as each other, costs would be transactions. */
    hd_cost_model *transactions = hd_cost_model_weighed(j->arena, j->result->model, 1, 1, 1);
    hd_search_static(j->arena, j->result->model, search, &j->result->search);
    hd_search_static(j->arena, transactions, search, &fewest);
    const hd_judge judges[] = {judge_energy(j, search),
                               hd_judge_cost(j->arena, j->device, &j->result->search),
                               hd_judge_cost(j->arena, hd_cost_device(transactions), &fewest),
                               hd_judge_cost(j->arena, j->device, also),
                               judge_whole_fields(j->arena, record),
                               hd_judge_plain(j->arena, record)};
    *proposals = hd_propose(j->arena, record, hd_cost_used_fields(j->result->model), judges,
                            sizeof judges / sizeof *judges, most, count);
    return HD_OK;
}

/* Tiles that fill whole lines place fields as longer ones do. */
static bool is_known(const judge *j, const hd_layout *layout) {
    const hd_cost_model *model = j->result->model;
    uint64_t used = hd_cost_used_fields(model), unit = hd_cost_unit(model);
    const hd_record *record = hd_cost_record(model);
    uint64_t group = hd_layout_group(record, layout, used, unit);
    for (uint32_t i = 0; i < j->result->count; i++)
        if (hd_layout_group(record, j->result->layouts[i].layout, used, unit) == group)
            return true;
    return false;
}

/* ---- joules and seconds -------------------------------------------------------------------- */

/* By what it moves and computes alone, as if all launches were one. */
static double seconds_of(const judge *j, const hd_energy_counts *counts) {
    const hd_job *job = j->job;
    hd_time_work work = {.active = 1,
                         .fp32 = counts->fp32,
                         .fp64 = counts->fp64,
                         .integer = counts->integer,
                         .l1_bytes = counts->l1_bytes,
                         .l2_bytes = counts->l2_bytes,
                         .dram_bytes = counts->dram_bytes};
    double blocks = 0;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        const hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
        work.runs += (double)launch->repeat;
        blocks += (double)launch->repeat * (double)grid.block_count;
        work.block_threads = (uint32_t)grid.block_threads;
    }
    if (j->evidence) {
        work.runs = (double)j->evidence->runs;
        blocks = (double)j->evidence->blocks;
    }
    work.blocks = (uint64_t)(blocks / work.runs) + 1;
    return hd_time_is_known(j->device) ? hd_time_of(j->device, &work).seconds : 0;
}

/* Operations that were counted take the place of those of the source: `times` those of the blocks
 * that were heard. */
static void price(const judge *j, double times, hd_judged *judged) {
    hd_energy_counts *counts = &judged->counts;
    if (j->evidence) {
        counts->fp32 = times * j->evidence->operations[HD_OPERATION_FP32];
        counts->fp64 = times * j->evidence->operations[HD_OPERATION_FP64];
        counts->integer = times * j->evidence->operations[HD_OPERATION_INTEGER];
    }
    judged->seconds = counts->seconds = seconds_of(j, counts);
    if (!hd_energy_modelled(j->device, counts, &judged->joules))
        judged->joules = 0;
}

/* ---- the judgement ------------------------------------------------------------------------- */

static hd_status simulate(void *self, uint32_t worker, uint64_t number) {
    judge *j = self;
    if (!worker)
        hd_evidence_show(j->options, "simulating layouts",
                         (double)number / (double)j->result->count);
    hd_judged *judged = &j->result->layouts[number];
    hd_arena *arena = hd_arena_new(); /* not the threads' common one */
    const hd_caches_options options = {.registers = j->cost->registers, .watch = &j->watch};
    const hd_caches *caches;
    hd_status status = hd_caches_run(arena, j->diag, j->trace, j->device, j->job, judged->layout,
                                     &options, &caches);
    if (status == HD_OK) {
        if (!caches->complete)
            j->stopped = true;
        judged->cost = caches->total.cost;
        judged->caches = caches->total;
        judged->transactions = (double)caches->total.counts.transactions;
        judged->counts = hd_caches_energy_counts(caches);
        price(j, 1, judged);
        hd_caches_serve(caches, judged->lines, judged->line_count);
    }
    hd_arena_free(arena);
    return status;
}

/* Without caches the model's price stands. */
static hd_status judge_all(judge *j) {
    hd_judgement *r = j->result;
    const hd_evidence *e = j->evidence;
    double times = e && e->blocks ? (double)e->block_count / (double)e->blocks : 1;
    uint64_t failed;
    for (uint32_t i = 0; i < r->count; i++) {
        hd_judged *judged = &r->layouts[i];
        hd_cost_vector cost = hd_cost_of_layout(j->arena, r->model, judged->layout, &judged->lines,
                                                &judged->line_count);
        judged->cost = hd_cost_mean(&cost);
        judged->transactions = hd_cost_transactions(judged->lines, judged->line_count);
        if (r->simulated)
            continue;
        judged->counts = hd_cost_energy_counts(j->arena, r->model, j->job, judged->layout);
        price(j, times, judged);
    }
    if (!r->simulated)
        return HD_OK;
    return hd_in_parallel(hd_core_count(), r->count, simulate, j, &failed);
}

/* qsort's; equal costs keep their order. */
static int cheaper(const void *a, const void *b) {
    const hd_judged *x = a, *y = b;
    if (x->least != y->least)
        return x->least < y->least ? -1 : 1;
    return x->transactions < y->transactions ? -1 : x->transactions > y->transactions;
}

/* Of the layouts that are as good as the first the one to take comes first. */
static void rank(const judge *j) {
    hd_judgement *r = j->result;
    const hd_record *record = j->job->record;
    const hd_layout *original = r->layouts[0].layout;
    for (uint32_t i = 0; i < r->count; i++) {
        hd_judged *of = &r->layouts[i];
        of->least = r->objective == HD_QUANTITY_TIME  ? of->cost
                    : r->objective == HD_QUANTITY_EDP ? of->joules * of->seconds
                                                      : of->joules;
    }
    double of_original = r->layouts[0].least;
    qsort(r->layouts, r->count, sizeof *r->layouts, cheaper);
    uint32_t best = 0;
    for (uint32_t i = 1;
         i < r->count && r->layouts[i].least <= r->layouts[0].least * (1 + HD_NOTICEABLE); i++) {
        const hd_judged *x = &r->layouts[i], *y = &r->layouts[best];
        double few = x->transactions / y->transactions;
        if (few < 1 - HD_NOTICEABLE / 2 ||
            (few < 1 + HD_NOTICEABLE / 2 && hd_layout_nearer(record, x->layout, y->layout) < 0))
            best = i;
    }
    const hd_judged taken = r->layouts[best];
    memmove(r->layouts + 1, r->layouts, best * sizeof taken);
    r->layouts[0] = taken;
    for (uint32_t i = 0; i < r->count; i++) {
        r->layouts[i].ratio = of_original > 0 ? r->layouts[i].least / of_original : 1;
        if (r->layouts[i].layout == original)
            r->original = i;
    }
}

const hd_judged *hd_judged_as(const hd_judgement *judgement, const hd_layout *layout) {
    for (uint32_t i = 0; judgement && i < judgement->count; i++)
        if (hd_layout_equal(judgement->layouts[i].layout, layout))
            return &judgement->layouts[i];
    return NULL;
}

/* The layouts that are judged, the original first. */
static hd_status gather(judge *j, const hd_search_options *search, const hd_search_result *also,
                        const hd_evidence_options *options) {
    hd_judgement *judgement = j->result;
    const uint32_t most = options->candidates ? options->candidates : 12;
    uint32_t count;
    hd_proposal *proposals;
    hd_status status = propose(j, search, also, most, &proposals, &count);
    if (status != HD_OK)
        return status;
    judgement->layouts = hd_new_array(j->arena, hd_judged, count + options->layout_count + 1);
    judgement->layouts[judgement->count++].layout = hd_layout_original(j->arena, j->job->record);
    for (uint32_t i = 0; i < options->layout_count; i++)
        judgement->layouts[judgement->count++].layout = options->layouts[i];
    for (uint32_t i = 0; i < count; i++)
        if (!is_known(j, proposals[i].layout))
            judgement->layouts[judgement->count++].layout = proposals[i].layout;
    return HD_OK;
}

/* Where other records lie is no matter of prices. */
static void gather_again(judge *j, const hd_judgement *before) {
    hd_judgement *judgement = j->result;
    judgement->model = before->model;
    judgement->search = before->search;
    judgement->layouts = hd_new_array(j->arena, hd_judged, before->count);
    judgement->layouts[judgement->count++].layout = before->layouts[before->original].layout;
    for (uint32_t i = 0; i < before->count; i++)
        if (i != before->original)
            judgement->layouts[judgement->count++].layout = before->layouts[i].layout;
}

static void conclude(const judge *j) {
    rank(j);
    j->result->leave = j->result->layouts[0].ratio > 1 - j->result->margin;
}

static hd_judgement empty(const hd_search_options *search, hd_objective objective) {
    return (hd_judgement){.objective = objective,
                          .margin = search->leave > 0 ? search->leave : HD_NOTICEABLE};
}

hd_status hd_judge_statically(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                              const hd_device *device, const hd_cost_options *cost,
                              const hd_search_options *search, const hd_search_result *also,
                              hd_objective objective, hd_judgement *judgement) {
    judge j = {.arena = arena,
               .diag = diag,
               .job = job,
               .device = device,
               .cost = cost,
               .result = judgement};
    *judgement = empty(search, objective);
    const hd_evidence_options plain = {0};
    hd_status status = gather(&j, search, also, &plain);
    if (status == HD_OK)
        status = judge_all(&j);
    if (status == HD_OK)
        conclude(&j);
    return status;
}

hd_status hd_evidence_judge(hd_arena *arena, const hd_diag *diag, hd_evidence *evidence,
                            uint32_t device, const hd_evidence_options *options,
                            const hd_cost_options *cost, const hd_search_options *search,
                            const hd_search_result *also, hd_objective objective,
                            const hd_judgement *before, hd_judgement *judgement) {
    judge j = {.arena = arena,
               .diag = diag,
               .evidence = evidence,
               .job = evidence->measured[device]->job,
               .measured = evidence->measured[device],
               .device = evidence->measured[device]->device,
               .cost = cost,
               .options = options,
               .watch = {.stop = options->stop},
               .result = judgement};
    *judgement = empty(search, objective);
    judgement->heard = true;
    hd_status status = HD_OK;
    if (before && before->heard)
        gather_again(&j, before);
    else
        status = gather(&j, search, also, options);
    if (status != HD_OK)
        return status;
    const hd_diag silent = {0};
    judgement->simulated = hd_caches_check(&silent, j.device) == HD_OK;
    if (judgement->simulated)
        status = hd_trace_open(arena, diag, evidence->trace, &j.trace);
    if (status == HD_OK)
        status = judge_all(&j);
    if (j.trace)
        hd_trace_close(j.trace);
    if (j.stopped) {
        evidence->stopped = true;
        evidence->why = "it was stopped";
    }
    if (status != HD_OK || j.stopped)
        return status;
    const double least = evidence->part_blocks            ? MARGIN_OF_BEGINNINGS
                         : hd_evidence_is_whole(evidence) ? 0
                                                          : MARGIN_OF_A_PART;
    if (judgement->margin < least)
        judgement->margin = least;
    judgement->margin += 2 * j.measured->error;
    conclude(&j);
    return HD_OK;
}
