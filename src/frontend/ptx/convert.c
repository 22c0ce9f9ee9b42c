/* mov and cvt. */
#include <stdlib.h>

#include "frontend/ptx/internal.h"

static void lower_mov(ptx_lowering *l) {
    ptx_type type = ptx_type_of(l->inst, 0);
    if (type == PTX_NO_TYPE)
        type = PTX_B32;
    /* A register keeps the type of its bits: mov.b32 of a float is that float. */
    const ptx_operand *from = ptx_operand_at(l, 1);
    ptx_type declared = ptx_declared(l, from);
    if (declared != PTX_NO_TYPE && ptx_type_bits(declared) == ptx_type_bits(type))
        type = declared;
    ptx_put(l, 0, ptx_value(l, from, type), false);
}

/* ---- integers to integers -------------------------------------------------------- */

/* The number within the bounds of an integer of so many bits, as one of 64 of the source's signedness. */
static kir_value bounded(ptx_lowering *l, kir_value value, ptx_type from, uint32_t bits,
                         bool to_signed) {
    bool is_signed = ptx_is_signed(from);
    uint64_t most = UINT64_MAX >> (64 - bits + to_signed);
    kir_type wide = ptx_int(64);
    kir_value letters[26] = {value, ptx_number(l, wide, to_signed ? -(int64_t)most - 1 : 0),
                             ptx_number(l, wide, (int64_t)most)};
    bool has_most = !is_signed || most <= INT64_MAX;
    return front_recipe(&l->out,
                        !is_signed ? "min(ext:i64(a), c)"
                        : has_most ? "min(max(ext:i64(a), b), c)"
                                   : "max(ext:i64(a), b)",
                        letters, is_signed, wide);
}

static kir_value integer_to_integer(ptx_lowering *l, kir_value value, ptx_type from, ptx_type to) {
    if (ptx_has(l->inst, "sat"))
        value = bounded(l, value, from, ptx_type_bits(to), ptx_is_signed(to));
    return ptx_resize(l, value, ptx_kir_type(to), ptx_is_signed(from));
}

/* ---- floats and integers ----------------------------------------------------------- */

/* "_rtz" of rz and rzi, as OpenCL C names it; "" where the text says none. */
static const char *rounding(const ptx_inst *inst) {
    static const char *const names[][2] = {{"rn", "_rte"},  {"rz", "_rtz"},  {"rm", "_rtn"},
                                           {"rp", "_rtp"},  {"rni", "_rte"}, {"rzi", "_rtz"},
                                           {"rmi", "_rtn"}, {"rpi", "_rtp"}, {"rna", "_rta"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ptx_has(inst, names[i][0]))
            return names[i][1];
    return "";
}

static bool is_nearest(const char *rounding) { return !*rounding || !strcmp(rounding, "_rte"); }

/* Beyond the type's range the nearest number of it. */
static kir_value float_to_integer(ptx_lowering *l, kir_value value, ptx_type to) {
    static const char *const names[] = {[8] = "char", [16] = "short", [32] = "int", [64] = "long"};
    const char *tail = rounding(l->inst);
    const char *name = hd_format(l->arena, "convert_%s%s_sat_nan%s", ptx_is_signed(to) ? "" : "u",
                                 names[ptx_type_bits(to)], strcmp(tail, "_rtz") ? tail : "");
    return front_emit_call(&l->out, name, ptx_kir_type(to), 1, &value);
}

static const char *name_of_float(kir_type type) {
    return type.bits == 16 ? "half" : type.bits == 32 ? "float" : "double";
}

static kir_value integer_to_float(ptx_lowering *l, kir_value value, ptx_type from, kir_type to) {
    bool is_signed = ptx_is_signed(from);
    const char *tail = rounding(l->inst);
    if (is_nearest(tail))
        return ptx_to(l, is_signed ? KIR_SITOFP : KIR_UITOFP, to, value);
    const char *name =
        hd_format(l->arena, "%sconvert_%s%s", is_signed ? "" : "u_", name_of_float(to), tail);
    return front_emit_call(&l->out, name, to, 1, &value);
}

static kir_value float_to_float(ptx_lowering *l, kir_value value, kir_type to) {
    kir_type from = ptx_type_of_value(l, value);
    const char *tail = rounding(l->inst);
    if (from.bits == to.bits) /* to a whole number */
        return !*tail                  ? value
               : !strcmp(tail, "_rtz") ? ptx_call1(l, "trunc", value)
               : !strcmp(tail, "_rtn") ? ptx_call1(l, "floor", value)
               : !strcmp(tail, "_rtp") ? ptx_call1(l, "ceil", value)
                                       : ptx_call1(l, "rint", value);
    if (from.bits < to.bits)
        return ptx_to(l, KIR_FPEXT, to, value);
    if (is_nearest(tail))
        return ptx_to(l, KIR_FPTRUNC, to, value);
    const char *name = hd_format(l->arena, "convert_%s%s", name_of_float(to), tail);
    return front_emit_call(&l->out, name, to, 1, &value);
}

/* ---- to 16 bits --------------------------------------------------------------------- */

static kir_value to_bf16(ptx_lowering *l, kir_value value) {
    const char *name = ptx_has(l->inst, "rz")   ? "float_to_bf16_rz"
                       : ptx_has(l->inst, "rp") ? "float_to_bf16_ru"
                       : ptx_has(l->inst, "rm") ? "float_to_bf16_rd"
                                                : "float_to_bf16";
    return front_emit_call(&l->out, name, ptx_int(16), 1, &value);
}

static kir_value integer_to_bf16(ptx_lowering *l, kir_value value, ptx_type from) {
    const char *tail = rounding(l->inst), *sign = ptx_is_signed(from) ? "" : "u_";
    const char *name = hd_format(l->arena, "%sconvert_bf16%s", sign, is_nearest(tail) ? "" : tail);
    return front_emit_call(&l->out, name, ptx_int(16), 1, &value);
}

static kir_value clamped(ptx_lowering *l, kir_value value) {
    if (ptx_has(l->inst, "sat"))
        value = ptx_call1(l, "saturate", value);
    if (ptx_has(l->inst, "relu"))
        value = ptx_call2(l, "fmax_nan", value,
                          front_const_real(&l->out, ptx_type_of_value(l, value), 0));
    return value;
}

/* With .satfinite no further from zero than the greatest number of the target, a float of these bits; NaN
 * stays NaN. */
static kir_value finite(ptx_lowering *l, kir_value value, uint32_t most) {
    if (!ptx_has(l->inst, "satfinite"))
        return value;
    kir_value letters[26] = {value, ptx_number(l, ptx_int(32), most)};
    return front_recipe(&l->out, "x = bits:f32(b); fmin_nan(fmax_nan(a, fneg(x)), x)", letters,
                        true, ptx_real(32));
}
#define MOST_F16 0x477fe000
#define MOST_BF16 0x7f7f0000
#define MOST_TF32 0x7f7fe000

static kir_value flushed(ptx_lowering *l, kir_value value) {
    bool is_single = ptx_type_of_value(l, value).bits == 32;
    return ptx_has(l->inst, "ftz") && is_single ? ptx_call1(l, "flush", value) : value;
}

/* Two floats to a pair; the second operand goes to the low half. */
static void lower_to_pair(ptx_lowering *l, ptx_type to) {
    kir_value halves[2];
    for (uint32_t k = 0; k < 2; k++) {
        kir_value value = ptx_get(l, 2 - k, PTX_F32);
        value = finite(l, clamped(l, flushed(l, value)), to == PTX_F16X2 ? MOST_F16 : MOST_BF16);
        halves[k] = to == PTX_F16X2 ? float_to_float(l, value, ptx_real(16)) : to_bf16(l, value);
    }
    ptx_put(l, 0, ptx_pair(l, halves[0], halves[1]), false);
}

/* Two bytes that are floats: of two floats, or to two halves. */
static bool lower_bytes(ptx_lowering *l, ptx_type from, ptx_type to) {
    ptx_type bytes = to >= PTX_E4M3X2 ? to : from;
    const char *name = ptx_type_name(bytes);
    if (from == PTX_F32 && to == bytes) {
        kir_value args[] = {ptx_get(l, 1, PTX_F32), ptx_get(l, 2, PTX_F32)};
        for (uint32_t i = 0; i < 2; i++)
            args[i] = clamped(l, args[i]);
        name = hd_format(l->arena, "float2_to_%s", name);
        ptx_put(l, 0, front_emit_call(&l->out, name, ptx_int(16), 2, args), false);
        return true;
    }
    if (from != bytes || to != PTX_F16X2 || ptx_has(l->inst, "relu"))
        return false;
    kir_value value = ptx_get(l, 1, PTX_B16);
    name = hd_format(l->arena, "%s_to_half2", name);
    ptx_put(l, 0, front_emit_call(&l->out, name, ptx_int(32), 1, &value), false);
    return true;
}

static void lower_to_tf32(ptx_lowering *l) {
    kir_value value = ptx_get(l, 1, PTX_F32);
    const char *name = ptx_has(l->inst, "rn")   ? "round_to_tf32_rn"
                       : ptx_has(l->inst, "rz") ? "round_to_tf32_rz"
                                                : "round_to_tf32";
    value = ptx_call1(l, name, finite(l, clamped(l, value), MOST_TF32));
    ptx_put(l, 0, ptx_bits_as(l, value, ptx_int(32)), false);
}

/* ---- cvt ------------------------------------------------------------------------------- */

/* cvt.pack.sat.s16.s32 d, a, b: both within 16 bits. With 8, 4 or 2 there is also c, whose bits stand
 * above them. */
static void lower_pack(ptx_lowering *l) {
    const ptx_inst *inst = l->inst;
    const bool has_third = inst->operand_count > 3;
    const char *to = inst->word_count > 4u + has_third ? inst->words[3] : "";
    const uint32_t bits = (*to == 's' || *to == 'u') ? (uint32_t)strtoul(to + 1, NULL, 10) : 0;
    const ptx_type from = ptx_type_of(inst, has_third);
    if (has_third ? bits != 8 && bits != 4 && bits != 2 : bits != 16) {
        ptx_cannot(l, "%s: this conversion is not supported", ptx_opcode(l->arena, inst));
        return;
    }
    kir_value letters[26] = {
        bounded(l, ptx_get(l, 1, from), from, bits, *to == 's'),
        bounded(l, ptx_get(l, 2, from), from, bits, *to == 's'),
        has_third ? ptx_get(l, 3, PTX_B32) : ptx_number(l, ptx_int(32), 0),
        ptx_number(l, ptx_int(32), bits),
        ptx_number(l, ptx_int(32), (1 << bits) - 1),
    };
    kir_value d = front_recipe(
        &l->out, "or(or(and(trunc:i32(b), e), shl(and(trunc:i32(a), e), d)), shl(shl(c, d), d))",
        letters, false, ptx_int(32));
    ptx_put(l, 0, d, false);
}

static void lower_cvt(ptx_lowering *l) {
    ptx_type from = ptx_type_of(l->inst, 0), to = ptx_type_of(l->inst, 1);
    bool is_of_bytes = from >= PTX_E4M3X2 || to >= PTX_E4M3X2;
    if (is_of_bytes && lower_bytes(l, from, to))
        return;
    if (to == PTX_NO_TYPE || is_of_bytes || from == PTX_F16X2 || from == PTX_BF16X2 ||
        ptx_has(l->inst, "rs")) { /* random bits decide */
        ptx_cannot(l, "%s: this conversion is not supported", ptx_opcode(l->arena, l->inst));
        return;
    }
    if (to == PTX_F16X2 || to == PTX_BF16X2) {
        lower_to_pair(l, to);
        return;
    }
    kir_value value = ptx_get(l, 1, from);
    if (from == PTX_BF16)
        value = ptx_bf16_to_float(l, value);
    if (from == PTX_BF16 && to == PTX_BF16)
        value = float_to_float(l, value, ptx_real(32)); /* to a whole number */
    bool from_float = ptx_is_float(from), to_float = ptx_is_float(to);
    if (!from_float && !to_float) {
        value = integer_to_integer(l, value, from, to);
        ptx_put(l, 0, value, ptx_is_signed(to));
        return;
    }
    if (from_float)
        value = flushed(l, value);
    if (from == PTX_F32 && (to == PTX_F16 || to == PTX_BF16))
        value = finite(l, value, to == PTX_F16 ? MOST_F16 : MOST_BF16);
    if (!to_float) {
        ptx_put(l, 0, float_to_integer(l, value, to), ptx_is_signed(to));
        return;
    }
    if (to == PTX_BF16) {
        value = from_float ? to_bf16(l, clamped(l, value)) : integer_to_bf16(l, value, from);
    } else {
        kir_type type = ptx_kir_type(to);
        value =
            from_float ? float_to_float(l, value, type) : integer_to_float(l, value, from, type);
        value = flushed(l, clamped(l, value));
    }
    ptx_put(l, 0, value, false);
}

const ptx_rule ptx_convert_rules[] = {
    {"mov", lower_mov, NULL, false},
    {"cvt.pack", lower_pack, NULL, false},
    {"cvt.tf32", lower_to_tf32, NULL, false},
    {"cvt", lower_cvt, NULL, false},
    {NULL},
};
