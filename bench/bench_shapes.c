/*
 * What measured shapes cost: the machine with them beside the machine without a sink, with one
 * worker and with one for each core, in seconds that cores work for it; and how long the search
 * takes over every partition of examples/sampo when it prices what was measured. The exit status
 * is 1 when one of them is beyond what is required.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "frontend/frontend.h"
#include "analysis/shapes.h"
#include "cli/report/report.h"
#include "model/search.h"
#include "machine/vm.h"

enum { RUNS = 5 };
static const double most_pricing = 3; /* seconds, of all partitions */

/* Jobs of the repository, and how many times longer they may take when shapes are measured. */
static const struct {
    const char *path;
    double most;
} programs[] = {{"examples/nbody/nbody.yaml", 2},
                {"bench/evidence/bfs.yaml", 3},
                {"examples/sampo/sampo.yaml", 0},
                {"examples/kmeans/kmeans.yaml", 0}};

static hd_job *open_job(hd_arena *arena, const hd_diag *diag, const char *path) {
    hd_job *job;
    kir_module *module;
    if (hd_job_read(arena, diag, hd_format(arena, "%s/%s", HEDDLE_SOURCE, path), &job) ||
        hd_frontend(arena, diag, job->kernel_path, job->options, &module) ||
        hd_job_resolve(arena, diag, job, module))
        exit(2);
    return job;
}

/* Seconds that the cores have worked for this process: others may have them meanwhile. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs every launch once; the seconds of the launches. */
static double run(hd_arena *arena, const hd_diag *diag, const hd_job *job, uint32_t workers,
                  hd_shapes *shapes) {
    const hd_vm_options options = {.workers = workers};
    hd_vm *vm;
    hd_sink sink;
    if (shapes)
        sink = hd_shapes_sink(shapes);
    if (hd_vm_open(arena, diag, job, NULL, &options, &vm))
        exit(2);
    double start = now();
    for (uint32_t l = 0; l < job->launch_count; l++) {
        if (shapes)
            hd_shapes_next(shapes, l);
        if (hd_vm_run(vm, l, shapes ? &sink : NULL, NULL))
            exit(2);
    }
    double seconds = now() - start;
    hd_vm_close(vm);
    return seconds;
}

/* The best of a few runs. */
static double time_run(const hd_diag *diag, const hd_job *job, const hd_device *device,
                       uint32_t workers, bool measured) {
    double best = INFINITY;
    for (int r = 0; r < RUNS; r++) {
        hd_arena *arena = hd_arena_new();
        hd_shapes *shapes = measured ? hd_shapes_new(arena, diag, job, device, 0) : NULL;
        best = fmin(best, run(arena, diag, job, workers, shapes));
        if (shapes)
            hd_shapes_free(shapes);
        hd_arena_free(arena);
    }
    return best;
}

static bool met(double got, double most) {
    printf("%s\n", most <= 0 ? "" : got <= most ? "  met" : "  missed");
    return most <= 0 || got <= most;
}

static bool time_program(hd_arena *arena, const hd_diag *diag, const hd_device *device,
                         const char *path, double most) {
    const hd_job *job = open_job(arena, diag, path);
    bool all_met = true;
    for (uint32_t workers = 1; workers <= hd_core_count();
         workers = workers == 1 && hd_core_count() > 1 ? hd_core_count() : UINT32_MAX) {
        double plain = time_run(diag, job, device, workers, false);
        double measured = time_run(diag, job, device, workers, true);
        printf("  %-28s %2u %9s %9s %6.2f", path, workers, hd_show_seconds(arena, plain),
               hd_show_seconds(arena, measured), measured / plain);
        all_met &= met(measured / plain, most);
    }
    return all_met;
}

/* The search over all partitions with what a run of sampo measured. */
static bool time_pricing(hd_arena *arena, const hd_diag *diag, const char *name) {
    const hd_device *device;
    const hd_job *job = open_job(arena, diag, "examples/sampo/sampo.yaml");
    if (hd_device_find(arena, diag, name, &device))
        exit(2);
    hd_shapes *shapes = hd_shapes_new(arena, diag, job, device, 0);
    run(arena, diag, job, 0, shapes);
    hd_cost_options options = {.measured = hd_shapes_result(shapes)};
    hd_cost_model *model;
    hd_search_result result;
    double start = now();
    if (hd_cost_model_make(arena, diag, job, device, &options, &model))
        exit(2);
    hd_search_static(arena, model, &(hd_search_options){.seconds = 60}, &result);
    double seconds = now() - start;
    printf("  %-12s %llu partitions, %s%6.2f s", name, (unsigned long long)result.partitions,
           options.measured->sampled
               ? hd_format(arena, "sampled to %.2f%%, ", 100 * options.measured->error)
               : "",
           seconds);
    hd_shapes_free(shapes);
    return met(seconds, most_pricing);
}

int main(void) {
    static const char *const devices[] = {"tesla-m2050", "tesla-k20c", "h200"};
    setvbuf(stdout, NULL, _IOLBF, 0);
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    const hd_device *device;
    bool all_met = true;
    if (hd_device_find(arena, &diag, devices[2], &device))
        return 2;
    printf("measuring shapes for %s: workers, seconds without and with, times\n", device->name);
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
        if (!access(hd_format(arena, "%s/%s", HEDDLE_SOURCE, programs[p].path), R_OK))
            all_met &= time_program(arena, &diag, device, programs[p].path, programs[p].most);
    puts(
        "every partition of the record of examples/sampo, priced from what was measured, one core");
    for (int d = 0; d < 3; d++)
        all_met &= time_pricing(arena, &diag, devices[d]);
    hd_arena_free(arena);
    return all_met ? 0 : 1;
}
