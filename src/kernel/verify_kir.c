/*
 * The invariants of kir, checked in this order, each relying on those before:
 *
 *     structure   every instruction stands in one block, leaves first in block
 *                 0, phis first in theirs, one terminator at the end, and all
 *                 indices are in range
 *     types       what every opcode demands of its operands
 *     phis        one value for every predecessor
 *     dominance   a value is made before it is used on every path
 *
 * A rule that fails says what it found and what it wanted; the first one's words are told, and no
 * stage begins behind one with a fault.
 */
#include "kernel/kernel_analysis.h"

typedef struct checker {
    hd_arena *arena;
    const hd_diag *diag;
    kir_kernel *kernel;
    kir_place_fn *place;
    const void *user;
    hd_status status; /* of the first fault */
} checker;

/* Types of the operands; those of the result stand two characters before. */
static const char *const operand_types[KIR_OP_COUNT] = {
#define X(name, text, types, kind) types + 2,
    KIR_OPS(X)
#undef X
};

/* Of an instruction in its source; of the kernel where it has none. */
static hd_place place_in_source(const void *user, kir_value value) {
    const kir_kernel *kernel = user;
    hd_place place = kernel->place;
    if (value == KIR_NONE || !kernel->insts[value].line)
        return place;
    return (hd_place){place.file, kernel->insts[value].line, kernel->insts[value].column, NULL};
}

static void fail(checker *c, kir_value value, const char *why) {
    hd_place place = c->place(c->user, value);
    if (!c->status)
        c->status = hd_fail(c->diag, HD_EINPUT, &place, "kernel %s%s", c->kernel->name, why);
}

__attribute__((format(printf, 3, 4))) static void bad(checker *c, kir_value value,
                                                      const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *why = hd_vformat(c->arena, format, args);
    va_end(args);
    const kir_inst *inst = &c->kernel->insts[value];
    fail(c, value,
         hd_format(c->arena, ", block b%u, %%%u (%s): %s", inst->block, value,
                   kir_op_name(inst->op), why));
}

static void bad_block(checker *c, uint32_t block, const char *why) {
    fail(c, KIR_NONE, hd_format(c->arena, ", block b%u: %s", block, why));
}

/* ---- structure ------------------------------------------------------------- */

static void check_indices(checker *c, kir_value value) {
    const kir_inst *inst = &c->kernel->insts[value];
    if ((unsigned)inst->op >= KIR_OP_COUNT) {
        bad(c, value, "unknown opcode %u", (unsigned)inst->op);
        return;
    }
    const char *types = operand_types[inst->op];
    const size_t wanted = strcspn(types, "<=>");
    if (!strchr(types, '.') && inst->arg_count != wanted)
        bad(c, value, "has %u operands, must have %zu", inst->arg_count, wanted);
    for (uint32_t i = 0; i < inst->arg_count; i++) {
        if (inst->args[i] >= c->kernel->inst_count)
            bad(c, value, "operand %u is no value of this kernel", i);
        else if (c->kernel->insts[inst->args[i]].type.kind == KIR_VOID)
            bad(c, value, "operand %u, %%%u, has no value", i, inst->args[i]);
    }
    for (uint32_t i = 0; i < inst->to_count; i++)
        if (inst->to[i] >= c->kernel->block_count)
            bad(c, value, "leads to block b%u, which does not exist", inst->to[i]);
    if (inst->to_count && !kir_is_terminator(inst->op))
        bad(c, value, "has targets but is no terminator");
    for (uint32_t i = 0; inst->op == KIR_PHI && i < inst->arg_count; i++)
        if (inst->from[i] >= c->kernel->block_count)
            bad(c, value, "comes from block b%u, which does not exist", inst->from[i]);
}

static void check_block(checker *c, uint32_t b, bool *seen) {
    const kir_block *block = &c->kernel->blocks[b];
    bool after_leaves = b != 0, after_phis = false;
    for (uint32_t i = 0; i < block->inst_count && !c->status; i++) {
        kir_value value = block->insts[i];
        if (value >= c->kernel->inst_count) {
            bad_block(c, b, "lists an instruction that does not exist");
            return;
        }
        kir_inst *inst = &c->kernel->insts[value];
        if (seen[value] || inst->block != b)
            bad(c, value, "listed in block b%u as well", b);
        seen[value] = true;
        check_indices(c, value);
        if (kir_is_leaf(inst->op) && after_leaves)
            bad(c, value, "must stand at the start of block b0");
        if (inst->op == KIR_PHI && after_phis)
            bad(c, value, "must stand before all other instructions of its block");
        after_leaves |= !kir_is_leaf(inst->op);
        after_phis |= inst->op != KIR_PHI;
        if (kir_is_terminator(inst->op) != (i + 1 == block->inst_count))
            bad(c, value,
                kir_is_terminator(inst->op) ? "must be the last instruction of its block"
                                            : "ends its block, but is no terminator");
    }
    if (!block->inst_count)
        bad_block(c, b, "is empty; it must end in a terminator");
}

/* What variables point to is there, and can be pointed to before a block runs. */
static void check_statics(checker *c) {
    const kir_kernel *kernel = c->kernel;
    for (uint32_t v = 0; v < kernel->static_count; v++)
        for (uint32_t i = 0; i < kernel->statics[v].pointer_count; i++) {
            const kir_static *variable = &kernel->statics[v];
            const kir_pointer *pointer = &variable->pointers[i];
            bool fits =
                variable->init && variable->bytes >= 8 && pointer->offset <= variable->bytes - 8;
            if (!fits || pointer->to >= kernel->static_count ||
                kernel->statics[pointer->to].space == KIR_LOCAL)
                fail(c, KIR_NONE,
                     hd_format(c->arena,
                               ": variable \"%s\" has a pointer at byte %llu to variable %u; it "
                               "must lie in it, initialised, and point to one outside of local "
                               "memory",
                               variable->name, (unsigned long long)pointer->offset, pointer->to));
        }
}

static void check_structure(checker *c) {
    kir_kernel *kernel = c->kernel;
    if (!kernel->block_count)
        fail(c, KIR_NONE, " has no blocks");
    bool *seen = hd_new_array(c->arena, bool, kernel->inst_count);
    for (uint32_t b = 0; b < kernel->block_count; b++)
        check_block(c, b, seen);
    for (kir_value v = 0; v < kernel->inst_count && !c->status; v++)
        if (!seen[v])
            bad(c, v, "stands in no block");
    check_statics(c);
}

/* ---- types ------------------------------------------------------------------- */

static bool same_type(kir_type a, kir_type b) {
    return a.kind == b.kind && a.bits == b.bits && a.lanes == b.lanes &&
           (a.kind != KIR_PTR || a.space == b.space);
}

static bool type_is_legal(kir_type t) {
    if (t.kind == KIR_VOID)
        return true;
    if (t.kind == KIR_PTR)
        return t.bits == 64 && t.lanes == 1 && t.space <= KIR_GENERIC;
    if (t.lanes < 1 || t.lanes > 16)
        return false;
    if (t.kind == KIR_FLOAT)
        return t.bits == 16 || t.bits == 32 || t.bits == 64;
    return t.kind == KIR_INT &&
           (t.bits == 1 || t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64);
}

static kir_type arg_type(const checker *c, const kir_inst *inst, uint32_t i) {
    return c->kernel->insts[inst->args[i]].type;
}

static const char *text_of(const checker *c, kir_type type) {
    return kir_type_text(c->arena, type);
}

static void check_compare(checker *c, kir_value v, const kir_inst *inst) {
    kir_type a = arg_type(c, inst, 0);
    bool is_float = inst->op == KIR_FCMP;
    bool float_pred = inst->pred >= KIR_P_OEQ && inst->pred < KIR_PRED_COUNT;
    if (float_pred != is_float)
        bad(c, v, "compares with a predicate of %s", float_pred ? "floats" : "integers");
    if ((a.kind == KIR_FLOAT) != is_float)
        bad(c, v, "compares values of type %s", text_of(c, a));
    if (!same_type(inst->type, (kir_type){KIR_INT, 1, a.lanes, 0}))
        bad(c, v, "has type %s, must be i1 with the operands' lanes", text_of(c, inst->type));
}

static void check_select(checker *c, kir_value v, const kir_inst *inst) {
    kir_type cond = arg_type(c, inst, 0);
    if (cond.kind != KIR_INT || cond.bits != 1 ||
        (cond.lanes != 1 && cond.lanes != inst->type.lanes))
        bad(c, v, "chooses by a value of type %s, must be i1", text_of(c, cond));
}

static void check_bitcast(checker *c, kir_value v, const kir_inst *inst) {
    kir_type from = arg_type(c, inst, 0), to = inst->type;
    if ((uint32_t)from.bits * from.lanes != (uint32_t)to.bits * to.lanes)
        bad(c, v, "changes the size of a value, from %s to %s", text_of(c, from), text_of(c, to));
}

static kir_type element_of(kir_type vector) {
    vector.lanes = 1;
    return vector;
}

static void check_shuffle(checker *c, kir_value v, const kir_inst *inst) {
    kir_type vector = arg_type(c, inst, 0);
    if (inst->imm_count != inst->type.lanes ||
        !same_type(element_of(vector), element_of(inst->type)))
        bad(c, v, "makes %s from %s with a mask of %u lanes", text_of(c, inst->type),
            text_of(c, vector), inst->imm_count);
    for (uint32_t i = 0; i < inst->imm_count; i++)
        if (inst->imm[i] != UINT64_MAX && inst->imm[i] >= 2u * vector.lanes)
            bad(c, v, "lane %u of the mask is out of range", i);
}

static void check_lane(checker *c, kir_value v, const kir_inst *inst) {
    bool insert = inst->op == KIR_INSERT;
    kir_type vector = arg_type(c, inst, 0), element = insert ? arg_type(c, inst, 1) : inst->type;
    int64_t lane;
    if (!same_type(element, element_of(vector)))
        bad(c, v, "has an element of type %s in a vector of type %s", text_of(c, element),
            text_of(c, vector));
    if (kir_const_int(c->kernel, inst->args[insert ? 2 : 1], &lane) &&
        (lane < 0 || lane >= vector.lanes))
        bad(c, v, "takes lane %lld of a vector of %u lanes", (long long)lane, vector.lanes);
}

/* A load acquires, a store releases; other instructions have no order. */
static void check_order(checker *c, kir_value v, const kir_inst *inst) {
    bool is_load = inst->op == KIR_LOAD || (inst->op == KIR_ATOMIC && inst->index == KIR_RMW_LOAD);
    bool is_store =
        inst->op == KIR_STORE || (inst->op == KIR_ATOMIC && inst->index == KIR_RMW_STORE);
    bool orders = is_load || is_store || inst->op == KIR_ATOMIC || inst->op == KIR_FENCE;
    if ((unsigned)inst->order >= KIR_ORDER_COUNT)
        bad(c, v, "unknown order %u", (unsigned)inst->order);
    else if (!orders && (inst->order || inst->is_block_scope))
        bad(c, v, "has an order or a scope, which loads, stores, atomics and fences have");
    else if ((is_load && (inst->order == KIR_RELEASE || inst->order == KIR_ACQ_REL)) ||
             (is_store && (inst->order == KIR_ACQUIRE || inst->order == KIR_ACQ_REL)))
        bad(c, v, "is %s; a load acquires and a store releases", kir_order_names[inst->order]);
    else if (inst->op == KIR_FENCE && inst->order == KIR_RELAXED)
        bad(c, v, "is a relaxed fence, which orders nothing");
}

static void check_atomic(checker *c, kir_value v, const kir_inst *inst) {
    uint32_t least = 2, most = 2;
    if (inst->index == KIR_RMW_LOAD)
        least = most = 1;
    else if (inst->index == KIR_RMW_CMPXCHG)
        least = most = 3;
    else if (inst->index == KIR_RMW_INC || inst->index == KIR_RMW_DEC)
        least = 1;
    if (inst->index >= KIR_RMW_COUNT)
        bad(c, v, "unknown atomic operation %u", inst->index);
    if (inst->arg_count < least || inst->arg_count > most)
        bad(c, v, "has %u operands, must have %u", inst->arg_count, most);
    for (uint32_t i = 1; inst->type.kind != KIR_VOID && i < inst->arg_count; i++)
        if (!same_type(arg_type(c, inst, i), inst->type))
            bad(c, v, "operand %u has type %s, must have %s", i, text_of(c, arg_type(c, inst, i)),
                text_of(c, inst->type));
}

static void check_param(checker *c, kir_value v, const kir_inst *inst) {
    if (inst->index >= c->kernel->param_count)
        bad(c, v, "parameter %u does not exist", inst->index);
    else if (!same_type(inst->type, c->kernel->params[inst->index].type))
        bad(c, v, "has type %s, but parameter %u has %s", text_of(c, inst->type), inst->index,
            text_of(c, c->kernel->params[inst->index].type));
}

static void check_static(checker *c, kir_value v, const kir_inst *inst) {
    const kir_kernel *kernel = c->kernel;
    if (inst->index >= kernel->static_count)
        bad(c, v, "static variable %u does not exist", inst->index);
    else if (inst->type.kind != KIR_PTR || inst->type.space != kernel->statics[inst->index].space)
        bad(c, v, "has type %s, must point to the variable's space", text_of(c, inst->type));
}

static void check_query(checker *c, kir_value v, const kir_inst *inst) {
    bool no_dimension = inst->index == KIR_Q_WORK_DIM || inst->index == KIR_Q_GLOBAL_LINEAR_ID ||
                        inst->index == KIR_Q_LOCAL_LINEAR_ID;
    if (inst->index >= KIR_QUERY_COUNT)
        bad(c, v, "unknown query %u", inst->index);
    if (inst->arg_count != (no_dimension ? 0u : 1u))
        bad(c, v, "has %u operands, must have %u", inst->arg_count, no_dimension ? 0 : 1);
}

static const char *const kind_names[] = {"void", "an integer", "a float", "a pointer"};

static kir_kind kind_of(char letter) {
    return letter == 'p' ? KIR_PTR : letter == 'f' ? KIR_FLOAT : KIR_INT;
}

/* An operand of the type that the letter says. */
static void check_operand(checker *c, kir_value v, const kir_inst *inst, uint32_t i, char letter) {
    kir_type type = arg_type(c, inst, i), want = inst->type;
    if (letter == 'a')
        want = arg_type(c, inst, 0);
    if (letter == 't')
        want = (kir_type){KIR_INT, 1, 1, 0};
    if (strchr("rat", letter)) {
        if (!same_type(type, want))
            bad(c, v, "operand %u has type %s, must have %s", i, text_of(c, type),
                text_of(c, want));
    } else if (letter == 's') {
        if (type.kind != KIR_INT || type.lanes != 1)
            bad(c, v, "operand %u has type %s, must be a scalar integer", i, text_of(c, type));
    } else if (letter != '*' && type.kind != kind_of(letter)) {
        bad(c, v, "operand %u has type %s, must be %s", i, text_of(c, type),
            kind_names[kind_of(letter)]);
    }
}

static void check_conversion(checker *c, kir_value v, const kir_inst *inst, const char *types) {
    kir_type from = arg_type(c, inst, 0), to = inst->type;
    bool fits = from.kind == kind_of(types[0]) && from.lanes == to.lanes &&
                (types[1] == '=' || (types[1] == '>' ? from.bits > to.bits : from.bits < to.bits));
    if (!fits)
        bad(c, v, "cannot convert %s to %s", text_of(c, from), text_of(c, to));
}

/* What KIR_OPS says of the opcode. */
static void check_signature(checker *c, kir_value v, const kir_inst *inst) {
    const char *types = operand_types[inst->op], result = types[-2];
    bool is_void = inst->type.kind == KIR_VOID;
    if (!type_is_legal(inst->type))
        bad(c, v, "has type %s, which kir does not know", text_of(c, inst->type));
    if (result != '?' && is_void != (result == '-'))
        bad(c, v, is_void ? "must make a value" : "makes no value, so has no type");
    if (strchr("ifp", result) && inst->type.kind != kind_of(result))
        bad(c, v, "has type %s, must be %s", text_of(c, inst->type), kind_names[kind_of(result)]);
    if (types[0] && types[1] && strchr("<=>", types[1])) {
        check_conversion(c, v, inst, types);
        return;
    }
    for (uint32_t i = 0; i < inst->arg_count; i++) {
        check_operand(c, v, inst, i, *types);
        types += types[1] && types[1] != '.';
    }
}

static void check_types(checker *c, kir_value v) {
    const kir_inst *inst = &c->kernel->insts[v];
    const uint32_t targets = inst->op == KIR_BR       ? 1
                             : inst->op == KIR_CONDBR ? 2
                             : inst->op == KIR_SWITCH ? inst->imm_count + 1
                                                      : 0;
    if (inst->op == KIR_ICMP || inst->op == KIR_FCMP)
        check_compare(c, v, inst);
    check_signature(c, v, inst);
    if (inst->to_count != targets)
        bad(c, v, "has %u targets, must have %u", inst->to_count, targets);
    if (c->status)
        return;
    check_order(c, v, inst);
    switch (inst->op) {
    case KIR_PARAM: check_param(c, v, inst); break;
    case KIR_STATIC: check_static(c, v, inst); break;
    case KIR_CONST:
        if (inst->imm_count != inst->type.lanes)
            bad(c, v, "has %u numbers for %u lanes", inst->imm_count, inst->type.lanes);
        break;
    case KIR_QUERY: check_query(c, v, inst); break;
    case KIR_SELECT: check_select(c, v, inst); break;
    case KIR_BITCAST: check_bitcast(c, v, inst); break;
    case KIR_SHUFFLE: check_shuffle(c, v, inst); break;
    case KIR_EXTRACT:
    case KIR_INSERT: check_lane(c, v, inst); break;
    case KIR_ADDR:
        if (!inst->arg_count)
            bad(c, v, "has no base address");
        else if (inst->arg_count > 1 && !inst->scale)
            bad(c, v, "has indices but no scales");
        break;
    case KIR_ALLOCA:
        if (inst->imm_count != 2 || !hd_is_power_of_two(inst->imm[1]))
            bad(c, v, "needs a size and an alignment that is a power of two");
        break;
    case KIR_ATOMIC: check_atomic(c, v, inst); break;
    case KIR_CALL:
        if (!inst->name)
            bad(c, v, "calls a function without a name");
        break;
    default: break;
    }
}

/* ---- predecessors and phis ----------------------------------------------------- */

static void check_phi(checker *c, kir_value v) {
    const kir_inst *inst = &c->kernel->insts[v];
    const kir_block *block = &c->kernel->blocks[inst->block];
    for (uint32_t i = 0; i < inst->arg_count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < block->pred_count; k++)
            known |= block->preds[k] == inst->from[i];
        if (!known)
            bad(c, v, "has a value from b%u, which does not lead here", inst->from[i]);
        for (uint32_t k = 0; k < i; k++)
            if (inst->from[k] == inst->from[i] && inst->args[k] != inst->args[i])
                bad(c, v, "has two different values from b%u", inst->from[i]);
    }
    for (uint32_t k = 0; k < block->pred_count; k++) {
        bool found = false;
        for (uint32_t i = 0; i < inst->arg_count; i++)
            found |= inst->from[i] == block->preds[k];
        if (!found)
            bad(c, v, "has no value from predecessor b%u", block->preds[k]);
    }
}

/* ---- dominance -------------------------------------------------------------- */

static void check_dominance(checker *c) {
    const kir_kernel *kernel = c->kernel;
    const hd_flow *flow = hd_flow_analyse(c->arena, kernel);
    uint32_t *position = hd_new_array(c->arena, uint32_t, kernel->inst_count);
    for (uint32_t b = 0; b < kernel->block_count; b++)
        for (uint32_t i = 0; i < kernel->blocks[b].inst_count; i++)
            position[kernel->blocks[b].insts[i]] = i;
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        const kir_block *block = &kernel->blocks[flow->rpo[i]];
        for (uint32_t k = 0; k < block->inst_count; k++) {
            kir_value v = block->insts[k];
            const kir_inst *inst = &kernel->insts[v];
            for (uint32_t a = 0; a < inst->arg_count; a++) {
                const kir_inst *made = &kernel->insts[inst->args[a]];
                uint32_t used = inst->op == KIR_PHI ? inst->from[a] : inst->block;
                bool reached = used == 0 || flow->idom[used] != KIR_NONE;
                bool before = inst->op == KIR_PHI || position[inst->args[a]] < k;
                if (reached &&
                    !(made->block == used ? before : hd_flow_dominates(flow, made->block, used)))
                    bad(c, v, "uses %%%u, which is not made on every path to here", inst->args[a]);
            }
        }
    }
}

static void find_preds(checker *c) {
    kir_kernel *kernel = c->kernel;
    hd_vec(uint32_t) *preds = hd_alloc(c->arena, kernel->block_count * sizeof *preds);
    for (uint32_t b = 0; b < kernel->block_count; b++) {
        const kir_inst *last = kir_terminator(kernel, b);
        for (uint32_t i = 0; i < last->to_count; i++)
            if (!kernel_edge_repeats(last, i))
                hd_push(c->arena, &preds[last->to[i]], b);
    }
    for (uint32_t b = 0; b < kernel->block_count; b++) {
        kernel->blocks[b].preds = preds[b].data;
        kernel->blocks[b].pred_count = (uint32_t)preds[b].count;
    }
    if (kernel->blocks[0].pred_count)
        bad_block(c, 0, "is the entry, so no branch may lead to it");
}

hd_status kir_finish_at(hd_arena *arena, const hd_diag *diag, kir_kernel *kernel,
                        kir_place_fn *place, const void *user) {
    checker c = {arena, diag, kernel, place, user, HD_OK};
    check_structure(&c);
    for (kir_value v = 0; !c.status && v < kernel->inst_count; v++)
        check_types(&c, v);
    if (!c.status)
        find_preds(&c);
    for (kir_value v = 0; !c.status && v < kernel->inst_count; v++)
        if (kernel->insts[v].op == KIR_PHI)
            check_phi(&c, v);
    if (!c.status)
        check_dominance(&c);
    return c.status;
}

hd_status kir_finish(hd_arena *arena, const hd_diag *diag, kir_kernel *kernel) {
    return kir_finish_at(arena, diag, kernel, place_in_source, kernel);
}
