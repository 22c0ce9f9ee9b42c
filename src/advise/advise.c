/*
 * From a job to a better layout: what `heddle advise` does, in order.
 */
#include "advise/advise.h"

static hd_status let_device_decide(hd_arena *arena, const hd_diag *diag,
                                   const hd_advise_options *options, hd_advice *advice) {
    hd_choose_options choose = options->choose;
    advise_static_judge *judges = hd_new_array(arena, advise_static_judge, advice->device_count);
    choose.device = options->measurement.device;
    choose.repeats = options->measurement.repeats;
    choose.cost = options->cost;
    choose.search = options->search;
    for (uint32_t d = 0; d < advice->device_count; d++)
        judges[d] = (advise_static_judge){advice->devices[d].device, &advice->devices[d].search};
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

/* The best layout of the first device is one that the sources can be put in. */
static void try_rewriting(hd_arena *arena, hd_advice *advice) {
    hd_device_advice *first = &advice->devices[0];
    advise_attempt(arena, advice->job, &first->search, &advice->attempt);
    if (!advice->attempt.layout)
        return;
    first->best = advice->attempt.layout;
    first->ratio = advice->attempt.ratio;
}

static hd_status rewrite(hd_arena *arena, const hd_diag *diag, const hd_record_layout *chosen,
                         hd_advice *advice) {
    const hd_attempt *attempt = &advice->attempt;
    if (attempt->layout && hd_layout_equal(attempt->layout, chosen->layout)) {
        advice->rewritten = attempt->rewritten;
        return HD_OK;
    }
    return hd_rewrite_job(arena, diag, advice->job, chosen, 1, &advice->rewritten);
}

hd_status hd_advise(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                    const hd_advise_options *options, hd_advice *advice) {
    hd_search_options search = options->search;
    *advice = (hd_advice){.job = job, .device_count = options->device_count};
    advice->devices = hd_new_array(arena, hd_device_advice, options->device_count);
    if (options->take_apart)
        advise_take_apart(arena, job, options->devices[0], &options->cost, &search, &advice->apart);
    if (advice->apart.job)
        job = advice->job = advice->apart.job;
    for (uint32_t i = 0; i < options->device_count; i++) {
        hd_device_advice *of = &advice->devices[i];
        of->device = options->devices[i];
        hd_status made =
            hd_cost_model_make(arena, diag, job, of->device, &options->cost, &of->model);
        if (made != HD_OK)
            return made;
        const hd_layout *original = hd_layout_original(arena, job->record);
        hd_cost_of_layout(arena, of->model, original, &of->accesses, &of->access_count);
        if (i == 0 && advice->apart.job)
            of->search = advice->apart.search;
        else
            hd_search_static(arena, of->model, &search, &of->search);
        of->best = of->search.leave ? original : of->search.ranked[0].layout;
        of->ratio = of->search.leave ? 1 : of->search.ranked[0].ratio;
    }
    try_rewriting(arena, advice);
    advice->ranked = true;
    advice->best = advice->devices[0].best;
    advice->leave = advice->devices[0].search.leave;
    if (options->ranked)
        options->ranked(options->user, advice);
    hd_status status =
        options->choose.budget > 0 ? let_device_decide(arena, diag, options, advice) : HD_OK;
    bool stopped = advice->choice && advice->choice->stopped;
    if (status != HD_OK || stopped || advice->leave || (!options->rewrite && !options->measure))
        return status;
    const hd_record_layout chosen = {job->record, advice->best};
    status = rewrite(arena, diag, &chosen, advice);
    if (status != HD_OK || !options->measure)
        return status;
    status = hd_measure_compare(arena, diag, job, &chosen, 1, advice->rewritten,
                                &options->measurement, &advice->measurement);
    advice->measured = status == HD_OK || status == HD_EDIFFER;
    return status;
}
