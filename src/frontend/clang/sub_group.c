/*
 * Sub-groups, in the forms of Khronos and of Intel. kir has three functions of the lanes that are
 * here: a ballot as a number of 64 bits, the first lane, and what another lane has. All others
 * are arithmetic around these, in recipes (recipe.c) of
 *
 *     a b c d   the arguments
 *     i         this work-item's place in its block, l its place in its sub-group
 *     n e g     lanes of a sub-group, one less, and the logarithm
 *     m         all lanes of a sub-group as bits
 *
 * Reductions and scans stay calls.
 */
#include "frontend/clang/internal.h"

#define SHUFFLE(value, from) "sub_group_shuffle(" value ", " from ")"
#define BALLOT(holds) "sub_group_ballot:i64(zext:i32(" holds "))"
/* A uint4 as OpenCL has ballots: 64 lanes are in its first two components. */
#define VECTOR(bits)                                                                              \
    "v = " bits "; insert:i32x4(insert:i32x4(0:i32x4, trunc:i32(v), 0), trunc:i32(lshr(v, 32)), " \
    "1)"
#define BITS "v = or(zext:i64(extract:i32(a, 0)), shl(zext:i64(extract:i32(a, 1)), 32)); "
#define COUNT(lanes) "trunc:i32(popcount(and(v, " lanes ")))"
/* The lanes that stand in some order to this one, as bits. */
#define OWN "o = shl(1:i64, zext:i64(l)); "
#define BELOW OWN "u = sub(o, 1); "
#define BIT_AT(place) "trunc:i32(and(lshr(v, zext:i64(" place ")), 1))"
/* The lane, b on from this one, that stays among some whose number is a power of two. */
#define TURNED(last) "or(and(l, xor(" last ", -1)), and(add(l, b), " last "))"
/* The lanes of two values side by side, from lane f of the first one on. */
#define OF_TWO(from)                                                                        \
    "f = " from "; select(ult(f, n), " SHUFFLE("a", "f") ", " SHUFFLE("b", "sub(f, n)") ")"
#define FIRST "sub_group_first:i32()"

static const front_named_recipe recipes[] = {
    {"get_sub_group_local_id", "l"},
    {"get_sub_group_id", "lshr(i, g)"},
    {"sub_group_shuffle", SHUFFLE("a", "b")},
    {"sub_group_non_uniform_broadcast", SHUFFLE("a", "b")},
    {"sub_group_shuffle_xor", SHUFFLE("a", "xor(l, b)")},
    {"sub_group_broadcast_first", SHUFFLE("a", FIRST)},
    {"sub_group_rotate", SHUFFLE("a", TURNED("e"))},
    {"sub_group_clustered_rotate", "e = sub(c, 1); " SHUFFLE("a", TURNED("e"))},
    {"intel_sub_group_shuffle_down", OF_TWO("add(l, c)")},
    {"intel_sub_group_shuffle_up", OF_TWO("add(sub(l, c), n)")},
    {"sub_group_shuffle_up", SHUFFLE("a", "sub(l, b)")},
    {"sub_group_shuffle_down", SHUFFLE("a", "add(l, b)")},
    {"sub_group_ballot", VECTOR(BALLOT("ne(a, 0)"))},
    {"sub_group_ballot_bits", BALLOT("ne(a, 0)")}, /* HIP's */
    {"sub_group_ballot_bit_count", BITS COUNT("m")},
    {"sub_group_ballot_inclusive_scan", BITS BELOW COUNT("or(u, o)")},
    {"sub_group_ballot_exclusive_scan", BITS BELOW COUNT("u")},
    {"sub_group_inverse_ballot", BITS BIT_AT("l")},
    {"sub_group_ballot_bit_extract", BITS BIT_AT("b")},
    {"sub_group_ballot_find_lsb", BITS "trunc:i32(ctz(v))"},
    {"sub_group_ballot_find_msb", BITS "sub(63, trunc:i32(clz(v)))"},
    {"sub_group_non_uniform_any", "zext:i32(ne(" BALLOT("ne(a, 0)") ", 0))"},
    {"sub_group_non_uniform_all", "zext:i32(eq(" BALLOT("eq(a, 0)") ", 0))"},
    {"sub_group_elect", "zext:i32(eq(" FIRST ", l))"},
    {"get_sub_group_eq_mask", OWN VECTOR("o")},
    {"get_sub_group_lt_mask", BELOW VECTOR("u")},
    {"get_sub_group_le_mask", BELOW VECTOR("or(u, o)")},
    {"get_sub_group_gt_mask", BELOW VECTOR("and(xor(or(u, o), -1), m)")},
    {"get_sub_group_ge_mask", BELOW VECTOR("and(xor(u, -1), m)")},
};

static const char *recipe_of(const char *name) {
    const char *recipe = FRONT_FIND(recipes, name);
    bool is_intel = !recipe && starts_with(name, "intel_sub_group_shuffle");
    return is_intel ? FRONT_FIND(recipes, name + strlen("intel_")) : recipe;
}

/* Each lane reads or writes its elements at once, those of one component next to each other:
 * intel_sub_group_block_read2(p) is (p[lane], p[size + lane]). */
static bool lower_block(front_lowering *l, front_call *call, kir_value lane) {
    bool writes = starts_with(call->name, "intel_sub_group_block_write");
    if (!writes && !starts_with(call->name, "intel_sub_group_block_read"))
        return false;
    kir_type type = writes ? front_type_of_value(&l->out, call->args[1]) : call->type;
    kir_type element = front_element_type(type);
    int64_t bytes = element.bits / 8;
    kir_value base = front_emit_addr(&l->out, call->args[0], lane, bytes, 0);
    kir_value parts[16];
    for (uint32_t k = 0; k < type.lanes; k++) {
        kir_value at = front_emit_addr(&l->out, base, KIR_NONE, 0,
                                       (int64_t)k * kir_sub_group(l->kernel) * bytes);
        if (writes)
            front_emit_store(&l->out, front_part(&l->out, call->args[1], k), at, (uint32_t)bytes);
        else
            parts[k] = front_emit_load(&l->out, element, at, (uint32_t)bytes);
    }
    if (!writes)
        call->result = front_join(&l->out, type.lanes, parts);
    return true;
}

bool front_lower_sub_group(front_lowering *l, front_call *call) {
    const char *recipe = recipe_of(call->name);
    bool is_block = starts_with(call->name, "intel_sub_group_block_");
    bool is_equal = !strcmp(call->name, "sub_group_non_uniform_all_equal");
    if (!recipe && !is_block && !is_equal)
        return false;
    kir_type word = front_int_type(32, 1);
    uint32_t size = kir_sub_group(l->kernel);
    kir_value letters[26] = {0};
    for (uint32_t i = 0; i < call->arg_count && i < 4; i++)
        letters[i] = call->args[i];
    kir_value id = front_emit(&l->out, KIR_QUERY, front_int_type(64, 1), 0, NULL);
    l->out.insts.data[id].index = KIR_Q_LOCAL_LINEAR_ID;
    letters['i' - 'a'] = front_emit1(&l->out, KIR_TRUNC, word, id);
    letters['n' - 'a'] = front_const_int(&l->out, word, size);
    letters['e' - 'a'] = front_const_int(&l->out, word, size - 1);
    letters['g' - 'a'] = front_const_int(&l->out, word, __builtin_ctz(size));
    letters['m' - 'a'] =
        front_const_int(&l->out, front_int_type(64, 1), (int64_t)(UINT64_MAX >> (64 - size)));
    letters['l' - 'a'] =
        front_emit2(&l->out, KIR_AND, word, letters['i' - 'a'], letters['e' - 'a']);
    if (is_block)
        return lower_block(l, call, letters['l' - 'a']);
    if (is_equal) {
        bool is_float = front_type_of_value(&l->out, call->args[0]).kind == KIR_FLOAT;
        recipe = is_float ? "zext:i32(eq(" BALLOT("une(a, " SHUFFLE("a", FIRST) ")") ", 0))"
                          : "zext:i32(eq(" BALLOT("ne(a, " SHUFFLE("a", FIRST) ")") ", 0))";
    }
    call->result = front_recipe(&l->out, recipe, letters, false, call->type);
    return true;
}
