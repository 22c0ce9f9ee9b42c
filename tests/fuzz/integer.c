/* Random expressions of integer types. */
#include "fuzz.h"

static const char *name_of(gen *g, type t) { return fuzz_type_name(g->arena, t); }

/* + - *: on unsigned numbers, which wrap; scalars narrower than int are computed as uint. */
static node *arithmetic(gen *g, type t, uint32_t depth) {
    static const char *const ops[] = {"+", "-", "*"};
    const char *op = ops[fuzz_draw(g, 3)], *as = name_of(g, integer_of(t, false));
    node *a = fuzz_expression(g, t, depth), *b = fuzz_expression(g, t, depth);
    if (t.lanes == 1 && base_bits(t.base) < 32)
        return fuzz_value(g, t, "($)((uint)(@) $ (uint)(@))", name_of(g, t), a, op, b);
    if (is_signed(t))
        return fuzz_value(g, t, "as_$(as_$(@) $ as_$(@))", name_of(g, t), as, a, op, as, b);
    return fuzz_value(g, t, "((@) $ (@))", a, op, b);
}

static node *bitwise(gen *g, type t, uint32_t depth) {
    static const char *const ops[] = {"&", "|", "^"};
    node *a = fuzz_expression(g, t, depth);
    if (fuzz_chance(g, 15))
        return fuzz_value(g, t, "($)(~(@))", name_of(g, t), a);
    return fuzz_value(g, t, "($)((@) $ (@))", name_of(g, t), a, ops[fuzz_draw(g, 3)],
                      fuzz_expression(g, t, depth));
}

/* OpenCL C takes the amount modulo the width of the promoted left side. */
static node *shifted(gen *g, type t, uint32_t depth) {
    const char *op = fuzz_chance(g, 50) ? "<<" : ">>";
    node *a = fuzz_expression(g, t, depth);
    if (t.lanes == 1)
        return fuzz_value(g, t, "($)((@) $ (@))", name_of(g, t), a, op,
                          fuzz_expression(g, (type){UINT, 1}, depth));
    return fuzz_value(g, t, "((@) $ (@))", a, op, fuzz_expression(g, t, depth));
}

static node *divided(gen *g, type t, uint32_t depth) {
    const char *op = fuzz_chance(g, 50) ? "/" : "%", *name = name_of(g, t);
    node *a = fuzz_expression(g, t, depth), *b = fuzz_expression(g, t, depth);
    if (t.lanes > 1 || fuzz_chance(g, 30)) /* by a positive number */
        return fuzz_value(g, t, "($)((@) $ (((@) & ($)(63)) | ($)(1)))", name, a, op, b, name,
                          name);
    const char *helper =
        hd_format(g->arena, "%s_%s_%u", *op == '/' ? "div" : "rem", name, g->number);
    const char *guard = is_signed(t) ? "b == 0 || b == -1" : "b == 0";
    fuzz_helper(g, helper,
                hd_format(g->arena, "%s %s(%s a, %s b) { return %s ? a : a %s b; }", name, helper,
                          name, name, guard, op));
    return fuzz_value(g, t, "$(@, @)", helper, a, b);
}

/* Vectors compare to -1, scalars to 1. */
static node *compared(gen *g, type t, uint32_t depth) {
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    static const char *const functions[] = {"isless",         "islessequal", "isgreater",
                                            "isgreaterequal", "isequal",     "isnotequal",
                                            "isunordered",    "isordered",   "islessgreater"};
    if (t.lanes == 1)
        return fuzz_value(g, t, "($)@", name_of(g, t), fuzz_condition(g, depth));
    uint32_t bits = base_bits(t.base);
    type of = integer_of(t, fuzz_chance(g, 50));
    if (bits >= 32 && fuzz_chance(g, 50))
        of.base = bits == 32 ? FLOAT : DOUBLE;
    node *a = fuzz_expression(g, of, depth), *b = fuzz_expression(g, of, depth);
    if (is_real(of) && fuzz_chance(g, 50))
        return fuzz_value(g, t, "as_$($(@, @))", name_of(g, t), functions[fuzz_draw(g, 9)], a, b);
    return fuzz_value(g, t, "as_$((@) $ (@))", name_of(g, t), a, ops[fuzz_draw(g, 6)], b);
}

/* Numbers of reals and vectors that are int. */
static node *asked(gen *g, type t, uint32_t depth) {
    static const uint32_t sizes[] = {2, 3, 4, 8, 16};
    static const char *const tests[] = {"isnan", "isinf", "isfinite", "isnormal"};
    type v = {(base)(2 * fuzz_draw(g, 4)), sizes[fuzz_draw(g, 5)]};
    type r = {fuzz_chance(g, 70) ? FLOAT : DOUBLE, 1};
    if (t.lanes > 1)
        return compared(g, t, depth);
    if (fuzz_chance(g, 40))
        return fuzz_value(g, t, "($)$(@)", name_of(g, t), fuzz_chance(g, 50) ? "any" : "all",
                          fuzz_expression(g, v, depth));
    if (fuzz_chance(g, 20))
        return fuzz_value(g, t, "($)signbit(@)", name_of(g, t),
                          fuzz_clean(g, r, fuzz_expression(g, r, depth)));
    return fuzz_value(g, t, "($)$(@)", name_of(g, t), tests[fuzz_draw(g, 4)],
                      fuzz_expression(g, r, depth));
}

static node *work_item(gen *g, type t) {
    static const char *const queries[] = {"get_global_id",    "get_local_id",   "get_group_id",
                                          "get_global_size",  "get_local_size", "get_num_groups",
                                          "get_global_offset"};
    return fuzz_value(g, t, "($)$(#)", name_of(g, t), queries[fuzz_draw(g, 7)], fuzz_draw(g, 3));
}

/* Functions of T and U, where U is the unsigned T. */
static node *of_unsigned(gen *g, type t, uint32_t depth) {
    type u = integer_of(t, false), s = integer_of(t, true), from = fuzz_chance(g, 50) ? u : s;
    const char *as = hd_format(g->arena, "as_%s", name_of(g, t));
    if (fuzz_chance(g, 50)) { /* not of the least number, of which PoCL's is undefined */
        int64_t least = -(int64_t)(~0ull >> (65 - base_bits(t.base)));
        const char *low = is_signed(from) ? hd_format(g->arena, "%lld", (long long)least) : "0";
        return fuzz_value(g, t, "$(abs(max((@), ($)($))))", as, fuzz_expression(g, from, depth),
                          name_of(g, from), low);
    }
    return fuzz_value(g, t, "$(abs_diff(@, @))", as, fuzz_expression(g, u, depth),
                      fuzz_expression(g, u, depth));
}

static node *upsampled(gen *g, type t, uint32_t depth) {
    if (base_bits(t.base) == 8)
        return of_unsigned(g, t, depth);
    type high = {(base)(t.base - 2), t.lanes};
    return fuzz_value(g, t, "upsample(@, @)", fuzz_expression(g, high, depth),
                      fuzz_expression(g, integer_of(high, false), depth));
}

static node *of_24_bits(gen *g, type t, uint32_t depth) {
    if (t.base != INT && t.base != UINT)
        return upsampled(g, t, depth);
    const char *name = name_of(g, t);
    node *a = fuzz_expression(g, t, depth), *b = fuzz_expression(g, t, depth);
    if (fuzz_chance(g, 50)) /* the product has its low 32 bits; 2^11 * 2^12 keeps it in range */
        return fuzz_value(g, t, "mul24((@) & ($)(0x7ff), (@) & ($)(0xfff))", a, name, b, name);
    return fuzz_value(g, t, "mad24((@) & ($)(0x7ff), (@) & ($)(0xfff), (@) & ($)(0xffff))", a, name,
                      b, name, fuzz_expression(g, t, depth), name);
}

static node *function_call(gen *g, type t, uint32_t depth) {
    static const char *const one[] = {"clz", "popcount"};
    static const char *const two[] = {"mul_hi",  "hadd", "rhadd", "add_sat",
                                      "sub_sat", "min",  "max",   "rotate"};
    static const char *const three[] = {"mad_hi", "mad_sat", "bitselect"};
    node *a = fuzz_expression(g, t, depth), *b = fuzz_expression(g, t, depth);
    uint32_t kind = fuzz_draw(g, 20);
    if (kind < 3)
        return fuzz_value(g, t, "$(@)", one[fuzz_draw(g, 2)], a);
    if (kind < 11)
        return fuzz_value(g, t, "$(@, @)", two[fuzz_draw(g, 8)], a, b);
    if (kind < 14)
        return fuzz_value(g, t, "$(@, @, @)", three[fuzz_draw(g, 3)], a, b,
                          fuzz_expression(g, t, depth));
    if (kind == 14)
        return fuzz_value(g, t, "clamp(@, min(@, ($)(9)), max(@, ($)(9)))", a, b, name_of(g, t),
                          fuzz_expression(g, t, depth), name_of(g, t));
    return kind < 16   ? of_unsigned(g, t, depth)
           : kind < 18 ? upsampled(g, t, depth)
                       : of_24_bits(g, t, depth);
}

node *fuzz_integer_expression(gen *g, type t, uint32_t depth) {
    uint32_t kind = fuzz_draw(g, 20);
    if (kind < 6)
        return arithmetic(g, t, depth);
    if (kind < 9)
        return bitwise(g, t, depth);
    if (kind < 11)
        return shifted(g, t, depth);
    if (kind < 13)
        return divided(g, t, depth);
    if (kind == 13)
        return compared(g, t, depth);
    if (kind == 14)
        return asked(g, t, depth);
    if (kind == 15 && t.lanes == 1)
        return work_item(g, t);
    return function_call(g, t, depth);
}
