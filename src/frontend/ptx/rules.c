/*
 * Integers, bits, comparison and selection. Most instructions are a row with a recipe (recipe.c), before
 * which the types of the operands stand:
 *
 *     t T     that of the instruction's last word, and of the one before
 *     w       the same of twice the bits
 *     b l     bits, 32 and 64
 *     u s     32 bits with and without a sign
 *     f d p   f32, f64, a predicate
 *     v       f32 where the register is one, else 32 bits
 *
 * In recipes k is the carry as it was, m the number of the highest bit. What stands behind a '|' is the
 * second result of an instruction that has a pair of them, d|p, else the carry from here on.
 */
#include "frontend/ptx/internal.h"

static ptx_type widened(ptx_type type) {
    static const ptx_type wider[] = {[PTX_U16] = PTX_U32, [PTX_U32] = PTX_U64, [PTX_S16] = PTX_S32,
                                     [PTX_S32] = PTX_S64, [PTX_B16] = PTX_B32, [PTX_B32] = PTX_B64};
    return type < sizeof wider / sizeof *wider && wider[type] ? wider[type] : type;
}

static ptx_type type_of_operand(ptx_lowering *l, uint32_t i, char letter) {
    switch (letter) {
    case 'v': return ptx_declared(l, ptx_operand_at(l, i)) == PTX_F32 ? PTX_F32 : PTX_B32;
    case 't': return ptx_type_of(l->inst, 0);
    case 'T': return ptx_type_of(l->inst, 1);
    case 'w': return widened(ptx_type_of(l->inst, 0));
    case 'b': return PTX_B32;
    case 'l': return PTX_B64;
    case 'u': return PTX_U32;
    case 's': return PTX_S32;
    case 'f': return PTX_F32;
    case 'd': return PTX_F64;
    default: return PTX_PRED;
    }
}

/* Of u16x2 and s16x2, which are no types of registers, both halves by themselves. */
static kir_value of_halves(ptx_lowering *l, const char *recipe, const kir_value *args,
                           uint32_t count, bool is_signed) {
    kir_value d[2];
    for (uint32_t k = 0; k < 2; k++) {
        kir_value letters[26] = {0};
        for (uint32_t i = 0; i < count; i++)
            letters[i] = ptx_half(l, args[i], PTX_B32, k);
        d[k] = front_recipe(&l->out, recipe, letters, is_signed, ptx_int(16));
    }
    return ptx_pair(l, d[0], d[1]);
}

void ptx_lower_recipe(ptx_lowering *l, const char *types) {
    const char *colon = strchr(types, ':');
    if (!colon)
        return;
    ptx_type type = ptx_type_of(l->inst, 0);
    bool is_pair_signed = ptx_has(l->inst, "s16x2"), is_signed = ptx_is_signed(type);
    bool is_pair = is_pair_signed || ptx_has(l->inst, "u16x2");
    uint32_t count = (uint32_t)(colon - types);
    kir_value letters[26] = {0}, d;
    for (uint32_t i = 0; i < count; i++)
        letters[i] = ptx_get(l, 1 + i, is_pair ? PTX_B32 : type_of_operand(l, 1 + i, types[i]));
    const char *recipe = colon + 1, *more = strchr(recipe, '|');
    const ptx_operand *pair = l->inst->operand_count ? &l->inst->operands[0] : NULL;
    if (strchr(recipe, 'k'))
        letters['k' - 'a'] = ptx_read(l, l->at->carry);
    letters['m' - 'a'] = ptx_number(l, ptx_int(32), (int64_t)ptx_type_bits(type) - 1);
    if (is_pair)
        d = of_halves(l, recipe, letters, count, is_pair_signed);
    else
        d = front_recipe(&l->out, recipe, letters, is_signed, ptx_kir_type(type));
    if (more && pair->kind == PTX_PAIR) {
        kir_value second = front_recipe(&l->out, more + 1, letters, is_signed, ptx_int(1));
        ptx_put_to(l, &pair->list[0], d, is_signed);
        ptx_put_to(l, &pair->list[1], second, false);
        return;
    }
    if (more && ptx_has(l->inst, "cc"))
        ptx_write(l, l->at->carry, front_recipe(&l->out, more + 1, letters, is_signed, ptx_int(1)));
    if (ptx_type_of_value(l, d).kind != KIR_VOID)
        ptx_put(l, 0, d, is_signed);
}

/* ---- bits ---------------------------------------------------------------------------- */

kir_value ptx_bool(ptx_lowering *l, kir_value bit) {
    return ptx_resize(l, bit, ptx_int(32), false);
}

kir_value ptx_is_not_zero(ptx_lowering *l, kir_value value) {
    return ptx_is(l, KIR_P_NE, value, ptx_number(l, ptx_type_of_value(l, value), 0));
}

/* One of the 16 functions of two bits: bit 2a + b of the table is the result. */
static kir_value of_two(ptx_lowering *l, uint32_t table, kir_value a, kir_value b) {
    kir_type type = ptx_type_of_value(l, a);
    switch (table) {
    case 0x0: return ptx_number(l, type, 0);
    case 0xf: return ptx_number(l, type, -1);
    case 0xc: return a;
    case 0xa: return b;
    case 0x8: return ptx_op(l, KIR_AND, a, b);
    case 0xe: return ptx_op(l, KIR_OR, a, b);
    case 0x6: return ptx_op(l, KIR_XOR, a, b);
    case 0x4: return ptx_op(l, KIR_AND, a, ptx_not(l, b));
    case 0x2: return ptx_op(l, KIR_AND, ptx_not(l, a), b);
    default: return ptx_not(l, of_two(l, ~table & 0xf, a, b));
    }
}

/* Bit 4a + 2b + c of the table is the result. Both halves, of a = 0 and a = 1, are functions of b
 * and c: low ^ (a & (low ^ high)), and the xor of two functions is the function of the xor. */
static void lower_lop3(ptx_lowering *l) {
    bool has_predicate = l->inst->words[l->inst->word_count - 2][0] != 'l';
    const ptx_operand *number = ptx_operand_at(l, 4);
    kir_value a = ptx_get(l, 1, PTX_B32), b = ptx_get(l, 2, PTX_B32), c = ptx_get(l, 3, PTX_B32);
    uint32_t table = (uint32_t)number->integer, low = table & 0xf, high = table >> 4 & 0xf;
    kir_value d = of_two(l, low, b, c);
    if (low != high) {
        kir_value differs = of_two(l, low ^ high, b, c);
        kir_value part = (low ^ high) == 0xf ? a : ptx_op(l, KIR_AND, a, differs);
        d = low ? ptx_op(l, KIR_XOR, d, part) : part;
    }
    if (!has_predicate) {
        ptx_put(l, 0, d, false);
        return;
    }
    /* lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q */
    const ptx_operand *pair = ptx_operand_at(l, 0);
    kir_op joins = ptx_has(l->inst, "or") ? KIR_OR : KIR_AND;
    kir_value q = ptx_get(l, 5, PTX_PRED);
    if (pair->kind != PTX_PAIR)
        return;
    kir_value p = ptx_op(l, joins, ptx_is_not_zero(l, d), q);
    ptx_put_to(l, &pair->list[0], d, false);
    ptx_put_to(l, &pair->list[1], p, false);
}

/* Amounts of the width and more leave no bit, or the sign alone. */
static void lower_shift(ptx_lowering *l) {
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_op right = ptx_is_signed(type) ? KIR_ASHR : KIR_LSHR;
    kir_op op = strcmp(l->inst->words[0], "shl") ? right : KIR_SHL;
    kir_value a = ptx_get(l, 1, type), amount = ptx_get(l, 2, PTX_U32);
    kir_type own = ptx_type_of_value(l, a);
    const kir_inst *number = &l->out.insts.data[amount];
    if (number->op == KIR_CONST) {
        uint64_t by = number->imm[0];
        bool all = by >= own.bits;
        kir_value d = all && op != KIR_ASHR
                          ? ptx_number(l, own, 0)
                          : ptx_op(l, op, a, ptx_number(l, own, all ? own.bits - 1 : (int64_t)by));
        ptx_put(l, 0, d, ptx_is_signed(type));
        return;
    }
    kir_value last = ptx_number(l, ptx_int(32), own.bits - 1);
    kir_value fits = ptx_is(l, KIR_P_ULE, amount, last);
    kir_value by = ptx_resize(l, ptx_choose(l, fits, amount, last), own, false);
    kir_value d = ptx_op(l, op, a, by);
    if (op != KIR_ASHR)
        d = ptx_choose(l, fits, d, ptx_number(l, own, 0));
    ptx_put(l, 0, d, ptx_is_signed(type));
}

/* dp4a.u32.s32 and dp2a.lo.u32.s32: the signs of a and b. */
static void lower_dot(ptx_lowering *l) {
    const char *what = l->inst->words[0];
    const char *half = strcmp(what, "dp2a") ? "" : ptx_has(l->inst, "hi") ? "_hi" : "_lo";
    char a = ptx_is_signed(ptx_type_of(l->inst, 1)) ? 's' : 'u';
    char b = ptx_is_signed(ptx_type_of(l->inst, 0)) ? 's' : 'u';
    ptx_lower_recipe(l, hd_format(l->arena, "bbb: %s%s_%c%c(a, b, c)", what, half, a, b));
}

/* ---- video instructions -------------------------------------------------------------------- */

/* vadd4.s32.u32.u32{.sat}{.add} d, a, b, c: in lanes of the words; with .add c and their sum. A lane
 * of any sign fits into 32 bits with room for the sum of two. */
static void lower_video(ptx_lowering *l) {
    const char *name = l->inst->words[0];
    uint32_t count = (uint32_t)(name[strlen(name) - 1] - '0'), bits = 32 / count;
    bool adds = ptx_has(l->inst, "add"), is_set = !strncmp(name, "vset", 4);
    /* The words of vset are those of a and b. */
    bool d_signed = ptx_is_signed(ptx_type_of(l->inst, 2)) && !is_set;
    kir_type word = ptx_int(32);
    kir_value args[] = {ptx_get(l, 1, PTX_B32), ptx_get(l, 2, PTX_B32), ptx_get(l, 3, PTX_B32)};
    kir_value d = adds ? args[2] : ptx_number(l, word, 0);
    for (uint32_t first = 0; first < 32; first += bits) {
        kir_value letters[26] = {0};
        for (uint32_t i = 0; i < 2; i++) { /* the lane as a number */
            bool is_signed = ptx_is_signed(ptx_type_of(l->inst, 1 - i));
            letters[i] = ptx_op(l, KIR_SHL, args[i], ptx_number(l, word, 32 - first - bits));
            letters[i] = ptx_op(l, is_signed ? KIR_ASHR : KIR_LSHR, letters[i],
                                ptx_number(l, word, 32 - bits));
        }
        letters['d' - 'a'] = d;
        letters['e' - 'a'] = front_recipe(&l->out, l->what, letters, true, word);
        letters['l' - 'a'] = ptx_number(l, word, d_signed ? -(1 << (bits - 1)) : 0);
        letters['h' - 'a'] = ptx_number(l, word, (1 << (bits - d_signed)) - 1);
        letters['m' - 'a'] = ptx_number(l, word, (1 << bits) - 1);
        letters['f' - 'a'] = ptx_number(l, word, first);
        if (ptx_has(l->inst, "sat"))
            front_recipe(&l->out, "e = max(min(e, h), l); e", letters, true, word);
        d = front_recipe(&l->out, adds ? "add(d, e)" : "or(d, shl(and(e, m), f))", letters, true,
                         word);
    }
    ptx_put(l, 0, d, false);
}

static void lower_video_set(ptx_lowering *l) {
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    for (size_t c = 0; c < sizeof comparisons / sizeof *comparisons; c++)
        if (ptx_has(l->inst, comparisons[c])) {
            l->what = hd_format(l->arena, "zext:i32(%s(a, b))", comparisons[c]);
            lower_video(l);
            return;
        }
    ptx_wrong(l, "%s compares in no way that PTX has", ptx_opcode(l->arena, l->inst));
}

/* ---- comparison ---------------------------------------------------------------------- */

typedef struct comparison {
    const char *word;
    kir_pred is_signed, is_unsigned, is_float; /* KIR_P_FALSE: none */
} comparison;

static const comparison comparisons[] = {
    {"eq", KIR_P_EQ, KIR_P_EQ, KIR_P_OEQ},         {"ne", KIR_P_NE, KIR_P_NE, KIR_P_ONE},
    {"lt", KIR_P_SLT, KIR_P_ULT, KIR_P_OLT},       {"le", KIR_P_SLE, KIR_P_ULE, KIR_P_OLE},
    {"gt", KIR_P_SGT, KIR_P_UGT, KIR_P_OGT},       {"ge", KIR_P_SGE, KIR_P_UGE, KIR_P_OGE},
    {"lo", KIR_P_ULT, KIR_P_ULT, KIR_P_FALSE},     {"ls", KIR_P_ULE, KIR_P_ULE, KIR_P_FALSE},
    {"hi", KIR_P_UGT, KIR_P_UGT, KIR_P_FALSE},     {"hs", KIR_P_UGE, KIR_P_UGE, KIR_P_FALSE},
    {"equ", KIR_P_FALSE, KIR_P_FALSE, KIR_P_UEQ},  {"neu", KIR_P_FALSE, KIR_P_FALSE, KIR_P_UNE},
    {"ltu", KIR_P_FALSE, KIR_P_FALSE, KIR_P_UFLT}, {"leu", KIR_P_FALSE, KIR_P_FALSE, KIR_P_UFLE},
    {"gtu", KIR_P_FALSE, KIR_P_FALSE, KIR_P_UFGT}, {"geu", KIR_P_FALSE, KIR_P_FALSE, KIR_P_UFGE},
    {"num", KIR_P_FALSE, KIR_P_FALSE, KIR_P_ORD},  {"nan", KIR_P_FALSE, KIR_P_FALSE, KIR_P_UNO},
};

/* The predicate that the second word says, of operands of a type. */
static kir_pred comparison_of(ptx_lowering *l, ptx_type type) {
    const char *word = l->inst->word_count > 1 ? l->inst->words[1] : "";
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (!strcmp(comparisons[i].word, word)) {
            kir_pred pred = ptx_is_float(type)    ? comparisons[i].is_float
                            : ptx_is_signed(type) ? comparisons[i].is_signed
                                                  : comparisons[i].is_unsigned;
            if (pred != KIR_P_FALSE)
                return pred;
        }
    ptx_wrong(l, "%s has no comparison that its operands have", ptx_opcode(l->arena, l->inst));
    return KIR_P_EQ;
}

/* One number, or half of a pair, as what is compared. */
static kir_value compared(ptx_lowering *l, kir_value value, ptx_type type, uint32_t half) {
    bool is_pair = type == PTX_F16X2 || type == PTX_BF16X2;
    if (is_pair)
        value = ptx_half(l, value, type, half);
    if (type == PTX_BF16 || type == PTX_BF16X2)
        value = ptx_bf16_to_float(l, value);
    bool has_ftz = type == PTX_F32 || type == PTX_F16 || type == PTX_F16X2;
    if (has_ftz && ptx_has(l->inst, "ftz"))
        value = ptx_call1(l, "flush", value);
    return value;
}

/* (a compared with b) joined with a predicate: and, or, xor. Without one, *other is the opposite. */
static kir_value joined(ptx_lowering *l, kir_value is, kir_value other, bool has_other) {
    if (!has_other)
        return is;
    kir_op op = ptx_has(l->inst, "and") ? KIR_AND : ptx_has(l->inst, "or") ? KIR_OR : KIR_XOR;
    return ptx_op(l, op, is, other);
}

static void lower_setp(ptx_lowering *l) {
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_pred pred = comparison_of(l, type);
    bool has_other = l->inst->operand_count > 3, is_pair = type == PTX_F16X2 || type == PTX_BF16X2;
    const ptx_operand *to = ptx_operand_at(l, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type);
    kir_value other = has_other ? ptx_get(l, 3, PTX_PRED) : 0;
    kir_value is = ptx_is(l, pred, compared(l, a, type, 0), compared(l, b, type, 0));
    if (to->kind != PTX_PAIR) {
        ptx_put_to(l, to, joined(l, is, other, has_other), false);
        return;
    }
    kir_value second = is_pair ? ptx_is(l, pred, compared(l, a, type, 1), compared(l, b, type, 1))
                               : ptx_not(l, is);
    kir_value first = joined(l, is, other, has_other);
    second = joined(l, second, other, has_other);
    ptx_put_to(l, &to->list[0], first, false);
    ptx_put_to(l, &to->list[1], second, false);
}

/* The result of a set: all ones, or 1.0. */
static kir_value as_number(ptx_lowering *l, kir_value is, ptx_type type) {
    switch (type) {
    case PTX_F32:
    case PTX_F16:
        return ptx_choose(l, is, front_const_real(&l->out, ptx_kir_type(type), 1),
                          front_const_real(&l->out, ptx_kir_type(type), 0));
    case PTX_BF16:
        return ptx_choose(l, is, ptx_number(l, ptx_int(16), 0x3f80), ptx_number(l, ptx_int(16), 0));
    default: return ptx_resize(l, is, ptx_kir_type(type), true);
    }
}

static void lower_set(ptx_lowering *l) {
    ptx_type type = ptx_type_of(l->inst, 0), to = ptx_type_of(l->inst, 1);
    kir_pred pred = comparison_of(l, type);
    bool has_other = l->inst->operand_count > 3, is_pair = type == PTX_F16X2 || type == PTX_BF16X2;
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type), d[2];
    kir_value other = has_other ? ptx_get(l, 3, PTX_PRED) : 0;
    ptx_type part = !is_pair           ? to
                    : to == PTX_F16X2  ? PTX_F16
                    : to == PTX_BF16X2 ? PTX_BF16
                                       : PTX_S16;
    for (uint32_t k = 0; k <= is_pair; k++) {
        kir_value is = ptx_is(l, pred, compared(l, a, type, k), compared(l, b, type, k));
        d[k] = as_number(l, joined(l, is, other, has_other), part);
    }
    ptx_put(l, 0, is_pair ? ptx_pair(l, d[0], d[1]) : d[0], false);
}

#define IS(name, recipe) {name, NULL, recipe, false}
#define VIDEO(name, recipe)                                                          \
    {name "2", lower_video, recipe, false}, { name "4", lower_video, recipe, false }
#define LOW24(x) "ext:wide(shr(shl(" x ", 8), 8))"
#define FUNNEL "or(shl(zext:i64(b), 32), zext:i64(a))"
const ptx_rule ptx_integer_rules[] = {
    /* those with a carry have an effect */
    {"add.cc", NULL, "tt: x = add(a, b); x | ult(x, a)", true},
    IS("add.sat", "tt: ~add_sat(a, b)"),
    IS("add", "tt: add(a, b)"),
    {"addc.cc", NULL, "tt: x = add(a, b); y = add(x, zext:own(k)); y | or(ult(x, a), ult(y, x))",
     true},
    {"addc", NULL, "tt: add(add(a, b), zext:own(k))", true},
    {"sub.cc", NULL, "tt: sub(a, b) | ult(a, b)", true},
    IS("sub.sat", "tt: ~sub_sat(a, b)"),
    IS("sub", "tt: sub(a, b)"),
    {"subc.cc", NULL, "tt: y = zext:own(k); x = sub(a, b); sub(x, y) | or(ult(a, b), ult(x, y))",
     true},
    {"subc", NULL, "tt: sub(sub(a, b), zext:own(k))", true},
    IS("mul.wide", "tt: mul(ext:wide(a), ext:wide(b))"),
    IS("mul.hi", "tt: ~mul_hi(a, b)"),
    IS("mul", "tt: mul(a, b)"),
    {"mad.hi.cc", NULL, "ttt: y = ~mul_hi(a, b); x = add(y, c); x | ult(x, y)", true},
    {"mad.cc", NULL, "ttt: y = mul(a, b); x = add(y, c); x | ult(x, y)", true},
    IS("mad.wide", "ttw: add(mul(ext:wide(a), ext:wide(b)), c)"),
    IS("mad.hi.sat", "ttt: add_sat(~mul_hi(a, b), c)"),
    IS("mad.hi", "ttt: add(~mul_hi(a, b), c)"),
    IS("mad", "ttt: add(mul(a, b), c)"),
    {"madc.hi.cc", NULL,
     "ttt: p = ~mul_hi(a, b); x = add(p, c); y = add(x, zext:own(k)); y | or(ult(x, p), ult(y, x))",
     true},
    {"madc.cc", NULL,
     "ttt: p = mul(a, b); x = add(p, c); y = add(x, zext:own(k)); y | or(ult(x, p), ult(y, x))",
     true},
    {"madc.hi", NULL, "ttt: add(add(~mul_hi(a, b), c), zext:own(k))", true},
    {"madc", NULL, "ttt: add(add(mul(a, b), c), zext:own(k))", true},
    /* of the low 24 bits; of the product of 48 the low or the high 32 */
    IS("mul24.hi", "tt: trunc:i32(lshr(mul(" LOW24("a") ", " LOW24("b") "), 16))"),
    IS("mul24", "tt: trunc:i32(mul(" LOW24("a") ", " LOW24("b") "))"),
    IS("mad24.hi.sat", "ttt: add_sat(trunc:i32(lshr(mul(" LOW24("a") ", " LOW24("b") "), 16)), c)"),
    IS("mad24.hi", "ttt: add(trunc:i32(lshr(mul(" LOW24("a") ", " LOW24("b") "), 16)), c)"),
    IS("mad24", "ttt: add(trunc:i32(mul(" LOW24("a") ", " LOW24("b") ")), c)"),
    IS("div", "tt: div(a, b)"),
    IS("rem", "tt: rem(a, b)"),
    IS("min.relu", "tt: max(min(a, b), 0)"),
    IS("max.relu", "tt: max(max(a, b), 0)"),
    IS("min", "tt: min(a, b)"),
    IS("max", "tt: max(a, b)"),
    IS("neg", "t: sub(0, a)"),
    IS("abs", "t: select(slt(a, 0), sub(0, a), a)"),
    IS("sad", "ttt: add(c, ~abs_diff(a, b))"),
    VIDEO("vadd", "add(a, b)"),
    VIDEO("vsub", "sub(a, b)"),
    /* rounded to the nearest, in the middle away from zero */
    VIDEO("vavrg", "x = add(a, b); ashr(add(x, select(sge(x, 0), 1, 0:i32)), 1)"),
    VIDEO("vabsdiff", "sub(max(a, b), min(a, b))"),
    VIDEO("vmin", "min(a, b)"),
    VIDEO("vmax", "max(a, b)"),
    {"vset2", lower_video_set, NULL, false},
    {"vset4", lower_video_set, NULL, false},
    IS("popc", "t: trunc:i32(popcount(a))"),
    IS("clz", "t: trunc:i32(clz(a))"),
    IS("brev", "t: bit_reverse(a)"),
    IS("bfind.shiftamt", "t: x = ~find_msb:i32(a); select(eq(x, -1), x, sub(m, x))"),
    IS("bfind", "t: ~find_msb:i32(a)"),
    IS("fns", "bbs: find_nth_set(a, b, c)"),
    IS("bfe", "tuu: ~bitfield_extract(a, b, c)"),
    IS("bfi", "ttuu: bitfield_insert(a, b, c, d)"),
    /* b ones from bit a on */
    IS("bmsk.wrap", "bb: trunc:i32(shl(sub(shl(1:i64, zext:i64(and(b, 31))), 1), "
                    "zext:i64(and(a, 31))))"),
    IS("bmsk", "bb: trunc:i32(shl(sub(shl(1:i64, zext:i64(umin(b, 32))), 1), "
               "zext:i64(umin(a, 32))))"),
    /* the lowest b bits, extended */
    IS("szext.wrap", "tu: ~bitfield_extract(a, 0:i32, and(b, 31))"),
    IS("szext", "tu: ~bitfield_extract(a, 0:i32, umin(b, 32))"),
    {"dp4a", lower_dot, NULL, false},
    {"dp2a", lower_dot, NULL, false},
    {NULL},
};

const ptx_rule ptx_logic_rules[] = {
    IS("and", "tt: and(a, b)"),
    IS("or", "tt: or(a, b)"),
    IS("xor", "tt: xor(a, b)"),
    IS("not", "t: xor(a, -1)"),
    IS("cnot", "t: zext:own(eq(a, 0))"),
    {"lop3", lower_lop3, NULL, false},
    {"shl", lower_shift, NULL, false},
    {"shr", lower_shift, NULL, false},
    /* 32 bits out of b:a, shifted */
    IS("shf.l.wrap", "bbu: trunc:i32(lshr(shl(" FUNNEL ", zext:i64(and(c, 31))), 32))"),
    IS("shf.l", "bbu: trunc:i32(lshr(shl(" FUNNEL ", zext:i64(umin(c, 32))), 32))"),
    IS("shf.wrap", "bbu: trunc:i32(lshr(" FUNNEL ", zext:i64(and(c, 31))))"),
    IS("shf", "bbu: trunc:i32(lshr(" FUNNEL ", zext:i64(umin(c, 32))))"),
    IS("prmt.f4e", "bbb: prmt_f4e(a, b, c)"),
    IS("prmt.b4e", "bbb: prmt_b4e(a, b, c)"),
    IS("prmt.rc8", "bbb: prmt_rc8(a, b, c)"),
    IS("prmt.ecl", "bbb: prmt_ecl(a, b, c)"),
    IS("prmt.ecr", "bbb: prmt_ecr(a, b, c)"),
    IS("prmt.rc16", "bbb: prmt_rc16(a, b, c)"),
    IS("prmt", "bbb: prmt(a, b, c)"),
    {"setp", lower_setp, NULL, false},
    {"set", lower_set, NULL, false},
    IS("selp", "ttp: select(c, a, b)"),
    IS("slct", "TTt: select(sge(c, 0), a, b)"),
    {NULL},
};
