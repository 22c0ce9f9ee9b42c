/* Whether a kernel may wait for what threads of another block do. */
#include "kernel/kernel.h"

static bool stays(const kir_kernel *kernel, const hd_flow *flow, int32_t loop, kir_value v) {
    return kir_is_leaf(kernel->insts[v].op) || !hd_flow_in_loop(flow, loop, kernel->insts[v].block);
}

static bool is_zero(const kir_kernel *kernel, kir_value v) {
    int64_t value;
    return kir_const_int(kernel, v, &value) && !value;
}

/* It reads memory anew and leaves it as it is: a load that is volatile or atomic, a lock that is
 * asked for, nothing added. One that compares with what it has read itself is a change, tried again. */
static bool asks(const kir_kernel *kernel, const hd_flow *flow, int32_t loop,
                 const kir_inst *inst) {
    if (inst->op == KIR_LOAD)
        return inst->is_volatile || inst->order != KIR_UNSAID;
    if (inst->op != KIR_ATOMIC)
        return false;
    switch ((kir_rmw)inst->index) {
    case KIR_RMW_LOAD:
    case KIR_RMW_XCHG: return true;
    case KIR_RMW_CMPXCHG: return stays(kernel, flow, loop, inst->args[inst->arg_count - 1]);
    case KIR_RMW_STORE: return false;
    default: return is_zero(kernel, inst->args[1]);
    }
}

bool hd_may_wait(const kir_kernel *kernel, const hd_flow *flow) {
    for (kir_value v = 0; v < kernel->inst_count; v++) {
        const kir_inst *inst = &kernel->insts[v];
        const int32_t loop = flow->loop_of[inst->block];
        if (loop >= 0 && (inst->op == KIR_LOAD || inst->op == KIR_ATOMIC) &&
            kernel->insts[inst->args[0]].type.space != KIR_LOCAL &&
            stays(kernel, flow, loop, inst->args[0]) && asks(kernel, flow, loop, inst))
            return true;
    }
    return false;
}
