/*
 * Constant expressions: C's operators over 64-bit integers, which are signed unless an operand is
 * unsigned, and + - * / and comparisons of floats.
 */
#include "frontend/ptx/ptx_reader.h"

static ptx_constant read_level(ptx_reader *r, int least);

bool ptx_starts_constant(const ptx_reader *r) {
    switch (r->now.kind) {
    case PTX_TOKEN_INTEGER:
    case PTX_TOKEN_FLOAT: return true;
    case PTX_TOKEN_MARK:
        return r->now.mark == '-' || r->now.mark == '+' || r->now.mark == '(' || r->now.mark == '~';
    default: return ptx_is_key(r, PTX_KEY_WARP_SZ);
    }
}

static bool is_float(ptx_constant c) { return c.type == PTX_F32 || c.type == PTX_F64; }

double ptx_constant_value(ptx_constant c) {
    if (c.type == PTX_F64) {
        double value;
        memcpy(&value, &c.bits, sizeof value);
        return value;
    }
    if (c.type == PTX_F32) {
        float value;
        memcpy(&value, &c.bits, sizeof value);
        return (double)value;
    }
    return c.type == PTX_U64 ? (double)(uint64_t)c.bits : (double)c.bits;
}

static ptx_constant of_double(double value) {
    ptx_constant c = {.type = PTX_F64};
    memcpy(&c.bits, &value, sizeof value);
    return c;
}

static ptx_constant of_integer(bool is_unsigned, uint64_t bits) {
    return (ptx_constant){is_unsigned ? PTX_U64 : PTX_S64, (int64_t)bits};
}

/* "(.s64) x", "(.u64) x" or "(x)"; the '(' was read. */
static ptx_constant read_parenthesis(ptx_reader *r) {
    const bool to_signed = ptx_is_key(r, PTX_KEY_TYPE + PTX_S64);
    const bool to_unsigned = ptx_is_key(r, PTX_KEY_TYPE + PTX_U64);
    if (to_signed || to_unsigned) {
        ptx_next(r);
        ptx_expect_mark(r, ')');
        ptx_constant c = read_level(r, 11);
        if (is_float(c))
            ptx_misread(r, &r->now, "only integers are cast; take the cast away");
        c.type = to_unsigned ? PTX_U64 : PTX_S64;
        return c;
    }
    ptx_constant c = read_level(r, 0);
    ptx_expect_mark(r, ')');
    return c;
}

static ptx_constant apply_unary(ptx_reader *r, const ptx_token *mark, ptx_constant c) {
    uint64_t bits = (uint64_t)c.bits;
    bool is_unsigned = c.type == PTX_U64;
    switch (mark->mark) {
    case '-':
        if (is_float(c)) /* flips the sign, also of a NaN and a zero */
            return (ptx_constant){
                c.type,
                (int64_t)(bits ^ (c.type == PTX_F64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31))};
        return of_integer(is_unsigned, 0 - bits);
    case '+': return c;
    default: break;
    }
    if (is_float(c))
        ptx_misread(r, mark, "'%c' takes an integer", (char)mark->mark);
    return mark->mark == '~' ? of_integer(is_unsigned, ~bits) : of_integer(false, !bits);
}

static ptx_constant read_unary(ptx_reader *r) {
    const ptx_token here = r->now;
    ptx_constant c = {PTX_S64, 0};
    if (!ptx_enter(r))
        return c;
    if (here.kind == PTX_TOKEN_INTEGER) {
        c = of_integer(here.is_unsigned, (uint64_t)here.integer);
        ptx_next(r);
    } else if (here.kind == PTX_TOKEN_FLOAT) {
        c = (ptx_constant){here.type, here.integer};
        ptx_next(r);
    } else if (ptx_accept_key(r, PTX_KEY_WARP_SZ))
        c.bits = 32;
    else if (ptx_accept_mark(r, '('))
        c = read_parenthesis(r);
    else if (ptx_accept_mark(r, '-') || ptx_accept_mark(r, '+') || ptx_accept_mark(r, '~') ||
             ptx_accept_mark(r, '!'))
        c = apply_unary(r, &here, read_unary(r));
    else
        ptx_misread(r, &here, "expected a number before %s", ptx_spell(r, &here));
    ptx_leave(r);
    return c;
}

static int level_of(const ptx_reader *r) {
    if (r->now.kind != PTX_TOKEN_MARK)
        return 0;
    switch (r->now.mark) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case PTX_MARK2('<', '<'):
    case PTX_MARK2('>', '>'): return 8;
    case '<':
    case '>':
    case PTX_MARK2('<', '='):
    case PTX_MARK2('>', '='): return 7;
    case PTX_MARK2('=', '='):
    case PTX_MARK2('!', '='): return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PTX_MARK2('&', '&'): return 2;
    case PTX_MARK2('|', '|'): return 1;
    default: return 0;
    }
}

static ptx_constant apply_float(ptx_reader *r, const ptx_token *mark, double x, double y) {
    switch (mark->mark) {
    case '+': return of_double(x + y);
    case '-': return of_double(x - y);
    case '*': return of_double(x * y);
    case '/': return of_double(x / y);
    case '<': return of_integer(false, x < y);
    case '>': return of_integer(false, x > y);
    case PTX_MARK2('<', '='): return of_integer(false, x <= y);
    case PTX_MARK2('>', '='): return of_integer(false, x >= y);
    case PTX_MARK2('=', '='): return of_integer(false, x == y);
    case PTX_MARK2('!', '='): return of_integer(false, x != y);
    default:
        ptx_misread(r, mark, "%s takes integers, and there is a float", ptx_spell(r, mark));
        return of_double(0);
    }
}

static uint64_t shift_right(uint64_t x, uint64_t by, bool is_unsigned) {
    uint64_t sign = !is_unsigned && x >> 63 ? UINT64_MAX : 0;
    if (by >= 64)
        return sign;
    return by ? x >> by | sign << (64 - by) : x;
}

static uint64_t divide(uint64_t x, uint64_t y, bool is_unsigned, bool rest) {
    if (is_unsigned)
        return rest ? x % y : x / y;
    if (y == UINT64_MAX) /* -1: also of the least number */
        return rest ? 0 : 0 - x;
    return (uint64_t)(rest ? (int64_t)x % (int64_t)y : (int64_t)x / (int64_t)y);
}

static ptx_constant apply(ptx_reader *r, const ptx_token *mark, ptx_constant a, ptx_constant b) {
    if (is_float(a) || is_float(b))
        return apply_float(r, mark, ptx_constant_value(a), ptx_constant_value(b));
    const bool is_unsigned = a.type == PTX_U64 || b.type == PTX_U64;
    const uint64_t x = (uint64_t)a.bits, y = (uint64_t)b.bits;
    const bool less = is_unsigned ? x < y : a.bits < b.bits;
    switch (mark->mark) {
    case '*': return of_integer(is_unsigned, x * y);
    case '/':
    case '%':
        if (!y)
            ptx_misread(r, mark, "a constant is divided by zero");
        return of_integer(is_unsigned, divide(x, y ? y : 1, is_unsigned, mark->mark == '%'));
    case '+': return of_integer(is_unsigned, x + y);
    case '-': return of_integer(is_unsigned, x - y);
    case PTX_MARK2('<', '<'): return of_integer(a.type == PTX_U64, y < 64 ? x << y : 0);
    case PTX_MARK2('>', '>'):
        return of_integer(a.type == PTX_U64, shift_right(x, y, a.type == PTX_U64));
    case '<': return of_integer(false, less);
    case '>': return of_integer(false, !less && x != y);
    case PTX_MARK2('<', '='): return of_integer(false, less || x == y);
    case PTX_MARK2('>', '='): return of_integer(false, !less);
    case PTX_MARK2('=', '='): return of_integer(false, x == y);
    case PTX_MARK2('!', '='): return of_integer(false, x != y);
    case '&': return of_integer(is_unsigned, x & y);
    case '^': return of_integer(is_unsigned, x ^ y);
    case '|': return of_integer(is_unsigned, x | y);
    case PTX_MARK2('&', '&'): return of_integer(false, x && y);
    default: return of_integer(false, x || y);
    }
}

/* Operators of this level and those that bind more. Level 0 is ?:, 11 a number. */
static ptx_constant read_level(ptx_reader *r, int least) {
    ptx_constant c = read_unary(r);
    for (int level; (level = level_of(r)) != 0 && level >= least;) {
        const ptx_token mark = r->now;
        if (!ptx_enter(r))
            return c;
        ptx_next(r);
        c = apply(r, &mark, c, read_level(r, level + 1));
        ptx_leave(r);
    }
    if (least || !ptx_is_mark(r, '?') || !ptx_enter(r))
        return c;
    ptx_next(r);
    ptx_constant yes = read_level(r, 0);
    ptx_expect_mark(r, ':');
    ptx_constant no = read_level(r, 0);
    ptx_leave(r);
    return c.bits ? yes : no;
}

ptx_constant ptx_read_constant(ptx_reader *r) { return read_level(r, 0); }

int64_t ptx_read_integer(ptx_reader *r) {
    const ptx_token here = r->now;
    ptx_constant c = ptx_read_constant(r);
    if (is_float(c))
        ptx_misread(r, &here, "expected an integer, not a float");
    return c.bits;
}

uint64_t ptx_read_count(ptx_reader *r, uint64_t most) {
    const ptx_token here = r->now;
    if (here.kind != PTX_TOKEN_INTEGER) {
        ptx_misread(r, &here, "expected a number before %s", ptx_spell(r, &here));
        return 0;
    }
    ptx_next(r);
    if ((uint64_t)here.integer > most)
        ptx_misread(r, &here, "%s is too large: at most %llu can stand here", ptx_spell(r, &here),
                    (unsigned long long)most);
    return (uint64_t)here.integer;
}

int64_t ptx_read_addend(ptx_reader *r) {
    uint64_t sum = 0;
    while (ptx_is_mark(r, '+') || ptx_is_mark(r, '-')) {
        const ptx_token mark = r->now;
        ptx_next(r);
        ptx_constant c = read_level(r, 10);
        if (is_float(c))
            ptx_misread(r, &mark, "only an integer can be added to a name");
        sum = mark.mark == '+' ? sum + (uint64_t)c.bits : sum - (uint64_t)c.bits;
    }
    return (int64_t)sum;
}
