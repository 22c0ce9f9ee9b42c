/*
 * The value of a form at one point of a launch: one work-item, one iteration of
 * each loop around.
 *
 * Symbols of ids and loops have their value from the point. An opaque value is
 * computed here when it comes from those by integer arithmetic alone, as in
 * `2 * i - (i & (distance - 1))`; what was loaded from memory is not known. The
 * counter of a loop that does not step by a constant (i >>= 1) is computed by
 * running the loop up to the iteration that is asked for.
 */
#include "kernel/kernel_analysis.h"

enum { DEPTH = 200 };

hd_evaluator *kernel_evaluator_new(const kernel_forms *f) {
    hd_evaluator *e = hd_new(f->arena, hd_evaluator);
    uint32_t values = f->kernel->inst_count, loops = f->flow->loop_count;
    *e = (hd_evaluator){.f = f, .generation = 1};
    e->tests = hd_new_array(f->arena, kernel_exit_test, loops);
    e->iteration = hd_new_array(f->arena, int64_t, loops);
    e->phi = hd_new_array(f->arena, int64_t, values);
    e->phi_known = hd_new_array(f->arena, bool, values);
    e->memo = hd_new_array(f->arena, int64_t, values);
    e->stamp = hd_new_array(f->arena, uint32_t, values);
    return e;
}

static bool value_at(hd_evaluator *e, kir_value v, uint32_t depth, int64_t *result);

static bool form_at(hd_evaluator *e, hd_affine form, uint32_t depth, int64_t *result) {
    uint64_t sum = (uint64_t)form.constant;
    for (uint32_t i = 0; i < form.term_count; i++) {
        hd_term term = form.terms[i];
        int64_t value;
        if (term.kind <= HD_SYM_GLOBAL)
            value = e->ids[term.kind][term.index & 3];
        else if (term.kind == HD_SYM_LOOP)
            value = e->iteration[term.index];
        else if (term.kind != HD_SYM_VALUE || !value_at(e, term.index, depth + 1, &value))
            return false;
        sum += (uint64_t)term.factor * (uint64_t)value;
    }
    *result = (int64_t)sum;
    return true;
}

static bool is_opaque_itself(const hd_evaluator *e, kir_value v) {
    hd_affine form = e->f->of[v];
    return form.term_count == 1 && form.terms[0].kind == HD_SYM_VALUE && form.terms[0].index == v;
}

/* Operations that are done here although they are not affine. */
static bool is_computable(const hd_evaluator *e, const kir_inst *inst) {
    if (inst->type.kind != KIR_INT || inst->type.lanes != 1)
        return false;
    kir_type from = inst->arg_count ? e->f->kernel->insts[inst->args[0]].type : inst->type;
    bool of_ints = from.kind == KIR_INT && from.lanes == 1;
    return of_ints && ((inst->op >= KIR_ADD && inst->op <= KIR_ASHR) || inst->op == KIR_SELECT ||
                       inst->op == KIR_ICMP || inst->op == KIR_FREEZE ||
                       (inst->op >= KIR_TRUNC && inst->op <= KIR_SEXT) ||
                       (inst->op == KIR_CALL && inst->arg_count == 2 &&
                        (!strcmp(inst->name, "min") || !strcmp(inst->name, "max"))));
}

static bool compute(hd_evaluator *e, const kir_inst *inst, uint32_t depth, int64_t *result) {
    int64_t args[3] = {0};
    for (uint32_t i = 0; i < inst->arg_count; i++)
        if (!value_at(e, inst->args[i], depth + 1, &args[i]))
            return false;
    uint32_t from_bits = e->f->kernel->insts[inst->args[0]].type.bits;
    switch (inst->op) {
    case KIR_SELECT: *result = args[0] ? args[1] : args[2]; return true;
    case KIR_ICMP: *result = hd_compare(inst->pred, from_bits, args[0], args[1]); return true;
    case KIR_CALL:
        *result = (args[0] < args[1]) == (inst->name[1] == 'i') ? args[0] : args[1];
        return true;
    case KIR_TRUNC:
    case KIR_ZEXT:
    case KIR_SEXT:
    case KIR_FREEZE: {
        int64_t a = args[0];
        if (inst->op == KIR_ZEXT && from_bits < 64)
            a &= (int64_t)(((uint64_t)1 << from_bits) - 1);
        if (inst->op == KIR_SEXT && from_bits == 1)
            a = -a;
        *result = kir_sign_extend((uint64_t)a, inst->type.bits);
        return true;
    }
    default: return kernel_fold(inst->op, inst->type.bits, args[0], args[1], result);
    }
}

/* The loop whose test runs on this counter, or -1. */
static int32_t run_loop_of(const hd_evaluator *e, kir_value v) {
    const kir_inst *inst = &e->f->kernel->insts[v];
    int32_t loop = inst->op == KIR_PHI ? hd_flow_loop_at(e->f->flow, inst->block) : -1;
    bool runs =
        loop >= 0 && e->tests[loop].found && !e->tests[loop].affine && e->tests[loop].phi == v;
    return runs ? loop : -1;
}

/* The counter of a loop that is no sum of steps, in the iteration of the point. */
static bool run_counter(hd_evaluator *e, uint32_t loop, uint32_t depth, int64_t *result) {
    const kernel_exit_test *test = &e->tests[loop];
    int64_t wanted = e->iteration[loop];
    bool known = value_at(e, test->init, depth + 1, result);
    for (e->iteration[loop] = 0; known && e->iteration[loop] < wanted; e->iteration[loop]++) {
        e->phi_known[test->phi] = true;
        e->phi[test->phi] = *result;
        e->generation++;
        known = value_at(e, test->next, depth + 1, result);
        e->phi_known[test->phi] = false;
    }
    e->iteration[loop] = wanted;
    e->generation++; /* forget what belongs to other iterations */
    return known;
}

static bool value_at(hd_evaluator *e, kir_value v, uint32_t depth, int64_t *result) {
    const kir_inst *inst = &e->f->kernel->insts[v];
    bool known = false;
    if (e->phi_known[v]) {
        *result = e->phi[v];
        return true;
    }
    if (e->stamp[v] == e->generation) {
        *result = e->memo[v];
        return true;
    }
    if (depth > DEPTH || inst->type.kind != KIR_INT || inst->type.lanes != 1)
        return false;
    int32_t loop = run_loop_of(e, v);
    if (!is_opaque_itself(e, v))
        known = form_at(e, e->f->of[v], depth, result);
    else if (loop >= 0)
        known = run_counter(e, (uint32_t)loop, depth, result);
    else
        known = is_computable(e, inst) && compute(e, inst, depth, result);
    if (known) {
        e->memo[v] = *result;
        e->stamp[v] = e->generation;
    }
    return known;
}

bool kernel_evaluate_value(hd_evaluator *e, kir_value v, int64_t *result) {
    e->generation++;
    return value_at(e, v, 0, result);
}

bool kernel_evaluate_form(hd_evaluator *e, hd_affine form, int64_t *result) {
    e->generation++;
    return form_at(e, form, 0, result);
}

bool hd_affine_evaluate(const hd_kernel_info *info, hd_affine form, const hd_point *point,
                        int64_t *value) {
    hd_evaluator *e = info->evaluator;
    for (uint32_t d = 0; d < 3; d++) {
        e->ids[HD_SYM_GROUP][d] = point->group[d];
        e->ids[HD_SYM_LOCAL][d] = point->local[d];
        e->ids[HD_SYM_GLOBAL][d] = point->global[d];
    }
    for (uint32_t l = 0; l < info->flow->loop_count; l++)
        e->iteration[l] = point->iteration ? point->iteration[l] : 0;
    return kernel_evaluate_form(e, form, value);
}

/* ---- what a form depends on ------------------------------------------------------- */

kernel_dependence kernel_dependence_new(const kernel_forms *f, uint32_t block) {
    return (kernel_dependence){.block = block,
                               .loops = hd_new_array(f->arena, bool, f->flow->loop_count)};
}

static void depend_on_loop(const hd_evaluator *e, uint32_t loop, kernel_dependence *d) {
    d->any = d->loops[loop] = true;
    d->unknown |= !hd_flow_in_loop(e->f->flow, (int32_t)loop, d->block);
}

static void depend_on_value(hd_evaluator *e, kir_value v, uint32_t depth, kernel_dependence *d);

static void depend_on_form(hd_evaluator *e, hd_affine form, uint32_t depth, kernel_dependence *d) {
    for (uint32_t i = 0; i < form.term_count; i++) {
        hd_term term = form.terms[i];
        if (term.kind <= HD_SYM_GLOBAL)
            d->any = d->ids[term.kind][term.index & 3] = true;
        else if (term.kind == HD_SYM_LOOP)
            depend_on_loop(e, term.index, d);
        else if (term.kind == HD_SYM_VALUE)
            depend_on_value(e, term.index, depth + 1, d);
        else
            d->unknown = true;
    }
}

static void depend_on_value(hd_evaluator *e, kir_value v, uint32_t depth, kernel_dependence *d) {
    const kir_inst *inst = &e->f->kernel->insts[v];
    int32_t loop = run_loop_of(e, v);
    if (e->stamp[v] == e->generation) /* seen */
        return;
    e->stamp[v] = e->generation;
    if (depth > DEPTH)
        d->unknown = true;
    else if (loop >= 0)
        depend_on_loop(e, (uint32_t)loop, d);
    else if (!is_opaque_itself(e, v) && inst->type.kind == KIR_INT)
        depend_on_form(e, e->f->of[v], depth, d);
    else if (is_computable(e, inst))
        for (uint32_t i = 0; i < inst->arg_count; i++)
            depend_on_value(e, inst->args[i], depth + 1, d);
    else
        d->unknown = true;
}

void kernel_depend_on_form(hd_evaluator *e, hd_affine form, kernel_dependence *d) {
    e->generation++;
    depend_on_form(e, form, 0, d);
    e->generation++; /* the stamps marked no values */
}

void kernel_depend_on_test(hd_evaluator *e, uint32_t loop, kernel_dependence *d) {
    const kernel_exit_test *test = &e->tests[loop];
    if (test->affine) {
        kernel_depend_on_form(e, test->start, d);
        return;
    }
    const kir_value parts[] = {test->init, test->left, test->right, test->next};
    bool own = d->loops[loop];
    e->generation++;
    for (uint32_t i = 0; i < 4; i++)
        depend_on_value(e, parts[i], 0, d);
    e->generation++;
    d->loops[loop] = own; /* that its own counter stands in it does not count */
    d->any = false;
    for (uint32_t l = 0; l < e->f->flow->loop_count; l++)
        d->any |= d->loops[l];
    for (uint32_t kind = 0; kind <= HD_SYM_GLOBAL; kind++)
        for (uint32_t i = 0; i < 4; i++)
            d->any |= d->ids[kind][i];
}
