/* Random expressions of the types of CUDA C. */
#include "fuzz/ptx/ptx.h"

enum { MOST_DEPTH = 5 };

const char *type_name(type t) {
    static const char *const names[TYPES] = {
        "signed char", "unsigned char",      "short", "unsigned short", "int", "unsigned",
        "long long",   "unsigned long long", "float", "double"};
    return names[t];
}

/* SplitMix64. */
uint32_t draw(gen *g, uint32_t below) {
    uint64_t z = g->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

bool find_place(gen *g, type t, bool to_write, place *found) {
    uint32_t seen = 0;
    for (size_t i = 0; i < g->places.count; i++) {
        const place *p = &g->places.data[i];
        if ((t != TYPES && p->type != t) || (to_write && !p->writable))
            continue;
        if (draw(g, ++seen) == 0)
            *found = *p;
    }
    return seen > 0;
}

node *place_node(gen *g, const place *p) {
    if (!p->length)
        return fuzz_node(g->arena, NULL, "$$", p->name, p->suffix);
    return fuzz_node(
        g->arena, NULL, "$[@]$", p->name,
        fuzz_node(g->arena, "0", "(unsigned)(@) % #u", expression(g, U32, 1), p->length),
        p->suffix);
}

/* A node whose dropped form is 1. */
static node *value(gen *g, type t, const char *pattern, ...) {
    va_list args;
    va_start(args, pattern);
    node *n = fuzz_vnode(g->arena, hd_format(g->arena, "(%s)1", type_name(t)), pattern, args);
    va_end(args);
    return n;
}

static node *literal(gen *g, type t) {
    static const uint64_t edges[] = {0,          1,          2,         0x7f,      0x80,
                                     0xff,       0x7fff,     0x8000,    0xffff,    0x7fffffff,
                                     0x80000000, 0xffffffff, INT64_MAX, INT64_MIN, UINT64_MAX};
    if (is_real(t)) {
        int32_t eighths = (int32_t)draw(g, 129) - 64;
        return fuzz_node(g->arena, NULL, "$",
                         hd_format(g->arena, "(%s)%g", type_name(t), eighths / 8.0));
    }
    uint64_t v = chance(g, 30) ? edges[draw(g, 15)] : draw(g, 40);
    if (bits_of(t) < 64)
        v &= ((uint64_t)1 << bits_of(t)) - 1;
    return fuzz_node(g->arena, NULL, "$",
                     hd_format(g->arena, "(%s)0x%lxull", type_name(t), (unsigned long)v));
}

/* ---- conversions --------------------------------------------------------------------------- */

static const char *clean(type t) { return t == F32 ? "clean_f" : "clean_d"; }

/* Functions of CUDA that round as they say, and saturate; of numbers. */
static node *rounded(gen *g, type from, type to, node *v) {
    static const char *const roundings[] = {"rn", "rz", "ru", "rd"};
    const char *r = roundings[draw(g, 4)];
    const char *to_name = to == S32 ? "int" : to == U32 ? "uint" : to == S64 ? "ll" : "ull";
    const char *from_name = from == F32 ? "float" : "double";
    return fuzz_node(g->arena, NULL, "__$2$_$($(@))", from_name, to_name, r, clean(from), v);
}

static node *converted(gen *g, type t, uint32_t depth) {
    type from = (type)draw(g, TYPES);
    node *v = expression(g, from, depth);
    if (is_real(from) && !is_real(t)) {
        if (t >= S32 && chance(g, 60))
            return value(g, t, "@", rounded(g, from, t, v));
        return value(g, t, "($)in_range_$(@)", type_name(t), from == F32 ? "f" : "d", v);
    }
    if (from == F64 && t == F32 && chance(g, 50))
        return value(g, t, "__double2float_$(@)",
                     (const char *[]){"rn", "rz", "ru", "rd"}[draw(g, 4)], v);
    if (t == F32 && from >= S32 && from <= U64 && chance(g, 50)) {
        static const char *const names[] = {"int", "uint", "ll", "ull"};
        return value(g, t, "__$2float_$(@)", names[from - S32],
                     (const char *[]){"rn", "rz", "ru", "rd"}[draw(g, 4)], v);
    }
    return value(g, t, "($)(@)", type_name(t), v);
}

static node *reinterpreted(gen *g, type t, uint32_t depth) {
    switch (t) {
    case S32: return value(g, t, "__float_as_int(clean_f(@))", expression(g, F32, depth));
    case S64: return value(g, t, "__double_as_longlong(clean_d(@))", expression(g, F64, depth));
    case F32: return value(g, t, "clean_f(__int_as_float(@))", expression(g, S32, depth));
    case F64: return value(g, t, "clean_d(__longlong_as_double(@))", expression(g, S64, depth));
    default: return expression(g, t, depth);
    }
}

node *bits_node(gen *g, type t, node *v) {
    if (t == F32)
        return fuzz_node(g->arena, NULL, "(unsigned)__float_as_int(clean_f(@))", v);
    if (t == F64)
        return fuzz_node(g->arena, NULL, "(unsigned long long)__double_as_longlong(clean_d(@))", v);
    return fuzz_node(g->arena, NULL, "(unsigned long long)(@)", v);
}

/* ---- integers ------------------------------------------------------------------------------- */

static node *two(gen *g, type t, const char *pattern, uint32_t depth) {
    return value(g, t, pattern, expression(g, t, depth), expression(g, t, depth));
}

/* By an instruction that C has no word for. */
static node *twin(gen *g, type t, uint32_t depth) {
    static const char *const one[] = {"i_bfind_u", "i_bfind_s", "i_shiftamt", "i_cnot"};
    static const char *const two[] = {"i_add_sat",   "i_sub_sat",  "i_mul24_hi", "i_szext_u",
                                      "i_szext_w",   "i_szext_s",  "i_bmsk",     "i_bmsk_w",
                                      "i_set",       "i_min_relu", "i_max_relu", "i_add_pairs",
                                      "i_min_pairs", "i_max_pairs"};
    static const char *const three[] = {
        "i_bfe_u", "i_bfe_s", "i_f4e",      "i_b4e",     "i_rc8",     "i_ecl",  "i_ecr",
        "i_rc16",  "i_sad",   "i_mad24",    "i_dp2a_lo", "i_dp2a_hi", "i_slct", "i_absdiff4",
        "i_pack",  "i_bfi",   "i_majority", "i_choose",  "i_addc",    "i_fns",  "i_mbarrier"};
    node *a = expression(g, U32, depth), *b = expression(g, U32, depth);
    const uint32_t arguments = draw(g, 8);
    if (arguments == 0)
        return value(g, t, "($)$(@)", type_name(t), one[draw(g, 4)], a);
    if (arguments < 4)
        return value(g, t, "($)$(@, @)", type_name(t), two[draw(g, 14)], a, b);
    return value(g, t, "($)$(@, @, @)", type_name(t), three[draw(g, 21)], a, b,
                 expression(g, U32, depth));
}

static node *of_words(gen *g, type t, uint32_t depth) { /* 32 bits */
    static const char *const one[] = {"__popc", "__clz", "__brev", "__ffs"};
    static const char *const three[] = {"__byte_perm",      "__funnelshift_l",  "__funnelshift_r",
                                        "__funnelshift_lc", "__funnelshift_rc", "__usad"};
    node *a = expression(g, U32, depth), *b = expression(g, U32, depth);
    switch (draw(g, 9)) {
    case 0:
    case 1: return value(g, t, "($)$(@)", type_name(t), one[draw(g, 4)], a);
    case 2:
    case 3:
        return value(g, t, "($)$(@, @, @)", type_name(t), three[draw(g, 6)], a, b,
                     expression(g, U32, depth));
    case 4: return value(g, t, "($)__umulhi(@, @)", type_name(t), a, b);
    case 5: return value(g, t, "($)__mulhi((int)(@), (int)(@))", type_name(t), a, b);
    case 6: return value(g, t, "($)__dp4a(@, @, @)", type_name(t), a, b, expression(g, U32, depth));
    case 7:
        return value(g, t, "($)__dp4a((int)(@), (int)(@), (int)(@))", type_name(t), a, b,
                     expression(g, U32, depth));
    default: return value(g, t, "($)__umul24(@, @)", type_name(t), a, b);
    }
}

static node *of_long_words(gen *g, type t, uint32_t depth) {
    node *a = expression(g, U64, depth);
    switch (draw(g, 5)) {
    case 0: return value(g, t, "($)__popcll(@)", type_name(t), a);
    case 1: return value(g, t, "($)__clzll(@)", type_name(t), a);
    case 2: return value(g, t, "($)__brevll(@)", type_name(t), a);
    case 3: return value(g, t, "($)__umul64hi(@, @)", type_name(t), a, expression(g, U64, depth));
    default:
        return value(g, t, "($)__mul64hi((long long)(@), (long long)(@))", type_name(t), a,
                     expression(g, U64, depth));
    }
}

static node *integer(gen *g, type t, uint32_t depth) {
    const char *name = type_name(t);
    static const char *const sums[] = {"+", "-", "*", "&", "|", "^"};
    uint32_t kind = draw(g, 16);
    if (kind < 6) /* unsigned, which wraps */
        return value(g, t, "($)((unsigned long long)(@) $ (unsigned long long)(@))", name,
                     expression(g, t, depth), sums[draw(g, 6)], expression(g, t, depth));
    if (kind < 8)
        return value(g, t, "($)((@) $ ((unsigned)(@) & #u))", name,
                     expression(g, is_signed(t) ? (type)(t + 1) : t, depth),
                     chance(g, 50) ? "<<" : ">>", expression(g, U32, depth), bits_of(t) - 1);
    if (kind == 8)
        return value(g, t, "($)((@) >> ((unsigned)(@) & #u))", name, expression(g, t, depth),
                     expression(g, U32, depth), bits_of(t) - 1);
    if (kind < 11) /* by a positive number */
        return value(g, t, "($)((@) $ ((($)(@) & ($)63) | ($)1))", name, expression(g, t, depth),
                     chance(g, 50) ? "/" : "%", name, expression(g, t, depth), name, name);
    if (kind == 11)
        return two(g, t, chance(g, 50) ? "min(@, @)" : "max(@, @)", depth);
    if (kind == 12)
        return value(g, t, "($)(@)", name, condition(g, depth));
    if (chance(g, 25))
        return twin(g, t, depth);
    return chance(g, 70) ? of_words(g, t, depth) : of_long_words(g, t, depth);
}

/* ---- reals ------------------------------------------------------------------------------------ */

static node *real(gen *g, type t, uint32_t depth) {
    bool is_float = t == F32;
    const char *f = is_float ? "f" : "";
    static const char *const ops[] = {"+", "-", "*", "/"};
    static const char *const one[] = {"fabs", "floor", "ceil", "trunc", "rint", "sqrt"};
    static const char *const directed[] = {"add", "sub", "mul", "div", "fma", "sqrt"};
    static const char *const roundings[] = {"rn", "rz", "ru", "rd"};
    node *a = expression(g, t, depth), *b = expression(g, t, depth);
    uint32_t kind = draw(g, 14), d = draw(g, 6);
    if (kind < 5)
        return value(g, t, "((@) $ (@))", a, ops[draw(g, 4)], b);
    if (kind < 8)
        return value(g, t, "$$(@)", one[draw(g, 6)], f, a);
    if (kind == 8) /* the sign of a zero is free */
        return value(g, t, "(f$$($(@), $(@)) + ($)0)", chance(g, 50) ? "min" : "max", f, clean(t),
                     a, clean(t), b, type_name(t));
    if (kind == 9)
        return value(g, t, "copysign$(@, $(@))", f, a, clean(t), b);
    if (kind == 10)
        return value(g, t, "fma$(@, @, @)", f, a, b, expression(g, t, depth));
    if (kind == 11)
        return value(g, t, "(-(@))", a);
    const char *name =
        hd_format(g->arena, "__%s%s_%s", is_float ? "f" : "d", directed[d], roundings[draw(g, 4)]);
    if (!strcmp(directed[d], "sqrt"))
        return value(g, t, "$(@)", name, a);
    if (!strcmp(directed[d], "fma"))
        return value(g, t, "__fma$_$(@, @, @)", is_float ? "f" : "", roundings[draw(g, 4)], a, b,
                     expression(g, t, depth));
    return value(g, t, "$(@, @)", name, a, b);
}

/* ---- all types ----------------------------------------------------------------------------------- */

node *condition(gen *g, uint32_t depth) {
    static const char *const compares[] = {"<", "<=", ">", ">=", "==", "!="};
    type t = (type)draw(g, TYPES);
    node *n = fuzz_node(g->arena, "1", "((@) $ (@))", expression(g, t, depth), compares[draw(g, 6)],
                        expression(g, t, depth));
    if (depth && chance(g, 20))
        return fuzz_node(g->arena, "1", "(@ $ @)", n, chance(g, 50) ? "&&" : "||",
                         condition(g, depth - 1));
    return n;
}

static node *called(gen *g, type t, uint32_t depth) {
    for (size_t i = 0; i < g->functions.count; i++) {
        const function *f = &g->functions.data[i];
        if (f->result != t || g->loops > 1)
            continue;
        node *n = value(g, t, "$(", f->name);
        for (uint32_t p = 0; p < f->param_count; p++)
            fuzz_add(g->arena, n, "$@", p ? ", " : "", expression(g, f->params[p], depth));
        fuzz_add(g->arena, n, ")");
        return n;
    }
    return expression(g, t, depth);
}

node *expression(gen *g, type t, uint32_t depth) {
    place p = {0};
    g->budget--;
    if (!depth || g->budget <= 0 || chance(g, 25)) {
        if (chance(g, 75) && find_place(g, t, false, &p))
            /* In a packed struct not the field itself: what `?:` makes of it is read as if aligned. */
            return g->record && g->record->is_packed
                       ? value(g, t, "($)(@)", type_name(t), place_node(g, &p))
                       : value(g, t, "@", place_node(g, &p));
        return literal(g, t);
    }
    uint32_t kind = draw(g, 20);
    depth = depth > MOST_DEPTH ? MOST_DEPTH - 1 : depth - 1;
    if (kind < 4)
        return converted(g, t, depth);
    if (kind == 4)
        return reinterpreted(g, t, depth);
    if (kind == 5)
        return value(g, t, "(@ ? (@) : (@))", condition(g, depth), expression(g, t, depth),
                     expression(g, t, depth));
    if (kind == 6)
        return called(g, t, depth);
    return is_real(t) ? real(g, t, depth) : integer(g, t, depth);
}
