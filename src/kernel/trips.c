/*
 * How often loops run.
 *
 * A loop is counted when a block that every iteration passes leaves it by an
 * integer comparison. In the usual case the difference of the two sides is
 * affine in the iteration n of the loop, and the test reads
 *
 *     start + step * n  pred  0        for (i = 2; i < 10; i += 3):  -8 + 3n < 0
 *
 * which is solved by one division. Unsigned comparisons are taken as signed
 * ones: no bound is expected to be 2^31 or more. When the counter changes in
 * another way (i >>= 1, i *= 2, as in reductions and sorting networks) but only
 * by arithmetic on itself, the loop is run here, up to MOST_RUNS times.
 *
 * When `start` holds ids or the counters of outer loops the count differs by
 * thread or iteration, and its mean over the launch is computed by going through
 * the values of those symbols: all of them up to BUDGET points, beyond that
 * evenly spread ones. A loop that is run here takes as many points as steps.
 */
#include "kernel/kernel_analysis.h"

enum { MOST_RUNS = 4096, BUDGET = 1 << 20, LEAST_SAMPLES = 8, MOST_UNROLLED = 64 };

bool hd_trip_passes(int64_t start, int64_t step, kir_pred pred, uint64_t *passes) {
    const int64_t most = INT64_MAX / 2; /* room for the sums below */
    *passes = 0;
    if (start > most || start < -most || step > most || step < -most)
        return false;
    switch (pred) {
    case KIR_P_SLE:
    case KIR_P_SGE:
        if (pred == KIR_P_SGE) {
            start = -start;
            step = -step;
        }
        if (start > 0)
            return true;
        *passes = step > 0 ? (uint64_t)(-start / step) + 1 : 0;
        return step > 0;
    case KIR_P_SLT: return hd_trip_passes(start + 1, step, KIR_P_SLE, passes);
    case KIR_P_SGT: return hd_trip_passes(start - 1, step, KIR_P_SGE, passes);
    case KIR_P_EQ: *passes = start == 0; return start != 0 || step != 0;
    case KIR_P_NE:
        if (start == 0)
            return true;
        if (step == 0 || start % step || (start > 0) == (step > 0))
            return false;
        *passes = (uint64_t)(-start / step);
        return true;
    default: return false;
    }
}

/* ---- counting at a point ------------------------------------------------------------ */

typedef bool step_fn(hd_evaluator *e, void *user);

/* Runs a loop that is not affine; calls `each` (may be NULL) in every iteration. */
static bool run_loop(hd_evaluator *e, uint32_t loop, step_fn *each, void *user, uint64_t *passes) {
    const kernel_exit_test *test = &e->tests[loop];
    uint32_t bits = e->f->kernel->insts[test->left].type.bits;
    int64_t value, left, right;
    bool done = false;
    *passes = 0;
    if (!kernel_evaluate_value(e, test->init, &value))
        return false;
    e->phi_known[test->phi] = true;
    while (!done && *passes < MOST_RUNS) {
        e->phi[test->phi] = value;
        e->iteration[loop] = (int64_t)*passes;
        if (!kernel_evaluate_value(e, test->left, &left) ||
            !kernel_evaluate_value(e, test->right, &right))
            break;
        done = !hd_compare(test->pred, bits, left, right);
        if (done || (each && !each(e, user)) || !kernel_evaluate_value(e, test->next, &value))
            break;
        ++*passes;
    }
    e->phi_known[test->phi] = false;
    return done;
}

static bool passes_at(hd_evaluator *e, uint32_t loop, uint64_t *passes) {
    const kernel_exit_test *test = &e->tests[loop];
    int64_t start;
    if (!test->affine)
        return run_loop(e, loop, NULL, NULL, passes);
    return kernel_evaluate_form(e, test->start, &start) &&
           hd_trip_passes(start, test->step, test->pred, passes);
}

/* ---- the mean over a launch ------------------------------------------------------------ */

/* Sums the count of `loop` over all values of what it depends on: one level for
 * every id, then one for every outer loop, outermost first. */
typedef struct mean {
    uint32_t loop;
    const kernel_dependence *on;
    uint32_t level;
    uint64_t budget;
    double weight, sum, points;
} mean;

enum { ID_LEVELS = (HD_SYM_GLOBAL + 1) * 3 };

static bool sum_level(hd_evaluator *e, void *user);

static bool sum_deeper(hd_evaluator *e, mean *m, uint64_t samples, double weight) {
    mean outer = *m;
    m->level++;
    m->budget /= samples;
    m->weight *= weight;
    bool ok = sum_level(e, m);
    m->level = outer.level;
    m->budget = outer.budget;
    m->weight = outer.weight;
    return ok;
}

static bool sum_deeper_once(hd_evaluator *e, void *user) { return sum_deeper(e, user, 1, 1); }

/* Puts `count` values, from `low` on, into *place, at most as many as the budget allows. */
static bool sum_range(hd_evaluator *e, mean *m, int64_t *place, int64_t low, uint64_t count) {
    uint64_t samples = m->budget > LEAST_SAMPLES ? m->budget : LEAST_SAMPLES;
    samples = samples < count ? samples : count;
    for (uint64_t i = 0; i < samples; i++) {
        uint64_t at =
            samples == count ? i : (uint64_t)(((double)i + 0.5) * (double)count / (double)samples);
        *place = low + (int64_t)at;
        if (!sum_deeper(e, m, samples, (double)count / (double)samples))
            return false;
    }
    return true;
}

static bool sum_level(hd_evaluator *e, void *user) {
    mean *m = user;
    uint64_t passes;
    if (m->level < ID_LEVELS) {
        hd_symbol_kind kind = (hd_symbol_kind)(m->level / 3);
        uint32_t d = m->level % 3;
        if (!m->on->ids[kind][d])
            return sum_deeper(e, m, 1, 1);
        static const kir_query sizes[] = {KIR_Q_NUM_GROUPS, KIR_Q_LOCAL_SIZE, KIR_Q_GLOBAL_SIZE};
        uint64_t count = kernel_launch_size(&e->f->launch, sizes[kind], d);
        int64_t low = kind == HD_SYM_GLOBAL ? (int64_t)e->f->launch.offset[d] : 0;
        return count && sum_range(e, m, &e->ids[kind][d], low, count);
    }
    uint32_t loop = m->level - ID_LEVELS;
    if (loop < m->loop) {
        if (!m->on->loops[loop])
            return sum_deeper(e, m, 1, 1);
        if (!e->tests[loop].affine)
            return run_loop(e, loop, sum_deeper_once, m, &passes);
        return passes_at(e, loop, &passes) && sum_range(e, m, &e->iteration[loop], 0, passes);
    }
    if (!passes_at(e, loop, &passes))
        return false;
    m->sum += (double)passes * m->weight;
    m->points += m->weight;
    return true;
}

/* An outer loop's own length may depend on more; false when it is not counted. */
static bool close_dependence(hd_evaluator *e, kernel_dependence *d) {
    for (uint32_t l = e->f->flow->loop_count; l-- > 0;) { /* inner loops come last */
        if (!d->loops[l])
            continue;
        if (!e->tests[l].found)
            return false;
        kernel_depend_on_test(e, l, d);
    }
    return !d->unknown;
}

static double mean_count(hd_evaluator *e, uint32_t loop, kernel_dependence on) {
    mean m = {.loop = loop, .on = &on, .budget = BUDGET, .weight = 1};
    uint64_t steps;
    bool known = close_dependence(e, &on);
    if (known && !e->tests[loop].affine && passes_at(e, loop, &steps) && steps)
        m.budget /= steps;
    known = known && sum_level(e, &m) && m.points > 0;
    return known ? m.sum / m.points : -1;
}

/* ---- finding the counted exit ------------------------------------------------------------- */

/* Made anew in every iteration, from what may have changed. */
static bool is_renewed(const kernel_forms *f, kir_value v, void *user) {
    const kir_inst *inst = &f->kernel->insts[v];
    bool lasting = (inst->op >= KIR_ADD && inst->op <= KIR_SHUFFLE) || inst->op == KIR_ADDR ||
                   inst->op == KIR_QUERY;
    return !lasting && hd_flow_in_loop(f->flow, *(const int32_t *)user, inst->block);
}

static bool changes_inside(const kernel_forms *f, uint32_t number, hd_affine form) {
    int32_t loop = (int32_t)number;
    for (uint32_t i = 0; i < form.term_count; i++)
        if (form.terms[i].kind == HD_SYM_VALUE &&
            kernel_forms_walk(f, form.terms[i].index, false, is_renewed, &loop))
            return true;
    return false;
}

/* True when the form starts below zero for some thread: as an unsigned number it is
 * a very large one then, `(uint)(x - 2) < 10` say. */
static bool may_start_negative(const kernel_forms *f, uint32_t loop, hd_affine form) {
    int64_t low, high;
    hd_affine start = kernel_affine_without(f->arena, form, HD_SYM_LOOP, loop);
    return kernel_affine_range(&f->launch, start, &low, &high) && low < 0;
}

static bool find_affine_test(const kernel_forms *f, uint32_t loop, const kir_inst *compare,
                             kernel_exit_test *test) {
    hd_affine left = kernel_forms_at(f, compare->args[0], compare->block);
    hd_affine right = kernel_forms_at(f, compare->args[1], compare->block);
    bool is_unsigned = test->pred >= KIR_P_ULT && test->pred <= KIR_P_UGE;
    bool less = test->pred == KIR_P_ULT || test->pred == KIR_P_ULE;
    if (is_unsigned && (may_start_negative(f, loop, left) || may_start_negative(f, loop, right)))
        return false;
    hd_affine difference = hd_affine_add(f->arena, left, right, -1);
    int64_t step = hd_affine_factor(difference, HD_SYM_LOOP, loop);
    if (is_unsigned && (less ? step < 0 : step > 0))
        return false; /* ends when the counter wraps: for (uint i = n - 1; i < n; i--) */
    test->affine = true;
    test->start = kernel_affine_without(f->arena, difference, HD_SYM_LOOP, loop);
    test->step = step;
    test->pred = kernel_pred_signed(test->pred);
    return step != 0 && !changes_inside(f, loop, test->start);
}

typedef struct phi_search {
    uint32_t header;
    kir_value phi, induction;
    bool several;
} phi_search;

static bool find_phi(const kernel_forms *f, kir_value v, void *user) {
    phi_search *search = user;
    const kir_inst *inst = &f->kernel->insts[v];
    if (inst->op != KIR_PHI || inst->block != search->header)
        return false;
    if (f->is_induction[v]) {
        search->induction = v;
    } else {
        search->several |= search->phi != KIR_NONE && search->phi != v;
        search->phi = v;
    }
    return false;
}

/* A counter that changes by arithmetic on itself, or a test like i * i < n. */
static bool find_run_test(const kernel_forms *f, uint32_t loop, const kir_inst *compare,
                          kernel_exit_test *test) {
    phi_search search = {f->flow->loops[loop].header, KIR_NONE, KIR_NONE, false};
    kernel_forms_walk(f, compare->args[0], true, find_phi, &search);
    kernel_forms_walk(f, compare->args[1], true, find_phi, &search);
    kir_value counter = search.phi != KIR_NONE ? search.phi : search.induction;
    if (counter == KIR_NONE || search.several)
        return false;
    const kir_inst *phi = &f->kernel->insts[counter];
    *test = (kernel_exit_test){.pred = test->pred,
                               .phi = counter,
                               .init = KIR_NONE,
                               .next = KIR_NONE,
                               .left = compare->args[0],
                               .right = compare->args[1]};
    for (uint32_t i = 0; i < phi->arg_count; i++) {
        kir_value *role =
            kernel_forms_is_latch(f, phi->block, phi->from[i]) ? &test->next : &test->init;
        if (*role != KIR_NONE && *role != phi->args[i])
            return false;
        *role = phi->args[i];
    }
    return phi->type.kind == KIR_INT && test->init != KIR_NONE && test->next != KIR_NONE;
}

/* Kofler et al., section 3.1: does the bound come from a size of the launch? */
static bool find_size(const kernel_forms *f, kir_value v, void *user) {
    const kir_inst *inst = &f->kernel->insts[v];
    if (inst->op != KIR_QUERY)
        return false;
    hd_trip_hint *hint = user;
    if (inst->index == KIR_Q_LOCAL_SIZE || inst->index == KIR_Q_ENQUEUED_LOCAL_SIZE)
        *hint = HD_HINT_WORK_GROUP;
    else if (inst->index == KIR_Q_GLOBAL_SIZE || inst->index == KIR_Q_NUM_GROUPS)
        *hint = HD_HINT_NDRANGE;
    return *hint == HD_HINT_WORK_GROUP;
}

/* Fills the trip from a test, if the test tells something. */
static bool count_by(hd_evaluator *e, uint32_t loop, const kernel_exit_test *test, bool means,
                     hd_trip *trip) {
    kernel_dependence on = kernel_dependence_new(e->f, test->block);
    kernel_exit_test before = e->tests[loop];
    e->tests[loop] = *test;
    kernel_depend_on_test(e, loop, &on);
    hd_trip t = {.kind = HD_TRIP_VARYING,
                 .mean = -1,
                 .test = test->block,
                 .affine = test->affine,
                 .start = test->start,
                 .step = test->step,
                 .pred = test->pred};
    const hd_loop *l = &e->f->flow->loops[loop];
    for (uint32_t i = 0; i < l->latch_count; i++)
        t.after_body |= l->latches[i] == test->block;
    bool known = !on.unknown;
    if (known && !on.any) {
        t.kind = e->f->launch.dims || e->f->launch.param_count ? HD_TRIP_BOUND : HD_TRIP_CONSTANT;
        known = passes_at(e, loop, &t.count);
        t.count += t.after_body;
        t.mean = (double)t.count;
    } else if (known && means && (t.mean = mean_count(e, loop, on)) >= 0) {
        t.mean += t.after_body;
        t.count = t.mean > 0 && t.mean < 1 ? 1 : (uint64_t)(t.mean + 0.5);
    }
    bool better =
        known &&
        (trip->kind == HD_TRIP_UNKNOWN ||
         (t.kind < HD_TRIP_VARYING && (trip->kind == HD_TRIP_VARYING || t.count < trip->count)));
    if (better) {
        t.hint = trip->hint;
        t.unrolled = trip->unrolled;
        t.is_rest = trip->is_rest;
        *trip = t;
    } else {
        e->tests[loop] = before;
    }
    return known;
}

static const char *why_not(const kernel_forms *f, const kernel_exit_test *test,
                           const kir_inst *compare) {
    hd_affine left = kernel_forms_at(f, compare->args[0], compare->block);
    hd_affine right = kernel_forms_at(f, compare->args[1], compare->block);
    hd_affine form = hd_affine_add(f->arena, left, right, -1);
    const char *otherwise = "does not change in it";
    if (test->found && test->affine) {
        form = test->start;
        otherwise = "is never false: the counter moves away from the bound";
    } else if (test->found) {
        hd_affine init = kernel_forms_at(f, test->init, f->kernel->insts[test->phi].block);
        form = hd_affine_is_opaque(init) ? init : form;
    }
    kir_value load = kernel_forms_load_of(f, form);
    const char *reason = kernel_forms_reason(f, form, NULL);
    if (load != KIR_NONE)
        reason = hd_format(f->arena, "depends on a value loaded from %s%s",
                           kernel_forms_base_name(f, f->kernel->insts[load].args[0]),
                           kernel_at_line(f, &f->kernel->insts[load]));
    return hd_format(f->arena, "its condition%s %s", kernel_at_line(f, compare),
                     reason ? reason : otherwise);
}

/* Integers, or pointers into the same buffer. */
static bool are_countable(const kernel_forms *f, kir_value a, kir_value b) {
    return f->kernel->insts[a].type.kind == KIR_INT ||
           (f->base[a].kind == f->base[b].kind && f->base[a].index == f->base[b].index);
}

/* Compilers round the bound down to a multiple of the factor by a mask, and leave the low bits for
 * another loop. */
static void see_unrolling(const kernel_forms *f, const kir_inst *compare, hd_trip *trip) {
    for (uint32_t side = 0; side < 2; side++) {
        const kir_inst *bound = &f->kernel->insts[compare->args[side]];
        int64_t mask;
        if (bound->op != KIR_AND || !kir_const_int(f->kernel, bound->args[1], &mask) || !mask)
            continue;
        trip->is_rest = mask & 1;
        uint64_t factor = trip->is_rest ? (uint64_t)mask + 1 : (uint64_t)(mask & -mask);
        if (factor <= MOST_UNROLLED && hd_is_power_of_two(factor))
            trip->unrolled = (uint32_t)factor;
    }
}

static void try_condition(hd_evaluator *e, uint32_t loop, uint32_t block, kernel_condition part,
                          bool means, hd_trip *trip) {
    const kernel_forms *f = e->f;
    const kir_inst *compare = &f->kernel->insts[part.value];
    if (compare->op != KIR_ICMP || compare->type.lanes != 1 ||
        !are_countable(f, compare->args[0], compare->args[1])) {
        if (!trip->reason)
            trip->reason = hd_format(f->arena, "its condition%s compares no integers",
                                     kernel_at_line(f, compare));
        return;
    }
    kir_pred pred = part.truth ? compare->pred : kernel_pred_not(compare->pred);
    kernel_exit_test test = {.pred = pred};
    hd_trip_hint hint = HD_HINT_NONE;
    kernel_forms_walk(f, compare->args[0], false, find_size, &hint);
    if (hint != HD_HINT_WORK_GROUP)
        kernel_forms_walk(f, compare->args[1], false, find_size, &hint);
    bool found = find_affine_test(f, loop, compare, &test);
    kernel_exit_test run = {.pred = pred};
    if (!found && find_run_test(f, loop, compare, &run)) {
        test = run;
        found = true;
    }
    test.found = found;
    test.block = block;
    if (trip->kind == HD_TRIP_UNKNOWN && hint)
        trip->hint = hint;
    see_unrolling(f, compare, trip);
    if (!found || !count_by(e, loop, &test, means, trip))
        trip->reason = trip->reason ? trip->reason : why_not(f, &test, compare);
}

static void find_trip(hd_evaluator *e, uint32_t loop, bool means, hd_trip *trip) {
    const hd_loop *l = &e->f->flow->loops[loop];
    *trip = (hd_trip){.kind = HD_TRIP_UNKNOWN, .mean = -1, .test = KIR_NONE};
    uint32_t conditions = 0;
    for (uint32_t i = 0; i < l->exit_count; i++) {
        /* The conditions under which the loop goes on from one of its exit blocks. */
        kernel_conditions parts = {0};
        const kir_inst *last = kir_terminator(e->f->kernel, l->exits[i]);
        bool first = last->to_count && hd_flow_in_loop(e->f->flow, (int32_t)loop, last->to[0]);
        if (last->op == KIR_CONDBR)
            kernel_condition_parts(e->f, last->args[0], first, &parts);
        conditions += parts.count ? (uint32_t)parts.count : 1;
        /* Every iteration passes the test, which stands in no inner loop. */
        bool each_time = e->f->flow->loop_of[l->exits[i]] == (int32_t)loop;
        for (uint32_t k = 0; k < l->latch_count; k++)
            each_time &= hd_flow_dominates(e->f->flow, l->exits[i], l->latches[k]);
        for (size_t k = 0; each_time && k < parts.count; k++)
            try_condition(e, loop, l->exits[i], parts.data[k], means, trip);
    }
    trip->early_exit = conditions > 1;
    if (trip->kind != HD_TRIP_UNKNOWN)
        trip->reason = NULL;
    else if (!trip->reason)
        trip->reason =
            l->exit_count ? "it is left from inside a branch or an inner loop" : "it has no exit";
}

hd_evaluator *kernel_trips_find(const kernel_forms *f, hd_trip *trips, bool means) {
    hd_evaluator *e = kernel_evaluator_new(f);
    for (uint32_t l = 0; l < f->flow->loop_count; l++)
        find_trip(e, l, means, &trips[l]);
    return e;
}
