/*
 * What the data reuse characteristic costs: the eight applications of "Memory-trace analysis
 * of the data sharing degree in SIMT architectures" at the sizes given there, in the six
 * scenarios, and Algorithm 1 of chapter V beside it.
 *
 * First the traces are written, which is not timed. Then every cell of application and
 * scenario starts from the trace on disk and ends with the characteristic. It runs in a
 * process of its own, so that the peak of memory is the cell's, with a worker for each core.
 * Seconds are those of the wall clock. Required: all cells together within 180 s, each within
 * 20 s and 6 GB of memory.
 *
 * Then Algorithm 1 (reuse/pairs.h), from the same file to the same degrees, on moldyn in
 * scenario 4 with K = 2, which took the document's authors almost a week (chapter XI): of each
 * launch the first blocks, twice as many in each row, until the next row would take more than
 * 100 s. Required: every degree equal, and in the last row at least 200 times the seconds of
 * Heddle. Most pairs have ranges of elements that do not overlap. To leave those out is no
 * part of Algorithm 1; what it would gain stands beside it.
 *
 * What Algorithm 1 would take for all of that trace is extrapolated: its work, which follows
 * from the lengths of the MIs, times the seconds for each unit of work in the last row.
 *
 * The exit status is 1 when something is not as required.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/reuse.h"
#include "cli/report/report.h"
#include "reuse/reuse_child.h"
#include "reuse/pairs.h"
#include "reuse/traces.h"

enum { APPLICATIONS = 8, CLUSTERS = 16, RUNS = 3 };
enum { FEWEST_BLOCKS = 6, MOST_BLOCKS = 384 }; /* of 566 that launches of moldyn have */
static const double most_total = 180, most_seconds = 20, most_bytes = 6e9, least_ratio = 200;
static const double longest_row = 100; /* seconds of Algorithm 1 */

static const char *const names[APPLICATIONS] = {"vectoradd", "sta",    "gsim",  "bfs",
                                                "nbf",       "moldyn", "irreg", "euler"};
static const hd_reuse_options paired = {.scenario = 4, .k = 2};

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    const char *folder;
} bench;

static const char *trace_path(const bench *b, const char *name) {
    return hd_format(b->arena, "%s/%s.hdt", b->folder, name);
}

/* A child that did not come to its end has said why, or was killed. */
static void stop_unless(const bench *b, bool done, const char *what) {
    if (done)
        return;
    fprintf(stderr, "bench_reuse: %s did not come to its end\n", what);
    hd_scratch_remove(b->folder);
    exit(2);
}

/* ---- traces ------------------------------------------------------------------------------ */

typedef struct trace_work {
    const bench *bench;
    const char *name, *path;
} trace_work;

static bool make_trace(const void *input, void *result) {
    const trace_work *w = input;
    return write_trace(w->bench->diag, w->name, w->path) == HD_OK &&
           read_facts(w->bench->diag, w->path, result) == HD_OK;
}

static void make_traces(const bench *b) {
    printf("%-11s %8s %8s %8s %8s %10s\n", "trace", "launches", "blocks", "MIs", "accesses",
           "bytes");
    for (int a = 0; a < APPLICATIONS; a++) {
        const trace_work work = {b, names[a], trace_path(b, names[a])};
        trace_facts f;
        stop_unless(b, run_in_child(make_trace, &work, &f, sizeof f, NULL), names[a]);
        printf("%-11s %8s %8s %8s %8s %10s\n", names[a],
               hd_show_count(b->arena, (double)f.sums.launches),
               hd_show_count(b->arena, (double)f.sums.blocks),
               hd_show_count(b->arena, (double)f.sums.mis),
               hd_show_count(b->arena, (double)f.sums.lane_accesses),
               hd_show_bytes(b->arena, f.bytes));
    }
}

/* ---- cells ------------------------------------------------------------------------------- */

static const hd_reuse_options cells[] = {{.scenario = 1},
                                         {.scenario = 2},
                                         {.scenario = 3},
                                         {.scenario = 4, .k = 2},
                                         {.scenario = 4, .k = 4},
                                         {.scenario = 4, .k = 8},
                                         {.scenario = 4, .k = 16},
                                         {.scenario = 5, .clusters = CLUSTERS, .units = 16},
                                         {.scenario = 5, .clusters = CLUSTERS, .units = 32},
                                         {.scenario = 5, .clusters = CLUSTERS, .units = 64},
                                         {.scenario = 6, .clusters = CLUSTERS, .units = 16},
                                         {.scenario = 6, .clusters = CLUSTERS, .units = 32},
                                         {.scenario = 6, .clusters = CLUSTERS, .units = 64}};

typedef struct cell_work {
    const bench *bench;
    const char *path;
    const hd_reuse_options *options;
} cell_work;

typedef struct cell_result {
    double seconds;
    uint64_t accesses, k;
    uint64_t distances, domain; /* with a degree in some stream, and the largest of them */
} cell_result;

static hd_status time_analysis(hd_arena *arena, const cell_work *w, double *seconds,
                               hd_reuse **reuse) {
    double start = hd_clock();
    hd_trace *trace;
    hd_status status = hd_trace_open(arena, w->bench->diag, w->path, &trace);
    if (status != HD_OK)
        return status;
    status = hd_reuse_analyse(arena, w->bench->diag, trace, w->options, reuse);
    *seconds = hd_clock() - start;
    hd_trace_close(trace);
    return status;
}

static void count_distances(hd_arena *arena, const hd_reuse *reuse, cell_result *r) {
    for (uint64_t s = 0; s < reuse->stream_count; s++)
        r->domain = reuse->streams[s].domain > r->domain ? reuse->streams[s].domain : r->domain;
    bool *found = hd_new_array(arena, bool, r->domain + 1);
    for (uint64_t s = 0; s < reuse->stream_count; s++)
        for (uint64_t d = 1; d <= reuse->streams[s].domain; d++)
            found[d] |= reuse->streams[s].degree[d] > 0;
    for (uint64_t d = 1; d <= r->domain; d++)
        r->distances += found[d];
}

static bool run_cell(const void *input, void *result) {
    cell_result *r = result;
    hd_arena *arena = hd_arena_new();
    hd_reuse *reuse;
    *r = (cell_result){0};
    hd_status status = time_analysis(arena, input, &r->seconds, &reuse);
    if (status == HD_OK) {
        r->accesses = reuse->accesses;
        r->k = reuse->k;
        count_distances(arena, reuse, r);
    }
    hd_arena_free(arena);
    return status == HD_OK;
}

static bool run_nothing(const void *input, void *result) {
    (void)input;
    *(char *)result = 0;
    return true;
}

static const char *cell_text(const bench *b, const hd_reuse_options *o, const cell_result *r) {
    if (o->scenario < 4)
        return hd_format(b->arena, "%u", o->scenario);
    if (o->scenario > 4)
        return hd_format(b->arena, "%u, %u clusters, L = %u", o->scenario, o->clusters, o->units);
    return r->k == o->k ? hd_format(b->arena, "4, K = %u", (unsigned)o->k)
                        : hd_format(b->arena, "4, K = %u, used %u", (unsigned)o->k, (unsigned)r->k);
}

/* What all cells took. */
typedef struct cell_totals {
    double seconds, slowest;
    uint64_t peak;
} cell_totals;

static void print_cell(const bench *b, const char *name, const hd_reuse_options *options,
                       cell_totals *totals) {
    const cell_work work = {b, trace_path(b, name), options};
    cell_result r;
    uint64_t peak;
    stop_unless(b, run_in_child(run_cell, &work, &r, sizeof r, &peak), name);
    printf("%-11s %-24s %8.3f %8s %9llu %9llu %10s\n", name, cell_text(b, options, &r), r.seconds,
           hd_show_count(b->arena, (double)r.accesses), (unsigned long long)r.distances,
           (unsigned long long)r.domain, hd_show_bytes(b->arena, peak));
    totals->seconds += r.seconds;
    totals->slowest = r.seconds > totals->slowest ? r.seconds : totals->slowest;
    totals->peak = peak > totals->peak ? peak : totals->peak;
}

static cell_totals print_cells(const bench *b) {
    cell_totals totals = {0};
    char nothing;
    uint64_t before;
    stop_unless(b, run_in_child(run_nothing, NULL, &nothing, 1, &before), "a process");
    printf("\n%-11s %-24s %8s %8s %9s %9s %10s\n", "application", "scenario", "seconds", "accesses",
           "distances", "domain", "peak");
    for (int a = 0; a < APPLICATIONS; a++)
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
            print_cell(b, names[a], &cells[c], &totals);
    printf("  distances: with a degree above 0, in any stream; domain: the largest of them.\n"
           "  peak: of a process that without the analysis has %s.\n",
           hd_show_bytes(b->arena, before));
    return totals;
}

/* ---- Algorithm 1 --------------------------------------------------------------------------- */

typedef struct row_work {
    const bench *bench;
    const char *path, *prefix_path;
    uint64_t blocks;
} row_work;

typedef struct row_result {
    uint64_t mis, elements;         /* elements: of all MIs, each once in an MI */
    double work;                    /* pairs_work() */
    double pairs, overlapping, own; /* seconds */
    bool equal;
} row_result;

static bool equal_degrees(const uint64_t *want, uint64_t mis, const hd_reuse *reuse) {
    const hd_reuse_stream *got = &reuse->streams[0];
    bool equal = got->mis == mis && (!mis || got->domain < mis);
    for (uint64_t d = 1; d < mis && equal; d++)
        equal = want[d] == (d <= got->domain ? got->degree[d] : 0);
    return equal;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a few runs, which at these lengths one disturbance would spoil. */
static hd_status time_own(hd_arena *arena, const row_work *w, row_result *r, hd_reuse **reuse) {
    const cell_work work = {w->bench, w->prefix_path, &paired};
    double seconds[RUNS] = {0};
    hd_status status = HD_OK;
    for (int i = 0; i < RUNS && status == HD_OK; i++)
        status = time_analysis(arena, &work, &seconds[i], reuse);
    qsort(seconds, RUNS, sizeof *seconds, by_size);
    r->own = seconds[RUNS / 2];
    return status;
}

static hd_status time_pairs(hd_arena *arena, const row_work *w, row_result *r,
                            const uint64_t **degree, const uint64_t **again) {
    pairs_stream stream;
    double start = hd_clock();
    hd_status status = pairs_read(arena, w->bench->diag, w->prefix_path, paired.k, &stream);
    if (status != HD_OK)
        return status;
    double read = hd_clock();
    *degree = pairs_characteristic(arena, &stream, false);
    double compared = hd_clock();
    *again = pairs_characteristic(arena, &stream, true);
    r->pairs = compared - start;
    r->overlapping = read - start + hd_clock() - compared;
    r->mis = stream.mis.count;
    r->elements = stream.elements.count;
    r->work = pairs_work(&stream);
    return HD_OK;
}

static bool run_row(const void *input, void *result) {
    const row_work *w = input;
    row_result *r = result;
    hd_arena *arena = hd_arena_new();
    const uint64_t *degree, *again;
    hd_reuse *reuse;
    *r = (row_result){0};
    hd_status status = write_prefix(w->bench->diag, w->path, w->blocks, w->prefix_path);
    if (status == HD_OK)
        status = time_own(arena, w, r, &reuse);
    if (status == HD_OK)
        status = time_pairs(arena, w, r, &degree, &again);
    if (status == HD_OK)
        r->equal = equal_degrees(degree, r->mis, reuse) && equal_degrees(again, r->mis, reuse);
    hd_arena_free(arena);
    return status == HD_OK;
}

static void print_row(const bench *b, uint64_t blocks, const row_result *r) {
    printf("%8llu %8s %8s %11.3f %10.3f %8.4f %8.1f %12.3f %8.1f%s\n", (unsigned long long)blocks,
           hd_show_count(b->arena, (double)r->mis), hd_show_count(b->arena, (double)r->elements),
           r->pairs, 1e9 * r->pairs / r->work, r->own, r->pairs / r->own, r->overlapping,
           r->overlapping / r->own, r->equal ? "" : "  DEGREES DIFFER");
}

/* Rows until the next would take too long; the last one is left in `last`, which says of all
 * whether their degrees are equal. */
static void print_rows(const bench *b, row_result *last) {
    bool equal = true;
    printf("\nmoldyn, scenario 4, K = 2: Algorithm 1 on one core, Heddle on %ld\n"
           "%8s %8s %8s %11s %10s %8s %8s %12s %8s\n",
           sysconf(_SC_NPROCESSORS_ONLN), "blocks", "MIs", "elements", "Algorithm 1", "ns/element",
           "Heddle", "ratio", "overlapping", "ratio");
    *last = (row_result){0};
    for (uint64_t n = FEWEST_BLOCKS; n <= MOST_BLOCKS && 4 * last->pairs < longest_row; n *= 2) {
        const row_work work = {b, trace_path(b, "moldyn"), trace_path(b, "prefix"), n};
        stop_unless(b, run_in_child(run_row, &work, last, sizeof *last, NULL), "Algorithm 1");
        print_row(b, n, last);
        equal &= last->equal;
    }
    last->equal = equal;
    puts("  blocks: of each launch; elements: of all MIs, each once in an MI; ns/element: for\n"
         "  each element of each pair of MIs; overlapping: without the pairs of which one has\n"
         "  only elements below the other's, which Algorithm 1 compares, too.");
}

typedef struct whole_result {
    uint64_t mis, elements;
    double work;
} whole_result;

static bool read_whole(const void *input, void *result) {
    const cell_work *w = input;
    hd_arena *arena = hd_arena_new();
    pairs_stream stream;
    hd_status status = pairs_read(arena, w->bench->diag, w->path, w->options->k, &stream);
    if (status == HD_OK)
        *(whole_result *)result =
            (whole_result){stream.mis.count, stream.elements.count, pairs_work(&stream)};
    hd_arena_free(arena);
    return status == HD_OK;
}

static void print_extrapolated(const bench *b, const row_result *last) {
    const cell_work work = {b, trace_path(b, "moldyn"), &paired};
    whole_result whole;
    stop_unless(b, run_in_child(read_whole, &work, &whole, sizeof whole, NULL), "moldyn");
    double each = last->pairs / last->work;
    printf("\nextrapolated: Algorithm 1 would take %.0f s for all of moldyn, scenario 4, K = 2:\n"
           "  %llu MIs have %llu elements, each of which stands in a comparison with every\n"
           "  other MI, %.3g in all; the last row above took %.3f ns for each of its own\n",
           whole.work * each, (unsigned long long)whole.mis, (unsigned long long)whole.elements,
           whole.work, 1e9 * each);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool require(const char *what, double got, double bound, bool at_least) {
    bool met = at_least ? got >= bound : got <= bound;
    printf("  %-56s %8.4g  %s\n", what, got, met ? "met" : "missed");
    return met;
}

static bool require_all(const cell_totals *totals, const row_result *last) {
    bool met = true;
    puts("");
    met &= require("all cells: within 180 s", totals->seconds, most_total, false);
    met &= require("the slowest cell: within 20 s", totals->slowest, most_seconds, false);
    met &= require("the largest peak of memory: within 6 GB", (double)totals->peak / 1e9,
                   most_bytes / 1e9, false);
    met &= require("Algorithm 1, last row: at least 200 times the seconds", last->pairs / last->own,
                   least_ratio, true);
    printf("  %-56s %8s  %s\n", "Algorithm 1, all rows: every degree equal",
           last->equal ? "equal" : "differ", last->equal ? "met" : "missed");
    return met && last->equal;
}

int main(void) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    char *folder;
    row_result last;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (hd_scratch_make(arena, &diag, &folder) != HD_OK)
        return 2;
    const bench b = {arena, &diag, folder};
    make_traces(&b);
    cell_totals totals = print_cells(&b);
    print_rows(&b, &last);
    print_extrapolated(&b, &last);
    bool met = require_all(&totals, &last);
    hd_scratch_remove(folder);
    hd_arena_free(arena);
    return met ? 0 : 1;
}
