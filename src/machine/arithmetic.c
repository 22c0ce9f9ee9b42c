/*
 * kir's arithmetic to handlers of lanes.c: vectors component by component, an i1
 * as a byte of 0 or 1.
 */
#include "machine/compile.h"

/* ---- operations on one component ---------------------------------------------------- */

static vm_op *emit_code(vm_compiler *c, uint32_t code, vm_operand d, vm_operand a, vm_operand b,
                        vm_operand third) {
    vm_op *op = vm_emit_op(c, vm_lanes_choose()->fn[code], d, a, b, third);
    op->code = (uint16_t)code;
    return op;
}

void vm_emit_handler(vm_compiler *c, vm_fn first, vm_elem elem, vm_operand d, vm_operand a,
                     vm_operand b, vm_operand third) {
    uint32_t rank = elem >= VM_F16 ? elem - VM_F16 : elem;
    emit_code(c, first + rank, d, a, b, third);
}

static void emit_move(vm_compiler *c, vm_operand d, vm_operand a) {
    vm_emit_handler(c, FN_MOVE_I8, vm_as_integer(d).elem, d, a, vm_none, vm_none);
}

void vm_emit_compare(vm_compiler *c, kir_pred pred, vm_operand d, vm_operand a, vm_operand b) {
    static const vm_fn first[] = {
#define X(op) [KIR_P_##op] = FN_##op##_I8,
        VM_INT_COMPARE(X)
#undef X
#define X(op) [KIR_P_##op] = FN_##op##_F16,
            VM_FLOAT_COMPARE(X)
#undef X
    };
    vm_emit_handler(c, first[pred], a.elem, d, a, b, vm_none);
}

typedef struct conversion {
    kir_op op;
    vm_elem from, to;
    uint32_t fn;
} conversion;

static const conversion conversions[] = {
#define X(M, small, big)                                           \
    {KIR_TRUNC, VM_##big, VM_##small, FN_TRUNC_##big##_##small},   \
        {KIR_ZEXT, VM_##small, VM_##big, FN_ZEXT_##small##_##big}, \
        {KIR_SEXT, VM_##small, VM_##big, FN_SEXT_##small##_##big},
    VM_CONVERT_PAIRS(X, )
#undef X
#define X(M, a, b)                                                                          \
    {KIR_FPEXT, VM_##a, VM_##b, FN_##a##_##b}, {KIR_FPTRUNC, VM_##a, VM_##b, FN_##a##_##b},
        VM_FLOAT_PAIRS(X, )
#undef X
#define X(M, i, f)                                                                                \
    {KIR_SITOFP, VM_##i, VM_##f, FN_S##i##_##f}, {KIR_UITOFP, VM_##i, VM_##f, FN_U##i##_##f},     \
        {KIR_FPTOSI, VM_##f, VM_##i, FN_##f##_S##i}, {KIR_FPTOUI, VM_##f, VM_##i, FN_##f##_U##i},
            VM_INT_FLOAT_PAIRS(X, )
#undef X
};

static void emit_kir_conversion(vm_compiler *c, kir_op op, vm_operand d, vm_operand a) {
    const conversion *v = conversions, *end = v + sizeof conversions / sizeof *conversions;
    while (v < end && (v->op != op || v->from != a.elem || v->to != d.elem))
        v++;
    if (v == end) /* of equal widths */
        emit_move(c, d, a);
    else
        emit_code(c, v->fn, d, a, vm_none, vm_none);
}

void vm_emit3(vm_compiler *c, kir_op op, vm_operand d, vm_operand a, vm_operand b,
              vm_operand third) {
    static const vm_fn first[] = {
#define X(op) [KIR_##op] = FN_##op##_I8,
        VM_INT_BINARY(X)
#undef X
#define X(op) [KIR_##op] = FN_##op##_F16,
            VM_FLOAT_BINARY(X) X(FNEG) X(FMULADD)
#undef X
    };
    if (op >= KIR_TRUNC && op <= KIR_FREEZE)
        emit_kir_conversion(c, op, d, a);
    else if (op == KIR_SELECT)
        vm_emit_handler(c, FN_SELECT_I8, vm_as_integer(d).elem, d, a, b, third);
    else
        vm_emit_handler(c, first[op], d.elem, d, a, b, third);
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
        emit_move(c, d, a);
        return;
    }
    vm_emit(c, op, d, a, b);
}

/* A conversion to an i1 takes the low bit, one from a signed i1 begins with 0 or -1. */
static void emit_conversion(vm_compiler *c, vm_operand d, vm_operand a) {
    kir_op op = c->inst->op;
    bool from_bit = is_bit(c->kernel->insts[c->inst->args[0]].type);
    if (from_bit && (op == KIR_SEXT || op == KIR_SITOFP)) {
        vm_operand sign = vm_scratch(c, VM_I8, d.varying);
        vm_emit_handler(c, FN_SIGN_I8, VM_I8, sign, a, vm_none, vm_none);
        a = sign;
    }
    vm_emit(c, op, d, a, vm_none);
    if (is_bit(c->inst->type))
        vm_emit_handler(c, FN_BIT_I8, VM_I8, d, d, vm_none, vm_none);
}

/* ---- addresses ----------------------------------------------------------------------------- */

static void emit_step(vm_compiler *c, vm_operand d, vm_operand base, vm_operand index,
                      int64_t scale, int64_t offset) {
    if (index.elem < VM_I32) {
        vm_operand wide = vm_scratch(c, VM_I64, index.varying);
        vm_emit(c, KIR_SEXT, wide, index, vm_none);
        index = wide;
    }
    vm_fn fn = index.elem == VM_I32 ? FN_ADDR_I32 : FN_ADDR_I64;
    vm_op *op = emit_code(c, fn, d, base, index, vm_none);
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

/* ---- vectors --------------------------------------------------------------------------------- */

/* A component at a place that only the kernel computes: by comparing with every place. */
static void compile_extract(vm_compiler *c) {
    uint32_t lanes = c->kernel->insts[c->inst->args[0]].type.lanes;
    vm_operand d = vm_result(c, 0), place = vm_cell_of(c, c->inst->args[1], 0);
    vm_operand is = vm_scratch(c, VM_I8, place.varying), found = vm_scratch(c, d.elem, d.varying);
    vm_operand last = vm_cell_of(c, c->inst->args[0], 0);
    for (uint32_t k = 1; k < lanes; k++) {
        vm_emit_compare(c, KIR_P_EQ, is, place, vm_constant(c, place.elem, k));
        vm_emit3(c, KIR_SELECT, found, is, vm_cell_of(c, c->inst->args[0], k), last);
        last = found;
    }
    emit_move(c, d, last);
}

static void compile_insert(vm_compiler *c) {
    vm_operand place = vm_cell_of(c, c->inst->args[2], 0);
    vm_operand element = vm_cell_of(c, c->inst->args[1], 0);
    vm_operand is = vm_scratch(c, VM_I8, place.varying);
    for (uint32_t k = 0; k < c->inst->type.lanes; k++) {
        if (c->cells->names[c->value][k].value != c->value)
            continue; /* another name of a component that is there already */
        vm_emit_compare(c, KIR_P_EQ, is, place, vm_constant(c, place.elem, k));
        vm_emit3(c, KIR_SELECT, vm_result(c, k), is, element, vm_cell_of(c, c->inst->args[0], k));
    }
}

/* Component `k` of the vector as an integer. */
static vm_operand integer_of(vm_compiler *c, uint32_t k) {
    return vm_as_integer(vm_cell_of(c, c->inst->args[0], k));
}

/* The bits of a vector as a vector of wider or narrower elements, low bits first. */
static void compile_regrouping(vm_compiler *c) {
    kir_type from = c->kernel->insts[c->inst->args[0]].type, to = c->inst->type;
    for (uint32_t k = 0; k < to.lanes; k++) {
        vm_operand d = vm_as_integer(vm_result(c, k)), part;
        if (from.bits > to.bits) {
            uint32_t ratio = from.bits / to.bits;
            vm_operand a = integer_of(c, k / ratio);
            part = vm_scratch(c, a.elem, d.varying);
            vm_emit(c, KIR_LSHR, part, a, vm_constant(c, a.elem, k % ratio * to.bits));
            vm_emit(c, KIR_TRUNC, d, part, vm_none);
            continue;
        }
        uint32_t ratio = to.bits / from.bits;
        part = vm_scratch(c, d.elem, d.varying);
        vm_emit(c, KIR_ZEXT, d, integer_of(c, k * ratio), vm_none);
        for (uint32_t i = 1; i < ratio; i++) {
            vm_emit(c, KIR_ZEXT, part, integer_of(c, k * ratio + i), vm_none);
            vm_emit(c, KIR_SHL, part, part, vm_constant(c, d.elem, i * from.bits));
            vm_emit(c, KIR_OR, d, d, part);
        }
    }
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* Copies what is another name, where the name has a cell of its own all the same. */
static void compile_copy(vm_compiler *c) {
    for (uint32_t k = 0; k < c->inst->type.lanes; k++) {
        vm_unit_name from = vm_source_of(c, c->value, k);
        if (from.value == c->value)
            from = (vm_unit_name){c->inst->args[0], k};
        vm_operand d = vm_result(c, k), a = vm_cell_of(c, from.value, from.component);
        if (d.at != a.at)
            emit_move(c, d, a);
    }
}

static void compile_component(vm_compiler *c, uint32_t k) {
    const kir_inst *inst = c->inst;
    vm_operand d = vm_result(c, k), a = vm_cell_of(c, inst->args[0], k);
    vm_operand b = inst->arg_count > 1 ? vm_cell_of(c, inst->args[1], k) : vm_none;
    vm_operand third = inst->arg_count > 2 ? vm_cell_of(c, inst->args[2], k) : vm_none;
    bool bits = is_bit(c->kernel->insts[inst->args[0]].type);
    if (inst->op == KIR_ICMP)
        vm_emit_compare(c, bits ? pred_of_bits(inst->pred) : inst->pred, d, a, b);
    else if (inst->op == KIR_FCMP && (inst->pred == KIR_P_FALSE || inst->pred == KIR_P_TRUE))
        emit_move(c, d, vm_constant(c, VM_I8, inst->pred == KIR_P_TRUE));
    else if (inst->op == KIR_FCMP)
        vm_emit_compare(c, inst->pred, d, a, b);
    else if (inst->op >= KIR_TRUNC && inst->op <= KIR_UITOFP)
        emit_conversion(c, d, a);
    else if (is_bit(inst->type) && inst->op >= KIR_ADD && inst->op <= KIR_ASHR)
        emit_bits(c, d, a, b);
    else
        vm_emit3(c, inst->op, d, a, b, third);
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
