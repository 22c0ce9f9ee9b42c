/*
 * Floating-point arithmetic. What is computed in f16, f32 and f64 is one operation of kir or a
 * call with the rounding in its name, as a recipe says (recipe.c). bf16 has no type in kir: its numbers
 * are the upper halves of f32. Sums and products of them are calls; all else is done in f32 and rounded.
 */
#include "frontend/ptx/internal.h"

/* ---- halves ---------------------------------------------------------------------- */

kir_value ptx_half(ptx_lowering *l, kir_value pair, ptx_type type, uint32_t k) {
    kir_type word = ptx_int(32), half = ptx_int(16);
    if (k)
        pair = ptx_op(l, KIR_LSHR, pair, ptx_number(l, word, 16));
    kir_value bits = ptx_resize(l, pair, half, false);
    return type == PTX_F16X2 ? ptx_bits_as(l, bits, ptx_real(16)) : bits;
}

kir_value ptx_pair(ptx_lowering *l, kir_value low, kir_value high) {
    kir_type word = ptx_int(32), half = ptx_int(16);
    low = ptx_resize(l, ptx_bits_as(l, low, half), word, false);
    high = ptx_resize(l, ptx_bits_as(l, high, half), word, false);
    return ptx_op(l, KIR_OR, low, ptx_op(l, KIR_SHL, high, ptx_number(l, word, 16)));
}

kir_value ptx_bf16_to_float(ptx_lowering *l, kir_value value) {
    kir_type word = ptx_int(32);
    value = ptx_op(l, KIR_SHL, ptx_resize(l, value, word, false), ptx_number(l, word, 16));
    return ptx_bits_as(l, value, ptx_real(32));
}

/* ---- one scalar operation --------------------------------------------------------- */

typedef struct float_rule {
    uint32_t count;     /* operands */
    const char *recipe; /* of numbers of f16, f32 or f64; NULL: extreme_recipe() */
    const char *name;   /* of the call for bf16, NULL: there is none; "min", "max" */
} float_rule;

/* min and max: of two operands or of three. With .abs of their sizes, with .xorsign with the product of
 * their signs. */
static const char *extreme_recipe(ptx_lowering *l, const char *name, uint32_t count,
                                  kir_type type) {
    bool takes_sizes = ptx_has(l->inst, "abs");
    const char *call = hd_format(l->arena, "f%s%s", name, ptx_has(l->inst, "NaN") ? "_nan" : "");
    const char *recipe = takes_sizes ? "fabs(a)" : "a";
    const char *sign = hd_format(l->arena, "bits:i%u(a)", type.bits);
    for (char operand = 'b'; operand < (char)('a' + count); operand++) {
        recipe = hd_format(l->arena, takes_sizes ? "%s(%s, fabs(%c))" : "%s(%s, %c)", call, recipe,
                           operand);
        sign = hd_format(l->arena, "xor(%s, bits:i%u(%c))", sign, type.bits, operand);
    }
    return ptx_has(l->inst, "xorsign")
               ? hd_format(l->arena, "copysign(%s, bits:own(%s))", recipe, sign)
               : recipe;
}

static uint32_t count_of(const ptx_lowering *l, const float_rule *rule) {
    return !rule->recipe && l->inst->operand_count > 3 ? 3 : rule->count;
}

static kir_value plain(ptx_lowering *l, const float_rule *rule, const kir_value *x) {
    kir_value letters[26] = {x[0], x[1], x[2]};
    kir_type type = ptx_type_of_value(l, x[0]);
    const char *recipe =
        rule->recipe ? rule->recipe : extreme_recipe(l, rule->name, count_of(l, rule), type);
    kir_value d = front_recipe(&l->out, recipe, letters, true, type);
    if (ptx_has(l->inst, "sat"))
        d = ptx_call1(l, "saturate", d);
    if (ptx_has(l->inst, "relu")) /* a NaN stays one */
        d = ptx_call2(l, "fmax_nan", d, front_const_real(&l->out, type, 0));
    return d;
}

static kir_value computed(ptx_lowering *l, const float_rule *rule, kir_value *x) {
    bool flushes = ptx_has(l->inst, "ftz");
    for (uint32_t i = 0; flushes && i < count_of(l, rule); i++)
        x[i] = ptx_call1(l, "flush", x[i]);
    kir_value d = plain(l, rule, x);
    return flushes ? ptx_call1(l, "flush", d) : d;
}

/* x[] are i16. */
static kir_value computed_bf16(ptx_lowering *l, const float_rule *rule, kir_value *x) {
    static const float_rule as_it_is = {1, "a", NULL};
    if (rule->recipe && rule->name) {
        kir_value d = front_emit_call(&l->out, rule->name, ptx_int(16), rule->count, x);
        if (!ptx_has(l->inst, "relu") && !ptx_has(l->inst, "sat"))
            return d;
        rule = &as_it_is;
        x[0] = d;
    }
    for (uint32_t i = 0; i < count_of(l, rule); i++)
        x[i] = ptx_bf16_to_float(l, x[i]);
    kir_value d = plain(l, rule, x);
    return front_emit_call(&l->out, "float_to_bf16", ptx_int(16), 1, &d);
}

/* ---- the instruction ------------------------------------------------------------------ */

/* add.f32.bf16 d, a, c: all but the last operand are of 16 bits, and the result is not. */
static void lower_mixed(ptx_lowering *l, const float_rule *rule, ptx_type type) {
    kir_value x[3] = {0};
    for (uint32_t i = 0; i < rule->count; i++) {
        bool is_last = i + 1 == rule->count;
        x[i] = ptx_get(l, 1 + i, is_last ? PTX_F32 : type);
        if (!is_last)
            x[i] = type == PTX_BF16 ? ptx_bf16_to_float(l, x[i])
                                    : ptx_to(l, KIR_FPEXT, ptx_real(32), x[i]);
    }
    ptx_put(l, 0, computed(l, rule, x), false);
}

/* f16x2 and bf16x2 are pairs, f32x2 two floats in 64 bits. */
static void lower_float(ptx_lowering *l) {
    const float_rule *rule = l->what;
    ptx_type type = ptx_type_of(l->inst, 0);
    if (ptx_type_of(l->inst, 1) == PTX_F32) {
        lower_mixed(l, rule, type);
        return;
    }
    bool is_wide = ptx_has(l->inst, "f32x2");
    bool is_pair = type == PTX_F16X2 || type == PTX_BF16X2;
    bool is_bf16 = type == PTX_BF16 || type == PTX_BF16X2;
    kir_type two = {KIR_FLOAT, 32, 2, 0};
    uint32_t count = count_of(l, rule);
    kir_value x[3] = {0}, d[2];
    for (uint32_t i = 0; i < count; i++)
        x[i] = ptx_get(l, 1 + i, is_wide ? PTX_B64 : type);
    for (uint32_t k = 0; k <= (is_pair || is_wide); k++) {
        kir_value part[3] = {x[0], x[1], x[2]};
        for (uint32_t i = 0; i < count; i++) {
            if (is_pair)
                part[i] = ptx_half(l, x[i], type, k);
            if (is_wide)
                part[i] = ptx_part(l, ptx_bits_as(l, x[i], two), k);
        }
        d[k] = is_bf16 ? computed_bf16(l, rule, part) : computed(l, rule, part);
    }
    if (is_wide)
        d[0] = ptx_bits_as(l, ptx_join(l, 2, d), ptx_int(64));
    ptx_put(l, 0, is_pair ? ptx_pair(l, d[0], d[1]) : d[0], false);
}

void ptx_lower_wordless(ptx_lowering *l) {
    ptx_wrong(l, "%s %s", ptx_opcode(l->arena, l->inst), (const char *)l->what);
}

void ptx_lower_refused(ptx_lowering *l) {
    ptx_cannot(l, "%s is not supported%s", ptx_opcode(l->arena, l->inst), (const char *)l->what);
}

#define RULE(name, count, recipe, call)                                  \
    {name, lower_float, &(const float_rule){count, recipe, call}, false}
/* As the words say that the result is rounded; the nearest without one. */
#define ROUNDED(name, count, call, args, nearest, bf16)                                  \
    RULE(name ".rz", count, call "_rz" args, bf16),                                      \
        RULE(name ".rm", count, call "_rd" args, bf16),                                  \
        RULE(name ".rp", count, call "_ru" args, bf16), RULE(name, count, nearest, bf16)
#define IS(name, recipe) {name, NULL, "t: " recipe, false}
/* The gross approximations for doubles are of upper halves; rsqrt without .ftz is no such. */
#define UPPER_HALF(x) "bits:f64(and(bits:i64(" x "), 0xffffffff00000000))"
/* Both halves of a pair, subnormal ones as zeros. */
#define FLUSHED_HALF(digits, rest) "select(eq(and(a, " digits "), 0), " rest ":i32, -1:i32)"
#define FLUSHED_PAIR                                                                        \
    "and(a, and(" FLUSHED_HALF("0x7c00", "0xffff8000") ", " FLUSHED_HALF("0x7c000000",      \
                                                                         "0x8000ffff") "))"
/* neg and abs of all but f32 and f64 change signs alone. */
#define SIGN(name, op, op_bits, mask, masks)                                                      \
    IS(name ".ftz.f32", op "(flush(a))"), IS(name ".f32", op "(a)"), IS(name ".f64", op "(a)"),   \
        IS(name ".ftz.f16", "bits:own(" op_bits "(bits:i16(flush(a)), " mask "))"),               \
        IS(name ".f16", "bits:own(" op_bits "(bits:i16(a), " mask "))"),                          \
        IS(name ".bf16", op_bits "(a, " mask ")"),                                                \
        IS(name ".ftz.f16x2", op_bits "(" FLUSHED_PAIR ", " masks ")"),                           \
        IS(name ".f16x2", op_bits "(a, " masks ")"), IS(name ".bf16x2", op_bits "(a, " masks ")")
#define SUBNORMAL(least) "x = fabs(a); and(olt(x, " least "), ogt(x, 0))"
const ptx_rule ptx_float_rules[] = {
    ROUNDED("add", 2, "add", "(a, b)", "fadd(a, b)", "bf16_add"),
    ROUNDED("sub", 2, "sub", "(a, b)", "fsub(a, b)", "bf16_sub"),
    ROUNDED("mul", 2, "mul", "(a, b)", "fmul(a, b)", "bf16_mul"),
    RULE("div.approx", 2, FRONT_FAST_DIVIDE("fdiv"), NULL),
    ROUNDED("div", 2, "div", "(a, b)", "fdiv(a, b)", NULL),
    {"fma.oob", ptx_lower_refused, "; no NaN stands for what is out of bounds", false},
    ROUNDED("fma", 3, "fma", "(a, b, c)", "fma(a, b, c)", "bf16_fma"),
    ROUNDED("mad", 3, "fma", "(a, b, c)", "fma(a, b, c)", "bf16_fma"),
    RULE("min", 2, NULL, "min"),
    RULE("max", 2, NULL, "max"),
    RULE("rcp.approx.ftz.f64", 1, UPPER_HALF("fdiv(1, " UPPER_HALF("a") ")"), NULL),
    RULE("rcp.approx", 1, "native_recip(a)", NULL),
    ROUNDED("rcp", 1, "div", "(1, a)", "fdiv(1, a)", NULL),
    RULE("rsqrt.approx.ftz.f64", 1, UPPER_HALF("rsqrt(" UPPER_HALF("a") ")"), NULL),
    RULE("rsqrt", 1, "native_rsqrt(a)", NULL),
    RULE("sqrt.approx", 1, "native_sqrt(a)", NULL),
    ROUNDED("sqrt", 1, "sqrt", "(a)", "sqrt(a)", NULL),
    RULE("sin", 1, "native_sin(a)", NULL),
    RULE("cos", 1, "native_cos(a)", NULL),
    RULE("lg2", 1, "native_log2(a)", NULL),
    RULE("ex2", 1, "native_exp2(a)", NULL),
    RULE("tanh", 1, "native_tanh(a)", NULL),
    RULE("copysign", 2, "copysign(b, a)", NULL), /* a's sign, b's size */
    SIGN("neg", "fneg", "xor", "0x8000", "0x80008000"),
    SIGN("abs", "fabs", "and", "0x7fff", "0x7fff7fff"),
    {"slct.ftz", NULL, "TTt: select(oge(flush(c), 0), a, b)", false},
    {"slct", NULL, "TTt: select(oge(c, 0), a, b)", false},
    IS("testp.finite", "ne(isfinite:i32(a), 0)"),
    IS("testp.infinite", "ne(isinf:i32(a), 0)"),
    IS("testp.notanumber", "ne(isnan:i32(a), 0)"),
    IS("testp.number", "eq(isnan:i32(a), 0)"),
    IS("testp.normal", "or(ne(isnormal:i32(a), 0), oeq(a, 0))"), /* zeros are */
    /* less than the normal ones, and no zero */
    IS("testp.subnormal.f32", SUBNORMAL("bits:f32(0x800000:i32)")),
    IS("testp.subnormal.f64", SUBNORMAL("bits:f64(0x10000000000000:i64)")),
    {"testp", ptx_lower_wordless, "tests for nothing that is known", false},
    {NULL},
};
