/*
 * What a kernel's source requests of global memory, beside nvcc's code of the same file, and what
 * `heddle advise` promises for whole programs, beside what nvcc's code of the rewritten ones does.
 *
 * Kernels of bench/compiled, tests and examples run on the machine twice, as small jobs with given
 * contents: from their source, and from the PTX that nvcc -O3 makes of it. Requests are memory
 * instructions of warps, transactions those of the h200. Where the two differ by more than 1%, the
 * layout that Heddle chooses is for other code than the one that runs.
 *
 * The programs of bench/compiled/programs and tests/rewrite/whole are advised on, rewritten to the
 * advised layout and to others, built by nvcc and run.
 *
 *     bench_compiled [NAME]      all, or the files whose name begins with NAME
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "advise/nvcc_job.h"
#include "cli/report/report.h"
#include "compiled/two_ways.h"
#include "compiled/promised.h"

static const double NEAR = 0.01, FAR = 0.10;
static const double MOST = 0.95; /* kernels that have to be near */

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_device *device;
    const char *only, *folder;
    two_ways_kernels kernels;
    uint32_t failed; /* files */
} bench;

/* ---- what runs ------------------------------------------------------------------------------- */

/* Both end with an error, which is what they are for. */
static bool has_fault(const char *source) {
    return strstr(source, "tests/cuda/assertion.cu") || strstr(source, "tests/cuda/trap.cu");
}

/* "cuda/several" of "tests/cuda/several.cu". */
static char *name_of(hd_arena *arena, const char *source) {
    const char *name = strchr(source, '/') + 1;
    return hd_format(arena, "%.*s", (int)strcspn(name, "."), name);
}

static bool is_wanted(const bench *b, const char *source) {
    const char *name = hd_path_name(source);
    return !b->only || !strncmp(name, b->only, strlen(b->only));
}

static void run_file(bench *b, const char *job, const char *source) {
    if (has_fault(source) || !is_wanted(b, source))
        return;
    const char *name = name_of(b->arena, source);
    char *flat = name_of(b->arena, source);
    for (char *c = flat; (c = strchr(c, '/'));)
        *c = '-';
    b->failed += two_ways(b->arena, b->diag, name, hd_format(b->arena, "%s/%s", HEDDLE_SOURCE, job),
                          hd_format(b->arena, "%s/%s", HEDDLE_SOURCE, source),
                          hd_format(b->arena, "%s/%s.ptx", b->folder, flat), b->device,
                          &b->kernels) != HD_OK;
}

/* Jobs and their kernel files, as a command lists them. */
static void run_listed(bench *b, const char *command) {
    FILE *lines = popen(command, "r");
    char line[1000], job[400], ptx[400], source[400];
    while (lines && fgets(line, sizeof line, lines))
        if (sscanf(line, "%399s %399s %399s", job, ptx, source) == 3)
            run_file(b, hd_strdup(b->arena, job), hd_strdup(b->arena, source));
    if (lines)
        pclose(lines);
}

/* ---- the table --------------------------------------------------------------------------------- */

/* Infinite where nvcc's code makes none and the source some. */
static double ratio(uint64_t source, uint64_t nvcc) {
    return source == nvcc ? 1 : (double)source / (double)nvcc;
}
static double requests_ratio(const two_ways_kernel *k) {
    return ratio(k->counts[WAY_SOURCE].requests, k->counts[WAY_NVCC].requests);
}
static double transactions_ratio(const two_ways_kernel *k) {
    return ratio(k->counts[WAY_SOURCE].transactions, k->counts[WAY_NVCC].transactions);
}
/* How far the worse of the two is from 1, either way. */
static double distance(const two_ways_kernel *k) {
    const double r = fabs(log(requests_ratio(k))), t = fabs(log(transactions_ratio(k)));
    return exp(fmax(r, t)) - 1;
}

static void print_kernel(const two_ways_kernel *k) {
    printf("| %s | %s | %llu | %.3f | %llu | %.3f | %s |\n", k->file, k->kernel,
           (unsigned long long)k->counts[WAY_NVCC].requests, requests_ratio(k),
           (unsigned long long)k->counts[WAY_NVCC].transactions, transactions_ratio(k),
           k->difference ? k->difference : "equal");
}

static void print_head(void) {
    printf("| file | kernel | nvcc's requests | source's ratio | nvcc's transactions | source's "
           "ratio | bytes |\n|---|---|---|---|---|---|---|\n");
}

static bool print_verdict(const bench *b) {
    uint32_t near = 0, far = 0, differing = 0;
    const two_ways_kernel *worst = NULL;
    for (size_t i = 0; i < b->kernels.count; i++) {
        const two_ways_kernel *k = &b->kernels.data[i];
        near += distance(k) <= NEAR;
        far += distance(k) > FAR;
        differing += k->difference != NULL;
        worst = !worst || distance(k) > distance(worst) ? k : worst;
    }
    printf("\n%u of %zu kernels are within %.0f%%; %u leave other bytes; %u files do not run.\n",
           near, b->kernels.count, 100 * NEAR, differing, b->failed);
    if (worst)
        printf("The farthest is %s of %s: %.3f times the requests, %.3f times the transactions.\n",
               worst->kernel, worst->file, requests_ratio(worst), transactions_ratio(worst));
    printf("\n%u are more than %.0f%% away%s\n", far, 100 * FAR, far ? ":\n" : ".");
    if (far)
        print_head();
    for (size_t i = 0; i < b->kernels.count; i++)
        if (distance(&b->kernels.data[i]) > FAR)
            print_kernel(&b->kernels.data[i]);
    return near >= MOST * (double)b->kernels.count && !differing && !b->failed;
}

/* ---- whole programs ------------------------------------------------------------------------------ */

static const struct {
    const char *folder, *name;
} programs[] = {
    {"bench/compiled/programs", "aligned4"},
    {"bench/compiled/programs", "aligned_pairs"},
    {"bench/compiled/programs", "all_pairs"},
    {"bench/compiled/programs", "ballistic"},
    {"bench/compiled/programs", "branches"},
    {"bench/compiled/programs", "calls"},
    {"bench/compiled/programs", "counters"},
    {"bench/compiled/programs", "gathering"},
    {"bench/compiled/programs", "hoisted"},
    {"bench/compiled/programs", "neighbours"},
    {"bench/compiled/programs", "small_members"},
    {"bench/compiled/programs", "tiles"},
    {"bench/compiled/programs", "vectors_inside"},
    {"bench/compiled/programs", "wide"},
    {"tests/rewrite/whole", "batches"},
    {"tests/rewrite/whole", "managed"},
    {"tests/rewrite/whole", "owner"},
    {"tests/rewrite/whole", "ping_pong"},
    {"tests/rewrite/whole", "plain"},
    {"tests/rewrite/whole", "snapshots"},
    {"tests/rewrite/whole", "streams"},
    {"tests/rewrite/whole", "symbols"},
    {"tests/rewrite/whole", "templates"},
    {"tests/rewrite/whole", "wrappers"},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };
static const double MOST_OF_BEST = 1.01;

typedef struct verdict {
    double promised, measured, of_best; /* of_best: the choice's transactions to the least */
    const whole_layout *best;
} verdict;

/* What is not of the record stays as it is. */
static verdict judge(const whole_program *p) {
    const double now = (double)p->layouts[0].transactions;
    const double all = fmax(now, p->before);
    verdict v = {.promised = 1 - (p->before - p->after) / all,
                 .measured = (double)p->layouts[1].transactions / now,
                 .best = &p->layouts[0]};
    for (uint32_t i = 1; i < p->count; i++)
        if (p->layouts[i].transactions < v.best->transactions)
            v.best = &p->layouts[i];
    v.of_best = (double)p->layouts[1].transactions / (double)v.best->transactions;
    return v;
}

static void print_program(const whole_program *p) {
    if (p->failed) {
        printf("| %s | %s | | | | | | |\n", p->name, p->failed);
        return;
    }
    const verdict v = judge(p);
    printf("| %s | `%s` | %.3f | %.3f | %+.3f | %u | `%s` | %.3f |\n", p->name,
           p->layouts[1].notation, v.promised, v.measured, v.promised - v.measured, p->count,
           v.best->notation, v.of_best);
    fflush(stdout);
}

static bool run_programs(const bench *b, const char *nvcc) {
    uint32_t tried = 0, failed = 0, kept = 0, best = 0, more = 0;
    double farthest = 0;
    printf(
        "\n| program | advised | promised | measured | difference | layouts | of these the best | "
        "choice to it |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < PROGRAMS; i++) {
        const char *source =
            hd_format(b->arena, "%s/%s/%s.cu", HEDDLE_SOURCE, programs[i].folder, programs[i].name);
        if (!is_wanted(b, source))
            continue;
        whole_program p = {.name = programs[i].name, .source = source};
        whole_measure(b->arena, nvcc, b->folder, &p);
        print_program(&p);
        tried++;
        failed += p.failed != NULL;
        if (p.failed)
            continue;
        const verdict v = judge(&p);
        kept += fabs(v.promised - v.measured) <= NEAR;
        best += v.of_best <= MOST_OF_BEST;
        more += v.measured > 1;
        farthest = fmax(farthest, fabs(v.promised - v.measured));
    }
    printf(
        "\n%u of %u promises are within %.2f, the farthest is %.3f away; %u choices move at most "
        "%.2f times the least of their layouts; %u move more than AoS; %u programs fail.\n",
        kept, tried, NEAR, farthest, best, MOST_OF_BEST, more, failed);
    return kept == tried && best == tried && !more && !failed;
}

/* build/compiled, by its whole name. */
static const char *make_folder(hd_arena *arena) {
    mkdir("build", 0777);
    mkdir("build/compiled", 0777);
    char *path = realpath("build/compiled", NULL);
    const char *kept = path ? hd_strdup(arena, path) : NULL;
    free(path);
    return kept;
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    bench b = {.arena = hd_arena_new(), .diag = &diag, .only = argc > 1 ? argv[1] : NULL};
    b.folder = make_folder(b.arena);
    if (!b.folder || hd_device_find(b.arena, &diag, "h200", &b.device) != HD_OK)
        return 2;
    const char *nvcc = hd_nvcc_find(b.arena);
    if (!nvcc) {
        printf("there is no nvcc, whose code this compares with; put it into PATH\n");
        return 0;
    }
    run_listed(&b, "cd " HEDDLE_SOURCE "; for job in bench/compiled/*.yaml; do "
                   "echo $job - ${job%.yaml}.cu; done");
    run_listed(&b, "bash " HEDDLE_SOURCE "/tests/frontend/ptx/make.sh --list");
    print_head();
    for (size_t i = 0; i < b.kernels.count; i++)
        print_kernel(&b.kernels.data[i]);
    bool met = print_verdict(&b);
    fflush(stdout);
    met = run_programs(&b, nvcc) && met;
    hd_arena_free(b.arena);
    return !met;
}
