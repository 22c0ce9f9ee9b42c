/* Records of several buffers, joined as a try (joined.h). */
#include "advise/joined.h"

/* Nobody asked for this search (apart.c). */
enum { EXACT_FIELDS = 8, SUBSET_FIELDS = 10, MOST_NODES = 1000 };

static double best_of(const hd_search_result *search) {
    double ratio = search->leave ? 1 : search->ranked[0].ratio;
    return hd_cost_mean(&search->original) * ratio;
}

void advise_join(hd_arena *arena, const hd_job *job, const hd_device *device,
                 const hd_cost_options *cost, const hd_search_options *search,
                 const hd_search_result *alone, hd_joined *joined) {
    static const hd_diag silent = {NULL, NULL};
    hd_job together;
    hd_cost_model *model;
    hd_search_result result;
    *joined = (hd_joined){0};
    if (!hd_job_join(arena, job, &together) ||
        hd_job_resolve(arena, &silent, &together, job->module) ||
        hd_cost_model_make(arena, &silent, &together, device, cost, &model))
        return;
    hd_search_options quick = *search;
    quick.exact_fields = EXACT_FIELDS;
    quick.subset_fields = SUBSET_FIELDS;
    quick.nodes = MOST_NODES;
    hd_search_static(arena, model, &quick, &result);
    joined->record = together.record;
    joined->layout = result.ranked[0].layout;
    joined->ratio = best_of(&result) / best_of(alone);
    joined->pays = !result.leave && joined->ratio < 1 - HD_NOTICEABLE;
}
