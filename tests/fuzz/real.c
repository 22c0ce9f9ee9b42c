/*
 * Random expressions of float and double: only what has one right result, which
 * IEEE 754 or the OpenCL specification gives. Signs of zeros that a function may
 * choose are taken away by adding 0.
 */
#include "fuzz.h"

static node *arithmetic(gen *g, type t, uint32_t depth) {
    static const char *const ops[] = {"+", "-", "*", "/"};
    return fuzz_value(g, t, "((@) $ (@))", fuzz_expression(g, t, depth), ops[fuzz_draw(g, 4)],
                      fuzz_expression(g, t, depth));
}

static node *rounded(gen *g, type t, uint32_t depth) {
    static const char *const names[] = {"fabs", "floor", "ceil", "trunc", "rint", "round", "sqrt",
                                        "-"};
    return fuzz_value(g, t, "($(@))", names[fuzz_draw(g, 8)], fuzz_expression(g, t, depth));
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

node *fuzz_real_expression(gen *g, type t, uint32_t depth) {
    uint32_t kind = fuzz_draw(g, 16);
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
