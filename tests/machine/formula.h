/*
 * The formulas in which a test kernel says what it expects: C's expressions over 64-bit
 * integers and doubles.
 *
 *     i * 3 + 1                       i is the element, j the field or array element in it,
 *                                     k the component of a vector
 *     in[i ^ 1]                       what buffer `in` held before the first launch; scalars
 *                                     are counted through vectors and arrays: in[4 * i + k]
 *     bodies.x[i] * 2                 of a field
 *     i < 4 ? i : -i
 *     sum(q, 0, 8, in[8 * i + q])     over q = 0 .. 7; also max_of and min_of
 *     f(f(a * b) + c)                 f rounds to float, h to half
 *     i32(x) u8(x) ...                integers wrap at that width; reals are cut off
 *     sqrt(x) fma(x, y, z) ...        libm in double; ult(a, b), udiv(a, b), umod(a, b) and
 *                                     ushr(a, n) take 64-bit integers without a sign
 *
 * An operator works on integers, wrapping, unless one side is a real. `sum` and the like
 * evaluate their last argument again for each step, so there is no tree: the text is read
 * as often as it is needed.
 */
#ifndef HD_TESTS_FORMULA_H
#define HD_TESTS_FORMULA_H

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/base.h"

typedef struct value {
    bool real;
    int64_t i;
    double d;
} value;

enum { FORMULA_VARIABLES = 8, FORMULA_ARGS = 4 };

/* Finds the scalar number `index` of a buffer's field (NULL: of the buffer); false: there is
 * none. */
typedef bool formula_lookup(void *user, const char *buffer, const char *field, int64_t index,
                            value *result);

typedef struct formula {
    hd_arena *arena; /* of the text of errors */
    const char *at;
    const char *error; /* the first; NULL: none */
    uint32_t dead;     /* in so many branches that are not taken: no errors there */
    struct {
        char name[16];
        int64_t value;
    } variables[FORMULA_VARIABLES];
    uint32_t variable_count;
    formula_lookup *lookup;
    void *user;
} formula;

static inline value formula_int(int64_t i) { return (value){.i = i, .d = (double)i}; }
static inline value formula_real(double d) { return (value){.real = true, .d = d}; }
static inline bool formula_truth(value v) { return v.real ? v.d != 0 : v.i != 0; }
static inline int64_t formula_whole(value v) {
    return v.real ? isnan(v.d) ? 0 : (int64_t)v.d : v.i;
}

static inline value formula_fail(formula *f, const char *error) {
    if (!f->error && !f->dead)
        f->error = error;
    return formula_int(0);
}

static inline void formula_set(formula *f, const char *name, int64_t number) {
    uint32_t v = 0;
    while (v < f->variable_count && strcmp(f->variables[v].name, name) != 0)
        v++;
    if (v == FORMULA_VARIABLES || strlen(name) >= sizeof f->variables[v].name) {
        formula_fail(f, "too many variables, or too long a name");
        return;
    }
    strcpy(f->variables[v].name, name);
    f->variables[v].value = number;
    f->variable_count += v == f->variable_count;
}

/* ---- words ------------------------------------------------------------------------ */

static inline bool formula_take(formula *f, const char *token) {
    f->at += strspn(f->at, " \t");
    size_t length = strlen(token);
    if (strncmp(f->at, token, length) != 0)
        return false;
    f->at += length;
    return true;
}

static inline void formula_want(formula *f, const char *token) {
    if (!formula_take(f, token) && !f->error)
        f->error = hd_format(f->arena, "'%s' is missing before '%s'", token, f->at);
}

static inline bool formula_word(formula *f, char *word, size_t size) {
    f->at += strspn(f->at, " \t");
    size_t length = 0;
    while (isalnum((unsigned char)f->at[length]) || f->at[length] == '_')
        length++;
    if (!length || length >= size)
        return false;
    memcpy(word, f->at, length);
    word[length] = '\0';
    f->at += length;
    return true;
}

/* ---- functions ------------------------------------------------------------------------ */

/* Wraps to so many bits. */
static inline value formula_wrap(value v, uint32_t bits, bool is_signed) {
    uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t low = (uint64_t)formula_whole(v) & mask;
    if (is_signed && low >> (bits - 1))
        low |= ~mask;
    return formula_int((int64_t)low);
}

/* i8 .. i64, u8 .. u64 */
static inline bool formula_cast(const char *name, value v, value *result) {
    if ((*name != 'i' && *name != 'u') || !isdigit((unsigned char)name[1]))
        return false;
    char *end;
    long bits = strtol(name + 1, &end, 10);
    if (*end || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        return false;
    *result = formula_wrap(v, (uint32_t)bits, *name == 'i');
    return true;
}

static inline value formula_bits_of_float(value v) {
    float x = (float)v.d;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return formula_int(bits);
}
static inline value formula_float_of_bits(value v) {
    uint32_t bits = (uint32_t)v.i;
    float x;
    memcpy(&x, &bits, sizeof x);
    return formula_real(x);
}

static inline bool formula_real_function(const char *name, const value *a, value *result) {
    static const struct {
        const char *name;
        double (*of)(double);
    } one[] = {{"sqrt", sqrt},   {"cbrt", cbrt},   {"exp", exp},       {"exp2", exp2},
               {"expm1", expm1}, {"log", log},     {"log2", log2},     {"log10", log10},
               {"log1p", log1p}, {"sin", sin},     {"cos", cos},       {"tan", tan},
               {"asin", asin},   {"acos", acos},   {"atan", atan},     {"sinh", sinh},
               {"cosh", cosh},   {"tanh", tanh},   {"asinh", asinh},   {"acosh", acosh},
               {"atanh", atanh}, {"floor", floor}, {"ceil", ceil},     {"trunc", trunc},
               {"rint", rint},   {"round", round}, {"tgamma", tgamma}, {"lgamma", lgamma},
               {"erf", erf},     {"erfc", erfc},   {"fabs", fabs}};
    static const struct {
        const char *name;
        double (*of)(double, double);
    } two[] = {{"pow", pow},     {"fmod", fmod},           {"hypot", hypot},
               {"atan2", atan2}, {"copysign", copysign},   {"fmin", fmin},
               {"fmax", fmax},   {"remainder", remainder}, {"nextafter", nextafter}};
    for (size_t n = 0; n < sizeof one / sizeof *one; n++)
        if (!strcmp(name, one[n].name))
            return *result = formula_real(one[n].of(a[0].d)), true;
    for (size_t n = 0; n < sizeof two / sizeof *two; n++)
        if (!strcmp(name, two[n].name))
            return *result = formula_real(two[n].of(a[0].d, a[1].d)), true;
    return false;
}

static inline bool formula_int_function(const char *name, const value *a, value *result) {
    uint64_t x = (uint64_t)a[0].i, y = (uint64_t)a[1].i;
    if (!strcmp(name, "ult"))
        *result = formula_int(x < y);
    else if (!strcmp(name, "udiv"))
        *result = formula_int(y ? (int64_t)(x / y) : 0);
    else if (!strcmp(name, "umod"))
        *result = formula_int(y ? (int64_t)(x % y) : 0);
    else if (!strcmp(name, "ushr"))
        *result = formula_int((int64_t)(x >> (y & 63)));
    else if (!strcmp(name, "popcount"))
        *result = formula_int(__builtin_popcountll(x));
    else if (!strcmp(name, "bits"))
        *result = formula_bits_of_float(a[0]);
    else if (!strcmp(name, "float_of"))
        *result = formula_float_of_bits(a[0]);
    else
        return false;
    return true;
}

static inline value formula_call(formula *f, const char *name, const value *a) {
    value result;
    if (!strcmp(name, "f"))
        return formula_real((float)a[0].d);
    if (!strcmp(name, "h"))
        return formula_real((double)(_Float16)a[0].d);
    if (!strcmp(name, "fma"))
        return formula_real(fma(a[0].d, a[1].d, a[2].d));
    if (!strcmp(name, "fmaf"))
        return formula_real(fmaf((float)a[0].d, (float)a[1].d, (float)a[2].d));
    if (!strcmp(name, "abs"))
        return a[0].real ? formula_real(fabs(a[0].d)) : formula_int(a[0].i < 0 ? -a[0].i : a[0].i);
    if (!strcmp(name, "min"))
        return a[1].d < a[0].d ? a[1] : a[0];
    if (!strcmp(name, "max"))
        return a[1].d > a[0].d ? a[1] : a[0];
    if (formula_cast(name, a[0], &result) || formula_int_function(name, a, &result) ||
        formula_real_function(name, a, &result))
        return result;
    return formula_fail(f, hd_format(f->arena, "there is no function '%s'", name));
}

/* ---- expressions ------------------------------------------------------------------------ */

static inline value formula_expression(formula *f);

/* "(q, from, to, body)" */
static inline value formula_over(formula *f, const char *name) {
    char variable[16] = "";
    if (!formula_word(f, variable, sizeof variable))
        return formula_fail(f, "a variable is missing");
    formula_want(f, ",");
    int64_t from = formula_whole(formula_expression(f));
    formula_want(f, ",");
    int64_t to = formula_whole(formula_expression(f));
    formula_want(f, ",");
    const char *body = f->at;
    bool is_sum = !strcmp(name, "sum"), greatest = !strcmp(name, "max_of");
    value total = formula_int(0);
    f->dead += from >= to; /* then the body is only skipped */
    for (int64_t n = from; n < (from >= to ? from + 1 : to) && !f->error; n++) {
        f->at = body;
        formula_set(f, variable, n);
        value v = formula_expression(f);
        if (is_sum && (total.real || v.real))
            total = formula_real(total.d + v.d);
        else if (is_sum)
            total = formula_int((int64_t)((uint64_t)total.i + (uint64_t)v.i));
        else if (n == from || (greatest ? v.d > total.d : v.d < total.d))
            total = v;
    }
    f->dead -= from >= to;
    formula_want(f, ")");
    return from >= to ? formula_int(0) : total;
}

static inline value formula_name(formula *f) {
    char name[32], field[64] = "";
    if (!formula_word(f, name, sizeof name))
        return formula_fail(f, hd_format(f->arena, "a value is missing before '%s'", f->at));
    if (formula_take(f, "(")) {
        if (!strcmp(name, "sum") || !strcmp(name, "max_of") || !strcmp(name, "min_of"))
            return formula_over(f, name);
        value args[FORMULA_ARGS] = {{0}};
        for (uint32_t a = 0; a < FORMULA_ARGS; a++) {
            args[a] = formula_expression(f);
            if (!formula_take(f, ","))
                break;
        }
        formula_want(f, ")");
        return formula_call(f, name, args);
    }
    if (*f->at == '.' && isalpha((unsigned char)f->at[1])) {
        size_t length = strcspn(++f->at, "[");
        if (length >= sizeof field)
            return formula_fail(f, "too long a field");
        memcpy(field, f->at, length);
        f->at += length;
    }
    if (formula_take(f, "[")) {
        int64_t index = formula_whole(formula_expression(f));
        value result = formula_int(0);
        formula_want(f, "]");
        if (!f->lookup(f->user, name, *field ? field : NULL, index, &result))
            return formula_fail(f, hd_format(f->arena, "there is no %s%s%s[%lld]", name,
                                             *field ? "." : "", field, (long long)index));
        return result;
    }
    for (uint32_t v = 0; v < f->variable_count; v++)
        if (!strcmp(f->variables[v].name, name))
            return formula_int(f->variables[v].value);
    if (!strcmp(name, "nan") || !strcmp(name, "inf"))
        return formula_real(*name == 'n' ? (double)NAN : (double)INFINITY);
    return formula_fail(f, hd_format(f->arena, "there is no '%s'", name));
}

static inline value formula_number(formula *f) {
    char *end, *real_end;
    uint64_t whole = strtoull(f->at, &end, 0);
    double real = strtod(f->at, &real_end);
    bool is_real = real_end > end;
    f->at = is_real ? real_end : end;
    return is_real ? formula_real(real) : formula_int((int64_t)whole);
}

static inline value formula_unary(formula *f) {
    value v;
    if (formula_take(f, "-")) {
        v = formula_unary(f);
        return v.real ? formula_real(-v.d) : formula_int((int64_t)-(uint64_t)v.i);
    }
    if (formula_take(f, "~"))
        return formula_int(~formula_whole(formula_unary(f)));
    if (formula_take(f, "!"))
        return formula_int(!formula_truth(formula_unary(f)));
    if (formula_take(f, "(")) {
        v = formula_expression(f);
        formula_want(f, ")");
        return v;
    }
    return isdigit((unsigned char)f->at[strspn(f->at, " \t")]) ? formula_number(f)
                                                               : formula_name(f);
}

/* From what binds loosest; longer operators stand before those that they begin with. */
static const char *const formula_levels[][5] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
enum { FORMULA_LEVELS = sizeof formula_levels / sizeof *formula_levels };

static inline value formula_compare(const char *op, value a, value b) {
    bool real = a.real || b.real;
    bool less = real ? a.d < b.d : a.i < b.i, more = real ? a.d > b.d : a.i > b.i;
    bool same = real ? a.d == b.d : a.i == b.i;
    switch (op[0]) {
    case '<': return formula_int(less || (op[1] && same));
    case '>': return formula_int(more || (op[1] && same));
    case '=': return formula_int(same);
    default: return formula_int(!same);
    }
}

static inline value formula_real_binary(char op, double a, double b) {
    return formula_real(op == '+'   ? a + b
                        : op == '-' ? a - b
                        : op == '*' ? a * b
                        : op == '/' ? a / b
                                    : fmod(a, b));
}

static inline value formula_binary(formula *f, const char *op, value a, value b) {
    if (!strcmp(op, "||") || !strcmp(op, "&&"))
        return formula_int(*op == '|' ? formula_truth(a) || formula_truth(b)
                                      : formula_truth(a) && formula_truth(b));
    if (strchr("=!", *op) || (strchr("<>", *op) && op[1] != *op))
        return formula_compare(op, a, b);
    if ((a.real || b.real) && strchr("+-*/%", *op))
        return formula_real_binary(*op, a.d, b.d);
    uint64_t x = (uint64_t)formula_whole(a), y = (uint64_t)formula_whole(b);
    if (strchr("/%", *op) && (y == 0 || y == UINT64_MAX))
        return y ? formula_int(*op == '/' ? (int64_t)-x : 0)
                 : formula_fail(f, "a division by zero");
    switch (*op) {
    case '+': return formula_int((int64_t)(x + y));
    case '-': return formula_int((int64_t)(x - y));
    case '*': return formula_int((int64_t)(x * y));
    case '/': return formula_int((int64_t)x / (int64_t)y);
    case '%': return formula_int((int64_t)x % (int64_t)y);
    case '<': return formula_int((int64_t)(x << (y & 63)));
    case '>': return formula_int((int64_t)x >> (y & 63));
    case '&': return formula_int((int64_t)(x & y));
    case '|': return formula_int((int64_t)(x | y));
    default: return formula_int((int64_t)(x ^ y));
    }
}

/* The operator of a level that stands here, or NULL. */
static inline const char *formula_operator(formula *f, uint32_t level) {
    f->at += strspn(f->at, " \t");
    for (uint32_t o = 0; formula_levels[level][o]; o++) {
        const char *op = formula_levels[level][o];
        size_t length = strlen(op);
        if (strncmp(f->at, op, length) != 0)
            continue;
        if (length == 1 && strchr("|&<>", *op) && f->at[1] == *op) /* || && << >> */
            continue;
        f->at += length;
        return op;
    }
    return NULL;
}

static inline value formula_level(formula *f, uint32_t level) {
    if (level == FORMULA_LEVELS)
        return formula_unary(f);
    value a = formula_level(f, level + 1);
    for (const char *op; !f->error && (op = formula_operator(f, level));) {
        bool decided = (level == 0 && formula_truth(a)) || (level == 1 && !formula_truth(a));
        f->dead += decided;
        value b = formula_level(f, level + 1);
        f->dead -= decided;
        a = formula_binary(f, op, a, b);
    }
    return a;
}

static inline value formula_expression(formula *f) {
    value condition = formula_level(f, 0);
    if (!formula_take(f, "?"))
        return condition;
    bool yes = formula_truth(condition);
    f->dead += !yes;
    value a = formula_expression(f);
    f->dead -= !yes;
    formula_want(f, ":");
    f->dead += yes;
    value b = formula_expression(f);
    f->dead -= yes;
    return yes ? a : b;
}

#endif
