/*
 * Operations on numbers that an instruction stands for, and the instructions of a GPU that it becomes.
 *
 * A GPU has units for addition and multiplication, and a few for approximations of 2^x, log2, sine,
 * reciprocal and square root; everything else is a sequence of these. How long the sequences are was
 * read off what ptxas makes of them for sm_90 (CUDA 13), on the paths that ordinary numbers take.
 */
#include "kernel/kernel.h"

/* Instructions of a function of 32 bits, and of these on the special units; and of 64 bits. */
static const struct sequence {
    const char *name;
    uint8_t fp32, special, fp64;
} sequences[] = {
    {"sqrt", 6, 1, 14},    {"rsqrt", 3, 1, 10},   {"cbrt", 12, 2, 20},     {"exp", 6, 1, 20},
    {"exp2", 4, 1, 20},    {"exp10", 7, 1, 22},   {"expm1", 14, 1, 24},    {"log", 12, 0, 30},
    {"log2", 12, 0, 30},   {"log10", 13, 0, 32},  {"log1p", 14, 0, 32},    {"pow", 40, 2, 70},
    {"powr", 40, 2, 70},   {"pown", 40, 2, 70},   {"sin", 18, 0, 30},      {"cos", 18, 0, 30},
    {"sincos", 26, 0, 45}, {"tan", 26, 1, 50},    {"tanh", 10, 2, 30},     {"sinh", 16, 1, 30},
    {"cosh", 10, 2, 30},   {"asin", 16, 1, 30},   {"acos", 16, 1, 30},     {"atan", 14, 1, 25},
    {"atan2", 24, 1, 45},  {"erf", 14, 1, 35},    {"erfc", 20, 2, 50},     {"hypot", 14, 1, 30},
    {"fmod", 30, 1, 60},   {"length", 8, 1, 18},  {"distance", 11, 1, 21}, {"normalize", 10, 1, 20},
    {"tgamma", 40, 2, 80}, {"lgamma", 40, 2, 80},
};
static const struct sequence division = {"divide", 8, 1, 12};
/* Other functions: one instruction, as fmax. Approximations of native_ functions: one of the special
 * units, and one that scales. */
static const struct sequence plain = {"", 1, 0, 1}, native = {"", 1, 1, 12};
enum { INTEGER_DIVISION = 16, LONG_DIVISION = 70 };

static bool is_fused_call(const kir_inst *inst) {
    return !strcmp(inst->name, "fma") || !strncmp(inst->name, "fma_", 4);
}

/* The kind of numbers that it computes with. */
static kir_type type_of(const kir_kernel *kernel, const kir_inst *inst) {
    return inst->op == KIR_ICMP || inst->op == KIR_FCMP ? kernel->insts[inst->args[0]].type
                                                        : inst->type;
}

static void count_numbers(const kir_kernel *kernel, const kir_inst *inst,
                          uint32_t operations[HD_OPERATIONS]) {
    const kir_type type = type_of(kernel, inst);
    bool is_fused = inst->op == KIR_FMULADD;
    if (inst->op == KIR_CALL) {
        if (type.kind != KIR_FLOAT)
            return;
        is_fused = is_fused_call(inst);
    } else if (!(inst->op >= KIR_ADD && inst->op <= KIR_FCMP) && inst->op != KIR_ADDR) {
        return;
    }
    hd_operation kind = type.kind != KIR_FLOAT ? HD_OPERATION_INTEGER
                        : type.bits > 32       ? HD_OPERATION_FP64
                                               : HD_OPERATION_FP32;
    operations[kind] += type.lanes * (is_fused ? 2 : 1);
}

/* ---- instructions of a GPU ---------------------------------------------------------------- */

static struct sequence sequence_of(const char *name) {
    const bool is_native = !strncmp(name, "native_", 7) || !strncmp(name, "half_", 5);
    size_t length = strcspn(name, "_");
    if (is_native)
        return native;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (strlen(sequences[i].name) == length && !strncmp(sequences[i].name, name, length))
            return sequences[i];
    return plain;
}

static void issue_float(kir_type type, struct sequence s, uint32_t operations[HD_OPERATIONS]) {
    operations[type.bits > 32 ? HD_ISSUED_FP64 : HD_ISSUED_FP32] +=
        type.lanes * (type.bits > 32 ? s.fp64 : s.fp32);
    operations[HD_ISSUED_SPECIAL] += type.lanes * (type.bits > 32 ? 0 : s.special);
}

/* The addition that a product goes into makes it a fused multiply-add. */
static bool adds_product(const kir_kernel *kernel, const kir_inst *inst) {
    return (inst->op == KIR_FADD || inst->op == KIR_FSUB) &&
           (kernel->insts[inst->args[0]].op == KIR_FMUL ||
            kernel->insts[inst->args[1]].op == KIR_FMUL);
}

static uint32_t integer_issues(const kir_inst *inst, kir_type type) {
    const uint32_t halves = type.bits > 32 ? 2 : 1;
    switch (inst->op) {
    case KIR_SDIV:
    case KIR_UDIV:
    case KIR_SREM:
    case KIR_UREM: return halves > 1 ? LONG_DIVISION : INTEGER_DIVISION;
    case KIR_MUL: return halves * halves;
    default: return halves;
    }
}

static void count_issues(const kir_kernel *kernel, const kir_inst *inst,
                         uint32_t operations[HD_OPERATIONS]) {
    const kir_type type = type_of(kernel, inst);
    const bool is_float = type.kind == KIR_FLOAT;
    switch (inst->op) {
    case KIR_FDIV:
    case KIR_FREM: issue_float(type, division, operations); return;
    case KIR_FADD:
    case KIR_FSUB:
    case KIR_FMUL:
    case KIR_FMULADD:
    case KIR_FNEG:
    case KIR_FCMP:
        if (inst->op != KIR_FNEG && !adds_product(kernel, inst)) /* a sign is a flag of its use */
            issue_float(type, plain, operations);
        return;
    case KIR_CALL:
        if (is_float)
            issue_float(type, is_fused_call(inst) ? plain : sequence_of(inst->name), operations);
        else if (type.kind != KIR_VOID)
            operations[HD_ISSUED_INTEGER] += type.lanes;
        return;
    case KIR_FPTOSI:
    case KIR_FPTOUI:
    case KIR_SITOFP:
    case KIR_UITOFP:
    case KIR_FPTRUNC:
    case KIR_FPEXT: operations[HD_ISSUED_SPECIAL] += type.lanes; return;
    case KIR_ADDR: /* an offset is a part of the access */
        operations[HD_ISSUED_INTEGER] += inst->arg_count - 1;
        return;
    case KIR_SELECT:
    case KIR_CONDBR:
    case KIR_SWITCH: operations[HD_ISSUED_INTEGER]++; return;
    default: break;
    }
    if ((inst->op >= KIR_ADD && inst->op <= KIR_ASHR) || inst->op == KIR_ICMP)
        operations[HD_ISSUED_INTEGER] += type.lanes * integer_issues(inst, type);
}

/* ---- waiting ------------------------------------------------------------------------------ */

static bool is_waited_for(const kir_kernel *kernel, const kir_inst *inst) {
    if ((inst->op != KIR_LOAD && inst->op != KIR_ATOMIC) || inst->type.kind == KIR_VOID)
        return false;
    const kir_space space = kernel->insts[inst->args[0]].type.space;
    return space != KIR_LOCAL && space != KIR_PRIVATE;
}

static bool *find_waits(hd_arena *arena, const kir_kernel *kernel) {
    bool *waits = hd_new_array(arena, bool, kernel->inst_count);
    uint32_t *depth = hd_new_array(arena, uint32_t, kernel->inst_count); /* loads before it */
    for (uint32_t b = 0; b < kernel->block_count; b++) {
        const kir_block *block = &kernel->blocks[b];
        uint32_t deepest = 0;
        for (uint32_t i = 0; i < block->inst_count; i++) {
            const kir_inst *inst = &kernel->insts[block->insts[i]];
            uint32_t *of = &depth[block->insts[i]];
            for (uint32_t a = 0; inst->op != KIR_PHI && a < inst->arg_count; a++)
                *of = depth[inst->args[a]] > *of ? depth[inst->args[a]] : *of;
            if (!is_waited_for(kernel, inst))
                continue;
            waits[block->insts[i]] = ++*of > deepest;
            deepest = *of > deepest ? *of : deepest;
        }
        /* What comes from another block is there. */
        for (uint32_t i = 0; i < block->inst_count; i++)
            depth[block->insts[i]] = 0;
    }
    return waits;
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* A branch is its condition's. */
static bool is_scalar(const kir_kernel *kernel, const hd_divergence *of_block, kir_value value) {
    const kir_inst *inst = &kernel->insts[value];
    const bool is_branch = inst->op == KIR_CONDBR || inst->op == KIR_SWITCH;
    return type_of(kernel, inst).kind != KIR_FLOAT && inst->op != KIR_CALL &&
           inst->op != KIR_FPTOSI && inst->op != KIR_FPTOUI &&
           !of_block->varying[is_branch ? inst->args[0] : value];
}

hd_lane_work hd_kernel_lane_work(hd_arena *arena, const kir_module *module,
                                 const kir_kernel *kernel, const hd_divergence *of_block) {
    hd_lane_work work = {find_waits(arena, kernel), hd_new_array(arena, bool, kernel->inst_count)};
    for (kir_value v = 0; v < kernel->inst_count && module->form == KIR_FOR_AMD; v++)
        work.scalar[v] = is_scalar(kernel, of_block, v);
    return work;
}

void hd_count_operations(const kir_kernel *kernel, const hd_lane_work *work, kir_value value,
                         uint32_t operations[HD_OPERATIONS]) {
    const kir_inst *inst = &kernel->insts[value];
    if (!work->scalar[value]) {
        count_numbers(kernel, inst, operations);
        count_issues(kernel, inst, operations);
    }
    operations[HD_ISSUED_WAIT] += work->waits[value];
    operations[HD_ISSUED_BARRIER] += inst->op == KIR_BARRIER;
}
