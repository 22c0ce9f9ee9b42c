/*
 * From a job to a better layout: what `heddle advise` does, in order.
 */
#include "advise/advise.h"

/* The layouts that evidence ranks, or static cost. */
static advise_static_judge judge_of(hd_arena *arena, const hd_device_advice *of) {
    if (!of->judged)
        return (advise_static_judge){of->device, &of->search};
    hd_search_result *ranked = hd_new(arena, hd_search_result);
    ranked->ranked = hd_new_array(arena, hd_ranked, of->judged->count);
    for (uint32_t i = 0; i < of->judged->count; i++)
        ranked->ranked[ranked->ranked_count++].layout = of->judged->layouts[i].layout;
    return (advise_static_judge){of->device, ranked};
}

static hd_status let_device_decide(hd_arena *arena, const hd_diag *diag,
                                   const hd_advise_options *options, hd_advice *advice) {
    hd_choose_options choose = options->choose;
    advise_static_judge *judges = hd_new_array(arena, advise_static_judge, advice->device_count);
    choose.device = options->measurement.device;
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
        advice->leave = !choice->winner;
        advice->best = choice->entries[choice->winner].layout;
    }
    return status;
}

/* The best by static cost. */
static hd_status advise_by_cost(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                                const hd_advise_options *options, hd_device_advice *of) {
    hd_status status = hd_cost_model_make(arena, diag, job, of->device, &options->cost, &of->model);
    if (status != HD_OK)
        return status;
    const hd_layout *original = hd_layout_original(arena, job->record);
    hd_cost_of_layout(arena, of->model, original, &of->accesses, &of->access_count);
    hd_search_static(arena, of->model, &options->search, &of->search);
    of->leave = of->search.leave;
    of->best = of->leave ? original : of->search.ranked[0].layout;
    of->ratio = of->leave ? 1 : of->search.ranked[0].ratio;
    return HD_OK;
}

static bool rests_on_assumptions(const hd_device_advice *of) {
    for (size_t i = 0; i < of->access_count; i++)
        if (of->accesses[i].origin == HD_ORIGIN_ASSUMED)
            return true;
    return false;
}

/* What was counted decides: the accesses, too, are shown as they were. */
static hd_status advise_by_evidence(hd_arena *arena, const hd_diag *diag,
                                    const hd_advise_options *options, hd_advice *advice,
                                    uint32_t number) {
    hd_device_advice *of = &advice->devices[number];
    hd_judgement *judged = hd_new(arena, hd_judgement);
    hd_status status = hd_evidence_judge(arena, diag, advice->evidence, number, &options->evidence,
                                         &options->cost, &options->search, &of->search, judged);
    if (status != HD_OK || advice->evidence->why)
        return status;
    const hd_layout *original = judged->layouts[judged->original].layout;
    of->judged = judged;
    of->leave = judged->leave;
    of->best = of->leave ? original : judged->layouts[0].layout;
    of->ratio = of->leave ? 1 : judged->layouts[0].ratio;
    hd_cost_of_layout(arena, judged->model, original, &of->accesses, &of->access_count);
    return HD_OK;
}

static hd_status run_for_evidence(hd_arena *arena, const hd_diag *diag,
                                  const hd_advise_options *options, hd_advice *advice) {
    hd_status status =
        hd_evidence_hear(arena, diag, advice->job, options->devices, advice->device_count,
                         &options->evidence, &advice->evidence);
    for (uint32_t d = 0; d < advice->device_count && status == HD_OK && !advice->evidence->why; d++)
        status = advise_by_evidence(arena, diag, options, advice, d);
    hd_evidence_free(advice->evidence);
    return status;
}

hd_status hd_advise(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                    const hd_advise_options *options, hd_advice *advice) {
    *advice = (hd_advice){.job = job, .device_count = options->device_count};
    advice->devices = hd_new_array(arena, hd_device_advice, options->device_count);
    for (uint32_t i = 0; i < options->device_count; i++) {
        hd_device_advice *of = &advice->devices[i];
        of->device = options->devices[i];
        hd_status made = advise_by_cost(arena, diag, job, options, of);
        if (made != HD_OK)
            return made;
        advice->assumes = advice->assumes || rests_on_assumptions(of);
    }
    if (options->run && advice->assumes) {
        if (options->costed)
            options->costed(options->user, advice);
        hd_status heard = run_for_evidence(arena, diag, options, advice);
        if (heard != HD_OK)
            return heard;
    }
    advice->ranked = true;
    advice->best = advice->devices[0].best;
    advice->leave = advice->devices[0].leave;
    if (options->ranked)
        options->ranked(options->user, advice);
    hd_status status = options->choose.budget > 0 && !hd_advice_is_stopped(advice)
                           ? let_device_decide(arena, diag, options, advice)
                           : HD_OK;
    if (status != HD_OK || hd_advice_is_stopped(advice) || advice->leave ||
        (!options->rewrite && !options->measure))
        return status;
    const hd_record_layout chosen = {job->record, advice->best};
    status = hd_rewrite_job(arena, diag, job, &chosen, 1, &advice->rewritten);
    if (status != HD_OK || !options->measure)
        return status;
    status = hd_measure_compare(arena, diag, job, &chosen, 1, advice->rewritten,
                                &options->measurement, &advice->measurement);
    advice->measured = status == HD_OK || status == HD_EDIFFER;
    return status;
}
