/*
 * What ./run demo shows: for each example the cost of its record as it is, the
 * best layout for a Tesla K20c, what the model predicts for that device and for
 * an H200, in cost and for the former in time, too, and what both versions take on
 * the OpenCL device that is here.
 *
 * The layout that is rewritten and measured is the best one for the K20c. Where
 * the advice is to leave the record alone, nothing is rewritten, and there is
 * nothing to measure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "advise/advise.h"
#include "advise/timing.h"
#include "frontend/frontend.h"
#include "cli/report/report.h"

static const char *const examples[] = {"kmeans",       "nbody",   "lavamd",
                                       "blackscholes", "bitonic", "sampo"};
enum { EXAMPLES = sizeof examples / sizeof *examples, DEVICES = 2 };
static const char *const device_names[DEVICES] = {"tesla-k20c", "h200"};

static const char *path_of(hd_arena *arena, const char *name) {
    return hd_format(arena, "%s/examples/%s/%s.yaml", HEDDLE_SOURCE, name, name);
}

static hd_status advise(hd_arena *arena, const hd_diag *diag, const char *name, hd_advice *advice) {
    const char *path = path_of(arena, name);
    hd_job *job;
    kir_module *module;
    const hd_device *devices[DEVICES];
    hd_status status;
    if ((status = hd_job_read(arena, diag, path, &job)) ||
        (status = hd_frontend(arena, diag, job->kernel_path, job->options, &module)) ||
        (status = hd_job_resolve(arena, diag, job, module)))
        return status;
    for (int d = 0; d < DEVICES; d++)
        if ((status = hd_device_find(arena, diag, device_names[d], &devices[d])))
            return status;
    const hd_advise_options options = {.devices = devices,
                                       .device_count = DEVICES,
                                       .cost = {.loops = HD_LOOPS_PENG},
                                       .measure = true,
                                       .measurement = {.repeats = 5}};
    return hd_advise(arena, diag, job, &options, advice);
}

/* Predicted cost of AoS over that of the layout chosen for the first device. */
static const char *predicted(hd_arena *arena, const hd_advice *advice, uint32_t device) {
    hd_cost_model *model = advice->devices[device].model;
    hd_cost_vector cost = hd_cost_of_layout(arena, model, advice->devices[0].best, NULL, NULL);
    return hd_show_ratio(arena, hd_cost_ratio(&advice->devices[device].search.original, &cost));
}

static double lane_accesses(const hd_device_advice *of) {
    double sum = 0;
    for (size_t i = 0; i < of->access_count; i++)
        sum += of->accesses[i].executions * of->accesses[i].lanes;
    return sum;
}

/* How many times as fast as AoS the layout is predicted to be on the first device, by kernels as
 * they are compiled for it: between which two it lies. */
static const char *predicted_time(hd_arena *arena, const hd_diag *diag, const char *name,
                                  const hd_advice *advice) {
    const hd_device_advice *first = &advice->devices[0];
    const hd_device *device = first->device;
    const hd_evidence_options options = {0};
    const double expected = lane_accesses(first);
    hd_run_counts before, after;
    hd_layout *layout;
    hd_job *job;
    kir_module *module;
    if (advice->leave)
        return "-";
    if (hd_job_read(arena, diag, path_of(arena, name), &job) ||
        hd_frontend_of(arena, diag, job->kernel_path, job->options, hd_form_for(device), NULL,
                       &module) ||
        hd_job_resolve(arena, diag, job, module) ||
        hd_layout_parse(arena, diag, job->record,
                        hd_layout_print(arena, advice->job->record, first->best), &layout) ||
        hd_count_in_layout(arena, diag, job, NULL, device, expected, &options, &before) ||
        hd_count_in_layout(arena, diag, job, layout, device, expected, &options, &after))
        return "?";
    const hd_time_gain gain = hd_time_gain_of(&before.time, &after.time);
    return hd_format(arena, "%.2g-%.2gx", gain.low, gain.high);
}

static void add_row(hd_arena *arena, const hd_diag *diag, report_table *table, const char *name,
                    const hd_advice *advice) {
    const hd_device_advice *first = &advice->devices[0];
    const hd_measurement *m = &advice->measurement;
    report_table_row(
        table,
        (const char *[]){
            name,
            hd_show_count(arena, first->search.original.v[hd_cost_degree(&first->search.original)]),
            advice->leave ? "leave it" : hd_layout_print(arena, advice->job->record, first->best),
            predicted(arena, advice, 0), predicted(arena, advice, 1),
            predicted_time(arena, diag, name, advice),
            advice->measured ? hd_show_ratio(arena, m->speedup) : "-",
            !advice->measured ? "-"
            : m->equal        ? "yes"
                              : "no"});
}

int main(void) {
    static const report_column columns[] = {
        {"example", REPORT_LEFT, false},    {"AoS cost", REPORT_RIGHT, false},
        {"best layout", REPORT_LEFT, true}, {"k20c", REPORT_RIGHT, false},
        {"h200", REPORT_RIGHT, false},      {"k20c time", REPORT_RIGHT, false},
        {"measured", REPORT_RIGHT, false},  {"outputs equal", REPORT_LEFT, true}};
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    report_table *table = report_table_new(arena, columns, sizeof columns / sizeof *columns);
    const char *measured_on = NULL;
    int failed = 0;
    for (int e = 0; e < EXAMPLES; e++) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r\033[K%s ...", examples[e]);
        hd_advice advice;
        hd_status status = advise(arena, &diag, examples[e], &advice);
        failed |= status != HD_OK;
        if (status != HD_OK && status != HD_EDIFFER)
            continue;
        add_row(arena, &diag, table, examples[e], &advice);
        if (advice.measured)
            measured_on = advice.measurement.device_name;
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    hd_str out = {.arena = arena};
    report_table_print(table, &out, false);
    fputs(hd_str_text(&out), stdout);
    printf("\n  AoS cost and best layout: static, for a Tesla K20c. k20c, h200: predicted gain of\n"
           "  that layout (cost of AoS / its cost). k20c time: the gain in time that is predicted "
           "for\n"
           "  a K20c lies between these, four times of five. measured: gain in time on\n  %s.\n",
           measured_on ? measured_on : "no device");
    hd_arena_free(arena);
    return failed;
}
