/*
 * cvt of all pairs of integers and floats, in every direction of rounding, with .sat and .ftz:
 * against rounding by its definition in long double, which holds every operand exactly. Their names
 * are composed; rows are run as ptx_rows.h says.
 */
#include "ptx_rows.h"

#include "oracle/floats.h"

/* ---- types ----------------------------------------------------------------------------------- */

typedef struct integer_type {
    const char *name;
    uint32_t bits;
    bool is_signed;
} integer_type;
static const integer_type integers[] = {{"u8", 8, false},   {"s8", 8, true},    {"u16", 16, false},
                                        {"s16", 16, true},  {"u32", 32, false}, {"s32", 32, true},
                                        {"u64", 64, false}, {"s64", 64, true}};
enum { INTEGERS = sizeof integers / sizeof *integers };

static const char modes[] = {'n', 'z', 'm', 'p'};
enum { MODES = sizeof modes };

static real clamped(real x, real low, real high) { return x < low ? low : x > high ? high : x; }
static real least_of(const integer_type *t) {
    return t->is_signed ? -ldexpl(1, (int)t->bits - 1) : 0;
}
static real most_of(const integer_type *t) { return ldexpl(1, (int)t->bits - t->is_signed) - 1; }

/* As a register of 32 bits, or of 64, has it. */
static uint64_t bits_of_integer(const integer_type *t, real x) {
    uint64_t bits = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
    return t->bits < 64 ? (uint32_t)bits : bits;
}

/* ---- one conversion ---------------------------------------------------------------------------- */

/* Either side is an integer or a float. */
typedef struct conversion {
    const integer_type *to_integer, *from_integer;
    const float_type *to, *from;
    char mode; /* 0: none */
    bool saturates, flushes;
} conversion;

static real flushed(const float_type *t, real x) {
    return t == &floats[F32] && fabsl(x) < 0x1p-126L ? copysignl(0, x) : x;
}

static real operand(const conversion *c, uint64_t bits) {
    if (!c->from_integer)
        return c->flushes ? flushed(c->from, float_of(c->from, bits)) : float_of(c->from, bits);
    bits <<= 64 - c->from_integer->bits; /* the low bits alone */
    return c->from_integer->is_signed ? (real)((int64_t)bits >> (64 - c->from_integer->bits))
                                      : (real)(bits >> (64 - c->from_integer->bits));
}

static uint64_t wraps(const conversion *c, uint64_t bits) {
    const integer_type *t = c->to_integer;
    bits <<= 64 - t->bits;
    bits = t->is_signed ? (uint64_t)((int64_t)bits >> (64 - t->bits)) : bits >> (64 - t->bits);
    return t->bits < 64 ? (uint32_t)bits : bits;
}

static uint64_t converted(const numbers *n) {
    const conversion *c = n->of;
    real x = operand(c, n->a);
    if (c->to_integer && c->from_integer && !c->saturates) {
        const uint64_t bits = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
        return wraps(c, bits);
    }
    if (c->to_integer) {
        x = isnan(x) ? 0 : c->mode ? whole(x, c->mode) : x;
        return bits_of_integer(c->to_integer,
                               clamped(x, least_of(c->to_integer), most_of(c->to_integer)));
    }
    x = c->to == c->from && c->mode ? whole(x, c->mode) : rounded(c->to, x, c->mode);
    if (c->saturates)
        x = isnan(x) || x <= 0 ? 0 : x > 1 ? 1 : x;
    return bits_of_float(c->to, c->flushes ? flushed(c->to, x) : x);
}

/* The register that holds a source, and what makes any NaN of the target the one. */
static const char *source_of(const conversion *c) {
    if (c->from_integer)
        return c->from_integer->bits == 64 ? "%a" : c->from_integer->bits == 32 ? "%x" : "%k0";
    return c->from->bits == 64 ? "%da" : c->from->bits == 32 ? "%f" : "%k0";
}

static const char *body_of(hd_arena *arena, const conversion *c) {
    const char *to = c->to_integer ? c->to_integer->name : c->to->name;
    const char *from = c->from_integer ? c->from_integer->name : c->from->name;
    const bool is_whole = c->to_integer || c->to == c->from;
    const char *words =
        hd_format(arena, "cvt%s%s%s%s.%s.%s", !c->mode ? "" : hd_format(arena, ".r%c", c->mode),
                  c->mode && is_whole ? "i" : "", c->flushes ? ".ftz" : "",
                  c->saturates ? ".sat" : "", to, from);
    const uint32_t bits = c->to_integer ? c->to_integer->bits : c->to->bits;
    const char *target = c->to_integer ? (bits == 64 ? "%d" : "%w")
                         : bits == 64  ? "%e0"
                         : bits == 32  ? "%s0"
                                       : "%k1";
    const char *end = c->to_integer ? ""
                      : bits == 64  ? DOUBLE("")
                      : bits == 32
                          ? FLOAT("")
                          : hd_format(arena,
                                      "cvt.u32.u16 %%w, %%k1; and.b32 %%t1, %%w, 0x7fff;"
                                      "setp.gt.u32 %%p, %%t1, %s; @%%p mov.u32 %%w, 0x7fff;",
                                      c->to == &floats[F16] ? "0x7c00" : "0x7f80");
    return hd_format(arena, "cvt.u16.u32 %%k0, %%x; %s %s, %s; %s", words, target, source_of(c),
                     end);
}

/* ---- all of them --------------------------------------------------------------------------------- */

/* Floats around the ends of integers and halves between two; of floats also special and random ones. */
static uint64_t operand_bits(const conversion *c, uint64_t *seed, uint32_t i) {
    const uint64_t random = hd_next_random(seed);
    if (c->from_integer)
        return i % 3 ? (uint64_t)((int64_t)random >> hd_next_random(seed) % 64)
                     : number_of(i, seed);
    const uint64_t any = c->from->bits < 64 ? random >> (64 - c->from->bits) : random;
    const real turn = ldexpl(1, (int)(hd_next_random(seed) % 66)) + (real)(random % 9) / 4 - 1;
    const real near = random & 64 ? -turn : turn;
    if (i % 4 == 0)
        return any;
    if (c->to_integer || i % 4 == 1)
        return bits_of_float(c->from, rounded(c->from, near, 'n'));
    /* in the middle of two of the target, or next to that */
    int exponent = (int)(hd_next_random(seed) % 40) - 27;
    const real unit = ldexpl(1, exponent - c->to->digits);
    const real middle = ldexpl(1, exponent) + (real)(random % 512) * unit +
                        (real)((int)(random >> 32 & 3) - 1) * unit * 0x1p-9L;
    return bits_of_float(c->from, rounded(c->from, random & 64 ? -middle : middle, 'n'));
}

/* False: it is wrong, and has been named. A NaN as an integer is told of some alone. */
static bool is_converted(const conversion *c) {
    uint64_t in[THREADS * NUMBERS], out[THREADS], seed = (uint64_t)c->mode + c->saturates;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++)
        do
            in[i] = operand_bits(c, &seed, i);
        while (c->to_integer && c->from && isnan(float_of(c->from, in[i])) &&
               (c->to_integer->bits == 64 || c->from->bits == 64));
    hd_arena *arena = hd_arena_new();
    const row r = {body_of(arena, c), converted, c};
    const bool is_right =
        !try_text(say, (void *)(uintptr_t)r.body, text_of(arena, r.body), in, out) &&
        is_as_wanted(&r, in, out);
    hd_arena_free(arena);
    return is_right;
}

static void integers_to_integers(void **state) {
    (void)state;
    size_t wrong = 0;
    for (uint32_t to = 0; to < INTEGERS; to++)
        for (uint32_t k = 0; k < 2 * INTEGERS; k++)
            wrong += !is_converted(&(conversion){
                .to_integer = &integers[to], .from_integer = &integers[k / 2], .saturates = k % 2});
    assert_int_equal(wrong, 0);
}

static void floats_to_integers(void **state) {
    (void)state;
    size_t wrong = 0;
    for (uint32_t to = 0; to < INTEGERS; to++)
        for (uint32_t from = 0; from < FLOATS; from++)
            for (uint32_t m = 0; m < MODES; m++)
                wrong += !is_converted(&(conversion){.to_integer = &integers[to],
                                                     .from = &floats[from],
                                                     .mode = modes[m],
                                                     .saturates = m == 1,
                                                     .flushes = from == F32 && m == 3});
    assert_int_equal(wrong, 0);
}

static void integers_to_floats(void **state) {
    (void)state;
    size_t wrong = 0;
    for (uint32_t to = 0; to < FLOATS; to++)
        for (uint32_t from = 0; from < INTEGERS; from++)
            for (uint32_t m = 0; m < MODES; m++)
                wrong += !is_converted(&(conversion){.to = &floats[to],
                                                     .from_integer = &integers[from],
                                                     .mode = modes[m],
                                                     .saturates = to != BF16 && from % 4 == m});
    assert_int_equal(wrong, 0);
}

static void floats_to_floats(void **state) {
    (void)state;
    size_t wrong = 0;
    for (uint32_t to = 0; to < FLOATS; to++)
        for (uint32_t from = 0; from < FLOATS; from++)
            for (uint32_t k = 0; k < 4 * MODES; k++) {
                conversion c = {.to = &floats[to],
                                .from = &floats[from],
                                .mode = modes[k / 4],
                                .saturates = k & 1,
                                .flushes = k & 2};
                const bool is_wider = to != from && floats[to].digits >= floats[from].digits &&
                                      floats[to].least <= floats[from].least;
                if (is_wider && k / 4) /* needs no rounding, and says none */
                    continue;
                c.mode = is_wider ? 0 : c.mode;
                if ((to == BF16 && c.saturates) || (c.flushes && to != F32 && from != F32))
                    continue;
                wrong += !is_converted(&c);
            }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_to_integers),
        cmocka_unit_test(floats_to_integers),
        cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(floats_to_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
