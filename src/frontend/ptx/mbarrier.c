/*
 * mbarrier: barriers that are words in shared memory. All that changes one is a single atomic of kir
 * (KIR_RMW_MBARRIER), whose operand says what is added and taken; to ask one is an atomic load and
 * arithmetic on its bits. Who asks in vain lets the others run (`yield`), or nobody would come.
 *
 * Copies by cp.async are done at once, so a barrier never waits for one.
 */
#include "frontend/ptx/internal.h"

static kir_type word(void) { return ptx_int(64); }

static kir_value shifted(ptx_lowering *l, kir_value value, int64_t bits) {
    return bits ? ptx_op(l, KIR_SHL, value, ptx_number(l, word(), bits)) : value;
}

/* Operand i as a number of 64 bits. */
static kir_value number(ptx_lowering *l, uint32_t i) {
    return ptx_resize(l, ptx_get(l, i, PTX_U32), word(), false);
}

/* mbarrier.init [address], count; the first phase lacks all its arrivals. */
static void lower_init(ptx_lowering *l) {
    kir_value address = ptx_address(l, 0, ptx_space_of(l->inst)), count = number(l, 1);
    if (l->out.status)
        return;
    kir_value start = ptx_op(l, KIR_OR, count, shifted(l, count, KIR_MBARRIER_ARRIVALS));
    front_emit2(&l->out, KIR_STORE, (kir_type){0}, start, address);
}

/* What the barrier was before. */
static kir_value change(ptx_lowering *l, kir_value address, kir_value by) {
    return front_emit_atomic(&l->out, KIR_RMW_MBARRIER, word(), 2, (kir_value[]){address, by});
}

/* {state,} [address] {, count or bytes}: what is before the address and behind it. */
static uint32_t address_at(ptx_lowering *l) {
    return ptx_operand_at(l, 0)->kind == PTX_ADDRESS ? 0 : 1;
}

static kir_value bytes_of(ptx_lowering *l, uint32_t i) {
    return shifted(l, number(l, i), KIR_MBARRIER_BYTES);
}

static void lower_arrive(ptx_lowering *l) {
    uint32_t at = address_at(l);
    bool expects = ptx_has(l->inst, "expect_tx"), has_more = l->inst->operand_count > at + 1;
    kir_value address = ptx_address(l, at, ptx_space_of(l->inst));
    kir_value by = ptx_number(l, word(), 1);
    if (has_more && !expects)
        by = number(l, at + 1);
    else if (has_more)
        by = ptx_op(l, KIR_OR, by, bytes_of(l, at + 1));
    if (l->out.status)
        return;
    if (!strcmp(l->inst->words[1], "arrive_drop")) {
        kir_value count = has_more && !expects ? by : ptx_number(l, word(), 1);
        by = ptx_op(l, KIR_OR, by, shifted(l, count, KIR_MBARRIER_ARRIVALS));
    }
    kir_value state = change(l, address, by);
    if (at && ptx_operand_at(l, 0)->kind != PTX_SINK)
        ptx_put(l, 0, state, false);
}

/* expect_tx and complete_tx: [address], bytes */
static void lower_bytes(ptx_lowering *l, bool is_complete) {
    kir_value address = ptx_address(l, 0, ptx_space_of(l->inst)), bytes = number(l, 1);
    if (l->out.status)
        return;
    if (is_complete)
        bytes = ptx_op(l, KIR_SUB, ptx_number(l, word(), 0), bytes);
    bytes = ptx_op(l, KIR_AND, bytes, ptx_number(l, word(), (1 << KIR_MBARRIER_BYTES_WIDTH) - 1));
    change(l, address, shifted(l, bytes, KIR_MBARRIER_BYTES));
}

static kir_value phase_of(ptx_lowering *l, kir_value state) {
    return ptx_op(l, KIR_LSHR, state, ptx_number(l, word(), KIR_MBARRIER_PHASE));
}

/* {test_wait, try_wait}{.parity} p, [address], state or parity {, time}: whether the phase of that
 * state, or the last one of that parity, is complete: then another one is at work. */
static void lower_wait(ptx_lowering *l) {
    bool by_parity = ptx_has(l->inst, "parity");
    kir_value address = ptx_address(l, 1, ptx_space_of(l->inst));
    kir_value asked = by_parity ? number(l, 2) : ptx_get(l, 2, PTX_B64);
    if (l->out.status)
        return;
    kir_value now = front_emit_atomic(&l->out, KIR_RMW_LOAD, word(), 1, &address);
    kir_value phase = phase_of(l, now), one = ptx_number(l, word(), 1);
    if (by_parity)
        phase = ptx_op(l, KIR_AND, phase, one);
    else
        asked = phase_of(l, asked);
    kir_value done = ptx_is(l, KIR_P_NE, phase, asked), says = ptx_bool(l, done);
    ptx_put(l, 0, done, false);
    front_emit_call(&l->out, "yield_unless", (kir_type){0}, 1, &says);
}

/* mbarrier.pending_count count, state */
static void lower_pending(ptx_lowering *l) {
    kir_value state = ptx_get(l, 1, PTX_B64);
    if (l->out.status)
        return;
    kir_value mask = ptx_number(l, word(), (1 << KIR_MBARRIER_ARRIVALS) - 1);
    ptx_put(l, 0, ptx_resize(l, ptx_op(l, KIR_AND, state, mask), ptx_int(32), false), false);
}

static void lower_mbarrier(ptx_lowering *l, const void *what) {
    (void)what;
    const char *name = l->inst->word_count > 1 ? l->inst->words[1] : "";
    if (!strcmp(name, "init"))
        lower_init(l);
    else if (!strcmp(name, "arrive") || !strcmp(name, "arrive_drop"))
        lower_arrive(l);
    else if (!strcmp(name, "test_wait") || !strcmp(name, "try_wait"))
        lower_wait(l);
    else if (!strcmp(name, "pending_count"))
        lower_pending(l);
    else if (!strcmp(name, "expect_tx") || !strcmp(name, "complete_tx"))
        lower_bytes(l, name[0] == 'c');
    else if (strcmp(name, "inval") != 0)
        ptx_cannot(l, "%s is not supported", ptx_opcode(l->arena, l->inst));
}

void ptx_lower_async_arrival(ptx_lowering *l) {
    kir_value address = ptx_address(l, 0, ptx_space_of(l->inst));
    if (!l->out.status && ptx_has(l->inst, "noinc"))
        change(l, address, ptx_number(l, word(), 1));
}

/* All others of the block that can run do so first. */
static void lower_sleep(ptx_lowering *l, const void *what) {
    (void)what;
    front_emit_call(&l->out, "yield", (kir_type){0}, 0, NULL);
}

const ptx_rule ptx_mbarrier_rules[] = {
    {"mbarrier", lower_mbarrier, NULL, true},
    {"nanosleep", lower_sleep, NULL, true},
    {NULL},
};
