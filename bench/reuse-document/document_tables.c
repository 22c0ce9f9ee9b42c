#include <math.h>
#include <stdio.h>

#include "cli/report/report.h"
#include "reuse-document/document_tables.h"

typedef unsigned long long llu;

enum { CLUSTERS = 16 }; /* of the document */
static const uint32_t units[] = {16, 32, 64};
static const uint64_t ks[] = {2, 4, 8, 16};
enum { UNITS = sizeof units / sizeof *units, KS = sizeof ks / sizeof *ks };

static const hd_reuse_options each_block = {.scenario = 2}, all_blocks = {.scenario = 3};

/* ---- parts of rows ----------------------------------------------------------------------- */

typedef struct peak {
    uint64_t distance, degree;
    double share; /* of the total */
} peak;

static peak peak_of(const hd_reuse_stream *s) {
    const hd_reuse_shape shape = hd_reuse_shape_of(s->degree, s->domain);
    if (!shape.peak_count)
        return (peak){0};
    return (peak){shape.peaks[0].distance, shape.peaks[0].degree,
                  (double)shape.peaks[0].degree / (double)shape.total};
}

static const char *peak_text(hd_arena *arena, const hd_reuse_stream *s) {
    const peak p = peak_of(s);
    return p.degree ? hd_format(arena, "%llu at %llu (%.1f%%)", (llu)p.degree, (llu)p.distance,
                                100 * p.share)
                    : "none";
}

static uint64_t degree_at(const hd_reuse_stream *s, uint64_t d) {
    return d <= s->domain ? s->degree[d] : 0;
}

static uint64_t total_of(const hd_reuse_stream *s) {
    return hd_reuse_shape_of(s->degree, s->domain).total;
}

/* Every degree as many times: two of equal totals differ in shape alone. */
static hd_reuse_stream times(hd_arena *arena, const hd_reuse_stream *s, uint64_t factor) {
    hd_reuse_stream result = *s;
    result.degree = hd_new_array(arena, uint64_t, s->domain + 1);
    for (uint64_t d = 1; d <= s->domain; d++)
        result.degree[d] = s->degree[d] * factor;
    return result;
}

/* hd_reuse_apart() of the shares that degrees have of their total. */
static double shapes_apart(hd_arena *arena, const hd_reuse_stream *a, const hd_reuse_stream *b) {
    const hd_reuse_stream x = times(arena, a, total_of(b)), y = times(arena, b, total_of(a));
    return hd_reuse_apart(&x, &y);
}

/* ---- figure 4 ---------------------------------------------------------------------------- */

void print_figure_4(document *d) {
    static const char *const there[] = {"0", "2 + 3", "0", "0"};
    hd_arena *arena = hd_arena_new();
    const hd_reuse_stream s = analyse_sum(d, FIGURE_4, (hd_reuse_options){.scenario = 1});
    puts("\nFigure 4\n\n| distance in figure 4 | there | Heddle |\n|---|---|---|");
    for (uint64_t i = 1; i <= sizeof there / sizeof *there; i++)
        printf("| %llu | %s | %llu |\n", (llu)i, there[i - 1], (llu)degree_at(&s, i));
    hd_arena_free(arena);
}

/* ---- vectoradd --------------------------------------------------------------------------- */

static void print_addition(document *d, application a, uint32_t element) {
    hd_arena *arena = hd_arena_new();
    const hd_reuse_options sequence = {.scenario = 1, .element_bytes = element},
                           alone = {.scenario = 2, .element_bytes = element};
    const hd_reuse *blocks = analyse(d, arena, a, alone);
    const hd_reuse_stream *first = blocks->streams, all = analyse_sum(d, a, sequence);
    printf("| %s | %s | %llu | %llu | %llu, %llu, %llu | %llu | %llu |\n", name_of(a),
           hd_show_bytes(arena, element), (llu)blocks->blocks, (llu)first->mis,
           (llu)degree_at(first, 1), (llu)degree_at(first, 2), (llu)degree_at(first, 3),
           (llu)first->domain, (llu)all.domain);
    hd_arena_free(arena);
}

void print_vectoradd(document *d) {
    puts("\nvectoradd\n\n| run | element | blocks | MIs of a block | degrees of block 0 at 1, 2, 3 "
         "| largest distance, block 0 | blocks in sequence |\n|---|---|---|---|---|---|---|\n"
         "| the document | | | | falling | 3 | 2733 |");
    print_addition(d, VECTORADD, 4);
    print_addition(d, VECTORADD, 16 << 20);
    print_addition(d, VECTORADD_PARAMETERS, 4);
    print_addition(d, VECTORADD_PARAMETERS, 32);
}

/* ---- blocks by themselves ------------------------------------------------------------------ */

static const char *classes_text(hd_arena *arena, const hd_reuse_spread *spread) {
    hd_str text = {.arena = arena};
    for (int k = HD_REUSE_NONE; k <= HD_REUSE_NMB; k++)
        if (spread->classes[k])
            hd_str_printf(&text, "%s%llu %s", text.length ? ", " : "", (llu)spread->classes[k],
                          hd_reuse_class_name((hd_reuse_class)k));
    return hd_str_text(&text);
}

static hd_reuse_stream kernel_sum(hd_arena *arena, const hd_reuse_kernel *kernel) {
    hd_reuse blocks = {.stream_count = kernel->spread->count};
    blocks.streams = hd_new_array(arena, hd_reuse_stream, blocks.stream_count);
    for (uint64_t s = 0; s < blocks.stream_count; s++)
        blocks.streams[s] = *kernel->streams[s];
    return hd_reuse_sum(arena, &blocks);
}

static void print_kernel(hd_arena *arena, application a, const char *there,
                         const hd_reuse_kernel *kernel) {
    const hd_reuse_spread *spread = kernel->spread;
    const hd_reuse_stream all = kernel_sum(arena, kernel);
    uint64_t least = UINT64_MAX, most = 0;
    for (uint64_t s = 0; s < spread->count; s++) {
        least = kernel->streams[s]->domain < least ? kernel->streams[s]->domain : least;
        most = kernel->streams[s]->domain > most ? kernel->streams[s]->domain : most;
    }
    printf("| %s: %s | %s | %llu | %s | %s | %llu to %llu | %.3f |\n", name_of(a), kernel->name,
           there, (llu)spread->count, classes_text(arena, spread), peak_text(arena, &all),
           (llu)least, (llu)most, spread->median);
}

void print_blocks(document *d) {
    static const struct {
        application a;
        const char *there;
    } rows[] = {{VECTORADD, "MB"},
                {VECTORADD_PARAMETERS, "MB"},
                {STA, "AMB, peak at 2"},
                {STA_ONCE, "AMB, peak at 2"},
                {BFS, "AMB, peak at 2"},
                {BFS_ONCE, "AMB, peak at 2"},
                {GSIM, "AMB, peak at 1"},
                {GSIM_ONCE, "AMB, peak at 1"},
                {NBF, "NMB"},
                {MOLDYN, "NMB"},
                {IRREG, "NMB"},
                {EULER, "NMB"}};
    puts("\nBlocks by themselves\n\n| kernel | there | blocks | of class | all blocks: largest "
         "degree | domains end at | median deviation |\n|---|---|---|---|---|---|---|");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (is_left_out(d, rows[r].a))
            continue;
        hd_arena *arena = hd_arena_new();
        hd_reuse_kernel *kernels;
        uint32_t count = analyse_kernels(d, arena, rows[r].a, &kernels);
        for (uint32_t k = 0; k < count; k++)
            print_kernel(arena, rows[r].a, rows[r].there, &kernels[k]);
        hd_arena_free(arena);
    }
}

void print_apart(document *d) {
    static const application pairs[][2] = {
        {STA, BFS},   {STA, GSIM},           {STA, NBF},          {STA, MOLDYN}, {STA, IRREG},
        {STA, EULER}, {BFS_ONCE, GSIM_ONCE}, {BFS_ONCE, STA_ONCE}};
    puts("\nHow far apart\n\n| blocks by themselves, added up | as they are | as shares of the "
         "total |\n|---|---|---|");
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        application a = pairs[p][0], b = pairs[p][1];
        if (is_left_out(d, b))
            continue;
        hd_arena *arena = hd_arena_new();
        const hd_reuse_stream x = analyse_sum(d, a, first_pass(a, each_block)),
                              y = analyse_sum(d, b, first_pass(b, each_block));
        printf("| %s and %s | %.3f | %.3f |\n", name_of(a), name_of(b), hd_reuse_apart(&x, &y),
               shapes_apart(arena, &x, &y));
        hd_arena_free(arena);
    }
}

/* ---- blocks at once ------------------------------------------------------------------------ */

/* The runs of sections 9.2 and 9.3. */
static const application runs[] = {
    VECTORADD_PARAMETERS, STA, STA_ONCE, GSIM, GSIM_ONCE, BFS, BFS_ONCE, NBF, MOLDYN, IRREG, EULER};
enum { RUNS = sizeof runs / sizeof *runs };

void print_contours(document *d) {
    puts("\nAll blocks at once\n\n| going over the data once | blocks by themselves: largest "
         "degree | all at once: largest degree | apart, as shares |\n|---|---|---|---|");
    for (size_t r = 0; r < RUNS; r++) {
        if (is_left_out(d, runs[r]))
            continue;
        hd_arena *arena = hd_arena_new();
        const hd_reuse_stream x = analyse_sum(d, runs[r], first_pass(runs[r], each_block)),
                              y = analyse_sum(d, runs[r], first_pass(runs[r], all_blocks));
        printf("| %s | %s | %s | %.3f |\n", name_of(runs[r]), peak_text(arena, &x),
               peak_text(arena, &y), shapes_apart(arena, &x, &y));
        hd_arena_free(arena);
    }
}

static uint64_t domain_of(document *d, application a, hd_reuse_options options) {
    hd_arena *arena = hd_arena_new();
    uint64_t domain = analyse_sum(d, a, options).domain;
    hd_arena_free(arena);
    return domain;
}

void print_domains(document *d) {
    puts("\nDomains\n\n| run | a block | all at once | K = 2 | K = 4 | K = 8 | K = 16 "
         "| K 2 to 4 | 4 to 8 | 8 to 16 |\n|---|---|---|---|---|---|---|---|---|---|");
    for (size_t r = 0; r < RUNS; r++) {
        if (is_left_out(d, runs[r]))
            continue;
        uint64_t domain[KS];
        printf("| %s | %llu | %llu |", name_of(runs[r]), (llu)domain_of(d, runs[r], each_block),
               (llu)domain_of(d, runs[r], all_blocks));
        for (int k = 0; k < KS; k++) {
            const hd_reuse_options options = {.scenario = 4, .k = ks[k]};
            domain[k] = domain_of(d, runs[r], options);
            printf(" %llu |", (llu)domain[k]);
        }
        for (int k = 1; k < KS; k++)
            printf(" %.2f |", (double)domain[k] / (double)domain[k - 1]);
        puts("");
    }
}

static const char *end_text(hd_arena *arena, const hd_reuse_stream *s) {
    return hd_format(arena, "%llu at %llu", (llu)degree_at(s, s->domain), (llu)s->domain);
}

void print_ends(document *d) {
    static const application rows[] = {STA, STA_ONCE, BFS_ONCE};
    puts("\nThe end of sta's domain\n\n| run | degree at the largest distance, all at once "
         "| K = 2 | times as far |\n|---|---|---|---|\n"
         "| the document | 1256 at 37 | 2 at 4103 | 110.9 |");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        hd_arena *arena = hd_arena_new();
        const hd_reuse_options pairs = {.scenario = 4, .k = 2};
        const hd_reuse_stream x = analyse_sum(d, rows[r], all_blocks),
                              y = analyse_sum(d, rows[r], pairs);
        printf("| %s | %s | %s | %.1f |\n", name_of(rows[r]), end_text(arena, &x),
               end_text(arena, &y), (double)y.domain / (double)x.domain);
        hd_arena_free(arena);
    }
}

/* The largest distance of the document for K = 2, and how many MIs that are for each aggregate
 * of one launch. */
void print_lengths(document *d) {
    static const struct {
        application a;
        uint64_t there; /* largest distance */
    } rows[] = {{STA_ONCE, 4103}, {MOLDYN, 124030}, {EULER, 66623}};
    puts("\nLengths at K = 2\n\n| run | aggregates | largest distance there | for each aggregate "
         "| Heddle | MIs of an aggregate |\n|---|---|---|---|---|---|");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (is_left_out(d, rows[r].a))
            continue;
        hd_arena *arena = hd_arena_new();
        const hd_reuse_options options = {.scenario = 4, .k = 2};
        const hd_reuse *reuse = analyse(d, arena, rows[r].a, first_pass(rows[r].a, options));
        double count = (double)reuse->aggregates;
        printf("| %s | %llu | %llu | %.1f | %llu | %.1f |\n", name_of(rows[r].a),
               (llu)reuse->aggregates, (llu)rows[r].there, (double)rows[r].there / count,
               (llu)reuse->streams[0].domain, (double)reuse->streams[0].mis / count);
        hd_arena_free(arena);
    }
}

/* Distances first to last, as if they began at 1. */
static hd_reuse_stream range_of(hd_arena *arena, const hd_reuse_stream *s, uint64_t first,
                                uint64_t last) {
    hd_reuse_stream range = {.domain = last - first + 1};
    range.degree = hd_new_array(arena, uint64_t, range.domain + 1);
    for (uint64_t i = first; i <= last; i++)
        range.degree[i - first + 1] = degree_at(s, i);
    return range;
}

static void print_range_row(document *d, application a, uint64_t k, uint64_t length) {
    hd_arena *arena = hd_arena_new();
    const hd_reuse_options options = {.scenario = 4, .k = k};
    const hd_reuse_stream s = analyse_sum(d, a, options), all = analyse_sum(d, a, all_blocks);
    hd_reuse_stream part[3];
    for (uint64_t i = 0; i < 3; i++)
        part[i] = range_of(arena, &s, i * length + 1, (i + 1) * length);
    printf("| %s | %llu | %llu | %llu, %llu, %llu | %.3f | %.3f | %.3f |\n", name_of(a), (llu)k,
           (llu)length, (llu)total_of(&part[0]), (llu)total_of(&part[1]), (llu)total_of(&part[2]),
           shapes_apart(arena, &all, &part[0]), shapes_apart(arena, &part[0], &part[1]),
           shapes_apart(arena, &part[1], &part[2]));
    hd_arena_free(arena);
}

void print_ranges(document *d) {
    enum { DOCUMENT = 20, AGGREGATE = 13 /* MIs that most of sta's have */ };
    puts("\nRanges of sta\n\n| run | K | range | degrees in the first three "
         "| all at once and first | first and second | second and third |\n"
         "|---|---|---|---|---|---|---|");
    for (int k = 0; k < KS; k += KS - 1) {
        print_range_row(d, STA_ONCE, ks[k], DOCUMENT);
        print_range_row(d, STA_ONCE, ks[k], AGGREGATE);
    }
}

/* ---- load/store units ---------------------------------------------------------------------- */

void print_peaks(document *d) {
    puts("\nLargest degrees, clusters together\n\n| going over the data once | all at once "
         "| 16 x 16 units | 16 x 32 | 16 x 64 |\n|---|---|---|---|---|");
    for (size_t r = 0; r < RUNS; r++) {
        if (is_left_out(d, runs[r]))
            continue;
        hd_arena *arena = hd_arena_new();
        const hd_reuse_stream all = analyse_sum(d, runs[r], first_pass(runs[r], all_blocks));
        printf("| %s | %s |", name_of(runs[r]), peak_text(arena, &all));
        for (int u = 0; u < UNITS; u++) {
            const hd_reuse_options options = {
                .scenario = 6, .clusters = CLUSTERS, .units = units[u]};
            const hd_reuse_stream s = analyse_sum(d, runs[r], first_pass(runs[r], options));
            printf(" %s |", peak_text(arena, &s));
        }
        puts("");
        hd_arena_free(arena);
    }
}

void print_clusters(document *d) {
    puts("\nLargest degrees, one cluster\n\n| going over the data once | all at once "
         "| cluster 0, 16 units | 32 | 64 | times smaller, 16 units | 32 | 64 |\n"
         "|---|---|---|---|---|---|---|---|");
    for (size_t r = 0; r < RUNS; r++) {
        if (is_left_out(d, runs[r]))
            continue;
        hd_arena *arena = hd_arena_new();
        const hd_reuse_stream all = analyse_sum(d, runs[r], first_pass(runs[r], all_blocks));
        double most = (double)peak_of(&all).degree, times_smaller[UNITS];
        printf("| %s | %llu |", name_of(runs[r]), (llu)peak_of(&all).degree);
        for (int u = 0; u < UNITS; u++) {
            const hd_reuse_options options = {
                .scenario = 5, .clusters = CLUSTERS, .units = units[u]};
            const hd_reuse *reuse = analyse(d, arena, runs[r], first_pass(runs[r], options));
            times_smaller[u] = most / (double)peak_of(reuse->streams).degree;
            printf(" %s |", peak_text(arena, reuse->streams));
        }
        printf(" %.1f | %.1f | %.1f |\n", times_smaller[0], times_smaller[1], times_smaller[2]);
        hd_arena_free(arena);
    }
}

/* ---- what took too long ------------------------------------------------------------------- */

static void print_whole(document *d, application a, hd_reuse_options options,
                        const char *scenario) {
    if (is_left_out(d, a))
        return;
    hd_arena *arena = hd_arena_new();
    const hd_reuse_stream s = analyse_sum(d, a, options);
    printf("| %s | %s | %llu | %llu | %llu | %s |\n", name_of(a), scenario, (llu)s.mis,
           (llu)s.domain, (llu)total_of(&s), peak_text(arena, &s));
    hd_arena_free(arena);
}

void print_unfinished(document *d) {
    static const application unfinished[] = {NBF, MOLDYN, IRREG, EULER};
    puts("\nWhat took too long there\n\n| run | scenario | MIs | largest distance | total degree | "
         "largest degree |\n|---|---|---|---|---|---|");
    for (size_t a = 0; a < sizeof unfinished / sizeof *unfinished; a++)
        print_whole(d, unfinished[a], (hd_reuse_options){.scenario = 1}, "1");
    print_whole(d, MOLDYN, (hd_reuse_options){.scenario = 4, .k = 2}, "4, K = 2");
}
