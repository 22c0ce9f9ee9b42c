/*
 * Floating-point arithmetic. What is computed in f16, f32 and f64 is one operation of kir or a
 * call with the rounding in its name. bf16 has no type in kir: its numbers are the upper halves of
 * f32. Sums and products of them are calls; all else is done in f32 and rounded.
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

static kir_value float_to_bf16(ptx_lowering *l, kir_value value) {
    return front_emit_call(&l->out, "float_to_bf16", ptx_int(16), 1, &value);
}

/* ---- one scalar operation --------------------------------------------------------- */

/* x[] are numbers of f16, f32 or f64. */
typedef kir_value compute_fn(ptx_lowering *l, const char *name, const kir_value *x);

typedef struct float_rule {
    const char *name; /* of the call, or of what the function computes */
    uint32_t count;   /* operands */
    compute_fn *fn;
} float_rule;

/* "_rz" and the like; "" for the nearest. */
static const char *rounding(const ptx_inst *inst) {
    return ptx_has(inst, "rz")   ? "_rz"
           : ptx_has(inst, "rm") ? "_rd"
           : ptx_has(inst, "rp") ? "_ru"
                                 : "";
}

static kir_value call_of(ptx_lowering *l, const char *name, uint32_t count, const kir_value *x) {
    return front_emit_call(&l->out, name, ptx_type_of_value(l, x[0]), count, x);
}

static kir_value one(ptx_lowering *l, kir_value like) {
    return ptx_float_number(l, ptx_type_of_value(l, like), 1);
}

static kir_value compute_arithmetic(ptx_lowering *l, const char *name, const kir_value *x) {
    const char *tail = rounding(l->inst);
    if (*tail)
        return call_of(l, hd_format(l->arena, "%s%s", name, tail), 2, x);
    kir_op op = *name == 'a'           ? KIR_FADD
                : *name == 's'         ? KIR_FSUB
                : !strcmp(name, "mul") ? KIR_FMUL
                                       : KIR_FDIV;
    return ptx_op(l, op, x[0], x[1]);
}

static kir_value compute_fma(ptx_lowering *l, const char *name, const kir_value *x) {
    return call_of(l, hd_format(l->arena, "%s%s", name, rounding(l->inst)), 3, x);
}

static kir_value compute_call(ptx_lowering *l, const char *name, const kir_value *x) {
    return call_of(l, name, 1, x);
}

static kir_value compute_sqrt(ptx_lowering *l, const char *name, const kir_value *x) {
    if (ptx_has(l->inst, "approx"))
        name = "native_sqrt";
    return call_of(l, hd_format(l->arena, "%s%s", name, rounding(l->inst)), 1, x);
}

/* The upper half of a double, whose lower one is zero. */
static kir_value upper_half(ptx_lowering *l, kir_value x) {
    kir_type bits = ptx_int(64);
    kir_value kept = ptx_op(l, KIR_AND, ptx_bits_as(l, x, bits),
                            ptx_number(l, bits, (int64_t)0xffffffff00000000));
    return ptx_bits_as(l, kept, ptx_real(64));
}

/* The gross approximations for doubles are of upper halves; rsqrt without .ftz is no such. */
static bool is_coarse(ptx_lowering *l, kir_value x) {
    return ptx_has(l->inst, "approx") && ptx_has(l->inst, "ftz") &&
           ptx_type_of_value(l, x).bits == 64;
}

static kir_value compute_reciprocal(ptx_lowering *l, const char *name, const kir_value *x) {
    const char *tail = rounding(l->inst);
    if (is_coarse(l, x[0])) {
        kir_value from = upper_half(l, x[0]);
        return upper_half(l, *name == 's' ? ptx_call1(l, "rsqrt", from)
                                          : ptx_op(l, KIR_FDIV, one(l, from), from));
    }
    if (*name == 's')
        return ptx_call1(l, "native_rsqrt", x[0]);
    if (ptx_has(l->inst, "approx"))
        return ptx_call1(l, "native_recip", x[0]);
    kir_value args[] = {one(l, x[0]), x[0]};
    return *tail ? call_of(l, hd_format(l->arena, "div%s", tail), 2, args)
                 : ptx_op(l, KIR_FDIV, args[0], args[1]);
}

/* a's sign, b's size. */
static kir_value compute_copysign(ptx_lowering *l, const char *name, const kir_value *x) {
    return ptx_call2(l, name, x[1], x[0]);
}

static kir_value compute_extreme(ptx_lowering *l, const char *name, const kir_value *x) {
    uint32_t count = l->inst->operand_count > 3 ? 3 : 2;
    const char *call = hd_format(l->arena, "f%s%s", name, ptx_has(l->inst, "NaN") ? "_nan" : "");
    kir_value args[3] = {x[0], x[1], x[2]}, sign = x[0];
    bool takes_sizes = ptx_has(l->inst, "abs"); /* xorsign: the product of the signs */
    for (uint32_t i = 0; takes_sizes && i < count; i++)
        args[i] = ptx_call1(l, "fabs", x[i]);
    kir_value d = ptx_call2(l, call, args[0], args[1]);
    if (count == 3)
        d = ptx_call2(l, call, d, args[2]);
    if (!takes_sizes)
        return d;
    kir_type bits = ptx_int(ptx_type_of_value(l, d).bits);
    kir_value both = ptx_bits_as(l, sign, bits);
    for (uint32_t i = 1; i < count; i++)
        both = ptx_op(l, KIR_XOR, both, ptx_bits_as(l, x[i], bits));
    return ptx_call2(l, "copysign", d, ptx_bits_as(l, both, ptx_type_of_value(l, d)));
}

/* ---- modifiers ---------------------------------------------------------------------- */

static kir_value clamped(ptx_lowering *l, kir_value d) {
    if (ptx_has(l->inst, "sat"))
        d = ptx_call1(l, "saturate", d);
    if (ptx_has(l->inst, "relu")) /* a NaN stays one */
        d = ptx_call2(l, "fmax_nan", d, ptx_float_number(l, ptx_type_of_value(l, d), 0));
    return d;
}

static kir_value computed(ptx_lowering *l, const float_rule *rule, kir_value *x) {
    bool flushes = ptx_has(l->inst, "ftz") && ptx_type_of_value(l, x[0]).bits <= 32;
    uint32_t count = rule->count;
    if (rule->fn == compute_extreme && l->inst->operand_count > 3)
        count = 3;
    for (uint32_t i = 0; flushes && i < count; i++)
        x[i] = ptx_call1(l, "flush", x[i]);
    kir_value d = clamped(l, rule->fn(l, rule->name, x));
    return flushes ? ptx_call1(l, "flush", d) : d;
}

/* x[] are i16. */
static kir_value computed_bf16(ptx_lowering *l, const float_rule *rule, kir_value *x) {
    if (rule->fn == compute_fma || rule->fn == compute_arithmetic) {
        const char *name = hd_format(l->arena, "bf16_%s", rule->name);
        kir_value d = front_emit_call(&l->out, name, ptx_int(16), rule->count, x);
        return ptx_has(l->inst, "relu") || ptx_has(l->inst, "sat")
                   ? float_to_bf16(l, clamped(l, ptx_bf16_to_float(l, d)))
                   : d;
    }
    for (uint32_t i = 0; i < 3; i++)
        if (x[i] != KIR_NONE)
            x[i] = ptx_bf16_to_float(l, x[i]);
    return float_to_bf16(l, clamped(l, rule->fn(l, rule->name, x)));
}

/* ---- the instruction ------------------------------------------------------------------ */

/* f32x2 is two floats in 64 bits. */
static void lower_two_floats(ptx_lowering *l, const float_rule *rule) {
    kir_value x[3] = {0}, d[2];
    for (uint32_t i = 0; i < rule->count; i++)
        x[i] = ptx_get(l, 1 + i, PTX_B64);
    kir_type pair = {KIR_FLOAT, 32, 2, 0};
    for (uint32_t k = 0; k < 2 && !l->out.status; k++) {
        kir_value part[3] = {0};
        for (uint32_t i = 0; i < rule->count; i++)
            part[i] = ptx_part(l, ptx_bits_as(l, x[i], pair), k);
        d[k] = computed(l, rule, part);
    }
    if (!l->out.status)
        ptx_put(l, 0, ptx_bits_as(l, ptx_join(l, 2, d), ptx_int(64)), false);
}

static void lower_float(ptx_lowering *l, const void *what) {
    const float_rule *rule = what;
    ptx_type type = ptx_type_of(l->inst, 0);
    uint32_t count = rule->count;
    if (ptx_has(l->inst, "f32x2")) {
        lower_two_floats(l, rule);
        return;
    }
    if (rule->fn == compute_extreme && l->inst->operand_count > 3)
        count = 3;
    bool is_pair = type == PTX_F16X2 || type == PTX_BF16X2;
    bool is_bf16 = type == PTX_BF16 || type == PTX_BF16X2;
    kir_value x[3] = {KIR_NONE, KIR_NONE, KIR_NONE}, d[2];
    for (uint32_t i = 0; i < count; i++)
        x[i] = ptx_get(l, 1 + i, type);
    for (uint32_t k = 0; k <= is_pair && !l->out.status; k++) {
        kir_value part[3] = {x[0], x[1], x[2]};
        for (uint32_t i = 0; is_pair && i < count; i++)
            part[i] = ptx_half(l, x[i], type, k);
        d[k] = is_bf16 ? computed_bf16(l, rule, part) : computed(l, rule, part);
    }
    if (!l->out.status)
        ptx_put(l, 0, is_pair ? ptx_pair(l, d[0], d[1]) : d[0], false);
}

/* neg and abs of all but f32 and f64 change signs alone. */
static void lower_sign(ptx_lowering *l, const void *what) {
    bool drops = *(const bool *)what;
    ptx_type type = ptx_type_of(l->inst, 0);
    kir_value a = ptx_get(l, 1, type);
    if (l->out.status)
        return;
    if (ptx_has(l->inst, "ftz"))
        a = type == PTX_F16X2 ? a : ptx_call1(l, "flush", a);
    if (type == PTX_F32 || type == PTX_F64) {
        kir_value d = drops ? ptx_call1(l, "fabs", a)
                            : front_emit1(&l->out, KIR_FNEG, ptx_type_of_value(l, a), a);
        ptx_put(l, 0, d, false);
        return;
    }
    kir_type bits = ptx_int((uint8_t)ptx_type_bits(type));
    int64_t signs = bits.bits == 32 ? 0x80008000 : 0x8000;
    kir_value d = ptx_op(l, drops ? KIR_AND : KIR_XOR, ptx_bits_as(l, a, bits),
                         ptx_number(l, bits, drops ? ~signs : signs));
    ptx_put(l, 0, d, false);
}

/* testp.finite and the like. */
static void lower_test(ptx_lowering *l, const void *what) {
    (void)what;
    static const char *const tests[][2] = {{"finite", "isfinite"},  {"infinite", "isinf"},
                                           {"notanumber", "isnan"}, {"number", "isnan"},
                                           {"normal", "isnormal"},  {"subnormal", "isnormal"}};
    ptx_type type = ptx_type_of(l->inst, 0);
    const char *word = l->inst->word_count > 1 ? l->inst->words[1] : "";
    kir_value a = ptx_get(l, 1, type);
    for (size_t i = 0; i < sizeof tests / sizeof *tests && !l->out.status; i++) {
        if (strcmp(tests[i][0], word) != 0)
            continue;
        kir_value is =
            ptx_is_not_zero(l, front_emit_call(&l->out, tests[i][1], ptx_int(32), 1, &a));
        if (!strcmp(word, "number"))
            is = ptx_not(l, is);
        if (!strcmp(word, "subnormal")) { /* less than the normal ones, and no zero */
            kir_type real = ptx_type_of_value(l, a);
            double least = real.bits == 32 ? 0x1p-126 : 0x1p-1022;
            kir_value size = ptx_call1(l, "fabs", a);
            is = ptx_op(l, KIR_AND, ptx_is(l, KIR_P_OLT, size, ptx_float_number(l, real, least)),
                        ptx_is(l, KIR_P_OGT, size, ptx_float_number(l, real, 0)));
        }
        ptx_put(l, 0, is, false);
        return;
    }
    if (!l->out.status)
        ptx_wrong(l, "%s tests for nothing that is known", ptx_opcode(l->arena, l->inst));
}

#define RULE(name, call, count, fn)                                            \
    {name, lower_float, &(const float_rule){call, count, compute_##fn}, false}
static const bool DROPS = true, TURNS = false;
const ptx_rule ptx_float_rules[] = {
    RULE("add", "add", 2, arithmetic),
    RULE("sub", "sub", 2, arithmetic),
    RULE("mul", "mul", 2, arithmetic),
    RULE("div", "div", 2, arithmetic),
    RULE("fma", "fma", 3, fma),
    RULE("mad", "fma", 3, fma),
    RULE("min", "min", 2, extreme),
    RULE("max", "max", 2, extreme),
    RULE("rcp", "recip", 1, reciprocal),
    RULE("rsqrt", "sqrt", 1, reciprocal),
    RULE("sqrt", "sqrt", 1, sqrt),
    RULE("sin", "native_sin", 1, call),
    RULE("cos", "native_cos", 1, call),
    RULE("lg2", "native_log2", 1, call),
    RULE("ex2", "native_exp2", 1, call),
    RULE("tanh", "native_tanh", 1, call),
    RULE("copysign", "copysign", 2, copysign),
    {"neg", lower_sign, &TURNS, false},
    {"abs", lower_sign, &DROPS, false},
    {"testp", lower_test, NULL, false},
    {NULL},
};
