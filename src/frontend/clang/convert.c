/*
 * convert_T[_sat][_rounding](x). kir's conversions round as C does: to zero
 * from float to integer, to nearest otherwise. Another rounding to an integer
 * is a call that rounds the float first. Saturation between integers clamps in
 * the source's type; from float it stays a call, named as in the source.
 */
#include "frontend/clang/internal.h"

typedef struct conversion {
    bool to_float, to_unsigned, from_unsigned, saturate;
    const char *rounding; /* "", "rte", "rtz", "rtp", "rtn" */
} conversion;

/* Splits the name behind "convert_". */
static bool parse(const char *name, const char *types, conversion *c) {
    if (strncmp(name, "convert_", 8))
        return false;
    name += 8;
    *c = (conversion){.rounding = ""};
    c->to_unsigned = *name == 'u';
    c->to_float =
        !strncmp(name, "float", 5) || !strncmp(name, "double", 6) || !strncmp(name, "half", 4);
    char code = front_first_type_code(types);
    c->from_unsigned = code && strchr("htjm", code);
    const char *tail = strchr(name, '_');
    if (tail && !strncmp(tail, "_sat", 4)) {
        c->saturate = true;
        tail = strchr(tail + 1, '_');
    }
    if (tail)
        c->rounding = tail + 1;
    return true;
}

/* Clamps an integer to the range of the target, in the source's own type. */
static kir_value clamp(front_lowering *l, const conversion *c, kir_value value, kir_type to) {
    kir_type from = front_type_of_value(&l->out, value);
    uint32_t digits = to.bits - !c->to_unsigned, own_digits = from.bits - !c->from_unsigned;
    int64_t most = (int64_t)(UINT64_MAX >> (64 - digits));
    kir_value letters[26] = {value, front_const_int(&l->out, from, c->to_unsigned ? 0 : -most - 1),
                             front_const_int(&l->out, from, most)};
    if (!c->from_unsigned && (c->to_unsigned || to.bits < from.bits))
        front_recipe(&l->out, "a = select(lt(a, b), b, a); a", letters, true, from);
    if (digits < own_digits)
        front_recipe(&l->out, "a = select(lt(c, a), c, a); a", letters, !c->from_unsigned, from);
    return letters[0];
}

static kir_value from_integer(front_lowering *l, const conversion *c, kir_value value,
                              kir_type to) {
    if (c->to_float)
        return front_emit1(&l->out, c->from_unsigned ? KIR_UITOFP : KIR_SITOFP, to, value);
    if (c->saturate)
        value = clamp(l, c, value, to);
    return front_resize(&l->out, value, to, !c->from_unsigned);
}

static kir_value from_float(front_lowering *l, const conversion *c, kir_value value, kir_type to) {
    kir_type from = front_type_of_value(&l->out, value);
    if (c->to_float) {
        if (to.bits == from.bits)
            return value;
        return front_emit1(&l->out, to.bits < from.bits ? KIR_FPTRUNC : KIR_FPEXT, to, value);
    }
    const char *rounder = !strcmp(c->rounding, "rte")   ? "rint"
                          : !strcmp(c->rounding, "rtp") ? "ceil"
                          : !strcmp(c->rounding, "rtn") ? "floor"
                                                        : NULL;
    if (rounder)
        value = front_emit_call(&l->out, rounder, from, 1, &value);
    return front_emit1(&l->out, c->to_unsigned ? KIR_FPTOUI : KIR_FPTOSI, to, value);
}

/* A float that may not hold the number, rounded in another way than to the nearest. */
static kir_value rounded(front_lowering *l, const front_call *call, bool is_unsigned) {
    const char *name = is_unsigned ? hd_format(l->arena, "u_%s", call->name) : call->name;
    return front_same(l, call, name);
}

bool front_lower_convert(front_lowering *l, front_call *call) {
    conversion c;
    if (call->arg_count != 1 || !parse(call->name, call->types, &c))
        return false;
    bool is_float = front_type_of_value(&l->out, call->args[0]).kind == KIR_FLOAT;
    if (is_float && c.saturate)
        return false;
    if (c.to_float && *c.rounding && strcmp(c.rounding, "rte"))
        call->result = rounded(l, call, !is_float && c.from_unsigned);
    else
        call->result = is_float ? from_float(l, &c, call->args[0], call->type)
                                : from_integer(l, &c, call->args[0], call->type);
    return true;
}
