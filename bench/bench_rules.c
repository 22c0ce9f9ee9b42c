/*
 * How often the decision rules (advise/explore/decision_rules.h) are right: their layouts beside the exhaustive answer, for
 * the small jobs of examples/ on profiles of devices.
 *
 *     bench_rules              a row for each device and objective
 *     bench_rules DEVICE ...   a row for each job on these devices
 *
 * The exhaustive answer is that of heddle advise, which rewrites, compiles and counts the best layouts of its
 * search, those that everybody takes, and here those of the rules and of the micro-kernels, too: the least by
 * what was counted of all. A rule hits where its layout is within 1% of that, and else loses what its layout
 * takes more. The nearest micro-kernels are those of the default plan by the model of the same profile; where
 * they say nothing they are not counted. Placements are left to heddle advise --placements.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "advise/advise.h"
#include "advise/explore/explore.h"
#include "advise/explore/decision_rules.h"
#include "cli/report/report.h"
#include "frontend/frontend.h"
#include "shared/run_job.h"

static const char *const devices[] = {"radeon-fiji", "amd-kaveri", "tesla-k20c", "h200"};
static const char *const jobs[] = {"bfs",   "bitonic", "blackscholes", "euler",  "gsim",
                                   "irreg", "kmeans",  "lavamd",       "moldyn", "nbf",
                                   "nbody", "nbody4",  "sampo",        "sta"};
static const char *const layouts[] = {"aos", "soa", "da", "aosoa:4", "aosoa:32"};
enum {
    DEVICES = sizeof devices / sizeof *devices,
    JOBS = sizeof jobs / sizeof *jobs,
    LAYOUTS = sizeof layouts / sizeof *layouts
};

/* Of one job; layouts as text, NULL: it says nothing. What a layout loses is a share, 0 for the best. */
typedef struct contest {
    const char *best;
    hd_rules_answer answer;
    double loses[HD_RULES + 1]; /* HD_RULES: the answer of both */
} contest;

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_device *device;
    hd_nearest_point *points;
    uint32_t point_count;
} bench;

static hd_status explore(bench *b) {
    hd_plan plan;
    hd_exploration explored;
    size_t kept;
    const hd_explore_options options = {.model = b->device, .backend = "opencl"};
    const hd_nearest_device of = {"opencl", b->device, !(b->device->speed.link > 0)};
    hd_status status = hd_plan_make(b->arena, b->diag, &(hd_plan_request){0}, &plan);
    if (status == HD_OK)
        status = hd_explore(b->arena, b->diag, NULL, &plan, &options, &explored);
    if (status != HD_OK)
        return status;
    hd_explored_kernels(b->arena, explored.variants, explored.count, &kept);
    const hd_explored *runs = kept < explored.count
                                  ? hd_explored_runs(b->arena, explored.variants, explored.count)
                                  : explored.variants;
    const hd_study *study = hd_study_new(b->arena, runs, (uint32_t)explored.count);
    b->point_count = study->point_count;
    return hd_nearest_points(b->arena, b->diag, study, &of, &b->points);
}

/* NAN: it was not counted. */
static double ratio_of(const bench *b, const hd_advice *advice, const char *layout) {
    static const hd_diag silent = {0};
    hd_layout *of;
    if (hd_layout_parse(b->arena, &silent, advice->job->record, layout, &of) != HD_OK)
        return NAN;
    if (hd_layout_equal(of, hd_layout_original(b->arena, advice->job->record)))
        return 1;
    const hd_recounted *counted = hd_recount_of(&advice->recount, of);
    return counted ? counted->ratio : NAN;
}

static hd_status run_contest(const bench *b, const char *name, hd_objective objective, contest *c) {
    static const hd_diag silent = {0};
    hd_job *job, *as_written;
    hd_advice advice;
    hd_layout *also[LAYOUTS];
    const char *path = hd_format(b->arena, "examples/%s/%s-small.yaml", name, name);
    hd_status status = load_job_in_form(b->arena, b->diag, path, hd_form_for(b->device), &job);
    if (status == HD_OK)
        status = load_job(b->arena, b->diag, path, &as_written);
    if (status != HD_OK)
        return status;
    hd_advise_options options = {.objective = objective,
                                 .devices = &b->device,
                                 .device_count = 1,
                                 .cost = {.loops = HD_LOOPS_PENG},
                                 .run = true,
                                 .evidence.layouts = also,
                                 .brief = true};
    for (int l = 0; l < LAYOUTS; l++)
        options.evidence.layout_count +=
            hd_layout_parse(b->arena, &silent, job->record, layouts[l],
                            &also[options.evidence.layout_count]) == HD_OK;
    status = hd_advise(b->arena, &silent, job, &options, &advice);
    if (status == HD_OK)
        status = hd_rules_ask_with(b->arena, b->diag, as_written, b->device, b->points,
                                   b->point_count, objective, &c->answer);
    if (status != HD_OK)
        return status;
    double least = 1;
    c->best = "as it is";
    for (uint32_t i = 0; i < advice.recount.count; i++) {
        const hd_recounted *of = &advice.recount.layouts[i];
        if (!of->counted || of->ratio >= least)
            continue;
        least = of->ratio;
        c->best = hd_layout_print(b->arena, advice.job->record, of->layout);
    }
    for (int r = 0; r <= HD_RULES; r++) {
        const char *says = r < HD_RULES ? c->answer.rules[r].says.layout : c->answer.chosen.layout;
        c->loses[r] = says ? ratio_of(b, &advice, says) / least - 1 : NAN;
    }
    return HD_OK;
}

/* ---- what it shows ------------------------------------------------------------------------------ */

static const char *print_loss(hd_arena *arena, const char *layout, double loses) {
    return !layout                  ? "-"
           : isnan(loses)           ? hd_format(arena, "%s, not counted", layout)
           : loses <= HD_NOTICEABLE ? hd_format(arena, "%s, hit", layout)
                                    : hd_format(arena, "%s, +%.0f%%", layout, 100 * loses);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* "9 of 14; +3%, +120%": hits, the median and the worst loss. */
static const char *print_hits(hd_arena *arena, const contest *all, int rule) {
    double losses[JOBS];
    uint32_t count = 0, hits = 0;
    for (int j = 0; j < JOBS; j++) {
        if (isnan(all[j].loses[rule]))
            continue;
        losses[count++] = all[j].loses[rule];
        hits += all[j].loses[rule] <= HD_NOTICEABLE;
    }
    qsort(losses, count, sizeof *losses, compare);
    return count ? hd_format(arena, "%u of %u; +%.0f%%, +%.0f%%", hits, count,
                             100 * losses[count / 2], 100 * losses[count - 1])
                 : "says nothing";
}

static void show(const bench *b, const contest *all, hd_objective objective, bool each) {
    for (int j = 0; j < JOBS && each; j++)
        printf("| %s | %s | %s | %s | %s | %s |\n", b->device->name, hd_quantities[objective].name,
               jobs[j], all[j].best,
               print_loss(b->arena, all[j].answer.rules[HD_RULE_THUMB].says.layout,
                          all[j].loses[HD_RULE_THUMB]),
               print_loss(b->arena, all[j].answer.rules[HD_RULE_NEAREST].says.layout,
                          all[j].loses[HD_RULE_NEAREST]));
    if (!each)
        printf("| %s | %s | %s | %s | %s |\n", b->device->name, hd_quantities[objective].name,
               print_hits(b->arena, all, HD_RULE_THUMB), print_hits(b->arena, all, HD_RULE_NEAREST),
               print_hits(b->arena, all, HD_RULES));
}

static bool is_wanted(int argc, char **argv, const char *device) {
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], device))
            return true;
    return argc == 1;
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    const bool each = argc > 1;
    hd_status status = HD_OK;
    printf(each ? "| device | objective | job | best by counts | rule of thumb | nearest "
                  "micro-kernels |\n|---|---|---|---|---|---|\n"
                : "| device | objective | rule of thumb | nearest micro-kernels | the answer of "
                  "both |\n|---|---|---|---|---|\n");
    for (int d = 0; d < DEVICES && status == HD_OK; d++) {
        bench b = {.arena = hd_arena_new(), .diag = &diag};
        if (is_wanted(argc, argv, devices[d])) {
            status = hd_device_find(b.arena, &diag, devices[d], &b.device);
            if (status == HD_OK)
                status = explore(&b);
            for (int o = 0; o <= HD_QUANTITY_ENERGY && status == HD_OK; o++) {
                contest all[JOBS] = {0};
                for (int j = 0; j < JOBS && status == HD_OK; j++)
                    status = run_contest(&b, jobs[j], (hd_objective)o, &all[j]);
                if (status == HD_OK)
                    show(&b, all, (hd_objective)o, each);
            }
        }
        hd_arena_free(b.arena);
    }
    return status != HD_OK;
}
