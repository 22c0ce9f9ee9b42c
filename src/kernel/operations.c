/* Operations on numbers that an instruction stands for. */
#include "kernel/kernel.h"

void hd_count_operations(const kir_kernel *kernel, const kir_inst *inst,
                         uint32_t operations[HD_OPERATIONS]) {
    kir_type type = inst->op == KIR_ICMP || inst->op == KIR_FCMP ? kernel->insts[inst->args[0]].type
                                                                 : inst->type;
    bool is_fused = inst->op == KIR_FMULADD;
    if (inst->op == KIR_CALL) {
        if (type.kind != KIR_FLOAT)
            return;
        is_fused = !strcmp(inst->name, "fma") || !strncmp(inst->name, "fma_", 4);
    } else if (!(inst->op >= KIR_ADD && inst->op <= KIR_FCMP) && inst->op != KIR_ADDR) {
        return;
    }
    hd_operation kind = type.kind != KIR_FLOAT ? HD_OPERATION_INTEGER
                        : type.bits > 32       ? HD_OPERATION_FP64
                                               : HD_OPERATION_FP32;
    operations[kind] += type.lanes * (is_fused ? 2 : 1);
}
