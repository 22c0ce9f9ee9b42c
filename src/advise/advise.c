/*
 * From a job to a better layout: what `heddle advise` does, in order.
 */
#include "advise/advise.h"

#include "advise/made_up.h"
#include "advise/rounds.h"
#include "advise/vectors.h"
#include "advise/verdict.h"

/* What it would say was said. */
static const hd_diag silent = {0};

/* Who proposes layouts for a race: evidence, with all that it has looked at, or static cost. */
static advise_static_judge judge_of(hd_arena *arena, const hd_device_advice *of) {
    if (!of->judged)
        return (advise_static_judge){of->device, &of->search};
    hd_search_result *all = hd_new(arena, hd_search_result);
    all->ranked = hd_new_array(arena, hd_ranked, of->judged->count);
    for (uint32_t i = 0; i < of->judged->count; i++)
        all->ranked[all->ranked_count++].layout = of->judged->layouts[i].layout;
    return (advise_static_judge){of->device, all};
}

static hd_status let_device_decide(hd_arena *arena, const hd_diag *diag,
                                   const hd_advise_options *options, hd_advice *advice) {
    hd_choose_options choose = options->choose;
    advise_static_judge *judges = hd_new_array(arena, advise_static_judge, advice->device_count);
    choose.device = options->measurement.device;
    choose.objective = options->objective;
    choose.repeats = options->measurement.repeats;
    choose.cost = options->cost;
    choose.search = options->search;
    for (uint32_t d = 0; d < advice->device_count; d++)
        judges[d] = judge_of(arena, &advice->devices[d]);
    hd_choice *choice = hd_new(arena, hd_choice);
    hd_status status =
        advise_choose(arena, diag, advice->job, judges, advice->device_count, &choose, choice);
    if (choice->count && (status == HD_OK || choice->rounds))
        advice->choice = choice;
    if (hd_choice_decides(choice)) {
        advice->best = choice->entries[choice->winner].layout;
        advice->leave =
            !choice->winner || /* or in another placement */
            hd_layout_equal(advice->best, hd_layout_original(arena, advice->job->record));
    }
    return status;
}

static void take_best(hd_arena *arena, const hd_search_result *ranking, const hd_record *record,
                      hd_device_advice *of) {
    of->ranking = ranking;
    of->leave = ranking->leave;
    of->best = of->leave ? hd_layout_original(arena, record) : ranking->ranked[0].layout;
    of->ratio = of->leave ? 1 : ranking->ranked[0].ratio;
}

/* What decides on a device: where its profile lacks what another objective needs, the cost. */
static hd_objective objective_on(const hd_advise_options *options, const hd_device *device) {
    const bool is_told = hd_device_has_energy(device) &&
                         (options->objective == HD_QUANTITY_ENERGY || hd_time_is_known(device));
    return is_told ? options->objective : HD_QUANTITY_TIME;
}

/* The layouts that gain, as a search ranks them. */
static const hd_search_result *ranking_of(hd_arena *arena, const hd_judgement *judged) {
    hd_search_result *ranking = hd_new(arena, hd_search_result);
    ranking->leave = judged->leave;
    ranking->ranked = hd_new_array(arena, hd_ranked, judged->count);
    for (uint32_t i = 0; i < judged->count; i++)
        if (judged->layouts[i].ratio <= 1 - judged->margin)
            ranking->ranked[ranking->ranked_count++] =
                (hd_ranked){.layout = judged->layouts[i].layout, .ratio = judged->layouts[i].ratio};
    return ranking;
}

/* ---- static cost ------------------------------------------------------------------------- */

static bool rests_on_assumptions(const hd_device_advice *of) {
    for (size_t i = 0; i < of->access_count; i++)
        if (of->accesses[i].origin == HD_ORIGIN_ASSUMED)
            return true;
    return false;
}

/* The modelled joules of the best layouts decide, or these and their seconds. */
static hd_status judge_statically(hd_arena *arena, const hd_diag *diag,
                                  const hd_advise_options *options, const hd_search_options *search,
                                  const hd_job *job, hd_device_advice *of) {
    of->judged = hd_new(arena, hd_judgement);
    hd_status status =
        hd_judge_statically(arena, diag, job, of->device, &options->cost, search, &of->search,
                            objective_on(options, of->device), of->judged);
    if (status == HD_OK)
        take_best(arena, ranking_of(arena, of->judged), job->record, of);
    return status;
}

static hd_status advise_by_cost(hd_arena *arena, const hd_diag *diag,
                                const hd_advise_options *options, const hd_search_options *search,
                                hd_advice *advice) {
    const hd_job *job = advice->job;
    for (uint32_t i = 0; i < options->device_count; i++) {
        hd_device_advice *of = &advice->devices[i];
        *of = (hd_device_advice){.device = options->devices[i]};
        hd_status status =
            hd_cost_model_make(arena, diag, job, of->device, &options->cost, &of->model);
        if (status != HD_OK)
            return status;
        const hd_layout *original = hd_layout_original(arena, job->record);
        of->accesses_cost =
            hd_cost_of_layout(arena, of->model, original, &of->accesses, &of->access_count);
        if (i == 0 && job == advice->apart.parts)
            of->search = advice->apart.search;
        else
            hd_search_static(arena, of->model, search, &of->search);
        take_best(arena, &of->search, job->record, of);
        if (objective_on(options, of->device) != HD_QUANTITY_TIME)
            status = judge_statically(arena, diag, options, search, job, of);
        if (status != HD_OK)
            return status;
        advice->assumes = advice->assumes || rests_on_assumptions(of);
    }
    return HD_OK;
}

/* ---- evidence ----------------------------------------------------------------------------- */

/* What was counted decides; the accesses, too, are shown as they were. */
static hd_status advise_by_evidence(hd_arena *arena, const hd_diag *diag,
                                    const hd_advise_options *options,
                                    const hd_search_options *search, hd_advice *advice,
                                    uint32_t number, const hd_search_result *also) {
    hd_device_advice *of = &advice->devices[number];
    hd_judgement *judged = hd_new(arena, hd_judgement);
    hd_status status =
        hd_evidence_judge(arena, diag, advice->evidence, number, &options->evidence, &options->cost,
                          search, also, objective_on(options, of->device),
                          options->before ? options->before->devices[number].judged : NULL, judged);
    if (status != HD_OK || advice->evidence->why)
        return status;
    of->judged = judged;
    take_best(arena, ranking_of(arena, judged), advice->job->record, of);
    const hd_judged *original = &judged->layouts[judged->original];
    of->accesses = original->lines;
    of->access_count = original->line_count;
    of->accesses_cost = (hd_cost_vector){{0}};
    for (size_t i = 0; i < of->access_count; i++)
        hd_cost_add(&of->accesses_cost, &of->accesses[i].cost);
    hd_cost_sort_lines(of->accesses, of->access_count);
    return HD_OK;
}

/* The job with only that taken apart which the best layout of the first device needs; the advice's
 * own where all is. found[d]: the best layout of each device, where it is one of that job. */
static const hd_job *with_fewest_parts(hd_arena *arena, const hd_advise_options *options,
                                       const hd_advice *advice, hd_search_result **found) {
    const hd_device_advice *first = &advice->devices[0];
    const hd_layout *best = first->best;
    const hd_record *parts = advice->job->record;
    const hd_job *fewest =
        advise_fewest_parts(arena, advice->job, first->device, &options->cost, &best);
    *found = hd_new_array(arena, hd_search_result, advice->device_count);
    for (uint32_t d = 0; d < advice->device_count; d++) {
        hd_search_result *of = &(*found)[d];
        of->ranked = hd_new(arena, hd_ranked);
        of->ranked->layout =
            d ? advise_put_together(arena, parts, advice->devices[d].best, fewest->record)
              : (hd_layout *)best;
        of->ranked_count = of->ranked->layout != NULL;
    }
    return fewest;
}

/* The static answer about the record with other fields taken apart, or none. */
static hd_status retell_by_cost(hd_arena *arena, const hd_advise_options *options,
                                const hd_search_options *search, const hd_job *job,
                                hd_advice *advice) {
    advice->job = job;
    return advise_by_cost(arena, &silent, options, search, advice);
}

/* With fewer fields taken apart each device has layouts as good. */
static bool is_as_good(const hd_advice *fewer, const hd_advice *all) {
    for (uint32_t d = 0; d < all->device_count; d++)
        if (fewer->devices[d].ratio > all->devices[d].ratio * (1 + HD_NOTICEABLE))
            return false;
    return true;
}

/* Where fewer fields have to be taken apart, the answer is about the record with only those: by what
 * was heard, where the job was run, and else by static cost. */
static hd_status answer_together(hd_arena *arena, const hd_diag *diag,
                                 const hd_advise_options *options, const hd_search_options *search,
                                 hd_advice *advice) {
    enum { FEW = 4 }; /* candidates: the best is known, up to what only the whole record has */
    bool is_heard = advice->evidence && !advice->evidence->why;
    hd_advise_options few = *options;
    hd_search_result *found;
    hd_advice fewer = *advice;
    const hd_job *fewest = with_fewest_parts(arena, options, advice, &found);
    if (fewest == advice->job)
        return HD_OK;
    few.evidence.candidates = FEW;
    fewer.devices = hd_new_array(arena, hd_device_advice, advice->device_count);
    hd_status status = retell_by_cost(arena, options, search, fewest, &fewer);
    if (status == HD_OK && is_heard)
        status = hd_evidence_retell(arena, diag, fewer.evidence, fewest, &options->evidence);
    for (uint32_t d = 0;
         is_heard && d < fewer.device_count && status == HD_OK && !fewer.evidence->why; d++)
        status = advise_by_evidence(arena, diag, &few, search, &fewer, d, &found[d]);
    if (status != HD_OK || (is_heard && fewer.evidence->why) || is_as_good(&fewer, advice))
        *advice = fewer;
    return status;
}

static hd_status run_for_evidence(hd_arena *arena, const hd_diag *diag,
                                  const hd_advise_options *options, const hd_search_options *search,
                                  const hd_job *declared, hd_advice *advice) {
    const hd_device_advice *first = &advice->devices[0];
    hd_evidence_options hearing =
        options->evidence; /* what follows from the source has no beginning */
    hearing.whole_blocks =
        !hd_basis_of(arena, first->accesses, first->access_count, &options->cost).count;
    hd_status status = hd_evidence_hear(
        arena, diag, advice->job, options->devices, advice->device_count, &hearing,
        hd_expected_accesses(first->accesses, first->access_count), &advice->evidence);
    for (uint32_t d = 0; d < advice->device_count && status == HD_OK && !advice->evidence->why; d++)
        status =
            advise_by_evidence(arena, diag, options, search, advice, d, &advice->devices[d].search);
    if (status == HD_OK && !advice->evidence->why)
        advice->threads = hd_thread_gain_of(arena, declared, options->devices[0], advice->evidence,
                                            &options->evidence);
    bool is_apart = status == HD_OK && advice->job != declared;
    if (is_apart && advice->evidence->why && !advice->apart.pays)
        status = retell_by_cost(arena, options, search, declared, advice);
    else if (is_apart)
        status = answer_together(arena, diag, options, search, advice);
    hd_evidence_free(advice->evidence);
    return status;
}

/* By static cost taking the record apart does not pay; but that rests on assumptions. */
static bool is_worth_hearing_apart(hd_arena *arena, const hd_advice *advice) {
    const hd_job *parts = advice->apart.parts;
    hd_rewritten *rewritten;
    if (!parts || advice->job == parts)
        return false;
    const hd_record_layout soa = {parts->record, hd_layout_soa(arena, parts->record)};
    return parts->module->device &&
           hd_rewrite_job(arena, &silent, parts, &soa, 1, &rewritten) == HD_OK;
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* All of the static cost of the first device follows from the source. */
static bool follows_from_source(hd_arena *arena, const hd_advice *advice,
                                const hd_cost_options *cost) {
    const hd_device_advice *first = &advice->devices[0];
    return !(first->judged && first->judged->heard) &&
           !hd_basis_of(arena, first->accesses, first->access_count, cost).count;
}

bool hd_part_stands_for_all(hd_arena *arena, const hd_advice *advice, const hd_cost_options *cost) {
    const bool is_one = advice->job->launch_count == 1 && advice->job->launches->repeat == 1;
    return is_one || follows_from_source(arena, advice, cost);
}

/* The best layouts of the first device are counted as they will run, and these counts decide. Where
 * none is better than the original one of vectors may be, which is no matter of transactions alone. */
static hd_status recount(hd_arena *arena, const hd_advise_options *options, hd_advice *advice) {
    hd_device_advice *first = &advice->devices[0];
    hd_recount *r = &advice->recount;
    hd_cost_model *model = first->judged ? first->judged->model : first->model;
    const double margin = first->judged               ? first->judged->margin
                          : options->search.leave > 0 ? options->search.leave
                                                      : HD_NOTICEABLE;
    const bool follows = follows_from_source(arena, advice, &options->cost);
    const bool by_part = hd_part_stands_for_all(arena, advice, &options->cost);
    if (!options->run || advice->job->module->form == KIR_AS_WRITTEN ||
        !advice->job->module->device || hd_advice_is_stopped(advice) ||
        (advice->evidence && advice->evidence->why && !follows)) /* there is nothing to run it on */
        return HD_OK;
    if (advice->evidence && advice->evidence->part_blocks) {
        if (!first->leave) {
            r->tried = true;
            r->why = "its blocks are too long to be run to their end in each; raise --run";
        }
        return HD_OK;
    }
    if (first->leave && !options->evidence.layout_count &&
        !advise_vectors(arena, model, HD_THREES_PADDED)) {
        if (first->judged && first->judged->heard && hd_time_is_known(first->device))
            advise_count_original(arena, advice->job, first->device, model, by_part,
                                  &options->evidence, r);
        return HD_OK;
    }
    hd_status status =
        advise_recount(arena, advice->job, first->device, model, by_part, first->ranking,
                       &options->evidence, objective_on(options, first->device),
                       options->before ? &options->before->recount : NULL, r);
    if (status == HD_OK && !r->why)
        take_best(arena, advise_recounted_ranking(arena, r, margin), advice->job->record, first);
    else if (first->leave)
        *r = (hd_recount){.original = r->original};
    return status;
}

/* What to do about it: sizes and arguments that Heddle made up are to blame first. */
static const char *mend_of(hd_arena *arena, const hd_job *job) {
    const char *guessed = advise_guessed_sizes(arena, job);
    if (!job->path)
        return hd_format(arena,
                         "%s%sgive what the program launches, with --global, --local and "
                         "--arg or in a job (heddle init)",
                         guessed ? guessed : "", guessed ? " guessed; " : "");
    return guessed ? hd_format(arena, "%s guessed; correct that in %s", guessed, job->path)
                   : hd_format(arena,
                               "look at the sizes and arguments of the launches in %s, and at "
                               "what their conditions read",
                               job->path);
}

/* The record was touched by no thread, or by hardly one, and each device's layout stays. */
static const char *why_unknown(hd_arena *arena, hd_advice *advice) {
    const hd_evidence *e = advice->evidence;
    const hd_device_advice *first = &advice->devices[0];
    bool is_heard = e && (!e->why || e->is_silent);
    const hd_touched touched =
        is_heard ? e->touched
                 : hd_touched_by_cost(advice->job, first->accesses, first->access_count);
    if (hd_touched_suffices(&touched))
        return NULL;
    for (uint32_t d = 0; d < advice->device_count; d++) {
        hd_device_advice *of = &advice->devices[d];
        of->leave = false;
        of->best = hd_layout_original(arena, advice->job->record);
        of->ratio = 1;
    }
    const char *name = hd_record_declared(advice->job->record)->name;
    const char *far = is_heard && e->part_blocks ? " as far as they were heard" : "";
    const char *threads =
        touched.threads > 0
            ? hd_format(arena, "only %.0f of %.0f threads touch a %s%s", touched.threads,
                        touched.of, name, far)
            : hd_format(arena, "none of %.0f threads touches a %s%s", touched.of, name, far);
    return hd_format(arena, "%s; %s", threads, mend_of(arena, advice->job));
}

/* The best layout of the first device is one that the sources can be put in. */
static void try_rewriting(hd_arena *arena, hd_advice *advice) {
    hd_device_advice *first = &advice->devices[0];
    advise_attempt(arena, advice->job, first->ranking, &advice->attempt);
    if (!advice->attempt.layout)
        return;
    first->best = advice->attempt.layout;
    first->ratio = advice->attempt.ratio;
}

/* What the best layout of the first device saves. */
static hd_layout_gain gain_of(hd_arena *arena, const hd_advice *advice) {
    const hd_device_advice *first = &advice->devices[0];
    const hd_recount *r = &advice->recount;
    hd_cost_line *lines;
    size_t count;
    if (first->leave)
        return (hd_layout_gain){0};
    hd_layout_gain gain = {.share = 1 - first->ratio};
    const hd_recounted *counted = hd_recount_of(r, first->best);
    if (counted) {
        gain.transactions = (double)hd_recount_own(r, counted)->transactions -
                            (double)hd_recount_deciding(r, counted)->transactions;
        return gain;
    }
    hd_cost_of_layout(arena, first->judged ? first->judged->model : first->model, first->best,
                      &lines, &count);
    gain.transactions = hd_cost_transactions(first->accesses, first->access_count) -
                        hd_cost_transactions(lines, count);
    return gain;
}

static void find_dominating(hd_arena *arena, const hd_advise_options *options, hd_advice *advice) {
    const hd_device_advice *first = &advice->devices[0];
    const hd_layout_gain gain = gain_of(arena, advice);
    if (options->run && !options->brief && !hd_advice_is_stopped(advice))
        advice->dominating_count =
            advise_dominating(arena, advice->job, first->device, first->accesses,
                              first->access_count, &gain, &options->evidence, advice->dominating);
}

/* What the answer is, in short. */
static const char *answer_of(hd_arena *arena, const hd_advice *advice) {
    const hd_device_advice *first = &advice->devices[0];
    return advice->unknown ? "unknown"
           : first->leave  ? "to leave it as it is"
                           : hd_format(arena, "to take %s",
                                       hd_layout_print(arena, advice->job->record, first->best));
}

/* Of made-up indices nobody knows how near they are to each other, which may decide: the job, which
 * has random ones, is asked about once more with one after the other. */
static void ask_otherwise(hd_arena *arena, const hd_job *job, const hd_advise_options *options,
                          hd_advice *advice) {
    hd_advise_options again = *options;
    hd_job near = *job;
    hd_advice other;
    bool is_random = false;
    near.buffers = hd_new_array(arena, hd_buffer, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        hd_buffer *buffer = &near.buffers[b];
        *buffer = job->buffers[b];
        buffer->inits = hd_new_array(arena, hd_init, buffer->init_count);
        for (uint32_t i = 0; i < buffer->init_count; i++) {
            buffer->inits[i] = job->buffers[b].inits[i];
            is_random |= hd_job_has_made_up_indices(buffer) &&
                         buffer->inits[i].generator == HD_GEN_UNIFORM && buffer->inits[i].high > 1;
        }
    }
    if (!is_random || !advice->evidence || advice->evidence->why ||
        !hd_job_fill_indices(arena, &near, true))
        return;
    again.rewrite = again.measure = false;
    again.brief = true;
    again.choose.budget = 0;
    again.costed = again.ranked = NULL;
    again.before = NULL; /* which is of another job */
    if (hd_advise(arena, &silent, &near, &again, &other) == HD_OK &&
        strcmp(answer_of(arena, &other), answer_of(arena, advice)) != 0)
        advice->otherwise =
            hd_format(arena, "%s, at %.3f", answer_of(arena, &other), other.devices[0].ratio);
}

static hd_status rewrite(hd_arena *arena, const hd_diag *diag, const hd_record_layout *chosen,
                         hd_advice *advice) {
    const hd_attempt *attempt = &advice->attempt;
    if (attempt->layout && hd_layout_equal(attempt->layout, chosen->layout)) {
        advice->rewritten = attempt->rewritten;
        advice->program = attempt->program;
        return HD_OK;
    }
    bool is_recorded = advice->job->source_count > 0;
    hd_status status = hd_rewrite_job(arena, is_recorded ? &silent : diag, advice->job, chosen, 1,
                                      &advice->rewritten);
    if (is_recorded || (status == HD_OK && advice->rewritten->has_host_launches))
        status = hd_rewrite_program(arena, diag, advice->job, chosen, 1, &advice->program);
    return status;
}

hd_status hd_advise(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                    const hd_advise_options *options, hd_advice *advice) {
    hd_search_options search = options->search;
    *advice = (hd_advice){.device_count = options->device_count};
    job = advice->job =
        advise_rounds(arena, job, options->run, &options->evidence, &advice->rounds);
    advice->devices = hd_new_array(arena, hd_device_advice, options->device_count);
    if (options->take_apart)
        advise_take_apart(arena, job, options->devices[0], &options->cost, &search, &advice->apart);
    if (advice->apart.pays)
        advice->job = advice->apart.parts;
    hd_status status = advise_by_cost(arena, diag, options, &search, advice);
    if (status == HD_OK && options->run && advice->assumes) {
        if (options->costed)
            options->costed(options->user, advice);
        if (is_worth_hearing_apart(arena, advice)) {
            advice->job = advice->apart.parts;
            status = advise_by_cost(arena, diag, options, &search, advice);
        }
        if (status == HD_OK)
            status = run_for_evidence(arena, diag, options, &search, job, advice);
    } else if (status == HD_OK && advice->job != job) {
        status = answer_together(arena, diag, options, &search, advice);
    }
    if (status != HD_OK)
        return status;
    if (advice->job != job && advice->job->split_count) { /* what the answer needs, of all tried */
        advice->apart.fields = advice->job->split;
        advice->apart.count = advice->job->split_count;
    }
    status = recount(arena, options, advice);
    if (status != HD_OK)
        return status;
    advice->unknown = why_unknown(arena, advice);
    if (!advice->unknown) {
        try_rewriting(arena, advice);
        advice->time = advise_time(arena, advice->job, advice->devices[0].device, &advice->recount,
                                   advice->devices[0].leave ? NULL : advice->devices[0].best);
        find_dominating(arena, options, advice);
    }
    ask_otherwise(arena, job, options, advice);
    advice->ranked = true;
    advice->best = advice->devices[0].best;
    advice->leave = advice->devices[0].leave || advice->unknown;
    if (options->ranked)
        options->ranked(options->user, advice);
    if (options->choose.budget > 0 && !hd_advice_is_stopped(advice) && !advice->unknown)
        status = let_device_decide(arena, diag, options, advice);
    if (status != HD_OK || hd_advice_is_stopped(advice) || advice->leave ||
        (!options->rewrite && !options->measure))
        return status;
    const hd_record_layout chosen = {advice->job->record, advice->best};
    status = rewrite(arena, diag, &chosen, advice);
    if (status == HD_OK && options->measure && !advice->rewritten) /* only its program could be */
        status = hd_rewrite_job(arena, diag, advice->job, &chosen, 1, &advice->rewritten);
    if (status != HD_OK || !options->measure)
        return status;
    status = hd_measure_compare(arena, diag, advice->job, &chosen, 1, advice->rewritten,
                                &options->measurement, &advice->measurement);
    advice->measured = status == HD_OK || status == HD_EDIFFER;
    return status;
}
