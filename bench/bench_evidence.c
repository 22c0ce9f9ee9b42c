/*
 * What ./run bench evidence shows: whether `heddle advise` recommends what its own machine
 * confirms. For each program:
 *
 *     chosen        the layout that `heddle advise` chooses for an H200, with its limit of work
 *     fewest        transactions of the record's fields in the layout chosen, over those in the
 *                   best of all partitions and tiles, by measured shapes of a whole run
 *     memory        bytes from and to memory, by simulation of caches over a trace of that run, of
 *                   the choice over the least of the twenty layouts that measured shapes make
 *                   cheapest
 *     static        transactions counted in the layout that the static cost alone would have
 *                   chosen, over those counted in the choice
 *     priced        transactions priced from measured shapes over those that the machine counts
 *                   when it runs the rewritten kernels: of the choice, of the static one, of the
 *                   best of all, whichever is farthest from 1
 *     seconds       of reading and compiling the job; of the static answer; of all of the advice
 *
 * The six of examples/ are those of the demonstration; the others are in bench/evidence, written
 * as others write such kernels.
 *
 *     bench_evidence [--small] [PROGRAM]...     with the small jobs; these programs only
 */
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "advise/advise.h"
#include "evidence/partitions.h"
#include "evidence/evidence_program.h"
#include "cli/report/report.h"

/* Without the end of the job's name. */
static const char *const programs[] = {
    "examples/kmeans/kmeans",   "examples/nbody/nbody",
    "examples/lavamd/lavamd",   "examples/blackscholes/blackscholes",
    "examples/bitonic/bitonic", "examples/sampo/sampo",
    "bench/evidence/bfs",       "bench/evidence/btree",
    "bench/evidence/flux",      "bench/evidence/d2q9",
    "bench/evidence/sph",       "bench/evidence/streamcluster",
};
enum { PROGRAMS = sizeof programs / sizeof *programs, CHEAPEST = 20 };

static const double most_over_fewest = 1.01, most_over_least_memory = 1.05;
static const double most_seconds = 10, most_static_seconds = 0.3;

typedef struct trial {
    program p;
    const char *name;
    const hd_layout *chosen, *by_static, *fewest;
    double over_fewest, over_least_memory, static_over_chosen, priced_over_counted;
    double read_seconds, static_seconds, seconds;
    uint64_t blocks, block_count; /* that the advice heard; 0: it needed no run */
} trial;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void progress(const trial *t, const char *what) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %s", t->name, what);
}

/* ---- what is advised ------------------------------------------------------------------ */

/* The static answer is there, and the job will be run. */
static void note_static(void *user, const hd_advice *advice) {
    (void)advice;
    trial *t = user;
    t->static_seconds = now() - t->static_seconds;
}

static hd_status advise(trial *t) {
    hd_arena *arena = t->p.arena;
    hd_advice advice;
    const hd_advise_options options = {.devices = &t->p.device,
                                       .device_count = 1,
                                       .cost = {.loops = HD_LOOPS_PENG},
                                       .run = true,
                                       .costed = note_static,
                                       .user = t};
    double start = t->static_seconds = now();
    progress(t, "advising");
    hd_status status = hd_advise(arena, t->p.diag, t->p.job, &options, &advice);
    if (status != HD_OK)
        return status;
    t->seconds = now() - start;
    if (advice.evidence) {
        t->blocks = advice.evidence->blocks;
        t->block_count = advice.evidence->block_count;
    } else {
        t->static_seconds = t->seconds;
    }
    const hd_search_result *search = &advice.devices[0].search;
    t->chosen = advice.best;
    t->by_static =
        search->leave ? hd_layout_original(arena, t->p.job->record) : search->ranked[0].layout;
    return HD_OK;
}

/* ---- what a whole run says of it ---------------------------------------------------------- */

/* Counts what the rewritten kernels do, and compares the price with that. */
static hd_status count(trial *t, const hd_layout *layout, double *transactions) {
    hd_status status = program_count(&t->p, layout, transactions);
    if (status != HD_OK)
        return status;
    double ratio = program_price(&t->p, layout).all / *transactions;
    if (fabs(ratio - 1) > fabs(t->priced_over_counted - 1))
        t->priced_over_counted = ratio;
    return HD_OK;
}

static hd_status compare_transactions(trial *t) {
    double chosen, other;
    t->priced_over_counted = 1;
    progress(t, "pricing all partitions");
    t->fewest = partitions_fewest(&t->p);
    t->over_fewest =
        program_price(&t->p, t->chosen).record / program_price(&t->p, t->fewest).record;
    progress(t, "running rewritten kernels");
    hd_status status = count(t, t->chosen, &chosen);
    if (status == HD_OK && !hd_layout_equal(t->fewest, t->chosen))
        status = count(t, t->fewest, &other);
    other = chosen;
    if (status == HD_OK && !hd_layout_equal(t->by_static, t->chosen))
        status = count(t, t->by_static, &other);
    t->static_over_chosen = other / chosen;
    return status;
}

/* Layouts that differ in nothing but where fields lie that nobody touches are one. */
static bool is_listed(const trial *t, const hd_layout *const *layouts, uint32_t count,
                      const hd_layout *layout) {
    const hd_record *record = t->p.job->record;
    uint64_t used = hd_cost_used_fields(t->p.model);
    for (uint32_t i = 0; i < count; i++)
        if (hd_layout_places(record, layouts[i], used) == hd_layout_places(record, layout, used))
            return true;
    return false;
}

static hd_status compare_memory(trial *t) {
    const hd_layout *layouts[CHEAPEST + 1] = {t->chosen};
    double bytes[CHEAPEST + 1], least;
    hd_search_result search;
    uint32_t count = 1;
    hd_search_static(t->p.arena, t->p.model, &(hd_search_options){.keep = CHEAPEST}, &search);
    for (uint32_t i = 0; i < search.ranked_count && i < CHEAPEST; i++)
        if (!is_listed(t, layouts, count, search.ranked[i].layout))
            layouts[count++] = search.ranked[i].layout;
    progress(t, "simulating caches");
    hd_status status = program_simulate(&t->p, layouts, count, bytes);
    if (status != HD_OK)
        return status;
    least = bytes[0];
    for (uint32_t i = 1; i < count; i++)
        least = fmin(least, bytes[i]);
    t->over_least_memory = least > 0 ? bytes[0] / least : 1;
    return HD_OK;
}

static hd_status run_trial(trial *t, const char *path) {
    double start = now();
    progress(t, "reading");
    hd_status status = program_read(&t->p, path);
    t->read_seconds = now() - start;
    if (status == HD_OK)
        status = advise(t);
    progress(t, "running all of it");
    if (status == HD_OK)
        status = program_hear(&t->p);
    if (status == HD_OK)
        status = compare_transactions(t);
    if (status == HD_OK)
        status = compare_memory(t);
    program_close(&t->p);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------ */

static bool is_met(const trial *t) {
    return t->over_fewest <= most_over_fewest && t->over_least_memory <= most_over_least_memory &&
           fabs(t->priced_over_counted - 1) < 0.0005 && t->seconds <= most_seconds &&
           t->static_seconds <= most_static_seconds;
}

static const char *heard(hd_arena *arena, const trial *t) {
    return t->block_count ? hd_show_share(arena, (double)t->blocks / (double)t->block_count) : "-";
}

static void add_row(const trial *t, hd_arena *arena, report_table *table) {
    const hd_record *record = t->p.job->record;
    report_table_row(table,
                     (const char *[]){t->name, hd_format(arena, "%u", record->field_count),
                                      hd_layout_print(arena, record, t->chosen), heard(arena, t),
                                      hd_format(arena, "%.3f", t->over_fewest),
                                      hd_format(arena, "%.3f", t->over_least_memory),
                                      hd_format(arena, "%.3f", t->static_over_chosen),
                                      hd_format(arena, "%.3f", t->priced_over_counted),
                                      hd_format(arena, "%.2f", t->read_seconds),
                                      hd_format(arena, "%.2f", t->static_seconds),
                                      hd_format(arena, "%.2f", t->seconds),
                                      is_met(t) ? "met" : "missed"});
}

/* Whether the program is among the words of the command line, or there are none. */
static bool is_wanted(int argc, char **argv, const char *name) {
    bool named = false, any = false;
    for (int a = 1; a < argc; a++) {
        any |= argv[a][0] != '-';
        named |= !strcmp(argv[a], name);
    }
    return named || !any;
}

/* In an arena of its own, since a run's contents and trace are large. */
static bool try_program(const hd_diag *diag, const hd_device *device, const char *path,
                        const char *name, hd_arena *kept, report_table *table) {
    trial t = {.p = {.arena = hd_arena_new(), .diag = diag, .device = device}, .name = name};
    hd_status status = run_trial(&t, path);
    if (status == HD_OK)
        add_row(&t, kept, table);
    hd_arena_free(t.p.arena);
    return status == HD_OK && is_met(&t);
}

int main(int argc, char **argv) {
    static const report_column columns[] = {
        {"program", REPORT_LEFT, false},   {"fields", REPORT_RIGHT, false},
        {"chosen", REPORT_LEFT, true},     {"heard", REPORT_RIGHT, false},
        {"fewest", REPORT_RIGHT, false},   {"memory", REPORT_RIGHT, false},
        {"static", REPORT_RIGHT, false},   {"priced", REPORT_RIGHT, false},
        {"read s", REPORT_RIGHT, false},   {"static s", REPORT_RIGHT, false},
        {"advice s", REPORT_RIGHT, false}, {"", REPORT_LEFT, false}};
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    report_table *table = report_table_new(arena, columns, sizeof columns / sizeof *columns);
    const hd_device *device;
    bool all_met = true, small = argc > 1 && !strcmp(argv[1], "--small");
    report_table_set_width(table, 132);
    if (hd_device_find(arena, &diag, "h200", &device))
        return 2;
    for (int i = 0; i < PROGRAMS; i++) {
        const char *name = strrchr(programs[i], '/') + 1;
        const char *path = hd_format(arena, "%s%s.yaml", programs[i], small ? "-small" : "");
        if (is_wanted(argc, argv, name))
            all_met = try_program(&diag, device, path, name, arena, table) && all_met;
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    hd_str out = {.arena = arena};
    report_table_print(table, &out, false);
    fputs(hd_str_text(&out), stdout);
    printf("\n  heard: blocks that the advice ran; -: nothing in the static cost was assumed.\n"
           "  fewest: transactions of the record, chosen / best of all partitions and tiles.\n"
           "  memory: simulated bytes from and to memory, chosen / best of the twenty cheapest.\n"
           "  static: transactions counted in the static choice / in the chosen layout.\n"
           "  priced: transactions by measured shapes / counted in rewritten kernels.\n"
           "  met: fewest at most %.2f, memory at most %.2f, priced 1.000, advice within %.0f s,\n"
           "  its static part within %.1f s: %s.\n",
           most_over_fewest, most_over_least_memory, most_seconds, most_static_seconds,
           all_met ? "met by all" : "MISSED");
    hd_arena_free(arena);
    return !all_met;
}
