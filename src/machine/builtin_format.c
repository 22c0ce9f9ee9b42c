/*
 * Halves, bf16, tf32 and floats of 8 bits, as PTX has them: conversions in every
 * direction of rounding, and arithmetic of bf16. The conversions that kernels make in
 * their loops go 16 lanes at a time; all others are exact numbers, rounded once by
 * format.c.
 */
#include "machine/builtin.h"
#include "machine/format.h"

/* ---- any number to a format ------------------------------------------------------- */

/* To which format, and how. */
typedef struct formatting {
    const vm_format *format;
    int rounding; /* of fenv.h; below 0: the one of the function's name */
    bool is_unsigned;
    vm_op_fn *of_float; /* a faster way from a float, or NULL */
} formatting;

static void run_formatting(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    const formatting *f = call->what;
    int rounding = f->rounding < 0 ? (int)op->imm : f->rounding;
    VM_EACH_LANE(r, op, lane) {
        uint64_t size = vm_element(r, call->x[0], lane);
        bool negative = !f->is_unsigned && vm_signed(r, call->x[0], lane) < 0;
        if (!f->is_unsigned)
            size = (uint64_t)vm_signed(r, call->x[0], lane);
        vm_put_bits(
            r, call->d, lane,
            call->x[0].elem >= VM_F16
                ? vm_format_real(f->format, vm_real_at(r, call->x[0], lane), rounding)
                : vm_format_integer(f->format, negative, negative ? 0 - size : size, rounding));
    }
}

static void compile_formatting(vm_compiler *c, const void *what) {
    const vm_handlers fast = {.fn[VM_F32] = ((const formatting *)what)->of_float};
    if (vm_call_elem(c, 0) == VM_F32 && fast.fn[VM_F32])
        vm_compile_handlers(c, &fast);
    else
        vm_compile_each(c, &(const vm_caller){run_formatting, what});
}

/* ---- bits of floats --------------------------------------------------------------- */

enum { BF16_NAN = 0x7fff };
static inline bool is_nan(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }
/* To the nearest, even in the middle, in the upper 16 bits. */
static inline uint32_t rounded_up(uint32_t bits, uint32_t dropped) {
    return bits + (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
}

#define FROM_FLOAT(name, D, of_nan, value)                                                 \
    VM_HANDLER(name, D, uint32_t, uint32_t, uint32_t, , is_nan(a[j]) ? (of_nan) : (value))
FROM_FLOAT(bf16_nearest, uint16_t, BF16_NAN, rounded_up(a[j], 16) >> 16)
FROM_FLOAT(bf16_towards_zero, uint16_t, BF16_NAN, a[j] >> 16)
/* What rounds up beyond the last number is infinity. */
FROM_FLOAT(tf32_away, uint32_t, 0x7fffffff, (a[j] + 0x1000) & ~0x1fffu)
FROM_FLOAT(tf32_even, uint32_t, 0x7fffffff, rounded_up(a[j], 13) & ~0x1fffu)
FROM_FLOAT(tf32_towards_zero, uint32_t, 0x7fffffff, a[j] & ~0x1fffu)

/* ---- arithmetic of bf16 ----------------------------------------------------------- */

static inline float wide(uint16_t bits) {
    uint32_t all = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &all, sizeof value);
    return value;
}

static inline uint16_t narrow(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(is_nan(bits) ? BF16_NAN : rounded_up(bits, 16) >> 16);
}

/* A float has more than twice the bits, so to round a sum or a product to it first changes nothing;
 * a sum with a product in it may need more. */
#define OF_BF16(name, value) VM_HANDLER(name, uint16_t, uint16_t, uint16_t, uint16_t, , value)
OF_BF16(bf16_add, narrow(wide(a[j]) + wide(b[j])))
OF_BF16(bf16_sub, narrow(wide(a[j]) - wide(b[j])))
OF_BF16(bf16_mul, narrow(wide(a[j]) * wide(b[j])))
OF_BF16(bf16_fma,
        vm_format_real(&vm_bf16, vm_fma_to_odd(wide(a[j]), wide(b[j]), wide(c[j])), FE_TONEAREST))

/* ---- pairs of 8 bits -------------------------------------------------------------- */

typedef struct pair {
    const vm_format *format;      /* that two numbers become, or */
    double (*real)(uint8_t bits); /* what two become halves from */
} pair;

static void run_pair(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    const pair *p = call->what;
    VM_EACH_LANE(r, op, lane) {
        uint32_t part[2], bits = (uint32_t)vm_element(r, call->x[0], lane);
        for (uint32_t i = 0; i < 2; i++) /* the high one is given first */
            part[i] =
                p->real
                    ? vm_format_real(&vm_f16, p->real((uint8_t)(bits >> 8 * i)), FE_TONEAREST)
                    : vm_format_real(p->format, vm_real_at(r, call->x[1 - i], lane), FE_TONEAREST);
        vm_put_bits(r, call->d, lane, part[1] << (p->real ? 16 : 8) | part[0]);
    }
}

/* ---- the table -------------------------------------------------------------------- */

#define FORMAT(name, shape, ...)                                             \
    {                                                                        \
        name, shape, compile_formatting, &(const formatting) { __VA_ARGS__ } \
    }
#define OF_NAME (-1)
#define HANDLER(name, shape, elem, handler) {name, shape, VM_BY_ELEM([elem] = handler)}
#define PAIR(name, shape, ...) {name, shape, VM_EACH(run_pair, &(const pair){__VA_ARGS__})}

const vm_builtin vm_format_builtins[] = {
    FORMAT("convert_half*", "hd", &vm_f16, OF_NAME, false),
    FORMAT("convert_half*", "ha", &vm_f16, OF_NAME, false),
    FORMAT("u_convert_half*", "hd", &vm_f16, OF_NAME, true),
    FORMAT("convert_bf16*", "kd", &vm_bf16, OF_NAME, false),
    FORMAT("convert_bf16*", "ka", &vm_bf16, OF_NAME, false),
    FORMAT("u_convert_bf16*", "kd", &vm_bf16, OF_NAME, true),
    FORMAT("float_to_bf16", "ka", &vm_bf16, FE_TONEAREST, false, bf16_nearest),
    FORMAT("float_to_bf16_rz", "ka", &vm_bf16, FE_TOWARDZERO, false, bf16_towards_zero),
    FORMAT("float_to_bf16_ru", "ka", &vm_bf16, FE_UPWARD, false),
    FORMAT("float_to_bf16_rd", "ka", &vm_bf16, FE_DOWNWARD, false),
    HANDLER("round_to_tf32", "ff", VM_F32, tf32_away),
    HANDLER("round_to_tf32_rn", "ff", VM_F32, tf32_even),
    HANDLER("round_to_tf32_rz", "ff", VM_F32, tf32_towards_zero),
    HANDLER("bf16_add", "kkk", VM_I16, bf16_add),
    HANDLER("bf16_sub", "kkk", VM_I16, bf16_sub),
    HANDLER("bf16_mul", "kkk", VM_I16, bf16_mul),
    HANDLER("bf16_fma", "kkkk", VM_I16, bf16_fma),
    PAIR("float2_to_e4m3x2", "kff", .format = &vm_e4m3),
    PAIR("float2_to_e5m2x2", "kff", .format = &vm_e5m2),
    PAIR("e4m3x2_to_half2", "ik", .real = vm_real_of_e4m3),
    PAIR("e5m2x2_to_half2", "ik", .real = vm_real_of_e5m2),
    {NULL},
};
