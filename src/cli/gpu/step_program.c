/*
 * A program in every layout of its set: how well the static cost orders the layouts, how good the
 * choice is that it makes, and how near the predicted times are.
 *
 * The set is what everybody would try, and what cost model, layout graph and tree of tiles propose
 * (model/propose.h). All layouts run in turns.
 */
#include <math.h>

#include "advise/advise.h"
#include "advise/recount.h"
#include "cli/gpu/gpu.h"
#include "cli/report/report_result.h"
#include "cli/report/members.h"
#include "model/agreement.h"

enum { MOST_LAYOUTS = 28, SMALL_LAYOUTS = 1, ROUNDS = 9 };

typedef struct subject {
    hd_gpu_step_run *run;
    hd_arena *arena;
    hd_job *job;
    hd_compute_device device;
    const hd_device *profile;
    hd_cost_model *model;
    hd_search_result search;
    const hd_layout *choice; /* of the static cost */
    const hd_layout *layouts[MOST_LAYOUTS + 1];
    const char *by[MOST_LAYOUTS + 1];
    double costs[MOST_LAYOUTS + 1]; /* to the original's */
    json_t *rows[MOST_LAYOUTS + 1]; /* in the result */
    uint32_t count;
    hd_turns turns;
} subject;

/* ---- the set ---------------------------------------------------------------------- */

static hd_status propose(subject *s) {
    hd_layout_graph *graph;
    hd_judge judges[4];
    uint32_t judge_count = 0, count;
    hd_status status = hd_layout_graph_make(s->arena, s->run->diag, s->job, &graph);
    if (status != HD_OK)
        return status;
    uint64_t epsilon = hd_device_epsilon(s->profile, NULL);
    const hd_profiled_device device = {s->device.backend, s->device.platform, s->device.name,
                                       s->device.driver};
    hd_profiled_tree found;
    hd_tile_steps *tree = NULL;
    hd_database *database = hd_database_open(s->arena, s->run->diag,
                                             hd_format(s->arena, "%s/profiles.db", s->run->folder));
    if (hd_database_find_tree(database, s->arena, &device, &found))
        hd_tile_steps_parse(s->arena, s->run->diag, found.text, &tree);
    hd_database_close(database);
    judges[judge_count++] = hd_judge_cost(s->arena, s->profile, &s->search);
    judges[judge_count++] = hd_judge_plain(s->arena, s->job->record);
    judges[judge_count++] = hd_judge_graph(s->arena, graph, epsilon, NULL);
    if (tree)
        judges[judge_count++] = hd_judge_graph(s->arena, graph, epsilon, tree);
    const hd_proposal *proposals =
        hd_propose(s->arena, s->job->record, graph->reached, judges, judge_count,
                   s->run->small ? SMALL_LAYOUTS : MOST_LAYOUTS, &count);
    s->layouts[s->count] = hd_layout_original(s->arena, s->job->record);
    s->by[s->count++] = "original";
    for (uint32_t p = 0; p < count; p++) {
        s->layouts[s->count] = proposals[p].layout;
        s->by[s->count++] = proposals[p].by;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        hd_cost_vector cost = hd_cost_of_layout(s->arena, s->model, s->layouts[i], NULL, NULL);
        s->costs[i] = hd_cost_ratio(&cost, &s->search.original);
    }
    return HD_OK;
}

/* ---- results ---------------------------------------------------------------------- */

static double median_of(const subject *s, uint32_t i) {
    return hd_timing_of(s->arena, s->turns.seconds[i], s->turns.rounds).median;
}

/* A layout of the set. */
typedef struct layout_row {
    const char *layout, *by, *why;
    double cost, ratio;
    bool differs;
    hd_timing timing;
} layout_row;

HD_GETTER(equal_of, layout_row,
          row->differs ? hd_bool(false)
          : row->why   ? hd_null()
                       : hd_bool(true))

static const hd_member layout_members[] = {
    HD_SAME(layout_row, layout, by, cost, why),
    {"equal", .get = equal_of},
    {"timing", HD_IN(layout_row, timing), HD_UNLESS(layout_row, why), .of = hd_timing_members,
     .optional = true},
    {"ratio", HD_AT(layout_row, ratio), HD_UNLESS(layout_row, why), .optional = true},
    {0}};

/* How the costs order the times, and what the choice takes to the best. */
static void judge(const subject *s) {
    double costs[MOST_LAYOUTS + 1], times[MOST_LAYOUTS + 1], least = INFINITY, chosen = NAN;
    uint32_t timed = 0;
    const char *best = "";
    json_t *result = s->run->result;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->turns.differs[i])
            json_object_set_new(result, "differs", json_true());
        if (s->turns.why[i])
            continue;
        costs[timed] = s->costs[i];
        times[timed++] = median_of(s, i);
        if (hd_layout_equal(s->layouts[i], s->choice))
            chosen = times[timed - 1];
        if (times[timed - 1] >= least)
            continue;
        least = times[timed - 1];
        best = hd_layout_print(s->arena, s->job->record, s->layouts[i]);
    }
    json_object_set_new(result, "correlation",
                        hd_json_number(hd_rank_correlation(s->arena, costs, times, timed)));
    json_object_set_new(result, "choice",
                        hd_json_text(hd_layout_print(s->arena, s->job->record, s->choice)));
    json_object_set_new(result, "best", hd_json_text(best));
    json_object_set_new(result, "choice_to_best", hd_json_number(chosen / least));
    json_object_set_new(result, "choice_to_original", hd_json_number(chosen / median_of(s, 0)));
}

/* ---- predicted times -------------------------------------------------------------- */

/* How the measured gains agree with the predicted ones. */
typedef struct prediction_row {
    const char *why; /* nothing is predicted; NULL: it is */
    hd_agreement agreement;
} prediction_row;

static const hd_member agreement_members[] = {
    {"layouts", HD_AT(hd_agreement, count)},
    HD_SAME(hd_agreement, correlation, error, within, wrong),
    {0}};
static const hd_member prediction_members[] = {{"why", HD_AT(prediction_row, why)},
                                               {"agreement", HD_IN(prediction_row, agreement),
                                                HD_UNLESS(prediction_row, why),
                                                .of = agreement_members},
                                               {0}};

/* Of layouts that were timed and counted, next to the original's. */
static hd_agreement compare(const subject *s, const hd_time *times) {
    const hd_view view = {s->arena};
    hd_time_gain predicted[MOST_LAYOUTS + 1];
    double measured[MOST_LAYOUTS + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!(times[0].seconds > 0) || !(times[i].seconds > 0))
            continue;
        const hd_time_gain gain = hd_time_gain_of(&times[0], &times[i]);
        json_object_set_new(s->rows[i], "predicted",
                            hd_json_row(&view, hd_time_members, &times[i]));
        json_object_set_new(s->rows[i], "gain", hd_json_row(&view, hd_time_gain_members, &gain));
        if (!i)
            continue;
        predicted[count] = gain;
        measured[count++] = 1 / hd_turns_ratio(s->arena, &s->turns, i, 0).median;
    }
    return hd_agreement_of(s->arena, predicted, measured, count);
}

/* Last, so that what was timed is kept if there is no time for it. */
static hd_status predict(const subject *s, const char *name) {
    hd_time times[MOST_LAYOUTS + 1] = {0};
    prediction_row p = {0};
    const hd_device *own;
    const hd_gpu_predictions of = {.subject = name,
                                   .profile = s->profile,
                                   .accesses = hd_lane_accesses(s->arena, s->model),
                                   .layouts = s->layouts,
                                   .left_out = s->turns.why,
                                   .count = s->count};
    hd_status status = hd_gpu_find_profile(s->arena, s->run->diag, s->device.name, &own);
    if (status == HD_OK && !own)
        p.why = hd_format(s->arena, "`devices/` has no profile of %s", s->device.name);
    else if (status == HD_OK && !hd_time_is_known(own))
        p.why = hd_time_unknown(s->arena, own);
    else if (status == HD_OK)
        status = hd_gpu_predict(s->run, &of, times);
    if (status != HD_OK)
        return status;
    p.agreement = compare(s, times);
    if (!p.why && !(times[0].seconds > 0))
        p.why = "the original could not be counted";
    json_object_set_new(s->run->result, "prediction",
                        hd_json_row(&(hd_view){s->arena}, prediction_members, &p));
    return HD_OK;
}

hd_status hd_gpu_run_program(hd_gpu_step_run *run) {
    subject s = {.run = run, .arena = run->arena};
    const char *small = strrchr(run->subject, '/') + 1;
    const char *name =
        run->small ? hd_format(s.arena, "examples/%s/%s-small", small, small) : run->subject;
    const hd_turns_options options = {.device = "cuda:0",
                                      .rounds = run->small ? 2 : ROUNDS,
                                      .seconds = run->small ? 0 : run->seconds / 10,
                                      .build_seconds = run->seconds * 0.6,
                                      .last_seconds = run->seconds * 0.75};
    hd_status status = hd_gpu_load(s.arena, run->diag, name, KIR_AS_WRITTEN, &s.job);
    if (status == HD_OK)
        status = hd_measure_device(s.arena, run->diag, s.job, "cuda:0", &s.device);
    if (status == HD_OK)
        status = hd_gpu_profile_to_price(s.arena, run->diag, s.device.name, &s.profile);
    const hd_cost_options cost = {.loops = HD_LOOPS_PENG};
    const hd_search_options search = {.seconds = run->seconds / 10};
    if (status == HD_OK)
        status = hd_cost_model_make(s.arena, run->diag, s.job, s.profile, &cost, &s.model);
    if (status == HD_OK) {
        hd_search_static(s.arena, s.model, &search, &s.search);
        s.choice =
            s.search.leave ? hd_layout_original(s.arena, s.job->record) : s.search.ranked[0].layout;
        status = propose(&s);
    }
    if (status == HD_OK)
        status = hd_take_turns(s.arena, run->diag, s.job, s.layouts, s.count, &options, &s.turns);
    if (status != HD_OK)
        return status;
    json_object_set_new(run->result, "job", hd_json_text(name));
    json_object_set_new(run->result, "profile", hd_json_text(s.profile->name));
    json_object_set_new(run->result, "rounds", hd_json_integer(s.turns.rounds));
    for (uint32_t i = 0; i < s.count; i++) {
        const hd_turns *t = &s.turns;
        layout_row row = {.layout = hd_layout_print(s.arena, s.job->record, s.layouts[i]),
                          .by = s.by[i],
                          .why = t->why[i],
                          .cost = s.costs[i],
                          .differs = t->differs[i]};
        if (!row.why) {
            row.timing = hd_timing_of(s.arena, t->seconds[i], t->rounds);
            row.ratio = hd_turns_ratio(s.arena, t, i, 0).median;
        }
        s.rows[i] = hd_gpu_add_row(run, "layouts", layout_members, &row);
    }
    judge(&s);
    hd_gpu_keep(run);
    return predict(&s, name);
}

/* ---- the page ----------------------------------------------------------------------------------
 */

static void show_prediction(hd_str *page, const json_t *result) {
    const json_t *prediction = json_object_get(result, "prediction"),
                 *agreement = json_object_get(prediction, "agreement"),
                 *correlation = json_object_get(agreement, "correlation");
    const double count = hd_gpu_number(agreement, "layouts");
    if (!prediction)
        return;
    if (!json_is_object(agreement)) {
        hd_str_printf(page, "\nNo times are predicted: %s.\n", hd_gpu_text(prediction, "why"));
        return;
    }
    if (!(count > 0)) {
        hd_str_add(page, "\nNo gains are predicted: no other layout was timed and counted.\n");
        return;
    }
    hd_str_add(page, "\nPredicted gains beside measured ones: ");
    if (json_is_number(correlation))
        hd_str_printf(page, "rank correlation %.2f", json_number_value(correlation));
    else
        hd_str_add(page, "no rank correlation, since there is one or all are equal");
    hd_str_printf(
        page,
        ", median error of the ratio %.0f%%, %.0f of %.0f measured gains in the predicted "
        "interval",
        100 * hd_gpu_number(agreement, "error"), hd_gpu_number(agreement, "within"), count);
    if (hd_gpu_number(agreement, "wrong") > 0)
        hd_str_printf(page, ", **%.0f predicted to be faster and slower, or the other way round**",
                      hd_gpu_number(agreement, "wrong"));
    hd_str_add(page, ".\n");
}

/* The row's cells of the predicted time; empty where it was not counted. */
static void show_predicted(hd_str *page, const json_t *row) {
    const json_t *time = json_object_get(row, "predicted"), *gain = json_object_get(row, "gain");
    if (!time) {
        hd_str_add(page, " | | | | |");
        return;
    }
    hd_str_printf(page, " %.4f | %.2f | %.2f | %.2f to %.2f | %s, %.0f%% |",
                  hd_gpu_number(time, "seconds") * 1e3, 1 / hd_gpu_number(row, "ratio"),
                  hd_gpu_number(gain, "times"), hd_gpu_number(gain, "low"),
                  hd_gpu_number(gain, "high"), hd_gpu_text(time, "bound"),
                  100 * hd_gpu_number(time, "share"));
}

void hd_gpu_show_program(hd_str *page, const json_t *result) {
    size_t i;
    const json_t *row, *correlation = json_object_get(result, "correlation");
    if (!*hd_gpu_text(result, "job"))
        return;
    hd_str_printf(page, "`%s`, priced on `%s`, %.0f rounds. ", hd_gpu_text(result, "job"),
                  hd_gpu_text(result, "profile"), hd_gpu_number(result, "rounds"));
    if (json_is_number(correlation))
        hd_str_printf(page, "Rank correlation of cost and time: %.2f. ",
                      json_number_value(correlation));
    else
        hd_str_add(page, "There is no rank correlation: all costs or times are equal. ");
    hd_str_printf(page, "The static choice, `%s`, ", hd_gpu_text(result, "choice"));
    if (hd_gpu_number(result, "choice_to_best") > 0)
        hd_str_printf(page,
                      "takes %.3f of the time of the best, `%s`, and %.3f of the "
                      "original's.\n\n",
                      hd_gpu_number(result, "choice_to_best"), hd_gpu_text(result, "best"),
                      hd_gpu_number(result, "choice_to_original"));
    else
        hd_str_printf(page, "was not timed; the best is `%s`.\n\n", hd_gpu_text(result, "best"));
    const bool predicts =
        json_is_object(json_object_get(json_object_get(result, "prediction"), "agreement"));
    hd_str_printf(page,
                  "| layout | by | cost to aos | time to aos | ms | quartiles |%s equal |\n"
                  "|---|---|--:|--:|--:|---|%s---|\n",
                  predicts ? " predicted ms | gain | predicted gain | interval | bound by |" : "",
                  predicts ? "--:|--:|--:|---|---|" : "");
    json_array_foreach(json_object_get(result, "layouts"), i, row) {
        const json_t *timing = json_object_get(row, "timing");
        hd_str_printf(page, "| `%s` | %s | %.3f |", hd_gpu_text(row, "layout"),
                      hd_gpu_text(row, "by"), hd_gpu_number(row, "cost"));
        if (timing)
            hd_str_printf(page, " %.3f | %.4f | %.4f to %.4f |", hd_gpu_number(row, "ratio"),
                          hd_gpu_number(timing, "median") * 1e3, hd_gpu_number(timing, "low") * 1e3,
                          hd_gpu_number(timing, "high") * 1e3);
        else
            hd_str_printf(page, " | | %s |", hd_gpu_text(row, "why"));
        if (predicts)
            show_predicted(page, row);
        hd_str_add(page, timing                                         ? " yes |\n"
                         : json_is_false(json_object_get(row, "equal")) ? " **no** |\n"
                                                                        : "  |\n");
    }
    show_prediction(page, result);
}
