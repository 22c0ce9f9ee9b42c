/*
 * mbarrier: barriers that are words in shared memory. All that changes one is a single atomic of kir
 * (KIR_RMW_MBARRIER), whose operand says what is added and taken; to ask one is an atomic load and
 * arithmetic on its bits. Who asks in vain lets the others run (`yield`), or nobody would come.
 *
 * Copies by cp.async and its like are done at once, so a barrier never waits for one; those that say how
 * many bytes they have moved say it at once, too.
 */
#include "frontend/ptx/internal.h"

/* The fields of a barrier in recipes. */
#define ARRIVALS "20"
#define BYTES "40"
#define BYTES_MASK "0x1fffff"
#define PHASE "61"
#define COMPLETE "shl(and(sub(0, a), " BYTES_MASK "), " BYTES ")"
_Static_assert(KIR_MBARRIER_ARRIVALS == 20 && KIR_MBARRIER_BYTES == 40 &&
                   KIR_MBARRIER_BYTES_WIDTH == 21 && KIR_MBARRIER_PHASE == 61,
               "recipes have the fields of a barrier");

/* Operand i as a number of 64 bits. */
static kir_value number(ptx_lowering *l, uint32_t i) {
    return ptx_resize(l, ptx_get(l, i, PTX_U32), ptx_int(64), false);
}

static kir_value recipe(ptx_lowering *l, const char *text, kir_value a, kir_value b) {
    kir_value letters[26] = {a, b};
    return front_recipe(&l->out, text, letters, false, ptx_int(64));
}

/* mbarrier.init [address], count; the first phase lacks all its arrivals. */
static void lower_init(ptx_lowering *l) {
    kir_value address = ptx_address(l, 0, ptx_space_of(l->inst)), count = number(l, 1);
    kir_value start = recipe(l, "or(a, shl(a, " ARRIVALS "))", count, 0);
    front_emit2(&l->out, KIR_STORE, (kir_type){0}, start, address);
}

/* What the barrier was before. */
static kir_value change(ptx_lowering *l, kir_value address, kir_value by) {
    kir_value old =
        front_emit_atomic(&l->out, KIR_RMW_MBARRIER, ptx_int(64), 2, (kir_value[]){address, by});
    ptx_set_order(l, ptx_has(l->inst, "relaxed") ? KIR_UNSAID : KIR_RELEASE);
    l->out.insts.data[old].is_block_scope = !ptx_has(l->inst, "cluster");
    return old;
}

void ptx_complete_bytes(ptx_lowering *l, kir_value barrier, kir_value bytes) {
    bytes = ptx_resize(l, bytes, ptx_int(64), false);
    change(l, barrier, recipe(l, COMPLETE, bytes, 0));
}

/* {state,} [address] {, count or bytes}: what is before the address and behind it. */
static void lower_arrive(ptx_lowering *l) {
    uint32_t at = ptx_operand_at(l, 0)->kind == PTX_ADDRESS ? 0 : 1;
    bool expects = ptx_has(l->inst, "expect_tx"), has_more = l->inst->operand_count > at + 1;
    kir_value address = ptx_address(l, at, ptx_space_of(l->inst));
    kir_value more = has_more ? number(l, at + 1) : 0, one = ptx_number(l, ptx_int(64), 1);
    kir_value count = has_more && !expects ? more : one, by = count;
    if (has_more && expects)
        by = recipe(l, "or(a, shl(b, " BYTES "))", by, more);
    if (ptx_has(l->inst, "arrive_drop"))
        by = recipe(l, "or(a, shl(b, " ARRIVALS "))", by, count);
    kir_value state = change(l, address, by);
    if (at && ptx_operand_at(l, 0)->kind != PTX_SINK)
        ptx_put(l, 0, state, false);
}

/* expect_tx and complete_tx: [address], bytes */
static void lower_bytes(ptx_lowering *l) {
    kir_value address = ptx_address(l, 0, ptx_space_of(l->inst)), bytes = number(l, 1);
    change(l, address, recipe(l, l->what, bytes, 0));
}

/* {test_wait, try_wait}{.parity} p, [address], state or parity {, time}: whether the phase of that
 * state, or the last one of that parity, is complete: then another one is at work. */
static void lower_wait(ptx_lowering *l) {
    bool by_parity = ptx_has(l->inst, "parity");
    kir_value address = ptx_address(l, 1, ptx_space_of(l->inst));
    kir_value asked = by_parity ? number(l, 2) : ptx_get(l, 2, PTX_B64);
    kir_value now = front_emit_atomic(&l->out, KIR_RMW_LOAD, ptx_int(64), 1, &address);
    ptx_set_order(l, ptx_has(l->inst, "relaxed") ? KIR_UNSAID : KIR_ACQUIRE);
    l->out.insts.data[now].is_block_scope = !ptx_has(l->inst, "cluster");
    kir_value done = recipe(l,
                            by_parity ? "ne(and(lshr(a, " PHASE "), 1), b)"
                                      : "ne(lshr(a, " PHASE "), lshr(b, " PHASE "))",
                            now, asked);
    kir_value says = ptx_bool(l, done);
    ptx_put(l, 0, done, false);
    front_emit_call(&l->out, "yield_unless", (kir_type){0}, 1, &says);
}

void ptx_lower_async_arrival(ptx_lowering *l) {
    kir_value address = ptx_address(l, 0, ptx_space_of(l->inst));
    if (ptx_has(l->inst, "noinc"))
        change(l, address, ptx_number(l, ptx_int(64), 1));
}

const ptx_rule ptx_mbarrier_rules[] = {
    {"mbarrier.init", lower_init, NULL, true},
    {"mbarrier.arrive", lower_arrive, NULL, true},
    {"mbarrier.arrive_drop", lower_arrive, NULL, true},
    {"mbarrier.test_wait", lower_wait, NULL, true},
    {"mbarrier.try_wait", lower_wait, NULL, true},
    /* mbarrier.pending_count count, state */
    {"mbarrier.pending_count", NULL, "l: trunc:i32(and(a, 0xfffff))", true},
    {"mbarrier.expect_tx", lower_bytes, "shl(and(a, " BYTES_MASK "), " BYTES ")", true},
    {"mbarrier.complete_tx", lower_bytes, COMPLETE, true},
    {"mbarrier.inval", NULL, "", true},
    {"mbarrier", ptx_lower_refused, "", true},
    {NULL},
};
