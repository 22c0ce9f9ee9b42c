/*
 * What ./run bench nearest shows: whether the nearest micro-kernels help where layouts are raced, as
 * a judge beside cost, graph and habit.
 *
 * The processor is explored by the default plan, in device memory. Then for each job of bench/choice
 * the judges propose, once without and once with the nearest micro-kernels among them. All that is
 * proposed is run in turns, and the place in both lists of the first that is within 3% of the fastest
 * is told: the earlier, the smaller the budget that finds it. As luck with buffers makes some layouts
 * look fast, this is done in two legs with versions made anew.
 *
 *     helps     some such place is earlier with the judge in both legs, and none is later in any
 *
 * It does not vote in heddle advise, since this says that it does not help. There is no target to miss.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "advise/explore/explore.h"
#include "advise/explore/nearest.h"
#include "frontend/frontend.h"
#include "advise/measure/stopwatch.h"
#include "cli/report/report.h"
#include "shared/bench_devices.h"

static const char *const jobs[] = {"stream", "groups", "gather", "all"};
enum { JOBS = sizeof jobs / sizeof *jobs, MOST_PROPOSALS = 24, ROUNDS = 15, LEGS = 2, JUDGES = 4 };
static const double as_good = 1.03;
#define NOWHERE UINT32_MAX
#define MOST_HEARD ((uint64_t)4 << 20) /* accesses of lanes */

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    const char *device;
    const hd_device *profile;
    hd_nearest_point *points;
    uint32_t point_count;
} bench;

typedef struct contest {
    const char *name;
    hd_job *job;
    hd_nearest nearest;
    hd_proposal *lists[2]; /* without the judge, and with it */
    uint32_t counts[2];
    double medians[LEGS][MOST_PROPOSALS + 1]; /* of the original, and of the second list's */
} contest;

static void progress(void *user, const char *what, double share) {
    (void)user;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%3.0f%% %s", 100 * share, what);
}

static void find_device(bench *b) {
    hd_compute *gpu;
    for (unsigned n = 0; (gpu = open_device(b->arena, n)); n++) {
        if (gpu->device.is_processor && !b->device)
            b->device = hd_strdup(b->arena, gpu->device.id);
        gpu->api->close(gpu);
    }
}

static hd_status explore(bench *b) {
    hd_plan plan;
    hd_exploration explored;
    const hd_explore_options options = {
        .device = b->device, .backend = "opencl", .meter = "model", .progress = progress};
    hd_status status = hd_plan_make(b->arena, b->diag, &(hd_plan_request){0}, &plan);
    plan.placements = 1 << HD_PLACEMENT_DEVICE;
    if (status == HD_OK)
        status = hd_explore(b->arena, b->diag, NULL, &plan, &options, &explored);
    if (status != HD_OK)
        return status;
    const hd_study *study = hd_study_new(b->arena, explored.variants, (uint32_t)explored.count);
    const hd_nearest_device device = {"opencl", explored.profile, true};
    b->profile = explored.profile;
    b->point_count = study->point_count;
    return hd_nearest_points(b->arena, b->diag, study, &device, &b->points);
}

/* ---- a job ------------------------------------------------------------------------------------ */

static hd_status load(const bench *b, contest *c) {
    const char *path = hd_format(b->arena, "%s/bench/choice/%s.yaml", HEDDLE_SOURCE, c->name);
    kir_module *module;
    hd_status status = hd_job_read(b->arena, b->diag, path, &c->job);
    if (status == HD_OK)
        status = hd_frontend(b->arena, b->diag, c->job->kernel_path, c->job->options, &module);
    return status == HD_OK ? hd_job_resolve(b->arena, b->diag, c->job, module) : status;
}

/* As heddle advise has its judges, which is without a tree here. */
static hd_status propose(const bench *b, contest *c) {
    hd_arena *arena = b->arena;
    const hd_cost_options cost = {.loops = HD_LOOPS_PENG};
    const hd_search_options search = {0};
    hd_search_result found;
    hd_cost_model *model;
    hd_layout_graph *graph;
    hd_features features;
    hd_status status = hd_cost_model_make(arena, b->diag, c->job, b->profile, &cost, &model);
    if (status == HD_OK)
        status = hd_layout_graph_make(arena, b->diag, c->job, &graph);
    if (status == HD_OK)
        status = hd_features_count(b->diag, c->job, b->profile, MOST_HEARD, &features);
    if (status != HD_OK)
        return status;
    hd_search_static(arena, model, &search, &found);
    hd_nearest_find(b->points, b->point_count, &features, &c->nearest);
    const hd_nearest_ranking ranking = hd_nearest_rank(arena, &c->nearest, HD_QUANTITY_TIME);
    const hd_judge judges[JUDGES] = {
        hd_judge_cost(arena, b->profile, &found),
        hd_judge_graph(arena, graph, hd_device_epsilon(b->profile, NULL), NULL),
        hd_judge_plain(arena, c->job->record), hd_nearest_judge(arena, c->job->record, &ranking)};
    for (uint32_t with = 0; with < 2; with++)
        c->lists[with] = hd_propose(arena, c->job->record, graph->reached, judges,
                                    JUDGES - 1 + with, MOST_PROPOSALS, &c->counts[with]);
    return HD_OK;
}

/* [0] is the original. */
static hd_status run_all(const bench *b, const contest *c, const hd_stopwatch *watch,
                         double *medians) {
    double seconds[MOST_PROPOSALS + 1][ROUNDS];
    hd_lap lap;
    const char *why;
    const hd_layout *original = hd_layout_original(b->arena, c->job->record);
    hd_status status = HD_OK;
    for (uint32_t i = 0; i <= c->counts[1] && status == HD_OK; i++)
        status =
            watch->prepare(watch->state, i, i ? c->lists[1][i - 1].layout : original, NULL, &why);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i <= c->counts[1] && status == HD_OK; i++) {
            status = watch->run(watch->state, i, &lap);
            seconds[i][round] = lap.seconds;
        }
    for (uint32_t i = 0; i <= c->counts[1] && status == HD_OK; i++)
        medians[i] = hd_timing_of(b->arena, seconds[i], ROUNDS).median;
    return status;
}

static hd_status run_contest(const bench *b, contest *c) {
    progress(NULL, c->name, 1);
    hd_status status = load(b, c);
    if (status == HD_OK)
        status = propose(b, c);
    if (status != HD_OK)
        return status;
    for (int leg = 0; leg < LEGS && status == HD_OK; leg++) {
        hd_device_clock *clock;
        status = hd_device_clock_open(b->arena, b->diag, c->job, b->device, false, &clock);
        hd_stopwatch watch = hd_device_clock_stopwatch(clock);
        if (status == HD_OK)
            status = run_all(b, c, &watch, c->medians[leg]);
        hd_device_clock_close(clock);
    }
    return status;
}

/* ---- what it shows ---------------------------------------------------------------------------- */

/* The first of a list, from 1, that takes at most `factor` of the fastest; 0: the original does. */
static uint32_t place_of(const contest *c, int leg, int with, double factor) {
    const double *medians = c->medians[leg];
    double least = medians[0];
    for (uint32_t i = 1; i <= c->counts[1]; i++)
        least = medians[i] < least ? medians[i] : least;
    if (medians[0] <= factor * least)
        return 0;
    for (uint32_t p = 0; p < c->counts[with]; p++)
        for (uint32_t i = 0; i < c->counts[1]; i++)
            if (hd_layout_equal(c->lists[with][p].layout, c->lists[1][i].layout) &&
                medians[i + 1] <= factor * least)
                return p + 1;
    return NOWHERE;
}

static const char *print_place(hd_arena *arena, uint32_t place) {
    return place == NOWHERE ? "none" : place ? hd_format(arena, "%u", place) : "original";
}

/* Without and with the judge, in each leg. */
static const char *print_places(hd_arena *arena, const contest *c) {
    hd_str out = {.arena = arena};
    for (int leg = 0; leg < LEGS; leg++)
        hd_str_printf(&out, "%s%s, %s", leg ? "; " : "",
                      print_place(arena, place_of(c, leg, 0, as_good)),
                      print_place(arena, place_of(c, leg, 1, as_good)));
    return hd_str_text(&out);
}

/* <0: it helps in each leg, >0: it harms in one. */
static int compare(const contest *c) {
    int most = -1;
    for (int leg = 0; leg < LEGS; leg++) {
        uint32_t without = place_of(c, leg, 0, as_good), with = place_of(c, leg, 1, as_good);
        int of_leg = (with > without) - (with < without);
        most = of_leg > most ? of_leg : most;
    }
    return most;
}

static void add_row(const bench *b, const contest *c, report_table *table) {
    hd_arena *arena = b->arena;
    const hd_neighbour *nearest = &c->nearest.all[0];
    report_table_row(
        table, (const char *[]){
                   c->name, hd_micro_print(arena, &nearest->point->of->point),
                   hd_format(arena, "%.2f%s", nearest->distance, c->nearest.far ? ", too far" : ""),
                   hd_format(arena, "%u", c->counts[0]),
                   hd_format(arena, "%u", c->counts[1] - c->counts[0]), print_places(arena, c)});
}

int main(void) {
    static const report_column columns[] = {
        {"job", REPORT_LEFT, false},       {"nearest", REPORT_LEFT, true},
        {"distance", REPORT_LEFT, false},  {"proposals", REPORT_RIGHT, false},
        {"new ones", REPORT_RIGHT, false}, {"first within 3%: without, with", REPORT_LEFT, false}};
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    bench b = {.arena = hd_arena_new(), .diag = &diag};
    int earlier = 0, later = 0;
    find_device(&b);
    if (!b.device) {
        fprintf(stderr, "nearest: OpenCL has no processor here\n");
        return 1;
    }
    report_table *table = report_table_new(b.arena, columns, sizeof columns / sizeof *columns);
    hd_status status = explore(&b);
    for (int j = 0; j < JOBS && status == HD_OK; j++) {
        contest c = {.name = jobs[j]};
        status = run_contest(&b, &c);
        if (status != HD_OK)
            break;
        earlier += compare(&c) < 0;
        later += compare(&c) > 0;
        add_row(&b, &c, table);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    hd_str out = {.arena = b.arena};
    report_table_print(table, &out, false);
    fputs(hd_str_text(&out), stdout);
    printf("\n  Places in the list of proposals: without, and with the nearest micro-kernels among "
           "the judges.\n  It %s: a fast layout comes earlier for %d jobs, and later for %d.\n",
           earlier && !later ? "helps" : "does not help", earlier, later);
    hd_arena_free(b.arena);
    return status != HD_OK;
}
