/*
 * PTX's instructions on bits and bytes by their names in kir, against PTX ISA's descriptions taken
 * bit by bit.
 */
#include "kir_calls.h"

#include "oracle/bits.h"

enum { COUNT = 1536 };

typedef struct operands {
    uint64_t x[CALL_ARGS];
} operands;

typedef uint64_t oracle(const operands *o);

typedef struct function {
    kir_call call;
    oracle *oracle;
} function;

/* ---- oracles ---------------------------------------------------------------------- */

#define OF(name, ...)                         \
    static uint64_t name(const operands *o) { \
        const uint64_t *x = o->x;             \
        return (uint64_t)(__VA_ARGS__);       \
    }
OF(extract_s32, oracle_extract(x[0], x[1], x[2], 32, true))
OF(extract_u32, oracle_extract(x[0], x[1], x[2], 32, false))
OF(extract_s64, oracle_extract(x[0], x[1], x[2], 64, true))
OF(extract_u64, oracle_extract(x[0], x[1], x[2], 64, false))
OF(insert_32, oracle_insert(x[0], x[1], x[2], x[3], 32))
OF(insert_64, oracle_insert(x[0], x[1], x[2], x[3], 64))
OF(find_s32, oracle_find(x[0], 32, true))
OF(find_u32, oracle_find(x[0], 32, false))
OF(find_s64, oracle_find(x[0], 64, true))
OF(find_u64, oracle_find(x[0], 64, false))
OF(nth, oracle_nth((uint32_t)x[0], (int32_t)x[1], (int32_t)x[2]))
#define WORDS (uint32_t)x[0], (uint32_t)x[1], (uint32_t)x[2]
#define DOTS(letters, s, t)                              \
    OF(dp4a_##letters, oracle_dot(WORDS, 4, 0, s, t))    \
    OF(dp2a_lo_##letters, oracle_dot(WORDS, 2, 0, s, t)) \
    OF(dp2a_hi_##letters, oracle_dot(WORDS, 2, 2, s, t))
DOTS(ss, true, true)
DOTS(su, true, false)
DOTS(us, false, true)
DOTS(uu, false, false)
OF(prmt, oracle_permute(WORDS))
#define MODE(name, letter)                                                                  \
    OF(name, oracle_permute((uint32_t)x[0], (uint32_t)x[1], oracle_mode(letter, x[2] & 3)))
MODE(prmt_f4e, 'f')
MODE(prmt_b4e, 'b')
MODE(prmt_rc8, '8')
MODE(prmt_ecl, 'l')
MODE(prmt_ecr, 'r')
MODE(prmt_rc16, '6')

#define WORD "i32"
#define LONG "i64"
#define OF_THREE(name) {{#name, WORD, {WORD, WORD, WORD}}, name}
#define ALL_DOTS(letters)                                                              \
    OF_THREE(dp4a_##letters), OF_THREE(dp2a_lo_##letters), OF_THREE(dp2a_hi_##letters)
static const function functions[] = {
    {{"bitfield_extract", WORD, {WORD, WORD, WORD}}, extract_s32},
    {{"u_bitfield_extract", WORD, {WORD, WORD, WORD}}, extract_u32},
    {{"bitfield_extract", LONG, {LONG, WORD, WORD}}, extract_s64},
    {{"u_bitfield_extract", LONG, {LONG, WORD, WORD}}, extract_u64},
    {{"bitfield_insert", WORD, {WORD, WORD, WORD, WORD}}, insert_32},
    {{"bitfield_insert", LONG, {LONG, LONG, WORD, WORD}}, insert_64},
    {{"find_msb", WORD, {WORD}}, find_s32},
    {{"u_find_msb", WORD, {WORD}}, find_u32},
    {{"find_msb", WORD, {LONG}}, find_s64},
    {{"u_find_msb", WORD, {LONG}}, find_u64},
    {{"find_nth_set", WORD, {WORD, WORD, WORD}}, nth},
    ALL_DOTS(ss),
    ALL_DOTS(su),
    ALL_DOTS(us),
    ALL_DOTS(uu),
    OF_THREE(prmt),
    OF_THREE(prmt_f4e),
    OF_THREE(prmt_b4e),
    OF_THREE(prmt_rc8),
    OF_THREE(prmt_ecl),
    OF_THREE(prmt_ecr),
    OF_THREE(prmt_rc16),
};

/* ---- comparing -------------------------------------------------------------------- */

/* Most positions and lengths are small numbers, some are beyond the value or below 0. */
static uint64_t operand(const function *f, uint32_t n, uint64_t *seed, uint32_t i) {
    bool is_place = strstr(f->call.name, "field") && n + 2 >= call_arity(&f->call);
    is_place |= f->oracle == nth && n > 0;
    uint64_t x = call_random(seed);
    if (is_place && i % 8)
        return x % (f->oracle == nth ? 36 : 72) - (f->oracle == nth && n == 2 ? 18 : 0);
    return call_integer(seed, (uint32_t)x);
}

static void check(const function *f, call_way way, uint32_t count) {
    static uint64_t in[CALL_ARGS][COUNT], out[COUNT];
    const void *const pointers[CALL_ARGS] = {in[0], in[1], in[2], in[3]};
    uint64_t seed = (uint64_t)(f - functions);
    uint32_t arity = call_arity(&f->call), bytes = call_bytes(f->call.result);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < arity; n++)
            call_put(in[n], call_bytes(f->call.args[n]), i, operand(f, n, &seed, i));
    call_run(&f->call, way, count, pointers, out);
    for (uint32_t i = 0; i < count; i++) {
        operands o = {{0}};
        for (uint32_t n = 0; n < arity; n++)
            o.x[n] = call_bits(in[n], call_bytes(f->call.args[n]), i);
        uint64_t want = call_is_skipped(way, i) ? 0 : f->oracle(&o);
        want &= UINT64_MAX >> (64 - 8 * bytes);
        if (call_bits(out, bytes, i) != want)
            fail_msg("%s (%s) of 0x%llx, 0x%llx, 0x%llx, 0x%llx: 0x%llx, should be 0x%llx",
                     f->call.name, f->call.args[0], (unsigned long long)o.x[0],
                     (unsigned long long)o.x[1], (unsigned long long)o.x[2],
                     (unsigned long long)o.x[3], (unsigned long long)call_bits(out, bytes, i),
                     (unsigned long long)want);
    }
}

static void bits_and_bytes(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        check(&functions[f], CALL_BY_ALL, COUNT);
        check(&functions[f], CALL_BY_SOME, 4 * CALL_LANES);
        check(&functions[f], CALL_UNIFORM, CALL_LANES);
    }
}

/* PTX ISA's table of modes, and a few results that one can see. */
static void known_results(void **state) {
    (void)state;
    assert_int_equal(oracle_mode('f', 2), 0x5432);
    assert_int_equal(oracle_mode('b', 1), 0x6701);
    assert_int_equal(oracle_mode('8', 3), 0x3333);
    assert_int_equal(oracle_mode('l', 1), 0x3211);
    assert_int_equal(oracle_mode('r', 2), 0x2210);
    assert_int_equal(oracle_mode('6', 1), 0x3232);
    assert_int_equal((uint32_t)oracle_extract(0xf0, 4, 4, 32, true), 0xffffffff);
    assert_int_equal(oracle_permute(0x00008000, 0x44332211, 0x9417), 0xff110044 | 0x8000);
    assert_int_equal(oracle_find(0xffffff00, 32, true), 7);
    assert_int_equal(oracle_nth(0xf0, 0, 2), 5);
    assert_int_equal(oracle_nth(0xf0, 6, -2), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_and_bytes),
                                       cmocka_unit_test(known_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
