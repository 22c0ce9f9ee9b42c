/*
 * Tables IV and V of Peng, Grossman and Sarkar, "Static Cost Estimation for Data
 * Layout Selection on GPUs", beside Heddle's costs of the same programs
 * (bench/static-cost/). docs/reproduce-static-cost.md is what this prints, with
 * comments.
 *
 * For every benchmark and device the order of the layouts by cost must agree with
 * the order of the measured speedups in the tables: no layout that was measured
 * faster may cost more. Ratios to AoS that differ by less than 0.001, the last
 * decimal that the document prints, are equal, and equal costs agree; such pairs
 * are listed. The exit status is 1 if an order differs.
 *
 * Beside the paper's dynamic costs, from counters, stand Heddle's: counted transactions and
 * simulated caches (analysis/cache.h) of a run that is small enough for a test.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/cost.h"
#include "frontend/frontend.h"
#include "analysis/cache.h"
#include "cli/report/report.h"
#include "shared/run_job.h"

enum { DEVICES = 2, BENCHMARKS = 3, LAYOUTS = 4 };
/* Of a thread: the paper does not say. With more, fewer blocks of LavaMD fit an SM of Fermi. */
enum { REGISTERS = 32 };

/* What the tables say of a layout; of AoS everything is 1. */
typedef struct row {
    const char *name, *notation;
    struct {
        double estimated, dynamic, speedup;
    } paper[DEVICES];
} row;

typedef struct benchmark {
    const char *name, *job, *run; /* run: the job for the dynamic cost */
    row rows[LAYOUTS];            /* in the order of the tables; ends with a NULL name */
} benchmark;

static const char *const device_names[DEVICES] = {"tesla-m2050", "tesla-k20c"};
static const char *const device_titles[DEVICES] = {"table IV, Tesla M2050 (Fermi)",
                                                   "table V, Tesla K20c (Kepler)"};

static const benchmark benchmarks[BENCHMARKS] = {
    {"K-means",
     "kmeans",
     "kmeans",
     {{"AoS", "aos", {{1, 1, 1}, {1, 1, 1}}},
      {"SoAoS", "{feature,clusters}{membership}", {{0.667, 0.663, 1.208}, {0.667, 0.692, 1.416}}},
      {"SoA", "soa", {{0.333, 0.399, 1.531}, {0.333, 0.385, 1.570}}}}},
    {"N-body",
     "nbody",
     "nbody-run",
     {{"SoAoS 2", "{x,vx}{y,vy}{z,vz}", {{1.003, 1.272, 0.917}, {1.004, 1.010, 0.973}}},
      {"AoS", "aos", {{1, 1, 1}, {1, 1, 1}}},
      {"SoA", "soa", {{0.826, 0.905, 1.088}, {0.950, 0.950, 1.018}}},
      {"SoAoS 1", "{x,y,z}{vx,vy,vz}", {{0.826, 0.915, 1.089}, {0.950, 0.950, 1.022}}}}},
    {"LavaMD",
     "lavamd",
     "lavamd-run",
     {{"SoAoS 2",
       "{rv_v,fv_v}{rv_x,fv_x}{rv_y,fv_y}{rv_z,fv_z}",
       {{4.041, 3.967, 0.589}, {5.239, 5.871, 0.443}}},
      {"SoA", "soa", {{2.810, 3.197, 0.706}, {2.241, 2.256, 0.714}}},
      {"AoS", "aos", {{1, 1, 1}, {1, 1, 1}}},
      {"SoAoS 1",
       "{rv_v,rv_x,rv_y,rv_z}{fv_v,fv_x,fv_y,fv_z}",
       {{0.643, 0.791, 1.014}, {0.625, 0.623, 1.147}}}}},
};

static hd_job *read_job(hd_arena *arena, const hd_diag *diag, const char *name) {
    const char *path = hd_format(arena, "%s/bench/static-cost/%s.yaml", HEDDLE_SOURCE, name);
    hd_job *job;
    kir_module *module;
    if (hd_job_read(arena, diag, path, &job) ||
        hd_frontend(arena, diag, job->kernel_path, job->options, &module) ||
        hd_job_resolve(arena, diag, job, module))
        exit(2);
    return job;
}

static hd_cost_model *model_of(hd_arena *arena, const hd_diag *diag, const char *name,
                               const char *device_name, const hd_job **result) {
    hd_job *job = read_job(arena, diag, name);
    const hd_device *device;
    hd_cost_model *model;
    const hd_cost_options options = {.loops = HD_LOOPS_PENG, .registers = REGISTERS};
    if (hd_device_find(arena, diag, device_name, &device) ||
        hd_cost_model_make(arena, diag, job, device, &options, &model))
        exit(2);
    *result = job;
    return model;
}

static const double LAST_DECIMAL = 0.001;

/* Ratio to AoS of each layout of a benchmark; returns how many there are. */
static int price(hd_arena *arena, const hd_diag *diag, const benchmark *b, int device,
                 double ratios[LAYOUTS]) {
    const hd_job *job;
    hd_cost_model *model = model_of(arena, diag, b->job, device_names[device], &job);
    const hd_layout *aos = hd_layout_aos(arena, job->record);
    hd_cost_vector whole = hd_cost_of_layout(arena, model, aos, NULL, NULL);
    int count = 0;
    for (; count < LAYOUTS && b->rows[count].name; count++) {
        hd_layout *layout;
        if (hd_layout_parse(arena, diag, job->record, b->rows[count].notation, &layout))
            exit(2);
        hd_cost_vector cost = hd_cost_of_layout(arena, model, layout, NULL, NULL);
        ratios[count] = hd_cost_ratio(&cost, &whole);
    }
    return count;
}

/* No layout that was measured faster costs more. Lists what is only equal. */
static bool orders_agree(const benchmark *b, int device, const double *ratios, int count,
                         hd_str *equal) {
    bool agree = true;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            if (b->rows[i].paper[device].speedup >= b->rows[j].paper[device].speedup ||
                ratios[i] >= ratios[j])
                continue;
            agree = agree && ratios[j] - ratios[i] < LAST_DECIMAL;
            hd_str_printf(equal, "- %s: %s costs %.6f, %s %.6f\n", b->name, b->rows[i].name,
                          ratios[i], b->rows[j].name, ratios[j]);
        }
    return agree;
}

/* Dynamic costs to that of AoS, of all layouts on both devices. */
typedef struct dynamic {
    double ratios[DEVICES][LAYOUTS];
} dynamic;

static double simulate(hd_arena *arena, const hd_diag *diag, hd_trace *trace, const hd_job *job,
                       int device, const char *notation) {
    const hd_caches_options options = {.registers = REGISTERS};
    const hd_device *found;
    const hd_caches *caches;
    hd_layout *layout;
    if (hd_device_find(arena, diag, device_names[device], &found) ||
        hd_layout_parse(arena, diag, job->record, notation, &layout) ||
        hd_caches_run(arena, diag, trace, found, job, layout, &options, &caches))
        exit(2);
    return caches->total.cost;
}

static dynamic run_benchmark(hd_arena *arena, const hd_diag *diag, const benchmark *b) {
    const hd_job *job = read_job(arena, diag, b->run);
    char path[] = "/tmp/heddle-bench-XXXXXX";
    int file = mkstemp(path);
    hd_trace *trace;
    dynamic result = {0};
    if (file < 0 || close(file) ||
        trace_job(diag, hd_format(arena, "bench/static-cost/%s.yaml", b->run), 1u << KIR_GLOBAL,
                  path) ||
        hd_trace_open(arena, diag, path, &trace))
        exit(2);
    unlink(path);
    for (int d = 0; d < DEVICES; d++) {
        double whole = simulate(arena, diag, trace, job, d, "aos");
        for (int i = 0; i < LAYOUTS && b->rows[i].name; i++)
            result.ratios[d][i] = simulate(arena, diag, trace, job, d, b->rows[i].notation) / whole;
    }
    hd_trace_close(trace);
    return result;
}

static bool print_benchmark(hd_arena *arena, const hd_diag *diag, const benchmark *b,
                            const dynamic *run, int device, hd_str *equal) {
    double ratios[LAYOUTS];
    int count = price(arena, diag, b, device, ratios);
    for (int i = 0; i < count; i++) {
        const row *r = &b->rows[i];
        double off = 100 * (ratios[i] / r->paper[device].estimated - 1);
        printf("| %s (%s) | %.3f | %.3f | %.3fx | %.3f | %+.0f%% | %.3f |\n", b->name, r->name,
               r->paper[device].estimated, r->paper[device].dynamic, r->paper[device].speedup,
               ratios[i], fabs(off) < 0.5 ? 0 : off, run->ratios[device][i]);
    }
    return orders_agree(b, device, ratios, count, equal);
}

int main(void) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    bool all_agree = true;
    dynamic runs[BENCHMARKS];
    for (int b = 0; b < BENCHMARKS; b++)
        runs[b] = run_benchmark(arena, &diag, &benchmarks[b]);
    for (int d = 0; d < DEVICES; d++) {
        bool agree[BENCHMARKS];
        hd_str equal = {.arena = arena};
        printf("%s\n\n| benchmark (layout) | estimated there | dynamic there | speedup there "
               "| Heddle | off the estimate | Heddle, dynamic |\n|---|---|---|---|---|---|---|\n",
               device_titles[d]);
        for (int b = 0; b < BENCHMARKS; b++)
            agree[b] = print_benchmark(arena, &diag, &benchmarks[b], &runs[b], d, &equal);
        printf("\norder of the costs and of the measured speedups:");
        for (int b = 0; b < BENCHMARKS; b++) {
            printf("%s %s %s", b ? "," : "", benchmarks[b].name, agree[b] ? "agrees" : "DIFFERS");
            all_agree = all_agree && agree[b];
        }
        printf("\n%s%s\n", equal.length ? "only equal, not in order:\n" : "", hd_str_text(&equal));
    }
    hd_arena_free(arena);
    return !all_agree;
}
