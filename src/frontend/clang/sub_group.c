/*
 * Sub-groups, in the forms of Khronos and of Intel. kir has three functions of the lanes that are
 * here: a ballot as a number of 64 bits, the first lane, and what another lane has. All others
 * are arithmetic around these:
 *
 *     sub_group_shuffle_xor(v, m)            shuffle(v, lane ^ m)
 *     intel_sub_group_shuffle_down(a, b, d)  from = lane + d; from < size ? shuffle(a, from)
 *                                                                         : shuffle(b, from - size)
 *     sub_group_ballot_bit_count(b)          popcount(b & lanes of a sub-group)
 *     intel_sub_group_block_read2(p)         (p[lane], p[size + lane])
 *
 * Reductions and scans stay calls.
 */
#include <ctype.h>
#include <stdlib.h>

#include "frontend/clang/internal.h"

static kir_type of_bits(uint8_t bits) { return front_int_type(bits, 1); }

static kir_value number(front_lowering *l, uint8_t bits, int64_t value) {
    return front_const_int(&l->out, of_bits(bits), value);
}

static kir_value with(front_lowering *l, kir_op op, kir_value a, kir_value b) {
    return front_emit2(&l->out, op, front_type_of_value(&l->out, a), a, b);
}

static kir_value with_number(front_lowering *l, kir_op op, kir_value a, int64_t value) {
    return with(l, op, a, number(l, front_type_of_value(&l->out, a).bits, value));
}

static uint32_t size_of_group(const front_lowering *l) { return kir_sub_group(l->kernel); }

static kir_value linear_id(front_lowering *l) {
    kir_value id = front_emit(&l->out, KIR_QUERY, of_bits(64), 0, NULL);
    l->out.insts.data[id].index = KIR_Q_LOCAL_LINEAR_ID;
    return front_emit1(&l->out, KIR_TRUNC, of_bits(32), id);
}

/* An i32: this work-item's place in its sub-group. */
static kir_value lane_of(front_lowering *l) {
    return with_number(l, KIR_AND, linear_id(l), size_of_group(l) - 1);
}

static bool lower_place(front_lowering *l, const front_call *call, kir_value *result) {
    if (!strcmp(call->name, "get_sub_group_local_id"))
        *result = lane_of(l);
    else if (!strcmp(call->name, "get_sub_group_id"))
        *result = with_number(l, KIR_LSHR, linear_id(l), __builtin_ctz(size_of_group(l)));
    else
        return false;
    return true;
}

/* ---- what another lane has -------------------------------------------------------- */

static kir_value shuffle(front_lowering *l, kir_value value, kir_value from) {
    return front_emit_call(&l->out, "sub_group_shuffle", front_type_of_value(&l->out, value), 2,
                           (kir_value[]){value, from});
}

/* The lane, `by` on from this one, that stays among `lanes` whose number is a power of two. */
static kir_value turned(front_lowering *l, kir_value by, kir_value lanes) {
    kir_value lane = lane_of(l), last = with_number(l, KIR_SUB, lanes, 1);
    kir_value on = with(l, KIR_AND, with(l, KIR_ADD, lane, by), last);
    kir_value first = with(l, KIR_AND, lane, with_number(l, KIR_XOR, last, -1));
    return with(l, KIR_OR, first, on);
}

/* The lanes of two values side by side, from lane `from` of the first one on. */
static kir_value of_two(front_lowering *l, kir_value first, kir_value second, kir_value from) {
    kir_value size = number(l, 32, size_of_group(l));
    kir_value in_first = front_emit_compare(&l->out, KIR_P_ULT, from, size);
    kir_value a = shuffle(l, first, from), b = shuffle(l, second, with(l, KIR_SUB, from, size));
    return front_emit_select(&l->out, in_first, a, b);
}

static bool lower_shuffle(front_lowering *l, const front_call *call, kir_value *result) {
    const char *name = call->name;
    bool is_intel = starts_with(name, "intel_");
    name += is_intel ? strlen("intel_") : 0;
    kir_value value = call->arg_count ? call->args[0] : KIR_NONE;
    kir_value second = call->arg_count > 1 ? call->args[1] : KIR_NONE;
    if (hd_has_word("sub_group_shuffle sub_group_non_uniform_broadcast", name))
        *result = shuffle(l, value, second);
    else if (!strcmp(name, "sub_group_shuffle_xor"))
        *result = shuffle(l, value, with(l, KIR_XOR, lane_of(l), second));
    else if (!strcmp(name, "sub_group_broadcast_first"))
        *result =
            shuffle(l, value, front_emit_call(&l->out, "sub_group_first", of_bits(32), 0, NULL));
    else if (!strcmp(name, "sub_group_rotate"))
        *result = shuffle(l, value, turned(l, second, number(l, 32, size_of_group(l))));
    else if (!strcmp(name, "sub_group_clustered_rotate"))
        *result = shuffle(l, value, turned(l, second, call->args[2]));
    else if (is_intel && !strcmp(name, "sub_group_shuffle_down"))
        *result = of_two(l, value, second, with(l, KIR_ADD, lane_of(l), call->args[2]));
    else if (is_intel && !strcmp(name, "sub_group_shuffle_up"))
        *result = of_two(
            l, value, second,
            with_number(l, KIR_ADD, with(l, KIR_SUB, lane_of(l), call->args[2]), size_of_group(l)));
    else if (!strcmp(name, "sub_group_shuffle_up"))
        *result = shuffle(l, value, with(l, KIR_SUB, lane_of(l), second));
    else if (!strcmp(name, "sub_group_shuffle_down"))
        *result = shuffle(l, value, with(l, KIR_ADD, lane_of(l), second));
    else
        return false;
    return true;
}

/* ---- ballots ------------------------------------------------------------------------ */

static kir_value ballot(front_lowering *l, kir_value holds) {
    kir_value vote = front_emit1(&l->out, KIR_ZEXT, of_bits(32), holds);
    return front_emit_call(&l->out, "sub_group_ballot", of_bits(64), 1, &vote);
}

static kir_value is_not_zero(front_lowering *l, kir_value value) {
    return front_emit_compare(&l->out, KIR_P_NE, value,
                              number(l, front_type_of_value(&l->out, value).bits, 0));
}

/* A uint4 as OpenCL has ballots: 64 lanes are in its first two components. */
static kir_value as_vector(front_lowering *l, kir_value bits) {
    kir_type type = front_int_type(32, 4);
    kir_value vector = front_const_int(&l->out, type, 0);
    for (uint32_t i = 0; i < 2; i++) {
        kir_value half = i ? with_number(l, KIR_LSHR, bits, 32) : bits;
        kir_value args[] = {vector, front_emit1(&l->out, KIR_TRUNC, of_bits(32), half),
                            number(l, 64, i)};
        vector = front_emit(&l->out, KIR_INSERT, type, 3, args);
    }
    return vector;
}

static kir_value as_bits(front_lowering *l, kir_value vector) {
    kir_value halves[2];
    for (uint32_t i = 0; i < 2; i++) {
        kir_value half = front_emit2(&l->out, KIR_EXTRACT, of_bits(32), vector, number(l, 64, i));
        halves[i] = front_emit1(&l->out, KIR_ZEXT, of_bits(64), half);
    }
    return with(l, KIR_OR, halves[0], with_number(l, KIR_SHL, halves[1], 32));
}

/* The lanes of a sub-group that stand in some order to this one, as bits: "eq", "ge", "gt", "le",
 * "lt"; "all". */
static kir_value lanes_that(front_lowering *l, const char *order) {
    int64_t all = (int64_t)(UINT64_MAX >> (64 - size_of_group(l)));
    if (!strcmp(order, "all"))
        return number(l, 64, all);
    kir_value lane = front_emit1(&l->out, KIR_ZEXT, of_bits(64), lane_of(l));
    kir_value own = with(l, KIR_SHL, number(l, 64, 1), lane);
    kir_value below = with_number(l, KIR_SUB, own, 1);
    if (!strcmp(order, "eq"))
        return own;
    if (!strcmp(order, "lt"))
        return below;
    kir_value to_own = with(l, KIR_OR, below, own);
    if (!strcmp(order, "le"))
        return to_own;
    kir_value not = !strcmp(order, "gt") ? to_own : below;
    return with_number(l, KIR_AND, with_number(l, KIR_XOR, not, -1), all);
}

static kir_value bits_call(front_lowering *l, const char *name, kir_value bits) {
    kir_value value = front_emit_call(&l->out, name, of_bits(64), 1, &bits);
    return front_emit1(&l->out, KIR_TRUNC, of_bits(32), value);
}

static kir_value count(front_lowering *l, kir_value ballot, const char *of) {
    return bits_call(l, "popcount", with(l, KIR_AND, ballot, lanes_that(l, of)));
}

/* A bit of a ballot, as an int. */
static kir_value bit_at(front_lowering *l, kir_value ballot, kir_value place) {
    kir_value wide = front_emit1(&l->out, KIR_ZEXT, of_bits(64), place);
    kir_value bit = with_number(l, KIR_AND, with(l, KIR_LSHR, ballot, wide), 1);
    return front_emit1(&l->out, KIR_TRUNC, of_bits(32), bit);
}

static bool lower_of_ballot(front_lowering *l, const front_call *call, kir_value *result) {
    static const char *const sums[][2] = {{"sub_group_ballot_bit_count", "all"},
                                          {"sub_group_ballot_inclusive_scan", "le"},
                                          {"sub_group_ballot_exclusive_scan", "lt"}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (!strcmp(call->name, sums[i][0])) {
            *result = count(l, as_bits(l, call->args[0]), sums[i][1]);
            return true;
        }
    if (!strcmp(call->name, "sub_group_inverse_ballot"))
        *result = bit_at(l, as_bits(l, call->args[0]), lane_of(l));
    else if (!strcmp(call->name, "sub_group_ballot_bit_extract"))
        *result = bit_at(l, as_bits(l, call->args[0]), call->args[1]);
    else if (!strcmp(call->name, "sub_group_ballot_find_lsb"))
        *result = bits_call(l, "ctz", as_bits(l, call->args[0]));
    else if (!strcmp(call->name, "sub_group_ballot_find_msb"))
        *result =
            with(l, KIR_SUB, number(l, 32, 63), bits_call(l, "clz", as_bits(l, call->args[0])));
    else
        return false;
    return true;
}

static kir_value differs_from_first(front_lowering *l, kir_value value) {
    kir_value first = front_emit_call(&l->out, "sub_group_first", of_bits(32), 0, NULL);
    bool is_float = front_type_of_value(&l->out, value).kind == KIR_FLOAT;
    return front_emit_compare(&l->out, is_float ? KIR_P_UNE : KIR_P_NE, value,
                              shuffle(l, value, first));
}

/* 1 where the condition holds for no lane, or for any. */
static kir_value voted(front_lowering *l, kir_value holds, bool any) {
    kir_value votes = ballot(l, holds);
    kir_value yes = front_emit_compare(&l->out, any ? KIR_P_NE : KIR_P_EQ, votes, number(l, 64, 0));
    return front_emit1(&l->out, KIR_ZEXT, of_bits(32), yes);
}

static bool lower_vote(front_lowering *l, const front_call *call, kir_value *result) {
    const char *name = call->name;
    kir_value value = call->arg_count ? call->args[0] : KIR_NONE;
    if (!strcmp(name, "sub_group_ballot")) {
        *result = as_vector(l, ballot(l, is_not_zero(l, value)));
    } else if (!strcmp(name, "sub_group_non_uniform_any")) {
        *result = voted(l, is_not_zero(l, value), true);
    } else if (!strcmp(name, "sub_group_non_uniform_all")) {
        kir_value zero = number(l, front_type_of_value(&l->out, value).bits, 0);
        *result = voted(l, front_emit_compare(&l->out, KIR_P_EQ, value, zero), false);
    } else if (!strcmp(name, "sub_group_non_uniform_all_equal")) {
        *result = voted(l, differs_from_first(l, value), false);
    } else if (!strcmp(name, "sub_group_elect")) {
        kir_value first = front_emit_call(&l->out, "sub_group_first", of_bits(32), 0, NULL);
        kir_value is_first = front_emit_compare(&l->out, KIR_P_EQ, first, lane_of(l));
        *result = front_emit1(&l->out, KIR_ZEXT, of_bits(32), is_first);
    } else {
        return false;
    }
    return true;
}

/* get_sub_group_ge_mask() */
static bool lower_mask(front_lowering *l, const front_call *call, kir_value *result) {
    static const char prefix[] = "get_sub_group_", suffix[] = "_mask";
    if (!starts_with(call->name, prefix) || !hd_ends_in(call->name, suffix))
        return false;
    const char *order = call->name + strlen(prefix);
    *result =
        as_vector(l, lanes_that(l, hd_strndup(l->arena, order, strlen(order) - strlen(suffix))));
    return true;
}

/* ---- blocks of memory ------------------------------------------------------------ */

/* Each lane reads or writes its elements at once, those of one component next to each other. */
static bool lower_block(front_lowering *l, const front_call *call, kir_value *result) {
    bool writes = starts_with(call->name, "intel_sub_group_block_write");
    if (!writes && !starts_with(call->name, "intel_sub_group_block_read"))
        return false;
    kir_type type = writes ? front_type_of_value(&l->out, call->args[1]) : call->type;
    kir_type element = front_element_type(type);
    int64_t bytes = element.bits / 8;
    kir_value base = front_emit_addr(&l->out, call->args[0], lane_of(l), bytes, 0);
    kir_value vector = writes ? call->args[1] : front_leaf(&l->out, KIR_UNDEF, type, NULL, 0);
    for (uint32_t k = 0; k < type.lanes; k++) {
        kir_value at = front_emit_addr(&l->out, base, KIR_NONE, 0, k * size_of_group(l) * bytes);
        kir_value place = number(l, 64, k);
        if (writes) {
            kir_value part = type.lanes == 1
                                 ? vector
                                 : front_emit2(&l->out, KIR_EXTRACT, element, vector, place);
            front_emit_store(&l->out, part, at, (uint32_t)bytes);
            continue;
        }
        kir_value part = front_emit_load(&l->out, element, at, (uint32_t)bytes);
        vector = type.lanes == 1
                     ? part
                     : front_emit(&l->out, KIR_INSERT, type, 3, (kir_value[]){vector, part, place});
    }
    if (!writes)
        *result = vector;
    return true;
}

bool front_lower_sub_group(front_lowering *l, const front_call *call, kir_value *result) {
    if (!strstr(call->name, "sub_group"))
        return false;
    return lower_place(l, call, result) || lower_shuffle(l, call, result) ||
           lower_of_ballot(l, call, result) || lower_vote(l, call, result) ||
           lower_mask(l, call, result) || lower_block(l, call, result);
}
