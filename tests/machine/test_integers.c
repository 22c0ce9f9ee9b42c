/*
 * Functions of integers, of bits and of vectors' components, and conversions:
 * compared, bit for bit, with formulas written plainly in 128 bits, and with PoCL.
 */
#include "calls.h"
#include "sanitized.h"
#include "ready.h"

#include <limits.h>
#include <math.h>

__extension__ typedef __int128 wide;

typedef struct integer_type {
    const char *name, *integer; /* of T, and the signed one as wide */
    uint32_t bits;
    bool is_signed;
} integer_type;

static const integer_type types[] = {
    {"char", "char", 8, true},      {"uchar", "char", 8, false},  {"short", "short", 16, true},
    {"ushort", "short", 16, false}, {"int", "int", 32, true},     {"uint", "int", 32, false},
    {"long", "long", 64, true},     {"ulong", "long", 64, false},
};

/* ---- oracles ---------------------------------------------------------------------- */

typedef struct operands {
    wide x, y, z;
    const integer_type *t;
} operands;

typedef wide oracle(const operands *o);

static wide power(uint32_t n) { return (wide)1 << n; }
static wide least(const integer_type *t) { return t->is_signed ? -power(t->bits - 1) : 0; }
static wide most(const integer_type *t) { return power(t->bits - t->is_signed) - 1; }
static wide clamped(const operands *o, wide v) {
    return v < least(o->t) ? least(o->t) : v > most(o->t) ? most(o->t) : v;
}

/* Rounded down, unlike C's division. */
static wide shifted(wide v, uint32_t by) {
    wide q = v / power(by);
    return v < 0 && q * power(by) != v ? q - 1 : q;
}

/* The product of two 64-bit numbers without a sign fits no wide: by parts. */
static wide high_product(const operands *o) {
    if (o->t->is_signed || o->t->bits < 64)
        return shifted(o->x * o->y, o->t->bits);
    __extension__ typedef unsigned __int128 unsigned_wide;
    return (wide)((unsigned_wide)o->x * (unsigned_wide)o->y >> 64);
}

static wide ref_add_sat(const operands *o) { return clamped(o, o->x + o->y); }
static wide ref_sub_sat(const operands *o) { return clamped(o, o->x - o->y); }
static wide ref_abs_diff(const operands *o) { return o->x > o->y ? o->x - o->y : o->y - o->x; }
static wide ref_abs(const operands *o) { return o->x < 0 ? -o->x : o->x; }
static wide ref_hadd(const operands *o) { return shifted(o->x + o->y, 1); }
static wide ref_rhadd(const operands *o) { return shifted(o->x + o->y + 1, 1); }
static wide ref_mul_hi(const operands *o) { return high_product(o); }
static wide ref_mad_hi(const operands *o) { return high_product(o) + o->z; }
static wide ref_min(const operands *o) { return o->x < o->y ? o->x : o->y; }
static wide ref_max(const operands *o) { return o->x > o->y ? o->x : o->y; }

static wide ref_mad_sat(const operands *o) {
    if (!o->t->is_signed && high_product(o) > 0)
        return most(o->t);
    return clamped(o, o->x * o->y + o->z);
}

static wide ref_clamp(const operands *o) {
    wide low = o->y < o->z ? o->y : o->z, high = o->y < o->z ? o->z : o->y;
    return o->x < low ? low : o->x > high ? high : o->x;
}

static bool bit(wide x, uint32_t n) { return (uint64_t)x >> n & 1; }

static wide ref_clz(const operands *o) {
    uint32_t n = 0;
    while (n < o->t->bits && !bit(o->x, o->t->bits - 1 - n))
        n++;
    return n;
}

static wide ref_ctz(const operands *o) {
    uint32_t n = 0;
    while (n < o->t->bits && !bit(o->x, n))
        n++;
    return n;
}

static wide ref_popcount(const operands *o) {
    wide n = 0;
    for (uint32_t i = 0; i < o->t->bits; i++)
        n += bit(o->x, i);
    return n;
}

static wide ref_rotate(const operands *o) {
    wide result = 0;
    uint32_t by = (uint32_t)((uint64_t)o->y % o->t->bits);
    for (uint32_t i = 0; i < o->t->bits; i++)
        result |= (wide)bit(o->x, i) << (i + by) % o->t->bits;
    return result;
}

static wide ref_bitselect(const operands *o) {
    wide result = 0;
    for (uint32_t i = 0; i < o->t->bits; i++)
        result |= (wide)bit(bit(o->z, i) ? o->y : o->x, i) << i;
    return result;
}

/* ---- the functions ---------------------------------------------------------------- */

typedef struct function {
    const char *text;
    oracle *oracle;
    bool since_2; /* OpenCL C 2.0 */
} function;

/* abs and abs_diff give the unsigned type, whose bits count here. */
static const function functions[] = {
    {"as_T(abs(x))", ref_abs},
    {"as_T(abs_diff(x, y))", ref_abs_diff},
    {"add_sat(x, y)", ref_add_sat},
    {"sub_sat(x, y)", ref_sub_sat},
    {"hadd(x, y)", ref_hadd},
    {"rhadd(x, y)", ref_rhadd},
    {"mul_hi(x, y)", ref_mul_hi},
    {"mad_hi(x, y, z)", ref_mad_hi},
    {"mad_sat(x, y, z)", ref_mad_sat},
    {"min(x, y)", ref_min},
    {"max(x, y)", ref_max},
    {"clamp(x, min(y, z), max(y, z))", ref_clamp},
    {"clz(x)", ref_clz},
    {"ctz(x)", ref_ctz, true},
    {"popcount(x)", ref_popcount},
    {"rotate(x, y)", ref_rotate},
    {"bitselect(x, y, z)", ref_bitselect},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* ---- operands --------------------------------------------------------------------- */

static uint64_t operand_bits(const integer_type *t, uint64_t *state, uint32_t i, uint32_t k) {
    const uint64_t top = UINT64_C(1) << (t->bits - 1);
    const uint64_t specials[] = {0,       1,           UINT64_MAX,     top, top - 1,
                                 2,       top + 1,     top >> 1,       7,   0xaa,
                                 t->bits, t->bits + 3, UINT64_MAX - 1, 0x55};
    if (i < 14 * 14 * 14)
        return specials[k == 0 ? i % 14 : k == 1 ? i / 14 % 14 : i / 196];
    uint64_t bits = calls_random(state);
    return bits >> calls_random(state) % 64;
}

static call_input make_input(const integer_type *t) {
    call_input in = calls_input_new(t->bits / 8);
    uint64_t state = t->bits + t->is_signed;
    for (uint32_t i = 0; i < CALLS_COUNT; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint64_t bits = operand_bits(t, &state, i * 7 % CALLS_COUNT, k);
            memcpy((uint8_t *)calls_operand(&in, t->bits / 8, k) + (size_t)i * (t->bits / 8), &bits,
                   t->bits / 8);
        }
    return in;
}

static wide operand(const integer_type *t, const call_input *in, uint32_t k, uint32_t i) {
    uint64_t bits = 0;
    memcpy(&bits, (uint8_t *)calls_operand(in, t->bits / 8, k) + (size_t)i * (t->bits / 8),
           t->bits / 8);
    bool negative = t->is_signed && bits >> (t->bits - 1) & 1;
    return (wide)bits - (negative ? power(t->bits) : 0);
}

/* ---- tests ------------------------------------------------------------------------ */

static void check_bits(const char *what, const char *type, uint32_t width, const call_mode mode,
                       uint32_t i, uint64_t got, uint64_t want) {
    if (got != want)
        fail_msg("%s of %s%u, mode %d, number %u: 0x%llx, should be 0x%llx", what, type, width,
                 mode, i, (unsigned long long)got, (unsigned long long)want);
}

static call *calls_of_functions(hd_arena *arena, bool on_pocl, uint32_t *count, uint32_t *which) {
    call *calls = hd_new_array(arena, call, FUNCTIONS);
    *count = 0;
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        if (on_pocl && functions[k].since_2)
            continue;
        which[*count] = k;
        calls[(*count)++] = (call){functions[k].text, 'T', NULL};
    }
    return calls;
}

static void check_type(const integer_type *t, uint32_t width, call_mode mode, bool on_pocl) {
    hd_arena *arena = hd_arena_new();
    uint32_t count, which[FUNCTIONS], bytes = t->bits / 8;
    call *calls = calls_of_functions(arena, on_pocl, &count, which);
    call_input in = make_input(t);
    call_plan plan = {.type = t->name,
                      .bytes = bytes,
                      .integer = t->integer,
                      .calls = calls,
                      .count = count,
                      .prelude = "",
                      .width = width,
                      .mode = mode,
                      .options = on_pocl ? NULL : "-cl-std=CL2.0"};
    call_run run;
    calls_run(&run, &plan, &in, on_pocl);
    calls_check_operands(&run, &plan, &in);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < CALLS_COUNT / width * width; i++) {
            operands o = {operand(t, &in, 0, i), operand(t, &in, 1, i), operand(t, &in, 2, i), t};
            uint64_t want = (uint64_t)functions[which[k]].oracle(&o) & UINT64_MAX >> (64 - t->bits);
            if (mode == CALLS_DIVERGENT && i / width % 3 == 1)
                want = 0xaaaaaaaaaaaaaaaa >> (64 - t->bits);
            check_bits(calls[k].text, t->name, width, mode, i, calls_bits(run.machine, k, i, bytes),
                       want);
            if (run.pocl)
                check_bits(calls[k].text, "PoCL's ", width, mode, i,
                           calls_bits(run.pocl, k, i, bytes), want);
        }
    hd_sample_close(&run.sample);
    hd_arena_free(arena);
    free(in.data);
}

static void integers_are_those_of_the_formulas(void **state) {
    (void)state;
    for (size_t t = 0; t < 8; t++) {
        check_type(&types[t], 1, CALLS_PLAIN, false);
        check_type(&types[t], 1, CALLS_UNIFORM, false);
        check_type(&types[t], 1, CALLS_DIVERGENT, false);
        check_type(&types[t], (const uint32_t[]){4, 3, 2, 16, 8, 4, 3, 2}[t], CALLS_PLAIN, false);
        check_type(&types[t], (const uint32_t[]){3, 2, 4, 3, 2, 16, 2, 4}[t], CALLS_DIVERGENT,
                   false);
    }
}

static void integers_are_those_of_pocl(void **state) {
    (void)state;
    for (size_t t = 0; t < 8; t++)
        if (IS_TRIED(t, 5))
            check_type(&types[t], 1, CALLS_PLAIN, true);
}

static void check_loop(const integer_type *t, uint32_t width) {
    hd_arena *arena = hd_arena_new();
    uint32_t count, which[FUNCTIONS];
    call *calls = calls_of_functions(arena, false, &count, which);
    call_input in = make_input(t);
    calls_check_loop((call_plan){.type = t->name,
                                 .bytes = t->bits / 8,
                                 .integer = t->integer,
                                 .calls = calls,
                                 .count = count,
                                 .prelude = "",
                                 .width = width,
                                 .options = "-cl-std=CL2.0"},
                     &in);
    hd_arena_free(arena);
    free(in.data);
}

static void lanes_that_left_a_loop_keep_their_results(void **state) {
    (void)state;
    for (size_t t = 0; t < 8; t++)
        check_loop(&types[t], t % 2 ? 2 : 1);
}

/* ---- conversions ------------------------------------------------------------------ */

typedef long double real;

/* A type that is converted from, and its number i. */
typedef struct source {
    const char *name, *integer;
    uint32_t bytes;
} source;

static const source sources[] = {{"float", "int", 4}, {"double", "long", 8}, {"half", "short", 2}};

static real number_at(const source *s, const call_input *in, uint32_t i) {
    const uint8_t *at = (uint8_t *)calls_operand(in, s->bytes, 0) + (size_t)i * s->bytes;
    float single;
    double full;
    _Float16 half;
    memcpy(s->bytes == 2   ? (void *)&half
           : s->bytes == 4 ? (void *)&single
                           : (void *)&full,
           at, s->bytes);
    return s->bytes == 2 ? (real)(float)half : s->bytes == 4 ? (real)single : (real)full;
}

/* Numbers around the ends of all integer types, halves, and random ones. */
static call_input make_reals(const source *s) {
    call_input in = calls_input_new(s->bytes);
    uint64_t state = 77;
    for (uint32_t i = 0; i < CALLS_COUNT; i++) {
        double value = 0;
        uint64_t bits = calls_random(&state);
        if (i < 1440) { /* 2^k, and what is 1/2, 3/4 ... beside it */
            value = ldexp(1, (int)(i / 2 % 72)) + (double)(i / 144) / 4 - 1;
            value = i % 2 ? -value : value;
        } else if (i < 1450) {
            value = (double[]){
                NAN, INFINITY, -INFINITY, 0.5, -0.5, 1.5, 2.5, -0.0, 1e300, -1e300}[i % 10];
        } else if (i % 3) {
            value = (double)(int64_t)bits * ldexp(1, -(int)(bits % 64));
        } else {
            memcpy(&value, &bits, 8);
        }
        float single = (float)value;
        _Float16 half = (_Float16)value;
        memcpy(in.data + (size_t)i * s->bytes,
               s->bytes == 2   ? (void *)&half
               : s->bytes == 4 ? (void *)&single
                               : (void *)&value,
               s->bytes);
    }
    return in;
}

static real rounded(real x, const char *mode) {
    return !strcmp(mode, "_rte")   ? rintl(x)
           : !strcmp(mode, "_rtp") ? ceill(x)
           : !strcmp(mode, "_rtn") ? floorl(x)
                                   : truncl(x);
}

static const char *const modes[] = {"", "_rtz", "_rte", "_rtp", "_rtn"};

typedef struct conversions {
    call calls[80];
    uint32_t count;
} conversions;

/* Calls k: to type k / 10, in rounding k / 2 % 5, saturating when k is odd. */
static conversions *all_conversions(hd_arena *arena, uint32_t width) {
    conversions *c = hd_new(arena, conversions);
    const char *w = width == 1 ? "" : hd_format(arena, "%u", width);
    for (uint32_t k = 0; k < 80; k++) {
        const char *to = types[k / 10].name;
        c->calls[k] = (call){
            hd_format(arena, "convert_%s%s%s%s(x)", to, w, k % 2 ? "_sat" : "", modes[k / 2 % 5]),
            'X', to};
    }
    c->count = 80;
    return c;
}

/* The integer that a number becomes; false when the specification does not say. */
static bool converted(real x, const integer_type *t, const char *mode, bool saturates,
                      wide *result) {
    *result = 0;
    if (isnan(x))
        return saturates;
    x = rounded(x, mode);
    if (x < (real)least(t) || x > (real)most(t)) {
        *result = x < 0 ? least(t) : most(t);
        return saturates;
    }
    *result = (wide)x;
    return true;
}

static void check_conversions(const source *s, uint32_t width, call_mode mode, bool on_pocl) {
    hd_arena *arena = hd_arena_new();
    conversions *c = all_conversions(arena, width);
    call_input in = make_reals(s);
    call_plan plan = {.type = s->name,
                      .bytes = s->bytes,
                      .integer = s->integer,
                      .calls = c->calls,
                      .count = c->count,
                      .prelude = "",
                      .width = width,
                      .mode = mode};
    call_run run;
    calls_run(&run, &plan, &in, on_pocl);
    for (uint32_t k = 0; k < c->count; k++)
        for (uint32_t i = 0; i < CALLS_COUNT / width * width; i++) {
            const integer_type *t = &types[k / 10];
            wide value;
            if (!converted(number_at(s, &in, i), t, modes[k / 2 % 5], k % 2, &value))
                continue;
            uint64_t want = (uint64_t)value & UINT64_MAX >> (64 - t->bits);
            check_bits(c->calls[k].text, s->name, width, mode, i,
                       calls_bits(run.machine, k, i, t->bits / 8), want);
            if (run.pocl)
                check_bits(c->calls[k].text, "PoCL's ", width, mode, i,
                           calls_bits(run.pocl, k, i, t->bits / 8), want);
        }
    hd_sample_close(&run.sample);
    if (mode == CALLS_UNIFORM)
        calls_check_loop(plan, &in);
    hd_arena_free(arena);
    free(in.data);
}

static void floats_convert_to_integers(void **state) {
    (void)state;
    check_conversions(&sources[0], 1, CALLS_PLAIN, true);
    check_conversions(&sources[1], 1, CALLS_PLAIN, true);
    check_conversions(&sources[2], 1, CALLS_PLAIN, false);
    check_conversions(&sources[0], 3, CALLS_PLAIN, false);
    check_conversions(&sources[1], 4, CALLS_PLAIN, false);
    check_conversions(&sources[0], 1, CALLS_UNIFORM, false);
}

static void check_integer_conversions(const integer_type *t, uint32_t width, bool on_pocl) {
    hd_arena *arena = hd_arena_new();
    conversions *c = all_conversions(arena, width);
    call_input in = make_input(t);
    call_plan plan = {.type = t->name,
                      .bytes = t->bits / 8,
                      .integer = t->integer,
                      .calls = c->calls,
                      .count = c->count,
                      .prelude = "",
                      .width = width};
    call_run run;
    calls_run(&run, &plan, &in, on_pocl);
    for (uint32_t k = 0; k < c->count; k++)
        for (uint32_t i = 0; i < CALLS_COUNT / width * width; i++) {
            const integer_type *to = &types[k / 10];
            operands o = {.t = to};
            wide x = operand(t, &in, 0, i), value = k % 2 ? clamped(&o, x) : x;
            uint64_t want = (uint64_t)value & UINT64_MAX >> (64 - to->bits);
            check_bits(c->calls[k].text, t->name, width, CALLS_PLAIN, i,
                       calls_bits(run.machine, k, i, to->bits / 8), want);
            if (run.pocl)
                check_bits(c->calls[k].text, "PoCL's ", width, CALLS_PLAIN, i,
                           calls_bits(run.pocl, k, i, to->bits / 8), want);
        }
    hd_sample_close(&run.sample);
    hd_arena_free(arena);
    free(in.data);
}

static void integers_convert_to_integers(void **state) {
    (void)state;
    for (size_t t = 0; t < 8; t++) {
        check_integer_conversions(&types[t], 1, t % 3 == 0);
        check_integer_conversions(&types[t], t % 2 ? 3 : 4, false);
    }
}

/* ---- components ------------------------------------------------------------------- */

/* A vector's components, by bits. */
static uint64_t component(const call_input *in, uint32_t bytes, uint32_t k, uint32_t i) {
    return calls_bits((uint8_t *)calls_operand(in, bytes, k), 0, i, bytes);
}

/* Component j of vector i of each call, as the specification has it. */
static uint64_t moved(const call_input *in, uint32_t bytes, uint32_t width, uint32_t call_number,
                      uint32_t i, uint32_t j) {
    uint32_t base = i * width;
    uint64_t y = component(in, bytes, 1, base + j), z = component(in, bytes, 2, base + j);
    uint64_t from;
    switch (call_number) {
    case 0: return component(in, bytes, 0, base + y % width);
    case 1: return component(in, bytes, 0, base + width / 2 + y % (width / 2));
    case 2: from = z % (2 * width); return component(in, bytes, from >= width, base + from % width);
    case 3: /* of x.lo and y.hi */
        from = z % width;
        return from < width / 2 ? component(in, bytes, 0, base + from)
                                : component(in, bytes, 1, base + from);
    default: return (component(in, bytes, 0, base + j) & ~z) | (y & z);
    }
}

static void check_moves(const char *type, const char *integer, uint32_t bytes, uint32_t width,
                        bool on_pocl) {
    static const call calls[] = {{"bitselect(x, y, z)", 'T', NULL},
                                 {"shuffle(x, bits_of(y))", 'T', NULL},
                                 {"shuffle2(x, y, bits_of(z))", 'T', NULL},
                                 {"shuffle(x.hi, bits_of(y))", 'T', NULL},
                                 {"shuffle2(x.lo, y.hi, bits_of(z))", 'T', NULL}};
    static const uint32_t numbers[] = {4, 0, 2, 1, 3};
    const integer_type any = {.bits = 8 * bytes};
    call_input in = make_input(&any);
    call_plan plan = {.type = type,
                      .bytes = bytes,
                      .integer = integer,
                      .calls = calls,
                      .count = width == 3   ? 1
                               : width == 2 ? 3
                                            : 5,
                      .prelude = "",
                      .width = width};
    call_run run;
    calls_run(&run, &plan, &in, on_pocl);
    for (uint32_t k = 0; k < plan.count; k++)
        for (uint32_t i = 0; i < CALLS_COUNT / width * width; i++) {
            uint64_t want = moved(&in, bytes, width, numbers[k], i / width, i % width);
            check_bits(calls[k].text, type, width, CALLS_PLAIN, i,
                       calls_bits(run.machine, k, i, bytes), want);
            if (run.pocl)
                check_bits(calls[k].text, "PoCL's ", width, CALLS_PLAIN, i,
                           calls_bits(run.pocl, k, i, bytes), want);
        }
    hd_sample_close(&run.sample);
    calls_check_loop(plan, &in);
    free(in.data);
}

static void components_are_shuffled_and_selected(void **state) {
    (void)state;
    check_moves("float", "int", 4, 4, true);
    check_moves("double", "long", 8, 2, true);
    check_moves("half", "short", 2, 4, false);
    check_moves("char", "char", 1, 16, true);
    check_moves("uchar", "char", 1, 3, false);
    check_moves("ushort", "short", 2, 8, false);
    check_moves("uint", "int", 4, 2, false);
    check_moves("long", "long", 8, 8, true);
}

/* any and all look at the highest bits, in vectors and alone. */
static void any_and_all_see_signs(void **state) {
    (void)state;
    static const call calls[] = {{"(N)(any(x))", 'I', NULL},
                                 {"(N)(all(x))", 'I', NULL},
                                 {"(N)(any(x >> y))", 'I', NULL},
                                 {"(N)(all(x | y))", 'I', NULL}};
    for (size_t t = 0; t < 8; t += 2) {
        uint32_t width = (const uint32_t[]){1, 2, 3, 4}[t / 2], bytes = types[t].bits / 8;
        call_input in = make_input(&types[t]);
        call_plan plan = {.type = types[t].name,
                          .bytes = bytes,
                          .integer = types[t].integer,
                          .calls = calls,
                          .count = 4,
                          .prelude = "",
                          .width = width};
        call_run run;
        calls_run(&run, &plan, &in, true);
        for (uint32_t i = 0; i < CALLS_COUNT / width; i++) {
            bool some = false, every = true, both = true;
            for (uint32_t j = 0; j < width; j++) {
                bool x = operand(&types[t], &in, 0, i * width + j) < 0;
                some |= x;
                every &= x;
                both &= x || operand(&types[t], &in, 1, i * width + j) < 0;
            }
            const bool want[] = {some, every, some, both};
            for (uint32_t k = 0; k < 4; k++) {
                check_bits(calls[k].text, types[t].name, width, CALLS_PLAIN, i,
                           calls_bits(run.machine, k, i * width, 4), want[k]);
                if (run.pocl)
                    check_bits(calls[k].text, "PoCL's ", width, CALLS_PLAIN, i,
                               calls_bits(run.pocl, k, i * width, 4), want[k]);
            }
        }
        hd_sample_close(&run.sample);
        free(in.data);
    }
}

/* Operands of 24 bits, and integers put together. */
static void products_of_24_bits_and_wider_integers(void **state) {
    (void)state;
    static const call calls[] = {
        {"mul24(x >> 20, y >> 20)", 'T', NULL},
        {"mad24(x >> 20, y >> 20, z)", 'T', NULL},
        {"as_T(mul24(bits_of(x) >> 20, bits_of(y) >> 20))", 'T', NULL},
        {"as_T(mad24(bits_of(x) >> 20, bits_of(y) >> 20, bits_of(z)))", 'T', NULL},
        {"upsample(convert_short(x), as_ushort(convert_short(y)))", 'T', NULL},
        {"(int)upsample(convert_char(x), convert_uchar(y))", 'T', NULL},
        {"(int)(upsample(x, bits_of(y)) >> 17)", 'T', NULL},
        {"(int)upsample(convert_ushort(x), convert_ushort(y))", 'T', NULL}};
    const integer_type *t = &types[4];
    call_input in = make_input(t);
    call_plan plan = {.type = "int",
                      .bytes = 4,
                      .integer = "int",
                      .calls = calls,
                      .count = 8,
                      .prelude = "",
                      .width = 1};
    call_run run;
    calls_run(&run, &plan, &in, true);
    for (uint32_t i = 0; i < CALLS_COUNT; i++) {
        int32_t x = (int32_t)operand(t, &in, 0, i), y = (int32_t)operand(t, &in, 1, i);
        int32_t z = (int32_t)operand(t, &in, 2, i);
        uint32_t ux = (uint32_t)x >> 20, uy = (uint32_t)y >> 20;
        const uint32_t want[] = {
            (uint32_t)((x >> 20) * (y >> 20)),
            (uint32_t)((x >> 20) * (y >> 20)) + (uint32_t)z,
            ux * uy,
            ux * uy + (uint32_t)z,
            (uint32_t)x << 16 | ((uint32_t)y & 0xffff),
            (uint32_t)(int32_t)(int16_t)(((uint32_t)x & 0xff) << 8 | ((uint32_t)y & 0xff)),
            (uint32_t)((int64_t)((uint64_t)(int64_t)x << 32 | (uint32_t)y) >> 17),
            (uint32_t)x << 16 | ((uint32_t)y & 0xffff)};
        for (uint32_t k = 0; k < 8; k++) {
            check_bits(calls[k].text, "int", 1, CALLS_PLAIN, i, calls_bits(run.machine, k, i, 4),
                       want[k]);
            if (run.pocl)
                check_bits(calls[k].text, "PoCL's ", 1, CALLS_PLAIN, i,
                           calls_bits(run.pocl, k, i, 4), want[k]);
        }
    }
    hd_sample_close(&run.sample);
    free(in.data);
}

int main(void) {
    stand_ready();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_those_of_the_formulas),
        cmocka_unit_test(lanes_that_left_a_loop_keep_their_results),
        cmocka_unit_test(integers_are_those_of_pocl),
        cmocka_unit_test(floats_convert_to_integers),
        cmocka_unit_test(integers_convert_to_integers),
        cmocka_unit_test(components_are_shuffled_and_selected),
        cmocka_unit_test(any_and_all_see_signs),
        cmocka_unit_test(products_of_24_bits_and_wider_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
