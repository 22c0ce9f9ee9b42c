/*
 * PTX's ways to memory that no other test has: ldu, red, atomic sums of floats, fences, and the
 * hints, which change nothing (ptx_rows.h says how a row is run).
 */
#include "ptx_rows.h"

#include "oracle/floats.h"

/* ---- loads ---------------------------------------------------------------------------------- */

WANT(d_first, n->a)
WANT(d_third, n->c)
WANT(w_cell, 77)
WANT(w_swapped, 77 << 16)

static void uniform_loads(void **state) {
    (void)state;
    static const row rows[] = {
        {"ldu.global.u64 %d, [%in];", d_first},
        {"ldu.global.f64 %e0, [%in+16]; mov.b64 %d, %e0;", d_third},
        {"ldu.global.u32 %w, [cell];", w_cell},
        {"mov.u64 %l0, cell; ldu.global.f32 %s0, [%l0]; mov.b32 %w, %s0;", w_cell},
        {"ldu.global.s8 %t1, [cell]; cvt.s32.s8 %w, %t1;", w_cell},
        {"ldu.global.v2.u16 {%k0, %k1}, [cell]; mov.b32 %w, {%k1, %k0};", w_swapped},
    };
    CHECK(rows);
}

/* ---- reductions in memory ------------------------------------------------------------------- */

typedef struct reduction {
    const char *how;
    bool is_signed;
    uint64_t start;
} reduction;

/* `size` masks the number. */
static uint64_t reduced(const reduction *r, uint64_t old, uint64_t by, uint64_t size) {
    const uint64_t sign = size / 2 + 1;
    const uint64_t flip = r->is_signed ? sign : 0;
    const bool is_less = (old ^ flip) < (by ^ flip);
    return !strcmp(r->how, "add")   ? (old + by) & size
           : !strcmp(r->how, "and") ? old & by
           : !strcmp(r->how, "or")  ? old | by
           : !strcmp(r->how, "xor") ? old ^ by
           : !strcmp(r->how, "inc") ? (old >= by ? 0 : old + 1)
           : !strcmp(r->how, "dec") ? (old == 0 || old > by ? by : old - 1)
           : !strcmp(r->how, "min") ? (is_less ? old : by)
                                    : (is_less ? by : old);
}

/* Of all threads' numbers, onto the start. */
static uint64_t w_reduced(const numbers *n) {
    const reduction *r = n->of;
    uint64_t result = r->start;
    for (uint32_t t = 0; t < THREADS; t++)
        result = reduced(r, result, (uint32_t)n->all[t * NUMBERS], UINT32_MAX);
    return result;
}
static uint64_t d_reduced(const numbers *n) {
    const reduction *r = n->of;
    uint64_t result = r->start;
    for (uint32_t t = 0; t < THREADS; t++)
        result = reduced(r, result, n->all[t * NUMBERS], UINT64_MAX);
    return result;
}
/* of 40 */
static uint64_t w_counted(const numbers *n) {
    const reduction *r = n->of;
    uint64_t result = r->start;
    for (uint32_t t = 0; t < THREADS; t++)
        result = reduced(r, result, 40, UINT32_MAX);
    return result;
}
#define RED(expected, ...)                       \
    expected, &(const reduction) { __VA_ARGS__ }
/* On a variable of the module, which is 77; and on shared memory. */
#define IN_CELL(text) text " bar.sync 0; ld.global.u32 %w, [cell];"
#define IN_TILE(text)                                                                           \
    "st.shared.u64 [tile+8], 123; bar.sync 0; " text " bar.sync 0; ld.shared.u64 %d, [tile+8];"

static void reductions(void **state) {
    (void)state;
    const row rows[] = {
        {IN_CELL("red.global.add.u32 [cell], %x;"), RED(w_reduced, "add", false, 77)},
        {IN_CELL("red.relaxed.gpu.global.add.s32 [cell], %x;"), RED(w_reduced, "add", true, 77)},
        {IN_CELL("red.global.and.b32 [cell], %x;"), RED(w_reduced, "and", false, 77)},
        {IN_CELL("red.global.or.b32 [cell], %x;"), RED(w_reduced, "or", false, 77)},
        {IN_CELL("red.global.xor.b32 [cell], %x;"), RED(w_reduced, "xor", false, 77)},
        {IN_CELL("red.global.min.u32 [cell], %x;"), RED(w_reduced, "min", false, 77)},
        {IN_CELL("red.global.max.u32 [cell], %x;"), RED(w_reduced, "max", false, 77)},
        {IN_CELL("red.global.min.s32 [cell], %x;"), RED(w_reduced, "min", true, 77)},
        {IN_CELL("red.global.max.s32 [cell], %x;"), RED(w_reduced, "max", true, 77)},
        {IN_CELL("red.global.inc.u32 [cell], 40;"), RED(w_counted, "inc", false, 77)},
        {IN_CELL("red.global.dec.u32 [cell], 40;"), RED(w_counted, "dec", false, 77)},
        {IN_TILE("red.shared.add.u64 [tile+8], %a;"), RED(d_reduced, "add", false, 123)},
        {IN_TILE("red.shared.and.b64 [tile+8], %a;"), RED(d_reduced, "and", false, 123)},
        {IN_TILE("red.shared.or.b64 [tile+8], %a;"), RED(d_reduced, "or", false, 123)},
        {IN_TILE("red.shared.xor.b64 [tile+8], %a;"), RED(d_reduced, "xor", false, 123)},
        {IN_TILE("red.shared.min.u64 [tile+8], %a;"), RED(d_reduced, "min", false, 123)},
        {IN_TILE("red.shared.max.s64 [tile+8], %a;"), RED(d_reduced, "max", true, 123)},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 11;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) /* one bit is missing, or there alone */
        in[i] = UINT64_C(0x100000001) << hd_next_random(&seed) % 32;
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++)
        in[i] = i / NUMBERS == 21 ? ~UINT64_C(0x4000000040) : UINT64_MAX;
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

/* ---- atomics ----------------------------------------------------------------------------------- */

/* Each thread has a word of its own, %b or %y, onto which it does something with %a or %x: what was
 * there, and what is. */
static uint64_t d_atomic(const numbers *n) {
    const reduction *r = n->of;
    return n->y | reduced(r, n->y, n->x, UINT32_MAX) << 32;
}
static uint64_t d_wide_is(const numbers *n) { return reduced(n->of, n->b, n->a, UINT64_MAX); }
WANT(d_wide_was, n->b)
WANT(d_exchanged, (uint64_t)n->x << 32 | n->y)
WANT(d_wide_exchanged, n->a)
WANT(d_compared, (uint64_t)(n->y == n->z ? n->x : n->y) << 32 | n->y)
WANT(d_wide_compared, n->b == n->c ? n->a : n->b)
WANT(w_half_compared,
     ((n->y & 0xffff) == (n->z & 0xffff) ? n->x & 0xffff : n->y & 0xffff) << 16 | (n->y & 0xffff))

#define SLOT "mov.u64 %l0, tile; cvta.shared.u64 %l0, %l0; mad.wide.u32 %l0, %t0, 8, %l0;"
#define NARROW(text) SLOT "st.u32 [%l0], %y;" text " ld.u32 %t2, [%l0]; mov.b64 %d, {%t1, %t2};"
#define WIDE_IS(text) SLOT "st.u64 [%l0], %b;" text " ld.u64 %d, [%l0];"
#define WIDE_WAS(text) SLOT "st.u64 [%l0], %b;" text " mov.u64 %d, %l1;"
#define OF(how, ...)                                  \
    d_atomic, &(const reduction) { how, __VA_ARGS__ }
#define WIDE(how, ...)                                 \
    d_wide_is, &(const reduction) { how, __VA_ARGS__ }

static void atomics(void **state) {
    (void)state;
    const row rows[] = {
        {NARROW("atom.add.u32 %t1, [%l0], %x;"), OF("add", false)},
        {NARROW("atom.acq_rel.cta.add.s32 %t1, [%l0], %x;"), OF("add", true)},
        {NARROW("atom.and.b32 %t1, [%l0], %x;"), OF("and", false)},
        {NARROW("atom.or.b32 %t1, [%l0], %x;"), OF("or", false)},
        {NARROW("atom.xor.b32 %t1, [%l0], %x;"), OF("xor", false)},
        {NARROW("atom.min.u32 %t1, [%l0], %x;"), OF("min", false)},
        {NARROW("atom.max.u32 %t1, [%l0], %x;"), OF("max", false)},
        {NARROW("atom.min.s32 %t1, [%l0], %x;"), OF("min", true)},
        {NARROW("atom.max.s32 %t1, [%l0], %x;"), OF("max", true)},
        {NARROW("atom.inc.u32 %t1, [%l0], %x;"), OF("inc", false)},
        {NARROW("atom.dec.u32 %t1, [%l0], %x;"), OF("dec", false)},
        {NARROW("atom.exch.b32 %t1, [%l0], %x;"), d_exchanged},
        {NARROW("atom.cas.b32 %t1, [%l0], %z, %x;"), d_compared},
        {WIDE_IS("atom.add.u64 %l1, [%l0], %a;"), WIDE("add", false)},
        {WIDE_IS("atom.and.b64 %l1, [%l0], %a;"), WIDE("and", false)},
        {WIDE_IS("atom.or.b64 %l1, [%l0], %a;"), WIDE("or", false)},
        {WIDE_IS("atom.xor.b64 %l1, [%l0], %a;"), WIDE("xor", false)},
        {WIDE_IS("atom.min.u64 %l1, [%l0], %a;"), WIDE("min", false)},
        {WIDE_IS("atom.max.u64 %l1, [%l0], %a;"), WIDE("max", false)},
        {WIDE_IS("atom.min.s64 %l1, [%l0], %a;"), WIDE("min", true)},
        {WIDE_IS("atom.max.s64 %l1, [%l0], %a;"), WIDE("max", true)},
        {WIDE_IS("atom.exch.b64 %l1, [%l0], %a;"), d_wide_exchanged},
        {WIDE_IS("atom.cas.b64 %l1, [%l0], %c, %a;"), d_wide_compared},
        {WIDE_WAS("atom.add.u64 %l1, [%l0], %a;"), d_wide_was},
        {WIDE_WAS("atom.exch.b64 %l1, [%l0], %a;"), d_wide_was},
        {WIDE_WAS("atom.cas.b64 %l1, [%l0], %c, %a;"), d_wide_was},
        {SLOT "cvt.u16.u32 %k1, %y; cvt.u16.u32 %k2, %z; cvt.u16.u32 %k3, %x; st.u16 [%l0], %k1;"
              "atom.cas.b16 %k4, [%l0], %k2, %k3; ld.u16 %k5, [%l0]; mov.b32 %w, {%k4, %k5};",
         w_half_compared},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 13;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) /* few numbers, so that many are the same */
        in[i] = (uint64_t)((int64_t)(hd_next_random(&seed) % 4) - 2);
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

/* ---- sums of floats --------------------------------------------------------------------------- */

/* Threads add in their order; each has what there was before. */
static float single_before(const numbers *n, uint32_t count) {
    float sum = 0;
    for (uint32_t t = 0; t < count; t++)
        sum += numbers_of(n->all + t * NUMBERS, t).f;
    return sum;
}
static double double_before(const numbers *n, uint32_t count) {
    double sum = 0;
    for (uint32_t t = 0; t < count; t++)
        sum += numbers_of(n->all + t * NUMBERS, t).da;
    return sum;
}
WANT(f_before, of_float(single_before(n, n->thread)))
WANT(f_sum, of_float(single_before(n, THREADS)))
WANT(d_before, of_double(double_before(n, n->thread)))
WANT(d_sum, of_double(double_before(n, THREADS)))
#define ZERO "st.shared.u64 [tile+8], 0; st.global.u32 [cell], 0; bar.sync 0;"
#define SINGLE " bar.sync 0; ld.shared.f32 %s0, [tile+8];"
#define CELL " bar.sync 0; ld.global.f32 %s0, [cell];"
#define TWICE " bar.sync 0; ld.shared.f64 %e0, [tile+8];"

static void sums_of_floats(void **state) {
    (void)state;
    static const row rows[] = {
        {FLOAT(ZERO "atom.shared.add.f32 %s0, [tile+8], %f;"), f_before},
        {FLOAT(ZERO "atom.shared.add.f32 %s1, [tile+8], %f;" SINGLE), f_sum},
        {FLOAT(ZERO "atom.global.add.f32 %s0, [cell], %f;"), f_before},
        {FLOAT(ZERO "red.shared.add.f32 [tile+8], %f;" SINGLE), f_sum},
        {FLOAT(ZERO "red.global.add.f32 [cell], %f;" CELL), f_sum},
        {DOUBLE(ZERO "atom.shared.add.f64 %e0, [tile+8], %da;"), d_before},
        {DOUBLE(ZERO "red.shared.add.f64 [tile+8], %da;" TWICE), d_sum},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 12;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) /* of like sizes: each order has its own sum */
        in[i] = (hd_next_random(&seed) & 0x803fffff81ffffff) + 0x3fd000003e800000;
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

/* ---- sums of short floats and of vectors -------------------------------------------------------- */

/* Whole numbers of one digit more than the type has, as sums of two of it. */
static uint32_t short_of(const float_type *t, uint32_t number) {
    return (uint32_t)bits_of_float(t, rounded(t, number, 'n'));
}
static uint32_t short_sum(const float_type *t, uint32_t a, uint32_t b) {
    const uint32_t all = (1u << t->digits) - 1;
    return short_of(t, (a & all) + (b & all));
}
static uint32_t short_pair(const float_type *t, const numbers *n) {
    return short_sum(t, n->x, n->y) | short_sum(t, n->y, n->z) << 16;
}
WANT(w_half_sum, short_sum(&floats[F16], n->x, n->y))
WANT(w_bf16_sum, short_sum(&floats[BF16], n->x, n->y))
WANT(w_half_pair, short_pair(&floats[F16], n))
WANT(w_bf16_pair, short_pair(&floats[BF16], n))

/* All threads' lowest three bits, one element of the vector each. */
static uint32_t sum_of_bits(const numbers *n, uint32_t element) {
    uint32_t sum = 0;
    for (uint32_t t = 0; t < THREADS; t++)
        sum += (uint32_t)n->all[t * NUMBERS + element] & 7;
    return sum;
}
static uint32_t single_bits(uint32_t number) { return (uint32_t)of_float((float)number); }
WANT(d_vector_sum, single_bits(sum_of_bits(n, 0)) | (uint64_t)single_bits(sum_of_bits(n, 1)) << 32)
WANT(d_half_vector_sum, short_of(&floats[F16], sum_of_bits(n, 0)) |
                            short_of(&floats[F16], sum_of_bits(n, 1)) << 16 |
                            (uint64_t)short_of(&floats[F16], sum_of_bits(n, 2)) << 32)

/* %k0, %k1, %k2: the low digits of %x, %y and %z as shorts; %t1 and %t2: two pairs of them. */
#define SHORTS(mask, type)                                                                  \
    SLOT "and.b32 %t1, %x, " mask "; and.b32 %t2, %y, " mask "; and.b32 %t3, %z, " mask ";" \
         "cvt.rn." type ".u32 %k0, %t1; cvt.rn." type ".u32 %k1, %t2; cvt.rn." type         \
         ".u32 %k2, %t3; mov.b32 %t1, {%k0, %k1}; mov.b32 %t2, {%k1, %k2};"
#define ONE_SHORT(text) "st.b16 [%l0], %k0;" text " ld.u16 %w, [%l0];"
#define TWO_SHORTS(text) "st.b32 [%l0], %t1;" text " ld.u32 %w, [%l0];"
/* %s1, %s2: the lowest three bits of %x and %y as floats; the words of `holder` begin as zeros. */
#define ON_HOLDER(text)                                                              \
    "st.global.u64 [holder], 0; bar.sync 0; and.b32 %t1, %x, 7; and.b32 %t2, %y, 7;" \
    "cvt.rn.f32.u32 %s1, %t1; cvt.rn.f32.u32 %s2, %t2; " text                        \
    " bar.sync 0; ld.global.u64 %d, [holder];"

static void sums_of_short_floats(void **state) {
    (void)state;
    static const row rows[] = {
        {SHORTS("2047", "f16") ONE_SHORT("atom.add.noftz.f16 %k3, [%l0], %k1;"), w_half_sum},
        {SHORTS("255", "bf16") ONE_SHORT("atom.add.noftz.bf16 %k3, [%l0], %k1;"), w_bf16_sum},
        {SHORTS("2047", "f16") TWO_SHORTS("atom.add.noftz.f16x2 %t3, [%l0], %t2;"), w_half_pair},
        {SHORTS("255", "bf16") TWO_SHORTS("atom.add.noftz.bf16x2 %t3, [%l0], %t2;"), w_bf16_pair},
        {SHORTS("2047", "f16") ONE_SHORT("red.add.noftz.f16 [%l0], %k1;"), w_half_sum},
        {SHORTS("255", "bf16") TWO_SHORTS("red.add.noftz.bf16x2 [%l0], %t2;"), w_bf16_pair},
        {ON_HOLDER("red.global.add.v2.f32 [holder], {%s1, %s2};"), d_vector_sum},
        {ON_HOLDER("atom.global.add.v2.f32 {%s3, %s4}, [holder], {%s1, %s2};"), d_vector_sum},
        {ON_HOLDER("and.b32 %t3, %z, 7; cvt.rn.f32.u32 %s3, %t3; cvt.rn.f16.f32 %k0, %s1;"
                   "cvt.rn.f16.f32 %k1, %s2; cvt.rn.f16.f32 %k2, %s3; mov.b16 %k3, 0;"
                   "red.global.add.noftz.v4.f16 [holder], {%k0, %k1, %k2, %k3};"),
         d_half_vector_sum},
    };
    CHECK(rows);
}

/* ---- fences ----------------------------------------------------------------------------------- */

WANT(w_neighbour, W(n->all[(n->thread ^ 33) * NUMBERS]))
WANT(w_message, 1234)
/* Each thread leaves a number for one of the other warp. */
#define EXCHANGED(fence)                                                                   \
    "mov.u32 %t1, tile; shl.b32 %t2, %t0, 2; add.u32 %t3, %t1, %t2; st.shared.u32 [%t3], " \
    "%x;" fence                                                                            \
    " bar.sync 0; xor.b32 %t2, %t2, 132; add.u32 %t3, %t1, %t2; ld.shared.u32 %w, [%t3];"
/* The second warp's last thread writes a message, and then that it is there. */
#define SENT(fence)                                                                      \
    "setp.eq.u32 %p, %t0, 0; @%p st.shared.u64 [tile], 0; bar.sync 0; mov.u32 %w, 1234;" \
    "setp.eq.u32 %p, %t0, 63; @!%p bra wait; st.shared.u32 [tile], 1234;" fence          \
    "st.volatile.shared.u32 [tile+4], 1; bra done;"                                      \
    "wait: ld.volatile.shared.u32 %t1, [tile+4]; setp.ne.u32 %u, %t1, 0; @%u bra there;" \
    "nanosleep.u32 20; bra wait; there:" fence "ld.shared.u32 %w, [tile]; done:"

static void fences(void **state) {
    (void)state;
    static const row rows[] = {
        {EXCHANGED("membar.cta;"), w_neighbour},
        {EXCHANGED("membar.gl;"), w_neighbour},
        {EXCHANGED("membar.sys;"), w_neighbour},
        {EXCHANGED("membar.proxy.alias;"), w_neighbour},
        {EXCHANGED("fence.proxy.alias;"), w_neighbour},
        {EXCHANGED("fence.proxy.async;"), w_neighbour},
        {EXCHANGED("fence.proxy.async.shared::cta;"), w_neighbour},
        {EXCHANGED("fence.mbarrier_init.release.cluster;"), w_neighbour},
        {SENT("membar.cta;"), w_message},
        {SENT("membar.gl;"), w_message},
    };
    CHECK(rows);
}

/* ---- bytes of an mbarrier --------------------------------------------------------------------- */

/* The phase ends when its one arrival and the 96 bytes have come: 1 is asked before they have. */
WANT(w_bytes, n->thread ? 0 : 1 | 0 << 1 | 0 << 2 | 1 << 3)
#define ASK(bit)                                                                          \
    "mbarrier.test_wait.parity.shared.b64 %u, [tile+8], 0; selp.u32 %t1, " bit ", 0, %u;" \
    "or.b32 %w, %w, %t1;"

static void expected_bytes(void **state) {
    (void)state;
    static const row rows[] = {
        {"mov.u32 %w, 0; setp.ne.u32 %q, %t0, 0; @%q bra done;"
         "mbarrier.init.shared.b64 [tile+8], 1;"
         "mbarrier.test_wait.parity.shared.b64 %u, [tile+8], 1; selp.u32 %w, 1, 0, %u;"
         "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [tile+8], 96;"
         "mbarrier.arrive.shared.b64 %l1, [tile+8];" ASK("2") "mbarrier.complete_tx.relaxed."
                                                              "cta.shared::cta.b64 [tile+8], "
                                                              "64;" ASK("4") "mbarrier.complete_tx."
                                                                             "relaxed.cta.shared::"
                                                                             "cta.b64 [tile+8], "
                                                                             "32;" ASK("8") "done:",
         w_bytes},
    };
    CHECK(rows);
}

/* ---- hints ------------------------------------------------------------------------------------- */

/* The operands, from registers and once more from memory. */
WANT(d_twice, 2 * (n->a + n->b + n->c) + n->thread)
#define AROUND(hint)                                                                          \
    "add.u64 %d, %a, %b; add.u64 %d, %d, %c; cvt.u64.u32 %l7, %t0; add.u64 %d, %d, %l7;" hint \
    " ld.global.u64 %l1, [%in]; add.u64 %d, %d, %l1; ld.global.u64 %l1, [%in+8];"             \
    " add.u64 %d, %d, %l1; ld.global.u64 %l1, [%in+16]; add.u64 %d, %d, %l1;"
#define POLICY(making)                                                                   \
    AROUND(making " ld.global.L2::cache_hint.u64 %l2, [%in], %l0; sub.u64 %l2, %l2, %a;" \
                  "add.u64 %d, %d, %l2;")

static void hints(void **state) {
    (void)state;
    static const row rows[] = {
        {AROUND("prefetch.global.L1 [%in];"), d_twice},
        {AROUND("prefetch.global.L2 [%in+8];"), d_twice},
        {AROUND("prefetch.global.L2::evict_last [%in];"), d_twice},
        {AROUND("prefetch.L2 [%in];"), d_twice},
        {AROUND("prefetchu.L1 [%in];"), d_twice},
        {AROUND("discard.global.L2 [%in], 128;"), d_twice},
        {AROUND("applypriority.global.L2::evict_normal [%in], 128;"), d_twice},
        {POLICY("createpolicy.fractional.L2::evict_last.b64 %l0, 1.0;"), d_twice},
        {POLICY("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %l0, 0.5;"),
         d_twice},
        {POLICY("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %l0, [%in], 64, "
                "128;"),
         d_twice},
        {POLICY("createpolicy.cvt.L2.b64 %l0, 0x10;"), d_twice},
        {AROUND("brkpt;"), d_twice},
        {AROUND("setp.eq.u32 %p, %t0, 5; @%p brkpt;"), d_twice},
        {AROUND("pmevent 7;"), d_twice},
        {AROUND("pmevent.mask 0x1001;"), d_twice},
        {AROUND("setmaxnreg.inc.sync.aligned.u32 232;"), d_twice},
        {AROUND("setmaxnreg.dec.sync.aligned.u32 40;"), d_twice},
        {AROUND("griddepcontrol.launch_dependents;"), d_twice},
        {AROUND("griddepcontrol.wait;"), d_twice},
    };
    CHECK(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_loads),
        cmocka_unit_test(reductions),
        cmocka_unit_test(atomics),
        cmocka_unit_test(sums_of_floats),
        cmocka_unit_test(sums_of_short_floats),
        cmocka_unit_test(fences),
        cmocka_unit_test(expected_bytes),
        cmocka_unit_test(hints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
