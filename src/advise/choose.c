/*
 * The fastest layout on a device within a budget (choose.h).
 *
 * The question is all that the answer depends on: the job with its kernels, headers and data,
 * the device and its driver, Heddle's version, the budget, and what the judges stand on. Its
 * hash is the key in the database, so that a changed kernel never gets an old answer.
 */
#include "advise/choose.h"
#include "advise/measure/stopwatch.h"

/* The more there are, the more rounds tell one from another. */
enum { MOST_PROPOSALS = 24 };

/* Of the budget, for the meter in a run of one layout. */
static const double METERED_SHARE = 1.0 / 400;

typedef struct chooser {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    const hd_choose_options *options;
    advise_static_judge *judges; /* with the processor's own, where that is the device */
    uint32_t judge_count;
    hd_profiled_device profiled;
    const char *job_hash, *key;
    hd_tile_steps *tree; /* NULL: nobody trained the device */
    const char *tree_text;
    hd_placement *placements; /* other than the job's */
    uint32_t placement_count;
    hd_vec(hd_choice_entry) lacking; /* the original in placements that the device lacks */
    hd_choice *choice;
    bool lasting; /* the answer holds next time, too */
} chooser;

/* ---- the judges ------------------------------------------------------------------- */

static hd_status make_proposals(chooser *c, hd_proposal **proposals, uint32_t *count) {
    hd_layout_graph *graph;
    hd_judge *all = hd_new_array(c->arena, hd_judge, 2 * c->judge_count + 3);
    uint32_t used = 0;
    hd_status status = hd_layout_graph_make(c->arena, c->diag, c->job, &graph);
    if (status != HD_OK)
        return status;
    uint64_t epsilon = hd_device_epsilon(c->judges[0].device, NULL);
    for (uint32_t j = 0; j < c->judge_count; j++)
        all[used++] = hd_judge_cost(c->arena, c->judges[j].device, c->judges[j].search);
    if (c->tree)
        all[used++] = hd_judge_graph(c->arena, graph, epsilon, c->tree);
    for (uint32_t j = 0; j < c->judge_count; j++) {
        const hd_device *device = c->judges[j].device;
        if (!device->tiles)
            continue;
        all[used] = hd_judge_graph(c->arena, graph, hd_device_epsilon(device, NULL), device->tiles);
        all[used++].name = hd_format(c->arena, "graph and tree of %s", device->name);
    }
    all[used++] = hd_judge_graph(c->arena, graph, epsilon, NULL);
    all[used++] = hd_judge_plain(c->arena, c->job->record);
    *proposals =
        hd_propose(c->arena, c->job->record, graph->reached, all, used, MOST_PROPOSALS, count);
    if (c->choice->placed)
        *proposals =
            hd_propose_placements(c->arena, c->job->record, *proposals, *count, c->placements,
                                  c->placement_count, MOST_PROPOSALS, count, &c->choice->left_out);
    return HD_OK;
}

/* Those that are asked for, each once, without the job's own. */
static void take_placements(chooser *c) {
    const hd_choose_options *o = c->options;
    c->choice->placed = o->placement_count;
    c->choice->placement = hd_job_placement(c->arena, c->job);
    c->placements = hd_new_array(c->arena, hd_placement, o->placement_count);
    for (uint32_t p = 0; p < o->placement_count; p++) {
        bool known = !strcmp(hd_placement_name(o->placements[p]), c->choice->placement);
        for (uint32_t k = 0; k < c->placement_count; k++)
            known |= c->placements[k] == o->placements[p];
        if (!known)
            c->placements[c->placement_count++] = o->placements[p];
    }
}

/* ---- the question ------------------------------------------------------------------- */

static const char *make_key(const chooser *c) {
    hd_arena *arena = c->arena;
    const hd_choose_options *o = c->options;
    hd_vec(const char *) texts = {0};
    hd_str placements = {.arena = arena};
    for (uint32_t p = 0; p < o->placement_count; p++)
        hd_str_printf(&placements, "%s ", hd_placement_name(o->placements[p]));
    const char *const fixed[] = {
        "choice",
        o->version,
        c->job_hash,
        c->profiled.backend,
        c->profiled.platform,
        c->profiled.name,
        c->profiled.driver,
        c->tree_text,
        hd_str_text(&placements),
        hd_quantities[o->objective].name,
        o->energy && o->energy->meter.name ? o->energy->meter.name : "",
        o->energy && o->energy->meter.command ? o->energy->meter.command : "",
        o->energy && o->energy->profile ? hd_device_print(arena, o->energy->profile) : "",
        hd_format(arena, "%.17g %.17g", c->job->relative, c->job->absolute),
        hd_format(arena, "%.17g %u", o->budget, o->repeats),
        hd_format(arena, "%d %llu %u", (int)o->cost.loops, (unsigned long long)o->cost.length,
                  o->cost.registers),
        hd_format(arena, "%u %u %.17g %.17g", o->search.keep, o->search.exact_fields,
                  o->search.seconds, o->search.leave)};
    for (size_t t = 0; t < sizeof fixed / sizeof *fixed; t++)
        hd_push(arena, &texts, fixed[t]);
    for (uint32_t j = 0; j < c->judge_count; j++) {
        hd_push(arena, &texts, c->judges[j].device->name);
        hd_push(arena, &texts, hd_device_print(arena, c->judges[j].device));
    }
    return hd_hash_texts(arena, texts.data, texts.count);
}

/* ---- the race -------------------------------------------------------------------------- */

/* Placements that the device lacks do not race; the answer says so. */
static void drop_lacking(chooser *c, hd_device_clock *clock) {
    uint32_t kept = 0;
    for (uint32_t p = 0; p < c->placement_count; p++) {
        const char *why = hd_device_clock_lacks(clock, c->placements[p]);
        if (!why) {
            c->placements[kept++] = c->placements[p];
            continue;
        }
        hd_placement *lacking = hd_new(c->arena, hd_placement);
        *lacking = c->placements[p];
        hd_push(c->arena, &c->lacking,
                (hd_choice_entry){.layout = hd_layout_original(c->arena, c->job->record),
                                  .placement = lacking,
                                  .by = "placement",
                                  .end = HD_RACE_REFUSED,
                                  .why = why});
    }
    c->placement_count = kept;
}

static void take_results(chooser *c, const hd_race *race) {
    hd_choice *choice = c->choice;
    uint32_t lacking = (uint32_t)c->lacking.count;
    choice->date = hd_date_now(c->arena);
    choice->entries = hd_new_array(c->arena, hd_choice_entry, race->count + lacking);
    choice->count = race->count + lacking;
    choice->winner = race->winner;
    choice->leader = race->leader;
    choice->rounds = race->rounds;
    choice->least_rounds = race->least_rounds;
    choice->seconds = race->seconds;
    choice->stopped = race->stopped;
    for (uint32_t i = 0; i < race->count; i++) {
        const hd_racer *racer = &race->racers[i];
        hd_choice_entry *entry = &choice->entries[i];
        *entry = (hd_choice_entry){.layout = racer->layout,
                                   .placement = racer->placement,
                                   .by = racer->by,
                                   .end = racer->end,
                                   .why = racer->why,
                                   .ratio = racer->ratio,
                                   .as_fast = racer->as_fast};
        if (!racer->rounds)
            continue;
        double *seconds = hd_new_array(c->arena, double, racer->rounds);
        double *joules = hd_new_array(c->arena, double, racer->rounds);
        for (uint32_t r = 0; r < racer->rounds; r++) {
            seconds[r] = racer->laps[r].seconds;
            joules[r] = racer->laps[r].joules; /* 0 where none were asked for */
        }
        entry->timing = hd_timing_of(c->arena, seconds, racer->rounds);
        entry->joules = hd_timing_of(c->arena, joules, racer->rounds).median;
        choice->timed += i > 0;
    }
    for (uint32_t i = 0; i < lacking; i++)
        choice->entries[race->count + i] = c->lacking.data[i];
    c->lasting = !race->hindered && !race->stopped;
}

static hd_status run_race(chooser *c) {
    const hd_choose_options *o = c->options;
    const hd_race_options race_options = {.budget = o->budget,
                                          .most_rounds = o->repeats,
                                          .stop = o->stop,
                                          .progress = o->progress,
                                          .user = o->user};
    hd_proposal *proposals;
    uint32_t count;
    hd_race race;
    hd_device_clock *clock;
    hd_status status = hd_device_clock_open(c->arena, c->diag, c->job, c->choice->device.id,
                                            c->choice->placed, &clock);
    if (status == HD_OK && o->objective != HD_QUANTITY_TIME)
        status = hd_device_clock_meter(clock, o->objective, o->energy, o->budget * METERED_SHARE,
                                       &c->choice->source);
    if (status == HD_OK) {
        drop_lacking(c, clock);
        status = make_proposals(c, &proposals, &count);
    }
    if (status == HD_OK) {
        hd_stopwatch stopwatch = hd_device_clock_stopwatch(clock);
        status = hd_race_run(c->arena, c->job->record, proposals, count, &stopwatch, &race_options,
                             &race);
        take_results(c, &race);
    }
    hd_device_clock_close(clock);
    return status;
}

hd_status advise_choose(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                        const advise_static_judge *judges, uint32_t judge_count,
                        const hd_choose_options *options, hd_choice *choice) {
    chooser c = {arena, diag, job, options, NULL, judge_count, .choice = choice};
    *choice = (hd_choice){.most_rounds = options->repeats, .objective = options->objective};
    take_placements(&c);
    c.judges = hd_new_array(arena, advise_static_judge, judge_count + 1);
    memcpy(c.judges, judges, judge_count * sizeof *judges);
    hd_status status = hd_measure_device(arena, diag, job, options->device, &choice->device);
    if (status != HD_OK)
        return status;
    c.profiled = (hd_profiled_device){choice->device.backend, choice->device.platform,
                                      choice->device.name, choice->device.driver};
    /* What the processor's caches ask for is best judged by its own profile. */
    if (choice->device.is_processor) {
        const hd_device *device;
        hd_cost_model *model;
        hd_search_result *search = hd_new(arena, hd_search_result);
        status = hd_device_host(arena, diag, &device);
        if (status == HD_OK)
            status = hd_cost_model_make(arena, diag, job, device, &options->cost, &model);
        if (status != HD_OK)
            return status;
        hd_search_static(arena, model, &options->search, search);
        memmove(c.judges + 1, c.judges, c.judge_count++ * sizeof *c.judges);
        c.judges[0] = (advise_static_judge){device, search};
    }
    if (status == HD_OK)
        status = hd_job_hash(arena, diag, job, &c.job_hash);
    if (status != HD_OK)
        return status;
    const hd_diag silent = {0};
    hd_profiled_tree tree;
    if (hd_database_find_tree(options->database, arena, &c.profiled, &tree) &&
        hd_tile_steps_parse(arena, &silent, tree.text, &c.tree) == HD_OK) {
        c.tree_text = tree.text;
        choice->has_tree = true;
    }
    c.key = make_key(&c);
    const char *text;
    hd_choice found = *choice;
    if (!options->again && hd_database_get_answer(options->database, arena, c.key, &text) &&
        advise_choice_parse(arena, job->record, text, &found)) {
        found.remembered = true;
        *choice = found;
        return HD_OK;
    }
    status = run_race(&c);
    if (status == HD_OK && c.lasting)
        hd_database_put_answer(options->database, c.key,
                               advise_choice_print(arena, job->record, choice));
    return status;
}

bool hd_choice_decides(const hd_choice *choice) {
    bool differs = false;
    if (choice->stopped && choice->rounds < choice->least_rounds)
        return false;
    for (uint32_t i = 1; i < choice->count; i++)
        differs |= choice->entries[i].end == HD_RACE_DIFFERS;
    return choice->timed || differs;
}

bool hd_choice_all_refused(const hd_choice *choice) {
    for (uint32_t i = 1; i < choice->count; i++)
        if (choice->entries[i].end != HD_RACE_REFUSED)
            return false;
    return true;
}
