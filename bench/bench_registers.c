/*
 * The registers of a thread as Heddle estimates them, beside those that NVIDIA's compiler assigns.
 *
 * The kernels are all of the CUDA files of examples/, bench/ and tests/ that both take, templates by
 * each instance. The estimate is of the compiled form for NVIDIA's GPUs, the one that advice counts;
 * beside it stands what ptxas says of nvcc -O3's PTX. The GPUs are the H200 (sm_90), the RTX 3090
 * (sm_86), whose SMs have fewer threads, and the A100 (sm_80), to see how far alike GPUs are apart.
 *
 * The constants of src/kernel/registers.c and of the files that it calls were chosen on every second
 * kernel of the files that were there; the other half, and the files of bench/registers, which were
 * written afterwards in the manner of practitioners, show what they are worth. The exit status is 1
 * where less than 80% of all kernels are within 4.
 *
 *     bench_registers [FILE...]      of these files alone
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "advise/nvcc_job.h"
#include "advise/ptxas.h"
#include "cli/report/report.h"
#include "frontend/frontend.h"

static const double MOST = 0.80; /* kernels that have to be near */
enum { NEAR = 4, MANY = 16 };
enum { H200, RTX_3090, A100, CHIPS };
static const char *const chips[CHIPS] = {"h200", "rtx-3090", "a100"};

/* Which kernels a figure is of. */
enum { CHOSEN_ON, HELD_OUT, WRITTEN_AFTERWARDS, GROUPS };

typedef struct row {
    const char *file, *kernel;
    int group;
    uint32_t heddle[CHIPS], ptxas[CHIPS];
} row;

typedef struct bench {
    hd_arena *arena;
    const char *folder;
    const hd_device *devices[CHIPS];
    hd_vec(row) rows;
} bench;

/* ---- both sides of a file ------------------------------------------------------------------- */

static size_t plain_length(const char *name) { return strcspn(name, "<"); }

/* By name; the arguments of a template are not always legible in PTX. */
static const hd_ptxas_kernel *find(const hd_ptxas *made, const char *kernel) {
    const hd_ptxas_kernel *found = hd_ptxas_find(made, kernel);
    uint32_t alike = 0;
    for (uint32_t k = 0; k < made->count && !found; k++)
        alike += plain_length(made->kernels[k].name) == plain_length(kernel) &&
                 !strncmp(made->kernels[k].name, kernel, plain_length(kernel));
    for (uint32_t k = 0; k < made->count && alike == 1 && !found; k++)
        if (plain_length(made->kernels[k].name) == plain_length(kernel) &&
            !strncmp(made->kernels[k].name, kernel, plain_length(kernel)))
            found = &made->kernels[k];
    return found;
}

/* What either does not take is none of its business. */
static void add_file(bench *b, const char *file) {
    const hd_diag silent = {0};
    const char *source = hd_format(b->arena, "%s/%s", HEDDLE_SOURCE, file);
    const char *ptx = hd_format(b->arena, "%s/kernels.ptx", b->folder);
    const char *options = hd_format(b->arena, "-I%s/bench/programs -std=c++17", HEDDLE_SOURCE);
    hd_ptxas made[CHIPS];
    kir_module *module;
    if (hd_nvcc_ptx(b->arena, &silent, source, hd_format(b->arena, "%s -fmad=true", options),
                    ptx) ||
        hd_frontend_of(b->arena, &silent, source, options, KIR_FOR_NVIDIA, NULL, &module))
        return;
    for (int c = 0; c < CHIPS; c++)
        if (hd_ptxas_registers(b->arena, &silent, ptx, b->devices[c]->board.capability, &made[c]))
            return;
    const bool is_new = !strncmp(file, "bench/registers/", strlen("bench/registers/"));
    for (uint32_t k = 0; k < module->kernel_count; k++) {
        const kir_kernel *kernel = module->kernels[k];
        row r = {.file = hd_strdup(b->arena, file), .kernel = kernel->name};
        r.group = is_new ? WRITTEN_AFTERWARDS : b->rows.count % 2 ? HELD_OUT : CHOSEN_ON;
        const hd_flow *flow = hd_flow_analyse(b->arena, kernel);
        const hd_ptxas_kernel *found = NULL;
        for (int c = 0; c < CHIPS; c++)
            if ((found = find(&made[c], kernel->name))) {
                r.ptxas[c] = found->registers;
                r.heddle[c] = hd_kernel_registers(kernel, flow, b->devices[c]);
            }
        if (found)
            hd_push(b->arena, &b->rows, r);
    }
}

/* ---- the tables -------------------------------------------------------------------------------- */

static uint32_t distance(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

static int by_value(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

typedef struct figures {
    const char *title;
    int group;          /* -1: all */
    uint32_t more_than; /* only kernels with more registers */
    int chip;           /* whose registers Heddle estimates, */
    int other;          /* or that ptxas of this one stands for; else -1 */
} figures;

static uint32_t error_of(const figures *f, const row *r) {
    const uint32_t said = f->other >= 0 ? r->ptxas[f->other] : r->heddle[f->chip];
    return distance(said, r->ptxas[f->chip]);
}

/* Returns the share that is near. */
static double print_figures(const bench *b, const figures *f) {
    uint32_t *errors = hd_new_array(b->arena, uint32_t, b->rows.count), count = 0, near = 0;
    const row *worst = NULL;
    for (size_t i = 0; i < b->rows.count; i++) {
        const row *r = &b->rows.data[i];
        if ((f->group >= 0 && r->group != f->group) || r->ptxas[f->chip] <= f->more_than)
            continue;
        errors[count] = error_of(f, r);
        near += errors[count] <= NEAR;
        worst = !worst || errors[count] > error_of(f, worst) ? r : worst;
        count++;
    }
    if (!count)
        return 1;
    qsort(errors, count, sizeof *errors, by_value);
    printf("| %s | %u | %.0f%% | %u | %u (%s of %s) |\n", f->title, count, 100. * near / count,
           errors[count / 2], errors[count - 1], worst->kernel, worst->file);
    return (double)near / count;
}

static const figures all_figures[] = {
    {"all", -1, 0, H200, -1},
    {"half on which constants were chosen", CHOSEN_ON, 0, H200, -1},
    {"the other half", HELD_OUT, 0, H200, -1},
    {"written afterwards", WRITTEN_AFTERWARDS, 0, H200, -1},
    {"with more than 16 registers", -1, MANY, H200, -1},
    {"for the RTX 3090", -1, 0, RTX_3090, -1},
    {"ptxas for the A100 instead of Heddle", -1, 0, H200, A100},
};

int main(int argc, char **argv) {
    bench b = {.arena = hd_arena_new(), .folder = "build/registers"};
    char line[1000];
    if (!hd_nvcc_find(b.arena) || !hd_cuda_tool(b.arena, "ptxas")) {
        printf("there is no nvcc, whose registers this compares with; put it into PATH\n");
        return 0;
    }
    const hd_diag silent = {0};
    for (int c = 0; c < CHIPS; c++)
        if (hd_device_find(b.arena, &silent, chips[c], &b.devices[c]))
            return 2;
    mkdir("build", 0777);
    mkdir(b.folder, 0777);
    FILE *files = argc > 1 ? NULL
                           : popen("cd " HEDDLE_SOURCE
                                   "; find examples bench tests -name '*.cu' | LC_ALL=C sort",
                                   "r");
    while (files && fgets(line, sizeof line, files)) {
        line[strcspn(line, "\n")] = '\0';
        add_file(&b, line);
    }
    for (int i = 1; i < argc; i++)
        add_file(&b, argv[i]);
    if (files)
        pclose(files);
    printf("| file | kernel | Heddle, h200 | sm_90 | rtx-3090 | sm_86 | sm_80 |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < b.rows.count; i++) {
        const row *r = &b.rows.data[i];
        printf("| %s | %s | %u | %u | %u | %u | %u |\n", r->file, r->kernel, r->heddle[H200],
               r->ptxas[H200], r->heddle[RTX_3090], r->ptxas[RTX_3090], r->ptxas[A100]);
    }
    printf("\n| | kernels | within %d | median error | worst |\n|---|---|---|---|---|\n", NEAR);
    const double share = print_figures(&b, &all_figures[0]);
    for (size_t f = 1; f < sizeof all_figures / sizeof *all_figures; f++)
        print_figures(&b, &all_figures[f]);
    hd_arena_free(b.arena);
    return share < MOST;
}
