/*
 * Kernels from PTX against the same kernels from their source, both on the machine, and what a
 * launch costs that does nothing.
 *
 * bench/ptx/kernels.cu goes through the front end for CUDA C, bench/ptx/kernels.ptx, which NVIDIA's
 * compiler made of it, through the one for PTX. Runs of both take turns; figures are medians of the
 * seconds of a launch, compiling left out. Every result is compared with plain C.
 *
 * The table ends with what has to be reached, and whether it is; the exit status is 1 where it
 * isn't.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/frontend.h"
#include "heddle/ptx.h"
#include "machine/vm.h"

enum { RUNS = 9, LAUNCHES = 2000 };
static const double most_ratio = 1.5, most_empty = 5e-6;

static void show(const hd_message *m, void *user) {
    (void)user;
    fprintf(stderr, "%s:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line, m->text);
}
static const hd_diag diag = {show, NULL};

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

/* ---- programs ----------------------------------------------------------------------------- */

/* A kernel with two inputs at most, which may be one, and an output. */
typedef struct program {
    const char *kernel;
    uint32_t grid[3], block[3];
    int n;
    uint32_t inputs;
    uint64_t input_bytes, output_bytes;
    void (*fill)(void *input, uint64_t bytes);
    bool (*correct)(int n, void *const *inputs, const void *output);
} program;

static void fill_floats(void *input, uint64_t bytes) {
    uint64_t seed = bytes;
    float *x = input;
    for (uint64_t i = 0; i < bytes / sizeof *x; i++)
        x[i] = (float)(hd_next_random(&seed) % 1000) / 1000;
}

static void fill_bytes(void *input, uint64_t bytes) {
    uint64_t seed = bytes;
    for (uint64_t i = 0; i < bytes; i++)
        ((uint8_t *)input)[i] = (uint8_t)hd_next_random(&seed);
}

static bool near(double got, double wanted) {
    return fabs(got - wanted) <= 1e-3 * fabs(wanted) + 1e-3;
}

/* Each tenth body. */
static bool correct_nbody(int n, void *const *inputs, const void *output) {
    const float(*b)[4] = inputs[0], (*sums)[4] = output;
    bool right = true;
    for (int i = 0; i < n; i += 10) {
        double sum[3] = {0};
        for (int k = 0; k < n; k++) {
            double d[3], square = 0.01;
            for (int c = 0; c < 3; c++) {
                d[c] = b[k][c] - b[i][c];
                square += d[c] * d[c];
            }
            for (int c = 0; c < 3; c++)
                sum[c] += b[k][3] * d[c] / (square * sqrt(square));
        }
        for (int c = 0; c < 3; c++)
            right &= near(sums[i][c], sum[c]);
    }
    return right;
}

static bool correct_matmul(int n, void *const *inputs, const void *output) {
    const float *a = inputs[0], *b = inputs[1], *c = output;
    bool right = true;
    for (int i = 0; i < n; i++)
        for (int k = i % 7; k < n; k += 7) {
            double sum = 0;
            for (int t = 0; t < n; t++)
                sum += (double)a[i * n + t] * b[t * n + k];
            right &= near(c[i * n + k], sum);
        }
    return right;
}

enum { REDUCE_BLOCKS = 64 };
static bool correct_reduce(int n, void *const *inputs, const void *output) {
    double wanted = 0, got = 0;
    for (int i = 0; i < n; i++)
        wanted += ((const float *)inputs[0])[i];
    for (int i = 0; i < REDUCE_BLOCKS; i++)
        got += ((const float *)output)[i];
    return near(got, wanted);
}

static bool correct_histogram(int n, void *const *inputs, const void *output) {
    uint32_t counts[256] = {0};
    for (int i = 0; i < n; i++)
        counts[((const uint8_t *)inputs[0])[i]]++;
    return !memcmp(counts, output, sizeof counts);
}

enum { BODIES = 4096, SIDE = 256, NUMBERS = 1 << 22 };
static const program programs[] = {
    {"nbody",
     {BODIES / 256, 1, 1},
     {256, 1, 1},
     BODIES,
     1,
     BODIES * 16,
     BODIES * 16,
     fill_floats,
     correct_nbody},
    {"matmul",
     {SIDE / 16, SIDE / 16, 1},
     {16, 16, 1},
     SIDE,
     2,
     SIDE *SIDE * 4,
     SIDE *SIDE * 4,
     fill_floats,
     correct_matmul},
    {"reduce",
     {REDUCE_BLOCKS, 1, 1},
     {256, 1, 1},
     NUMBERS,
     1,
     NUMBERS * 4,
     REDUCE_BLOCKS * 4,
     fill_floats,
     correct_reduce},
    {"histogram",
     {64, 1, 1},
     {256, 1, 1},
     NUMBERS,
     1,
     NUMBERS,
     1024,
     fill_bytes,
     correct_histogram},
};

/* ---- runs --------------------------------------------------------------------------------- */

static void *allocate(hd_vm *vm, const char *name, uint64_t bytes) {
    hd_vm_memory m = {.name = name, .bytes = bytes};
    return hd_vm_allocate(vm, 256, &m) ? NULL : m.address;
}

/* One launch of the kernel of a module. */
static hd_status run(hd_vm *vm, const kir_module *module, const program *p, void *const *inputs,
                     void *output, double *seconds) {
    const void *args[4];
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->inputs; i++)
        args[count++] = &inputs[i];
    args[count++] = &output;
    args[count++] = &p->n;
    hd_vm_launch_of launch = {
        .module = module, .kernel = kir_find_kernel(module, p->kernel), .args = args};
    memcpy(launch.grid, p->grid, sizeof launch.grid);
    memcpy(launch.block, p->block, sizeof launch.block);
    memset(output, 0, p->output_bytes);
    hd_vm_counts counts;
    hd_status status = hd_vm_launch(vm, &launch, NULL, &counts);
    *seconds = counts.seconds;
    if (!status && !p->correct(p->n, inputs, output))
        return hd_fail(&diag, HD_EDIFFER, NULL, "%s computes something else", p->kernel);
    return status;
}

/* Medians: of modules[0], then of modules[1]. */
static hd_status time_program(hd_vm *vm, kir_module *const *modules, const program *p,
                              double seconds[2]) {
    void *inputs[2], *output = allocate(vm, "output", p->output_bytes);
    double all[2][RUNS];
    for (uint32_t i = 0; i < p->inputs; i++) {
        inputs[i] = allocate(vm, "input", p->input_bytes);
        p->fill(inputs[i], p->input_bytes);
    }
    for (int r = -1; r < RUNS; r++) /* the first ones compile */
        for (int m = 0; m < 2; m++) {
            double once;
            hd_status status = run(vm, modules[m], p, inputs, output, &once);
            if (status)
                return status;
            if (r >= 0)
                all[m][r] = once;
        }
    for (int m = 0; m < 2; m++)
        seconds[m] = median(all[m], RUNS);
    return HD_OK;
}

/* Seconds of a launch of `empty` through heddle/ptx.h. */
static hd_status time_empty(const char *text, size_t length, uint32_t blocks, double *seconds) {
    hd_ptx *machine;
    hd_ptx_module *module;
    hd_status status = hd_ptx_open(&(hd_ptx_options){0}, &diag, &machine);
    if (!status)
        status = hd_ptx_load(machine, "kernels.ptx", text, length, &module);
    const hd_ptx_launch_size size = {{blocks, 1, 1}, {256, 1, 1}, 0};
    hd_ptx_kernel *empty = status ? NULL : hd_ptx_find(module, "empty");
    double all[RUNS];
    for (int r = -1; r < RUNS && !status; r++) {
        double start = hd_clock();
        for (int i = 0; i < LAUNCHES && !status; i++)
            status = hd_ptx_launch(empty, &size, NULL, NULL);
        if (r >= 0)
            all[r] = (hd_clock() - start) / LAUNCHES;
    }
    if (!status)
        *seconds = median(all, RUNS);
    hd_ptx_close(machine);
    return status;
}

int main(void) {
    hd_arena *arena = hd_arena_new();
    kir_module *modules[2];
    hd_vm *vm = NULL;
    char *text;
    size_t length;
    double ratio = 0, empty[2];
    const char *ptx = HEDDLE_SOURCE "/bench/ptx/kernels.ptx";
    hd_status status =
        hd_frontend(arena, &diag, HEDDLE_SOURCE "/bench/ptx/kernels.cu", NULL, &modules[0]);
    if (!status)
        status = hd_frontend(arena, &diag, ptx, NULL, &modules[1]);
    if (!status)
        status = hd_read_file(arena, &diag, ptx, &text, &length);
    if (!status)
        vm = hd_vm_open_empty(arena, &diag, &(hd_vm_options){0});
    printf("  kernel        source       PTX  ratio\n");
    for (size_t i = 0; i < sizeof programs / sizeof *programs && !status; i++) {
        double seconds[2];
        status = time_program(vm, modules, &programs[i], seconds);
        if (status)
            break;
        printf("  %-9s %7.2f ms %7.2f ms  %4.2fx\n", programs[i].kernel, seconds[0] * 1e3,
               seconds[1] * 1e3, seconds[1] / seconds[0]);
        ratio = fmax(ratio, seconds[1] / seconds[0]);
    }
    hd_vm_close(vm);
    for (int i = 0; i < 2 && !status; i++)
        status = time_empty(text, length, i ? 64 : 1, &empty[i]);
    hd_arena_free(arena);
    if (status)
        return 2;
    bool all = ratio <= most_ratio && empty[0] < most_empty;
    printf("  an empty launch of 1 block: %.2f us, of 64: %.2f us\n", empty[0] * 1e6,
           empty[1] * 1e6);
    printf("  PTX takes at most %.1f times the source's time: %s, %.2f; an empty launch less than "
           "%.0f us: %s\n",
           most_ratio, ratio <= most_ratio ? "yes" : "NO", ratio, most_empty * 1e6,
           empty[0] < most_empty ? "yes" : "NO");
    return all ? 0 : 1;
}
