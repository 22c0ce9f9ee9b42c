#include "table2/selection.h"

#include <stdio.h>

#include "cli/gpu/gpu.h"
#include "advise/measure/train.h"

const char *const version_names[VERSIONS] = {
    "AoS", "SoA", "clusters", "one tile", "clusters and tiles, not raced", "ours, raced"};

/* ---- the profile ---------------------------------------------------------------- */

static hd_status find_profile(hd_arena *arena, const hd_diag *diag, const hd_compute_device *device,
                              const hd_device **profile) {
    *profile = NULL;
    if (device->is_processor)
        return hd_device_host(arena, diag, profile);
    hd_status status = hd_gpu_find_profile(arena, diag, device->name, profile);
    if (status == HD_OK && !*profile)
        status = hd_fail(diag, HD_EINPUT, NULL,
                         "no profile of devices/ is that of '%s'; add one to have its L1 line",
                         device->name);
    return status;
}

/* ---- the tree -------------------------------------------------------------------- */

static hd_status train(hd_arena *arena, const hd_diag *diag, const table_effort *effort,
                       table_selection *result) {
    static const uint32_t part_lengths[] = {128}, part_bytes[] = {8, 32};
    hd_train_options options = {.device = result->device.id, .backend = result->device.backend};
    hd_training training;
    size_t kernel_count, pattern_count;
    if (effort->train_a_part) {
        options.lengths = part_lengths;
        options.length_count = 1;
        options.bytes = part_bytes;
        options.byte_count = 2;
        options.repeats = 1;
    }
    printf("No tree of tiles is stored for this device: training%s.\n\n",
           effort->train_a_part ? " with a part of the kernels" : ", which takes minutes");
    fflush(stdout);
    hd_status status = hd_train(arena, diag, result->database, &options, &training);
    if (status != HD_OK)
        return status;
    hd_tile_kernel *kernels =
        hd_training_kernels(arena, training.runs, training.run_count, &kernel_count);
    hd_tile_pattern *patterns = hd_tile_patterns(arena, kernels, kernel_count, &pattern_count);
    const hd_profiled_tree tree = {
        training.device, hd_date_now(arena),
        hd_tile_steps_print(arena, hd_tile_learn(arena, patterns, pattern_count))};
    hd_database_put_tree(result->database, &tree);
    result->date = tree.date;
    hd_tile_steps *learned;
    status = hd_tile_steps_parse(arena, diag, tree.text, &learned);
    result->tree = learned;
    return status;
}

hd_status select_for_device(hd_arena *arena, const hd_diag *diag, const hd_compute_device *device,
                            hd_database *database, const table_effort *effort,
                            table_selection *result) {
    const hd_profiled_device profiled = {device->backend, device->platform, device->name,
                                         device->driver};
    hd_profiled_tree found;
    hd_tile_steps *tree;
    *result = (table_selection){.device = *device, .database = database};
    hd_status status = find_profile(arena, diag, device, &result->profile);
    if (status != HD_OK)
        return status;
    if (!hd_database_find_tree(database, arena, &profiled, &found))
        return train(arena, diag, effort, result);
    status = hd_tile_steps_parse(arena, diag, found.text, &tree);
    result->tree = tree;
    result->date = found.date;
    return status;
}

/* ---- layouts ----------------------------------------------------------------------- */

hd_status select_layouts(hd_arena *arena, const hd_diag *diag, const hd_job *job, uint64_t epsilon,
                         const hd_tile_steps *tree, const hd_layout *layouts[VERSIONS]) {
    hd_layout_graph *graph;
    hd_status status = hd_layout_graph_make(arena, diag, job, &graph);
    if (status != HD_OK)
        return status;
    memset(layouts, 0, VERSIONS * sizeof *layouts);
    layouts[VERSION_AOS] = hd_layout_aos(arena, job->record);
    layouts[VERSION_SOA] = hd_layout_soa(arena, job->record);
    hd_judge judge = hd_judge_graph(arena, graph, epsilon, NULL);
    layouts[VERSION_CLUSTERS] = judge.layouts.data[0];
    if (!tree)
        return HD_OK;
    judge = hd_judge_graph(arena, graph, epsilon, tree);
    layouts[VERSION_BOTH] = judge.layouts.data[0];
    layouts[VERSION_TILE] = judge.layouts.data[1];
    return HD_OK;
}

hd_status select_ours(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                      const table_selection *selection, double budget, const hd_layout **layout) {
    const hd_advise_options options = {.devices = &selection->profile,
                                       .device_count = 1,
                                       .cost = {.loops = HD_LOOPS_PENG},
                                       .measurement = {.device = selection->device.id},
                                       .choose = {.budget = budget,
                                                  .database = selection->database,
                                                  .again = true,
                                                  .version = "bench table2"}};
    hd_advice *advice = hd_new(arena, hd_advice);
    hd_status status = hd_advise(arena, diag, job, &options, advice);
    *layout = advice->choice && hd_choice_decides(advice->choice)
                  ? advice->best
                  : hd_layout_aos(arena, job->record);
    return status;
}
