/*
 * Instructions of PTX by what they are for (ptx_rows.h says how), and what a kernel is made of:
 * calls, barriers in memory, parts of a text.
 */
#include "ptx_rows.h"

#include "oracle/bits.h"

/* ---- rows ----------------------------------------------------------------------- */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* Of the bytes from a bit on. */
static uint32_t byte_distance(uint32_t x, uint32_t y, uint32_t from) {
    uint32_t a = x >> from & 255, b = y >> from & 255;
    return a > b ? a - b : b - a;
}

WANT(w_add, W(n->x + n->y))
WANT(w_add_sat, W(L(S(n->x)) + S(n->y) > INT32_MAX   ? INT32_MAX
                  : L(S(n->x)) + S(n->y) < INT32_MIN ? INT32_MIN
                                                     : S(n->x + n->y)))
WANT(w_mul_hi, W((uint64_t)n->x * n->y >> 32))
WANT(w_mul_hi_s, W((uint64_t)(L(S(n->x)) * S(n->y)) >> 32))
WANT(d_mul_hi, (uint64_t)((unsigned_wide)n->a * n->b >> 64))
WANT(d_mul_wide, L(S(n->x)) * S(n->y))
WANT(d_mad_wide, (uint64_t)n->x * n->y + n->c)
WANT(w_mad24, W((uint32_t)(((int64_t)(S(n->x << 8) >> 8)) * (S(n->y << 8) >> 8)) + n->z))
WANT(w_mul24_hi, W((uint64_t)(n->x & 0xffffff) * (n->y & 0xffffff) >> 16))
WANT(w_sad, W(n->z + (S(n->x) > S(n->y) ? n->x - n->y : n->y - n->x)))
WANT(w_min, W(S(n->x) < S(n->y) ? n->x : n->y))
WANT(w_max_u16, (n->x & 0xffff) > (n->y & 0xffff) ? n->x & 0xffff : n->y & 0xffff)
WANT(w_abs, W(S(n->x) < 0 ? 0 - n->x : n->x))
WANT(w_neg16, W((uint16_t)(0 - (uint16_t)n->x)))
WANT(w_div, W(n->y ? n->x / n->y : 7))
WANT(w_rem, W(S(n->y) > 0 ? S(n->x) % S(n->y) : 7))
WANT(d_carry, (unsigned_wide)n->a + n->b > UINT64_MAX)
WANT(d_add128,
     (uint64_t)(((unsigned_wide)n->a * n->b + (((unsigned_wide)n->c << 64) | n->a)) >> 64))
WANT(d_sub_borrow, n->b - n->c - (n->x < n->y))
WANT(d_mad_carry, (uint64_t)((uint64_t)n->x * n->y + (((uint64_t)n->z << 32) | n->x)))
WANT(w_popc, __builtin_popcountll(n->a))
WANT(w_clz, n->x ? __builtin_clz(n->x) : 32)
WANT(w_bfe, W(oracle_extract(n->x, n->y, n->z, 32, true)))
WANT(d_bfi, oracle_insert(n->a, n->b, n->y, n->z, 64))
WANT(w_bfind, W(oracle_find(n->a, 64, false)))
WANT(w_shiftamt, W(oracle_find(n->x, 32, true) < 0 ? -1 : 31 - oracle_find(n->x, 32, true)))
WANT(w_add16, W(((n->x + n->y) & 0xffff) | ((n->x >> 16) + (n->y >> 16)) << 16))
WANT(w_bytes, W(byte_distance(n->x, n->y, 0) | byte_distance(n->x, n->y, 8) << 8 |
                byte_distance(n->x, n->y, 16) << 16 | byte_distance(n->x, n->y, 24) << 24))
WANT(w_byte_sum, W(n->z + byte_distance(n->x, n->y, 0) + byte_distance(n->x, n->y, 8) +
                   byte_distance(n->x, n->y, 16) + byte_distance(n->x, n->y, 24)))
WANT(w_signed_byte_sum, W(n->z + (uint32_t)abs((int8_t)n->x - (int8_t)n->y) +
                          (uint32_t)abs((int8_t)(n->x >> 8) - (int8_t)(n->y >> 8)) +
                          (uint32_t)abs((int8_t)(n->x >> 16) - (int8_t)(n->y >> 16)) +
                          (uint32_t)abs((int8_t)(n->x >> 24) - (int8_t)(n->y >> 24))))
WANT(w_bmsk, W(((UINT64_C(1) << (n->y > 32 ? 32 : n->y)) - 1) << (n->x > 32 ? 32 : n->x)))

static void integers(void **state) {
    (void)state;
    static const row rows[] = {
        {"add.s32 %w, %x, %y;", w_add},
        {"add.sat.s32 %w, %x, %y;", w_add_sat},
        {"mul.hi.u32 %w, %x, %y;", w_mul_hi},
        {"mul.hi.s32 %w, %x, %y;", w_mul_hi_s},
        {"mul.hi.u64 %d, %a, %b;", d_mul_hi},
        {"mul.wide.s32 %d, %x, %y;", d_mul_wide},
        {"mad.wide.u32 %d, %x, %y, %c;", d_mad_wide},
        {"mad24.lo.s32 %w, %x, %y, %z;", w_mad24},
        {"mul24.hi.u32 %w, %x, %y;", w_mul24_hi},
        {"sad.s32 %w, %x, %y, %z;", w_sad},
        {"min.s32 %w, %x, %y;", w_min},
        {"cvt.u16.u32 %k0, %x; cvt.u16.u32 %k1, %y; max.u16 %k0, %k0, %k1; cvt.u32.u16 %w, %k0;",
         w_max_u16},
        {"abs.s32 %w, %x;", w_abs},
        {"cvt.u16.u32 %k0, %x; neg.s16 %k0, %k0; cvt.u32.u16 %w, %k0;", w_neg16},
        {"setp.ne.u32 %p, %y, 0; mov.u32 %w, 7; @%p div.u32 %w, %x, %y;", w_div},
        {"setp.gt.s32 %p, %y, 0; mov.u32 %w, 7; @!%p bra done; rem.s32 %w, %x, %y; done:", w_rem},
        {"add.cc.u64 %l0, %a, %b; addc.u64 %d, 0, 0;", d_carry},
        {"mul.lo.u64 %l0, %a, %b; mul.hi.u64 %l1, %a, %b; add.cc.u64 %l2, %l0, %a; "
         "addc.u64 %d, %l1, %c;",
         d_add128},
        {"sub.cc.u32 %t1, %x, %y; subc.u64 %d, %b, %c;", d_sub_borrow},
        {"mad.lo.cc.u32 %t1, %x, %y, %x; madc.hi.u32 %t2, %x, %y, %z; mov.b64 %d, {%t1, %t2};",
         d_mad_carry},
        {"popc.b64 %w, %a;", w_popc},
        {"clz.b32 %w, %x;", w_clz},
        {"bfe.s32 %w, %x, %y, %z;", w_bfe},
        {"bfi.b64 %d, %a, %b, %y, %z;", d_bfi},
        {"bfind.u64 %w, %a;", w_bfind},
        {"bfind.shiftamt.s32 %w, %x;", w_shiftamt},
        {"add.u16x2 %w, %x, %y;", w_add16},
        {"vabsdiff4.u32.u32.u32 %w, %x, %y, %z;", w_bytes},
        {"vabsdiff4.u32.u32.u32.add %w, %x, %y, %z;", w_byte_sum},
        {"vabsdiff4.u32.s32.s32.add %w, %x, %y, %z;", w_signed_byte_sum},
        {"bmsk.clamp.b32 %w, %x, %y;", w_bmsk},
    };
    CHECK(rows);
}

WANT(w_shl, n->y < 32 ? W(n->x << n->y) : 0)
WANT(d_shr, L(n->a) >> (n->y < 64 ? n->y : 63))
WANT(w_shr16, n->y < 16 ? (n->x & 0xffff) >> n->y : 0)
WANT(w_wrap, W((((uint64_t)n->y << 32 | n->x) << (n->z & 31)) >> 32))
WANT(w_clamp, W(((uint64_t)n->y << 32 | n->x) >> (n->z < 32 ? n->z : 32)))
WANT(w_lop_maj, (n->x & n->y) | (n->x & n->z) | (n->y & n->z))
WANT(w_lop_sel, W((n->x & n->y) | (~n->x & n->z)))
WANT(w_lop_not, W(~((n->x & ~n->z) ^ (n->y | n->x))))
WANT(w_cnot, !n->x)
WANT(w_setp, (S(n->x) < S(n->y)) | 2 * (n->z > 5 && S(n->x) >= S(n->y)))
WANT(w_setu, n->f < n->g || isnan(n->f) || isnan(n->g) ? W(-1) : 0)
WANT(w_setne, n->f != n->g && !isnan(n->f) && !isnan(n->g) ? 0x3f800000 : 0)
WANT(w_slct, S(n->z) >= 0 ? n->x : n->y)
/* bytes 7, the sign of 3, 0, 4 of y:x, from the lowest on */
WANT(w_prmt, W((n->y << 24) | (n->x & 0xff) << 16 | (n->x >> 31 ? 0xff00 : 0) | (n->y >> 24)))
WANT(d_select, n->x == n->y ? n->a : ~n->b)

static void bits(void **state) {
    (void)state;
    static const row rows[] = {
        {"shl.b32 %w, %x, %y;", w_shl},
        {"shr.s64 %d, %a, %y;", d_shr},
        {"cvt.u16.u32 %k0, %x; shr.u16 %k0, %k0, %y; cvt.u32.u16 %w, %k0;", w_shr16},
        {"shf.l.wrap.b32 %w, %x, %y, %z;", w_wrap},
        {"shf.r.clamp.b32 %w, %x, %y, %z;", w_clamp},
        {"lop3.b32 %w, %x, %y, %z, 0xe8;", w_lop_maj},
        {"lop3.b32 %w, %x, %y, %z, 0xca;", w_lop_sel},
        {"lop3.b32 %t1, %x, %z, 0, 0x30; or.b32 %t2, %x, %y; xor.b32 %w, %t1, %t2; not.b32 %w, "
         "%w;",
         w_lop_not},
        {"cnot.b32 %w, %x;", w_cnot},
        {"setp.gt.u32 %u, %z, 5; setp.lt.s32 %p, %x, %y; setp.lt.and.s32 _|%q, %x, %y, %u;"
         "selp.u32 %t1, 1, 0, %p; selp.u32 %t2, 2, 0, %q; or.b32 %w, %t1, %t2;",
         w_setp},
        {"set.ltu.u32.f32 %w, %f, %g;", w_setu},
        {"set.ne.f32.f32 %s0, %f, %g; mov.b32 %w, %s0;", w_setne},
        {"slct.u32.s32 %w, %x, %y, %z;", w_slct},
        {"prmt.b32 %w, %x, %y, 0x40b7;", w_prmt},
        {"not.b64 %l0, %b; setp.eq.u32 %p, %x, %y; selp.b64 %d, %a, %l0, %p;", d_select},
    };
    CHECK(rows);
}

static float flushed(float f) { return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f; }
static float saturated(float f) { return isnan(f) || f <= 0 ? 0 : f > 1 ? 1 : f; }
static float least(float a, float b) { return a == b ? (signbit(a) ? a : b) : fminf(a, b); }

WANT(w_fadd, of_float(n->f + n->g))
WANT(w_fma, of_float(fmaf(n->f, n->g, n->h)))
WANT(w_ftz, of_float(flushed(flushed(n->f) * flushed(n->g))))
WANT(w_sat, of_float(saturated(n->f + n->g)))
WANT(w_fdiv, of_float(n->f / n->g))
WANT(w_fsqrt, of_float(sqrtf(n->f)))
WANT(w_frcp, of_float(1 / n->f))
WANT(w_fmin, of_float(least(n->f, n->g)))
WANT(w_fmin_nan, of_float(isnan(n->f) || isnan(n->g) ? NAN : least(n->f, n->g)))
WANT(w_fneg, of_float(-n->f))
WANT(w_fcopysign, of_float(copysignf(n->g, n->f)))
WANT(w_subnormal, fpclassify(n->f) == FP_SUBNORMAL)
WANT(w_zero, n->x * 0)
WANT(d_fma, of_double(fma(n->da, n->db, n->dc)))
WANT(d_div, of_double(n->da / n->db))
WANT(d_max, of_double(isnan(n->da) ? n->dc : isnan(n->dc) ? n->da : fmax(n->da, n->dc)))

/* The sum of two floats rounded down is the nearest one, or the one below it. */
static float down(double exact) {
    float near = (float)exact;
    return (double)near > exact ? nextafterf(near, -INFINITY) : near;
}

static void floats(void **state) {
    (void)state;
    static const row rows[] = {
        {FLOAT("add.f32 %s0, %f, %g;"), w_fadd},
        {FLOAT("fma.rn.f32 %s0, %f, %g, %h;"), w_fma},
        {FLOAT("mul.ftz.f32 %s0, %f, %g;"), w_ftz},
        {FLOAT("add.sat.f32 %s0, %f, %g;"), w_sat},
        {FLOAT("div.rn.f32 %s0, %f, %g;"), w_fdiv},
        {FLOAT("sqrt.rn.f32 %s0, %f;"), w_fsqrt},
        {FLOAT("rcp.rn.f32 %s0, %f;"), w_frcp},
        {FLOAT("min.f32 %s0, %f, %g;"), w_fmin},
        {FLOAT("min.NaN.f32 %s0, %f, %g;"), w_fmin_nan},
        {FLOAT("neg.f32 %s0, %f;"), w_fneg},
        {FLOAT("copysign.f32 %s0, %f, %g;"), w_fcopysign},
        {"testp.subnormal.f32 %p, %f; selp.u32 %w, 1, 0, %p;", w_subnormal},
        {DOUBLE("fma.rn.f64 %e0, %da, %db, %dc;"), d_fma},
        {DOUBLE("div.rn.f64 %e0, %da, %db;"), d_div},
        {DOUBLE("max.f64 %e0, %da, %dc;"), d_max},
        /* Without .ftz it is a double's: |rsqrt(x) sqrt(x) - 1| > 1e-15 nowhere. */
        {"abs.f64 %e0, %da; rsqrt.approx.f64 %e1, %e0; sqrt.rn.f64 %e0, %e0;"
         "mul.f64 %e0, %e0, %e1; sub.f64 %e0, %e0, 0d3ff0000000000000; abs.f64 %e0, %e0;"
         "setp.gt.f64 %p, %e0, 0d3cd203af9ee75616; selp.u32 %w, 1, 0, %p;",
         w_zero},
    };
    CHECK(rows);
}

/* Of floats whose sums a double holds exactly. */
static void directed_rounding(void **state) {
    (void)state;
    uint64_t in[THREADS * NUMBERS], out[THREADS], seed = 5;
    const char *body = FLOAT("add.rm.f32 %s0, %f, %g;");
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++)
        in[i] = (hd_next_random(&seed) & 0x80ffffff) + 0x3c000000;
    hd_arena *arena = hd_arena_new();
    run_text(body, text_of(arena, body), in, out);
    for (uint32_t t = 0; t < THREADS; t++) {
        numbers n = numbers_of(in + t * NUMBERS, t);
        double exact = (double)n.f + (double)n.g;
        if (exact != 0)
            assert_int_equal(out[t], of_float(down(exact)));
    }
    hd_arena_free(arena);
}

/* PTX clamps; NaN becomes 0, of and to 64 bits the least number. */
static double clamped(double value, double low, double high) {
    return isnan(value) ? 0 : value < low ? low : value > high ? high : value;
}
WANT(w_to_int, W((int64_t)clamped((double)truncf(n->f), INT32_MIN, INT32_MAX)))
WANT(w_to_uchar, W((int64_t)clamped((double)rintf(n->f), 0, 255)))
WANT(w_to_short, W((int64_t)clamped((double)floorf(n->f), INT16_MIN, INT16_MAX)))
WANT(w_whole, of_float(ceilf(n->f)))
WANT(w_from_uint, of_float((float)n->x))
WANT(d_from_int, of_double((double)L(n->a)))
WANT(w_narrow, of_float((float)n->da))
WANT(d_sign, L((int8_t)n->x))
WANT(w_sat_u8, W(S(n->x) < 0 ? 0 : S(n->x) > 255 ? 255 : n->x))
WANT(w_sat_s16, W(n->a > INT16_MAX ? INT16_MAX : n->a))
WANT(w_half, isnan(n->f) ? 1
                         : W((union {
                                 _Float16 h;
                                 uint16_t u;
                             }){(_Float16)n->f}
                                 .u))
WANT(w_half_sum, W((union {
                       _Float16 h;
                       uint16_t u;
                   }){(_Float16)3 * (_Float16)(n->x & 15)}
                       .u |
                   (uint32_t)(union {
                       _Float16 h;
                       uint16_t u;
                   }){(_Float16)(n->y & 7) * (_Float16)5}
                           .u
                       << 16))
WANT(w_bf16, isnan(n->f) ? 1 : W((n->x + 0x7fff + (n->x >> 16 & 1)) >> 16))
WANT(d_swap, n->a << 32 | n->a >> 32)
WANT(w_pack, W(W(n->x & 0xffff) << 16 | (n->y >> 16)))

static void conversions(void **state) {
    (void)state;
    static const row rows[] = {
        {"cvt.rzi.s32.f32 %w, %f;", w_to_int},
        {"cvt.rni.u8.f32 %w, %f;", w_to_uchar},
        {"cvt.rmi.s16.f32 %t1, %f; cvt.s32.s16 %w, %t1;", w_to_short},
        {FLOAT("cvt.rpi.f32.f32 %s0, %f;"), w_whole},
        {FLOAT("cvt.rn.f32.u32 %s0, %x;"), w_from_uint},
        {DOUBLE("cvt.rn.f64.s64 %e0, %a;"), d_from_int},
        {FLOAT("cvt.rn.f32.f64 %s0, %da;"), w_narrow},
        {"cvt.s64.s8 %d, %x;", d_sign},
        {"cvt.sat.u8.s32 %w, %x;", w_sat_u8},
        {"cvt.sat.s16.u64 %w, %a;", w_sat_s16},
        {"cvt.rn.f16.f32 %k0, %f; cvt.u32.u16 %w, %k0; testp.notanumber.f32 %p, %f; @%p mov.u32 "
         "%w, "
         "1;",
         w_half},
        {"and.b32 %t1, %x, 15; and.b32 %t2, %y, 7; cvt.rn.f32.u32 %s1, %t1; cvt.rn.f32.u32 %s2, "
         "%t2; cvt.rn.f16x2.f32 %t3, %s2, %s1; mov.u32 %t4, 0x45004200; mul.f16x2 %w, %t3, %t4;",
         w_half_sum},
        {"cvt.rn.bf16.f32 %k0, %f; cvt.u32.u16 %w, %k0; testp.notanumber.f32 %p, %f; @%p mov.u32 "
         "%w, 1;",
         w_bf16},
        {"mov.b64 {%t1, %t2}, %a; mov.b64 %d, {%t2, %t1};", d_swap},
        {"mov.b32 {%k0, %k1}, %x; mov.b32 {%k2, %k3}, %y; mov.b32 %w, {%k3, %k0};", w_pack},
    };
    CHECK(rows);
}

WANT(w_table, 10 * ((n->x & 3) + 1))
WANT(d_own, (n->a & 0xffffff00) | 5)
WANT(w_tile, W(n->thread ^ 1))
WANT(w_cell, 77)
WANT(w_twice, W(2 * n->x))
WANT(d_swapped, n->a << 32 | n->a >> 32)
WANT(w_loop, W((n->x & 15) * ((n->x & 15) + 1) / 2))
WANT(w_jump, (n->x & 3) == 0 ? 5 : (n->x & 3) == 1 ? 9 : (n->x & 3) == 2 ? 5 : 1)
WANT(w_space, 0xd)

static void memory_and_calls(void **state) {
    (void)state;
    static const row rows[] = {
        {"and.b32 %t1, %x, 3; mov.u64 %l0, table; mad.wide.u32 %l0, %t1, 4, %l0; ld.const.u32 %w, "
         "[%l0];",
         w_table},
        {"mov.u64 %l0, own; cvta.local.u64 %l0, %l0; st.u32 [%l0+8], %x; mov.u32 %t1, 5; "
         "st.local.u8 [own+8], %t1; ld.u32 %t2, [%l0+8]; cvt.u64.u32 %d, %t2;",
         d_own},
        {"mov.u32 %t1, tile; shl.b32 %t2, %t0, 2; add.u32 %t3, %t1, %t2; st.shared.u32 [%t3], %t0; "
         "bar.sync 0; xor.b32 %t2, %t2, 4; add.u32 %t3, %t1, %t2; ld.shared.u32 %w, [%t3];",
         w_tile},
        {"mov.u32 %t1, tile; shl.b32 %t2, %t0, 2; add.u32 %t3, %t1, %t2; st.shared.u32 [%t3], %t0; "
         "bar.sync 0; xor.b32 %t3, %t3, 4; cvt.u64.u32 %l0, %t3; cvta.shared.u64 %l0, %l0; "
         "ld.u32 %w, [%l0];",
         w_tile},
        {"ld.global.u64 %l0, [holder]; ld.u32 %w, [%l0];", w_cell},
        {"{ .param .b32 v; .param .b32 r; st.param.b32 [v], %x; call (r), twice, (v); "
         "ld.param.b32 %w, [r]; }",
         w_twice},
        {"{ .param .align 4 .b8 v[8]; .param .align 4 .b8 r[8]; st.param.b64 [v], %a; "
         "call (r), swap, (v); ld.param.b64 %d, [r]; }",
         d_swapped},
        {"and.b32 %t1, %x, 15; mov.u32 %w, 0; mov.u32 %t2, 0; again: setp.gt.u32 %p, %t2, %t1; "
         "@%p bra done; add.u32 %w, %w, %t2; add.u32 %t2, %t2, 1; bra again; done:",
         w_loop},
        {"ways: .branchtargets zero, one, zero; and.b32 %t1, %x, 3; mov.u32 %w, 1; setp.eq.u32 %p, "
         "%t1, 3; @%p bra done; brx.idx %t1, ways; zero: mov.u32 %w, 5; bra done; one: mov.u32 %w, "
         "9; done:",
         w_jump},
        {"mov.u64 %l0, tile; cvta.shared.u64 %l0, %l0; isspacep.shared %p, %l0; selp.u32 %t1, 1, "
         "0, "
         "%p; isspacep.local %p, %l0; selp.u32 %t2, 2, 0, %p; isspacep.global %p, %in; selp.u32 "
         "%t3, 4, 8, %p; mov.u64 %l1, own; cvta.local.u64 %l1, %l1; isspacep.local %p, %l1; "
         "selp.u32 %t4, 8, 0, %p; or.b32 %w, %t1, %t2; or.b32 %w, %w, %t3; or.b32 %w, %w, %t4;",
         w_space},
    };
    CHECK(rows);
}

WANT(w_ballot, 0x55555555)
WANT(w_bfly, n->thread ^ 3)
WANT(w_down, (n->thread & 31) < 30 ? n->thread + 2 : n->thread | 0x100)
WANT(w_redux, n->thread < 32 ? 31 : 63)
WANT(w_count, 21)
/* Only the first warp comes to barrier 3. */
WANT(w_named, n->thread < 32 ? 9 : 0)
WANT(w_and_or, n->thread < 32 ? 2 : 1)
WANT(w_match, W(0x11111111) << (n->thread & 3))
WANT(w_lane, (n->thread & 31) | (n->thread >> 5) << 8)

static void warps(void **state) {
    (void)state;
    static const row rows[] = {
        {"and.b32 %t1, %t0, 1; setp.eq.u32 %p, %t1, 0; vote.sync.ballot.b32 %w, %p, -1;", w_ballot},
        {"shfl.sync.bfly.b32 %w, %t0, 3, 31, -1;", w_bfly},
        {"shfl.sync.down.b32 %w|%p, %t0, 2, 31, -1; @!%p or.b32 %w, %w, 0x100;", w_down},
        {"redux.sync.max.u32 %w, %t0, -1;", w_redux},
        {"setp.lt.u32 %p, %t0, 21; bar.red.popc.u32 %w, 0, %p;", w_count},
        {"mov.u32 %w, 0; setp.lt.u32 %p, %t0, 9; setp.lt.u32 %q, %t0, 32; @%q bar.red.popc.u32 "
         "%w, 3, 32, %p;",
         w_named},
        {"setp.ne.u32 %p, %t0, 40; shr.u32 %t1, %t0, 5; add.u32 %t1, %t1, 1; setp.lt.u32 %u, %t0, "
         "32; selp.u32 %w, 2, 0, %u; barrier.red.and.pred %q, 5, %p; @%q mov.u32 %w, 9; "
         "setp.gt.u32 %p, %t0, 32; @%u bra done; barrier.red.or.pred %q, %t1, 32, %p; selp.u32 %w, "
         "1, 0, %q; done:",
         w_and_or},
        {"and.b32 %t1, %t0, 3; match.any.sync.b32 %w, %t1, -1;", w_match},
        {"mov.u32 %t1, %laneid; mov.u32 %t2, %warpid; shl.b32 %t2, %t2, 8; or.b32 %w, %t1, %t2;",
         w_lane},
    };
    CHECK(rows);
}

/* The extreme float of a warp; NaN is nothing, or, with .NaN, all. -0 is less than 0. */
static uint64_t extreme(const uint64_t *in, bool is_max, bool is_abs, bool keeps_nan) {
    float best = NAN;
    bool has_nan = false;
    for (uint32_t t = 0; t < 32; t++) {
        float f = numbers_of(in + t * NUMBERS, t).f;
        f = is_abs ? fabsf(f) : f;
        has_nan |= isnan(f);
        bool is_less = f < best || (f == best && !signbit(f) < !signbit(best));
        if (isnan(best) || (!isnan(f) && f != best && is_less != is_max) ||
            (f == best && is_less != is_max))
            best = f;
    }
    return of_float(keeps_nan && has_nan ? NAN : best);
}

static void reductions_of_floats(void **state) {
    (void)state;
    static const struct {
        const char *body;
        bool is_max, is_abs, keeps_nan;
    } rows[] = {
        {"redux.sync.min.f32 %s0, %f, -1; mov.b32 %w, %s0;", false, false, false},
        {"redux.sync.max.f32 %s0, %f, -1; mov.b32 %w, %s0;", true, false, false},
        {"redux.sync.min.abs.f32 %s0, %f, -1; mov.b32 %w, %s0;", false, true, false},
        {"redux.sync.max.abs.NaN.f32 %s0, %f, -1; mov.b32 %w, %s0;", true, true, true},
        {"redux.sync.min.NaN.f32 %s0, %f, -1; mov.b32 %w, %s0;", false, false, true},
    };
    enum { WITH_NAN, WITHOUT, ONLY_NAN, ZEROS, MIXES };
    uint64_t in[THREADS * NUMBERS], out[THREADS], seed = 9;
    for (uint32_t mix = 0; mix < MIXES; mix++) {
        for (uint32_t i = 0; i < THREADS * NUMBERS; i++) {
            uint64_t random = hd_next_random(&seed);
            in[i] = mix == ONLY_NAN  ? 0xffc00000 | (random & 0xffff)
                    : mix == ZEROS   ? random & 0x80000000
                    : mix == WITHOUT ? random & 0xbfffffff
                    : random % 8     ? random & 0xffffffff
                                     : 0x7fc00000 | (random & 0x80000000);
        }
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            hd_arena *arena = hd_arena_new();
            run_text(rows[r].body, text_of(arena, rows[r].body), in, out);
            for (uint32_t t = 0; t < THREADS; t++) {
                uint64_t wanted = extreme(in + t / 32 * 32 * NUMBERS, rows[r].is_max,
                                          rows[r].is_abs, rows[r].keeps_nan);
                assert_int_equal(out[t], wanted);
            }
            hd_arena_free(arena);
        }
    }
}

/* ---- barriers in shared memory ------------------------------------------------------------- */

#define INIT(count)                                                                         \
    "setp.eq.u32 %u, %t0, 0; @%u mbarrier.init.shared.b64 [tile+8], " count "; bar.sync 0;"
#define WAIT_V "v: mbarrier.test_wait.shared.b64 %u, [tile+8], %l1; @!%u bra v;"
#define WAIT_W "w: mbarrier.test_wait.shared.b64 %u, [tile+8], %l1; @!%u bra w;"

WANT(w_last_warp, 1063 + n->thread % 32)
WANT(w_of_parity, n->thread < 32 ? 1 | 0 << 1 | 0 << 2 | 1 << 3 | 1 << 4 : 0)
WANT(w_pending, 65 - n->thread)
WANT(w_dropped, n->thread < 16 ? 16 : 0)
WANT(w_bytes_came, n->thread ? 0 : 1 | 0 << 1 | 0 << 2 | 1 << 3)
WANT(w_all_came, 7)

static void barriers_in_memory(void **state) {
    (void)state;
    static const row rows[] = {
        /* Who waits stands before who comes; and the other way round. */
        {INIT("64") "setp.lt.u32 %q, %t0, 32; @!%q bra second; mbarrier.arrive.shared.b64 %l1, "
                    "[tile+8];" WAIT_W "ld.shared.u32 %w, [tile]; add.u32 %w, %w, %t0; bra done;"
                    "second: setp.eq.u32 %u, %t0, 63; add.u32 %t1, %t0, 1000;"
                    "@%u st.shared.u32 [tile], %t1; mbarrier.arrive.shared.b64 "
                    "%l2, [tile+8]; add.u32 %w, %t0, 1031; done:",
         w_last_warp},
        {INIT("64") "setp.ge.u32 %q, %t0, 32;"
                    "@%q bra second; mbarrier.arrive.shared::cta.b64 _, [tile+8], 1;"
                    "mov.u64 %l1, 0; v: mbarrier.try_wait.parity.shared.b64 %u, [tile+8], 0, 99;"
                    "@!%u bra v; ld.shared.u32 %w, [tile]; add.u32 %w, %w, %t0; bra done;"
                    "second: setp.eq.u32 %u, %t0, 63; add.u32 %t1, %t0, 1000;"
                    "@%u st.shared.u32 [tile], %t1; mbarrier.arrive.shared.b64 %l2, [tile+8];"
                    "add.u32 %w, %t0, 1031; done:",
         w_last_warp},
        /* Which parity is over: before, at, and behind the first phase. */
        {INIT("32") "mov.u32 %w, 0; setp.ge.u32 %q, %t0, 32; @%q bra done;"
                    "mbarrier.test_wait.parity.shared.b64 %u, [tile+8], 1; selp.u32 %t1, 1, 0, %u;"
                    "or.b32 %w, %w, %t1;"
                    "mbarrier.test_wait.parity.shared.b64 %u, [tile+8], 0; selp.u32 %t1, 2, 0, %u;"
                    "or.b32 %w, %w, %t1; mbarrier.arrive.shared.b64 %l1, [tile+8];"
                    "mbarrier.test_wait.parity.shared.b64 %u, [tile+8], 1; selp.u32 %t1, 4, 0, %u;"
                    "or.b32 %w, %w, %t1;"
                    "mbarrier.test_wait.parity.shared.b64 %u, [tile+8], 0; selp.u32 %t1, 8, 0, %u;"
                    "or.b32 %w, %w, %t1;"
                    "mbarrier.test_wait.shared.b64 %u, [tile+8], %l1; selp.u32 %t1, 16, 0, %u;"
                    "or.b32 %w, %w, %t1; done:",
         w_of_parity},
        {INIT("65") "mbarrier.arrive.noComplete.shared.b64 %l1, [tile+8], 1;"
                    "mbarrier.pending_count.b64 %w, %l1;",
         w_pending},
        /* Those that leave are no more waited for. */
        {INIT("64") "mov.u32 %w, 0; setp.ge.u32 %q, %t0, 16; @!%q bra stay;"
                    "mbarrier.arrive_drop.shared.b64 %l1, [tile+8]; bra done;"
                    "stay: mbarrier.arrive.shared.b64 %l1, [tile+8];" WAIT_V
                    "bar.warp.sync 0xffff; mbarrier.arrive.shared.b64 %l1, "
                    "[tile+8];" WAIT_W "setp.eq.u32 %u, %t0, 0; mov.u64 %l1, 0;"
                    "@%u mbarrier.arrive.shared.b64 %l1, "
                    "[tile+8], 1;"
                    "mbarrier.pending_count.b64 %w, %l1; "
                    "shfl.sync.idx.b32 %w, %w, 0, 31, 0xffff;"
                    "done:",
         w_dropped},
        /* A phase also waits for bytes. */
        {INIT("1") "mov.u32 %w, 0; setp.ne.u32 %q, %t0, 0; @%q bra done;"
                   "mbarrier.arrive.expect_tx.shared.b64 %l1, [tile+8], 96;"
                   "mbarrier.test_wait.parity.shared.b64 %u, [tile+8], 1; selp.u32 %w, 1, 0, %u;"
                   "mbarrier.complete_tx.relaxed.cta.shared.b64 [tile+8], 64;"
                   "mbarrier.test_wait.shared.b64 %u, [tile+8], %l1; selp.u32 %t1, 4, 0, %u;"
                   "or.b32 %w, %w, %t1; mbarrier.complete_tx.shared::cta.b64 [tile+8], 32;"
                   "mbarrier.test_wait.shared.b64 %u, [tile+8], %l1; selp.u32 %t1, 8, 0, %u;"
                   "or.b32 %w, %w, %t1; mbarrier.inval.shared.b64 [tile+8]; done:",
         w_bytes_came},
        /* cp.async arrives; of its own with .noinc alone. */
        {INIT("64") "cp.async.mbarrier.arrive.shared.b64 [tile+8];"
                    "cp.async.mbarrier.arrive.noinc.shared.b64 [tile+8]; mov.u32 %w, 7;"
                    "v: mbarrier.try_wait.parity.shared.b64 %u, [tile+8], 0; @!%u bra v;",
         w_all_came},
        /* Who sleeps while it waits lets others run. */
        {"setp.eq.u32 %u, %t0, 0; @%u st.shared.u32 [tile], 0; bar.sync 0; mov.u32 %w, 7;"
         "setp.lt.u32 %q, %t0, 63; @%q bra v; st.shared.u32 [tile], 1; bra done;"
         "v: ld.volatile.shared.u32 %t1, [tile]; setp.ne.u32 %u, %t1, 0; @%u bra done;"
         "nanosleep.u32 20; bra v; done:",
         w_all_came},
    };
    CHECK(rows);
}

static void faults_at_barriers_in_memory(void **state) {
    (void)state;
    static const failing_row rows[] = {
        {INIT("64") "setp.lt.u32 %q, %t0, 63; mov.u64 %l1, 0;"
                    "@%q mbarrier.arrive.shared.b64 %l1, [tile+8];" WAIT_V,
         "waits for an mbarrier's phase that nobody ends"},
        {INIT("5") "mbarrier.arrive.shared.b64 %l1, [tile+8], 2;",
         "arrives 2 times at an mbarrier whose phase lacks 1 of 5 arrivals"},
        {"mbarrier.arrive.shared.b64 %l1, [tile+16];", "lacks 0 of 0 arrivals; it is initialised"},
    };
    CHECK_FAILS(rows, HD_EINPUT);
}

/* Another part has what this one declares, and things of the same name that are its own. */
static void parts_of_a_text(void **state) {
    (void)state;
    const char *body =
        "mov.u64 %l0, step; call (%w), other, (%x, %l0); call (%t1), mine, (%x); add.u32 %w, %w, "
        "%t1;"
        "ld.global.u32 %t2, [cell]; add.u32 %w, %w, %t2; ld.global.u64 %l1, [shared_holder];"
        "ld.global.u32 %t3, [%l1]; add.u32 %w, %w, %t3;";
    static const char declarations[] =
        ".extern .global .align 8 .u64 shared_holder;\n"
        ".func (.reg .b32 r) step(.reg .b32 v) {\n"
        " .global .b32 x = 1; .reg .b32 c; ld.global.b32 c, [x]; add.u32 r, v, c; ret;\n}\n"
        ".func (.reg .b32 r) mine(.reg .b32 v) {\n"
        " .global .b32 x = 5; .reg .b32 c; ld.global.b32 c, [x]; xor.b32 r, v, c; ret;\n}\n"
        ".extern .func (.reg .b32 r) other(.reg .b32 v, .reg .b64 f);\n";
    static const char part[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".global .align 4 .u32 cell = 1000;\n"
        ".visible .global .align 8 .u64 shared_holder = generic(cell);\n"
        ".func (.reg .b32 r) mine(.reg .b32 v) { mul.lo.u32 r, v, 3; ret; }\n"
        ".visible .func (.reg .b32 r) other(.reg .b32 v, .reg .b64 f) {\n"
        " .reg .b32 %a, %b;\n call (%a), f, (v), proto;\n"
        " proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n call (%b), mine, (v);\n"
        " add.u32 r, %a, %b; ret;\n}\n";
    uint64_t in[THREADS * NUMBERS], out[THREADS], seed = 3;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++)
        in[i] = hd_next_random(&seed);
    hd_arena *arena = hd_arena_new();
    const char *first = text_of(arena, body), *kernel = strstr(first, ".visible .entry");
    const char *text =
        hd_format(arena, "%.*s%s%s%s", (int)(kernel - first), first, declarations, kernel, part);
    run_text(body, text, in, out);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t x = (uint32_t)in[t * NUMBERS];
        assert_int_equal(out[t], (uint32_t)(x + 1 + 3 * x + (x ^ 5) + 77 + 1000));
    }
    hd_arena_free(arena);
}

static uint32_t fibonacci(uint32_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static uint32_t climb(uint32_t n) { return n ? climb(n - 1) * 3 + n : 7; }
static uint32_t turns(uint32_t n) { return n ? turns(n - 1) + (n % 2 ? n : 10 * n) : 0; }

/* Directly, through a pointer, and by turns with memory of their own. */
static void functions_that_call_themselves(void **state) {
    (void)state;
    const char *body = "rem.u32 %t1, %t0, 9; call (%w), fibonacci, (%t1); rem.u32 %t1, %t0, 5;"
                       "mov.u64 %l0, climb; call (%t2), climb, (%t1, %l0); add.u32 %w, %w, %t2;"
                       "call (%t2), odd, (%t1); add.u32 %w, %w, %t2;";
    static const char declarations[] =
        ".func (.reg .b32 r) fibonacci(.reg .b32 n) {\n"
        " .reg .pred p; .reg .b32 a, b, m;\n setp.lt.u32 p, n, 2; mov.u32 r, n; @p ret;\n"
        " sub.u32 m, n, 1; call (a), fibonacci, (m); sub.u32 m, n, 2;\n"
        " call (b), fibonacci, (m); add.u32 r, a, b; @p add.u32 r, r, 100; ret;\n}\n"
        ".func (.reg .b32 r) climb(.reg .b32 n, .reg .b64 f) {\n"
        " .reg .pred p; .reg .b32 m;\n setp.eq.u32 p, n, 0; mov.u32 r, 7; @p ret;\n"
        " sub.u32 m, n, 1; call (r), f, (m, f), proto;\n"
        " proto: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b64 _);\n"
        " mad.lo.u32 r, r, 3, n; ret;\n}\n"
        ".func (.reg .b32 r) even(.reg .b32 n);\n"
        ".func (.reg .b32 r) odd(.reg .b32 n) {\n"
        " .local .b32 kept[2]; .reg .pred p; .reg .b32 m, i; .reg .b64 a;\n"
        " setp.eq.u32 p, n, 0; mov.u32 r, 0; @p ret;\n and.b32 i, n, 1; mov.u64 a, kept;\n"
        " mad.wide.u32 a, i, 4, a; st.local.b32 [a], n; sub.u32 m, n, 1;\n"
        " call (r), even, (m); ld.local.b32 m, [a]; @!p add.u32 r, r, m;\n"
        " setp.eq.u32 p, i, 0; mul.lo.u32 m, m, 9; @p add.u32 r, r, m; ret;\n}\n"
        ".func (.reg .b32 r) even(.reg .b32 n) { .local .b32 x[4]; .reg .b32 v;\n"
        " st.local.b32 [x+4], n; ld.local.b32 v, [x+4]; call (r), odd, (v); ret;\n}\n";
    uint64_t in[THREADS * NUMBERS] = {0}, out[THREADS];
    hd_arena *arena = hd_arena_new();
    const char *whole = text_of(arena, body), *kernel = strstr(whole, ".visible .entry");
    const char *text =
        hd_format(arena, "%.*s%s%s", (int)(kernel - whole), whole, declarations, kernel);
    run_text(body, text, in, out);
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(out[t], fibonacci(t % 9) + climb(t % 5) + turns(t % 5));
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(bits),
        cmocka_unit_test(floats),
        cmocka_unit_test(directed_rounding),
        cmocka_unit_test(conversions),
        cmocka_unit_test(memory_and_calls),
        cmocka_unit_test(warps),
        cmocka_unit_test(reductions_of_floats),
        cmocka_unit_test(parts_of_a_text),
        cmocka_unit_test(functions_that_call_themselves),
        cmocka_unit_test(barriers_in_memory),
        cmocka_unit_test(faults_at_barriers_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
