/* Integer arithmetic. */
#include "frontend/ptx/internal.h"

static kir_value add(ptx_lowering *l, kir_value a, kir_value b) { return ptx_op(l, KIR_ADD, a, b); }

/* "mul_hi", or "u_mul_hi" of unsigned numbers. */
static const char *named(ptx_lowering *l, const char *name, ptx_type type) {
    return ptx_is_signed(type) ? name : hd_format(l->arena, "u_%s", name);
}

static kir_value wide(ptx_lowering *l, kir_value value, ptx_type type) {
    return ptx_resize(l, value, ptx_int((uint8_t)(2 * ptx_type_bits(type))), ptx_is_signed(type));
}

/* ---- pairs of 16 bits ------------------------------------------------------------ */

/* "u16x2" and "s16x2" are no types of registers. */
static bool is_pair(const ptx_inst *inst, bool *is_signed) {
    *is_signed = ptx_has(inst, "s16x2");
    return *is_signed || ptx_has(inst, "u16x2");
}

typedef kir_value two_fn(ptx_lowering *l, ptx_type type, kir_value a, kir_value b);

static void lower_pairs(ptx_lowering *l, two_fn *fn, bool is_signed) {
    kir_value a = ptx_get(l, 1, PTX_B32), b = ptx_get(l, 2, PTX_B32), d[2];
    for (uint32_t k = 0; k < 2 && !l->out.status; k++)
        d[k] = fn(l, is_signed ? PTX_S16 : PTX_U16, ptx_half(l, a, PTX_B32, k),
                  ptx_half(l, b, PTX_B32, k));
    if (!l->out.status)
        ptx_put(l, 0, ptx_pair(l, d[0], d[1]), false);
}

/* ---- sums ---------------------------------------------------------------------- */

static void set_carry(ptx_lowering *l, kir_value carry) { ptx_write(l, l->at->carry, carry); }

/* a + b + carry (a bit, or KIR_NONE); the carry out goes where .cc says. */
static kir_value sum(ptx_lowering *l, kir_value a, kir_value b, kir_value carry) {
    bool counts = ptx_has(l->inst, "cc");
    kir_value d = add(l, a, b), out = counts ? ptx_is(l, KIR_P_ULT, d, a) : 0;
    if (carry != KIR_NONE) {
        kir_value more = add(l, d, ptx_resize(l, carry, ptx_type_of_value(l, a), false));
        if (counts)
            out = ptx_op(l, KIR_OR, out, ptx_is(l, KIR_P_ULT, more, d));
        d = more;
    }
    if (counts)
        set_carry(l, out);
    return d;
}

/* a - b - borrow. */
static kir_value difference(ptx_lowering *l, kir_value a, kir_value b, kir_value borrow) {
    bool counts = ptx_has(l->inst, "cc");
    kir_value d = ptx_op(l, KIR_SUB, a, b), out = counts ? ptx_is(l, KIR_P_ULT, a, b) : 0;
    if (borrow != KIR_NONE) {
        kir_value one = ptx_resize(l, borrow, ptx_type_of_value(l, a), false);
        if (counts)
            out = ptx_op(l, KIR_OR, out, ptx_is(l, KIR_P_ULT, d, one));
        d = ptx_op(l, KIR_SUB, d, one);
    }
    if (counts)
        set_carry(l, out);
    return d;
}

static kir_value plain_sum(ptx_lowering *l, ptx_type type, kir_value a, kir_value b) {
    (void)type;
    return add(l, a, b);
}

static kir_value plain_difference(ptx_lowering *l, ptx_type type, kir_value a, kir_value b) {
    (void)type;
    return ptx_op(l, KIR_SUB, a, b);
}

typedef struct addition {
    bool subtracts, has_carry;
} addition;

static void lower_sum(ptx_lowering *l, const void *what) {
    const addition *how = what;
    ptx_type type = ptx_type_of(l->inst, 0);
    bool is_signed;
    if (is_pair(l->inst, &is_signed)) {
        lower_pairs(l, how->subtracts ? plain_difference : plain_sum, is_signed);
        return;
    }
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type), d;
    if (l->out.status)
        return;
    kir_value carry = how->has_carry ? ptx_read(l, l->at->carry) : KIR_NONE;
    if (ptx_has(l->inst, "sat"))
        d = ptx_call2(l, named(l, how->subtracts ? "sub_sat" : "add_sat", type), a, b);
    else
        d = how->subtracts ? difference(l, a, b, carry) : sum(l, a, b, carry);
    ptx_put(l, 0, d, ptx_is_signed(type));
}

/* ---- products -------------------------------------------------------------------- */

static kir_value product(ptx_lowering *l, ptx_type type, kir_value a, kir_value b) {
    if (ptx_has(l->inst, "wide"))
        return ptx_op(l, KIR_MUL, wide(l, a, type), wide(l, b, type));
    if (ptx_has(l->inst, "hi"))
        return ptx_call2(l, named(l, "mul_hi", type), a, b);
    return ptx_op(l, KIR_MUL, a, b);
}

static void lower_mul(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type);
    if (!l->out.status)
        ptx_put(l, 0, product(l, type, a, b), ptx_is_signed(type));
}

static ptx_type widened(ptx_type type) {
    static const ptx_type wider[] = {[PTX_U16] = PTX_U32, [PTX_U32] = PTX_U64, [PTX_S16] = PTX_S32,
                                     [PTX_S32] = PTX_S64, [PTX_B16] = PTX_B32, [PTX_B32] = PTX_B64};
    return type < sizeof wider / sizeof *wider && wider[type] ? wider[type] : type;
}

/* `what`: whether the carry is added, too. */
static void lower_mad(ptx_lowering *l, const void *what) {
    ptx_type type = ptx_type_of(l->inst, 0);
    ptx_type third = ptx_has(l->inst, "wide") ? widened(type) : type;
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type), c = ptx_get(l, 3, third);
    if (l->out.status)
        return;
    kir_value carry = *(const bool *)what ? ptx_read(l, l->at->carry) : KIR_NONE;
    kir_value p = product(l, type, a, b);
    kir_value d = ptx_has(l->inst, "sat") ? ptx_call2(l, "add_sat", p, c) : sum(l, p, c, carry);
    ptx_put(l, 0, d, ptx_is_signed(type));
}

/* mul24 and mad24: of the low 24 bits; of the product of 48 the low or the high 32. */
static kir_value low24(ptx_lowering *l, kir_value value, ptx_type type) {
    kir_value eight = ptx_number(l, ptx_int(32), 8);
    value = ptx_op(l, KIR_SHL, value, eight);
    value = ptx_op(l, ptx_is_signed(type) ? KIR_ASHR : KIR_LSHR, value, eight);
    return wide(l, value, type);
}

static void lower_mul24(ptx_lowering *l, const void *what) {
    bool adds = *(const bool *)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type), c = adds ? ptx_get(l, 3, type) : 0;
    if (l->out.status)
        return;
    kir_value d = ptx_op(l, KIR_MUL, low24(l, a, type), low24(l, b, type));
    if (ptx_has(l->inst, "hi"))
        d = ptx_op(l, KIR_LSHR, d, ptx_number(l, ptx_int(64), 16));
    d = ptx_resize(l, d, ptx_int(32), false);
    if (adds)
        d = ptx_has(l->inst, "sat") ? ptx_call2(l, "add_sat", d, c) : add(l, d, c);
    ptx_put(l, 0, d, false);
}

/* ---- quotients, extremes, signs ---------------------------------------------------- */

static void lower_divide(ptx_lowering *l, const void *what) {
    const kir_op *ops = what; /* of signed and of unsigned numbers */
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type);
    if (!l->out.status)
        ptx_put(l, 0, ptx_op(l, ops[ptx_is_signed(type) ? 0 : 1], a, b), ptx_is_signed(type));
}

static kir_value extreme(ptx_lowering *l, bool greatest, ptx_type type, kir_value a, kir_value b) {
    kir_pred pred = ptx_is_signed(type) ? greatest ? KIR_P_SGT : KIR_P_SLT
                    : greatest          ? KIR_P_UGT
                                        : KIR_P_ULT;
    kir_value d = front_emit_either(&l->out, pred, a, b);
    kir_value zero = ptx_number(l, ptx_type_of_value(l, a), 0);
    return ptx_has(l->inst, "relu") ? front_emit_either(&l->out, KIR_P_SGT, d, zero) : d;
}

static kir_value least_of(ptx_lowering *l, ptx_type type, kir_value a, kir_value b) {
    return extreme(l, false, type, a, b);
}

static kir_value greatest_of(ptx_lowering *l, ptx_type type, kir_value a, kir_value b) {
    return extreme(l, true, type, a, b);
}

static void lower_extreme(ptx_lowering *l, const void *what) {
    two_fn *fn = *(const bool *)what ? greatest_of : least_of;
    ptx_type type = ptx_type_of(l->inst, 0);
    bool is_signed;
    if (is_pair(l->inst, &is_signed)) {
        lower_pairs(l, fn, is_signed);
        return;
    }
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type);
    if (!l->out.status)
        ptx_put(l, 0, fn(l, type, a, b), ptx_is_signed(type));
}

static void lower_neg(ptx_lowering *l, const void *what) {
    bool only_negative = *(const bool *)what; /* abs */
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type);
    if (l->out.status)
        return;
    kir_value zero = ptx_number(l, ptx_type_of_value(l, a), 0), d = ptx_op(l, KIR_SUB, zero, a);
    if (only_negative)
        d = ptx_choose(l, ptx_is(l, KIR_P_SLT, a, zero), d, a);
    ptx_put(l, 0, d, true);
}

static void lower_sad(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type), c = ptx_get(l, 3, type);
    if (!l->out.status)
        ptx_put(l, 0, add(l, c, ptx_call2(l, named(l, "abs_diff", type), a, b)), false);
}

/* ---- bits ---------------------------------------------------------------------------- */

/* A function of OpenCL C whose result PTX gives as 32 bits. */
static void lower_count(ptx_lowering *l, const void *what) {
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type);
    if (l->out.status)
        return;
    kir_value d = ptx_call1(l, what, a);
    ptx_put(l, 0, !strcmp(what, "bit_reverse") ? d : ptx_resize(l, d, ptx_int(32), false), false);
}

static void lower_bfind(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type);
    if (l->out.status)
        return;
    kir_type word = ptx_int(32);
    kir_value d = front_emit_call(&l->out, named(l, "find_msb", type), word, 1, &a);
    if (ptx_has(l->inst, "shiftamt")) {
        kir_value none = ptx_number(l, word, -1);
        kir_value by = ptx_op(l, KIR_SUB, ptx_number(l, word, ptx_type_bits(type) - 1), d);
        d = ptx_choose(l, ptx_is(l, KIR_P_EQ, d, none), none, by);
    }
    ptx_put(l, 0, d, false);
}

static void lower_fns(ptx_lowering *l, const void *what) {
    (void)what;
    kir_value a = ptx_get(l, 1, PTX_B32), b = ptx_get(l, 2, PTX_B32), c = ptx_get(l, 3, PTX_S32);
    if (!l->out.status)
        ptx_put(l, 0, ptx_call3(l, "find_nth_set", a, b, c), false);
}

static void lower_bfe(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, PTX_U32), c = ptx_get(l, 3, PTX_U32);
    if (!l->out.status)
        ptx_put(l, 0, ptx_call3(l, named(l, "bitfield_extract", type), a, b, c), false);
}

static void lower_bfi(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value args[] = {ptx_get(l, 1, type), ptx_get(l, 2, type), ptx_get(l, 3, PTX_U32),
                        ptx_get(l, 4, PTX_U32)};
    if (!l->out.status)
        ptx_put(l, 0,
                front_emit_call(&l->out, "bitfield_insert", ptx_type_of_value(l, args[0]), 4, args),
                false);
}

/* A number that stays within 32, or counts modulo 32. */
static kir_value bounded(ptx_lowering *l, kir_value value) {
    kir_value most = ptx_number(l, ptx_int(32), 32);
    return ptx_has(l->inst, "wrap") ? ptx_op(l, KIR_AND, value, ptx_number(l, ptx_int(32), 31))
                                    : front_emit_either(&l->out, KIR_P_ULT, value, most);
}

/* b ones from bit a on. */
static void lower_bmsk(ptx_lowering *l, const void *what) {
    (void)what;
    kir_value a = ptx_get(l, 1, PTX_B32), b = ptx_get(l, 2, PTX_B32);
    if (l->out.status)
        return;
    kir_type word = ptx_int(32), both = ptx_int(64);
    kir_value one = ptx_number(l, both, 1);
    kir_value ones = ptx_op(l, KIR_SHL, one, ptx_resize(l, bounded(l, b), both, false));
    ones = ptx_op(l, KIR_SUB, ones, one);
    ones = ptx_op(l, KIR_SHL, ones, ptx_resize(l, bounded(l, a), both, false));
    ptx_put(l, 0, ptx_resize(l, ones, word, false), false);
}

/* The lowest b bits, extended. */
static void lower_szext(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, PTX_U32);
    if (l->out.status)
        return;
    kir_value from = ptx_number(l, ptx_int(32), 0);
    ptx_put(l, 0, ptx_call3(l, named(l, "bitfield_extract", type), a, from, bounded(l, b)), false);
}

/* dp4a.u32.s32 and dp2a.lo.u32.s32: the signs of a and b. */
static void lower_dot(ptx_lowering *l, const void *what) {
    const char *name = what;
    ptx_type a_type = ptx_type_of(l->inst, 1), b_type = ptx_type_of(l->inst, 0);
    if (!strcmp(name, "dp2a"))
        name = ptx_has(l->inst, "hi") ? "dp2a_hi" : "dp2a_lo";
    name = hd_format(l->arena, "%s_%c%c", name, ptx_is_signed(a_type) ? 's' : 'u',
                     ptx_is_signed(b_type) ? 's' : 'u');
    kir_value a = ptx_get(l, 1, PTX_B32), b = ptx_get(l, 2, PTX_B32), c = ptx_get(l, 3, PTX_B32);
    if (!l->out.status)
        ptx_put(l, 0, ptx_call3(l, name, a, b, c), false);
}

/* ---- video instructions -------------------------------------------------------------------- */

/* vadd2, vset4: the lane of `bits` bits that begins at this one, as a number of 32. */
static kir_value lane_of(ptx_lowering *l, kir_value value, uint32_t first, uint32_t bits,
                         bool is_signed) {
    kir_type word = ptx_int(32);
    value = ptx_op(l, KIR_SHL, value, ptx_number(l, word, 32 - first - bits));
    return ptx_op(l, is_signed ? KIR_ASHR : KIR_LSHR, value, ptx_number(l, word, 32 - bits));
}

static kir_value least(ptx_lowering *l, kir_value a, kir_value b) {
    return front_emit_either(&l->out, KIR_P_SLT, a, b);
}

static kir_value greatest(ptx_lowering *l, kir_value a, kir_value b) {
    return front_emit_either(&l->out, KIR_P_SGT, a, b);
}

typedef enum video { V_ADD, V_SUB, V_AVERAGE, V_DIFFERENCE, V_MIN, V_MAX, V_SET } video;

/* The average is rounded to the nearest, in the middle away from zero. */
static kir_value lanes_result(ptx_lowering *l, video what, kir_value a, kir_value b) {
    static const struct {
        const char *name;
        kir_pred pred;
    } comparisons[] = {{"eq", KIR_P_EQ},  {"ne", KIR_P_NE},  {"lt", KIR_P_SLT},
                       {"le", KIR_P_SLE}, {"gt", KIR_P_SGT}, {"ge", KIR_P_SGE}};
    kir_value zero = ptx_number(l, ptx_int(32), 0), one = ptx_number(l, ptx_int(32), 1), sum;
    switch (what) {
    case V_ADD: return add(l, a, b);
    case V_SUB: return ptx_op(l, KIR_SUB, a, b);
    case V_DIFFERENCE: return ptx_op(l, KIR_SUB, greatest(l, a, b), least(l, a, b));
    case V_MIN: return least(l, a, b);
    case V_MAX: return greatest(l, a, b);
    case V_AVERAGE:
        sum = add(l, a, b);
        sum = add(l, sum, ptx_choose(l, ptx_is(l, KIR_P_SGE, sum, zero), one, zero));
        return ptx_op(l, KIR_ASHR, sum, one);
    case V_SET: break;
    }
    for (size_t c = 0; c < sizeof comparisons / sizeof *comparisons; c++)
        if (ptx_has(l->inst, comparisons[c].name))
            return ptx_choose(l, ptx_is(l, comparisons[c].pred, a, b), one, zero);
    ptx_wrong(l, "%s compares in no way that PTX has", ptx_opcode(l->arena, l->inst));
    return zero;
}

/* vadd4.s32.u32.u32{.sat}{.add} d, a, b, c: in lanes of the words; with .add c and their sum. A lane
 * of any sign fits into 32 bits with room for the sum of two. */
static void lower_video(ptx_lowering *l, const void *which) {
    video what = *(const video *)which;
    const char *name = l->inst->words[0];
    uint32_t count = (uint32_t)(name[strlen(name) - 1] - '0'), bits = 32 / count;
    bool adds = ptx_has(l->inst, "add"), saturates = ptx_has(l->inst, "sat");
    bool is_set = what == V_SET; /* whose words are those of a and b */
    bool d_signed = ptx_is_signed(ptx_type_of(l->inst, 2)) && !is_set;
    bool a_signed = ptx_is_signed(ptx_type_of(l->inst, 1));
    bool b_signed = ptx_is_signed(ptx_type_of(l->inst, 0));
    kir_type word = ptx_int(32);
    kir_value a = ptx_get(l, 1, PTX_B32), b = ptx_get(l, 2, PTX_B32), c = ptx_get(l, 3, PTX_B32);
    if (l->out.status)
        return;
    kir_value d = adds ? c : ptx_number(l, word, 0);
    kir_value low = ptx_number(l, word, d_signed ? -(1 << (bits - 1)) : 0);
    kir_value high = ptx_number(l, word, (1 << (bits - d_signed)) - 1);
    kir_value mask = ptx_number(l, word, (1 << bits) - 1);
    for (uint32_t first = 0; first < 32 && !l->out.status; first += bits) {
        kir_value lane = lanes_result(l, what, lane_of(l, a, first, bits, a_signed),
                                      lane_of(l, b, first, bits, b_signed));
        if (saturates)
            lane = greatest(l, least(l, lane, high), low);
        d = adds ? add(l, d, lane)
                 : ptx_op(l, KIR_OR, d,
                          ptx_op(l, KIR_SHL, ptx_op(l, KIR_AND, lane, mask),
                                 ptx_number(l, word, first)));
    }
    if (!l->out.status)
        ptx_put(l, 0, d, false);
}

static const bool YES = true, NO = false;
static const addition ADD = {false, false}, SUB = {true, false}, ADDC = {false, true},
                      SUBC = {true, true};
static const video VIDEO[] = {V_ADD, V_SUB, V_AVERAGE, V_DIFFERENCE, V_MIN, V_MAX, V_SET};
static const kir_op DIV[] = {KIR_SDIV, KIR_UDIV}, REM[] = {KIR_SREM, KIR_UREM};
const ptx_rule ptx_integer_rules[] = {
    {"add", lower_sum, &ADD, false},
    {"sub", lower_sum, &SUB, false},
    {"addc", lower_sum, &ADDC, true}, /* they set the carry, perhaps */
    {"subc", lower_sum, &SUBC, true},
    {"mul", lower_mul, NULL, false},
    {"mad", lower_mad, &NO, false},
    {"madc", lower_mad, &YES, true},
    {"mul24", lower_mul24, &NO, false},
    {"mad24", lower_mul24, &YES, false},
    {"div", lower_divide, DIV, false},
    {"rem", lower_divide, REM, false},
    {"min", lower_extreme, &NO, false},
    {"max", lower_extreme, &YES, false},
    {"neg", lower_neg, &NO, false},
    {"abs", lower_neg, &YES, false},
    {"sad", lower_sad, NULL, false},
    {"vadd2", lower_video, &VIDEO[V_ADD], false},
    {"vadd4", lower_video, &VIDEO[V_ADD], false},
    {"vsub2", lower_video, &VIDEO[V_SUB], false},
    {"vsub4", lower_video, &VIDEO[V_SUB], false},
    {"vavrg2", lower_video, &VIDEO[V_AVERAGE], false},
    {"vavrg4", lower_video, &VIDEO[V_AVERAGE], false},
    {"vabsdiff2", lower_video, &VIDEO[V_DIFFERENCE], false},
    {"vabsdiff4", lower_video, &VIDEO[V_DIFFERENCE], false},
    {"vmin2", lower_video, &VIDEO[V_MIN], false},
    {"vmin4", lower_video, &VIDEO[V_MIN], false},
    {"vmax2", lower_video, &VIDEO[V_MAX], false},
    {"vmax4", lower_video, &VIDEO[V_MAX], false},
    {"vset2", lower_video, &VIDEO[V_SET], false},
    {"vset4", lower_video, &VIDEO[V_SET], false},
    {"popc", lower_count, "popcount", false},
    {"clz", lower_count, "clz", false},
    {"brev", lower_count, "bit_reverse", false},
    {"bfind", lower_bfind, NULL, false},
    {"fns", lower_fns, NULL, false},
    {"bfe", lower_bfe, NULL, false},
    {"bfi", lower_bfi, NULL, false},
    {"bmsk", lower_bmsk, NULL, false},
    {"szext", lower_szext, NULL, false},
    {"dp4a", lower_dot, "dp4a", false},
    {"dp2a", lower_dot, "dp2a", false},
    {NULL},
};
