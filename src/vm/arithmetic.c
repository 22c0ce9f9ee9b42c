/*
 * kir's arithmetic to handlers of lanes.c: vectors component by component, an i1
 * as a byte of 0 or 1.
 */
#include "vm/compile.h"
#include "vm/lanes.h"

static vm_op_fn *handler(uint32_t fn) { return vm_lanes_choose()->fn[fn]; }

static const vm_operand none = {0};

/* ---- operations on one component ---------------------------------------------------- */

/* The first handler (that of VM_I8 or VM_F16) of a binary operation. */
static uint32_t binary_base(kir_op op) {
    switch (op) {
    case KIR_ADD: return FN_ADD_I8;
    case KIR_SUB: return FN_SUB_I8;
    case KIR_MUL: return FN_MUL_I8;
    case KIR_SDIV: return FN_SDIV_I8;
    case KIR_UDIV: return FN_UDIV_I8;
    case KIR_SREM: return FN_SREM_I8;
    case KIR_UREM: return FN_UREM_I8;
    case KIR_AND: return FN_AND_I8;
    case KIR_OR: return FN_OR_I8;
    case KIR_XOR: return FN_XOR_I8;
    case KIR_SHL: return FN_SHL_I8;
    case KIR_LSHR: return FN_LSHR_I8;
    case KIR_ASHR: return FN_ASHR_I8;
    case KIR_FADD: return FN_FADD_F16;
    case KIR_FSUB: return FN_FSUB_F16;
    case KIR_FMUL: return FN_FMUL_F16;
    case KIR_FDIV: return FN_FDIV_F16;
    default: return FN_FREM_F16;
    }
}

static uint32_t compare_base(kir_pred pred) {
    static const uint32_t bases[] = {
#define X(op) [KIR_P_##op] = FN_##op##_I8,
        VM_INT_COMPARE(X)
#undef X
#define X(op) [KIR_P_##op] = FN_##op##_F16,
            VM_FLOAT_COMPARE(X)
#undef X
    };
    return bases[pred];
}

static bool is_float(vm_elem e) { return e >= VM_F16; }
/* 0 for the narrowest of its class. */
static uint32_t rank_of(vm_elem e) { return is_float(e) ? e - VM_F16 : e; }
/* The integer of the same width. */
static vm_elem bits_of(vm_elem e) { return is_float(e) ? (vm_elem)(e - VM_F16 + VM_I16) : e; }

typedef struct conversion {
    kir_op op;
    vm_elem from, to;
    uint32_t fn;
} conversion;

static const conversion conversions[] = {
#define X(small, big)                                              \
    {KIR_TRUNC, VM_##big, VM_##small, FN_TRUNC_##big##_##small},   \
        {KIR_ZEXT, VM_##small, VM_##big, FN_ZEXT_##small##_##big}, \
        {KIR_SEXT, VM_##small, VM_##big, FN_SEXT_##small##_##big},
    VM_CONVERT_PAIRS(X)
#undef X
#define X(a, b)                                                                             \
    {KIR_FPEXT, VM_##a, VM_##b, FN_##a##_##b}, {KIR_FPTRUNC, VM_##a, VM_##b, FN_##a##_##b},
        VM_FLOAT_PAIRS(X)
#undef X
#define X(i, f)                                                                                   \
    {KIR_SITOFP, VM_##i, VM_##f, FN_S##i##_##f}, {KIR_UITOFP, VM_##i, VM_##f, FN_U##i##_##f},     \
        {KIR_FPTOSI, VM_##f, VM_##i, FN_##f##_S##i}, {KIR_FPTOUI, VM_##f, VM_##i, FN_##f##_U##i},
            VM_INT_FLOAT_PAIRS(X)
#undef X
};

static uint32_t conversion_fn(kir_op op, vm_elem from, vm_elem to) {
    if (vm_elem_bytes(from) == vm_elem_bytes(to) && is_float(from) == is_float(to))
        return FN_MOVE_I8 + rank_of(bits_of(from));
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (conversions[i].op == op && conversions[i].from == from && conversions[i].to == to)
            return conversions[i].fn;
    return FN_MOVE_I8;
}

void vm_emit_scalar(vm_compiler *c, kir_op op, kir_pred pred, vm_operand d, vm_operand a,
                    vm_operand b, vm_operand third) {
    uint32_t fn;
    if (op == KIR_ICMP || op == KIR_FCMP)
        fn = compare_base(pred) + rank_of(a.elem);
    else if (op == KIR_SELECT)
        fn = FN_SELECT_I8 + rank_of(bits_of(d.elem));
    else if (op == KIR_FNEG)
        fn = FN_FNEG_F16 + rank_of(d.elem);
    else if (op == KIR_FMULADD)
        fn = FN_FMULADD_F16 + rank_of(d.elem);
    else if (op >= KIR_TRUNC && op <= KIR_FREEZE)
        fn = conversion_fn(op, a.elem, d.elem);
    else
        fn = binary_base(op) + rank_of(d.elem);
    vm_emit_op(c, handler(fn), d, a, b, third);
}

/* ---- i1 --------------------------------------------------------------------------------- */

static bool is_bit(kir_type type) { return type.kind == KIR_INT && type.bits == 1; }

/* A signed i1 is 0 or -1, so orders turn round. */
static kir_pred pred_of_bits(kir_pred pred) {
    switch (pred) {
    case KIR_P_SLT: return KIR_P_UGT;
    case KIR_P_SLE: return KIR_P_UGE;
    case KIR_P_SGT: return KIR_P_ULT;
    case KIR_P_SGE: return KIR_P_ULE;
    default: return pred;
    }
}

/* Arithmetic modulo 2. */
static void emit_bits(vm_compiler *c, vm_operand d, vm_operand a, vm_operand b) {
    kir_op op = c->inst->op;
    if (op == KIR_ADD || op == KIR_SUB)
        op = KIR_XOR;
    else if (op == KIR_MUL)
        op = KIR_AND;
    else if (op != KIR_AND && op != KIR_OR && op != KIR_XOR) {
        /* division is only defined by 1, shifts by 0 */
        vm_emit_op(c, handler(FN_MOVE_I8), d, a, none, none);
        return;
    }
    vm_emit_scalar(c, op, KIR_P_EQ, d, a, b, none);
}

/* A conversion to an i1 takes the low bit, one from a signed i1 begins with 0 or -1. */
static void emit_conversion(vm_compiler *c, vm_operand d, vm_operand a) {
    kir_op op = c->inst->op;
    bool from_bit = is_bit(c->kernel->insts[c->inst->args[0]].type);
    if (from_bit && (op == KIR_SEXT || op == KIR_SITOFP)) {
        vm_operand sign = vm_scratch(c, VM_I8, d.varying);
        vm_emit_op(c, handler(FN_SIGN_I8), sign, a, none, none);
        a = sign;
    }
    vm_emit_scalar(c, op, KIR_P_EQ, d, a, none, none);
    if (is_bit(c->inst->type))
        vm_emit_op(c, handler(FN_BIT_I8), d, d, none, none);
}

/* ---- addresses ----------------------------------------------------------------------------- */

static void emit_step(vm_compiler *c, vm_operand d, vm_operand base, vm_operand index,
                      int64_t scale, int64_t offset) {
    if (index.elem < VM_I32) {
        vm_operand wide = vm_scratch(c, VM_I64, index.varying);
        vm_emit_scalar(c, KIR_SEXT, KIR_P_EQ, wide, index, none, none);
        index = wide;
    }
    uint32_t fn = index.elem == VM_I32 ? FN_ADDR_I32 : FN_ADDR_I64;
    vm_op *op = vm_emit_op(c, handler(fn), d, base, index, none);
    op->imm = scale;
    op->imm2 = offset;
}

/* Uniform parts are added first, once for all lanes. */
static void compile_address(vm_compiler *c) {
    const kir_inst *inst = c->inst;
    vm_operand result = vm_result(c, 0), sum = vm_cell_of(c, inst->args[0], 0);
    int64_t offset = inst->offset;
    uint32_t left = inst->arg_count - 1;
    for (uint32_t varying = 0; varying < 2; varying++)
        for (uint32_t i = 1; i < inst->arg_count; i++) {
            vm_operand index = vm_cell_of(c, inst->args[i], 0);
            if (index.varying != (varying != 0))
                continue;
            bool uniform = !index.varying && !sum.varying && result.varying;
            vm_operand d = !--left ? result : vm_scratch(c, VM_I64, !uniform && result.varying);
            emit_step(c, d, sum, index, inst->scale[i - 1], offset);
            sum = d;
            offset = 0;
        }
    if (inst->arg_count == 1)
        emit_step(c, result, sum, vm_constant(c, VM_I64, 0), 0, offset);
}

/* ---- vectors ---------------------------------------------------------------------------------- */

/* A component at a place that only the kernel computes: by comparing with every place. */
static void compile_extract(vm_compiler *c) {
    uint32_t lanes = c->kernel->insts[c->inst->args[0]].type.lanes;
    vm_operand d = vm_result(c, 0), place = vm_cell_of(c, c->inst->args[1], 0);
    vm_operand is = vm_scratch(c, VM_I8, place.varying), found = vm_scratch(c, d.elem, d.varying);
    vm_operand last = vm_cell_of(c, c->inst->args[0], 0);
    for (uint32_t k = 1; k < lanes; k++) {
        vm_emit_scalar(c, KIR_ICMP, KIR_P_EQ, is, place, vm_constant(c, place.elem, k), none);
        vm_emit_scalar(c, KIR_SELECT, KIR_P_EQ, found, is, vm_cell_of(c, c->inst->args[0], k),
                       last);
        last = found;
    }
    vm_emit_op(c, handler(FN_MOVE_I8 + rank_of(bits_of(d.elem))), d, last, none, none);
}

/* Component k is not merely another name of a component that is there already. */
static bool has_own_cell(const vm_compiler *c, uint32_t k) {
    return c->cells->units[c->value][k] != UINT32_MAX;
}

static void compile_insert(vm_compiler *c) {
    vm_operand place = vm_cell_of(c, c->inst->args[2], 0);
    vm_operand element = vm_cell_of(c, c->inst->args[1], 0);
    vm_operand is = vm_scratch(c, VM_I8, place.varying);
    for (uint32_t k = 0; k < c->inst->type.lanes; k++) {
        if (!has_own_cell(c, k))
            continue;
        vm_emit_scalar(c, KIR_ICMP, KIR_P_EQ, is, place, vm_constant(c, place.elem, k), none);
        vm_emit_scalar(c, KIR_SELECT, KIR_P_EQ, vm_result(c, k), is, element,
                       vm_cell_of(c, c->inst->args[0], k));
    }
}

static vm_elem int_of_bytes(uint32_t bytes) {
    return bytes == 1 ? VM_I8 : bytes == 2 ? VM_I16 : bytes == 4 ? VM_I32 : VM_I64;
}

/* The bits of a vector as a vector of wider or narrower elements, low bits first. */
static void compile_regrouping(vm_compiler *c) {
    kir_type from = c->kernel->insts[c->inst->args[0]].type, to = c->inst->type;
    uint32_t from_bytes = from.bits / 8u, to_bytes = to.bits / 8u;
    for (uint32_t k = 0; k < to.lanes; k++) {
        vm_operand d = vm_result(c, k), part;
        d.elem = int_of_bytes(to_bytes);
        if (from_bytes > to_bytes) {
            uint32_t ratio = from_bytes / to_bytes;
            vm_operand a = vm_cell_of(c, c->inst->args[0], k / ratio);
            a.elem = int_of_bytes(from_bytes);
            part = vm_scratch(c, a.elem, d.varying);
            vm_emit_scalar(c, KIR_LSHR, KIR_P_EQ, part, a,
                           vm_constant(c, a.elem, k % ratio * to.bits), none);
            vm_emit_scalar(c, KIR_TRUNC, KIR_P_EQ, d, part, none, none);
            continue;
        }
        uint32_t ratio = to_bytes / from_bytes;
        part = vm_scratch(c, d.elem, d.varying);
        for (uint32_t i = 0; i < ratio; i++) {
            vm_operand a = vm_cell_of(c, c->inst->args[0], k * ratio + i);
            a.elem = int_of_bytes(from_bytes);
            vm_emit_scalar(c, KIR_ZEXT, KIR_P_EQ, i ? part : d, a, none, none);
            if (!i)
                continue;
            vm_emit_scalar(c, KIR_SHL, KIR_P_EQ, part, part, vm_constant(c, d.elem, i * from.bits),
                           none);
            vm_emit_scalar(c, KIR_OR, KIR_P_EQ, d, d, part, none);
        }
    }
}

/* ---- one instruction ------------------------------------------------------------------------------ */

/* Copies what is another name, where the name has a cell of its own all the same. */
static void compile_copy(vm_compiler *c) {
    for (uint32_t k = 0; k < c->inst->type.lanes; k++) {
        vm_unit_name from = vm_source_of(c, c->value, k);
        if (from.value == c->value)
            from = (vm_unit_name){c->inst->args[0], k};
        vm_operand d = vm_result(c, k), a = vm_cell_of(c, from.value, from.component);
        if (d.at != a.at)
            vm_emit_op(c, handler(FN_MOVE_I8 + rank_of(bits_of(d.elem))), d, a, none, none);
    }
}

static void compile_component(vm_compiler *c, uint32_t k) {
    const kir_inst *inst = c->inst;
    vm_operand d = vm_result(c, k), a = vm_cell_of(c, inst->args[0], k);
    vm_operand b = inst->arg_count > 1 ? vm_cell_of(c, inst->args[1], k) : none;
    vm_operand third = inst->arg_count > 2 ? vm_cell_of(c, inst->args[2], k) : none;
    bool bits = is_bit(c->kernel->insts[inst->args[0]].type);
    if (inst->op == KIR_ICMP)
        vm_emit_scalar(c, KIR_ICMP, bits ? pred_of_bits(inst->pred) : inst->pred, d, a, b, none);
    else if (inst->op == KIR_FCMP && (inst->pred == KIR_P_FALSE || inst->pred == KIR_P_TRUE))
        vm_emit_op(c, handler(FN_MOVE_I8), d, vm_constant(c, VM_I8, inst->pred == KIR_P_TRUE), none,
                   none);
    else if (inst->op >= KIR_TRUNC && inst->op <= KIR_UITOFP)
        emit_conversion(c, d, a);
    else if (is_bit(inst->type) && inst->op >= KIR_ADD && inst->op <= KIR_ASHR)
        emit_bits(c, d, a, b);
    else
        vm_emit_scalar(c, inst->op, inst->pred, d, a, b, third);
}

void vm_compile_arithmetic(vm_compiler *c) {
    const kir_inst *inst = c->inst;
    int64_t lane;
    if (vm_result(c, 0).elem != vm_elem_of(inst->type))
        return; /* a sign extension that only indexes */
    switch (inst->op) {
    case KIR_ADDR: compile_address(c); return;
    case KIR_EXTRACT:
        (kir_const_int(c->kernel, inst->args[1], &lane) ? compile_copy : compile_extract)(c);
        return;
    case KIR_INSERT: compile_insert(c); return;
    case KIR_BITCAST:
        if (c->kernel->insts[inst->args[0]].type.bits != inst->type.bits) {
            compile_regrouping(c);
            return;
        }
        /* fall through */
    case KIR_SHUFFLE:
    case KIR_PTRTOINT:
    case KIR_INTTOPTR:
    case KIR_SPACECAST:
    case KIR_FREEZE: compile_copy(c); return;
    default: break;
    }
    for (uint32_t k = 0; k < inst->type.lanes; k++)
        compile_component(c, k);
}
