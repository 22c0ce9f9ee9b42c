/* Whether the threads of a block belong together. */
#include "kernel/kernel.h"

/* Calls by the start of their names: the machine's functions of blocks, warps and sub-groups
 * (docs/kir.md). How many lanes a sub-group has is the same for all. */
static const char *call_reason(const char *name) {
    static const struct {
        const char *start, *reason;
    } rows[] = {{"barrier_", "it has a barrier"},
                {"work_group_", "it has functions of a work-group"},
                {"async_work_group_", "a work-group copies together"},
                {"sub_group_", "it has functions of a sub-group"},
                {"warp_", "it has functions of a warp"},
                {"shuffle_", "it has functions of a warp"},
                {"active_mask", "it asks which threads of its warp are active"},
                {"elect", "it elects a thread of its warp"},
                {"mma_", "a warp multiplies matrices together"},
                {"ldmatrix_", "a warp loads matrices together"},
                {"stmatrix_", "a warp stores matrices together"},
                {"movmatrix_", "a warp transposes matrices together"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(name, rows[i].start, strlen(rows[i].start)))
            return rows[i].reason;
    return NULL;
}

const char *hd_threads_stay_together(const kir_kernel *kernel, kir_value *at) {
    const char *reason = NULL;
    kir_value shown = KIR_NONE;
    for (kir_value v = 0; v < kernel->inst_count && !reason; v++) {
        const kir_inst *inst = &kernel->insts[v];
        if (inst->op == KIR_BARRIER)
            reason = "it has a barrier";
        else if (inst->op == KIR_CALL)
            reason = call_reason(inst->name);
        shown = v;
    }
    for (uint32_t s = 0; s < kernel->static_count && !reason; s++)
        if (kernel->statics[s].space == KIR_LOCAL) {
            reason = "it has local memory";
            shown = KIR_NONE;
        }
    for (uint32_t p = 0; p < kernel->param_count && !reason; p++)
        if (kernel->params[p].type.kind == KIR_PTR && kernel->params[p].type.space == KIR_LOCAL) {
            reason = "it has local memory";
            shown = KIR_NONE;
        }
    if (at)
        *at = reason ? shown : KIR_NONE;
    return reason;
}
