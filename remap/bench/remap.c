/*
 * How fast the host engine of libheddle-remap is: bytes read and written in a second, against a
 * tuned copy of as many bytes, against a loop compiled with -O3, and against memcpy.
 *
 *     bench_remap [--huge] [--threads N] [--seed S] [ROW]
 *
 * --huge takes huge pages; --seed draws other structs of mixed fields; ROW: only rows whose name
 * contains it.
 *
 * All four run on the same threads, one for each core, in the same memory. The yardstick writes
 * by streaming stores; of the ways to do so (remap/copy.c) the fastest on this machine is taken.
 * It runs before and after each remap, whose share of its speed is against the mean of both, since
 * memory that is shared with other machines is at times twice as fast as at others; of all shares
 * the median counts. Before anything is timed, the remap's result is compared with the loop's.
 * Memory is as malloc() gives it.
 *
 * Required: 85% of the copy for structs whose bytes are a power of two, 75% for the others and for
 * transposes, 40% in place; less for some transposes of bytes and of odd sizes. Structs of mixed
 * fields are drawn at random; they must reach 75% and be twice as fast as the loop. Rows without a
 * requirement are shown for completeness. The exit status is 1 where a requirement is missed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heddle/remap.h"
#include "measure/measure.h"
#include "remap/remap.h"
#include "report/report.h"

enum { RUNS = 21, LOOP_RUNS = 3, TUNING_RUNS = 5, RANDOM_RECORDS = 20 };
#define SOURCE_BYTES ((uint64_t)128 << 20)
#define BUFFER_BYTES ((uint64_t)320 << 20)

static const double of_power_of_two = 0.85, of_others = 0.75, of_in_place = 0.4;

typedef struct row {
    const char *name;
    bool back, in_place;
    double required;   /* share of the copy; 0: nothing */
    double times_loop; /* required, too */
    hd_remap *map;
    work_fn *loop;
    loop job;
    uint64_t units; /* of the loop */
} row;

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    unsigned threads;
    const copy_way *copy;
    char *from, *to, *check;
    report_table *table;
    const char *only;
    uint32_t missed, rows;
    uint64_t seed; /* of the records of chance */
} bench;

typedef enum contestant { COPY, REMAP, LOOP, MEMCPY, CONTESTANTS } contestant;

/* ---- one row ------------------------------------------------------------------------------- */

static uint64_t there_bytes(const row *r) { return hd_remap_bytes(r->map, 0); }

static hd_status remap(const bench *b, const row *r, char *to, const char *from) {
    const hd_remap_host_options options = {.threads = b->threads};
    if (r->in_place)
        return r->back ? hd_remap_revert_in_place(b->diag, r->map, to, &options)
                       : hd_remap_apply_in_place(b->diag, r->map, to, &options);
    return r->back ? hd_remap_revert(b->diag, r->map, to, (const void *[]){from}, &options)
                   : hd_remap_apply(b->diag, r->map, (void *[]){to}, from, &options);
}

static hd_status run_once(const bench *b, const row *r, contestant who, double *seconds) {
    hd_status status = HD_OK;
    uint64_t bytes = hd_remap_source_bytes(r->map);
    double start = hd_clock();
    if (who == COPY)
        copy_streaming(b->copy, b->threads, b->to, b->from, bytes);
    else if (who == REMAP)
        status = remap(b, r, b->to, b->from);
    else if (who == LOOP)
        work_on(b->threads, r->units, r->loop, &r->job);
    else
        copy_plainly(b->threads, b->to, b->from, bytes);
    *seconds = hd_clock() - start;
    return status;
}

/* Is what the remap makes what the loop makes? */
static hd_status check_row(const bench *b, const row *r) {
    memset(b->to, 0, BUFFER_BYTES);
    memset(b->check, 0, BUFFER_BYTES);
    work_on(b->threads, r->units, r->loop, &r->job);
    if (r->in_place)
        memcpy(b->check, b->from, r->back ? there_bytes(r) : hd_remap_source_bytes(r->map));
    hd_status status = remap(b, r, b->check, b->from);
    uint64_t bytes = r->back ? hd_remap_source_bytes(r->map) : there_bytes(r);
    if (status == HD_OK && memcmp(b->to, b->check, bytes) != 0)
        status =
            hd_fail(b->diag, HD_EDIFFER, NULL, "%s: the loop computes something else", r->name);
    return status;
}

/* The times of a row's contestants, and the remap's shares of the copy's speed. */
typedef struct times {
    hd_timing of[CONTESTANTS], share;
} times;

static hd_status time_alone(const bench *b, const row *r, contestant who, hd_timing *timing) {
    double seconds[LOOP_RUNS];
    hd_status status = HD_OK;
    for (int run = 0; run < LOOP_RUNS && status == HD_OK; run++)
        status = run_once(b, r, who, &seconds[run]);
    if (status == HD_OK)
        *timing = hd_timing_of(b->arena, seconds, LOOP_RUNS);
    return status;
}

static hd_status time_row(const bench *b, const row *r, times *t) {
    double copy[RUNS + 1], seconds[RUNS], share[RUNS];
    hd_status status = run_once(b, r, COPY, &copy[0]);
    for (int run = 0; run < RUNS && status == HD_OK; run++) {
        status = run_once(b, r, REMAP, &seconds[run]);
        if (status == HD_OK)
            status = run_once(b, r, COPY, &copy[run + 1]);
        share[run] = (copy[run] + copy[run + 1]) / 2 / seconds[run];
    }
    if (status == HD_OK)
        status = time_alone(b, r, LOOP, &t->of[LOOP]);
    if (status == HD_OK)
        status = time_alone(b, r, MEMCPY, &t->of[MEMCPY]);
    if (status != HD_OK)
        return status;
    t->of[COPY] = hd_timing_of(b->arena, copy, RUNS + 1);
    t->of[REMAP] = hd_timing_of(b->arena, seconds, RUNS);
    t->share = hd_timing_of(b->arena, share, RUNS);
    return HD_OK;
}

static void show_row(bench *b, const row *r, const times *t) {
    double moved = 2 * (double)hd_remap_source_bytes(r->map) / 1e9, remap = t->of[REMAP].median;
    bool met = t->share.median >= r->required && t->of[LOOP].median >= r->times_loop * remap;
    const char *verdict = r->required > 0 ? hd_format(b->arena, "%.0f%%%s %s", r->required * 100,
                                                      r->times_loop > 0 ? ", twice the loop" : "",
                                                      met ? "met" : "missed")
                                          : "";
    report_table_row(
        b->table, (const char *[]){
                      r->name, hd_format(b->arena, "%.1f", moved / t->of[COPY].median),
                      hd_format(b->arena, "%.1f", moved / remap),
                      hd_format(b->arena, "%.0f%%", t->share.median * 100),
                      hd_format(b->arena, "%.0f to %.0f", t->share.low * 100, t->share.high * 100),
                      hd_show_ratio(b->arena, t->of[LOOP].median / remap),
                      hd_show_ratio(b->arena, t->of[MEMCPY].median / remap), verdict});
    b->missed += !met;
    b->rows++;
}

static bool is_wanted(const bench *b, const char *name) {
    return !b->only || strstr(name, b->only);
}

static hd_status bench_row(bench *b, row *r) {
    if (!is_wanted(b, r->name))
        return HD_OK;
    r->job.to = b->to;
    r->job.from = b->from;
    hd_status status = check_row(b, r);
    times t;
    if (status == HD_OK)
        status = time_row(b, r, &t);
    if (status == HD_OK)
        show_row(b, r, &t);
    return status;
}

/* Takes the map from the row's end. */
static hd_status bench_map(bench *b, hd_status made, row r) {
    hd_status status = made;
    if (status == HD_OK)
        status = bench_row(b, &r);
    hd_remap_free(r.map);
    return status;
}

/* ---- the rows ------------------------------------------------------------------------------ */

static const char *const field_names[] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                          "i", "j", "k", "l", "m", "n", "o", "p"};

/* A struct of fields of one size. */
typedef struct equal_fields {
    unsigned bytes, count; /* of each, how many */
    const char *layout;
    unsigned tile; /* 0: soa */
    bool back, in_place;
    double required;
} equal_fields;

static work_fn *loop_of(const equal_fields *w) {
    if (w->tile)
        return (w->back ? loop_from_tiles : loop_to_tiles)(w->count, w->tile);
    return (w->back ? loop_to_aos : loop_to_soa)(w->bytes, w->count);
}

static hd_status bench_words(bench *b, equal_fields w) {
    hd_remap_field fields[16];
    for (unsigned f = 0; f < w.count; f++)
        fields[f] = (hd_remap_field){field_names[f], (size_t)f * w.bytes, w.bytes, w.bytes};
    hd_remap_record record = {"record", (size_t)w.bytes * w.count, w.bytes, fields, w.count};
    uint64_t count = SOURCE_BYTES / record.size / 256 * 256; /* so that there are no gaps */
    row r = {.back = w.back,
             .in_place = w.in_place,
             .required = w.required,
             .units = count,
             .loop = loop_of(&w),
             .job.run = count * w.bytes};
    r.name = hd_format(b->arena, "%s%s, %u x %u bytes%s", w.in_place ? "in place, " : "", w.layout,
                       w.count, w.bytes, w.back ? ", back" : "");
    hd_status made = hd_remap_layout(b->diag, &record, w.layout, count, &r.map);
    return bench_map(b, made, r);
}

static hd_status bench_both_ways(bench *b, equal_fields w) {
    hd_status status = bench_words(b, w);
    w.back = true;
    return status == HD_OK ? bench_words(b, w) : status;
}

static hd_status bench_mixed(bench *b, bool back) {
    static const hd_remap_field fields[] = {
        HD_REMAP_FIELD(mixed, a), HD_REMAP_FIELD(mixed, b), HD_REMAP_FIELD(mixed, c),
        HD_REMAP_FIELD(mixed, d), HD_REMAP_FIELD(mixed, e), HD_REMAP_FIELD(mixed, f),
        HD_REMAP_FIELD(mixed, g), HD_REMAP_FIELD(mixed, h), HD_REMAP_FIELD(mixed, i)};
    static const hd_remap_record record = HD_REMAP_RECORD(mixed, fields);
    uint64_t count = SOURCE_BYTES / sizeof(mixed);
    row r = {.name = back ? "soa, 8 4 4 2 2 1 1 1 1 bytes, back" : "soa, 8 4 4 2 2 1 1 1 1 bytes",
             .back = back,
             .units = count,
             .loop = back ? loop_mixed_to_aos : loop_mixed_to_soa,
             .job.rows = count};
    hd_status made = hd_remap_layout(b->diag, &record, "soa", count, &r.map);
    return bench_map(b, made, r);
}

/* Of 2 to 16 fields of 1, 2, 4 and 8 bytes, in any order. */
static void random_record(uint64_t *seed, any_record *r) {
    size_t align = 1;
    *r = (any_record){.count = 2 + (unsigned)(hd_next_random(seed) % (MOST_FIELDS - 1))};
    for (unsigned f = 0; f < r->count; f++) {
        r->size[f] = 1u << hd_next_random(seed) % 4;
        r->offset[f] = (size_t)hd_align_up(r->bytes, r->size[f]);
        r->bytes = r->offset[f] + r->size[f];
        align = r->size[f] > align ? r->size[f] : align;
    }
    r->bytes = (size_t)hd_align_up(r->bytes, align);
}

static hd_status bench_any(bench *b, any_record *a, bool back) {
    hd_remap_field fields[MOST_FIELDS];
    hd_str name = {.arena = b->arena};
    uint64_t count = SOURCE_BYTES / a->bytes / 256 * 256, run = 0; /* so that there are no gaps */
    size_t align = 1;
    for (unsigned f = 0; f < a->count; f++) {
        size_t size = a->size[f];
        fields[f] = (hd_remap_field){field_names[f], a->offset[f], size, size};
        align = size > align ? size : align;
        a->run[f] = run;
        run += count * size;
        hd_str_printf(&name, "%s%zu", f ? " " : "soa, ", size);
    }
    if (back)
        hd_str_add(&name, ", back");
    hd_remap_record record = {"record", a->bytes, align, fields, a->count};
    row r = {.name = hd_str_text(&name),
             .back = back,
             .required = of_others,
             .times_loop = 2,
             .units = count,
             .loop = back ? loop_any_to_aos : loop_any_to_soa,
             .job.record = a};
    hd_status made = hd_remap_layout(b->diag, &record, "soa", count, &r.map);
    return bench_map(b, made, r);
}

static hd_status bench_random(bench *b) {
    uint64_t seed = b->seed;
    hd_status status = HD_OK;
    for (int i = 0; i < RANDOM_RECORDS && status == HD_OK; i++) {
        any_record a;
        random_record(&seed, &a);
        for (int back = 0; back < 2 && status == HD_OK; back++)
            status = bench_any(b, &a, back);
    }
    return status;
}

static double required_of(unsigned words) {
    return hd_is_power_of_two(words) ? of_power_of_two : of_others;
}

static hd_status bench_records(bench *b) {
    static const unsigned counts[] = {2, 3, 4, 7, 8, 12, 16}, tiled[] = {3, 4, 8};
    static const char *const layouts[] = {"aosoa:16", "aosoa:32", "aosoa:64"};
    static const equal_fields others[] = {{1, 4, "soa"}, {2, 8, "soa"}, {8, 4, "soa"}};
    hd_status status = HD_OK;
    for (int i = 0; i < 7 && status == HD_OK; i++)
        status = bench_both_ways(
            b, (equal_fields){4, counts[i], "soa", .required = required_of(counts[i])});
    for (int i = 0; i < 9 && status == HD_OK; i++)
        status = bench_both_ways(b, (equal_fields){4, tiled[i / 3], layouts[i % 3], 16u << i % 3,
                                                   .required = required_of(tiled[i / 3])});
    for (int i = 0; i < 3 && status == HD_OK; i++)
        status = bench_both_ways(b, others[i]);
    for (int back = 0; back < 2 && status == HD_OK; back++)
        status = bench_mixed(b, back);
    for (int i = 0; i < 7 && status == HD_OK; i++)
        status = bench_both_ways(
            b, (equal_fields){4, counts[i], "soa", .in_place = true, .required = of_in_place});
    return status;
}

/* Less where columns begin anywhere in their lines, and where bytes are transposed: what has been
 * reached. */
static double required_of_transpose(const char *what, unsigned bytes, bool in_place) {
    bool odd = !strcmp(what, "odd");
    if (in_place)
        return odd && bytes == 1 ? 0.38 : of_in_place;
    if (bytes == 1 && !strcmp(what, "wide"))
        return 0.61;
    return odd && bytes == 1 ? 0.55 : odd && bytes == 4 ? 0.74 : of_others;
}

static hd_status bench_transpose(bench *b, const char *what, uint64_t rows, uint64_t columns,
                                 unsigned bytes, bool in_place) {
    row r = {.name = hd_format(b->arena, "%stranspose, %u byte%s, %s, %llu x %llu",
                               in_place ? "in place, " : "", bytes, bytes > 1 ? "s" : "", what,
                               (unsigned long long)rows, (unsigned long long)columns),
             .in_place = in_place,
             .required = required_of_transpose(what, bytes, in_place),
             .loop = loop_transpose(bytes),
             .job = {.rows = rows, .columns = columns},
             .units = rows};
    hd_status made = hd_remap_transpose(b->diag, rows, columns, bytes, &r.map);
    return bench_map(b, made, r);
}

static hd_status bench_transposes(bench *b, bool in_place) {
    static const struct {
        unsigned bytes;
        uint64_t side, odd_rows, odd_columns;
    } sizes[] = {{1, 11584, 11587, 11579},
                 {4, 5792, 5791, 5801},
                 {8, 4096, 4093, 4099},
                 {16, 2896, 2903, 2887}};
    enum { NARROW = 100 };
    hd_status status = HD_OK;
    for (int s = 0; s < 4 && status == HD_OK; s++) {
        unsigned bytes = sizes[s].bytes;
        uint64_t length = SOURCE_BYTES / bytes / NARROW / 64 * 64;
        status = bench_transpose(b, "square", sizes[s].side, sizes[s].side, bytes, in_place);
        if (status == HD_OK)
            status = bench_transpose(b, "tall", length, NARROW, bytes, in_place);
        if (status == HD_OK)
            status = bench_transpose(b, "wide", NARROW, length, bytes, in_place);
        if (status == HD_OK)
            status =
                bench_transpose(b, "odd", sizes[s].odd_rows, sizes[s].odd_columns, bytes, in_place);
    }
    return status == HD_OK ? bench_transpose(b, "square", 8192, 8192, 4, in_place) : status;
}

/* All elements in an order of chance, or each within `window` of where it was. */
static hd_status bench_gather(bench *b, unsigned bytes, uint64_t window) {
    uint64_t count = SOURCE_BYTES / bytes, seed = 1;
    const char *name = hd_format(b->arena, "gather, %u bytes, %s", bytes,
                                 window < count ? "nearby" : "from anywhere");
    if (!is_wanted(b, name))
        return HD_OK;
    uint32_t *index = malloc((size_t)count * sizeof *index);
    for (uint64_t i = 0; index && i < count; i++)
        index[i] = (uint32_t)i;
    for (uint64_t i = 1; index && i < count; i++) {
        uint64_t other = i - hd_next_random(&seed) % (i < window ? i + 1 : window);
        uint32_t kept = index[i];
        index[i] = index[other];
        index[other] = kept;
    }
    row r = {.name = name, .loop = loop_gather(bytes), .job.index = index, .units = count};
    hd_status made = hd_remap_gather(b->diag, index, 4, count, count, bytes, &r.map);
    hd_status status = bench_map(b, made, r);
    free(index);
    return status;
}

static hd_status bench_gathers(bench *b) {
    hd_status status = HD_OK;
    for (unsigned bytes = 4; bytes <= 16 && status == HD_OK; bytes *= 2)
        status = bench_gather(b, bytes, UINT64_MAX);
    return status == HD_OK ? bench_gather(b, 4, 4096) : status;
}

/* ---- the bench ----------------------------------------------------------------------------- */

static char *new_buffer(bool huge) {
    char *memory = NULL;
    if (posix_memalign((void **)&memory, 2 << 20, BUFFER_BYTES) != 0)
        return NULL;
    if (huge)
        madvise(memory, BUFFER_BYTES, MADV_HUGEPAGE);
    uint64_t seed = 20261121;
    for (uint64_t i = 0; i < BUFFER_BYTES; i += 8) {
        uint64_t value = hd_next_random(&seed);
        memcpy(memory + i, &value, 8);
    }
    return memory;
}

/* The fastest way of copying, of the best of some runs each. */
static const copy_way *tune_copy(const bench *b) {
    const copy_way *best = copy_ways();
    double best_seconds = 0;
    for (int run = 0; run < TUNING_RUNS; run++)
        for (const copy_way *way = copy_ways(); way->name; way++) {
            double start = hd_clock();
            copy_streaming(way, b->threads, b->to, b->from, SOURCE_BYTES);
            double seconds = hd_clock() - start;
            if (best_seconds == 0 || seconds < best_seconds) {
                best = way;
                best_seconds = seconds;
            }
        }
    return best;
}

static int run_bench(bench *b, bool huge) {
    static const report_column columns[] = {
        {"remap", REPORT_LEFT, false},         {"copy GB/s", REPORT_RIGHT, false},
        {"GB/s", REPORT_RIGHT, false},         {"/copy", REPORT_RIGHT, false},
        {"half of runs", REPORT_RIGHT, false}, {"/loop", REPORT_RIGHT, false},
        {"/memcpy", REPORT_RIGHT, false},      {"required", REPORT_LEFT, false}};
    b->table = report_table_new(b->arena, columns, sizeof columns / sizeof *columns);
    b->from = new_buffer(huge);
    b->to = new_buffer(huge);
    b->check = new_buffer(huge);
    if (!b->from || !b->to || !b->check)
        return 2;
    b->copy = tune_copy(b);
    hd_status status = bench_records(b);
    if (status == HD_OK)
        status = bench_random(b);
    if (status == HD_OK)
        status = bench_transposes(b, false);
    if (status == HD_OK)
        status = bench_transposes(b, true);
    if (status == HD_OK)
        status = bench_gathers(b);
    hd_str out = {.arena = b->arena};
    report_table_print(b->table, &out, false);
    printf("%s\n  The copy: %s. GB/s: bytes read and written; %u threads; %llu MiB of source.\n"
           "  /copy: share of the copy's speed; /loop, /memcpy: times as fast as a loop compiled\n"
           "  with -O3 and as memcpy. Medians of %d runs, each between two copies (loop, memcpy: "
           "%d);\n"
           "  half of the runs lay between the two shares given. %u of %u rows missed.\n"
           "  Structs of mixed fields are drawn with --seed %llu.\n",
           hd_str_text(&out), b->copy->name, b->threads, (unsigned long long)(SOURCE_BYTES >> 20),
           RUNS, LOOP_RUNS, b->missed, b->rows, (unsigned long long)b->seed);
    return status != HD_OK ? 2 : b->missed ? 1 : 0;
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    bool huge = false;
    bench b = {.arena = hd_arena_new(),
               .diag = &diag,
               .seed = 20261122,
               .threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN)};
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--huge"))
            huge = true;
        else if (!strcmp(argv[i], "--threads") && i + 1 < argc && atoi(argv[i + 1]) > 0)
            b.threads = (unsigned)atoi(argv[++i]);
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            b.seed = strtoull(argv[++i], NULL, 0);
        else
            b.only = argv[i];
    int code = run_bench(&b, huge);
    free(b.from);
    free(b.to);
    free(b.check);
    hd_arena_free(b.arena);
    return code;
}
