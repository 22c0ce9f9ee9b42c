/*
 * What ./run bench choice shows: whether `heddle advise --budget` finds, in a tenth of the time,
 * what measuring everything finds.
 *
 * For each job of bench/choice every partition of the record's fields is measured with five
 * tiles: rewritten, built, checked and run a few times. The luckiest of some hundred layouts
 * looks better than it is, and where its buffers happened to lie is luck, too: so the best of
 * them and our choice then run against each other, in turns and several times with buffers made
 * anew, and that is where they are compared.
 *
 *     met     our choice takes no more than 3% longer than the best, and was found in a tenth
 *             of the time of the sweep
 *
 * PoCL keeps what it has compiled in a cache; that is switched off, so that all pay for their
 * builds. No profile database is read, so no tree of tiles either.
 *
 *     bench_choice [JOB]...     these jobs only
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../tests/oracle/partition.h"
#include "advise/advise.h"
#include "advise/measure/stopwatch.h"
#include "cli/report/report.h"
#include "shared/run_job.h"

static const char *const jobs[] = {"stream", "groups", "gather", "all"};
static const uint64_t tiles[] = {HD_TILE_AOS, 4, 16, 64, HD_TILE_SOA};
enum { JOBS = sizeof jobs / sizeof *jobs, TILES = sizeof tiles / sizeof *tiles };

static const double most_slower = 1.03, most_time = 0.1;
/* Runs of each layout in the sweep, and how many of the best meet our choice. */
enum { SWEEP_RUNS = 5, FINALISTS = 5 };
/* They meet in several legs, each with versions and buffers made anew; the first of them are heats.
 */
enum { LEGS = 6, HEATS = 2, ROUNDS = 20 };

typedef struct swept {
    const hd_layout *layout;
    double seconds; /* median */
} swept;

typedef struct contest {
    hd_arena *arena;
    const hd_diag *diag;
    const char *name;
    hd_job *job;
    hd_vec(swept) all;
    double sweep_seconds, choose_seconds;
    const hd_layout *best, *ours;
    hd_interval ratio; /* of ours to the best */
} contest;

static void progress(const char *name, const char *what) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %s", name, what);
}

/* ---- all layouts ------------------------------------------------------------------ */

static void add_layout(contest *c, const partition *p, uint64_t tile) {
    uint64_t masks[HD_MAX_FIELDS] = {0}, of[HD_MAX_FIELDS];
    for (uint32_t f = 0; f < p->n; f++)
        masks[p->rgs[f]] |= (uint64_t)1 << f;
    for (uint32_t b = 0; b < p->blocks; b++)
        of[b] = tile;
    hd_layout *layout = hd_layout_of_masks(c->arena, masks, of, p->blocks, false);
    if (hd_layout_equal(layout, hd_layout_original(c->arena, c->job->record)))
        return;
    for (size_t i = 0; i < c->all.count; i++)
        if (hd_layout_equal(layout, c->all.data[i].layout))
            return;
    hd_push(c->arena, &c->all, (swept){layout, 0});
}

static void list_all(contest *c) {
    partition p;
    partition_first(&p, c->job->record->field_count);
    hd_push(c->arena, &c->all, (swept){hd_layout_original(c->arena, c->job->record), 0});
    do {
        for (int t = 0; t < TILES; t++)
            add_layout(c, &p, tiles[t]);
    } while (partition_next(&p));
}

/* The first is the original. */
static hd_status measure_layout(contest *c, const hd_stopwatch *watch, uint32_t i) {
    double seconds[SWEEP_RUNS];
    const char *why;
    hd_status status = watch->prepare(watch->state, i, c->all.data[i].layout, NULL, &why);
    if (status != HD_OK)
        return i && why ? hd_fail(c->diag, status, NULL, "%s: %s", c->name, why) : status;
    for (int r = 0; r < SWEEP_RUNS && status == HD_OK; r++) {
        hd_lap lap = {0};
        status = watch->run(watch->state, i, &lap);
        seconds[r] = lap.seconds;
    }
    if (i)
        watch->release(watch->state, i);
    c->all.data[i].seconds = hd_interval_of_median(seconds, SWEEP_RUNS, 0.5).median;
    return status;
}

static hd_status sweep(contest *c) {
    hd_device_clock *clock;
    hd_status status = hd_device_clock_open(c->arena, c->diag, c->job, NULL, false, &clock);
    hd_stopwatch watch = hd_device_clock_stopwatch(clock);
    double start = watch.now(watch.state);
    for (uint32_t i = 0; i < c->all.count && status == HD_OK; i++) {
        progress(c->name, hd_format(c->arena, "layout %u of %zu", i + 1, c->all.count));
        status = measure_layout(c, &watch, i);
    }
    c->sweep_seconds = watch.now(watch.state) - start;
    hd_device_clock_close(clock);
    return status;
}

/* ---- our choice -------------------------------------------------------------------- */

static hd_status choose(contest *c) {
    const hd_device *device;
    hd_advice advice;
    hd_status status = hd_device_find(c->arena, c->diag, "h200", &device);
    if (status != HD_OK)
        return status;
    /* What is before and after the budget, and the round that overruns it, counts as well. */
    const hd_advise_options options = {.devices = &device,
                                       .device_count = 1,
                                       .cost = {.loops = HD_LOOPS_PENG},
                                       .choose = {.budget = 0.9 * most_time * c->sweep_seconds}};
    hd_stopwatch watch = hd_device_clock_stopwatch(NULL);
    progress(c->name, "choosing");
    double start = watch.now(NULL);
    status = hd_advise(c->arena, c->diag, c->job, &options, &advice);
    c->choose_seconds = watch.now(NULL) - start;
    c->ours = advice.best;
    return status;
}

/* ---- head to head -------------------------------------------------------------------- */

static int by_seconds(const void *a, const void *b) {
    double x = ((const swept *)a)->seconds, y = ((const swept *)b)->seconds;
    return (x > y) - (x < y);
}

/* The best of the sweep and our choice, with the seconds that each round gives them. */
typedef struct finalists {
    const hd_layout *layouts[FINALISTS + 1]; /* the last is ours */
    double seconds[FINALISTS + 1][LEGS * ROUNDS];
    uint32_t count;
} finalists;

static void choose_finalists(contest *c, finalists *f) {
    qsort(c->all.data, c->all.count, sizeof *c->all.data, by_seconds);
    for (size_t i = 0; i < c->all.count && f->count < FINALISTS; i++)
        if (!hd_layout_equal(c->all.data[i].layout, c->ours))
            f->layouts[f->count++] = c->all.data[i].layout;
    f->layouts[f->count++] = c->ours;
}

static hd_status prepare_all(contest *c, const hd_stopwatch *watch, const finalists *f) {
    const hd_layout *original = hd_layout_original(c->arena, c->job->record);
    const char *why;
    hd_status status = watch->prepare(watch->state, 0, original, NULL, &why);
    for (uint32_t i = 0; i < f->count && status == HD_OK; i++)
        if (!hd_layout_equal(f->layouts[i], original))
            status = watch->prepare(watch->state, i + 1, f->layouts[i], NULL, &why);
    return status;
}

/* Who is the original runs as that. */
static hd_status run_round(const contest *c, const hd_stopwatch *watch, finalists *f,
                           uint32_t round) {
    const hd_layout *original = hd_layout_original(c->arena, c->job->record);
    hd_status status = HD_OK;
    for (uint32_t turn = 0; turn < f->count && status == HD_OK; turn++) {
        uint32_t i = (round + turn) % f->count;
        bool same = hd_layout_equal(f->layouts[i], original);
        hd_lap lap = {0};
        status = watch->run(watch->state, same ? 0 : i + 1, &lap);
        f->seconds[i][round] = lap.seconds;
    }
    return status;
}

static hd_status run_leg(contest *c, finalists *f, uint32_t leg) {
    hd_device_clock *clock;
    progress(c->name, hd_format(c->arena, "head to head, %u of %d", leg + 1, LEGS));
    hd_status status = hd_device_clock_open(c->arena, c->diag, c->job, NULL, false, &clock);
    hd_stopwatch watch = hd_device_clock_stopwatch(clock);
    if (status == HD_OK)
        status = prepare_all(c, &watch, f);
    for (uint32_t round = 0; round < ROUNDS && status == HD_OK; round++)
        status = run_round(c, &watch, f, leg * ROUNDS + round);
    hd_device_clock_close(clock);
    return status;
}

/* Of our choice to finalist i, in the legs from `first` up to `end`. */
static hd_interval our_ratio(const finalists *f, uint32_t i, uint32_t first, uint32_t end) {
    double ratios[LEGS * ROUNDS];
    uint32_t count = 0;
    for (uint32_t round = first * ROUNDS; round < end * ROUNDS; round++)
        ratios[count++] = f->seconds[f->count - 1][round] / f->seconds[i][round];
    return hd_interval_of_median(ratios, count, 0.05);
}

/* The first legs say who is the best, the others, which had no part in that, how much better
 * it is. */
static hd_status run_final(contest *c) {
    finalists f = {.count = 0};
    hd_status status = HD_OK;
    uint32_t best = 0;
    choose_finalists(c, &f);
    for (uint32_t leg = 0; leg < LEGS && status == HD_OK; leg++)
        status = run_leg(c, &f, leg);
    for (uint32_t i = 1; i < f.count && status == HD_OK; i++)
        if (our_ratio(&f, i, 0, HEATS).median > our_ratio(&f, best, 0, HEATS).median)
            best = i;
    c->best = f.layouts[best];
    c->ratio = our_ratio(&f, best, HEATS, LEGS);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------- */

static hd_status run_contest(contest *c) {
    const char *path = hd_format(c->arena, "bench/choice/%s.yaml", c->name);
    hd_status status = load_job(c->arena, c->diag, path, &c->job);
    if (status != HD_OK)
        return status;
    list_all(c);
    status = sweep(c);
    if (status == HD_OK)
        status = choose(c);
    if (status != HD_OK)
        return status;
    return run_final(c);
}

static bool is_met(const contest *c) {
    return c->ratio.median <= most_slower && c->choose_seconds <= most_time * c->sweep_seconds;
}

static void add_row(const contest *c, report_table *table) {
    hd_arena *arena = c->arena;
    const hd_record *record = c->job->record;
    report_table_row(
        table,
        (const char *[]){
            c->name, hd_format(arena, "%zu", c->all.count), hd_layout_print(arena, record, c->best),
            hd_layout_print(arena, record, c->ours), hd_format(arena, "%.3f", c->ratio.median),
            hd_format(arena, "%.3f to %.3f", c->ratio.low, c->ratio.high),
            hd_show_seconds(arena, c->sweep_seconds), hd_show_seconds(arena, c->choose_seconds),
            is_met(c) ? "met" : "missed"});
}

static bool is_named(int argc, char **argv, const char *job) {
    for (int a = 1; a < argc; a++)
        if (!strcmp(argv[a], job))
            return true;
    return false;
}

int main(int argc, char **argv) {
    static const report_column columns[] = {{"job", REPORT_LEFT, false},
                                            {"layouts", REPORT_RIGHT, false},
                                            {"best of all", REPORT_LEFT, true},
                                            {"ours", REPORT_LEFT, true},
                                            {"ours/best", REPORT_RIGHT, false},
                                            {"between", REPORT_LEFT, false},
                                            {"time of all", REPORT_RIGHT, false},
                                            {"of ours", REPORT_RIGHT, false},
                                            {"", REPORT_LEFT, false}};
    setenv("POCL_KERNEL_CACHE", "0", 1);
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    report_table *table = report_table_new(arena, columns, sizeof columns / sizeof *columns);
    int failed = 0;
    for (int j = 0; j < JOBS; j++) {
        if (argc > 1 && !is_named(argc, argv, jobs[j]))
            continue;
        contest c = {.arena = arena, .diag = &diag, .name = jobs[j]};
        hd_status status = run_contest(&c);
        failed |= status != HD_OK || !is_met(&c);
        if (status == HD_OK)
            add_row(&c, table);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    hd_str out = {.arena = arena};
    report_table_print(table, &out, false);
    fputs(hd_str_text(&out), stdout);
    printf(
        "\n  met: at most %.0f%% slower than the best, head to head (median and 95%% interval of\n"
        "  the ratios), and found in at most %.0f%% of the time that measuring all took.\n",
        (most_slower - 1) * 100, most_time * 100);
    hd_arena_free(arena);
    return failed;
}
