/*
 * Random expressions of float and double: only what has one right result, which
 * IEEE 754 or the OpenCL specification gives. Signs of zeros that a function may
 * choose are taken away by adding 0. rint() is left out: PoCL 3.1 makes nonsense of it
 * where it can tell the argument when compiling, and that is beyond 2^31.
 */
#include "fuzz.h"

static node *arithmetic(gen *g, type t, uint32_t depth) {
    static const char *const ops[] = {"+", "-", "*", "/"};
    return fuzz_value(g, t, "((@) $ (@))", fuzz_expression(g, t, depth), ops[fuzz_draw(g, 4)],
                      fuzz_expression(g, t, depth));
}

static node *rounded(gen *g, type t, uint32_t depth) {
    static const char *const names[] = {"fabs", "floor", "ceil", "trunc", "round", "sqrt", "-"};
    return fuzz_value(g, t, "($(@))", names[fuzz_draw(g, 7)], fuzz_expression(g, t, depth));
}

static node *extreme(gen *g, type t, uint32_t depth) {
    const char *zero = t.base == FLOAT ? "0.0f" : "0.0";
    node *a = fuzz_expression(g, t, depth), *b = fuzz_expression(g, t, depth);
    return fuzz_value(g, t, "($(@, @) + $)", fuzz_chance(g, 50) ? "fmin" : "fmax",
                      fuzz_clean(g, t, a), fuzz_clean(g, t, b), zero);
}

static node *signed_by(gen *g, type t, uint32_t depth) {
    node *a = fuzz_expression(g, t, depth), *b = fuzz_expression(g, t, depth);
    return fuzz_value(g, t, "copysign(@, @)", a, fuzz_clean(g, t, b));
}

/* Exact functions of two reals, or of a real and an int. */
static node *stepped(gen *g, type t, uint32_t depth) {
    static const char *const two[] = {"fmod", "nextafter", "step", "fdim"};
    node *a = fuzz_expression(g, t, depth);
    type i = {INT, t.lanes};
    if (fuzz_chance(g, 30))
        return fuzz_value(g, t, "ldexp(@, (@) & ($)(15))", a, fuzz_expression(g, i, depth),
                          fuzz_type_name(g->arena, i));
    return fuzz_value(g, t, "$(@, @)", two[fuzz_draw(g, 4)], a, fuzz_expression(g, t, depth));
}

node *fuzz_real_expression(gen *g, type t, uint32_t depth) {
    uint32_t kind = fuzz_draw(g, 20);
    if (kind == 16 || kind == 17)
        return stepped(g, t, depth);
    if (kind == 18)
        return fuzz_value(g, t, "sign(@)", fuzz_clean(g, t, fuzz_expression(g, t, depth)));
    if (kind < 8)
        return arithmetic(g, t, depth);
    if (kind < 12)
        return rounded(g, t, depth);
    if (kind == 12)
        return extreme(g, t, depth);
    if (kind == 13)
        return signed_by(g, t, depth);
    node *a = fuzz_expression(g, t, depth), *b = fuzz_expression(g, t, depth);
    return fuzz_value(g, t, "fma(@, @, @)", a, b, fuzz_expression(g, t, depth));
}
