/*
 * How fast the search is: all partitions of the twelve fields of examples/sampo,
 * and the time to a proven optimum for a record of twenty fields, each on one core.
 *
 * The twenty-field record is made here: a particle whose fields are used in
 * groups, some at the thread's own index and some of a neighbour read through an
 * index buffer, so that keeping fields together and apart both have their price.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "frontend/frontend.h"
#include "report/report.h"
#include "search/search.h"

static const char kernel_of_twenty[] =
    "struct cell { float f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;\n"
    "              float f10, f11, f12, f13, f14, f15, f16, f17, f18, f19; };\n"
    "__kernel void move(__global struct cell *p, __global const int *near, int count) {\n"
    "  int i = get_global_id(0);\n"
    "  float x = 0, y = 0, z = 0;\n"
    "  for (int k = 0; k < 8; k++) {\n"
    "    int j = near[k * count + i];\n"
    "    x += p[j].f0 * p[j].f3; y += p[j].f1 * p[j].f3; z += p[j].f2 * p[j].f3;\n"
    "  }\n"
    "  p[i].f4 += x; p[i].f5 += y; p[i].f6 += z;\n"
    "  p[i].f0 += p[i].f4; p[i].f1 += p[i].f5; p[i].f2 += p[i].f6;\n"
    "}\n"
    "__kernel void react(__global struct cell *p, __global const int *near, int count) {\n"
    "  int i = get_global_id(0);\n"
    "  float s = 0;\n"
    "  for (int k = 0; k < 4; k++) {\n"
    "    int j = near[k * count + i];\n"
    "    s += p[j].f7 * p[j].f8 + p[j].f9;\n"
    "  }\n"
    "  p[i].f10 = s; p[i].f11 = s * p[i].f12;\n"
    "  for (int k = 0; k < count; k += 256) s += p[k].f13 * p[k].f14;\n"
    "  p[i].f15 = s; p[i].f16 += p[i].f17; p[i].f18 = p[i].f19;\n"
    "}\n";

static const char job_of_twenty[] =
    "kernel: kernel.cl\n"
    "buffers:\n"
    "  - {name: cells, type: cell, count: 1048576}\n"
    "  - {name: near, type: int, count: 8388608}\n"
    "launches:\n"
    "  - {kernel: move, global: [1048576], local: [256],\n"
    "     args: [{name: p, buffer: cells}, {name: near, buffer: near}, {name: count, value: "
    "1048576}]}\n"
    "  - {kernel: react, global: [1048576], local: [256],\n"
    "     args: [{name: p, buffer: cells}, {name: near, buffer: near}, {name: count, value: "
    "1048576}]}\n";

static hd_job *open_job(hd_arena *arena, const hd_diag *diag, const char *path) {
    hd_job *job;
    kir_module *module;
    if (hd_job_read(arena, diag, path, &job) ||
        hd_frontend(arena, diag, job->kernel_path, job->options, &module) ||
        hd_job_resolve(arena, diag, job, module))
        exit(2);
    return job;
}

static hd_job *open_twenty(hd_arena *arena, const hd_diag *diag) {
    char folder[] = "/tmp/heddle-bench-XXXXXX";
    if (!mkdtemp(folder))
        exit(2);
    const char *kernel = hd_format(arena, "%s/kernel.cl", folder);
    const char *path = hd_format(arena, "%s/job.yaml", folder);
    if (hd_write_file(diag, kernel, kernel_of_twenty, sizeof kernel_of_twenty - 1) ||
        hd_write_file(diag, path, job_of_twenty, sizeof job_of_twenty - 1))
        exit(2);
    hd_job *job = open_job(arena, diag, path);
    unlink(kernel);
    unlink(path);
    rmdir(folder);
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
    hd_job *twenty = open_twenty(arena, &diag);
    printf("a record of %u fields, all subsets\n", twenty->record->field_count);
    for (int d = 0; d < 3; d++)
        search(arena, &diag, twenty, devices[d]);
    hd_arena_free(arena);
    return 0;
}
