/*
 * A kernel in the operations of a GPU (device_code.h): what of kir takes registers on NVIDIA's.
 *
 *   nothing     constants and parameters, which lie in constant memory; what is computed of them and
 *               of the block's place in the grid by integer arithmetic, for which there are uniform
 *               registers; comparisons, which make predicates; widenings and other casts
 *   an address  two registers, one in shared memory; all that differ by constant bytes are one. It is
 *               made of a base, which is loaded from constant memory, and indices. Out of a loop in
 *               which it stays the same it moves; if it advances by the same step in each iteration it
 *               is a pointer that is kept, as after LLVM's loop strength reduction
 *   a vector    its lanes, each for itself: taking one out or putting one in is nothing
 *
 * Functions and divisions are code of their own, of which the registers beside those of the operands
 * are known (`temporaries_of`).
 */
#include "kernel/device_code.h"

enum {
    ARITHMETIC_LATENCY = 2,
    NEAR_LATENCY = 30,     /* constant and shared memory */
    FAR_LATENCY = 400,     /* global memory */
    CALL_TEMPORARIES = 14, /* those that the ABI lets a function change */
};

/* Addresses that differ by constant bytes. */
typedef struct address {
    kir_value root;
    hd_vec(kir_value) indices;
    hd_vec(int64_t) scales;
    uint32_t number;    /* the first such address's */
    device_value value; /* 0: only numbered */
    uint32_t block;     /* where it is made */
    int32_t advances;   /* the loop in which it is a pointer that is kept, or -1 */
} address;

typedef struct base {
    kir_value root;
    uint32_t block;
    device_value value;
} base;

typedef struct selector {
    device_code *code;
    const kir_kernel *kernel;
    const hd_flow *flow;
    bool *uniform;       /* [inst_count] */
    device_value *first; /* [inst_count]: of its lanes */
    hd_vec(address) addresses;
    hd_vec(base) bases;
} selector;

device_value kernel_new_value(device_code *code, uint32_t words) {
    hd_push(code->arena, &code->words, (uint8_t)words);
    return (device_value)code->words.count - 1;
}

void kernel_add_use(device_code *code, device_op *op, device_value value) {
    for (size_t i = 0; i < op->uses.count && value; i++)
        if (op->uses.data[i] == value)
            return;
    if (value)
        hd_push(code->arena, &op->uses, value);
}

static const kir_inst *inst_of(const selector *s, kir_value v) { return &s->kernel->insts[v]; }

/* ---- what takes no register --------------------------------------------------------------- */

static bool is_cast(const kir_inst *inst) {
    switch (inst->op) {
    case KIR_SEXT:
    case KIR_ZEXT:
    case KIR_TRUNC:
    case KIR_FREEZE:
    case KIR_BITCAST:
    case KIR_SPACECAST:
    case KIR_PTRTOINT:
    case KIR_INTTOPTR: return true;
    default: return false;
    }
}

/* A load of constant memory: of a struct that is a parameter, or a table. */
static bool reads_constants(const selector *s, const kir_inst *load) {
    kir_value root = load->args[0];
    while (inst_of(s, root)->op == KIR_ADDR || is_cast(inst_of(s, root)))
        root = inst_of(s, root)->args[0];
    const kir_inst *from = inst_of(s, root);
    return (from->op == KIR_PARAM && s->kernel->params[from->index].by_value_struct) ||
           (from->op == KIR_STATIC && s->kernel->statics[from->index].space == KIR_CONSTANT);
}

static bool is_uniform(const selector *s, const kir_inst *inst) {
    switch (inst->op) {
    case KIR_ALLOCA: return true;
    case KIR_QUERY: /* sizes lie in constant memory */
        return inst->index >= KIR_Q_GROUP_ID && inst->index <= KIR_Q_ENQUEUED_LOCAL_SIZE;
    case KIR_SDIV:
    case KIR_UDIV:
    case KIR_SREM:
    case KIR_UREM: return false;
    case KIR_LOAD:
        if (!reads_constants(s, inst))
            return false;
        break;
    default:
        if (kir_is_leaf(inst->op))
            return true;
        if (inst->op < KIR_ADD || inst->op > KIR_ADDR || inst->type.kind == KIR_FLOAT)
            return false;
    }
    for (uint32_t a = 0; a < inst->arg_count; a++)
        if (!s->uniform[inst->args[a]])
            return false;
    return true;
}

static bool is_near(kir_space space) {
    return space == KIR_LOCAL || space == KIR_PRIVATE || space == KIR_CONSTANT;
}

static uint32_t words_of(kir_type type) {
    if (type.kind == KIR_PTR)
        return is_near(type.space) ? 1 : 2;
    return type.bits == 1 ? 0 : (type.bits + 31u) / 32;
}

/* ---- addresses ------------------------------------------------------------------------------ */

static bool stays(const selector *s, kir_value v, int32_t loop) {
    const kir_inst *inst = inst_of(s, v);
    return s->uniform[v] || !hd_flow_in_loop(s->flow, loop, inst->block) ||
           (is_cast(inst) && stays(s, inst->args[0], loop));
}

/* i of `i = i + step`. */
static bool is_counter(const selector *s, kir_value v, int32_t loop) {
    const kir_inst *phi = inst_of(s, v);
    if (phi->op != KIR_PHI || phi->block != s->flow->loops[loop].header)
        return false;
    for (uint32_t a = 0; a < phi->arg_count; a++)
        for (kir_value at = phi->args[a];
             at != v && hd_flow_in_loop(s->flow, loop, phi->from[a]);) {
            const kir_inst *sum = inst_of(s, at);
            if ((sum->op != KIR_ADD && sum->op != KIR_SUB) || !stays(s, sum->args[1], loop))
                return false;
            at = sum->args[0];
        }
    return true;
}

/* Takes steps together, and constant bytes apart. */
static address address_of(const selector *s, kir_value v, int64_t *offset) {
    address a = {.advances = -1};
    for (;; v = inst_of(s, v)->args[0]) {
        const kir_inst *inst = inst_of(s, v);
        if (inst->op != KIR_ADDR && inst->op != KIR_SPACECAST && inst->op != KIR_BITCAST)
            break;
        *offset += inst->op == KIR_ADDR ? inst->offset : 0;
        for (uint32_t k = 1; inst->op == KIR_ADDR && k < inst->arg_count; k++) {
            kir_value index = inst->args[k];
            while (inst_of(s, index)->op == KIR_SEXT || inst_of(s, index)->op == KIR_ZEXT)
                index = inst_of(s, index)->args[0];
            hd_push(s->code->arena, &a.indices, index);
            hd_push(s->code->arena, &a.scales, inst->scale[k - 1]);
        }
    }
    a.root = v;
    return a;
}

static bool same_address(const address *a, const address *b) {
    const size_t count = a->indices.count;
    return a->root == b->root && count == b->indices.count &&
           (!count || (!memcmp(a->indices.data, b->indices.data, count * sizeof *a->indices.data) &&
                       !memcmp(a->scales.data, b->scales.data, count * sizeof *a->scales.data)));
}

static bool address_stays(const selector *s, const address *a, int32_t loop) {
    bool all = stays(s, a->root, loop);
    for (size_t k = 0; k < a->indices.count; k++)
        all = all && stays(s, a->indices.data[k], loop);
    return all;
}

/* Each index stays or is a counter, and one is. */
static bool address_advances(const selector *s, const address *a, int32_t loop) {
    bool moves = false, all = stays(s, a->root, loop);
    for (size_t k = 0; k < a->indices.count && all; k++) {
        kir_value index = a->indices.data[k];
        while (is_cast(inst_of(s, index)))
            index = inst_of(s, index)->args[0];
        const bool counts = is_counter(s, index, loop);
        moves = moves || counts;
        all = counts || stays(s, index, loop);
    }
    return all && moves;
}

/* A parameter's pointer, in registers: loaded once in a block. */
static device_value base_of(selector *s, kir_value root, uint32_t block) {
    for (size_t k = s->bases.count; k-- > 0;)
        if (s->bases.data[k].root == root && s->bases.data[k].block == block)
            return s->bases.data[k].value;
    device_code *code = s->code;
    const base made = {root, block, kernel_new_value(code, 2)};
    device_op op = {.latency = NEAR_LATENCY};
    hd_push(code->arena, &op.makes, made.value);
    hd_push(code->arena, &code->blocks[block].ops, op);
    hd_push(code->arena, &s->bases, made);
    return made.value;
}

static device_value value_of(selector *s, kir_value v, uint32_t lane, uint32_t block);

/* A pointer that the loop's iterations hand on. */
static void keep_pointer(selector *s, address *a, int32_t loop) {
    device_block *header = &s->code->blocks[a->block = s->flow->loops[loop].header];
    device_phi phi = {.makes = a->value};
    for (size_t p = 0; p < header->preds.count; p++) {
        const bool inside = hd_flow_in_loop(s->flow, loop, header->preds.data[p]);
        hd_push(s->code->arena, &phi.from, inside ? a->value : 0);
    }
    hd_push(s->code->arena, &header->phis, phi);
    a->advances = loop;
}

static void make_address(selector *s, address *a, uint32_t words, bool is_constant) {
    device_code *code = s->code;
    device_op op = {.latency = ARITHMETIC_LATENCY};
    if (words == 2 && inst_of(s, a->root)->op == KIR_PARAM)
        kernel_add_use(code, &op, base_of(s, a->root, a->block));
    if (!is_constant)
        kernel_add_use(code, &op, value_of(s, a->root, 0, a->block));
    for (size_t k = 0; k < a->indices.count && !is_constant; k++)
        kernel_add_use(code, &op, value_of(s, a->indices.data[k], 0, a->block));
    hd_push(code->arena, &op.makes, a->value);
    hd_push(code->arena, &code->blocks[a->block].ops, op);
}

/* The block in front of it; where the kernel starts with it, its own first one. */
static uint32_t before_loop(const hd_flow *flow, int32_t loop) {
    const uint32_t header = flow->loops[loop].header;
    return flow->idom[header] == KIR_NONE ? header : flow->idom[header];
}

static bool reaches(const selector *s, const address *a, uint32_t block) {
    return a->value && (a->advances >= 0 ? hd_flow_in_loop(s->flow, a->advances, block)
                                         : hd_flow_dominates(s->flow, a->block, block));
}

/* The registers of an address in `block`; `access`: the operation that goes there, or NULL. */
static device_value address_value(selector *s, kir_value v, uint32_t block, device_op *access) {
    int64_t offset = 0;
    address a = address_of(s, v, &offset);
    const uint32_t words = words_of(inst_of(s, v)->type);
    bool all_uniform = s->uniform[a.root];
    for (size_t k = 0; k < a.indices.count; k++)
        all_uniform = all_uniform && s->uniform[a.indices.data[k]];
    a.number = (uint32_t)s->addresses.count + 1;
    for (size_t k = s->addresses.count; k-- > 0;) {
        const address *known = &s->addresses.data[k];
        if (!same_address(known, &a))
            continue;
        a.number = known->number;
        a.value = !a.value && reaches(s, known, block) ? known->value : a.value;
    }
    if (access) {
        access->root = a.root;
        access->address = a.number;
        access->offset = offset;
    }
    if (!a.value && (all_uniform ? access && words == 2 : a.indices.count > 0)) {
        a.value = kernel_new_value(s->code, words);
        a.block = block;
        int32_t loop = all_uniform ? -1 : s->flow->loop_of[block];
        for (; loop >= 0 && address_stays(s, &a, loop); loop = s->flow->loops[loop].parent)
            a.block = before_loop(s->flow, loop);
        if (loop >= 0 && address_advances(s, &a, loop))
            keep_pointer(s, &a, loop);
        else
            make_address(s, &a, words, all_uniform);
    }
    hd_push(s->code->arena, &s->addresses, a);
    return a.value || all_uniform ? a.value : value_of(s, a.root, 0, block);
}

/* ---- operations -------------------------------------------------------------------------------- */

static bool is_call(const kir_inst *inst) {
    static const char *const names[] = {"printf", "vprintf", "assert_fail", "device_malloc",
                                        "device_free"};
    for (size_t k = 0; k < sizeof names / sizeof *names && inst->op == KIR_CALL; k++)
        if (!strcmp(inst->name, names[k]))
            return true;
    return false;
}

/* Measured of nvcc 13 for sm_90: by how much fewer values can live around an operation than around a
 * multiplication before ptxas goes up to 48 registers, and to 56. */
static uint32_t temporaries_of(const selector *s, const kir_inst *inst) {
    static const struct {
        const char *name;
        uint8_t f32, f64;
    } functions[] = {
        {"sqrt", 3, 8},     {"rsqrt", 0, 3},     {"cbrt", 0, 8},    {"hypot", 6, 10},
        {"exp", 0, 3},      {"exp2", 0, 3},      {"exp10", 0, 3},   {"expm1", 1, 2},
        {"log", 1, 6},      {"log2", 1, 6},      {"log10", 1, 6},   {"log1p", 1, 12},
        {"pow", 6, 16},     {"sin", 11, 14},     {"cos", 11, 14},   {"tan", 11, 13},
        {"sincos", 14, 14}, {"asin", 1, 6},      {"acos", 0, 6},    {"atan", 1, 1},
        {"atan2", 8, 16},   {"sinh", 1, 16},     {"cosh", 0, 16},   {"tanh", 1, 3},
        {"erf", 1, 5},      {"erfc", 2, 8},      {"tgamma", 5, 20}, {"lgamma", 3, 20},
        {"fmod", 6, 8},     {"remainder", 7, 8},
    };
    const bool is_wide = inst->type.bits == 64;
    int64_t divisor;
    switch (inst->op) {
    case KIR_FDIV: return is_wide ? 14 : 6;
    case KIR_FREM: return is_wide ? 8 : 6;
    case KIR_SDIV:
    case KIR_SREM: return kir_const_int(s->kernel, inst->args[1], &divisor) ? 1 : is_wide ? 6 : 5;
    case KIR_UDIV:
    case KIR_UREM: return kir_const_int(s->kernel, inst->args[1], &divisor) ? 1 : is_wide ? 4 : 2;
    case KIR_CALL:
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
            if (!strcmp(functions[k].name, inst->name))
                return is_wide ? functions[k].f64 : functions[k].f32;
        return is_call(inst) ? CALL_TEMPORARIES : 0;
    default: return 0;
    }
}

static bool is_known_lane(const selector *s, const kir_inst *inst, int64_t *lane) {
    return (inst->op == KIR_EXTRACT && kir_const_int(s->kernel, inst->args[1], lane)) ||
           (inst->op == KIR_INSERT && kir_const_int(s->kernel, inst->args[2], lane));
}

/* The registers of a lane. */
static device_value value_of(selector *s, kir_value v, uint32_t lane, uint32_t block) {
    const kir_inst *inst = inst_of(s, v);
    int64_t known;
    if (s->uniform[v])
        return 0;
    if (is_cast(inst)) {
        const bool same_lanes = inst_of(s, inst->args[0])->type.lanes == inst->type.lanes;
        return value_of(s, inst->args[0], same_lanes ? lane : 0, block);
    }
    if (inst->op == KIR_ADDR)
        return address_value(s, v, block, NULL);
    if (inst->op == KIR_SHUFFLE) {
        const uint32_t lanes = inst_of(s, inst->args[0])->type.lanes;
        const uint64_t from = inst->imm[lane];
        return from == UINT64_MAX
                   ? 0
                   : value_of(s, inst->args[from >= lanes], (uint32_t)from % lanes, block);
    }
    if (is_known_lane(s, inst, &known)) {
        if (inst->op == KIR_EXTRACT)
            return value_of(s, inst->args[0], (uint32_t)known, block);
        return known == lane ? value_of(s, inst->args[1], 0, block)
                             : value_of(s, inst->args[0], lane, block);
    }
    for (uint32_t l = 0; l < inst->type.lanes && (l || !s->first[v]); l++) {
        device_value made = kernel_new_value(s->code, words_of(inst->type));
        s->first[v] = l ? s->first[v] : made;
    }
    return s->first[v] + (lane < inst->type.lanes ? lane : 0);
}

static void use_lanes(selector *s, device_op *op, kir_value v, uint32_t block) {
    for (uint32_t l = 0; l < inst_of(s, v)->type.lanes; l++)
        kernel_add_use(s->code, op, value_of(s, v, l, block));
}

static bool takes_no_operation(const selector *s, kir_value v) {
    const kir_inst *inst = inst_of(s, v);
    int64_t lane;
    return s->uniform[v] || inst->op == KIR_PHI || is_cast(inst) || inst->op == KIR_ADDR ||
           inst->op == KIR_SHUFFLE || is_known_lane(s, inst, &lane);
}

static void select_access(selector *s, device_op *op, const kir_inst *inst, uint32_t block) {
    const bool is_store = inst->op == KIR_STORE;
    const kir_value to = inst->args[is_store];
    op->access = is_store ? DEVICE_STORE : inst->op == KIR_LOAD ? DEVICE_LOAD : DEVICE_ORDERED;
    op->is_volatile = inst->is_volatile;
    op->space = inst_of(s, to)->type.space;
    op->bytes = kir_type_bytes(is_store ? inst_of(s, inst->args[0])->type : inst->type);
    op->latency = is_near(op->space) ? NEAR_LATENCY : FAR_LATENCY;
    kernel_add_use(s->code, op, address_value(s, to, block, op));
    for (uint32_t a = 0; a < inst->arg_count; a++)
        if (inst->args[a] != to)
            use_lanes(s, op, inst->args[a], block);
}

static void select_inst(selector *s, kir_value v, uint32_t block) {
    const kir_inst *inst = inst_of(s, v);
    device_code *code = s->code;
    device_op op = {.latency = ARITHMETIC_LATENCY, .temporaries = temporaries_of(s, inst)};
    if (takes_no_operation(s, v))
        return;
    if (inst->op == KIR_LOAD || inst->op == KIR_STORE || inst->op == KIR_ATOMIC)
        select_access(s, &op, inst, block);
    else
        for (uint32_t a = 0; a < inst->arg_count; a++)
            use_lanes(s, &op, inst->args[a], block);
    if (kir_is_terminator(inst->op)) {
        code->blocks[block].tests = op.uses;
        return;
    }
    if (op.access == DEVICE_NO_ACCESS && (kir_is_memory(inst->op) || inst->op == KIR_BARRIER ||
                                          inst->op == KIR_FENCE || is_call(inst)))
        op.access = DEVICE_ORDERED;
    code->calls = code->calls || is_call(inst);
    for (uint32_t l = 0; inst->type.kind != KIR_VOID && l < inst->type.lanes; l++)
        hd_push(code->arena, &op.makes, value_of(s, v, l, block));
    hd_push(code->arena, &code->blocks[block].ops, op);
}

static void select_phi(selector *s, kir_value v, uint32_t block) {
    const kir_inst *inst = inst_of(s, v);
    for (uint32_t l = 0; l < inst->type.lanes; l++) {
        device_phi phi = {.makes = value_of(s, v, l, block)};
        for (size_t p = 0; p < s->code->blocks[block].preds.count; p++) {
            const uint32_t pred = s->code->blocks[block].preds.data[p];
            device_value from = 0;
            for (uint32_t a = 0; a < inst->arg_count; a++)
                if (inst->from[a] == pred)
                    from = value_of(s, inst->args[a], l, pred);
            hd_push(s->code->arena, &phi.from, from);
        }
        hd_push(s->code->arena, &s->code->blocks[block].phis, phi);
    }
}

static void link_blocks(device_code *code) {
    for (uint32_t b = 0; b < code->kernel->block_count; b++) {
        const kir_inst *last = kir_terminator(code->kernel, b);
        for (uint32_t k = 0; k < last->to_count; k++) {
            bool again = false; /* a switch may lead to a block several times */
            for (uint32_t j = 0; j < k; j++)
                again = again || last->to[j] == last->to[k];
            if (again)
                continue;
            hd_push(code->arena, &code->blocks[b].succs, last->to[k]);
            hd_push(code->arena, &code->blocks[last->to[k]].preds, b);
        }
    }
}

device_code *kernel_device_code(hd_arena *arena, const kir_kernel *kernel, const hd_flow *flow) {
    device_code *code = hd_new(arena, device_code);
    *code = (device_code){.arena = arena,
                          .kernel = kernel,
                          .flow = flow,
                          .blocks = hd_new_array(arena, device_block, kernel->block_count)};
    selector s = {.code = code,
                  .kernel = kernel,
                  .flow = flow,
                  .uniform = hd_new_array(arena, bool, kernel->inst_count),
                  .first = hd_new_array(arena, device_value, kernel->inst_count)};
    kernel_new_value(code, 0); /* none */
    link_blocks(code);
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        const kir_block *block = &kernel->blocks[flow->rpo[i]];
        for (uint32_t k = 0; k < block->inst_count; k++) {
            const kir_value v = block->insts[k];
            s.uniform[v] = is_uniform(&s, inst_of(&s, v));
        }
    }
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        const kir_block *block = &kernel->blocks[flow->rpo[i]];
        for (uint32_t k = 0; k < block->inst_count; k++)
            select_inst(&s, block->insts[k], flow->rpo[i]);
    }
    for (uint32_t i = 0; i < flow->rpo_count; i++) {
        const kir_block *block = &kernel->blocks[flow->rpo[i]];
        for (uint32_t k = 0; k < block->inst_count; k++)
            if (inst_of(&s, block->insts[k])->op == KIR_PHI)
                select_phi(&s, block->insts[k], flow->rpo[i]);
    }
    return code;
}
