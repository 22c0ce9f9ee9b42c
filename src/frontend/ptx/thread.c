/* Barriers, warps, and what else concerns several threads. docs/kir.md has the calls. */
#include "frontend/ptx/internal.h"

static kir_type word(void) { return ptx_int(32); }

static kir_value call(ptx_lowering *l, const char *name, uint32_t count, const kir_value *args) {
    return front_emit_call(&l->out, name, word(), count, args);
}

/* ---- barriers and fences ----------------------------------------------------- */

static void emit_sync(ptx_lowering *l, kir_op op) {
    front_emit1(&l->out, op, (kir_type){0}, ptx_number(l, word(), 3));
}

/* Barrier 0 of all threads. */
static bool is_whole(ptx_lowering *l, kir_value number, bool has_count) {
    const kir_inst *inst = &l->out.insts.data[number];
    return inst->op == KIR_CONST && !inst->imm[0] && !has_count;
}

/* bar.red.popc.u32 d, number{, threads}, {!}p */
static void lower_reduction(ptx_lowering *l) {
    bool counts = ptx_has(l->inst, "popc"), has_count = l->inst->operand_count > 3;
    const char *mode = counts ? "count" : ptx_has(l->inst, "and") ? "and" : "or";
    kir_value number = ptx_get(l, 1, PTX_U32);
    kir_value threads = has_count ? ptx_get(l, 2, PTX_U32) : ptx_number(l, word(), 0);
    kir_value bit = ptx_get(l, has_count ? 3 : 2, PTX_PRED);
    if (l->out.status)
        return;
    kir_value args[] = {number, threads, ptx_bool(l, bit)}, d;
    if (is_whole(l, number, has_count))
        d = call(l, hd_format(l->arena, "barrier_%s", mode), 1, &args[2]);
    else
        d = call(l, hd_format(l->arena, "barrier_named_%s", mode), 3, args);
    ptx_put(l, 0, counts ? d : ptx_is_not_zero(l, d), false);
}

static void lower_barrier(ptx_lowering *l, const void *what) {
    (void)what;
    if (ptx_has(l->inst, "warp")) {
        kir_value mask = ptx_get(l, 0, PTX_B32);
        if (!l->out.status)
            front_emit_call(&l->out, "warp_sync", (kir_type){0}, 1, &mask);
        return;
    }
    if (ptx_has(l->inst, "cluster")) {
        ptx_cannot(l, "%s: clusters of blocks are not supported", ptx_opcode(l->arena, l->inst));
        return;
    }
    if (ptx_has(l->inst, "red")) {
        lower_reduction(l);
        return;
    }
    bool has_count = l->inst->operand_count > 1, arrives = ptx_has(l->inst, "arrive");
    kir_value number = ptx_get(l, 0, PTX_U32);
    kir_value threads = has_count ? ptx_get(l, 1, PTX_U32) : ptx_number(l, word(), 0);
    if (l->out.status)
        return;
    if (is_whole(l, number, has_count) && !arrives)
        emit_sync(l, KIR_BARRIER);
    else
        front_emit_call(&l->out, arrives ? "barrier_arrive" : "barrier_named", (kir_type){0}, 2,
                        (kir_value[]){number, threads});
}

static void lower_fence(ptx_lowering *l, const void *what) {
    (void)what;
    if (ptx_has(l->inst, "mbarrier_init") || ptx_has(l->inst, "proxy"))
        return;
    emit_sync(l, KIR_FENCE);
}

/* ---- votes and matches -------------------------------------------------------- */

/* The mask that operand i is; without .sync, as before PTX 6, all that are here. */
static kir_value members(ptx_lowering *l, uint32_t i) {
    return ptx_has(l->inst, "sync") ? ptx_get(l, i, PTX_B32) : call(l, "active_mask", 0, NULL);
}

static void lower_vote(ptx_lowering *l, const void *what) {
    (void)what;
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    kir_value bit = ptx_get(l, 1, PTX_PRED), mask = members(l, 2);
    for (size_t i = 0; i < 4 && !l->out.status; i++) {
        if (!ptx_has(l->inst, modes[i]))
            continue;
        kir_value args[] = {mask, ptx_bool(l, bit)};
        kir_value d = call(l, hd_format(l->arena, "warp_%s", modes[i]), 2, args);
        ptx_put(l, 0, i < 3 ? ptx_is_not_zero(l, d) : d, false);
        return;
    }
    ptx_wrong(l, "%s has no mode", ptx_opcode(l->arena, l->inst));
}

static void lower_match(ptx_lowering *l, const void *what) {
    (void)what;
    bool all = ptx_has(l->inst, "all");
    const ptx_operand *to = ptx_operand_at(l, 0);
    kir_value value = ptx_get(l, 1, ptx_type_of(l->inst, 0)), mask = ptx_get(l, 2, PTX_B32);
    if (l->out.status)
        return;
    kir_value args[] = {mask, value};
    kir_value d = call(l, all ? "warp_match_all" : "warp_match_any", 2, args);
    if (to->kind != PTX_PAIR) {
        ptx_put_to(l, to, d, false);
        return;
    }
    kir_value p = ptx_is_not_zero(l, call(l, "warp_match_all_pred", 2, args));
    ptx_put_to(l, &to->list[0], d, false);
    ptx_put_to(l, &to->list[1], p, false);
}

/* ---- shuffles and reductions ----------------------------------------------------- */

/* shfl.sync.idx.b32 d|p, value, b, c, mask */
static void lower_shuffle(ptx_lowering *l, const void *what) {
    (void)what;
    static const char *const modes[] = {"idx", "up", "down", "bfly"};
    size_t mode = 0;
    while (mode < 4 && !ptx_has(l->inst, modes[mode]))
        mode++;
    const ptx_operand *to = ptx_operand_at(l, 0), *from = ptx_operand_at(l, 1);
    ptx_type type = ptx_declared(l, from) == PTX_F32 ? PTX_F32 : PTX_B32;
    kir_value value = ptx_value(l, from, type), b = ptx_get(l, 2, PTX_U32);
    kir_value c = ptx_get(l, 3, PTX_U32), mask = members(l, 4);
    if (mode == 4)
        ptx_wrong(l, "%s has no mode", ptx_opcode(l->arena, l->inst));
    if (l->out.status)
        return;
    kir_value args[] = {mask, value, b, c};
    const char *name = hd_format(l->arena, "shuffle_%s", modes[mode]);
    kir_value d = front_emit_call(&l->out, name, ptx_type_of_value(l, value), 4, args);
    if (to->kind != PTX_PAIR) {
        ptx_put_to(l, to, d, false);
        return;
    }
    kir_value p = call(l, hd_format(l->arena, "%s_pred", name), 4, args);
    ptx_put_to(l, &to->list[0], d, false);
    ptx_put_to(l, &to->list[1], ptx_is_not_zero(l, p), false);
}

/* Bits of floats as unsigned numbers of the same order. NaN counts for less than all, or, with
 * .NaN, for more, whichever is sought: it is at one of the two ends. */
static kir_value ordered(ptx_lowering *l, kir_value value, bool is_max) {
    kir_value zero = ptx_number(l, word(), 0), sign = ptx_number(l, word(), INT32_MIN);
    kir_value magnitude = ptx_op(l, KIR_AND, value, ptx_not(l, sign));
    if (ptx_has(l->inst, "abs"))
        value = magnitude;
    kir_value key = ptx_choose(l, ptx_is(l, KIR_P_SLT, value, zero), ptx_not(l, value),
                               ptx_op(l, KIR_XOR, value, sign));
    kir_value is_nan = ptx_is(l, KIR_P_UGT, magnitude, ptx_number(l, word(), 0x7f800000));
    bool is_above = ptx_has(l->inst, "NaN") == is_max;
    return ptx_choose(l, is_nan, ptx_number(l, word(), is_above ? -1 : 0), key);
}

/* redux.sync.min{.abs}{.NaN}.f32 d, value, mask */
static void lower_float_redux(ptx_lowering *l) {
    bool is_max = ptx_has(l->inst, "max");
    kir_value value = ptx_get(l, 1, PTX_B32), mask = ptx_get(l, 2, PTX_B32);
    if (ptx_type_of(l->inst, 0) != PTX_F32 || (!is_max && !ptx_has(l->inst, "min")))
        ptx_cannot(l, "%s is not supported; min and max of f32 are", ptx_opcode(l->arena, l->inst));
    if (l->out.status)
        return;
    kir_value args[] = {mask, ordered(l, value, is_max)};
    kir_value key = call(l, is_max ? "warp_reduce_umax" : "warp_reduce_umin", 2, args);
    kir_value zero = ptx_number(l, word(), 0), sign = ptx_number(l, word(), INT32_MIN);
    kir_value bits = ptx_choose(l, ptx_is(l, KIR_P_SLT, key, zero), ptx_op(l, KIR_XOR, key, sign),
                                ptx_not(l, key));
    kir_value is_none = ptx_is(l, KIR_P_EQ, key, zero);
    ptx_put(l, 0, ptx_choose(l, is_none, ptx_number(l, word(), INT32_MAX), bits), false);
}

static void lower_redux(ptx_lowering *l, const void *what) {
    (void)what;
    static const char *const names[] = {"add", "and", "or", "xor", "min", "max"};
    ptx_type type = ptx_type_of(l->inst, 0);
    if (ptx_is_float(type)) {
        lower_float_redux(l);
        return;
    }
    kir_value value = ptx_get(l, 1, type), mask = ptx_get(l, 2, PTX_B32);
    for (size_t i = 0; i < 6 && !l->out.status; i++) {
        if (!ptx_has(l->inst, names[i]))
            continue;
        const char *sign = i >= 4 && !ptx_is_signed(type) ? "u" : "";
        kir_value args[] = {mask, value};
        ptx_put(l, 0, call(l, hd_format(l->arena, "warp_reduce_%s%s", sign, names[i]), 2, args),
                false);
        return;
    }
}

static void lower_activemask(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_put(l, 0, call(l, "active_mask", 0, NULL), false);
}

/* The lowest thread of the mask, and whether it is this one. */
static void lower_elect(ptx_lowering *l, const void *what) {
    (void)what;
    const ptx_operand *to = ptx_operand_at(l, 0);
    kir_value mask = ptx_get(l, 1, PTX_B32);
    if (l->out.status)
        return;
    kir_value is = ptx_is_not_zero(l, call(l, "elect", 1, &mask));
    bool is_pair = to->kind == PTX_PAIR;
    if (is_pair)
        ptx_put_to(l, &to->list[0], ptx_call1(l, "ctz", mask), false);
    ptx_put_to(l, is_pair ? &to->list[1] : to, is, false);
}

/* ---- the rest ------------------------------------------------------------------------ */

static void lower_nothing(ptx_lowering *l, const void *what) {
    (void)l;
    (void)what;
}

static void lower_trap(ptx_lowering *l, const void *what) {
    (void)what;
    front_emit_call(&l->out, "trap", (kir_type){0}, 0, NULL);
}

const ptx_rule ptx_thread_rules[] = {
    {"bar", lower_barrier, NULL, true},
    {"barrier", lower_barrier, NULL, true},
    {"membar", lower_fence, NULL, true},
    {"fence", lower_fence, NULL, true},
    {"vote", lower_vote, NULL, true},
    {"match", lower_match, NULL, true},
    {"shfl", lower_shuffle, NULL, true},
    {"redux", lower_redux, NULL, true},
    {"activemask", lower_activemask, NULL, true},
    {"elect", lower_elect, NULL, true},
    {"trap", lower_trap, NULL, true},
    {"brkpt", lower_nothing, NULL, false},
    {"pmevent", lower_nothing, NULL, false},
    {"setmaxnreg", lower_nothing, NULL, false},
    {"griddepcontrol", lower_nothing, NULL, false},
    {NULL},
};
