/* Bits, shifts, comparison and selection. */
#include "frontend/ptx/internal.h"

kir_value ptx_bool(ptx_lowering *l, kir_value bit) {
    return ptx_resize(l, bit, ptx_int(32), false);
}

kir_value ptx_is_not_zero(ptx_lowering *l, kir_value value) {
    return ptx_is(l, KIR_P_NE, value, ptx_number(l, ptx_type_of_value(l, value), 0));
}

/* ---- bits -------------------------------------------------------------------- */

static void lower_binary(ptx_lowering *l, const void *what) {
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type);
    if (!l->out.status)
        ptx_put(l, 0, ptx_op(l, *(const kir_op *)what, a, b), false);
}

static void lower_not(ptx_lowering *l, const void *what) {
    (void)what;
    kir_value a = ptx_get(l, 1, ptx_type_of(l->inst, 0));
    if (!l->out.status)
        ptx_put(l, 0, ptx_not(l, a), false);
}

/* 1 where a is 0, else 0. */
static void lower_cnot(ptx_lowering *l, const void *what) {
    (void)what;
    kir_value a = ptx_get(l, 1, ptx_type_of(l->inst, 0));
    if (l->out.status)
        return;
    kir_type type = ptx_type_of_value(l, a);
    kir_value is = ptx_is(l, KIR_P_EQ, a, ptx_number(l, type, 0));
    ptx_put(l, 0, ptx_resize(l, is, type, false), false);
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
static void lower_lop3(ptx_lowering *l, const void *what) {
    (void)what;
    bool has_predicate = l->inst->words[l->inst->word_count - 2][0] != 'l';
    const ptx_operand *number = ptx_operand_at(l, 4);
    kir_value a = ptx_get(l, 1, PTX_B32), b = ptx_get(l, 2, PTX_B32), c = ptx_get(l, 3, PTX_B32);
    if (l->out.status)
        return;
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
    if (l->out.status || pair->kind != PTX_PAIR)
        return;
    kir_value p = ptx_op(l, joins, ptx_is_not_zero(l, d), q);
    ptx_put_to(l, &pair->list[0], d, false);
    ptx_put_to(l, &pair->list[1], p, false);
}

/* ---- shifts --------------------------------------------------------------------- */

/* Amounts of the width and more leave no bit, or the sign alone. */
static void lower_shift(ptx_lowering *l, const void *what) {
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_op op = *(const kir_op *)what;
    if (op == KIR_LSHR && ptx_is_signed(type))
        op = KIR_ASHR;
    kir_value a = ptx_get(l, 1, type), amount = ptx_get(l, 2, PTX_U32);
    if (l->out.status)
        return;
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

/* shf.l and shf.r: 32 bits out of b:a, shifted. */
static void lower_funnel(ptx_lowering *l, const void *what) {
    (void)what;
    kir_type word = ptx_int(32), wide = ptx_int(64);
    bool is_left = ptx_has(l->inst, "l");
    kir_value a = ptx_get(l, 1, PTX_B32), b = ptx_get(l, 2, PTX_B32), by = ptx_get(l, 3, PTX_U32);
    if (l->out.status)
        return;
    if (ptx_has(l->inst, "wrap")) {
        by = ptx_op(l, KIR_AND, by, ptx_number(l, word, 31));
    } else {
        kir_value most = ptx_number(l, word, 32);
        by = ptx_choose(l, ptx_is(l, KIR_P_ULT, by, most), by, most);
    }
    kir_value high = ptx_op(l, KIR_SHL, ptx_resize(l, b, wide, false), ptx_number(l, wide, 32));
    kir_value both = ptx_op(l, KIR_OR, high, ptx_resize(l, a, wide, false));
    kir_value d = ptx_op(l, is_left ? KIR_SHL : KIR_LSHR, both, ptx_resize(l, by, wide, false));
    if (is_left)
        d = ptx_op(l, KIR_LSHR, d, ptx_number(l, wide, 32));
    ptx_put(l, 0, ptx_resize(l, d, word, false), false);
}

/* ---- bytes ------------------------------------------------------------------------ */

static void lower_prmt(ptx_lowering *l, const void *what) {
    (void)what;
    const char *name = "prmt", *last = l->inst->words[l->inst->word_count - 1];
    if (strcmp(last, "b32") != 0)
        name = hd_format(l->arena, "prmt_%s", last);
    kir_value a = ptx_get(l, 1, PTX_B32), b = ptx_get(l, 2, PTX_B32), c = ptx_get(l, 3, PTX_B32);
    if (!l->out.status)
        ptx_put(l, 0, ptx_call3(l, name, a, b, c), false);
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
    if (type == PTX_F32 && ptx_has(l->inst, "ftz"))
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

static void lower_setp(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_pred pred = comparison_of(l, type);
    bool has_other = l->inst->operand_count > 3, is_pair = type == PTX_F16X2 || type == PTX_BF16X2;
    const ptx_operand *to = ptx_operand_at(l, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type);
    kir_value other = has_other ? ptx_get(l, 3, PTX_PRED) : 0;
    if (l->out.status)
        return;
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
        return ptx_choose(l, is, ptx_float_number(l, ptx_kir_type(type), 1),
                          ptx_float_number(l, ptx_kir_type(type), 0));
    case PTX_BF16:
        return ptx_choose(l, is, ptx_number(l, ptx_int(16), 0x3f80), ptx_number(l, ptx_int(16), 0));
    default: return ptx_resize(l, is, ptx_kir_type(type), true);
    }
}

static void lower_set(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 0), to = ptx_type_of(l->inst, 1);
    kir_pred pred = comparison_of(l, type);
    bool has_other = l->inst->operand_count > 3, is_pair = type == PTX_F16X2 || type == PTX_BF16X2;
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type), d[2];
    kir_value other = has_other ? ptx_get(l, 3, PTX_PRED) : 0;
    if (l->out.status)
        return;
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

/* ---- selection ------------------------------------------------------------------------- */

static void lower_selp(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type), p = ptx_get(l, 3, PTX_PRED);
    if (!l->out.status)
        ptx_put(l, 0, ptx_choose(l, p, a, b), ptx_is_signed(type));
}

/* c >= 0 ? a : b */
static void lower_slct(ptx_lowering *l, const void *what) {
    (void)what;
    ptx_type type = ptx_type_of(l->inst, 1), tested = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type), b = ptx_get(l, 2, type), c = ptx_get(l, 3, tested);
    if (l->out.status)
        return;
    bool is_float = tested == PTX_F32;
    c = compared(l, c, tested, 0);
    kir_value zero =
        is_float ? ptx_float_number(l, ptx_real(32), 0) : ptx_number(l, ptx_type_of_value(l, c), 0);
    ptx_put(l, 0, ptx_choose(l, ptx_is(l, is_float ? KIR_P_OGE : KIR_P_SGE, c, zero), a, b), false);
}

static const kir_op AND = KIR_AND, OR = KIR_OR, XOR = KIR_XOR, SHL = KIR_SHL, LSHR = KIR_LSHR;
const ptx_rule ptx_logic_rules[] = {
    {"and", lower_binary, &AND, false},
    {"or", lower_binary, &OR, false},
    {"xor", lower_binary, &XOR, false},
    {"not", lower_not, NULL, false},
    {"cnot", lower_cnot, NULL, false},
    {"lop3", lower_lop3, NULL, false},
    {"shl", lower_shift, &SHL, false},
    {"shr", lower_shift, &LSHR, false},
    {"shf", lower_funnel, NULL, false},
    {"prmt", lower_prmt, NULL, false},
    {"setp", lower_setp, NULL, false},
    {"set", lower_set, NULL, false},
    {"selp", lower_selp, NULL, false},
    {"slct", lower_slct, NULL, false},
    {NULL},
};
