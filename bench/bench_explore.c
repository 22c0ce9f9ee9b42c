/*
 * What ./run bench explore shows: how well layout and placement are chosen without measuring them,
 * by time, by energy and by their product.
 *
 * All points of the default plan are explored twice, in each layout in device and in host memory,
 * with the modelled meter. What chooses never sees the point that it chooses for:
 *
 *     rules of thumb        those of Qasem and Teich, section VIII
 *     counted               what moves least data by the device's profile, from counts of the point
 *     nearest               what the nearest micro-kernels of the first exploration rank first; the
 *                           point itself is left out
 *     nearest, other lines  and so are all points that differ from the usual one as it does
 *     ours                  hd_nearest_choose() on the same neighbours as `nearest`
 *     ours, other lines
 *
 * The luckiest of ten variants looks better than it is. So who is best is found in the first
 * exploration, and what a choice loses on it in the second one. A choice is worse than the rules'
 * where its quartile range lies above that of theirs in both.
 *
 *     met     at the median ours loses at most 3%, and it is worse than the rules nowhere
 *
 *     bench_explore [DEVICE]     as heddle device explore takes it; default: the processor, by OpenCL
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "advise/explore/explore.h"
#include "advise/explore/nearest.h"
#include "cli/report/report.h"
#include "shared/bench_devices.h"

static const double most_lost = 0.03;
enum { EXPLORATIONS = 2 };

typedef enum chooser {
    BY_RULES,
    BY_COUNTS,
    BY_NEAREST,
    BY_OTHER_LINES,
    OURS,
    OURS_OTHER_LINES,
    CHOOSERS
} chooser;
static const char *const chooser_names[CHOOSERS] = {
    "rules of thumb", "counted", "nearest", "nearest, other lines", "ours", "ours, other lines"};

/* Of a chooser and an objective. */
typedef struct losses {
    double *lost; /* [points] */
    uint32_t count, worse;
    const char *worst; /* point */
    double most;
} losses;

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    const char *device, *backend;
    bool integrated;
    hd_plan plan;
    hd_exploration explored[EXPLORATIONS];
    const hd_study *studies[EXPLORATIONS];
    hd_nearest_point *points; /* of the first study */
    losses losses[HD_OBJECTIVES][CHOOSERS];
    hd_str worse; /* where ours is worse than the rules */
} bench;

/* ---- what is known --------------------------------------------------------------------------- */

static void progress(void *user, const char *what, double share) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %3.0f%% %s", (const char *)user, 100 * share, what);
}

/* The first processor that OpenCL has. */
static void find_device(bench *b, const char *wanted) {
    hd_compute *gpu;
    for (unsigned n = 0; (gpu = open_device(b->arena, n)); n++) {
        bool is_wanted =
            wanted ? hd_measure_device_is(&gpu->device, wanted) : gpu->device.is_processor;
        if (is_wanted && !b->device) {
            b->device = hd_strdup(b->arena, gpu->device.id);
            b->backend = gpu->device.backend;
            b->integrated = gpu->is_unified || gpu->device.is_processor;
        }
        gpu->api->close(gpu);
    }
}

static const char *const placements[] = {"device", "host"};

static hd_status explore(bench *b, int number) {
    char *folder = NULL;
    const hd_explore_options options = {.device = b->device,
                                        .backend = b->backend,
                                        .meter = "model",
                                        .progress = progress,
                                        .user = (void *)(number ? "second" : "first")};
    hd_status status = hd_plan_make(b->arena, b->diag, &(hd_plan_request){0}, &b->plan);
    b->plan.placements = 1 << HD_PLACEMENT_DEVICE | 1 << HD_PLACEMENT_HOST;
    if (status == HD_OK)
        status = hd_scratch_make(b->arena, b->diag, &folder);
    if (status != HD_OK)
        return status;
    hd_database *database =
        hd_database_open(b->arena, b->diag, hd_format(b->arena, "%s/profiles.db", folder));
    status = hd_explore(b->arena, b->diag, database, &b->plan, &options, &b->explored[number]);
    hd_database_close(database);
    hd_scratch_remove(folder);
    b->studies[number] =
        hd_study_new(b->arena, b->explored[number].variants, (uint32_t)b->explored[number].count);
    return status;
}

static hd_status count_points(bench *b) {
    const hd_nearest_device device = {b->backend, b->explored[0].profile, b->integrated};
    progress("first", "counting features", 1);
    return hd_nearest_points(b->arena, b->diag, b->studies[0], &device, &b->points);
}

/* ---- choosers ------------------------------------------------------------------------------- */

/* The dimension that a point of the default plan is unusual in, or -1. */
static int dimension_of(const hd_micro_point *point) {
    for (int d = 0; d < HD_DIMENSIONS; d++)
        if (point->value[d] != hd_dimensions[d].usual)
            return d;
    return -1;
}

static void find_nearest(const bench *b, uint32_t p, bool whole_line, hd_nearest *nearest) {
    uint32_t count = b->studies[0]->point_count, left = 0;
    hd_nearest_point *others = hd_new_array(b->arena, hd_nearest_point, count);
    int line = dimension_of(&b->points[p].of->point);
    for (uint32_t i = 0; i < count; i++)
        if (i != p && (!whole_line || dimension_of(&b->points[i].of->point) != line))
            others[left++] = b->points[i];
    hd_nearest_find(others, left, &b->points[p].features, nearest);
}

static void choose(const bench *b, uint32_t p, hd_objective by, hd_placed_layout chosen[CHOOSERS]) {
    const hd_counted_all *counted = &b->points[p].counted;
    uint32_t least = 0;
    double intensity = b->points[p].of->point.value[HD_DIM_INTENSITY];
    hd_placed_layout rule = hd_study_rule_of_thumb(placements, 2, by, intensity, b->integrated);
    for (uint32_t i = 1; i < counted->count; i++)
        if (counted->all[i].cost[by] < counted->all[least].cost[by])
            least = i;
    chosen[BY_RULES] = rule;
    chosen[BY_COUNTS] = counted->all[least].variant;
    for (int other = 0; other < 2; other++) {
        hd_nearest nearest;
        find_nearest(b, p, other, &nearest);
        hd_nearest_ranking ranking = hd_nearest_rank(b->arena, &nearest, by);
        chosen[BY_NEAREST + other] = ranking.count ? ranking.all[0].variant : rule;
        chosen[OURS + other] = hd_nearest_choose(b->arena, &nearest, by, &rule, counted);
    }
}

/* ---- what they lose ------------------------------------------------------------------------- */

static bool value_of(const bench *b, int number, const hd_micro_point *at,
                     const hd_placed_layout *variant, hd_objective by, hd_interval *value) {
    const hd_study *study = b->studies[number];
    for (uint32_t p = 0; p < study->point_count; p++) {
        if (!hd_micro_equal(&study->points[p].point, at))
            continue;
        const hd_explored *v =
            hd_study_variant(&study->points[p], variant->layout, variant->placement);
        return v && hd_study_value(study, v, (hd_quantity)by, value);
    }
    return false;
}

static bool is_worse(const bench *b, const hd_micro_point *at, const hd_placed_layout *one,
                     const hd_placed_layout *other, hd_objective by) {
    bool worse = true;
    for (int e = 0; e < EXPLORATIONS; e++) {
        hd_interval x, y;
        worse &=
            value_of(b, e, at, one, by, &x) && value_of(b, e, at, other, by, &y) && x.low > y.high;
    }
    return worse;
}

static void judge_point(bench *b, uint32_t p, hd_objective by) {
    const hd_study_point *point = b->points[p].of;
    const hd_ranking *ranking = &point->ranking[by];
    hd_placed_layout chosen[CHOOSERS];
    hd_interval least, value;
    if (!ranking->count)
        return;
    const hd_placed_layout best = {ranking->all[0].variant->layout,
                                   ranking->all[0].variant->placement};
    if (!value_of(b, 1, &point->point, &best, by, &least))
        return;
    choose(b, p, by, chosen);
    for (int c = 0; c < CHOOSERS; c++) {
        losses *l = &b->losses[by][c];
        if (!value_of(b, 1, &point->point, &chosen[c], by, &value))
            continue;
        double lost = fmax(0, value.median / least.median - 1);
        bool worse = is_worse(b, &point->point, &chosen[c], &chosen[BY_RULES], by);
        l->lost[l->count++] = lost;
        l->worse += worse;
        if (lost >= l->most) {
            l->most = lost;
            l->worst = hd_micro_print(b->arena, &point->point);
        }
        if (c == OURS && worse)
            hd_str_printf(&b->worse, "  worse than the rules by %s at %s: %s, %s\n",
                          hd_quantities[by].name, hd_micro_print(b->arena, &point->point),
                          chosen[c].layout, chosen[c].placement);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_met(const losses *l) {
    return l->count && l->lost[l->count / 2] <= most_lost && !l->worse;
}

static const char *percent(hd_arena *arena, double share) {
    return hd_format(arena, "%.1f%%", 100 * share);
}

static bool print_all(bench *b) {
    static const report_column columns[] = {{"by", REPORT_LEFT, false},
                                            {"chosen by", REPORT_LEFT, true},
                                            {"lost: median", REPORT_RIGHT, false},
                                            {"90%", REPORT_RIGHT, false},
                                            {"most", REPORT_RIGHT, false},
                                            {"at", REPORT_LEFT, true},
                                            {"worse than rules", REPORT_RIGHT, false},
                                            {"", REPORT_LEFT, false}};
    hd_arena *arena = b->arena;
    report_table *table = report_table_new(arena, columns, sizeof columns / sizeof *columns);
    hd_str out = {.arena = arena};
    bool met = true;
    for (int by = 0; by < HD_OBJECTIVES; by++)
        for (int c = 0; c < CHOOSERS; c++) {
            losses *l = &b->losses[by][c];
            qsort(l->lost, l->count, sizeof *l->lost, by_value);
            if (c == OURS)
                met &= is_met(l);
            if (l->count)
                report_table_row(table,
                                 (const char *[]){c ? "" : hd_quantities[by].name, chooser_names[c],
                                                  percent(arena, l->lost[l->count / 2]),
                                                  percent(arena, l->lost[l->count * 9 / 10]),
                                                  percent(arena, l->most), l->worst,
                                                  hd_format(arena, "%u of %u", l->worse, l->count),
                                                  c != OURS   ? ""
                                                  : is_met(l) ? "met"
                                                              : "missed"});
        }
    report_table_print(table, &out, false);
    fputs(hd_str_text(&out), stdout);
    if (b->worse.length)
        printf("\n%s", hd_str_text(&b->worse));
    printf("\n  %s: %u points, each in %u layouts and 2 placements, energy is %s; %.0f s and "
           "%.0f s\n  met: at the median ours loses at most %.0f%% on the best, and nowhere is it "
           "worse than the rules of\n  thumb by more than the spread.\n",
           b->explored[0].device.name, b->studies[0]->point_count, b->plan.layout_count,
           b->studies[0]->modelled ? "modelled" : "not known", b->explored[0].seconds,
           b->explored[1].seconds, 100 * most_lost);
    return met;
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    bench b = {.arena = hd_arena_new(), .diag = &diag};
    b.worse.arena = b.arena;
    find_device(&b, argc > 1 ? argv[1] : NULL);
    if (!b.device) {
        fprintf(stderr,
                "explore: there is no such device; heddle device list lists those there are\n");
        return 1;
    }
    hd_status status = HD_OK;
    for (int e = 0; e < EXPLORATIONS && status == HD_OK; e++)
        status = explore(&b, e);
    if (status == HD_OK)
        status = count_points(&b);
    if (status != HD_OK)
        return 1;
    for (int by = 0; by < HD_OBJECTIVES; by++) {
        for (int c = 0; c < CHOOSERS; c++)
            b.losses[by][c].lost = hd_new_array(b.arena, double, b.studies[0]->point_count);
        for (uint32_t p = 0; p < b.studies[0]->point_count; p++)
            judge_point(&b, p, (hd_objective)by);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    bool met = print_all(&b);
    hd_arena_free(b.arena);
    return !met;
}
