/*
 * Indices of numbers that are a record by a job's word (rewrite_number.c), taken apart into an element and
 * the number of a field:
 *
 *     v[i + k * n]          with the stride n: element i, field k
 *     v[(k * ny + y) * nx + x]   nx*ny: element y * nx + x, field k
 *     v[i * 5 + 2]          of five: element i, field 2
 *
 * An index is a sum of terms, a term a product of factors. Terms that the stride is a factor of say
 * the field, in columns; else terms that the number of fields divides say the element. What names
 * hold is followed back through locals that do not change, and through the arguments of helpers to
 * the parameters of kernels. An index that does not come apart so is taken apart when it is used.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "internal.h"

/* Names may be given values that are made of themselves. */
enum { MOST_DEPTH = 5 };

/* ---- the values that names are given ---------------------------------------------------- */

typedef struct given {
    CXCursor declaration, value; /* value: null where it is not known */
    bool is_argument;
} given;

struct rw_values {
    hd_vec(given) all;
};

static void give(rewriter *rw, CXCursor declaration, CXCursor value, bool is_argument) {
    given g = {declaration, value, is_argument};
    hd_push(rw->arena, &rw->values->all, g);
}

static void read_values(rewriter *rw, CXCursor cursor) {
    hd_cursors inside = hd_cursor_children(rw->arena, cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor none = clang_getNullCursor(), first = none;
    if (inside.count)
        first = clang_getCursorReferenced(rw_bare(rw->arena, inside.data[0]));
    if (kind == CXCursor_VarDecl) {
        CXCursor value = clang_Cursor_getVarDeclInitializer(cursor);
        if (!clang_Cursor_isNull(value))
            give(rw, cursor, value, false);
    } else if (clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign) {
        give(rw, first, inside.data[inside.count - 1], false);
    } else if (rw_is_change(cursor)) {
        enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
        bool adds = op == CXBinaryOperator_AddAssign || op == CXBinaryOperator_SubAssign;
        give(rw, first, adds ? inside.data[inside.count - 1] : none, false);
    } else if (clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf) {
        give(rw, first, none, false);
    } else if (kind == CXCursor_CallExpr) {
        CXCursor callee = rw_callee(rw->arena, cursor);
        hd_cursors parameters = {0};
        if (!clang_Cursor_isNull(callee))
            parameters = rw_parameters(rw->arena, callee);
        for (size_t i = 0; i < parameters.count; i++)
            if ((int)i < clang_Cursor_getNumArguments(cursor))
                give(rw, parameters.data[i], clang_Cursor_getArgument(cursor, (unsigned)i), true);
    }
    for (size_t i = 0; i < inside.count; i++)
        read_values(rw, inside.data[i]);
}

static const struct rw_values *values_of(rewriter *rw) {
    if (rw->values)
        return rw->values;
    rw->values = hd_new(rw->arena, struct rw_values);
    hd_cursors all = rw_functions(rw->arena, rw->src.unit);
    for (size_t i = 0; i < all.count; i++)
        if (!rw_is_host(rw, all.data[i]))
            read_values(rw, all.data[i]);
    return rw->values;
}

/* What a name is given, once and for all; a null cursor: nothing, or more than one thing. */
static CXCursor only_value(rewriter *rw, CXCursor declaration) {
    const struct rw_values *values = values_of(rw);
    CXCursor found = clang_getNullCursor();
    for (size_t i = 0; i < values->all.count; i++) {
        const given *g = &values->all.data[i];
        if (!clang_equalCursors(g->declaration, declaration))
            continue;
        if (g->is_argument || !clang_Cursor_isNull(found))
            return clang_getNullCursor();
        found = g->value;
        if (clang_Cursor_isNull(found))
            return found;
    }
    return found;
}

static bool is_changed(rewriter *rw, CXCursor declaration) {
    const struct rw_values *values = values_of(rw);
    bool is_parameter = clang_getCursorKind(declaration) == CXCursor_ParmDecl;
    uint32_t times = 0;
    for (size_t i = 0; i < values->all.count; i++)
        times += !values->all.data[i].is_argument &&
                 clang_equalCursors(values->all.data[i].declaration, declaration);
    return times > !is_parameter;
}

/* ---- what a factor is ------------------------------------------------------------------- */

static bool is_integer(CXCursor e) {
    CXType type = clang_getCanonicalType(clang_getCursorType(e));
    return type.kind >= CXType_Bool && type.kind <= CXType_Int128;
}

/* Without what leaves the value as it is: parentheses, conversions, casts between integers. */
static CXCursor inner_of(rewriter *rw, CXCursor e) {
    for (;;) {
        CXCursor bare = rw_bare(rw->arena, e);
        CXCursor inside = rw_is_cast(bare) && is_integer(bare) ? rw_last_child(rw->arena, bare)
                                                               : clang_getNullCursor();
        if (clang_Cursor_isNull(inside) || !is_integer(inside))
            return bare;
        e = inside;
    }
}

static enum CXBinaryOperatorKind operator_of(CXCursor e) {
    return clang_getCursorKind(e) == CXCursor_BinaryOperator ? clang_getCursorBinaryOperatorKind(e)
                                                             : CXBinaryOperator_Invalid;
}

static bool is_kernel_parameter(const rewriter *rw, CXCursor declaration) {
    return clang_getCursorKind(declaration) == CXCursor_ParmDecl &&
           rw_is_kernel(rw->arena, clang_getCursorSemanticParent(declaration));
}

static const char stride_name[] = "stride";

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "b*a" and "a*b" as "a*b". */
static const char *sorted_product(hd_arena *arena, const char *text) {
    hd_vec(const char *) names = {0};
    hd_str out = {.arena = arena};
    while (*text) {
        size_t length = strcspn(text, "* ");
        const char *name = hd_strndup(arena, text, length);
        if (length)
            hd_push(arena, &names, name);
        text += length + (text[length] != '\0');
    }
    if (names.count)
        qsort(names.data, names.count, sizeof *names.data, compare_names);
    for (size_t i = 0; i < names.count; i++)
        hd_str_printf(&out, "%s%s", i ? "*" : "", names.data[i]);
    return hd_str_text(&out);
}

typedef hd_vec(const char *) name_list;

/* The ways "a|b*c" to say the stride of a record's arrays, of those that this kernel is given, or of
 * all (null). */
static name_list ways_of(const rewriter *rw, const laid_record *l, CXCursor kernel) {
    name_list ways = {0};
    for (uint32_t i = 0; i < rw->request->array_count; i++) {
        const hd_array_param *a = &rw->request->arrays[i];
        bool is_its = hd_record_declared(l->record) == a->record &&
                      (clang_Cursor_isNull(kernel) || rw_array_is_of(rw, a, kernel));
        for (const char *at = is_its && a->stride ? a->stride : ""; *at; at += *at == '|') {
            size_t length = strcspn(at, "|");
            hd_push(rw->arena, &ways, sorted_product(rw->arena, hd_strndup(rw->arena, at, length)));
            at += length;
        }
    }
    return ways;
}

/* What an expression is in terms of what kernels are given: a product of names; NULL: unknown. */
static const char *known_product(rewriter *rw, const laid_record *l, CXCursor e, int depth) {
    e = inner_of(rw, e);
    enum CXCursorKind kind = clang_getCursorKind(e);
    hd_cursors inside = hd_cursor_children(rw->arena, e);
    CXCursor named = clang_getCursorReferenced(e);
    if (depth > MOST_DEPTH)
        return NULL;
    if (operator_of(e) == CXBinaryOperator_Mul) {
        const char *a = known_product(rw, l, inside.data[0], depth + 1);
        const char *b = known_product(rw, l, inside.data[1], depth + 1);
        return a && b ? sorted_product(rw->arena, hd_format(rw->arena, "%s*%s", a, b)) : NULL;
    }
    if (kind != CXCursor_DeclRefExpr)
        return NULL;
    if (is_kernel_parameter(rw, named) && is_changed(rw, named))
        return NULL;
    if (is_kernel_parameter(rw, named)) { /* the stride itself goes by one name */
        const char *name = rw_spelling(rw->arena, named);
        const name_list ways = ways_of(rw, l, clang_getCursorSemanticParent(named));
        for (size_t w = 0; w < ways.count && name != stride_name; w++)
            name = strcmp(ways.data[w], name) ? name : stride_name;
        return name;
    }
    if (clang_getCursorKind(named) == CXCursor_VarDecl) {
        CXCursor value = only_value(rw, named);
        return clang_Cursor_isNull(value) ? NULL : known_product(rw, l, value, depth + 1);
    }
    const struct rw_values *values = values_of(rw);
    const char *all = NULL;
    for (size_t i = 0; i < values->all.count; i++) { /* of a helper's parameter, from all calls */
        const given *g = &values->all.data[i];
        if (!clang_equalCursors(g->declaration, named))
            continue;
        const char *one = g->is_argument ? known_product(rw, l, g->value, depth + 1) : NULL;
        if (!one || (all && strcmp(all, one) != 0))
            return NULL;
        all = one;
    }
    return all;
}

/* ---- terms ------------------------------------------------------------------------------------ */

typedef struct factor {
    CXCursor e; /* null: a constant that no text says */
    bool is_constant;
    long long value;
    const char *copy; /* of a local's value: text that stands for it; NULL: its own */
} factor;

typedef struct term {
    hd_vec(factor) factors;
    bool negative;
    enum { ELEMENT, FIELD } says;
    long long divisor; /* the product over that is meant */
} term;

typedef hd_vec(term) terms;

typedef struct splitter {
    rewriter *rw;
    const laid_record *l;
    uint64_t count; /* elements of the job's arrays, which constants may say; 0: not known */
    long long fields;
    bool asks;     /* what it says, and not for its text */
    bool is_mixed; /* it does not come apart */
    bool any;      /* some term says the stride, or a multiple of the fields */
} splitter;

static void add_factor(splitter *s, term *t, CXCursor e, const char *copy) {
    factor f = {.e = e, .copy = copy};
    f.is_constant = rw_constant_value(e, &f.value);
    hd_push(s->rw->arena, &t->factors, f);
}

static bool says_stride(splitter *s, CXCursor e, int depth);

/* An operation that a macro makes, so that its sides have no text of their own. Where it says the
 * stride, the index does not come apart. */
static bool is_of_macro(splitter *s, CXCursor e) {
    hd_cursors inside = hd_cursor_children(s->rw->arena, e);
    range left, right;
    if (s->asks || operator_of(e) == CXBinaryOperator_Invalid || inside.count != 2 ||
        (rw_range_of(&s->rw->src, inside.data[0], &left) &&
         rw_range_of(&s->rw->src, inside.data[1], &right) && left.end <= right.begin))
        return false;
    s->is_mixed |= s->l->record->in_columns && says_stride(s, e, 0);
    return true;
}

static void collect_factors(splitter *s, term *t, CXCursor e, bool copied) {
    hd_arena *arena = s->rw->arena;
    CXCursor inner = inner_of(s->rw, e);
    hd_cursors inside = hd_cursor_children(arena, inner);
    long long shift;
    if (!is_of_macro(s, inner) && operator_of(inner) == CXBinaryOperator_Mul) {
        collect_factors(s, t, inside.data[0], copied);
        collect_factors(s, t, inside.data[1], copied);
    } else if (!is_of_macro(s, inner) && operator_of(inner) == CXBinaryOperator_Shl &&
               rw_constant_value(inside.data[1], &shift) && shift >= 0 && shift < 31) {
        collect_factors(s, t, inside.data[0], copied);
        factor power = {clang_getNullCursor(), true, 1LL << shift, NULL};
        hd_push(arena, &t->factors, power);
    } else {
        const char *copy = NULL;
        range at;
        if (copied && rw_range_of(&s->rw->src, e, &at))
            copy = hd_strndup(arena, s->rw->src.text + at.begin, at.end - at.begin);
        s->is_mixed |= copied && !copy;
        add_factor(s, t, e, copy);
    }
}

/* Names that do not change, numbers and arithmetic: it can be written again elsewhere. */
static bool can_be_copied(rewriter *rw, CXCursor e) {
    e = inner_of(rw, e);
    long long value;
    if (rw_constant_value(e, &value))
        return true;
    CXCursor named = clang_getCursorReferenced(e);
    if (clang_getCursorKind(e) == CXCursor_DeclRefExpr)
        return is_integer(e) && !is_changed(rw, named) &&
               (clang_getCursorKind(named) != CXCursor_VarDecl ||
                !clang_Cursor_isNull(only_value(rw, named)));
    if (clang_getCursorKind(e) != CXCursor_BinaryOperator)
        return false;
    hd_cursors inside = hd_cursor_children(rw->arena, e);
    for (size_t i = 0; i < inside.count; i++)
        if (!can_be_copied(rw, inside.data[i]))
            return false;
    return true;
}

static void collect_terms(splitter *s, terms *all, CXCursor e, bool negative, bool copied,
                          int depth) {
    hd_arena *arena = s->rw->arena;
    CXCursor inner = inner_of(s->rw, e);
    hd_cursors inside = hd_cursor_children(arena, inner);
    enum CXBinaryOperatorKind op = operator_of(inner);
    long long value;
    bool is_constant = rw_constant_value(inner, &value);
    if (!is_constant && (op == CXBinaryOperator_Add || op == CXBinaryOperator_Sub) &&
        !is_of_macro(s, inner)) {
        collect_terms(s, all, inside.data[0], negative, copied, depth);
        collect_terms(s, all, inside.data[1], negative != (op == CXBinaryOperator_Sub), copied,
                      depth);
        return;
    }
    if (!is_constant && clang_getCursorUnaryOperatorKind(inner) == CXUnaryOperator_Minus) {
        collect_terms(s, all, inside.data[0], !negative, copied, depth);
        return;
    }
    CXCursor named = clang_getCursorReferenced(inner);
    if (!is_constant && clang_getCursorKind(inner) == CXCursor_DeclRefExpr &&
        clang_getCursorKind(named) == CXCursor_VarDecl && s->l->record->in_columns &&
        depth < MOST_DEPTH) {
        CXCursor only = only_value(s->rw, named);
        if (!clang_Cursor_isNull(only) && says_stride(s, only, depth) &&
            can_be_copied(s->rw, only)) {
            collect_terms(s, all, only, negative, true, depth + 1);
            return;
        }
    }
    term t = {.negative = negative, .divisor = 1};
    if (is_constant)
        add_factor(s, &t, e, copied ? "" : NULL);
    else
        collect_factors(s, &t, e, copied);
    hd_push(arena, all, t);
}

/* ---- the stride, in columns ----------------------------------------------------------------- */

static void remove_factor(term *t, size_t number) {
    memmove(t->factors.data + number, t->factors.data + number + 1,
            (t->factors.count - number - 1) * sizeof *t->factors.data);
    t->factors.count--;
}

/* Takes the factors away whose product is this way to say the stride. */
static bool take_way(splitter *s, term *t, const char *way) {
    term left = *t;
    left.factors.data = hd_new_array(s->rw->arena, factor, t->factors.count + 1);
    memcpy(left.factors.data, t->factors.data, t->factors.count * sizeof *left.factors.data);
    while (*way) {
        size_t length = strcspn(way, "*"), f = 0;
        const char *name = hd_strndup(s->rw->arena, way, length);
        for (; f < left.factors.count; f++) {
            const factor *at = &left.factors.data[f];
            const char *known = clang_Cursor_isNull(at->e) || at->is_constant
                                    ? NULL
                                    : known_product(s->rw, s->l, at->e, 0);
            if (known && !strcmp(known, name))
                break;
        }
        if (f == left.factors.count)
            return false;
        remove_factor(&left, f);
        way += length + (way[length] == '*');
    }
    *t = left;
    return true;
}

/* True when a term is a multiple of the stride; then it says the field, without it. */
static bool take_stride(splitter *s, term *t) {
    const name_list ways = ways_of(s->rw, s->l, clang_getNullCursor());
    for (size_t f = 0; f < t->factors.count; f++) {
        const factor *at = &t->factors.data[f];
        const char *known = NULL;
        if (!clang_Cursor_isNull(at->e) && !at->is_constant)
            known = known_product(s->rw, s->l, at->e, 0);
        bool is_count = at->is_constant && s->count > 1 && at->value == (long long)s->count &&
                        t->factors.count > 1;
        bool is_stride = known && !strcmp(known, stride_name);
        for (size_t w = 0; known && w < ways.count && !is_stride; w++)
            is_stride = !strcmp(ways.data[w], known);
        if (is_count || is_stride) {
            remove_factor(t, f);
            return true;
        }
    }
    for (size_t w = 0; w < ways.count; w++)
        if (strchr(ways.data[w], '*') && take_way(s, t, ways.data[w]))
            return true;
    return false;
}

/* A factor that is a sum, as in (k * ny + y) * nx: the terms of the sum, each with the other
 * factors. False: there is none. */
static bool expand(splitter *s, const term *t, terms *all) {
    for (size_t f = 0; f < t->factors.count; f++) {
        const factor *at = &t->factors.data[f];
        CXCursor inner = clang_Cursor_isNull(at->e) ? at->e : inner_of(s->rw, at->e);
        enum CXBinaryOperatorKind op = operator_of(inner);
        if (at->is_constant || clang_Cursor_isNull(at->e) ||
            (op != CXBinaryOperator_Add && op != CXBinaryOperator_Sub))
            continue;
        size_t first = all->count;
        collect_terms(s, all, at->e, t->negative, at->copy != NULL, 0);
        for (size_t n = first; n < all->count; n++)
            for (size_t o = 0; o < t->factors.count; o++)
                if (o != f)
                    hd_push(s->rw->arena, &all->data[n].factors, t->factors.data[o]);
        return true;
    }
    return false;
}

static bool is_constant_term(const term *t, long long *value) {
    *value = t->negative ? -1 : 1;
    for (size_t f = 0; f < t->factors.count; f++) {
        if (!t->factors.data[f].is_constant)
            return false;
        *value *= t->factors.data[f].value;
    }
    return true;
}

/* The terms of a sum in columns: which say the field, and which the element. */
static void sort_columns(splitter *s, const terms *sum, terms *sorted, int depth) {
    for (size_t i = 0; i < sum->count; i++) {
        term t = sum->data[i];
        terms expanded = {0}, parts = {0};
        long long value;
        if (take_stride(s, &t)) {
            t.says = FIELD;
            s->any = true;
        } else if (is_constant_term(&t, &value)) {
            s->any |= s->count && llabs(value) >= (long long)s->count;
        } else if (depth < 4 && expand(s, &t, &expanded)) {
            bool before = s->any;
            s->any = false;
            sort_columns(s, &expanded, &parts, depth + 1);
            bool helps = s->any;
            s->any |= before;
            for (size_t p = 0; p < parts.count && helps; p++)
                hd_push(s->rw->arena, sorted, parts.data[p]);
            if (helps)
                continue;
        }
        hd_push(s->rw->arena, sorted, t);
    }
}

static bool says_stride(splitter *s, CXCursor e, int depth) {
    splitter inner = {s->rw, s->l, s->count, s->fields, .asks = true};
    terms sum = {0}, sorted = {0};
    if (depth >= MOST_DEPTH)
        return false;
    collect_terms(&inner, &sum, e, false, false, depth + 1);
    sort_columns(&inner, &sum, &sorted, 0);
    return inner.any;
}

/* A name that is given multiples of the stride somewhere, and other things, too. */
static bool is_mixed_name(splitter *s, const term *t) {
    const struct rw_values *values = values_of(s->rw);
    for (size_t f = 0; f < t->factors.count; f++) {
        CXCursor e = t->factors.data[f].e;
        if (t->says == FIELD || clang_Cursor_isNull(e) || t->factors.data[f].is_constant)
            continue;
        e = inner_of(s->rw, e);
        CXCursor named = clang_getCursorReferenced(e);
        for (size_t i = 0; clang_getCursorKind(e) == CXCursor_DeclRefExpr && i < values->all.count;
             i++)
            if (clang_equalCursors(values->all.data[i].declaration, named) &&
                !clang_Cursor_isNull(values->all.data[i].value) &&
                says_stride(s, values->all.data[i].value, 0))
                return true;
    }
    return false;
}

/* ---- multiples of the number of fields -------------------------------------------------------- */

static bool is_multiple(splitter *s, CXCursor e, int depth);

/* All that a name is given are multiples. */
static bool holds_multiples(splitter *s, CXCursor e, int depth) {
    e = inner_of(s->rw, e);
    CXCursor named = clang_getCursorReferenced(e);
    if (clang_getCursorKind(e) != CXCursor_DeclRefExpr || is_kernel_parameter(s->rw, named) ||
        depth > MOST_DEPTH)
        return false;
    const struct rw_values *values = values_of(s->rw);
    bool any = false;
    for (size_t i = 0; i < values->all.count; i++) {
        const given *g = &values->all.data[i];
        if (!clang_equalCursors(g->declaration, named))
            continue;
        if (clang_Cursor_isNull(g->value) || !is_multiple(s, g->value, depth + 1))
            return false;
        any = true;
    }
    return any;
}

static bool is_multiple_term(splitter *s, const term *t, int depth) {
    long long constant = 1;
    for (size_t f = 0; f < t->factors.count; f++) {
        if (t->factors.data[f].is_constant)
            constant *= t->factors.data[f].value;
        else if (holds_multiples(s, t->factors.data[f].e, depth))
            return true;
    }
    return constant % s->fields == 0;
}

static bool is_multiple(splitter *s, CXCursor e, int depth) {
    terms sum = {0};
    collect_terms(s, &sum, e, false, false, 0);
    for (size_t i = 0; i < sum.count; i++)
        if (!is_multiple_term(s, &sum.data[i], depth))
            return false;
    return true;
}

/* Element where the constant factors say a multiple, whose rest stays a product; a name that holds
 * multiples is divided when it is used. */
static void sort_structs(splitter *s, const terms *sum, terms *sorted) {
    for (size_t i = 0; i < sum->count; i++) {
        term t = sum->data[i];
        long long constant = 1, value;
        for (size_t f = 0; f < t.factors.count; f++)
            constant *= t.factors.data[f].is_constant ? t.factors.data[f].value : 1;
        bool is_constant = is_constant_term(&t, &value);
        t.says = FIELD;
        if (!is_constant && is_multiple_term(s, &t, 0)) {
            t.says = ELEMENT;
            s->any = true;
            if (constant % s->fields == 0) {
                for (size_t f = t.factors.count; f-- > 0;)
                    if (t.factors.data[f].is_constant)
                        remove_factor(&t, f);
                if (constant != s->fields) {
                    factor rest = {clang_getNullCursor(), true, constant / s->fields, NULL};
                    hd_push(s->rw->arena, &t.factors, rest);
                }
            } else {
                t.divisor = s->fields;
            }
        }
        hd_push(s->rw->arena, sorted, t);
    }
}

/* ---- text ----------------------------------------------------------------------------------------- */

/* True when every factor that is written has text of its own inside of the index. */
static bool has_texts(rewriter *rw, const terms *all, range inside) {
    hd_vec(range) seen = {0};
    for (size_t i = 0; i < all->count; i++) {
        long long value;
        if (is_constant_term(&all->data[i], &value))
            continue;
        for (size_t f = 0; f < all->data[i].factors.count; f++) {
            const factor *at = &all->data[i].factors.data[f];
            range text;
            if (clang_Cursor_isNull(at->e) || at->copy)
                continue;
            if (!rw_range_of(&rw->src, at->e, &text) || text.begin < inside.begin ||
                text.end > inside.end)
                return false;
            for (size_t r = 0; r < seen.count; r++)
                if (text.begin < seen.data[r].end && seen.data[r].begin < text.end &&
                    (text.begin != seen.data[r].begin || text.end != seen.data[r].end))
                    return false;
            hd_push(rw->arena, &seen, text);
        }
    }
    return true;
}

static void draft_term(rewriter *rw, draft *d, const frame *at, const term *t, bool is_first) {
    const char *wide = rw->is_cuda ? "long long" : "long";
    bool wraps = t->negative && is_first;
    rw_draft_text(rw, d, "%s", t->negative ? is_first ? "-" : " - " : is_first ? "" : " + ");
    if (wraps)
        rw_draft_text(rw, d, "(%s)(", wide);
    if (t->divisor != 1)
        rw_draft_text(rw, d, "(");
    for (size_t f = 0; f < t->factors.count; f++) {
        const factor *one = &t->factors.data[f];
        rw_draft_text(rw, d, "%s", f ? " * " : "");
        if (clang_Cursor_isNull(one->e) || (one->is_constant && one->copy)) {
            rw_draft_text(rw, d, "%lld", one->value);
            continue;
        }
        CXCursor bare = one->e;
        while (clang_getCursorKind(bare) == CXCursor_UnexposedExpr)
            bare = rw_only_child(rw->arena, bare);
        bool loose = (clang_getCursorKind(bare) == CXCursor_BinaryOperator ||
                      clang_getCursorKind(bare) == CXCursor_ConditionalOperator) &&
                     (t->factors.count > 1 || t->negative || t->divisor != 1 || !is_first);
        range text;
        rw_draft_text(rw, d, "%s", loose ? "(" : "");
        if (one->copy) {
            rw_draft_text(rw, d, "%s", one->copy);
        } else if (rw_range_of(&rw->src, one->e, &text)) {
            rw_draft_old(rw, d, text);
            rw_walk_child(rw, at, one->e);
        }
        rw_draft_text(rw, d, "%s", loose ? ")" : "");
    }
    if (!t->factors.count)
        rw_draft_text(rw, d, "1");
    if (t->divisor != 1)
        rw_draft_text(rw, d, ") / %lld", t->divisor);
    if (wraps)
        rw_draft_text(rw, d, ")");
}

/* The sum of the terms that say this; a term whose stride was taken and nothing is left is 1. */
static void draft_sum(rewriter *rw, draft *d, const frame *at, const terms *all, int says,
                      long long *constant) {
    bool first = true;
    for (size_t i = 0; i < all->count; i++) {
        const term *t = &all->data[i];
        long long value;
        if ((int)t->says != says)
            continue;
        if (is_constant_term(t, &value)) {
            *constant += value;
            continue;
        }
        draft_term(rw, d, at, t, first);
        first = false;
    }
}

static long long floor_divide(long long a, long long b) { return a / b - (a % b < 0); }

static void add_constant(rewriter *rw, draft *d, long long constant) {
    if (!d->count)
        rw_draft_text(rw, d, "%lld", constant);
    else if (constant)
        rw_draft_text(rw, d, " %c %lld", constant < 0 ? '-' : '+', llabs(constant));
}

/* ---- an index --------------------------------------------------------------------------------------- */

static void sort(splitter *s, const addends *index, terms *sorted) {
    terms sum = {0};
    for (size_t i = 0; i < index->count; i++)
        collect_terms(s, &sum, index->data[i].e, index->data[i].negative, false, 0);
    if (s->l->record->in_columns)
        sort_columns(s, &sum, sorted, 0);
    else
        sort_structs(s, &sum, sorted);
    for (size_t i = 0; i < sorted->count && s->l->record->in_columns; i++)
        s->is_mixed |= is_mixed_name(s, &sorted->data[i]);
}

bool rw_index_says_stride(rewriter *rw, const laid_record *l, uint64_t count,
                          const addends *index) {
    splitter s = {rw, l, count, l->record->field_count, .asks = true};
    terms sorted = {0};
    sort(&s, index, &sorted);
    return s.any;
}

bool rw_take_index_apart(rewriter *rw, const laid_record *l, uint64_t count, const frame *at,
                         const addends *index, range inside, index_parts *parts) {
    splitter s = {rw, l, count, l->record->field_count};
    terms sorted = {0};
    *parts = (index_parts){0};
    sort(&s, index, &sorted);
    if (s.is_mixed || !has_texts(rw, &sorted, inside))
        return false;
    long long element = 0, field = 0;
    draft_sum(rw, &parts->element, at, &sorted, ELEMENT, &element);
    draft_sum(rw, &parts->field, at, &sorted, FIELD, &field);
    if (l->record->in_columns && count) { /* a constant may be a column and a neighbour in it */
        long long more = floor_divide(element + (long long)count / 2, (long long)count);
        field += more;
        element -= more * (long long)count;
    } else if (!l->record->in_columns) {
        element += floor_divide(field, s.fields);
        field -= floor_divide(field, s.fields) * s.fields;
    }
    parts->constant = field;
    parts->is_constant = !parts->field.count;
    if (!parts->is_constant)
        add_constant(rw, &parts->field, field);
    add_constant(rw, &parts->element, element);
    return true;
}
