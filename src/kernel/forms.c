/*
 * The affine form of every scalar integer and of every pointer (as bytes from
 * the start of what it points into).
 *
 * One round walks the blocks in reverse post-order and adds up forms; what is
 * no sum of symbols is a symbol of its own (HD_SYM_VALUE). At first the phi of
 * a loop header is such an opaque symbol as well. When, after a round, the
 * value that comes around the loop is `phi + constant`, the phi is an induction
 * variable, init + constant * iteration, and the next round knows it. So inner
 * loops that start from outer counters, and pointers that walk (p++), come out
 * after a few rounds; every form is true at any time, later ones just say more.
 * (The idea of solving the cycles of the SSA graph one after another is that of
 * Wolfe, "Beyond Induction Variables", PLDI 1992.)
 *
 * Numbers are taken as mathematical integers: sign and zero extension and
 * truncation to 32 bits or more are transparent. A program whose 32-bit index
 * arithmetic wraps around is outside of this. Narrower ones are opaque.
 *
 * What the ranges of ids allow is used for masks and divisions: with groups of
 * 64, (get_global_id(0) & 63) is local(0) and get_global_id(0) / 64 is group(0).
 */
#include "kernel/kernel_analysis.h"

/* ---- loops ------------------------------------------------------------------------ */

bool kernel_forms_is_latch(const kernel_forms *f, uint32_t header, uint32_t from) {
    int32_t loop = hd_flow_loop_at(f->flow, header);
    return loop >= 0 && hd_flow_in_loop(f->flow, loop, from);
}

/* A symbol of its own; that of a pointer counts by its modulus (bases.c). */
static hd_affine opaque(const kernel_forms *f, kir_value v) {
    hd_affine symbol = kernel_affine_symbol(f->arena, HD_SYM_VALUE, v);
    kernel_congruence c = f->congruence[v];
    if (!c.reached || c.modulus <= 1)
        return symbol;
    symbol = hd_affine_scale(f->arena, symbol, c.modulus);
    return hd_affine_add(f->arena, symbol, kernel_affine_constant(c.rest), 1);
}

hd_affine kernel_forms_at(const kernel_forms *f, kir_value value, uint32_t block) {
    hd_affine form = f->of[value], seen = form;
    for (uint32_t i = 0; i < form.term_count; i++) {
        hd_term term = form.terms[i];
        if (term.kind != HD_SYM_LOOP || hd_flow_in_loop(f->flow, (int32_t)term.index, block))
            continue;
        int64_t last = f->last_iteration[term.index];
        if (last < 0)
            return opaque(f, value);
        seen = kernel_affine_without(f->arena, seen, HD_SYM_LOOP, term.index);
        seen = hd_affine_add(f->arena, seen, kernel_affine_constant(last), term.factor);
    }
    return seen;
}

static hd_affine arg_form(const kernel_forms *f, const kir_inst *inst, uint32_t i) {
    return kernel_forms_at(f, inst->args[i], inst->block);
}

/* ---- work-item queries ---------------------------------------------------------------- */

/* Of a group or in it; 0 where there is but one. */
static hd_affine id_of(const kernel_forms *f, hd_symbol_kind kind, uint32_t d) {
    kir_query count = kind == HD_SYM_LOCAL ? KIR_Q_LOCAL_SIZE : KIR_Q_NUM_GROUPS;
    return kernel_launch_size(&f->launch, count, d) == 1 ? kernel_affine_constant(0)
                                                         : kernel_affine_symbol(f->arena, kind, d);
}

static hd_affine global_id(const kernel_forms *f, uint32_t d) {
    uint64_t local = kernel_launch_size(&f->launch, KIR_Q_LOCAL_SIZE, d);
    if (!local)
        return kernel_affine_symbol(f->arena, HD_SYM_GLOBAL, d);
    hd_affine id = kernel_affine_constant(d < 3 ? (int64_t)f->launch.offset[d] : 0);
    id = hd_affine_add(f->arena, id, id_of(f, HD_SYM_GROUP, d), (int64_t)local);
    return hd_affine_add(f->arena, id, id_of(f, HD_SYM_LOCAL, d), 1);
}

/* id(0) + size(0) * (id(1) + size(1) * id(2)) of the launch's dimensions. */
static bool linear_id(const kernel_forms *f, bool global, hd_affine *form) {
    int64_t step = 1;
    *form = kernel_affine_constant(0);
    if (!f->launch.dims)
        return false;
    for (uint32_t d = 0; d < f->launch.dims; d++) {
        hd_affine id = global ? global_id(f, d) : id_of(f, HD_SYM_LOCAL, d);
        if (global)
            id.constant -= (int64_t)f->launch.offset[d];
        *form = hd_affine_add(f->arena, *form, id, step);
        step *= (int64_t)kernel_launch_size(&f->launch,
                                            global ? KIR_Q_GLOBAL_SIZE : KIR_Q_LOCAL_SIZE, d);
        if (!step && d + 1 < f->launch.dims)
            return false;
    }
    return true;
}

static hd_affine size_of(const kernel_forms *f, kir_query query, uint32_t d) {
    uint64_t size = kernel_launch_size(&f->launch, query, d);
    if (query == KIR_Q_ENQUEUED_LOCAL_SIZE)
        query = KIR_Q_LOCAL_SIZE;
    return size ? kernel_affine_constant((int64_t)size)
                : kernel_affine_symbol(f->arena, HD_SYM_SIZE, (uint32_t)query * 4 + d);
}

static hd_affine global_offset(const kernel_forms *f, uint32_t d) {
    if (f->launch.dims || f->in_blocks)
        return kernel_affine_constant((int64_t)f->launch.offset[d]);
    return kernel_affine_symbol(f->arena, HD_SYM_SIZE, KIR_Q_GLOBAL_OFFSET * 4 + d);
}

static hd_affine query_form(const kernel_forms *f, kir_value v) {
    const kir_inst *inst = &f->kernel->insts[v];
    hd_affine form;
    if (inst->index == KIR_Q_WORK_DIM)
        return f->launch.dims ? kernel_affine_constant(f->launch.dims) : opaque(f, v);
    if (!inst->arg_count)
        return linear_id(f, inst->index == KIR_Q_GLOBAL_LINEAR_ID, &form) ? form : opaque(f, v);
    hd_affine dimension = arg_form(f, inst, 0);
    if (dimension.term_count)
        return opaque(f, v);
    bool exists = dimension.constant >= 0 && dimension.constant < 3 &&
                  (!f->launch.dims || dimension.constant < f->launch.dims);
    uint32_t d = exists ? (uint32_t)dimension.constant : 3;
    switch (inst->index) {
    case KIR_Q_GLOBAL_ID: return exists ? global_id(f, d) : kernel_affine_constant(0);
    case KIR_Q_LOCAL_ID: return exists ? id_of(f, HD_SYM_LOCAL, d) : kernel_affine_constant(0);
    case KIR_Q_GROUP_ID: return exists ? id_of(f, HD_SYM_GROUP, d) : kernel_affine_constant(0);
    case KIR_Q_GLOBAL_OFFSET: return exists ? global_offset(f, d) : kernel_affine_constant(0);
    default: return size_of(f, (kir_query)inst->index, d);
    }
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

/* The largest power of two (up to 2^32) that divides the form whatever its symbols are. */
static int64_t alignment_of(hd_affine a) {
    uint64_t bits = (uint64_t)a.constant | (uint64_t)1 << 32;
    for (uint32_t i = 0; i < a.term_count; i++)
        bits |= (uint64_t)a.terms[i].factor;
    return (int64_t)(bits & (0 - bits));
}

static bool lies_in(const kernel_forms *f, hd_affine a, int64_t from, int64_t to) {
    int64_t low, high;
    return kernel_affine_range(&f->launch, a, &low, &high) && low >= from && high <= to;
}

/* a / divisor and a % divisor (divisor > 0), where the part of `a` that is no
 * multiple of the divisor provably lies in 0 .. divisor-1. */
static bool divide(const kernel_forms *f, hd_affine a, int64_t divisor, bool floors, bool remainder,
                   hd_affine *form) {
    hd_affine quotient, rest;
    if (!floors && !lies_in(f, a, 0, INT64_MAX))
        return false;
    kernel_affine_split(f->arena, a, divisor, &quotient, &rest);
    *form = remainder ? rest : quotient;
    return lies_in(f, rest, 0, divisor - 1);
}

/* The lower half of a counter whose range is not known: a cast to uint, which keeps numbers that
 * fit, as it does where it is written as one. */
static bool is_lower_half(const kernel_forms *f, hd_affine a, int64_t mask) {
    int64_t low, high;
    bool fits = mask == UINT32_MAX && !kernel_affine_range(&f->launch, a, &low, &high);
    for (uint32_t i = 0; i < a.term_count; i++)
        fits = fits && a.terms[i].factor <= INT32_MAX && a.terms[i].factor >= INT32_MIN;
    return fits;
}

static bool by_constant(const kernel_forms *f, kir_op op, hd_affine a, int64_t b, hd_affine *form) {
    switch (op) {
    case KIR_SHL:
        *form = hd_affine_scale(f->arena, a, b >= 0 && b < 63 ? (int64_t)1 << b : 0);
        return b >= 0 && b < 63;
    case KIR_ASHR:
    case KIR_LSHR:
        return b >= 0 && b < 62 && divide(f, a, (int64_t)1 << b, op == KIR_ASHR, false, form);
    case KIR_AND: /* a mask of low bits, or of all but low bits */
        if (b < 0 && hd_is_power_of_two(0 - (uint64_t)b) && divide(f, a, -b, true, false, form)) {
            *form = hd_affine_scale(f->arena, *form, -b);
            return true;
        }
        *form = a;
        if (is_lower_half(f, a, b))
            return true;
        return b >= 0 && b < INT64_MAX && hd_is_power_of_two((uint64_t)b + 1) &&
               divide(f, a, b + 1, true, true, form);
    case KIR_SDIV:
    case KIR_UDIV: return b > 0 && divide(f, a, b, false, false, form);
    case KIR_SREM:
    case KIR_UREM: return b > 0 && divide(f, a, b, false, true, form);
    default: return false;
    }
}

/* `factor * symbol` and nothing else. */
static bool is_single(hd_affine a, hd_symbol_kind kind, uint32_t index) {
    return !a.constant && a.term_count == 1 && a.terms->kind == kind && a.terms->index == index;
}

/* Products that launch sizes are not known for, but that mean something all the same, as CUDA
 * C writes them: group id * local size is global id - local id (- offset), number of groups *
 * local size the global size. */
static bool product_of_sizes(const kernel_forms *f, hd_affine a, hd_affine b, hd_affine *form) {
    for (uint32_t d = 0; d < 3; d++) {
        if (!is_single(b, HD_SYM_SIZE, KIR_Q_LOCAL_SIZE * 4 + d))
            continue;
        int64_t factor = a.term_count ? a.terms->factor * b.terms->factor : 0;
        if (is_single(a, HD_SYM_SIZE, KIR_Q_NUM_GROUPS * 4 + d)) {
            *form = hd_affine_scale(f->arena, size_of(f, KIR_Q_GLOBAL_SIZE, d), factor);
            return true;
        }
        if (!is_single(a, HD_SYM_GROUP, d))
            return false;
        hd_affine own = id_of(f, HD_SYM_LOCAL, d);
        hd_affine first = hd_affine_add(f->arena, global_id(f, d), own, -1);
        first = hd_affine_add(f->arena, first, global_offset(f, d), -1);
        *form = hd_affine_scale(f->arena, first, factor);
        return true;
    }
    return false;
}

static bool binary_form(const kernel_forms *f, const kir_inst *inst, hd_affine *form) {
    hd_affine a = arg_form(f, inst, 0), b = arg_form(f, inst, 1);
    if (inst->type.bits == 1)
        return false;
    if (!a.term_count && !b.term_count) {
        *form = kernel_affine_constant(0);
        return kernel_fold(inst->op, inst->type.bits, a.constant, b.constant, &form->constant);
    }
    switch (inst->op) {
    case KIR_ADD: *form = hd_affine_add(f->arena, a, b, 1); return true;
    case KIR_SUB: *form = hd_affine_add(f->arena, a, b, -1); return true;
    case KIR_MUL:
        if (a.term_count && b.term_count)
            return product_of_sizes(f, a, b, form) || product_of_sizes(f, b, a, form);
        *form = b.term_count ? hd_affine_scale(f->arena, b, a.constant)
                             : hd_affine_scale(f->arena, a, b.constant);
        return true;
    case KIR_OR: /* of disjoint bits is a sum */
        *form = hd_affine_add(f->arena, a, b, 1);
        return lies_in(f, a, 0, alignment_of(b) - 1) || lies_in(f, b, 0, alignment_of(a) - 1);
    case KIR_AND:
        if (!a.term_count)
            return by_constant(f, KIR_AND, b, a.constant, form);
        return !b.term_count && by_constant(f, KIR_AND, a, b.constant, form);
    default: return !b.term_count && by_constant(f, inst->op, a, b.constant, form);
    }
}

/* Casts to and from chars and shorts keep a number that fits them, as a short keeps
 * the ids of a small image. */
static bool keeps_value(const kernel_forms *f, const kir_inst *inst, uint32_t narrow,
                        hd_affine *form) {
    const kir_inst *from = &f->kernel->insts[inst->args[0]];
    int64_t half = (int64_t)1 << (narrow - 1);
    if (inst->op != KIR_ZEXT)
        return lies_in(f, *form, -half, half - 1);
    if (from->op == KIR_TRUNC) /* which alone keeps but the lower half */
        *form = kernel_forms_at(f, from->args[0], inst->block);
    return lies_in(f, *form, 0, 2 * half - 1);
}

static bool convert_form(const kernel_forms *f, const kir_inst *inst, hd_affine *form) {
    const kir_inst *from = &f->kernel->insts[inst->args[0]];
    *form = arg_form(f, inst, 0);
    uint32_t narrow = from->type.bits < inst->type.bits ? from->type.bits : inst->type.bits;
    if (form->term_count)
        return narrow >= 32 || (narrow > 1 && keeps_value(f, inst, narrow, form));
    if (narrow == 1)
        form->constant = inst->op == KIR_SEXT ? -(form->constant & 1) : form->constant & 1;
    else if (inst->op == KIR_ZEXT && narrow < 64)
        form->constant &= (int64_t)(((uint64_t)1 << narrow) - 1);
    form->constant = kir_sign_extend((uint64_t)form->constant, inst->type.bits);
    return true;
}

/* A comparison of two known numbers. */
static bool compare_form(const kernel_forms *f, const kir_inst *inst, hd_affine *form) {
    hd_affine a = arg_form(f, inst, 0), b = arg_form(f, inst, 1);
    kir_type type = f->kernel->insts[inst->args[0]].type;
    if (type.kind != KIR_INT || type.lanes != 1 || a.term_count || b.term_count)
        return false;
    form->constant = hd_compare(inst->pred, type.bits, a.constant, b.constant);
    return true;
}

/* Lane of a vector that was put together with INSERT. */
static bool extract_form(const kernel_forms *f, const kir_inst *inst, hd_affine *form) {
    int64_t want, lane;
    if (!kir_const_int(f->kernel, inst->args[1], &want))
        return false;
    const kir_inst *vector = &f->kernel->insts[inst->args[0]];
    while (vector->op == KIR_INSERT && kir_const_int(f->kernel, vector->args[2], &lane)) {
        if (lane == want) {
            *form = arg_form(f, vector, 1);
            return true;
        }
        vector = &f->kernel->insts[vector->args[0]];
    }
    return false;
}

static bool call_form(const kernel_forms *f, const kir_inst *inst, hd_affine *form) {
    bool mad = !strcmp(inst->name, "mad24") && inst->arg_count == 3;
    bool mul = !strcmp(inst->name, "mul24") && inst->arg_count == 2;
    if (!mad && !mul)
        return false;
    hd_affine a = arg_form(f, inst, 0), b = arg_form(f, inst, 1);
    if (a.term_count && b.term_count)
        return false;
    *form = a.term_count ? hd_affine_scale(f->arena, a, b.constant)
                         : hd_affine_scale(f->arena, b, a.constant);
    if (mad)
        *form = hd_affine_add(f->arena, *form, arg_form(f, inst, 2), 1);
    return true;
}

/* ---- joins ----------------------------------------------------------------------------------- */

/* Forms of pointers can only be compared when they count from the same base. */
static bool same_base(const kernel_forms *f, kir_value v, kir_value arg) {
    if (f->kernel->insts[v].type.kind != KIR_PTR)
        return true;
    return f->base[v].kind == f->base[arg].kind && f->base[v].index == f->base[arg].index;
}

/* The one form that all incoming values have, apart from those from inside a loop
 * (`skip_latches`). */
static bool common_form(const kernel_forms *f, kir_value v, bool skip_latches, hd_affine *form) {
    const kir_inst *phi = &f->kernel->insts[v];
    bool found = false;
    for (uint32_t i = 0; i < phi->arg_count; i++) {
        if (skip_latches && kernel_forms_is_latch(f, phi->block, phi->from[i]))
            continue;
        if (f->rank[phi->from[i]] == KIR_NONE || f->kernel->insts[phi->args[i]].op == KIR_UNDEF)
            continue;
        if (f->rank[phi->from[i]] >= f->rank[phi->block] || !same_base(f, v, phi->args[i]))
            return false;
        hd_affine incoming = kernel_forms_at(f, phi->args[i], phi->block);
        if (found && !hd_affine_equal(*form, incoming))
            return false;
        *form = incoming;
        found = true;
    }
    return found;
}

static hd_affine phi_form(const kernel_forms *f, kir_value v) {
    uint32_t block = f->kernel->insts[v].block;
    int32_t loop = hd_flow_loop_at(f->flow, block);
    hd_affine form;
    if (loop >= 0 && !f->is_induction[v])
        return opaque(f, v);
    if (!common_form(f, v, loop >= 0, &form))
        return opaque(f, v);
    if (loop < 0)
        return form;
    hd_affine iteration = kernel_affine_symbol(f->arena, HD_SYM_LOOP, (uint32_t)loop);
    return hd_affine_add(f->arena, form, iteration, f->step[v]);
}

static hd_affine form_of(const kernel_forms *f, kir_value v) {
    const kir_inst *inst = &f->kernel->insts[v];
    hd_affine form = {0};
    bool known = false;
    switch (inst->op) {
    case KIR_STATIC:
    case KIR_ALLOCA: return form;
    case KIR_CONST: known = kir_const_int(f->kernel, v, &form.constant); break;
    case KIR_PARAM:
        if (inst->type.kind == KIR_PTR)
            return form;
        known = inst->index < f->launch.param_count && f->launch.param_known &&
                f->launch.param_known[inst->index];
        if (!known)
            return kernel_affine_symbol(f->arena, HD_SYM_PARAM, inst->index);
        form.constant = f->launch.params[inst->index];
        break;
    case KIR_QUERY: return query_form(f, v);
    case KIR_SEXT:
    case KIR_ZEXT:
    case KIR_TRUNC: known = convert_form(f, inst, &form); break;
    case KIR_SPACECAST:
    case KIR_FREEZE:
    case KIR_BITCAST: {
        kir_type from = f->kernel->insts[inst->args[0]].type;
        known = from.kind == inst->type.kind && from.lanes == 1;
        form = arg_form(f, inst, 0);
        break;
    }
    case KIR_ADDR: {
        hd_affine sum = arg_form(f, inst, 0);
        for (uint32_t i = 1; i < inst->arg_count; i++)
            sum = hd_affine_add(f->arena, sum, arg_form(f, inst, i), inst->scale[i - 1]);
        return hd_affine_add(f->arena, sum, kernel_affine_constant(inst->offset), 1);
    }
    case KIR_EXTRACT: known = extract_form(f, inst, &form); break;
    case KIR_CALL: known = call_form(f, inst, &form); break;
    case KIR_ICMP: known = compare_form(f, inst, &form); break;
    case KIR_SELECT:
        form = arg_form(f, inst, 0);
        if (!form.term_count && inst->type.kind == KIR_INT)
            return arg_form(f, inst, form.constant ? 1 : 2);
        form = arg_form(f, inst, 1);
        known = same_base(f, v, inst->args[1]) && same_base(f, v, inst->args[2]) &&
                hd_affine_equal(form, arg_form(f, inst, 2));
        break;
    case KIR_PHI: return phi_form(f, v);
    default: known = inst->op >= KIR_ADD && inst->op <= KIR_ASHR && binary_form(f, inst, &form);
    }
    return known ? form : opaque(f, v);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* The step with which a value comes around the loop: it is `phi + step`, or it is
 * affine in the iteration by itself and fits the first value. */
static bool step_of(const kernel_forms *f, kir_value v, uint32_t loop, hd_affine init,
                    hd_affine around, int64_t *step) {
    hd_affine rest = hd_affine_add(f->arena, around, opaque(f, v), -1);
    *step = rest.constant;
    if (!rest.term_count)
        return true;
    *step = hd_affine_factor(around, HD_SYM_LOOP, loop);
    rest = kernel_affine_without(f->arena, around, HD_SYM_LOOP, loop);
    rest = hd_affine_add(f->arena, rest, kernel_affine_constant(*step), -1);
    return hd_affine_equal(rest, init) && !hd_affine_factor(init, HD_SYM_VALUE, v);
}

static bool is_new_induction(kernel_forms *f, kir_value v, uint32_t loop) {
    const kir_inst *phi = &f->kernel->insts[v];
    hd_affine init;
    if (f->is_induction[v] || (phi->type.kind != KIR_INT && phi->type.kind != KIR_PTR) ||
        phi->type.lanes != 1 || phi->type.bits == 1 || !common_form(f, v, true, &init))
        return false;
    bool found = false;
    for (uint32_t i = 0; i < phi->arg_count; i++) {
        if (!kernel_forms_is_latch(f, phi->block, phi->from[i]))
            continue;
        int64_t step;
        hd_affine around = kernel_forms_at(f, phi->args[i], phi->from[i]);
        if (!same_base(f, v, phi->args[i]) || !step_of(f, v, loop, init, around, &step) ||
            (found && step != f->step[v]))
            return false;
        f->step[v] = step;
        found = true;
    }
    f->is_induction[v] = found;
    return found;
}

bool kernel_forms_round(kernel_forms *f) {
    const kir_kernel *kernel = f->kernel;
    for (uint32_t i = 0; i < f->flow->rpo_count; i++) {
        const kir_block *block = &kernel->blocks[f->flow->rpo[i]];
        for (uint32_t k = 0; k < block->inst_count; k++) {
            kir_value v = block->insts[k];
            kir_type type = kernel->insts[v].type;
            if ((type.kind == KIR_INT && type.lanes == 1) || type.kind == KIR_PTR)
                f->of[v] = form_of(f, v);
        }
    }
    bool found = false;
    for (uint32_t l = 0; l < f->flow->loop_count; l++) {
        const kir_block *header = &kernel->blocks[f->flow->loops[l].header];
        for (uint32_t k = 0; k < header->inst_count; k++)
            if (kernel->insts[header->insts[k]].op == KIR_PHI)
                found |= is_new_induction(f, header->insts[k], l);
    }
    return found;
}

kernel_forms *kernel_forms_new(hd_arena *arena, const kir_module *module, const kir_kernel *kernel,
                               const hd_flow *flow, const hd_binding *binding) {
    kernel_forms *f = hd_new(arena, kernel_forms);
    *f = (kernel_forms){.arena = arena, .kernel = kernel, .flow = flow};
    f->in_blocks = KIR_HAS(module, BLOCKS);
    if (binding)
        f->launch = *binding;
    for (int d = 0; d < 3; d++)
        if (!f->launch.local[d])
            f->launch.local[d] = kernel->required_local[d];
    f->of = hd_new_array(arena, hd_affine, kernel->inst_count);
    f->base = hd_new_array(arena, kernel_base, kernel->inst_count);
    f->is_induction = hd_new_array(arena, bool, kernel->inst_count);
    f->step = hd_new_array(arena, int64_t, kernel->inst_count);
    f->visited = hd_new_array(arena, uint32_t, kernel->inst_count);
    f->generation = hd_new(arena, uint32_t);
    f->rank = hd_new_array(arena, uint32_t, kernel->block_count);
    for (uint32_t b = 0; b < kernel->block_count; b++)
        f->rank[b] = KIR_NONE;
    for (uint32_t i = 0; i < flow->rpo_count; i++)
        f->rank[flow->rpo[i]] = i;
    f->last_iteration = hd_new_array(arena, int64_t, flow->loop_count);
    for (uint32_t l = 0; l < flow->loop_count; l++)
        f->last_iteration[l] = -1;
    kernel_find_pointers(f);
    return f;
}

/* ---- explanations ---------------------------------------------------------------------------- */

static bool walk(const kernel_forms *f, kir_value value, bool into_loops, kernel_visit_fn *visit,
                 void *user) {
    if (f->visited[value] == *f->generation)
        return false;
    f->visited[value] = *f->generation;
    if (visit(f, value, user))
        return true;
    const kir_inst *inst = &f->kernel->insts[value];
    if (inst->op == KIR_LOAD || inst->op == KIR_ATOMIC)
        return false;
    for (uint32_t i = 0; i < inst->arg_count; i++) {
        if (inst->op == KIR_PHI && !into_loops &&
            kernel_forms_is_latch(f, inst->block, inst->from[i]))
            continue;
        if (walk(f, inst->args[i], into_loops, visit, user))
            return true;
    }
    return false;
}

bool kernel_forms_walk(const kernel_forms *f, kir_value value, bool into_loops,
                       kernel_visit_fn *visit, void *user) {
    ++*f->generation;
    return walk(f, value, into_loops, visit, user);
}

static bool is_load(const kernel_forms *f, kir_value value, void *found) {
    kir_op op = f->kernel->insts[value].op;
    if (op != KIR_LOAD && op != KIR_ATOMIC)
        return false;
    *(kir_value *)found = value;
    return true;
}

kir_value kernel_forms_load_of(const kernel_forms *f, hd_affine form) {
    kir_value found = KIR_NONE;
    for (uint32_t i = 0; i < form.term_count; i++)
        if (form.terms[i].kind == HD_SYM_VALUE &&
            kernel_forms_walk(f, form.terms[i].index, true, is_load, &found))
            return found;
    return KIR_NONE;
}

const char *kernel_forms_base_name(const kernel_forms *f, kir_value pointer) {
    kernel_base base = f->base[pointer];
    switch (base.kind) {
    case KERNEL_BASE_PARAM: return f->kernel->params[base.index].name;
    case KERNEL_BASE_STATIC: return f->kernel->statics[base.index].name;
    case KERNEL_BASE_ALLOCA: return "private memory";
    default: return "a pointer of unknown origin";
    }
}

const char *kernel_at_line(const kernel_forms *f, const kir_inst *inst) {
    return inst->line ? hd_format(f->arena, " at line %u", inst->line) : "";
}

static bool is_unknown_scalar(const kernel_forms *f, kir_value value, void *found) {
    hd_affine form = f->of[value];
    if (form.term_count != 1 || form.constant ||
        (form.terms->kind != HD_SYM_PARAM && form.terms->kind != HD_SYM_SIZE))
        return false;
    *(hd_affine *)found = form;
    return true;
}

static const char *reason_of_scalar(const kernel_forms *f, const hd_term *term) {
    if (term->kind == HD_SYM_PARAM)
        return hd_format(f->arena, "depends on parameter %s, whose value is not known",
                         f->kernel->params[term->index].name);
    return hd_format(f->arena, "depends on %s, which is not known",
                     hd_affine_print(f->arena, f->kernel, (hd_affine){0, 1, term}));
}

static const char *reason_of_value(const kernel_forms *f, kir_value value, bool shared) {
    kir_value load = kernel_forms_load_of(f, opaque(f, value));
    const kir_inst *inst = &f->kernel->insts[load == KIR_NONE ? value : load];
    const char *where = kernel_at_line(f, inst);
    if (load != KIR_NONE)
        return hd_format(f->arena, "%s %s%s", shared ? "read from" : "indirect through",
                         kernel_forms_base_name(f, inst->args[0]), where);
    if (inst->op == KIR_CALL)
        return hd_format(f->arena, "depends on the result of %s()%s", inst->name, where);
    if (inst->op == KIR_PHI && hd_flow_loop_at(f->flow, inst->block) >= 0)
        return hd_format(f->arena, "depends on a loop variable%s that does not step by a constant",
                         where);
    hd_affine scalar;
    if (inst->op != KIR_PHI && kernel_forms_walk(f, value, false, is_unknown_scalar, &scalar))
        return reason_of_scalar(f, scalar.terms);
    if (inst->op == KIR_PHI || inst->op == KIR_SELECT)
        return hd_format(f->arena, "depends on which way a branch or choice%s goes", where);
    return hd_format(f->arena, "depends on the %s%s, which is not affine", kir_op_name(inst->op),
                     where);
}

const char *kernel_forms_reason(const kernel_forms *f, hd_affine form, const bool *shared) {
    for (uint32_t i = form.term_count; i-- > 0;) /* what differs between lanes says most */
        if (form.terms[i].kind == HD_SYM_VALUE && !(shared && shared[i]))
            return reason_of_value(f, form.terms[i].index, false);
    for (uint32_t i = form.term_count; i-- > 0;)
        if (form.terms[i].kind == HD_SYM_VALUE)
            return hd_format(f->arena, "uniform in a block: %s",
                             reason_of_value(f, form.terms[i].index, true));
    for (uint32_t i = form.term_count; i-- > 0;)
        if (form.terms[i].kind == HD_SYM_PARAM || form.terms[i].kind == HD_SYM_SIZE)
            return reason_of_scalar(f, &form.terms[i]);
    return NULL;
}
