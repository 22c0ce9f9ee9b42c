/*
 * Halves, bf16, tf32 and floats of 8 bits, as PTX has them: conversions in every
 * direction of rounding, and arithmetic of bf16. The conversions that kernels make in
 * their loops go 16 lanes at a time; all others are exact numbers, rounded once by
 * format.c.
 */
#include "vm/builtin.h"
#include "vm/format.h"

/* ---- any number to a format ------------------------------------------------------- */

typedef struct formatting {
    const vm_format *format;
    int rounding; /* of fenv.h */
    bool is_unsigned;
    vm_operand d, a;
} formatting;

static uint32_t format_integer(const vm_run *r, const formatting *f, uint32_t lane) {
    if (f->is_unsigned)
        return vm_format_integer(f->format, false, vm_element(r, f->a, lane), f->rounding);
    int64_t x = vm_signed(r, f->a, lane);
    uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    return vm_format_integer(f->format, x < 0, size, f->rounding);
}

static void run_formatting(vm_run *r, const vm_op *op) {
    const formatting *f = op->more;
    VM_EACH_LANE(r, op, lane)
    vm_put_bits(r, f->d, lane,
                f->a.elem >= VM_F16
                    ? vm_format_real(f->format, vm_real_at(r, f->a, lane), f->rounding)
                    : format_integer(r, f, lane));
}

/* `what`: a formatting without operands; one whose rounding is below 0 has that of its name. */
static void compile_formatting(vm_compiler *c, const void *what) {
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        formatting *f = hd_new(c->arena, formatting);
        *f = *(const formatting *)what;
        f->d = vm_as_integer(vm_result(c, k));
        f->a = vm_call_arg(c, 0, k);
        if (f->rounding < 0)
            f->rounding = vm_rounding_of(c->inst->name, FE_TONEAREST);
        vm_emit_op(c, run_formatting, f->d, f->a, vm_none, vm_none)->more = f;
    }
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

/* `what`: the handler, a vm_op_fn *const *. Of a float alone. */
static void compile_bits(vm_compiler *c, const void *what) {
    for (uint32_t k = 0; k < vm_call_lanes(c); k++)
        vm_emit_op(c, *(vm_op_fn *const *)what, vm_result(c, k), vm_call_arg(c, 0, k), vm_none,
                   vm_none);
}

static void compile_tf32(vm_compiler *c, const void *what) {
    if (vm_call_elem(c, 0) != VM_F32)
        vm_cannot_run(c, "%s of another type than f32", c->inst->name);
    else
        compile_bits(c, what);
}

/* A way to bf16 that is fast from a float. */
typedef struct to_bf16 {
    vm_op_fn *of_float;
    formatting otherwise;
} to_bf16;

static void compile_bf16(vm_compiler *c, const void *what) {
    const to_bf16 *to = what;
    if (vm_call_elem(c, 0) == VM_F32)
        compile_bits(c, &to->of_float);
    else
        compile_formatting(c, &to->otherwise);
}

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

static void compile_arithmetic(vm_compiler *c, const void *what) {
    for (uint32_t k = 0; k < vm_call_lanes(c); k++)
        vm_emit_op(c, *(vm_op_fn *const *)what, vm_result(c, k), vm_call_arg(c, 0, k),
                   vm_call_arg(c, 1, k), c->inst->arg_count > 2 ? vm_call_arg(c, 2, k) : vm_none);
}

/* ---- pairs of 8 bits -------------------------------------------------------------- */

typedef struct pair {
    const vm_format *format;
    double (*real)(uint8_t bits);
    vm_operand d, high, low;
} pair;

static void run_pair(vm_run *r, const vm_op *op) {
    const pair *p = op->more;
    VM_EACH_LANE(r, op, lane) {
        uint32_t high = vm_format_real(p->format, vm_real_at(r, p->high, lane), FE_TONEAREST);
        uint32_t low = vm_format_real(p->format, vm_real_at(r, p->low, lane), FE_TONEAREST);
        vm_put_bits(r, p->d, lane, high << 8 | low);
    }
}

static void run_halves(vm_run *r, const vm_op *op) {
    const pair *p = op->more;
    VM_EACH_LANE(r, op, lane) {
        uint32_t bits = (uint32_t)vm_element(r, p->low, lane);
        uint32_t low = vm_format_real(&vm_f16, p->real((uint8_t)bits), FE_TONEAREST);
        uint32_t high = vm_format_real(&vm_f16, p->real((uint8_t)(bits >> 8)), FE_TONEAREST);
        vm_put_bits(r, p->d, lane, high << 16 | low);
    }
}

static pair *new_pair(vm_compiler *c, const void *what, uint32_t k) {
    pair *p = hd_new(c->arena, pair);
    *p = *(const pair *)what;
    p->d = vm_result(c, k);
    p->high = vm_call_arg(c, 0, k);
    p->low = vm_call_arg(c, c->inst->arg_count - 1, k);
    return p;
}

static void compile_pair(vm_compiler *c, const void *what) {
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        pair *p = new_pair(c, what, k);
        vm_op_fn *fn = p->format ? run_pair : run_halves;
        vm_emit_op(c, fn, p->d, p->high, p->low, vm_none)->more = p;
    }
}

/* ---- the table -------------------------------------------------------------------- */

#define FORMAT(name, shape, format, rounding, is_unsigned)     \
    {                                                          \
        name, shape, compile_formatting, &(const formatting) { \
            format, rounding, is_unsigned, {0}, {0}            \
        }                                                      \
    }
#define OF_NAME (-1)
#define BF16(name, handler, rounding)                        \
    {                                                        \
        name, "ka", compile_bf16, &(const to_bf16) {         \
            handler, { &vm_bf16, rounding, false, {0}, {0} } \
        }                                                    \
    }
#define TF32(name, handler)                                      \
    {                                                            \
        name, "ff", compile_tf32, &(vm_op_fn *const) { handler } \
    }
#define ARITHMETIC(name, shape)                                       \
    {                                                                 \
        #name, shape, compile_arithmetic, &(vm_op_fn *const) { name } \
    }
#define PAIR(name, shape, ...)                                   \
    {                                                            \
        name, shape, compile_pair, &(const pair) { __VA_ARGS__ } \
    }

const vm_builtin vm_format_builtins[] = {
    FORMAT("convert_half*", "hd", &vm_f16, OF_NAME, false),
    FORMAT("convert_half*", "ha", &vm_f16, OF_NAME, false),
    FORMAT("u_convert_half*", "hd", &vm_f16, OF_NAME, true),
    FORMAT("convert_bf16*", "kd", &vm_bf16, OF_NAME, false),
    FORMAT("convert_bf16*", "ka", &vm_bf16, OF_NAME, false),
    FORMAT("u_convert_bf16*", "kd", &vm_bf16, OF_NAME, true),
    BF16("float_to_bf16", bf16_nearest, FE_TONEAREST),
    BF16("float_to_bf16_rz", bf16_towards_zero, FE_TOWARDZERO),
    FORMAT("float_to_bf16_ru", "ka", &vm_bf16, FE_UPWARD, false),
    FORMAT("float_to_bf16_rd", "ka", &vm_bf16, FE_DOWNWARD, false),
    TF32("round_to_tf32", tf32_away),
    TF32("round_to_tf32_rn", tf32_even),
    TF32("round_to_tf32_rz", tf32_towards_zero),
    ARITHMETIC(bf16_add, "kkk"),
    ARITHMETIC(bf16_sub, "kkk"),
    ARITHMETIC(bf16_mul, "kkk"),
    ARITHMETIC(bf16_fma, "kkkk"),
    PAIR("float2_to_e4m3x2", "kff", .format = &vm_e4m3),
    PAIR("float2_to_e5m2x2", "kff", .format = &vm_e5m2),
    PAIR("e4m3x2_to_half2", "ik", .real = vm_real_of_e4m3),
    PAIR("e5m2x2_to_half2", "ik", .real = vm_real_of_e5m2),
    {NULL},
};
