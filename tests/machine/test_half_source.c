/*
 * Conversions to half as OpenCL C names them, of scalars and vectors and in vstore_half, against
 * a search among all halves.
 */
#include "machine.h"

#include <math.h>

enum { COUNT = 256, MOST = 65504 };

static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return z ^ z >> 31;
}

/* ---- the search ------------------------------------------------------------------- */

static double half_of_bits(uint16_t bits) {
    _Float16 value;
    memcpy(&value, &bits, 2);
    return (double)value;
}

/* The greatest half whose size is not above that of x, and the least one that is not below;
 * infinity has the bits behind the greatest. */
static void neighbours(long double x, uint16_t *below, uint16_t *above) {
    long double size = fabsl(x);
    *below = 0;
    while (*below < 0x7bff && half_of_bits((uint16_t)(*below + 1)) <= size)
        ++*below;
    *above = (uint16_t)(*below + (half_of_bits(*below) < size));
}

/* To the nearest: infinity takes part as if the format went on. */
static bool is_nearer_above(long double size, uint16_t below, uint16_t above) {
    long double low = half_of_bits(below), high = below == 0x7bff ? 65536 : half_of_bits(above);
    long double middle = (low + high) / 2;
    return size > middle || (size == middle && below % 2);
}

/* `way`: 'e', 'z', 'p' or 'n', the last letter of rte, rtz, rtp and rtn. */
static uint16_t rounded(long double x, uint16_t below, uint16_t above, char way) {
    bool up = way == 'e'   ? is_nearer_above(fabsl(x), below, above)
              : way == 'p' ? !signbit(x)
              : way == 'n' ? signbit(x)
                           : false;
    return (uint16_t)((up ? above : below) | (signbit(x) ? 0x8000 : 0));
}

/* ---- operands --------------------------------------------------------------------- */

typedef struct source_type {
    const char *name;
    int bits;
    bool is_signed, is_real;
} source_type;

/* What the bits of a number are in this type. */
static long double number_of(const source_type *t, uint64_t bits) {
    float single;
    double real;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, 4);
    memcpy(&real, &bits, 8);
    if (t->is_real)
        return t->bits == 32 ? (long double)single : (long double)real;
    uint64_t cut = t->bits == 64 ? bits : bits & ((UINT64_C(1) << t->bits) - 1);
    if (t->is_signed && cut >> (t->bits - 1) & 1)
        return -(long double)(t->bits == 64 ? 0 - cut : (UINT64_C(1) << t->bits) - cut);
    return cut;
}

static uint64_t bits_of(const source_type *t, long double x) {
    float single = (float)x;
    double real = (double)x;
    uint64_t bits = 0;
    if (!t->is_real)
        return x < 0 ? 0 - (uint64_t)-x : (uint64_t)x;
    if (t->bits == 32)
        memcpy(&bits, &single, 4);
    else
        memcpy(&bits, &real, 8);
    return bits;
}

/* Halves, the middles between them and what is next to these; the ends of the range. */
static uint64_t operand(const source_type *t, uint32_t i, uint64_t *state) {
    uint64_t random = random_bits(state);
    if (i % 4 == 0 && !t->is_real)
        return random >> random % 64;
    if (i % 16 == 1)
        return bits_of(t, (long double)MOST + random % 64);
    double low = half_of_bits((uint16_t)(random % 0x7bff));
    double high = half_of_bits((uint16_t)(random % 0x7bff + 1));
    long double x = i % 4 == 1 ? low : i % 4 == 2 ? ((long double)low + high) / 2 : low * 1.0003L;
    bool negative = random >> 40 & 1 && (t->is_signed || t->is_real);
    return bits_of(t, negative ? -x : x);
}

/* ---- kernels ---------------------------------------------------------------------- */

static const char *const ways[] = {"rte", "rtz", "rtp", "rtn"};
enum { WAYS = 4, FORMS = 3 }; /* scalar, vector, vstore_half */

static char *kernel_of(hd_arena *arena, const source_type *t) {
    hd_str s = {.arena = arena};
    hd_str_printf(&s, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                      "__kernel void k(__global const int *in, __global int *out) {\n"
                      "  int i = get_global_id(0), n = get_global_size(0);\n"
                      "  ulong bits = (ulong)(uint)in[2 * i + 1] << 32 | (uint)in[2 * i];\n");
    if (t->is_real)
        hd_str_printf(&s, "  %s x = as_%s((%s)bits);\n", t->name, t->name,
                      t->bits == 32 ? "uint" : "ulong");
    else
        hd_str_printf(&s, "  %s x = (%s)bits;\n", t->name, t->name);
    for (uint32_t w = 0; w < WAYS; w++) {
        hd_str_printf(&s, "  out[%u * n + i] = as_ushort(convert_half_%s(x));\n", w * FORMS,
                      ways[w]);
        hd_str_printf(&s, "  out[%u * n + i] = as_ushort(convert_half2_%s((%s2)(0, x)).y);\n",
                      w * FORMS + 1, ways[w], t->name);
        if (t->is_real)
            hd_str_printf(&s,
                          "  { half h[3]; vstore_half_%s(x, 1, h); out[%u * n + i] = "
                          "as_ushort(h[1]); }\n",
                          ways[w], w * FORMS + 2);
    }
    hd_str_add(&s, "}\n");
    return s.data;
}

/* Of number i, what all forms of all conversions gave. */
static void check_number(const source_type *t, long double x, const int32_t *out, uint32_t i) {
    uint16_t below, above;
    neighbours(x, &below, &above);
    for (uint32_t w = 0; w < WAYS; w++)
        for (uint32_t form = 0; form < (t->is_real ? FORMS : FORMS - 1u); form++) {
            uint16_t want = rounded(x, below, above, ways[w][2]);
            int got = out[(w * FORMS + form) * COUNT + i];
            if (got != want)
                fail_msg("%s of %s %La, form %u: 0x%04x, should be 0x%04x", ways[w], t->name, x,
                         form, got, want);
        }
}

static void check_type(const source_type *t) {
    static uint64_t in[COUNT];
    hd_arena *arena = hd_arena_new();
    uint64_t state = (uint64_t)t->bits + (uint64_t)t->is_signed;
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = operand(t, i, &state);
    const machine_buffer buffers[] = {{"in", 2 * COUNT, in}, {"out", WAYS * FORMS * COUNT, NULL}};
    machine k;
    machine_run(&k, kernel_of(arena, t), buffers, 2, COUNT, 64);
    if (k.status)
        fail_msg("%s", hd_str_text(&k.messages));
    for (uint32_t i = 0; i < COUNT; i++)
        check_number(t, number_of(t, in[i]), machine_ints(&k, 1), i);
    machine_close(&k);
    hd_arena_free(arena);
}

static void conversions_to_half_round_as_they_say(void **state) {
    static const source_type types[] = {{"char", 8, true, false},   {"uchar", 8, false, false},
                                        {"short", 16, true, false}, {"ushort", 16, false, false},
                                        {"int", 32, true, false},   {"uint", 32, false, false},
                                        {"long", 64, true, false},  {"ulong", 64, false, false},
                                        {"float", 32, true, true},  {"double", 64, true, true}};
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        check_type(&types[t]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(conversions_to_half_round_as_they_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
