/*
 * Scalar arithmetic, 16 lanes at a time.
 *
 * Every handler is one loop over the active chunks with an inner loop of exactly
 * 16 steps, which the compiler turns into straight vector code: one 512-bit
 * instruction for 32-bit elements where there is AVX-512, two with AVX2, four
 * with SSE2. Where every live lane is active, results are stored as they are;
 * else the lanes' mask bytes choose between the result and what was there.
 *
 * Cells may be shared by an operand and a result of the same width only, so the
 * inner loops have no dependence between steps; GCC is told so by `ivdep`.
 *
 * Compiled once for each HD_LANES_NAME; see CMakeLists.txt.
 */
#include <math.h>
#if defined __AVX512BW__
#include <immintrin.h>
#endif

#include "machine/lane_flow.h"
#include "machine/lanes/lanes.h"

typedef int8_t I8;
typedef int16_t I16;
typedef int32_t I32;
typedef int64_t I64;
typedef _Float16 F16;
typedef float F32;
typedef double F64;
typedef uint8_t U_I8;
typedef uint16_t U_I16;
typedef uint32_t U_I32;
typedef uint64_t U_I64;

#define NAME_(a, b) a##_##b
#define NAME(a, b) NAME_(a, b)

/* Vectors: 16 elements of up to 4 bytes, 8 elements of 8 bytes. V(T) is the vector of T, M(T)
 * the vector of integers as wide as T, in which a condition is 0 or -1. */
#define VECTOR(T, n)                                                          \
    typedef T V_##T __attribute__((vector_size((n) * sizeof(T)), may_alias)); \
    enum { N_##T = (n) }
VECTOR(I8, 16);
VECTOR(I16, 16);
VECTOR(I32, 16);
VECTOR(I64, 8);
VECTOR(U_I8, 16);
VECTOR(U_I16, 16);
VECTOR(U_I32, 16);
VECTOR(U_I64, 8);
VECTOR(F32, 16);
VECTOR(F64, 8);
typedef uint8_t V_EIGHT __attribute__((vector_size(8), may_alias));
#define V(T) V_##T

#define ALWAYS static inline __attribute__((always_inline))
/* A loop that the compiler is to make one or a few vector instructions, not 16 scalar ones. */
#define LANE_LOOP(n) _Pragma("GCC unroll 1") for (uint32_t j = 0; j < (n); j++)

/* Conditions, one byte of 0 or 1 for each lane, as 0 or -1 in elements of another width; and
 * back: a comparison's 0 or -1 as bytes of 0 or 1. */
#define DEFINE_WIDTH(I, BYTES)                                 \
    ALWAYS V_U_##I spread_##I(const uint8_t *lanes) {          \
        U_##I z[N_##I];                                        \
        V_U_##I result;                                        \
        LANE_LOOP(N_##I) z[j] = (U_##I)(0u - (U_##I)lanes[j]); \
        memcpy(&result, z, sizeof z);                          \
        return result;                                         \
    }                                                          \
    ALWAYS BYTES condition_##I(V_##I v) {                      \
        U_##I z[N_##I];                                        \
        uint8_t y[N_##I];                                      \
        BYTES result;                                          \
        memcpy(z, &v, sizeof z);                               \
        LANE_LOOP(N_##I) y[j] = (uint8_t)(z[j] & 1);           \
        memcpy(&result, y, sizeof y);                          \
        return result;                                         \
    }
DEFINE_WIDTH(I8, V_U_I8)
DEFINE_WIDTH(I16, V_U_I8)
DEFINE_WIDTH(I32, V_U_I8)
/* Eight bytes at once: each lane shifts its own down. */
ALWAYS V_U_I64 spread_I64(const uint8_t *lanes) {
    static const V_U_I64 shift = {0, 8, 16, 24, 32, 40, 48, 56};
    uint64_t eight;
    memcpy(&eight, lanes, 8);
    V_U_I64 all = {eight, eight, eight, eight, eight, eight, eight, eight};
    return -(all >> shift & 1);
}
ALWAYS V_EIGHT condition_I64(V_I64 v) { return __builtin_convertvector((V_U_I64)v, V_EIGHT) & 1; }
#define BLEND(I, mask, x, y) (((V_U_##I)(x) & (mask)) | ((V_U_##I)(y) & ~(mask)))

/* A handler: `step` computes the 16 lanes from `at`; unless `masked` it stores all of them. */
#define HANDLER(name)                                                \
    static void name(vm_run *r, const vm_op *op) {                   \
        const vm_op o = *op;                                         \
        uint8_t *frame = r->frame;                                   \
        if (o.uniform) {                                             \
            name##_step(frame, &o, 0, false, NULL);                  \
            return;                                                  \
        }                                                            \
        const vm_span *span = r->spans, *end = span + r->span_count; \
        const uint8_t *mask = r->active.lane;                        \
        bool whole = r->whole;                                       \
        for (; span < end; span++) {                                 \
            uint32_t at = span->from, to = span->to;                 \
            if (whole)                                               \
                for (; at < to; at += VM_CHUNK)                      \
                    name##_step(frame, &o, at, false, NULL);         \
            else                                                     \
                for (; at < to; at += VM_CHUNK)                      \
                    name##_step(frame, &o, at, true, mask + at);     \
        }                                                            \
    }
#define STEP(name)                                                                     \
    ALWAYS void name##_step(uint8_t *frame, const vm_op *op, uint32_t at, bool masked, \
                            const uint8_t *mask)

/* Operand x of type T for the lanes from `at`. */
#define OPERAND(x, T) const T *x##_ = (const T *)(const void *)(frame + op->x) + (at & op->s##x)
#define RESULT(T) T *d_ = (T *)(void *)(frame + op->d) + at
#define LOAD(x, T, h) (*(const V(T) *)(const void *)(x##_ + (h)))

/* d = value for the vectors of one chunk; I is the integer type of d's width. */
#define STORE(T, I, h, value)                                                          \
    do {                                                                               \
        V(T) *to_ = (V(T) *)(void *)(d_ + (h));                                        \
        V(T) value_ = (value);                                                         \
        *to_ = masked ? (V(T))BLEND(I, spread_##I(mask + (h)), value_, *to_) : value_; \
    } while (0)

/* A handler that computes vectors from vectors a, b, c of type T; those that an operation does not
 * have are not loaded. */
#define VECTOR_STEP(name, R, T, store)                                    \
    STEP(name) {                                                          \
        RESULT(R);                                                        \
        OPERAND(a, T);                                                    \
        OPERAND(b, T);                                                    \
        OPERAND(c, T);                                                    \
        for (uint32_t h = 0; h < VM_CHUNK; h += N_##T) {                  \
            V(T) a = LOAD(a, T, h), b = LOAD(b, T, h), c = LOAD(c, T, h); \
            (void)a, (void)b, (void)c;                                    \
            store;                                                        \
        }                                                                 \
    }                                                                     \
    HANDLER(name)
#define VECTORS(name, T, I, value) VECTOR_STEP(name, T, T, STORE(T, I, h, value))
/* A comparison: bytes of 0 or 1 from operands of type T, as wide as integer I. */
#define COMPARE(name, T, I, value) VECTOR_STEP(name, uint8_t, T, STORE_CONDITION_##I(h, value))
#define STORE_CONDITION_I8(h, value) STORE(U_I8, I8, h, condition_I8((V_I8)(value)))
#define STORE_CONDITION_I16(h, value) STORE(U_I8, I8, h, condition_I16((V_I16)(value)))
#define STORE_CONDITION_I32(h, value) STORE(U_I8, I8, h, condition_I32((V_I32)(value)))
#define STORE_CONDITION_I64(h, value)                                       \
    do {                                                                    \
        V_EIGHT *to_ = (V_EIGHT *)(void *)(d_ + (h));                       \
        V_EIGHT value_ = condition_I64((V_I64)(value));                     \
        if (masked) {                                                       \
            V_EIGHT lanes_ = -*(const V_EIGHT *)(const void *)(mask + (h)); \
            value_ = (value_ & lanes_) | (*to_ & ~lanes_);                  \
        }                                                                   \
        *to_ = value_;                                                      \
    } while (0)

/* Handlers that go lane by lane: what has no vector instruction, and conversions, which the
 * compiler turns into vector code where it can. A is the operands' type. */
#define LANE_BY_LANE(name, T, A, value)             \
    STEP(name) {                                    \
        RESULT(T);                                  \
        OPERAND(a, A);                              \
        OPERAND(b, A);                              \
        OPERAND(c, A);                              \
        T z[VM_CHUNK];                              \
        LANE_LOOP(VM_CHUNK) {                       \
            A a = a_[j], b = b_[j], c = c_[j];      \
            (void)b, (void)c;                       \
            z[j] = (T)(value);                      \
        }                                           \
        if (!masked)                                \
            memcpy(d_, z, sizeof z);                \
        else                                        \
            for (uint32_t j = 0; j < VM_CHUNK; j++) \
                d_[j] = mask[j] ? z[j] : d_[j];     \
    }                                               \
    HANDLER(name)

/* ---- integers --------------------------------------------------------------------- */

#define EACH_INT(M, ...)                                                           \
    M(__VA_ARGS__, I8) M(__VA_ARGS__, I16) M(__VA_ARGS__, I32) M(__VA_ARGS__, I64)

/* Unsigned, because signed overflow would be undefined. */
#define DEFINE_WRAP(op, sign, T) VECTORS(op##_##T, U_##T, T, a sign b)
EACH_INT(DEFINE_WRAP, ADD, +)
EACH_INT(DEFINE_WRAP, SUB, -)
EACH_INT(DEFINE_WRAP, MUL, *)
EACH_INT(DEFINE_WRAP, AND, &)
EACH_INT(DEFINE_WRAP, OR, |)
EACH_INT(DEFINE_WRAP, XOR, ^)

/* Lanes that are not active may hold any numbers, so division must be total: by zero it
 * gives 0, and the remainder is the dividend; kir leaves that undefined. */
#define DEFINE_SDIV(op, T)                                                                    \
    LANE_BY_LANE(op##_##T, T, T, b == -1 ? (T)(0 - (U_##T)a) : b ? a / (b == -1 ? 1 : b) : 0)
#define DEFINE_SREM(op, T) LANE_BY_LANE(op##_##T, T, T, b == -1 ? 0 : b ? a % (b == -1 ? 1 : b) : a)
#define DEFINE_UDIV(op, T) LANE_BY_LANE(op##_##T, U_##T, U_##T, b ? a / b : 0)
#define DEFINE_UREM(op, T) LANE_BY_LANE(op##_##T, U_##T, U_##T, b ? a % b : a)
EACH_INT(DEFINE_SDIV, SDIV)
EACH_INT(DEFINE_SREM, SREM)
EACH_INT(DEFINE_UDIV, UDIV)
EACH_INT(DEFINE_UREM, UREM)

/* OpenCL takes the distance modulo the width. */
#define DEFINE_SHIFT(op, sign, T) VECTORS(op##_##T, U_##T, T, a sign(b & (sizeof(T) * 8 - 1)))
EACH_INT(DEFINE_SHIFT, SHL, <<)
EACH_INT(DEFINE_SHIFT, LSHR, >>)
#define DEFINE_ASHR(op, T) VECTORS(op##_##T, T, T, a >> (b & (T)(sizeof(T) * 8 - 1)))
EACH_INT(DEFINE_ASHR, ASHR)

#define DEFINE_UNSIGNED_COMPARE(op, sign, T) COMPARE(op##_##T, U_##T, T, a sign b)
EACH_INT(DEFINE_UNSIGNED_COMPARE, EQ, ==)
EACH_INT(DEFINE_UNSIGNED_COMPARE, NE, !=)
EACH_INT(DEFINE_UNSIGNED_COMPARE, ULT, <)
EACH_INT(DEFINE_UNSIGNED_COMPARE, ULE, <=)
EACH_INT(DEFINE_UNSIGNED_COMPARE, UGT, >)
EACH_INT(DEFINE_UNSIGNED_COMPARE, UGE, >=)
#define DEFINE_COMPARE(op, value, T) COMPARE(op##_##T, T, T, value)
EACH_INT(DEFINE_COMPARE, SLT, a < b)
EACH_INT(DEFINE_COMPARE, SLE, a <= b)
EACH_INT(DEFINE_COMPARE, SGT, a > b)
EACH_INT(DEFINE_COMPARE, SGE, a >= b)

/* a is a condition, b and c are of the result's type. */
#define DEFINE_SELECT(op, T)                                                         \
    STEP(op##_##T) {                                                                 \
        RESULT(U_##T);                                                               \
        OPERAND(a, uint8_t);                                                         \
        OPERAND(b, U_##T);                                                           \
        OPERAND(c, U_##T);                                                           \
        for (uint32_t h = 0; h < VM_CHUNK; h += N_##T) {                             \
            V(U_##T) yes = spread_##T(a_ + h);                                       \
            STORE(U_##T, T, h, BLEND(T, yes, LOAD(b, U_##T, h), LOAD(c, U_##T, h))); \
        }                                                                            \
    }                                                                                \
    HANDLER(op##_##T)
EACH_INT(DEFINE_SELECT, SELECT)
#define DEFINE_MOVE(op, T) VECTORS(op##_##T, U_##T, T, a)
EACH_INT(DEFINE_MOVE, MOVE)
VECTORS(BIT_I8, U_I8, I8, a & 1)
VECTORS(SIGN_I8, U_I8, I8, -a)

#define X(M, from, to)                                     \
    LANE_BY_LANE(TRUNC_##to##_##from, U_##from, U_##to, a) \
    LANE_BY_LANE(ZEXT_##from##_##to, U_##to, U_##from, a)  \
    LANE_BY_LANE(SEXT_##from##_##to, to, from, a)
VM_CONVERT_PAIRS(X, )
#undef X

/* ---- floating point ------------------------------------------------------------------ */

#define EACH_FLOAT(M, ...) M(__VA_ARGS__, F32, I32) M(__VA_ARGS__, F64, I64)

/* A half is computed as a float: rounded twice, which for + - * / and the square root gives
 * what rounding once would. */
#define DEFINE_FLOAT(op, sign, T, I) VECTORS(op##_##T, T, I, a sign b)
#define DEFINE_HALF(op, sign) LANE_BY_LANE(op##_F16, F16, F16, (float)a sign(float) b)
#define DEFINE_ARITHMETIC(op, sign) EACH_FLOAT(DEFINE_FLOAT, op, sign) DEFINE_HALF(op, sign)
DEFINE_ARITHMETIC(FADD, +)
DEFINE_ARITHMETIC(FSUB, -)
DEFINE_ARITHMETIC(FMUL, *)
DEFINE_ARITHMETIC(FDIV, /)
LANE_BY_LANE(FREM_F16, F16, F16, fmodf((float)a, (float)b))
LANE_BY_LANE(FREM_F32, F32, F32, fmodf(a, b))
LANE_BY_LANE(FREM_F64, F64, F64, fmod(a, b))

#define DEFINE_FLOAT_COMPARE(op, value, T, I) COMPARE(op##_##T, T, I, value)
#define DEFINE_HALF_COMPARE(op, value)                                       \
    ALWAYS bool op##_of_halves(float a, float b) { return value; }           \
    LANE_BY_LANE(op##_F16, uint8_t, F16, op##_of_halves((float)a, (float)b))
#define DEFINE_COMPARISON(op, value)                                           \
    EACH_FLOAT(DEFINE_FLOAT_COMPARE, op, value) DEFINE_HALF_COMPARE(op, value)
DEFINE_COMPARISON(OEQ, a == b)
DEFINE_COMPARISON(ONE, (a < b) | (a > b))
DEFINE_COMPARISON(OLT, a < b)
DEFINE_COMPARISON(OLE, a <= b)
DEFINE_COMPARISON(OGT, a > b)
DEFINE_COMPARISON(OGE, a >= b)
DEFINE_COMPARISON(UEQ, (a == b) | (a != a) | (b != b))
DEFINE_COMPARISON(UNE, a != b)
DEFINE_COMPARISON(UFLT, (a < b) | (a != a) | (b != b))
DEFINE_COMPARISON(UFLE, (a <= b) | (a != a) | (b != b))
DEFINE_COMPARISON(UFGT, (a > b) | (a != a) | (b != b))
DEFINE_COMPARISON(UFGE, (a >= b) | (a != a) | (b != b))
DEFINE_COMPARISON(ORD, (a == a) & (b == b))
DEFINE_COMPARISON(UNO, (a != a) | (b != b))

/* Signs by bits, so that NaNs keep theirs. */
VECTORS(FNEG_F16, U_I16, I16, a ^ 0x8000)
VECTORS(FNEG_F32, U_I32, I32, a ^ 0x80000000)
VECTORS(FNEG_F64, U_I64, I64, a ^ 0x8000000000000000)
VECTORS(FABS_F16, U_I16, I16, a & 0x7fff)
VECTORS(FABS_F32, U_I32, I32, a & 0x7fffffff)
VECTORS(FABS_F64, U_I64, I64, a & 0x7fffffffffffffff)
/* Not fused, on every processor alike. */
VECTORS(FMULADD_F32, F32, I32, a *b + c)
VECTORS(FMULADD_F64, F64, I64, a *b + c)
LANE_BY_LANE(FMULADD_F16, F16, F16, (float)(F16)((float)a *(float)b) + (float)c)
/* Both steps rounded: within 2 ulp, as OpenCL asks. */
LANE_BY_LANE(RSQRT_F16, F16, F16, 1.0f / sqrtf((float)a))
LANE_BY_LANE(RSQRT_F32, F32, F32, 1.0f / sqrtf(a))
LANE_BY_LANE(RSQRT_F64, F64, F64, 1.0 / sqrt(a))
#define DEFINE_UNARY(op, of_float, of_double)            \
    LANE_BY_LANE(op##_F16, F16, F16, of_float((float)a)) \
    LANE_BY_LANE(op##_F32, F32, F32, of_float(a))        \
    LANE_BY_LANE(op##_F64, F64, F64, of_double(a))
DEFINE_UNARY(SQRT, sqrtf, sqrt)
DEFINE_UNARY(FLOOR, floorf, floor)
DEFINE_UNARY(CEIL, ceilf, ceil)
DEFINE_UNARY(FTRUNC, truncf, trunc)
DEFINE_UNARY(RINT, rintf, rint)
/* In a double the product of halves is exact, and so is the sum where it is near the middle between
 * two halves. */
LANE_BY_LANE(FMA_F16, F16, F16, (double)a *(double)b + (double)c)
LANE_BY_LANE(FMA_F32, F32, F32, fmaf(a, b, c))
LANE_BY_LANE(FMA_F64, F64, F64, fma(a, b, c))
/* A NaN gives way to the other operand; equal numbers differ in the signs of zeros alone. */
#define PICK(I, signs, condition)                            \
    BLEND(I, (V_U_##I)(a == b), (V_U_##I)a signs(V_U_##I) b, \
          BLEND(I, (V_U_##I)((condition) | (b != b)), a, b))
/* NaN when an operand is one: every bit but the sign. */
#define PICK_NAN(I, signs, condition)                                                            \
    BLEND(I, (V_U_##I)((a != a) | (b != b)), (V_U_##I){0} + SIZE_##I, PICK(I, signs, condition))
#define SIZE_I16 0x7fff
#define SIZE_I32 0x7fffffff
#define SIZE_I64 0x7fffffffffffffff
#define DEFINE_FMIN(op, T, I) VECTORS(op##_##T, T, I, (V(T))PICK(I, |, a < b))
#define DEFINE_FMAX(op, T, I) VECTORS(op##_##T, T, I, (V(T))PICK(I, &, a > b))
#define DEFINE_FMIN_NAN(op, T, I) VECTORS(op##_##T, T, I, (V(T))PICK_NAN(I, |, a < b))
#define DEFINE_FMAX_NAN(op, T, I) VECTORS(op##_##T, T, I, (V(T))PICK_NAN(I, &, a > b))
EACH_FLOAT(DEFINE_FMIN, FMIN)
EACH_FLOAT(DEFINE_FMAX, FMAX)
EACH_FLOAT(DEFINE_FMIN_NAN, FMIN_NAN)
EACH_FLOAT(DEFINE_FMAX_NAN, FMAX_NAN)
/* The lesser of two halves, as bits, or the greatest of them. */
ALWAYS U_I16 half_extreme(U_I16 x, U_I16 y, bool greatest, bool nan_wins) {
    F16 a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    float wide_a = (float)a, wide_b = (float)b;
    if (nan_wins && ((wide_a != wide_a) | (wide_b != wide_b)))
        return SIZE_I16;
    if (wide_a == wide_b)
        return greatest ? x & y : x | y;
    return (greatest ? wide_a > wide_b : wide_a < wide_b) | (wide_b != wide_b) ? x : y;
}
LANE_BY_LANE(FMIN_F16, U_I16, U_I16, half_extreme(a, b, false, false))
LANE_BY_LANE(FMAX_F16, U_I16, U_I16, half_extreme(a, b, true, false))
LANE_BY_LANE(FMIN_NAN_F16, U_I16, U_I16, half_extreme(a, b, false, true))
LANE_BY_LANE(FMAX_NAN_F16, U_I16, U_I16, half_extreme(a, b, true, true))
/* Numbers without a leading bit keep their sign alone. */
#define DEFINE_FLUSH(T, I, exponent)                                                 \
    VECTORS(FLUSH_##T, U_##I, I, a & ~((V_U_##I)((a & (exponent)) == 0) & SIZE_##I))
DEFINE_FLUSH(F16, I16, 0x7c00)
DEFINE_FLUSH(F32, I32, 0x7f800000)
DEFINE_FLUSH(F64, I64, 0x7ff0000000000000)
/* Between 0 and 1; of NaN and -0 it is +0. */
#define DEFINE_SATURATE(op, T, I) \
    VECTORS(op##_##T, T, I, (V(T))(BLEND(I, (V_U_##I)(a < 1), a, (V(T)){0} + 1) & (V_U_##I)(a > 0)))
EACH_FLOAT(DEFINE_SATURATE, SATURATE)
LANE_BY_LANE(SATURATE_F16, F16, F16, (float)a > 0 ? ((float)a < 1 ? (float)a : 1) : 0)

#define X(M, from, to) LANE_BY_LANE(from##_##to, to, from, a)
VM_FLOAT_PAIRS(X, )
#undef X

/* A float beyond the integer's range is undefined in kir; it is brought into the range
 * here, and NaN becomes 0, so that C does not leave it undefined, too. Bounds are powers
 * of two, so that they are exact in a float. */
#define BITS(I) (sizeof(I) * 8)
#define TO_SIGNED(I, W, x)                                                       \
    ((x) >= (W)((uint64_t)1 << (BITS(I) - 1))   ? (I)((U_##I) - 1 >> 1)          \
     : (x) < -(W)((uint64_t)1 << (BITS(I) - 1)) ? (I)((U_##I)1 << (BITS(I) - 1)) \
     : (x) == (x)                               ? (I)(x)                         \
                                                : (I)0)
#define TO_UNSIGNED(I, W, x) \
    ((x) >= 2 * (W)((uint64_t)1 << (BITS(I) - 1)) ? (U_##I) - 1 : (x) > -1 ? (U_##I)(x) : (U_##I)0)
/* W is the type that F is computed in. */
#define DEFINE_INT_FLOAT(I, F, W)                             \
    LANE_BY_LANE(S##I##_##F, F, I, (W)a)                      \
    LANE_BY_LANE(U##I##_##F, F, U_##I, (W)a)                  \
    LANE_BY_LANE(F##_S##I, I, F, TO_SIGNED(I, W, (W)a))       \
    LANE_BY_LANE(F##_U##I, U_##I, F, TO_UNSIGNED(I, W, (W)a))
#define W_F16 float
#define W_F32 float
#define W_F64 double
#define X(M, I, F) DEFINE_INT_FLOAT(I, F, W_##F)
VM_INT_FLOAT_PAIRS(X, )
#undef X

/* ---- addresses ----------------------------------------------------------------------- */

STEP(ADDR_I64) {
    RESULT(U_I64);
    OPERAND(a, U_I64);
    OPERAND(b, U_I64);
    for (uint32_t h = 0; h < VM_CHUNK; h += N_U_I64)
        STORE(U_I64, I64, h,
              LOAD(a, U_I64, h) + LOAD(b, U_I64, h) * (uint64_t)op->imm + (uint64_t)op->imm2);
}
HANDLER(ADDR_I64)

STEP(ADDR_I32) {
    typedef int32_t half __attribute__((vector_size(32), may_alias));
    RESULT(U_I64);
    OPERAND(a, U_I64);
    OPERAND(b, int32_t);
    for (uint32_t h = 0; h < VM_CHUNK; h += N_U_I64) {
        V_U_I64 index =
            (V_U_I64) __builtin_convertvector(*(const half *)(const void *)(b_ + h), V_I64);
        STORE(U_I64, I64, h, LOAD(a, U_I64, h) + index * (uint64_t)op->imm + (uint64_t)op->imm2);
    }
}
HANDLER(ADDR_I32)

/* ---- masks ------------------------------------------------------------------------------ */

/* Up to 64 bytes of 0 or 1 from bits, and back; going back, a lane that is not active may have
 * any byte, and then either bit. */
#if defined __AVX512BW__
ALWAYS void bytes_of(uint64_t bits, uint32_t count, uint8_t *lane) {
    _mm512_mask_storeu_epi8(lane, UINT64_MAX >> (64 - count), _mm512_maskz_set1_epi8(bits, 1));
}
ALWAYS uint64_t bits_of(const uint8_t *lane, uint32_t count) {
    __m512i bytes = _mm512_maskz_loadu_epi8(UINT64_MAX >> (64 - count), lane);
    return _mm512_test_epi8_mask(bytes, bytes);
}
#else
/* Byte i of eight keeps bit i, and becomes 0 or 1. */
ALWAYS void bytes_of(uint64_t bits, uint32_t count, uint8_t *lane) {
    for (uint32_t at = 0; at < count; at += 8) {
        uint64_t eight = (bits >> at & 0xff) * 0x0101010101010101u & 0x8040201008040201u;
        eight = (eight + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
        memcpy(lane + at, &eight, 8);
    }
}
/* Eight bytes become eight bits by one multiplication. */
ALWAYS uint64_t bits_of(const uint8_t *lane, uint32_t count) {
    uint64_t bits = 0, eight;
    for (uint32_t at = 0; at < count; at += 8) {
        memcpy(&eight, lane + at, 8);
        bits |= ((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << at;
    }
    return bits;
}
#endif

static uint32_t split(const uint64_t *active, const uint8_t *condition, uint32_t padded,
                      uint64_t *yes, uint64_t *no) {
    uint32_t count = 0;
    for (uint32_t at = 0; at < padded; at += 64) {
        uint32_t rest = padded - at;
        uint64_t holds = bits_of(condition + at, rest < 64 ? rest : 64), lanes = active[at / 64];
        yes[at / 64] = lanes & holds;
        no[at / 64] = lanes & ~holds;
        count += (uint32_t)__builtin_popcountll(lanes & holds);
    }
    return count;
}

static void unpack(const uint64_t *bits, uint32_t padded, uint8_t *lane) {
    for (uint32_t at = 0; at < padded; at += 64) {
        uint32_t rest = padded - at;
        bytes_of(bits[at / 64], rest < 64 ? rest : 64, lane + at);
    }
}

static void survey(const uint64_t *address, uint32_t lanes, vm_survey *s) {
    uint64_t first = address[0], least = first, greatest = first, bits = first, uneven = 0;
    uint64_t stride = lanes > 1 ? address[1] - first : 0;
    static const V_U_I64 number = {0, 1, 2, 3, 4, 5, 6, 7};
    V_U_I64 zero = {0}, low = zero + first, high = low, all = low, off = zero;
    V_U_I64 expected = low + number * stride;
    uint32_t l = 0;
    for (; l + 8 <= lanes; l += 8) {
        V_U_I64 x;
        memcpy(&x, address + l, sizeof x);
        low = BLEND(I64, (V_U_I64)(x < low), x, low);
        high = BLEND(I64, (V_U_I64)(x > high), x, high);
        all |= x;
        off |= x ^ expected;
        expected += 8 * stride;
    }
    for (uint32_t j = 0; j < 8; j++) {
        least = low[j] < least ? low[j] : least;
        greatest = high[j] > greatest ? high[j] : greatest;
        bits |= all[j];
        uneven |= off[j];
    }
    for (; l < lanes; l++) {
        uint64_t x = address[l];
        least = x < least ? x : least;
        greatest = x > greatest ? x : greatest;
        bits |= x;
        uneven |= x ^ (first + l * stride);
    }
    *s = (vm_survey){least, greatest, bits, !uneven, (int64_t)stride};
}

static bool strided(const uint64_t *address, const uint64_t *bits, uint32_t padded, uint64_t base,
                    uint64_t stride) {
    static const V_U_I64 number = {0, 1, 2, 3, 4, 5, 6, 7};
    V_U_I64 zero = {0}, expected = zero + base + number * stride, off = zero;
    for (uint32_t l = 0; l < padded; l += 8, expected += 8 * stride) {
        uint64_t set = bits[l / 64] >> l % 64;
        V_U_I64 x;
        memcpy(&x, address + l, sizeof x);
        x ^= expected;
        if ((set & 0xff) != 0xff)
            x &= 0 - ((zero + set) >> number & 1);
        off |= x;
        if (l % 64 != 56 && l + 8 < padded)
            continue;
        for (uint32_t j = 0; j < 8; j++)
            if (off[j])
                return false;
    }
    return true;
}

static void permute(const uint32_t *value, const uint32_t *from, uint32_t *result) {
#if defined __AVX512BW__
    __m512i low = _mm512_loadu_si512(value), high = _mm512_loadu_si512(value + VM_WARP / 2);
    __m512i x = _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from), high);
    __m512i y = _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from + VM_WARP / 2), high);
    _mm512_storeu_si512(result, x);
    _mm512_storeu_si512(result + VM_WARP / 2, y);
#else
    uint32_t results[VM_WARP];
    for (uint32_t l = 0; l < VM_WARP; l++)
        results[l] = value[from[l]];
    memcpy(result, results, sizeof results);
#endif
}

#define E_INT(op) op##_I8, op##_I16, op##_I32, op##_I64,
#define E_FLOAT(op) op##_F16, op##_F32, op##_F64,
#define E_ONE(name) name,
extern const vm_lanes NAME(vm_lanes, HD_LANES_NAME);
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const vm_lanes NAME(vm_lanes, HD_LANES_NAME) = {
    .name = TEXT(HD_LANES_NAME),
    .fn = {VM_HANDLERS(E_INT, E_FLOAT, E_ONE)},
    .split = split,
    .unpack = unpack,
    .survey = survey,
    .strided = strided,
    .permute = permute,
};
