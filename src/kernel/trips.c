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
 * evenly spread ones.
 */
#include "kernel/analysis.h"

enum { MOST_RUNS = 4096, BUDGET = 1 << 20, LEAST_SAMPLES = 8, DEPTH = 64 };

/* The counted exit of a loop. */
typedef struct exit_test {
    bool found, affine;
    uint32_t block;
    kir_pred pred;
    hd_affine start; /* affine */
    int64_t step;
    kir_value phi, init, next; /* not affine: the counter, before and around the loop */
    kir_value left, right;     /* both sides of the comparison */
} exit_test;

typedef struct counter {
    const hd_forms *f;
    exit_test *tests; /* of every loop */
    /* The point that is being evaluated. */
    int64_t ids[HD_SYM_GLOBAL + 1][4];
    int64_t *iteration; /* of every loop */
    int64_t *phi;       /* value of every counter in hand */
    bool *phi_known;
} counter;

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
    case KIR_P_EQ:
        *passes = start == 0;
        return start != 0 || step != 0;
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

/* ---- evaluation at a point ------------------------------------------------------ */

static bool value_at(const counter *c, kir_value v, uint32_t depth, int64_t *result);

static bool form_at(const counter *c, hd_affine form, uint32_t depth, int64_t *result) {
    uint64_t sum = (uint64_t)form.constant;
    for (uint32_t i = 0; i < form.term_count; i++) {
        hd_term term = form.terms[i];
        int64_t value;
        if (term.kind <= HD_SYM_GLOBAL)
            value = c->ids[term.kind][term.index & 3];
        else if (term.kind == HD_SYM_LOOP)
            value = c->iteration[term.index];
        else if (term.kind != HD_SYM_VALUE || !value_at(c, term.index, depth + 1, &value))
            return false;
        sum += (uint64_t)term.factor * (uint64_t)value;
    }
    *result = (int64_t)sum;
    return true;
}

static bool is_opaque_itself(const counter *c, kir_value v) {
    hd_affine form = c->f->of[v];
    return form.term_count == 1 && form.terms[0].kind == HD_SYM_VALUE && form.terms[0].index == v;
}

/* Operations that are run here although they are not affine. */
static bool is_computable(const kir_inst *inst) {
    if (inst->type.kind != KIR_INT || inst->type.lanes != 1)
        return false;
    return (inst->op >= KIR_ADD && inst->op <= KIR_ASHR) || inst->op == KIR_SELECT ||
           inst->op == KIR_ICMP || (inst->op >= KIR_TRUNC && inst->op <= KIR_SEXT) ||
           inst->op == KIR_FREEZE ||
           (inst->op == KIR_CALL && inst->arg_count == 2 &&
            (!strcmp(inst->name, "min") || !strcmp(inst->name, "max")));
}

static int64_t convert(const kir_inst *inst, uint32_t from_bits, int64_t a) {
    if (inst->op == KIR_ZEXT && from_bits < 64)
        a &= (int64_t)(((uint64_t)1 << from_bits) - 1);
    if (inst->op == KIR_SEXT && from_bits == 1)
        a = -a;
    return kir_sign_extend((uint64_t)a, inst->type.bits);
}

static bool compute(const counter *c, const kir_inst *inst, uint32_t depth, int64_t *result) {
    int64_t args[3] = {0};
    for (uint32_t i = 0; i < inst->arg_count; i++)
        if (!value_at(c, inst->args[i], depth + 1, &args[i]))
            return false;
    uint32_t from_bits = c->f->kernel->insts[inst->args[0]].type.bits;
    switch (inst->op) {
    case KIR_SELECT: *result = args[0] ? args[1] : args[2]; return true;
    case KIR_ICMP: *result = hd_compare(inst->pred, from_bits, args[0], args[1]); return true;
    case KIR_CALL:
        *result = (args[0] < args[1]) == (inst->name[1] == 'i') ? args[0] : args[1];
        return true;
    case KIR_TRUNC:
    case KIR_ZEXT:
    case KIR_SEXT:
    case KIR_FREEZE: *result = convert(inst, from_bits, args[0]); return true;
    default: return hd_fold(inst->op, inst->type.bits, args[0], args[1], result);
    }
}

static bool value_at(const counter *c, kir_value v, uint32_t depth, int64_t *result) {
    const kir_inst *inst = &c->f->kernel->insts[v];
    if (c->phi_known[v]) {
        *result = c->phi[v];
        return true;
    }
    if (depth > DEPTH || inst->type.kind != KIR_INT || inst->type.lanes != 1)
        return false;
    if (!is_opaque_itself(c, v))
        return form_at(c, c->f->of[v], depth, result);
    return is_computable(inst) && compute(c, inst, depth, result);
}

/* ---- what a count depends on ------------------------------------------------------ */

typedef struct dependence {
    bool ids[HD_SYM_GLOBAL + 1][4];
    bool *loops;  /* outer loops whose counter stands in the test */
    bool any;     /* some id or loop */
    bool unknown; /* some value that cannot be computed before the kernel runs */
} dependence;

static void depend_on_value(const counter *c, kir_value v, uint32_t depth, dependence *d);

static void depend_on_form(const counter *c, hd_affine form, uint32_t depth, dependence *d) {
    for (uint32_t i = 0; i < form.term_count; i++) {
        hd_term term = form.terms[i];
        if (term.kind <= HD_SYM_GLOBAL)
            d->any = d->ids[term.kind][term.index & 3] = true;
        else if (term.kind == HD_SYM_LOOP)
            d->any = d->loops[term.index] = true;
        else if (term.kind == HD_SYM_VALUE)
            depend_on_value(c, term.index, depth + 1, d);
        else
            d->unknown = true;
    }
}

static void depend_on_value(const counter *c, kir_value v, uint32_t depth, dependence *d) {
    const kir_inst *inst = &c->f->kernel->insts[v];
    int32_t loop = inst->op == KIR_PHI ? hd_forms_loop_at(c->f, inst->block) : -1;
    if (depth > DEPTH) {
        d->unknown = true;
    } else if (loop >= 0 && c->tests[loop].found && !c->tests[loop].affine &&
               c->tests[loop].phi == v) {
        d->any = d->loops[loop] = true;
    } else if (!is_opaque_itself(c, v)) {
        depend_on_form(c, c->f->of[v], depth, d);
    } else if (is_computable(inst)) {
        for (uint32_t i = 0; i < inst->arg_count; i++)
            depend_on_value(c, inst->args[i], depth + 1, d);
    } else {
        d->unknown = true;
    }
}

static void depend_on_test(const counter *c, uint32_t loop, dependence *d) {
    const exit_test *test = &c->tests[loop];
    if (test->affine) {
        depend_on_form(c, test->start, 0, d);
        return;
    }
    depend_on_value(c, test->init, 0, d);
    depend_on_value(c, test->left, 0, d);
    depend_on_value(c, test->right, 0, d);
    depend_on_value(c, test->next, 0, d);
    d->loops[loop] = false; /* its own counter does not count */
    d->any = false;
    for (uint32_t l = 0; l < c->f->flow->loop_count; l++)
        d->any |= d->loops[l];
    for (uint32_t k = 0; k <= HD_SYM_GLOBAL; k++)
        for (uint32_t i = 0; i < 4; i++)
            d->any |= d->ids[k][i];
}

/* ---- counting at a point ------------------------------------------------------------ */

typedef bool step_fn(counter *c, void *user);

/* Runs a loop that is not affine; calls `each` (may be NULL) in every iteration. */
static bool run_loop(counter *c, uint32_t loop, step_fn *each, void *user, uint64_t *passes) {
    const exit_test *test = &c->tests[loop];
    uint32_t bits = c->f->kernel->insts[test->left].type.bits;
    int64_t value, left, right;
    bool done = false;
    *passes = 0;
    if (!value_at(c, test->init, 0, &value))
        return false;
    c->phi_known[test->phi] = true;
    while (!done && *passes < MOST_RUNS) {
        c->phi[test->phi] = value;
        c->iteration[loop] = (int64_t)*passes;
        if (!value_at(c, test->left, 0, &left) || !value_at(c, test->right, 0, &right))
            break;
        done = !hd_compare(test->pred, bits, left, right);
        if (done || (each && !each(c, user)) || !value_at(c, test->next, 0, &value))
            break;
        ++*passes;
    }
    c->phi_known[test->phi] = false;
    return done;
}

static bool passes_at(counter *c, uint32_t loop, uint64_t *passes) {
    const exit_test *test = &c->tests[loop];
    int64_t start;
    if (!test->affine)
        return run_loop(c, loop, NULL, NULL, passes);
    return form_at(c, test->start, 0, &start) &&
           hd_trip_passes(start, test->step, test->pred, passes);
}

static bool is_after_body(const hd_forms *f, uint32_t loop, uint32_t block) {
    const hd_loop *l = &f->flow->loops[loop];
    for (uint32_t i = 0; i < l->latch_count; i++)
        if (l->latches[i] == block)
            return true;
    return false;
}

/* ---- the mean over a launch ------------------------------------------------------------ */

/* Sums the count of `loop` over all values of what it depends on: one level for
 * every id, then one for every outer loop, outermost first. */
typedef struct mean {
    uint32_t loop;
    const dependence *on;
    uint32_t level;
    uint64_t budget;
    double weight, sum, points;
} mean;

enum { ID_LEVELS = (HD_SYM_GLOBAL + 1) * 3 };

static bool sum_level(counter *c, void *user);

static bool sum_deeper(counter *c, mean *m, uint64_t samples, double weight) {
    mean outer = *m;
    m->level++;
    m->budget /= samples;
    m->weight *= weight;
    bool ok = sum_level(c, m);
    m->level = outer.level;
    m->budget = outer.budget;
    m->weight = outer.weight;
    return ok;
}

static bool sum_deeper_once(counter *c, void *user) { return sum_deeper(c, user, 1, 1); }

/* Puts `count` values, from `low` on, into *place, at most as many as the budget allows. */
static bool sum_range(counter *c, mean *m, int64_t *place, int64_t low, uint64_t count) {
    uint64_t samples = m->budget > LEAST_SAMPLES ? m->budget : LEAST_SAMPLES;
    samples = samples < count ? samples : count;
    for (uint64_t i = 0; i < samples; i++) {
        uint64_t at = samples == count
                          ? i
                          : (uint64_t)(((double)i + 0.5) * (double)count / (double)samples);
        *place = low + (int64_t)at;
        if (!sum_deeper(c, m, samples, (double)count / (double)samples))
            return false;
    }
    return true;
}

static bool sum_id(counter *c, mean *m) {
    hd_symbol_kind kind = (hd_symbol_kind)(m->level / 3);
    uint32_t d = m->level % 3;
    if (!m->on->ids[kind][d])
        return sum_deeper(c, m, 1, 1);
    static const kir_query sizes[] = {KIR_Q_NUM_GROUPS, KIR_Q_LOCAL_SIZE, KIR_Q_GLOBAL_SIZE};
    uint64_t count = hd_launch_size(&c->f->launch, sizes[kind], d);
    int64_t low = kind == HD_SYM_GLOBAL ? (int64_t)c->f->launch.offset[d] : 0;
    return count && sum_range(c, m, &c->ids[kind][d], low, count);
}

static bool sum_level(counter *c, void *user) {
    mean *m = user;
    uint64_t passes;
    if (m->level < ID_LEVELS)
        return sum_id(c, m);
    uint32_t loop = m->level - ID_LEVELS;
    if (loop < m->loop) {
        if (!m->on->loops[loop])
            return sum_deeper(c, m, 1, 1);
        if (!c->tests[loop].affine)
            return run_loop(c, loop, sum_deeper_once, m, &passes);
        return passes_at(c, loop, &passes) && sum_range(c, m, &c->iteration[loop], 0, passes);
    }
    if (!passes_at(c, loop, &passes))
        return false;
    m->sum += (double)passes * m->weight;
    m->points += m->weight;
    return true;
}

/* An outer loop's own length may depend on more; false when it is not counted. */
static bool close_dependence(const counter *c, dependence *d) {
    for (uint32_t l = c->f->flow->loop_count; l-- > 0;) { /* inner loops come last */
        if (!d->loops[l])
            continue;
        if (!c->tests[l].found)
            return false;
        depend_on_test(c, l, d);
    }
    return !d->unknown;
}

static uint64_t mean_count(counter *c, uint32_t loop, dependence on, bool after_body) {
    mean m = {.loop = loop, .on = &on, .budget = BUDGET, .weight = 1};
    if (!close_dependence(c, &on) || !sum_level(c, &m) || m.points <= 0)
        return 0;
    return (uint64_t)(m.sum / m.points + 0.5) + after_body;
}

/* ---- finding the counted exit ------------------------------------------------------------- */

static bool defined_inside(const hd_forms *f, uint32_t loop, hd_affine form) {
    for (uint32_t i = 0; i < form.term_count; i++)
        if (form.terms[i].kind == HD_SYM_VALUE &&
            hd_flow_in_loop(f->flow, loop, f->kernel->insts[form.terms[i].index].block))
            return true;
    return false;
}

static bool find_affine_test(const hd_forms *f, uint32_t loop, const kir_inst *compare,
                             exit_test *test) {
    hd_affine left = hd_forms_at(f, compare->args[0], compare->block);
    hd_affine right = hd_forms_at(f, compare->args[1], compare->block);
    hd_affine difference = hd_affine_add(f->arena, left, right, -1);
    int64_t step = hd_affine_factor(difference, HD_SYM_LOOP, loop);
    hd_affine iteration = hd_affine_symbol(f->arena, HD_SYM_LOOP, loop);
    test->affine = true;
    test->start = hd_affine_add(f->arena, difference, iteration, -step);
    test->step = step;
    test->pred = hd_pred_signed(test->pred);
    return step != 0 && !defined_inside(f, loop, test->start);
}

typedef struct phi_search {
    uint32_t header;
    kir_value phi;
    bool several;
} phi_search;

static bool find_phi(const hd_forms *f, kir_value v, void *user) {
    phi_search *search = user;
    const kir_inst *inst = &f->kernel->insts[v];
    if (inst->op == KIR_PHI && inst->block == search->header && !f->is_induction[v]) {
        search->several |= search->phi != KIR_NONE;
        search->phi = v;
    }
    return false;
}

/* A counter that changes by arithmetic on itself. */
static bool find_run_test(const hd_forms *f, uint32_t loop, const kir_inst *compare,
                          exit_test *test) {
    phi_search search = {f->flow->loops[loop].header, KIR_NONE, false};
    hd_forms_walk(f, compare->args[0], true, find_phi, &search);
    if (search.phi == KIR_NONE)
        hd_forms_walk(f, compare->args[1], true, find_phi, &search);
    if (search.phi == KIR_NONE || search.several)
        return false;
    const kir_inst *phi = &f->kernel->insts[search.phi];
    *test = (exit_test){.pred = test->pred, .phi = search.phi, .init = KIR_NONE, .next = KIR_NONE,
                        .left = compare->args[0], .right = compare->args[1]};
    for (uint32_t i = 0; i < phi->arg_count; i++) {
        kir_value *role =
            hd_forms_is_latch(f, phi->block, phi->from[i]) ? &test->next : &test->init;
        if (*role != KIR_NONE && *role != phi->args[i])
            return false;
        *role = phi->args[i];
    }
    return phi->type.kind == KIR_INT && test->init != KIR_NONE && test->next != KIR_NONE;
}

/* True when every iteration passes `block`, which lies in no inner loop. */
static bool tested_each_time(const hd_forms *f, uint32_t loop, uint32_t block) {
    const hd_loop *l = &f->flow->loops[loop];
    if (f->flow->loop_of[block] != (int32_t)loop)
        return false;
    for (uint32_t i = 0; i < l->latch_count; i++)
        if (!hd_flow_dominates(f->flow, block, l->latches[i]))
            return false;
    return true;
}

/* Kofler et al., section 3.1: does the bound come from a size of the launch? */
static bool find_size(const hd_forms *f, kir_value v, void *user) {
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

/* The conditions under which the loop goes on from one of its exit blocks. */
static hd_conditions conditions_to_stay(const hd_forms *f, uint32_t loop, uint32_t block) {
    hd_conditions parts = {0};
    const kir_block *b = &f->kernel->blocks[block];
    const kir_inst *last = &f->kernel->insts[b->insts[b->inst_count - 1]];
    bool first = last->to_count && hd_flow_in_loop(f->flow, loop, last->to[0]);
    if (last->op == KIR_CONDBR)
        hd_condition_parts(f, last->args[0], first, &parts);
    return parts;
}

static const char *line_of(const hd_forms *f, const kir_inst *inst) {
    return inst->line ? hd_format(f->arena, " at line %u", inst->line) : "";
}

/* Fills the trip from a test, if the test tells something. */
static bool count_by(counter *c, uint32_t loop, const exit_test *test, bool means, hd_trip *trip) {
    dependence on = {.loops = hd_new_array(c->f->arena, bool, c->f->flow->loop_count)};
    exit_test before = c->tests[loop];
    c->tests[loop] = *test;
    depend_on_test(c, loop, &on);
    hd_trip t = {.kind = HD_TRIP_VARYING, .test = test->block, .affine = test->affine,
                 .start = test->start, .step = test->step, .pred = test->pred,
                 .after_body = is_after_body(c->f, loop, test->block)};
    bool known = !on.unknown;
    if (known && !on.any) {
        t.kind = c->f->launch.dims || c->f->launch.param_count ? HD_TRIP_BOUND : HD_TRIP_CONSTANT;
        known = passes_at(c, loop, &t.count);
        t.count += t.after_body;
    } else if (known && means) {
        t.count = mean_count(c, loop, on, t.after_body);
    }
    bool better = known && (trip->kind == HD_TRIP_UNKNOWN ||
                            (t.kind < HD_TRIP_VARYING && (trip->kind == HD_TRIP_VARYING ||
                                                          t.count < trip->count)));
    if (better) {
        t.hint = trip->hint;
        *trip = t;
    } else {
        c->tests[loop] = before;
    }
    return known;
}

static const char *why_not(const hd_forms *f, const exit_test *test, const kir_inst *compare) {
    hd_affine left = hd_forms_at(f, compare->args[0], compare->block);
    hd_affine right = hd_forms_at(f, compare->args[1], compare->block);
    hd_affine form = hd_affine_add(f->arena, left, right, -1);
    const char *otherwise = "does not change in it";
    if (test->found && test->affine) {
        form = test->start;
        otherwise = "is never false: the counter moves away from the bound";
    } else if (test->found) {
        hd_affine init = hd_forms_at(f, test->init, f->kernel->insts[test->phi].block);
        form = hd_affine_is_opaque(init) ? init : form;
    }
    const char *reason = hd_forms_reason(f, form);
    return hd_format(f->arena, "its condition%s %s", line_of(f, compare),
                     reason ? reason : otherwise);
}

static void try_condition(counter *c, uint32_t loop, uint32_t block, hd_condition part, bool means,
                          hd_trip *trip) {
    const hd_forms *f = c->f;
    const kir_inst *compare = &f->kernel->insts[part.value];
    if (compare->op != KIR_ICMP || f->kernel->insts[compare->args[0]].type.kind != KIR_INT) {
        if (!trip->reason)
            trip->reason = hd_format(f->arena, "its condition%s is no comparison of integers",
                                     line_of(f, compare));
        return;
    }
    kir_pred pred = part.truth ? compare->pred : hd_pred_not(compare->pred);
    exit_test test = {.pred = pred};
    hd_trip_hint hint = HD_HINT_NONE;
    hd_forms_walk(f, compare->args[0], false, find_size, &hint);
    if (hint != HD_HINT_WORK_GROUP)
        hd_forms_walk(f, compare->args[1], false, find_size, &hint);
    bool found = find_affine_test(f, loop, compare, &test);
    exit_test run = {.pred = pred};
    if (!found && find_run_test(f, loop, compare, &run)) {
        test = run;
        found = true;
    }
    test.found = found;
    test.block = block;
    if (trip->kind == HD_TRIP_UNKNOWN && hint)
        trip->hint = hint;
    if (!found || !count_by(c, loop, &test, means, trip))
        trip->reason = trip->reason ? trip->reason : why_not(f, &test, compare);
}

static void find_trip(counter *c, uint32_t loop, bool means, hd_trip *trip) {
    const hd_loop *l = &c->f->flow->loops[loop];
    *trip = (hd_trip){.kind = HD_TRIP_UNKNOWN, .test = KIR_NONE};
    uint32_t conditions = 0;
    for (uint32_t i = 0; i < l->exit_count; i++) {
        hd_conditions parts = conditions_to_stay(c->f, loop, l->exits[i]);
        conditions += parts.count ? (uint32_t)parts.count : 1;
        bool each_time = tested_each_time(c->f, loop, l->exits[i]);
        for (size_t k = 0; each_time && k < parts.count; k++)
            try_condition(c, loop, l->exits[i], parts.data[k], means, trip);
    }
    trip->early_exit = conditions > 1;
    if (trip->kind != HD_TRIP_UNKNOWN)
        trip->reason = NULL;
    else if (!trip->reason)
        trip->reason = l->exit_count ? "it is left from inside a branch or an inner loop"
                                     : "it has no exit";
}

void hd_trips_find(const hd_forms *f, hd_trip *trips, bool means) {
    counter c = {.f = f};
    c.tests = hd_new_array(f->arena, exit_test, f->flow->loop_count);
    c.iteration = hd_new_array(f->arena, int64_t, f->flow->loop_count);
    c.phi = hd_new_array(f->arena, int64_t, f->kernel->inst_count);
    c.phi_known = hd_new_array(f->arena, bool, f->kernel->inst_count);
    for (uint32_t l = 0; l < f->flow->loop_count; l++)
        find_trip(&c, l, means, &trips[l]);
}
