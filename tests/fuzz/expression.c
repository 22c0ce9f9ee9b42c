/* Random expressions of a type: leaves, conversions, and what integers and reals share. */
#include "fuzz.h"

enum { MOST_DEPTH = 4 };

static const char *name_of(gen *g, type t) { return fuzz_type_name(g->arena, t); }

node *fuzz_value(gen *g, type t, const char *pattern, ...) {
    va_list args;
    va_start(args, pattern);
    node *n = fuzz_vnode(g->arena, hd_format(g->arena, "(%s)(1)", name_of(g, t)), pattern, args);
    va_end(args);
    return n;
}

type fuzz_any_type(gen *g) { return g->palette[fuzz_draw(g, 6)]; }

type fuzz_scalar_type(gen *g) {
    return fuzz_chance(g, 60) ? element_of(fuzz_any_type(g)) : (type){(base)fuzz_draw(g, 10), 1};
}

type fuzz_integer_type(gen *g) {
    type t = fuzz_any_type(g);
    return is_real(t) ? (type){(base)fuzz_draw(g, 8), t.lanes} : t;
}

void fuzz_helper(gen *g, const char *name, const char *text) {
    for (size_t i = 0; i < g->helpers.count; i++)
        if (!strcmp(g->helpers.data[i], name))
            return;
    hd_push(g->arena, &g->helpers, name);
    fuzz_add(g->arena, g->prelude, "@", fuzz_node(g->arena, "", "$\n", text));
}

/* ---- leaves ------------------------------------------------------------------ */

static const char *integer_text(gen *g, base b) {
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     UINT64_MAX};
    uint32_t bits = base_bits(b);
    uint64_t v = fuzz_chance(g, 30) ? edges[fuzz_draw(g, 15)] : fuzz_draw(g, 40);
    if (fuzz_chance(g, 10))
        v = (uint64_t)fuzz_draw(g, UINT32_MAX) << 32 | fuzz_draw(g, UINT32_MAX);
    if (bits < 64)
        v &= ((uint64_t)1 << bits) - 1;
    if (is_signed((type){b, 1})) /* the most negative number has no literal */
        return hd_format(g->arena, "(%s)0x%lxu%s", name_of(g, (type){b, 1}), (unsigned long)v,
                         bits == 64 ? "l" : "");
    return hd_format(g->arena, "(%s)%luu%s", name_of(g, (type){b, 1}), (unsigned long)v,
                     bits == 64 ? "l" : "");
}

node *fuzz_literal(gen *g, type t) {
    if (t.lanes > 1)
        return fuzz_node(g->arena, NULL, "($)(@)", name_of(g, t), fuzz_literal(g, element_of(t)));
    if (!is_real(t))
        return fuzz_node(g->arena, NULL, "$", integer_text(g, t.base));
    int32_t eighths = (int32_t)fuzz_draw(g, 129) - 64;
    return fuzz_node(g->arena, NULL, "$",
                     hd_format(g->arena, "(%s)%g%s", name_of(g, t), eighths / 8.0,
                               t.base == FLOAT ? (eighths % 8 ? "f" : ".0f") : ""));
}

node *fuzz_index(gen *g, uint32_t length, uint32_t depth) {
    node *value = fuzz_expression(g, (type){fuzz_chance(g, 50) ? UINT : INT, 1}, depth);
    return fuzz_node(g->arena, "0", "(uint)(@) % #u", value, length);
}

/* ---- conversions ------------------------------------------------------------- */

node *fuzz_clean(gen *g, type t, node *value) {
    const char *of = name_of(g, t), *name = hd_format(g->arena, "clean_%s_%u", of, g->number);
    fuzz_helper(g, name,
                t.lanes == 1
                    ? hd_format(g->arena, "%s %s(%s x) { return isnan(x) ? (%s)0.5f : x; }", of,
                                name, of, of)
                    : hd_format(g->arena, "%s %s(%s x) { return select(x, (%s)(0.5f), isnan(x)); }",
                                of, name, of, of));
    return fuzz_node(g->arena, NULL, "$(@)", name, value);
}

node *fuzz_convert(gen *g, type from, type to, node *value) {
    static const char *const roundings[] = {"", "", "_rte", "_rtz", "_rtp", "_rtn"};
    const char *name = name_of(g, to);
    if (same_type(from, to))
        return value;
    if (is_real(from) && !is_real(to))
        return fuzz_node(g->arena, NULL, "convert_$_sat$(@)", name, roundings[fuzz_draw(g, 6)],
                         fuzz_clean(g, from, value));
    if (to.lanes == 1 && fuzz_chance(g, 50))
        return fuzz_node(g->arena, NULL, "($)(@)", name, value);
    bool saturate = !is_real(to) && fuzz_chance(g, 30);
    return fuzz_node(g->arena, NULL, "convert_$$(@)", name, saturate ? "_sat" : "", value);
}

/* A place of this type, or one of another type, converted. */
static node *leaf(gen *g, type t) {
    place p;
    if (fuzz_chance(g, 75) && fuzz_find(g, t, false, &p))
        return fuzz_place(g, p);
    if (t.lanes == 1 && fuzz_chance(g, 60) && fuzz_find(g, (type){0}, false, &p)) {
        type e = element_of(p.type);
        node *value = fuzz_place(g, p);
        if (p.type.lanes > 1)
            value = fuzz_node(g->arena, NULL, "@.s$", value,
                              hd_format(g->arena, "%x", fuzz_draw(g, p.type.lanes)));
        return fuzz_convert(g, e, t, value);
    }
    if (t.lanes > 1 && fuzz_chance(g, 50) && fuzz_find(g, element_of(t), false, &p))
        return fuzz_node(g->arena, NULL, "($)(@)", name_of(g, t), fuzz_place(g, p));
    return fuzz_literal(g, t);
}

static node *converted(gen *g, type t, uint32_t depth) {
    type from = {(base)fuzz_draw(g, 10), t.lanes};
    return fuzz_convert(g, from, t, fuzz_expression(g, from, depth));
}

/* The same bits as another type; never of 3 lanes, whose fourth has no value. */
static node *reinterpreted(gen *g, type t, uint32_t depth) {
    type from = {(base)fuzz_draw(g, 10), 1};
    uint32_t bits = base_bits(t.base) * t.lanes;
    from.lanes = bits / base_bits(from.base);
    if (t.lanes == 3 || from.lanes == 0 || from.lanes > 16)
        return fuzz_expression(g, t, depth);
    node *value = fuzz_expression(g, from, depth);
    if (is_real(from))
        value = fuzz_clean(g, from, value);
    value = fuzz_node(g->arena, NULL, "as_$(@)", name_of(g, t), value);
    return is_real(t) ? fuzz_clean(g, t, value) : value;
}

/* ---- vectors ----------------------------------------------------------------- */

static node *constructed(gen *g, type t, uint32_t depth) {
    node *n = fuzz_value(g, t, "($)(", name_of(g, t));
    for (uint32_t left = t.lanes; left > 0;) {
        uint32_t lanes = fuzz_chance(g, 70) ? 1 : left >= 4 && fuzz_chance(g, 50) ? 4 : 2;
        if (lanes > left || lanes == t.lanes)
            lanes = 1;
        fuzz_add(g->arena, n, "$@", left == t.lanes ? "" : ", ",
                 fuzz_expression(g, (type){t.base, lanes}, depth && left % 3 == 0 ? depth - 1 : 0));
        left -= lanes;
    }
    fuzz_add(g->arena, n, ")");
    return n;
}

/* Lanes of another vector, by letter or number, or a half of one. */
static node *swizzled(gen *g, type t, uint32_t depth) {
    static const uint32_t sizes[] = {2, 3, 4, 8, 16};
    static const char *const halves[] = {"lo", "hi", "even", "odd"};
    type from = {t.base, sizes[fuzz_draw(g, 5)]};
    place p;
    if (fuzz_find(g, (type){t.base, 4}, false, &p))
        from.lanes = 4;
    if (from.lanes == 2 * t.lanes && fuzz_chance(g, 40))
        return fuzz_value(g, t, "(@).$", fuzz_expression(g, from, depth), halves[fuzz_draw(g, 4)]);
    bool letters = from.lanes <= 4 && t.lanes <= 4 && fuzz_chance(g, 50);
    char text[20];
    uint32_t at = 0;
    if (!letters)
        text[at++] = 's';
    for (uint32_t i = 0; i < t.lanes; i++)
        text[at++] = (letters ? "xyzw" : "0123456789abcdef")[fuzz_draw(g, from.lanes)];
    text[at] = '\0';
    return fuzz_value(g, t, "(@).$", fuzz_expression(g, from, depth), hd_strdup(g->arena, text));
}

static node *shuffled(gen *g, type t, uint32_t depth) {
    static const uint32_t sizes[] = {2, 4, 8, 16};
    if (t.lanes == 3 || t.lanes == 1)
        return swizzled(g, t, depth);
    type from = {t.base, sizes[fuzz_draw(g, 4)]};
    node *mask = fuzz_expression(g, integer_of(t, false), depth);
    node *a = fuzz_expression(g, from, depth);
    if (fuzz_chance(g, 50))
        return fuzz_value(g, t, "shuffle(@, @)", a, mask);
    return fuzz_value(g, t, "shuffle2(@, @, @)", a, fuzz_expression(g, from, depth), mask);
}

static node *loaded_vector(gen *g, type t, uint32_t depth) {
    place p;
    for (int tries = 0; tries < 6; tries++)
        if (fuzz_find(g, element_of(t), false, &p) && !*p.after && p.length >= t.lanes)
            return fuzz_value(g, t, "vload#(@, $)", t.lanes,
                              fuzz_index(g, p.length / t.lanes, depth), p.before);
    return constructed(g, t, depth);
}

/* ---- all types --------------------------------------------------------------- */

node *fuzz_condition(gen *g, uint32_t depth) {
    static const char *const compares[] = {"<", "<=", ">", ">=", "==", "!="};
    type t = fuzz_scalar_type(g);
    node *n = fuzz_node(g->arena, "1", "((@) $ (@))", fuzz_expression(g, t, depth),
                        compares[fuzz_draw(g, 6)], fuzz_expression(g, t, depth));
    if (depth && fuzz_chance(g, 20))
        return fuzz_node(g->arena, "1", "(@ $ @)", n, fuzz_chance(g, 50) ? "&&" : "||",
                         fuzz_condition(g, depth - 1));
    return fuzz_chance(g, 10) ? fuzz_node(g->arena, "1", "!@", n) : n;
}

static node *chosen(gen *g, type t, uint32_t depth) {
    node *a = fuzz_expression(g, t, depth), *b = fuzz_expression(g, t, depth);
    if (fuzz_chance(g, 50)) {
        type c = integer_of(t, fuzz_chance(g, 50));
        return fuzz_value(g, t, "select(@, @, @)", a, b, fuzz_expression(g, c, depth));
    }
    if (t.lanes > 1 && fuzz_chance(g, 50))
        return fuzz_value(g, t, "((@) ? (@) : (@))", fuzz_expression(g, integer_of(t, true), depth),
                          a, b);
    node *c = fuzz_condition(g, depth);
    return t.lanes == 1 ? fuzz_value(g, t, "($)(@ ? (@) : (@))", name_of(g, t), c, a, b)
                        : fuzz_value(g, t, "(@ ? (@) : (@))", c, a, b);
}

node *fuzz_call(gen *g, const function *f, uint32_t depth) {
    g->cost += f->weight * g->weight;
    node *n = fuzz_node(g->arena, NULL, "$(", f->name);
    for (uint32_t k = 0; k < f->param_count; k++)
        fuzz_add(g->arena, n, "$@", k ? ", " : "", fuzz_expression(g, f->params[k], depth));
    return n;
}

/* A call of a helper function with this result, if one may still be called here. */
static node *called(gen *g, type t, uint32_t depth) {
    for (size_t i = 0; i < g->functions.count; i++) {
        function f = g->functions.data[i];
        if (!same_type(f.result, t) || f.has_pointer || f.weight * g->weight > MOST_WEIGHT)
            continue;
        return fuzz_value(g, t, "@)", fuzz_call(g, &f, depth));
    }
    return fuzz_expression(g, t, depth);
}

node *fuzz_expression(gen *g, type t, uint32_t depth) {
    g->budget--;
    if (g->depth >= MOST_DEPTH || depth == 0 || g->budget <= 0 || fuzz_chance(g, 20))
        return fuzz_value(g, t, "@", leaf(g, t));
    g->depth++;
    uint32_t kind = fuzz_draw(g, 24);
    node *n;
    if (kind < 2)
        n = fuzz_value(g, t, "@", converted(g, t, depth - 1));
    else if (kind == 2)
        n = fuzz_value(g, t, "@", reinterpreted(g, t, depth - 1));
    else if (kind == 3)
        n = chosen(g, t, depth - 1);
    else if (kind == 4)
        n = called(g, t, depth - 1);
    else if (kind < 7 && t.lanes > 1)
        n = constructed(g, t, depth - 1);
    else if (kind < 9 && t.lanes > 1)
        n = swizzled(g, t, depth - 1);
    else if (kind == 9 && t.lanes > 1)
        n = shuffled(g, t, depth - 1);
    else if (kind == 10 && t.lanes > 1)
        n = loaded_vector(g, t, depth - 1);
    else
        n = is_real(t) ? fuzz_real_expression(g, t, depth - 1)
                       : fuzz_integer_expression(g, t, depth - 1);
    g->depth--;
    return n;
}
