/*
 * What is known of an access's address beyond its form: between which numbers a symbol lies, over all
 * threads, blocks and iterations in which the access runs; and which forms it has where opaque values
 * in it are one of several.
 *
 * Ids have the ranges that the launch gives. The number of an iteration is below the loop's count; of
 * a loop whose count differs by thread, below the greatest one. An opaque value is followed through
 * what bounds it (a mask, a remainder, a choice of two) in at most MOST_STEPS steps.
 */
#include "kernel/kernel_analysis.h"

enum { MOST_STEPS = 64 };

typedef struct search {
    const hd_kernel_info *info;
    const kernel_forms *f;
    uint32_t steps;
} search;

static bool range_of_form(search *s, hd_affine form, int64_t *low, int64_t *high);

/* The greatest count of a loop; false: it has none. */
static bool most_passes(search *s, uint32_t loop, uint64_t *count) {
    const hd_trip *trip = &s->info->trips[loop];
    *count = trip->count;
    if (trip->kind <= HD_TRIP_BOUND)
        return true;
    int64_t low, high;
    if (trip->kind != HD_TRIP_VARYING || !trip->affine ||
        !range_of_form(s, trip->start, &low, &high))
        return false;
    /* It falls or rises with `start`, but where the test may step over its only end. */
    bool jumps =
        (trip->pred == KIR_P_NE && trip->step != 1 && trip->step != -1) || trip->pred == KIR_P_EQ;
    uint64_t first, last;
    if (jumps || !hd_trip_passes(low, trip->step, trip->pred, &first) ||
        !hd_trip_passes(high, trip->step, trip->pred, &last))
        return false;
    *count = (first > last ? first : last) + trip->after_body;
    return true;
}

static bool range_of_iteration(search *s, uint32_t loop, bool runs_with_test, int64_t *high) {
    uint64_t count;
    if (!most_passes(s, loop, &count) || count > INT32_MAX)
        return false;
    *high = (int64_t)count - (count > 0 && !runs_with_test);
    return true;
}

static bool range_of_id(const hd_binding *launch, hd_symbol_kind kind, uint32_t dimension,
                        int64_t *low, int64_t *high) {
    hd_term term = {.kind = kind, .index = dimension, .factor = 1};
    return kernel_affine_range(launch, (hd_affine){0, 1, &term}, low, high);
}

/* Numbers of so many bits, not negative as signed ones. */
static bool is_natural(int64_t low, int64_t high, uint32_t bits) {
    return low >= 0 && (bits > 63 || high < (int64_t)1 << (bits - 1));
}

static bool range_of_value(search *s, kir_value v, int64_t *low, int64_t *high);

/* Of all of the operands from `first` on. */
static bool range_of_args(search *s, const kir_inst *inst, uint32_t first, int64_t *low,
                          int64_t *high) {
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (uint32_t i = first; i < inst->arg_count; i++) {
        int64_t from, to;
        if (!range_of_value(s, inst->args[i], &from, &to))
            return false;
        *low = from < *low ? from : *low;
        *high = to > *high ? to : *high;
    }
    return first < inst->arg_count;
}

/* What is no sum of symbols. */
static bool range_of_opaque(search *s, kir_value v, int64_t *low, int64_t *high) {
    const kir_kernel *k = s->f->kernel;
    const kir_inst *inst = &k->insts[v];
    int64_t number;
    switch (inst->op) {
    case KIR_AND:
        for (uint32_t i = 0; i < 2; i++)
            if (kir_const_int(k, inst->args[i], &number) && number >= 0) {
                *low = 0;
                *high = number;
                return true;
            }
        return false;
    case KIR_UREM:
        *low = 0;
        *high = kir_const_int(k, inst->args[1], &number) && number > 0 ? number - 1 : -1;
        return *high >= 0;
    case KIR_UDIV:
    case KIR_LSHR:
        if (!kir_const_int(k, inst->args[1], &number) || number < (inst->op == KIR_UDIV) ||
            (inst->op == KIR_LSHR && number >= inst->type.bits) ||
            !range_of_value(s, inst->args[0], low, high) ||
            !is_natural(*low, *high, inst->type.bits))
            return false;
        *low = inst->op == KIR_UDIV ? *low / number : *low >> number;
        *high = inst->op == KIR_UDIV ? *high / number : *high >> number;
        return true;
    case KIR_ICMP:
        *low = 0;
        *high = 1;
        return true;
    case KIR_ZEXT:
    case KIR_TRUNC: {
        uint32_t from = k->insts[inst->args[0]].type.bits, to = inst->type.bits;
        return range_of_value(s, inst->args[0], low, high) &&
               (from == 1 ? inst->op == KIR_ZEXT : is_natural(*low, *high, from < to ? from : to));
    }
    case KIR_SEXT:
        return k->insts[inst->args[0]].type.bits > 1 && range_of_value(s, inst->args[0], low, high);
    case KIR_SELECT: return range_of_args(s, inst, 1, low, high);
    case KIR_PHI: return range_of_args(s, inst, 0, low, high);
    default: return false;
    }
}

static bool is_itself(hd_affine form, kir_value v) {
    return form.term_count == 1 && form.terms->kind == HD_SYM_VALUE && form.terms->index == v;
}

static bool range_of_value(search *s, kir_value v, int64_t *low, int64_t *high) {
    kir_type type = s->f->kernel->insts[v].type;
    if (type.kind != KIR_INT || type.lanes != 1 || !s->steps)
        return false;
    s->steps--;
    hd_affine form = s->f->of[v];
    return is_itself(form, v) ? range_of_opaque(s, v, low, high)
                              : range_of_form(s, form, low, high);
}

static bool range_of_symbol(search *s, const hd_term *t, bool runs_with_test, int64_t *low,
                            int64_t *high) {
    *low = 0;
    switch (t->kind) {
    case HD_SYM_GROUP:
    case HD_SYM_LOCAL:
    case HD_SYM_GLOBAL: return range_of_id(&s->info->binding, t->kind, t->index, low, high);
    case HD_SYM_LOOP: return range_of_iteration(s, t->index, runs_with_test, high);
    case HD_SYM_VALUE: return range_of_value(s, t->index, low, high);
    default: return false;
    }
}

static bool range_of_form(search *s, hd_affine form, int64_t *low, int64_t *high) {
    *low = *high = form.constant;
    for (uint32_t i = 0; i < form.term_count; i++) {
        const hd_term *t = &form.terms[i];
        int64_t from, to, first, last;
        if (!range_of_symbol(s, t, true, &from, &to) ||
            __builtin_mul_overflow(from, t->factor, &first) ||
            __builtin_mul_overflow(to, t->factor, &last) ||
            __builtin_add_overflow(*low, first < last ? first : last, low) ||
            __builtin_add_overflow(*high, first < last ? last : first, high))
            return false;
    }
    return true;
}

bool hd_symbol_range(const hd_kernel_info *info, const hd_access *access, const hd_term *term,
                     int64_t *low, int64_t *high) {
    search s = {.info = info, .f = info->evaluator->f, .steps = MOST_STEPS};
    bool runs_with_test =
        term->kind == HD_SYM_LOOP && hd_runs_with_test(info, access, (int32_t)term->index);
    return range_of_symbol(&s, term, runs_with_test, low, high);
}

/* ---- choices ------------------------------------------------------------------------------ */

/* The operands of which a value is one, from *first on; 0: it is no choice. */
static uint32_t choice_of(const kernel_forms *f, const hd_term *t, uint32_t *first) {
    const kir_inst *inst = t->kind == HD_SYM_VALUE ? &f->kernel->insts[t->index] : NULL;
    *first = inst && inst->op == KIR_SELECT;
    if (!inst || inst->type.kind != KIR_INT || inst->type.lanes != 1)
        return 0;
    bool is_join = inst->op == KIR_PHI && hd_flow_loop_at(f->flow, inst->block) < 0;
    return inst->op == KIR_SELECT ? 2 : is_join ? inst->arg_count : 0;
}

/* Both are made by one condition, or where the same paths meet. */
static bool chosen_together(const kir_inst *a, const kir_inst *b) {
    return a->op == b->op &&
           (a->op == KIR_SELECT ? a->args[0] == b->args[0] : a->block == b->block);
}

/* `number` says which operand is taken, by the first choice and all that are made with it. False: that
 * is no form at the access. */
static bool choose(hd_arena *arena, const kernel_forms *f, uint32_t block, hd_affine form,
                   const kir_inst *choice, uint32_t number, hd_affine *chosen) {
    *chosen = form;
    for (uint32_t i = 0; i < form.term_count; i++) {
        const hd_term *t = &form.terms[i];
        uint32_t first, count = choice_of(f, t, &first);
        const kir_inst *inst = count ? &f->kernel->insts[t->index] : NULL;
        if (!inst || !chosen_together(choice, inst))
            continue;
        uint32_t operand = first + number;
        for (uint32_t k = 0; inst->op == KIR_PHI && k < count; k++)
            if (inst->from[k] == choice->from[number])
                operand = k;
        kir_value v = inst->args[operand];
        hd_affine own =
            kernel_forms_at(f, v, inst->op == KIR_PHI ? inst->from[operand] : inst->block);
        for (uint32_t k = 0; k < own.term_count; k++)
            if (own.terms[k].kind == HD_SYM_LOOP &&
                !hd_flow_in_loop(f->flow, (int32_t)own.terms[k].index, block))
                return false;
        *chosen = hd_affine_add(arena, *chosen, kernel_affine_symbol(arena, t->kind, t->index),
                                -t->factor);
        *chosen = hd_affine_add(arena, *chosen, own, t->factor);
    }
    return true;
}

/* Puts all forms of forms[at] for its first choice in its place and behind the others. */
static bool split(hd_arena *arena, const kernel_forms *f, uint32_t block, hd_affine *forms,
                  uint32_t at, uint32_t *count, uint32_t most) {
    hd_affine form = forms[at];
    for (uint32_t i = 0; i < form.term_count; i++) {
        uint32_t first, ways = choice_of(f, &form.terms[i], &first), known = 0;
        if (!ways || *count + ways - 1 > most)
            continue;
        const kir_inst *choice = &f->kernel->insts[form.terms[i].index];
        while (known < ways && choose(arena, f, block, form, choice, known,
                                      known ? &forms[*count + known - 1] : &forms[at]))
            known++;
        if (known == ways) {
            *count += ways - 1;
            return true;
        }
        forms[at] = form;
    }
    return false;
}

uint32_t hd_address_choices(hd_arena *arena, const hd_kernel_info *info, const hd_access *access,
                            hd_affine *forms, uint32_t most) {
    uint32_t count = 1, block = info->kernel->insts[access->inst].block;
    forms[0] = access->address;
    for (uint32_t at = 0; at < count;)
        if (!split(arena, info->evaluator->f, block, forms, at, &count, most))
            at++;
    return count;
}
