/*
 * How fast the search is: all partitions of the twelve fields of examples/sampo,
 * and the time to a proven optimum for a record of twenty fields, bench/search/twenty.yaml, each
 * on one core.
 */
#include <stdio.h>
#include <stdlib.h>

#include "frontend/frontend.h"
#include "cli/report/report.h"
#include "model/search.h"

static hd_job *open_job(hd_arena *arena, const hd_diag *diag, const char *path) {
    hd_job *job;
    kir_module *module;
    if (hd_job_read(arena, diag, path, &job) ||
        hd_frontend(arena, diag, job->kernel_path, job->options, &module) ||
        hd_job_resolve(arena, diag, job, module))
        exit(2);
    return job;
}

static hd_search_result search(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                               const char *device_name) {
    const hd_device *device;
    hd_cost_model *model;
    const hd_cost_options options = {.loops = HD_LOOPS_PENG};
    if (hd_device_find(arena, diag, device_name, &device) ||
        hd_cost_model_make(arena, diag, job, device, &options, &model))
        exit(2);
    hd_search_result result;
    hd_search_static(arena, model, &(hd_search_options){.seconds = 30}, &result);
    printf("%-12s %8.3f s  ", device_name, result.seconds);
    if (result.partitions)
        printf("%llu partitions, %.3g per second", (unsigned long long)result.partitions,
               (double)result.partitions / result.seconds);
    else
        printf("%llu clusters priced", (unsigned long long)result.nodes);
    printf("; %s; best %.3f of AoS: %s\n",
           result.proven ? "optimum proven" : hd_format(arena, "gap %.1f%%", 100 * result.gap),
           result.ranked[0].ratio, hd_layout_print(arena, job->record, result.ranked[0].layout));
    return result;
}

int main(void) {
    static const char *const devices[] = {"tesla-m2050", "tesla-k20c", "h200"};
    setvbuf(stdout, NULL, _IOLBF, 0);
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    hd_job *sampo = open_job(arena, &diag, HEDDLE_SOURCE "/examples/sampo/sampo.yaml");
    printf("examples/sampo, %u fields, every partition\n", sampo->record->field_count);
    for (int d = 0; d < 3; d++)
        search(arena, &diag, sampo, devices[d]);
    hd_job *twenty = open_job(arena, &diag, HEDDLE_SOURCE "/bench/search/twenty.yaml");
    printf("a record of %u fields, all subsets\n", twenty->record->field_count);
    for (int d = 0; d < 3; d++)
        search(arena, &diag, twenty, devices[d]);
    hd_arena_free(arena);
    return 0;
}
