/* What a layout moves at each level, and what its kernels compute, for the energy model. */
#include "model/cost_internal.h"

/* How often a thread runs a block, as long as the loops around it are taken to be. */
static double runs_of_block(const hd_cost_model *model, const hd_kernel_info *info,
                            uint32_t block) {
    double runs = 1;
    for (int32_t loop = info->flow->loop_of[block]; loop >= 0;
         loop = info->flow->loops[loop].parent)
        runs *= (double)hd_loop_length(&info->trips[loop], &model->options);
    return runs;
}

static void add_operations(hd_arena *arena, const hd_cost_model *model, const hd_job *job,
                           const hd_launch *launch, hd_energy_counts *counts) {
    const hd_kernel_info *info = hd_job_analyse(arena, job, launch);
    const hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
    const hd_lane_work work = hd_kernel_lane_work(
        arena, info->module, info->kernel, hd_divergence_of_block(arena, info->kernel, info->flow));
    double threads = (double)grid.block_threads * (double)grid.block_count * (double)launch->repeat;
    for (uint32_t r = 0; r < info->flow->rpo_count; r++) {
        const kir_block *block = &info->kernel->blocks[info->flow->rpo[r]];
        double runs = threads * runs_of_block(model, info, info->flow->rpo[r]);
        uint32_t operations[HD_OPERATIONS] = {0};
        for (uint32_t i = 0; i < block->inst_count; i++)
            hd_count_operations(info->kernel, &work, block->insts[i], operations);
        counts->fp32 += runs * operations[HD_OPERATION_FP32];
        counts->fp64 += runs * operations[HD_OPERATION_FP64];
        counts->integer += runs * operations[HD_OPERATION_INTEGER];
    }
}

/* A byte that memory serves passes L2 and L1, too. */
static void add_bytes(const hd_cost_line *line, uint32_t segment, hd_energy_counts *counts) {
    double bytes = line->executions * line->transactions * segment;
    double moved = 1 - line->kept, beyond_l1 = moved - line->l1, beyond_l2 = beyond_l1 - line->l2;
    counts->l1_bytes += bytes * (moved > 0 ? moved : 0);
    counts->l2_bytes += bytes * (beyond_l1 > 0 ? beyond_l1 : 0);
    counts->dram_bytes += bytes * (beyond_l2 > 0 ? beyond_l2 : 0);
}

hd_energy_counts hd_cost_energy_counts(hd_arena *arena, hd_cost_model *model, const hd_job *job,
                                       const hd_layout *layout) {
    hd_energy_counts counts = {0};
    hd_cost_line *lines;
    size_t count;
    hd_cost_of_layout(arena, model, layout, &lines, &count);
    for (size_t i = 0; i < count; i++)
        add_bytes(&lines[i], model->device->segment, &counts);
    for (uint32_t l = 0; l < job->launch_count; l++)
        add_operations(arena, model, job, &job->launches[l], &counts);
    return counts;
}
