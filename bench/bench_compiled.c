/*
 * What a kernel's source requests of global memory, beside nvcc's code of the same file.
 *
 * Kernels of bench/compiled, tests and examples run on the machine twice, as small jobs with given
 * contents: from their source, and from the PTX that nvcc -O3 makes of it. Requests are memory
 * instructions of warps, transactions those of the h200. Where the two differ by more than 1%, the
 * layout that Heddle chooses is for other code than the one that runs.
 *
 *     bench_compiled [NAME]      all files, or those whose name begins with NAME
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/report/report.h"
#include "compiled/two_ways.h"

static const double NEAR = 0.01, FAR = 0.10;

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

static void run_file(bench *b, const char *job, const char *source) {
    const char *name = hd_path_name(source);
    if (has_fault(source) || (b->only && strncmp(name, b->only, strlen(b->only)) != 0))
        return;
    b->failed += two_ways(b->arena, b->diag, hd_format(b->arena, "%s/%s", HEDDLE_SOURCE, job),
                          hd_format(b->arena, "%s/%s", HEDDLE_SOURCE, source), b->folder, b->device,
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
    printf("| %s | %s | %llu | %.3f | %llu | %.3f | %s |\n", k->job, k->kernel,
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
               worst->kernel, worst->job, requests_ratio(worst), transactions_ratio(worst));
    printf("\n%u are more than %.0f%% away%s\n", far, 100 * FAR, far ? ":\n" : ".");
    if (far)
        print_head();
    for (size_t i = 0; i < b->kernels.count; i++)
        if (distance(&b->kernels.data[i]) > FAR)
            print_kernel(&b->kernels.data[i]);
    return near == b->kernels.count && !differing && !b->failed;
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    bench b = {.arena = hd_arena_new(),
               .diag = &diag,
               .only = argc > 1 ? argv[1] : NULL,
               .folder = "build/compiled"};
    mkdir("build", 0777);
    mkdir(b.folder, 0777);
    if (hd_device_find(b.arena, &diag, "h200", &b.device) != HD_OK)
        return 2;
    if (!find_nvcc(b.arena)) {
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
    hd_arena_free(b.arena);
    return !met;
}
