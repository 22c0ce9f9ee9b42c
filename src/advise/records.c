/*
 * A job of several records. Each is advised by hd_advise() on a job in which it is the record; what was
 * decided of the others stands in that job as laid out already, so that the caches that are simulated
 * hold what they would hold.
 */
#include "advise/advise.h"

/* What it would say is said of all together, or was said. */
static const hd_diag silent = {0};

hd_movement hd_movement_in(hd_arena *arena, const hd_device_advice *of, const hd_layout *layout) {
    hd_cost_model *model = of->judged ? of->judged->model : of->model;
    const hd_judged *judged = hd_judged_as(of->judged, layout);
    hd_cost_line *lines = judged ? judged->lines : NULL;
    size_t count = judged ? judged->line_count : 0;
    if (!judged)
        hd_cost_of_layout(arena, model, layout, &lines, &count);
    return hd_movement_of(arena, model, layout, lines, count);
}

hd_movement hd_movement_then(hd_arena *arena, const hd_advice *advice, const hd_movement *before) {
    hd_movement after = hd_movement_in(arena, &advice->devices[0], advice->best);
    advise_recounted_movement(&advice->recount, advice->best, before, &after);
    return after;
}

/* ---- one record, given others ------------------------------------------------------------------ */

typedef struct decider {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    hd_advise_options options;
    hd_records_advice *all;
    hd_record_layout **given; /* [record]: what it was decided under, the others' that change */
    uint32_t *given_count;
} decider;

static bool same_layouts(const hd_record_layout *a, uint32_t count, const hd_record_layout *b,
                         uint32_t other_count) {
    bool same = count == other_count;
    for (uint32_t i = 0; i < count && same; i++)
        same = a[i].record == b[i].record && hd_layout_equal(a[i].layout, b[i].layout);
    return same;
}

/* Decides record `number` given those of the first `known` that change. What static cost alone answers,
 * and what was asked before, needs no second look. */
static hd_status decide(decider *d, uint32_t number, uint32_t known) {
    hd_record_advice *of = &d->all->records[number];
    hd_record_layout *given = hd_new_array(d->arena, hd_record_layout, known + 1);
    uint32_t count = 0;
    hd_job *one;
    for (uint32_t r = 0; r < known; r++) {
        const hd_record_advice *other = &d->all->records[r];
        if (r != number && !other->advice.leave)
            given[count++] = (hd_record_layout){other->record, other->advice.best};
    }
    bool is_new = !of->advice.ranked;
    if (!is_new && (!of->advice.evidence ||
                    same_layouts(given, count, d->given[number], d->given_count[number])))
        return HD_OK;
    hd_status status = hd_job_of_record(d->arena, d->diag, d->job, of->record, &one);
    if (status)
        return status;
    one->laid = given;
    one->laid_count = count;
    d->given[number] = given;
    d->given_count[number] = count;
    const hd_advice before = of->advice;
    d->options.before = is_new ? NULL : &before;
    return hd_advise(d->arena, is_new ? d->diag : &silent, one, &d->options, &of->advice);
}

static void weigh(hd_arena *arena, hd_record_advice *of) {
    const hd_device_advice *first = &of->advice.devices[0];
    const hd_layout *original = hd_layout_original(arena, of->advice.job->record);
    hd_movement before = hd_movement_in(arena, first, original);
    of->before = before.transactions;
    of->after =
        of->advice.leave ? of->before : hd_movement_then(arena, &of->advice, &before).transactions;
}

/* What cannot be rewritten stays. */
static void settle(hd_record_advice *of) {
    const hd_attempt *attempt = &of->advice.attempt;
    if (of->advice.leave || attempt->layout || !attempt->tried)
        return;
    of->advice.leave = true;
    of->refused = attempt->refused_count ? attempt->refused[0].why : NULL;
}

static void put_heaviest_first(hd_records_advice *all) {
    for (uint32_t i = 1; i < all->count; i++)
        for (uint32_t k = i; k && all->records[k].before > all->records[k - 1].before; k--) {
            const hd_record_advice lighter = all->records[k - 1];
            all->records[k - 1] = all->records[k];
            all->records[k] = lighter;
        }
}

/* ---- all of them ----------------------------------------------------------------------------------- */

static void choose(hd_arena *arena, hd_records_advice *all) {
    all->chosen = hd_new_array(arena, hd_record_layout, all->count);
    all->chosen_count = 0;
    for (uint32_t r = 0; r < all->count; r++)
        if (!all->records[r].advice.leave)
            all->chosen[all->chosen_count++] =
                (hd_record_layout){all->records[r].record, all->records[r].advice.best};
}

typedef struct first_error {
    hd_arena *arena;
    const char *text;
} first_error;

static void keep_first(const hd_message *message, void *user) {
    first_error *error = user;
    if (message->severity == HD_ERROR && !error->text)
        error->text = hd_strdup(error->arena, message->text);
}

/* What can be rewritten alone can be so beside others; where it cannot, the lightest stays. */
static void rewrite_together(decider *d) {
    hd_records_advice *all = d->all;
    choose(d->arena, all);
    while (all->chosen_count && d->job->module->device) {
        first_error error = {.arena = d->arena};
        const hd_diag diag = {keep_first, &error};
        bool is_recorded = d->job->source_count > 0;
        bool kernels = !hd_rewrite_job(d->arena, is_recorded ? &silent : &diag, d->job, all->chosen,
                                       all->chosen_count, &all->kernels);
        bool wants_program = is_recorded || (kernels && all->kernels->has_host_launches);
        bool program = wants_program && !hd_rewrite_program(d->arena, &diag, d->job, all->chosen,
                                                            all->chosen_count, &all->program);
        if (wants_program ? program : kernels)
            return;
        uint32_t last = all->count;
        do
            last--;
        while (all->records[last].advice.leave);
        all->records[last].advice.leave = true;
        all->records[last].refused = error.text;
        all->kernels = all->program = NULL;
        choose(d->arena, all);
    }
}

hd_status hd_advise_records(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            const hd_advise_options *options, hd_records_advice *all) {
    *all = (hd_records_advice){0};
    const hd_record **records = hd_job_records(arena, job, &all->count);
    decider d = {arena,
                 diag,
                 job,
                 *options,
                 all,
                 hd_new_array(arena, hd_record_layout *, all->count),
                 hd_new_array(arena, uint32_t, all->count)};
    hd_status status = HD_OK;
    d.options.rewrite = d.options.measure = d.options.take_apart = false;
    d.options.choose.budget = 0;
    d.options.ranked = NULL;
    all->records = hd_new_array(arena, hd_record_advice, all->count);
    for (uint32_t r = 0; r < all->count && !status; r++) {
        all->records[r].record = records[r];
        status = decide(&d, r, 0);
        if (!status)
            weigh(arena, &all->records[r]);
    }
    if (status)
        return status;
    put_heaviest_first(all);
    for (uint32_t r = 0; r < all->count; r++)
        settle(&all->records[r]);
    for (uint32_t r = 1; r < all->count && !status; r++) { /* the heaviest is decided */
        status = decide(&d, r, r);
        settle(&all->records[r]);
    }
    for (uint32_t r = 0; r < all->count && !status; r++) {
        status = decide(&d, r, all->count);
        settle(&all->records[r]);
    }
    if (status)
        return status;
    rewrite_together(&d);
    for (uint32_t r = 0; r < all->count; r++) {
        weigh(arena, &all->records[r]);
        all->before += all->records[r].before;
        all->after += all->records[r].after;
    }
    for (uint32_t r = 0; r < all->count && all->before > all->after; r++)
        all->records[r].part =
            (all->records[r].before - all->records[r].after) / (all->before - all->after);
    return HD_OK;
}
