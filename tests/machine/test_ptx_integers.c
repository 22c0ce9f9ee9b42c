/*
 * PTX's integers: chains of carries, what saturates, video instructions, bits and bytes
 * (ptx_rows.h says how a row is run).
 */
#include "ptx_rows.h"

#include "oracle/bits.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* ---- carries ------------------------------------------------------------------------- */

/* {y, x} + {z, y} and {y, x} - {z, y}: what fits in 64 bits, and what is carried out. */
static unsigned_wide pair(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }
static unsigned_wide high_of(unsigned_wide product) { return product >> 64; }

WANT(d_add, (uint64_t)(pair(n->x, n->y) + pair(n->y, n->z)))
WANT(w_add_out, (pair(n->x, n->y) + pair(n->y, n->z)) >> 64)
WANT(d_sub, (uint64_t)(pair(n->x, n->y) - pair(n->y, n->z)))
WANT(w_sub_out, W(pair(n->x, n->y) < pair(n->y, n->z) ? UINT32_MAX : 0))
/* {b, a} + {c, b} with a carry into the upper word, and out of it */
WANT(d_add_wide_out, ((unsigned_wide)n->b + n->c + ((unsigned_wide)n->a + n->b > UINT64_MAX)) >> 64)
WANT(d_sub_wide, n->b - n->c - (n->a < n->b))
WANT(d_sub_wide_out, (unsigned_wide)n->c + (n->a < n->b) > n->b ? UINT64_MAX : 0)
WANT(d_mad_hi, ((uint64_t)n->x * n->y >> 32) + n->z)
WANT(d_mad_hi_s, (uint64_t)W((uint64_t)(L(S(n->x)) * S(n->y)) >> 32) + n->z)
WANT(d_mad_hi_out, (high_of((unsigned_wide)n->a * n->b) + n->c) >> 64)
/* the carry comes from x + x */
WANT(d_madc, (uint64_t)W(n->x * n->y) + n->z + (n->x >> 31))
WANT(w_madc, W(n->x * n->y + n->z + (n->x >> 31)))
WANT(d_madc_hi, ((uint64_t)n->x * n->y >> 32) + n->z + (n->x >> 31))
WANT(d_madc_wide, n->a * n->b + n->c + (n->x >> 31))

static void carries(void **state) {
    (void)state;
    static const row rows[] = {
        {"add.cc.u32 %t1, %x, %y; addc.cc.u32 %t2, %y, %z; mov.b64 %d, {%t1, %t2};", d_add},
        {"add.cc.u32 %t1, %x, %y; addc.cc.u32 %t2, %y, %z; addc.u32 %w, 0, 0;", w_add_out},
        {"add.cc.s32 %t1, %x, %y; addc.cc.s32 %t2, %y, %z; addc.s32 %w, 0, 0;", w_add_out},
        {"add.cc.u64 %l1, %a, %b; addc.cc.u64 %l2, %b, %c; addc.u64 %d, 0, 0;", d_add_wide_out},
        {"sub.cc.u32 %t1, %x, %y; subc.cc.u32 %t2, %y, %z; mov.b64 %d, {%t1, %t2};", d_sub},
        {"sub.cc.u32 %t1, %x, %y; subc.cc.u32 %t2, %y, %z; subc.u32 %w, 0, 0;", w_sub_out},
        {"sub.cc.s32 %t1, %x, %y; subc.cc.s32 %t2, %y, %z; subc.s32 %w, 0, 0;", w_sub_out},
        {"sub.cc.u64 %l1, %a, %b; subc.cc.u64 %d, %b, %c;", d_sub_wide},
        {"sub.cc.u64 %l1, %a, %b; subc.cc.u64 %l2, %b, %c; subc.u64 %d, 0, 0;", d_sub_wide_out},
        {"mad.hi.cc.u32 %t1, %x, %y, %z; addc.u32 %t2, 0, 0; mov.b64 %d, {%t1, %t2};", d_mad_hi},
        {"mad.hi.cc.s32 %t1, %x, %y, %z; addc.u32 %t2, 0, 0; mov.b64 %d, {%t1, %t2};", d_mad_hi_s},
        {"mad.hi.cc.u64 %l1, %a, %b, %c; addc.u64 %d, 0, 0;", d_mad_hi_out},
        {"add.cc.u32 %t3, %x, %x; madc.lo.cc.u32 %t1, %x, %y, %z; addc.u32 %t2, 0, 0;"
         "mov.b64 %d, {%t1, %t2};",
         d_madc},
        {"add.cc.u32 %t3, %x, %x; madc.lo.u32 %w, %x, %y, %z;", w_madc},
        {"add.cc.u32 %t3, %x, %x; madc.hi.cc.u32 %t1, %x, %y, %z; addc.u32 %t2, 0, 0;"
         "mov.b64 %d, {%t1, %t2};",
         d_madc_hi},
        {"add.cc.u32 %t3, %x, %x; madc.lo.u64 %d, %a, %b, %c;", d_madc_wide},
    };
    CHECK(rows);
}

/* ---- products and bounds ------------------------------------------------------------------- */

static int64_t low24(uint32_t x) { return (x & 0xffffff) - (int64_t)(x & 0x800000) * 2; }
/* Of the product's 48 bits the upper 32. */
static int32_t high24(uint32_t x, uint32_t y) {
    return S((uint64_t)(low24(x) * low24(y)) >> 16 & UINT32_MAX);
}
static int64_t bounded(wide v) {
    return L(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}
static int64_t high32(const numbers *n) { return L(S(n->x)) * S(n->y) >> 32; }
static int64_t half(uint32_t pair, uint32_t k) { return oracle_part(pair, k, 16, true); }
static int64_t not_negative(int64_t v) { return v < 0 ? 0 : v; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
#define OF_HALVES(what)                                             \
    W((not_negative(what(half(n->x, 0), half(n->y, 0))) & 0xffff) | \
      not_negative(what(half(n->x, 1), half(n->y, 1))) << 16)

WANT(w_sub_sat, W(bounded((wide)S(n->x) - S(n->y))))
WANT(w_mad_hi, W(((uint64_t)n->x * n->y >> 32) + n->z))
WANT(w_mad_hi_s, W(high32(n) + n->z))
WANT(d_mad_hi_wide, (uint64_t)high_of((unsigned_wide)n->a * n->b) + n->c)
WANT(d_mad_hi_wide_s, (uint64_t)((wide)L(n->a) * L(n->b) >> 64) + n->c)
WANT(w_mad_hi_sat, W(bounded((wide)high32(n) + S(n->z))))
WANT(w_mad24_hi, W(((uint64_t)(n->x & 0xffffff) * (n->y & 0xffffff) >> 16) + n->z))
WANT(w_mad24_hi_s, W(high24(n->x, n->y) + L(n->z)))
WANT(w_mad24_hi_sat, W(bounded((wide)high24(n->x, n->y) + S(n->z))))
WANT(w_min_relu, W(not_negative(least(S(n->x), S(n->y)))))
WANT(w_max_relu, W(not_negative(most(S(n->x), S(n->y)))))
WANT(w_min_relu_halves, OF_HALVES(least))
WANT(w_max_relu_halves, OF_HALVES(most))

static void products_and_bounds(void **state) {
    (void)state;
    static const row rows[] = {
        {"sub.sat.s32 %w, %x, %y;", w_sub_sat},
        {"mad.hi.u32 %w, %x, %y, %z;", w_mad_hi},
        {"mad.hi.s32 %w, %x, %y, %z;", w_mad_hi_s},
        {"mad.hi.u64 %d, %a, %b, %c;", d_mad_hi_wide},
        {"mad.hi.s64 %d, %a, %b, %c;", d_mad_hi_wide_s},
        {"mad.hi.sat.s32 %w, %x, %y, %z;", w_mad_hi_sat},
        {"mad24.hi.u32 %w, %x, %y, %z;", w_mad24_hi},
        {"mad24.hi.s32 %w, %x, %y, %z;", w_mad24_hi_s},
        {"mad24.hi.sat.s32 %w, %x, %y, %z;", w_mad24_hi_sat},
        {"min.relu.s32 %w, %x, %y;", w_min_relu},
        {"max.relu.s32 %w, %x, %y;", w_max_relu},
        {"min.relu.s16x2 %w, %x, %y;", w_min_relu_halves},
        {"max.relu.s16x2 %w, %x, %y;", w_max_relu_halves},
    };
    CHECK(rows);
}

/* ---- other widths ------------------------------------------------------------------------------ */

/* The halves of the operands, with and without signs. */
#define HX ((uint32_t)(uint16_t)n->x)
#define HY ((uint32_t)(uint16_t)n->y)
#define HZ ((uint32_t)(uint16_t)n->z)
#define SX ((int32_t)(int16_t)n->x)
#define SY ((int32_t)(int16_t)n->y)
#define H(v) ((uint16_t)(v))
/* What a division by zero, and the one that overflows, give is not told. */
#define HAS_QUOTIENT(a, b, least) ((b) != 0 && ((b) != -1 || (a) != (least)))

WANT(h_add, H(HX + HY))
WANT(h_sub, H(HX - HY))
WANT(h_mul_lo, H(HX *HY))
WANT(h_mul_hi, H(HX *HY >> 16))
WANT(h_mul_hi_s, H(SX *SY >> 16))
WANT(w_mul_wide, HX *HY)
WANT(w_mul_wide_s, W(SX *SY))
WANT(h_mad_lo, H(HX *HY + HZ))
WANT(h_mad_hi, H((HX * HY >> 16) + HZ))
WANT(w_mad_wide, HX *HY + n->z)
WANT(w_mad_wide_s, W(W(SX *SY) + n->z))
WANT(h_sad, H(HZ + (HX > HY ? HX - HY : HY - HX)))
WANT(h_sad_s, H(HZ + W(SX > SY ? SX - SY : SY - SX)))
WANT(h_div, HY ? HX / HY : 7)
WANT(h_div_s, HAS_QUOTIENT(SX, SY, INT16_MIN) ? H(SX / SY) : 7)
WANT(h_rem, HY ? HX % HY : 7)
WANT(h_rem_s, HAS_QUOTIENT(SX, SY, INT16_MIN) ? H(SX % SY) : 7)
WANT(h_min_s, H(SX < SY ? SX : SY))
WANT(h_max_s, H(SX > SY ? SX : SY))
WANT(h_abs, H(SX < 0 ? -SX : SX))
WANT(h_shl, n->y < 16 ? H(HX << n->y) : 0)
WANT(h_shr_s, H(SX >> (n->y < 16 ? n->y : 15)))
WANT(h_logic, H((HX & HY) ^ ~(HX | HZ)))
WANT(h_cnot, !HX)
WANT(h_less, SX < SY ? HX : HZ)
WANT(d_mad_lo, n->a * n->b + n->c)
WANT(d_mul_hi_s, (uint64_t)((wide)L(n->a) * L(n->b) >> 64))
WANT(d_sad, n->c + (n->a > n->b ? n->a - n->b : n->b - n->a))
WANT(d_sad_s, n->c + (L(n->a) > L(n->b) ? n->a - n->b : n->b - n->a))
WANT(d_div, n->b ? n->a / n->b : 7)
WANT(d_div_s, HAS_QUOTIENT(L(n->a), L(n->b), INT64_MIN) ? L(n->a) / L(n->b) : 7)
WANT(d_rem, n->b ? n->a % n->b : 7)
WANT(d_rem_s, HAS_QUOTIENT(L(n->a), L(n->b), INT64_MIN) ? L(n->a) % L(n->b) : 7)
WANT(d_min_s, L(n->a) < L(n->b) ? n->a : n->b)
WANT(d_max, n->a > n->b ? n->a : n->b)
WANT(d_abs, L(n->a) < 0 ? 0 - n->a : n->a)
WANT(d_neg, 0 - n->a)
WANT(d_shl, n->y < 64 ? n->a << n->y : 0)
WANT(d_logic, (n->a & n->b) ^ ~(n->a | n->c))
WANT(d_cnot, !n->a)
WANT(w_clz, n->a ? __builtin_clzll(n->a) : 64)
WANT(w_popc, __builtin_popcount(n->x))
WANT(w_find, W(oracle_find(n->x, 32, false)))
WANT(w_find_s, W(oracle_find(n->a, 64, true)))
WANT(d_extract, oracle_extract(n->a, n->y, n->z, 64, false))
WANT(d_extract_s, oracle_extract(n->a, n->y, n->z, 64, true))
WANT(w_insert, W(oracle_insert(n->x, n->y, n->z & 31, n->z >> 5 & 31, 32)))
WANT(w_mul24, W(low24(n->x) * low24(n->y)))
WANT(w_mul24_hi_s, W(high24(n->x, n->y)))
WANT(d_less, n->a < n->b ? n->b : n->c)

#define IN_16(text)                                                                                \
    "cvt.u16.u32 %k0, %x; cvt.u16.u32 %k1, %y; cvt.u16.u32 %k2, %z; " text " cvt.u32.u16 %w, %k3;"
/* For what has a quotient; else 7. */
#define QUOTIENT_16(text)                                                        \
    IN_16("mov.u16 %k3, 7; setp.eq.s16 %p, %k1, 0; setp.eq.s16 %q, %k1, -1;"     \
          "setp.eq.and.s16 %q, %k0, -32768, %q; or.pred %p, %p, %q; @!%p " text)
#define QUOTIENT_64(text)                                                            \
    "mov.u64 %d, 7; setp.eq.s64 %p, %b, 0; setp.eq.s64 %q, %b, -1;"                  \
    "setp.eq.and.s64 %q, %a, 0x8000000000000000, %q; or.pred %p, %p, %q; @!%p " text

static void other_widths(void **state) {
    (void)state;
    static const row rows[] = {
        {IN_16("add.u16 %k3, %k0, %k1;"), h_add},
        {IN_16("sub.s16 %k3, %k0, %k1;"), h_sub},
        {IN_16("mul.lo.u16 %k3, %k0, %k1;"), h_mul_lo},
        {IN_16("mul.hi.u16 %k3, %k0, %k1;"), h_mul_hi},
        {IN_16("mul.hi.s16 %k3, %k0, %k1;"), h_mul_hi_s},
        {"cvt.u16.u32 %k0, %x; cvt.u16.u32 %k1, %y; mul.wide.u16 %w, %k0, %k1;", w_mul_wide},
        {"cvt.u16.u32 %k0, %x; cvt.u16.u32 %k1, %y; mul.wide.s16 %w, %k0, %k1;", w_mul_wide_s},
        {IN_16("mad.lo.s16 %k3, %k0, %k1, %k2;"), h_mad_lo},
        {IN_16("mad.hi.u16 %k3, %k0, %k1, %k2;"), h_mad_hi},
        {"cvt.u16.u32 %k0, %x; cvt.u16.u32 %k1, %y; mad.wide.u16 %w, %k0, %k1, %z;", w_mad_wide},
        {"cvt.u16.u32 %k0, %x; cvt.u16.u32 %k1, %y; mad.wide.s16 %w, %k0, %k1, %z;", w_mad_wide_s},
        {IN_16("sad.u16 %k3, %k0, %k1, %k2;"), h_sad},
        {IN_16("sad.s16 %k3, %k0, %k1, %k2;"), h_sad_s},
        {IN_16("mov.u16 %k3, 7; setp.ne.u16 %p, %k1, 0; @%p div.u16 %k3, %k0, %k1;"), h_div},
        {QUOTIENT_16("div.s16 %k3, %k0, %k1;"), h_div_s},
        {IN_16("mov.u16 %k3, 7; setp.ne.u16 %p, %k1, 0; @%p rem.u16 %k3, %k0, %k1;"), h_rem},
        {QUOTIENT_16("rem.s16 %k3, %k0, %k1;"), h_rem_s},
        {IN_16("min.s16 %k3, %k0, %k1;"), h_min_s},
        {IN_16("max.s16 %k3, %k0, %k1;"), h_max_s},
        {IN_16("abs.s16 %k3, %k0;"), h_abs},
        {IN_16("shl.b16 %k3, %k0, %y;"), h_shl},
        {IN_16("shr.s16 %k3, %k0, %y;"), h_shr_s},
        {IN_16("and.b16 %k3, %k0, %k1; or.b16 %k4, %k0, %k2; not.b16 %k4, %k4; xor.b16 %k3, %k3, "
               "%k4;"),
         h_logic},
        {IN_16("cnot.b16 %k3, %k0;"), h_cnot},
        {IN_16("setp.lt.s16 %p, %k0, %k1; selp.b16 %k3, %k0, %k2, %p;"), h_less},
        {"mad.lo.u64 %d, %a, %b, %c;", d_mad_lo},
        {"mul.hi.s64 %d, %a, %b;", d_mul_hi_s},
        {"sad.u64 %d, %a, %b, %c;", d_sad},
        {"sad.s64 %d, %a, %b, %c;", d_sad_s},
        {"mov.u64 %d, 7; setp.ne.u64 %p, %b, 0; @%p div.u64 %d, %a, %b;", d_div},
        {QUOTIENT_64("div.s64 %d, %a, %b;"), d_div_s},
        {"mov.u64 %d, 7; setp.ne.u64 %p, %b, 0; @%p rem.u64 %d, %a, %b;", d_rem},
        {QUOTIENT_64("rem.s64 %d, %a, %b;"), d_rem_s},
        {"min.s64 %d, %a, %b;", d_min_s},
        {"max.u64 %d, %a, %b;", d_max},
        {"abs.s64 %d, %a;", d_abs},
        {"neg.s64 %d, %a;", d_neg},
        {"shl.b64 %d, %a, %y;", d_shl},
        {"and.b64 %d, %a, %b; or.b64 %l0, %a, %c; not.b64 %l0, %l0; xor.b64 %d, %d, %l0;", d_logic},
        {"cnot.b64 %d, %a;", d_cnot},
        {"clz.b64 %w, %a;", w_clz},
        {"popc.b32 %w, %x;", w_popc},
        {"bfind.u32 %w, %x;", w_find},
        {"bfind.s64 %w, %a;", w_find_s},
        {"bfe.u64 %d, %a, %y, %z;", d_extract},
        {"bfe.s64 %d, %a, %y, %z;", d_extract_s},
        {"and.b32 %t1, %z, 31; shr.u32 %t2, %z, 5; and.b32 %t2, %t2, 31;"
         "bfi.b32 %w, %x, %y, %t1, %t2;",
         w_insert},
        {"mul24.lo.s32 %w, %x, %y;", w_mul24},
        {"mul24.hi.s32 %w, %x, %y;", w_mul24_hi_s},
        {"setp.lt.u64 %p, %a, %b; selp.b64 %d, %b, %c, %p;", d_less},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 10;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) /* of both signs, by their width */
        in[i] = (uint64_t)((int64_t)hd_next_random(&seed) >> hd_next_random(&seed) % 64);
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

/* ---- video instructions -------------------------------------------------------------------- */

typedef int64_t lane_fn(int64_t a, int64_t b);

typedef struct video {
    lane_fn *lane;
    uint32_t lanes;
    const char *signs; /* of d, a and b: s or u */
    bool saturates, sums;
} video;

static int64_t sum_of(int64_t a, int64_t b) { return a + b; }
static int64_t difference(int64_t a, int64_t b) { return a - b; }
static int64_t distance(int64_t a, int64_t b) { return a > b ? a - b : b - a; }
/* in the middle of two upwards from zero on, and downwards below it */
static int64_t average(int64_t a, int64_t b) {
    int64_t sum = a + b;
    return sum >= 0 ? (sum + 1) / 2 : -((1 - sum) / 2);
}
static int64_t is_eq(int64_t a, int64_t b) { return a == b; }
static int64_t is_ne(int64_t a, int64_t b) { return a != b; }
static int64_t is_lt(int64_t a, int64_t b) { return a < b; }
static int64_t is_le(int64_t a, int64_t b) { return a <= b; }
static int64_t is_gt(int64_t a, int64_t b) { return a > b; }
static int64_t is_ge(int64_t a, int64_t b) { return a >= b; }

static uint64_t w_video(const numbers *n) {
    const video *v = n->of;
    const uint32_t bits = 32 / v->lanes;
    const int64_t all = (INT64_C(1) << bits) - 1;
    const int64_t high = v->signs[0] == 's' ? all / 2 : all, low = high - all;
    uint32_t d = v->sums ? n->z : 0;
    for (uint32_t k = 0; k < v->lanes; k++) {
        int64_t t = v->lane(oracle_part(n->x, k, bits, v->signs[1] == 's'),
                            oracle_part(n->y, k, bits, v->signs[2] == 's'));
        if (v->saturates)
            t = t < low ? low : t > high ? high : t;
        d = v->sums ? d + (uint32_t)t : d | (uint32_t)(t & all) << k * bits;
    }
    return d;
}
#define VIDEO(...)                          \
    w_video, &(const video) { __VA_ARGS__ }

static void video_instructions(void **state) {
    (void)state;
    const row rows[] = {
        {"vadd2.s32.s32.s32 %w, %x, %y, %z;", VIDEO(sum_of, 2, "sss")},
        {"vadd2.u32.u32.u32.sat %w, %x, %y, %z;", VIDEO(sum_of, 2, "uuu", true)},
        {"vadd2.s32.u32.s32.sat %w, %x, %y, %z;", VIDEO(sum_of, 2, "sus", true)},
        {"vadd2.s32.s32.u32.add %w, %x, %y, %z;", VIDEO(sum_of, 2, "ssu", false, true)},
        {"vadd4.u32.u32.u32 %w, %x, %y, %z;", VIDEO(sum_of, 4, "uuu")},
        {"vadd4.s32.s32.s32.sat %w, %x, %y, %z;", VIDEO(sum_of, 4, "sss", true)},
        {"vadd4.u32.s32.s32.sat %w, %x, %y, %z;", VIDEO(sum_of, 4, "uss", true)},
        {"vadd4.u32.u32.u32.add %w, %x, %y, %z;", VIDEO(sum_of, 4, "uuu", false, true)},
        {"vsub2.s32.s32.s32 %w, %x, %y, %z;", VIDEO(difference, 2, "sss")},
        {"vsub2.u32.u32.u32.sat %w, %x, %y, %z;", VIDEO(difference, 2, "uuu", true)},
        {"vsub2.s32.u32.u32.add %w, %x, %y, %z;", VIDEO(difference, 2, "suu", false, true)},
        {"vsub4.u32.u32.u32 %w, %x, %y, %z;", VIDEO(difference, 4, "uuu")},
        {"vsub4.s32.s32.s32.sat %w, %x, %y, %z;", VIDEO(difference, 4, "sss", true)},
        {"vavrg2.s32.s32.s32 %w, %x, %y, %z;", VIDEO(average, 2, "sss")},
        {"vavrg2.u32.u32.u32 %w, %x, %y, %z;", VIDEO(average, 2, "uuu")},
        {"vavrg4.s32.s32.s32 %w, %x, %y, %z;", VIDEO(average, 4, "sss")},
        {"vavrg4.u32.u32.u32.add %w, %x, %y, %z;", VIDEO(average, 4, "uuu", false, true)},
        {"vabsdiff2.s32.s32.s32.sat %w, %x, %y, %z;", VIDEO(distance, 2, "sss", true)},
        {"vabsdiff2.u32.u32.u32 %w, %x, %y, %z;", VIDEO(distance, 2, "uuu")},
        {"vabsdiff2.u32.s32.u32.add %w, %x, %y, %z;", VIDEO(distance, 2, "usu", false, true)},
        {"vmin2.s32.s32.s32 %w, %x, %y, %z;", VIDEO(least, 2, "sss")},
        {"vmin2.u32.s32.u32 %w, %x, %y, %z;", VIDEO(least, 2, "usu")},
        {"vmin4.u32.u32.u32 %w, %x, %y, %z;", VIDEO(least, 4, "uuu")},
        {"vmin4.s32.s32.s32.add %w, %x, %y, %z;", VIDEO(least, 4, "sss", false, true)},
        {"vmax2.s32.s32.s32 %w, %x, %y, %z;", VIDEO(most, 2, "sss")},
        {"vmax2.u32.s32.s32.sat %w, %x, %y, %z;", VIDEO(most, 2, "uss", true)},
        {"vmax4.u32.u32.u32 %w, %x, %y, %z;", VIDEO(most, 4, "uuu")},
        {"vmax4.s32.s32.s32 %w, %x, %y, %z;", VIDEO(most, 4, "sss")},
        {"vset2.s32.s32.lt %w, %x, %y, %z;", VIDEO(is_lt, 2, "uss")},
        {"vset2.u32.u32.ne %w, %x, %y, %z;", VIDEO(is_ne, 2, "uuu")},
        {"vset2.u32.s32.ge.add %w, %x, %y, %z;", VIDEO(is_ge, 2, "uus", false, true)},
        {"vset4.u32.u32.eq %w, %x, %y, %z;", VIDEO(is_eq, 4, "uuu")},
        {"vset4.s32.s32.gt %w, %x, %y, %z;", VIDEO(is_gt, 4, "uss")},
        {"vset4.u32.u32.le.add %w, %x, %y, %z;", VIDEO(is_le, 4, "uuu", false, true)},
    };
    CHECK(rows);
}

/* ---- bits and bytes -------------------------------------------------------------------------- */

static uint64_t reversed(uint64_t x, uint32_t bits) {
    uint64_t d = 0;
    for (uint32_t i = 0; i < bits; i++)
        d |= oracle_bit(x, i) << (bits - 1 - i);
    return d;
}

/* `count` ones from a bit on, as far as there is room. */
static uint32_t ones(uint32_t from, uint32_t count) {
    uint32_t d = 0;
    for (uint32_t i = 0; i < 32; i++)
        d |= (uint32_t)(i >= from && i - from < count) << i;
    return d;
}

static uint32_t extended(uint32_t x, uint32_t bits, bool is_signed) {
    return bits ? (uint32_t)oracle_part(x & ones(0, bits), 0, bits, is_signed) : 0;
}

/* 32 bits of y:x, from a bit on. */
static uint32_t window(const numbers *n, uint32_t from) {
    uint32_t d = 0;
    for (uint32_t i = 0; i < 32; i++)
        d |= (uint32_t)oracle_bit((uint64_t)n->y << 32 | n->x, from + i) << i;
    return d;
}

WANT(w_brev, reversed(n->x, 32))
WANT(d_brev, reversed(n->a, 64))
WANT(w_fns, W(oracle_nth(n->x, S(n->y & 31), S(n->z & 31) - 16)))
WANT(w_bmsk, ones(n->x & 31, n->y & 31))
WANT(w_szext_wrap, extended(n->x, n->y & 31, false))
WANT(w_szext_wrap_s, extended(n->x, n->y & 31, true))
WANT(w_szext, extended(n->x, n->y > 32 ? 32 : n->y, false))
WANT(w_szext_s, extended(n->x, n->y > 32 ? 32 : n->y, true))
WANT(w_dp4a_uu, oracle_dot(n->x, n->y, n->z, 4, 0, false, false))
WANT(w_dp4a_us, oracle_dot(n->x, n->y, n->z, 4, 0, false, true))
WANT(w_dp4a_su, oracle_dot(n->x, n->y, n->z, 4, 0, true, false))
WANT(w_dp4a_ss, oracle_dot(n->x, n->y, n->z, 4, 0, true, true))
WANT(w_dp2a_lo, oracle_dot(n->x, n->y, n->z, 2, 0, false, false))
WANT(w_dp2a_hi, oracle_dot(n->x, n->y, n->z, 2, 2, true, true))
WANT(w_dp2a_us, oracle_dot(n->x, n->y, n->z, 2, 0, false, true))
WANT(w_dp2a_su, oracle_dot(n->x, n->y, n->z, 2, 2, true, false))
WANT(w_shf_l, window(n, 32 - (n->z > 32 ? 32 : n->z)))
WANT(w_shf_l_wrap, window(n, 32 - (n->z & 31)))
WANT(w_shf_r_wrap, window(n, n->z & 31))
#define WANT_MODE(name, letter)                                               \
    WANT(w_##name, oracle_permute(n->x, n->y, oracle_mode(letter, n->z & 3)))
WANT_MODE(f4e, 'f')
WANT_MODE(b4e, 'b')
WANT_MODE(rc8, '8')
WANT_MODE(ecl, 'l')
WANT_MODE(ecr, 'r')
WANT_MODE(rc16, '6')

static void bits_and_bytes(void **state) {
    (void)state;
    static const row rows[] = {
        {"brev.b32 %w, %x;", w_brev},
        {"brev.b64 %d, %a;", d_brev},
        {"and.b32 %t1, %y, 31; and.b32 %t2, %z, 31; sub.s32 %t2, %t2, 16;"
         "fns.b32 %w, %x, %t1, %t2;",
         w_fns},
        {"bmsk.wrap.b32 %w, %x, %y;", w_bmsk},
        {"szext.wrap.u32 %w, %x, %y;", w_szext_wrap},
        {"szext.wrap.s32 %w, %x, %y;", w_szext_wrap_s},
        {"szext.clamp.u32 %w, %x, %y;", w_szext},
        {"szext.clamp.s32 %w, %x, %y;", w_szext_s},
        {"dp4a.u32.u32 %w, %x, %y, %z;", w_dp4a_uu},
        {"dp4a.u32.s32 %w, %x, %y, %z;", w_dp4a_us},
        {"dp4a.s32.u32 %w, %x, %y, %z;", w_dp4a_su},
        {"dp4a.s32.s32 %w, %x, %y, %z;", w_dp4a_ss},
        {"dp2a.lo.u32.u32 %w, %x, %y, %z;", w_dp2a_lo},
        {"dp2a.hi.s32.s32 %w, %x, %y, %z;", w_dp2a_hi},
        {"dp2a.lo.u32.s32 %w, %x, %y, %z;", w_dp2a_us},
        {"dp2a.hi.s32.u32 %w, %x, %y, %z;", w_dp2a_su},
        {"shf.l.clamp.b32 %w, %x, %y, %z;", w_shf_l},
        {"shf.l.wrap.b32 %w, %x, %y, %z;", w_shf_l_wrap},
        {"shf.r.wrap.b32 %w, %x, %y, %z;", w_shf_r_wrap},
        {"prmt.b32.f4e %w, %x, %y, %z;", w_f4e},
        {"prmt.b32.b4e %w, %x, %y, %z;", w_b4e},
        {"prmt.b32.rc8 %w, %x, %y, %z;", w_rc8},
        {"prmt.b32.ecl %w, %x, %y, %z;", w_ecl},
        {"prmt.b32.ecr %w, %x, %y, %z;", w_ecr},
        {"prmt.b32.rc16 %w, %x, %y, %z;", w_rc16},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 4;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) /* random bits, and numbers below 64 */
        in[i] = hd_next_random(&seed) & (i % NUMBERS ? 0xffffffff0000003f : UINT64_MAX);
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

/* ---- packed ------------------------------------------------------------------------------------ */

/* a and b within so many bits, above b those of a, above these c. */
static uint32_t packed(const numbers *n, uint32_t bits, bool is_signed, uint32_t c) {
    const int64_t all = (INT64_C(1) << bits) - 1, high = is_signed ? all / 2 : all;
    const int64_t low = high - all;
    int64_t a = most(low, least(high, S(n->x))), b = most(low, least(high, S(n->y)));
    return (bits < 16 ? c << 2 * bits : 0) | (uint32_t)(a & all) << bits | (uint32_t)(b & all);
}

WANT(w_pack_s16, packed(n, 16, true, 0))
WANT(w_pack_u16, packed(n, 16, false, 0))
WANT(w_pack_s8, packed(n, 8, true, n->z))
WANT(w_pack_u8, packed(n, 8, false, n->z))
WANT(w_pack_s4, packed(n, 4, true, n->z))
WANT(w_pack_u4, packed(n, 4, false, n->z))
WANT(w_pack_s2, packed(n, 2, true, n->z))
WANT(w_pack_u2, packed(n, 2, false, n->z))

static void packs(void **state) {
    (void)state;
    static const row rows[] = {
        {"cvt.pack.sat.s16.s32 %w, %x, %y;", w_pack_s16},
        {"cvt.pack.sat.u16.s32 %w, %x, %y;", w_pack_u16},
        {"cvt.pack.sat.s8.s32.b32 %w, %x, %y, %z;", w_pack_s8},
        {"cvt.pack.sat.u8.s32.b32 %w, %x, %y, %z;", w_pack_u8},
        {"cvt.pack.sat.s4.s32.b32 %w, %x, %y, %z;", w_pack_s4},
        {"cvt.pack.sat.u4.s32.b32 %w, %x, %y, %z;", w_pack_u4},
        {"cvt.pack.sat.s2.s32.b32 %w, %x, %y, %z;", w_pack_s2},
        {"cvt.pack.sat.u2.s32.b32 %w, %x, %y, %z;", w_pack_u2},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 6;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) /* small ones of both signs, by their width */
        in[i] = (uint64_t)((int64_t)hd_next_random(&seed) >> (44 + hd_next_random(&seed) % 20));
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries),        cmocka_unit_test(products_and_bounds),
        cmocka_unit_test(other_widths),   cmocka_unit_test(video_instructions),
        cmocka_unit_test(bits_and_bytes), cmocka_unit_test(packs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
