/*
 * setp and set of every comparison and type, alone, in pairs, and joined with a predicate by and,
 * or, xor: against the comparison of the numbers in C. Their names are composed; rows are run as
 * ptx_rows.h says.
 */
#include "ptx_rows.h"

typedef long double real;

/* ---- types and comparisons ---------------------------------------------------------------------- */

/* How the bits are read: 'u' and 's' as integers, 'b' as such without order, 'h' f16, 'o' bf16, 'f'
 * floats. */
typedef struct type {
    const char *name;
    char kind;
    uint32_t bits;
    bool flushes;
} type;
static const type types[] = {
    {"u16", 'u', 16}, {"s16", 's', 16},           {"b16", 'b', 16},           {"u32", 'u', 32},
    {"s32", 's', 32}, {"b32", 'b', 32},           {"u64", 'u', 64},           {"s64", 's', 64},
    {"b64", 'b', 64}, {"f16", 'h', 16},           {"ftz.f16", 'h', 16, true}, {"bf16", 'o', 16},
    {"f32", 'f', 32}, {"ftz.f32", 'f', 32, true}, {"f64", 'f', 64},
};

/* What holds when the first is less, the same, more, or one of the two is no number. */
typedef struct comparison {
    const char *name;
    bool less, same, more, neither;
    const char *kinds;
} comparison;
static const comparison comparisons[] = {
    {"eq", false, true, false, false, "usbhof"}, {"ne", true, false, true, false, "usbhof"},
    {"lt", true, false, false, false, "ushof"},  {"le", true, true, false, false, "ushof"},
    {"gt", false, false, true, false, "ushof"},  {"ge", false, true, true, false, "ushof"},
    {"lo", true, false, false, false, "u"},      {"ls", true, true, false, false, "u"},
    {"hi", false, false, true, false, "u"},      {"hs", false, true, true, false, "u"},
    {"equ", false, true, false, true, "hof"},    {"neu", true, false, true, true, "hof"},
    {"ltu", true, false, false, true, "hof"},    {"leu", true, true, false, true, "hof"},
    {"gtu", false, false, true, true, "hof"},    {"geu", false, true, true, true, "hof"},
    {"num", true, true, true, false, "hof"},     {"nan", false, false, false, true, "hof"},
};

static real number_in(const type *t, uint64_t bits) {
    const uint32_t shift = 64 - t->bits;
    float single;
    double wide;
    _Float16 half;
    const uint32_t low = (uint32_t)(t->kind == 'o' ? bits << 16 : bits);
    memcpy(&single, &low, 4), memcpy(&wide, &bits, 8), memcpy(&half, &bits, 2);
    real x = t->kind == 's'   ? (real)((int64_t)(bits << shift) >> shift)
             : t->kind == 'h' ? (real)half
             : t->kind == 'o' ? (real)single
             : t->kind == 'f' ? (t->bits == 64 ? (real)wide : (real)single)
                              : (real)(bits << shift >> shift);
    const real normal = t->kind == 'h' ? 0x1p-14L : 0x1p-126L;
    return t->flushes && fabsl(x) < normal ? 0 : x;
}

/* ---- one of them -------------------------------------------------------------------------------- */

typedef struct compared {
    const comparison *by;
    const type *type;
} compared;

static uint64_t w_compared(const numbers *n) {
    const compared *c = n->of;
    const real a = number_in(c->type, n->a), b = number_in(c->type, n->b);
    const bool is = isnan(a) || isnan(b) ? c->by->neither
                    : a < b              ? c->by->less
                    : a > b              ? c->by->more
                                         : c->by->same;
    const bool u = n->z & 1, bits[] = {is,      !is,        is && u, !is && u, is || !u, !is || !u,
                                       is != u, (!is) != u, is,      is && u,  is || u};
    uint64_t w = 0;
    for (uint32_t i = 0; i < 8 + (c->type->bits > 16 ? 3u : 0); i++)
        w |= (uint64_t)bits[i] << i;
    return w;
}

/* Adds predicates or numbers to %w, from bit `at` on. */
static const char *pair_of(hd_arena *arena, const char *words, const char *operands, uint32_t at) {
    return hd_format(arena,
                     "%s %%p|%%q, %s; selp.u32 %%t2, %u, 0, %%p; selp.u32 %%t3, %u, 0, %%q;"
                     "or.b32 %%w, %%w, %%t2; or.b32 %%w, %%w, %%t3;\n",
                     words, operands, 1u << at, 2u << at);
}

static const char *body_of(hd_arena *arena, const compared *c) {
    const char *by = c->by->name, *of = c->type->name;
    const uint32_t bits = c->type->bits;
    const bool is_real = c->type->kind == 'f';
    const char *ab = bits == 16   ? "%k0, %k1"
                     : bits == 32 ? (is_real ? "%f, %g" : "%x, %y")
                                  : (is_real ? "%da, %db" : "%a, %b");
    const char *text =
        hd_format(arena,
                  "cvt.u16.u32 %%k0, %%x; cvt.u16.u32 %%k1, %%y; and.b32 %%t1, %%z, 1;\n"
                  "setp.ne.u32 %%u, %%t1, 0; mov.u32 %%w, 0;\n%s%s%s%s",
                  pair_of(arena, hd_format(arena, "setp.%s.%s", by, of), ab, 0),
                  pair_of(arena, hd_format(arena, "setp.%s.and.%s", by, of),
                          hd_format(arena, "%s, %%u", ab), 2),
                  pair_of(arena, hd_format(arena, "setp.%s.or.%s", by, of),
                          hd_format(arena, "%s, !%%u", ab), 4),
                  pair_of(arena, hd_format(arena, "setp.%s.xor.%s", by, of),
                          hd_format(arena, "%s, %%u", ab), 6));
    if (bits == 16)
        return text;
    const char *flush = strchr(of, '.') ? ".ftz" : "", *last = strrchr(of, '.');
    last = last ? last + 1 : of;
    return hd_format(
        arena,
        "%sset.%s%s.u32.%s %%t2, %s; and.b32 %%t2, %%t2, 256; or.b32 %%w, %%w, %%t2;\n"
        "set.%s.and%s.s32.%s %%t2, %s, %%u; and.b32 %%t2, %%t2, 512; or.b32 %%w, %%w, %%t2;\n"
        "set.%s.or%s.f32.%s %%s0, %s, %%u; mov.b32 %%t2, %%s0; setp.eq.u32 %%p, %%t2, "
        "0x3f800000; selp.u32 %%t2, 1024, 0, %%p; or.b32 %%w, %%w, %%t2;\n",
        text, by, flush, last, ab, by, flush, last, ab, by, flush, last, ab);
}

/* Many are the same, next to each other, of other signs, or no numbers. */
static void make_operands(const type *t, uint64_t *in) {
    uint64_t seed = t->bits;
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint64_t a = number_of(i, &seed), random = hd_next_random(&seed);
        const uint64_t sign = UINT64_C(1) << (t->bits - 1);
        in[i * NUMBERS] = t->kind == 'h' && i % 4 == 1 ? random & 0x83ff : a;
        in[i * NUMBERS + 1] = i % 8 < 2   ? in[i * NUMBERS]
                              : i % 8 < 3 ? in[i * NUMBERS] ^ sign
                              : i % 8 < 4 ? in[i * NUMBERS] + 1
                              : i % 8 < 5 ? 0
                                          : number_of(i, &seed);
        in[i * NUMBERS + 2] = random >> 32;
    }
}

static void comparisons_of_all_types(void **state) {
    (void)state;
    size_t wrong = 0, count = 0;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        uint64_t in[THREADS * NUMBERS], out[THREADS];
        make_operands(&types[t], in);
        for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++) {
            if (!strchr(comparisons[k].kinds, types[t].kind))
                continue;
            hd_arena *arena = hd_arena_new();
            const compared c = {&comparisons[k], &types[t]};
            const row r = {body_of(arena, &c), w_compared, &c};
            count++;
            if (try_text(say, (void *)(uintptr_t)r.body, text_of(arena, r.body), in, out) ||
                !is_as_wanted(&r, in, out))
                wrong++;
            hd_arena_free(arena);
        }
    }
    if (wrong)
        fail_msg("%zu of %zu are wrong", wrong, count);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(comparisons_of_all_types)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
