/*
 * Mathematical functions: a scalar function for each, called for every active lane.
 *
 * The C library's functions for floats and doubles are within the errors that
 * OpenCL's specification allows, with the few exceptions of math_scalar.c. A
 * function that has only a form for doubles is computed in double and rounded,
 * which is within half an ulp. Halves are computed as floats.
 *
 * A *form* is a signature, such as two numbers and one result; it has a handler
 * for each type of element and of the function that is called.
 */
#include <fenv.h>
#include <math.h>

#include "machine/builtin.h"
#include "machine/math_scalar.h"

typedef _Float16 F16;
typedef float F32;
typedef double F64;

/* ---- forms ------------------------------------------------------------------------ */

/* The function for floats and for doubles. */
#define FUNCTIONS(form, F, D)    \
    typedef struct math_##form { \
        F;                       \
        D;                       \
    } math_##form;
FUNCTIONS(one, float (*f)(float), double (*d)(double))
FUNCTIONS(two, float (*f)(float, float), double (*d)(double, double))
FUNCTIONS(three, float (*f)(float, float, float), double (*d)(double, double, double))
FUNCTIONS(four, float (*f)(float, float, float, float), double (*d)(double, double, double, double))
FUNCTIONS(scaled, float (*f)(float, int), double (*d)(double, int))
FUNCTIONS(order, float (*f)(int, float), double (*d)(int, double))
FUNCTIONS(integer, int (*f)(float), int (*d)(double))
/* A second result goes where a pointer says. */
FUNCTIONS(pair, float (*f)(float, float *), double (*d)(double, double *))
FUNCTIONS(count, float (*f)(float, int *), double (*d)(double, int *))
FUNCTIONS(quotient, float (*f)(float, float, int *), double (*d)(double, double, int *))

/* Which function a call is of. */
typedef struct math {
    vm_op_fn *const *handlers; /* by type: see handler_of() */
    bool has_float;            /* else floats are computed as doubles */
    const void *fn;            /* one of the structs above */
    int rounding;              /* of fenv.h */
} math;

/* A handler: T is the type in the cells, C that of the function's numbers, `field` where the
 * function stands, D the result's type. The function may have a second result, `other`, an S; if
 * so, cell c is for it, of type E; else E is T, and c is an operand. */
#define HANDLER_OF(form, T, C, field, D, A, B, S, E, has_other, value)  \
    static void form##_##T##_##field(vm_run *r, const vm_op *op) {      \
        const math_##form *fn = ((const math *)op->more)->fn;           \
        VM_EACH_CHUNK(r, op, at) {                                      \
            D *d = VM_CELL(r, op->d, D) + at;                           \
            const A *a = VM_ARG(r, op, A, a, at);                       \
            const B *b = VM_ARG(r, op, B, b, at);                       \
            E *c = VM_ARG(r, op, E, c, at);                             \
            (void)b, (void)c;                                           \
            for (uint32_t j = 0; j < (op->uniform ? 1 : VM_CHUNK); j++) \
                if (op->uniform || r->active.lane[at + j]) {            \
                    S other = 0;                                        \
                    d[j] = (D)(value);                                  \
                    if (has_other)                                      \
                        c[j] = (E)other;                                \
                }                                                       \
        }                                                               \
        VM_REPLICATE(r, op, D, op->d);                                  \
        if (has_other)                                                  \
            VM_REPLICATE(r, op, E, op->c);                              \
    }
#define HANDLER(form, T, C, field, D, A, B, value)               \
    HANDLER_OF(form, T, C, field, D, A, B, int, T, false, value)
#define HANDLER_WITH_SECOND(form, T, C, field, E, S, value)   \
    HANDLER_OF(form, T, C, field, T, T, T, S, E, true, value)

/* The five handlers of a form, and their table. */
#define FORM(form, M)                                                                      \
    M(form, F16, float, f)                                                                 \
    M(form, F16, double, d)                                                                \
    M(form, F32, float, f)                                                                 \
    M(form, F32, double, d)                                                                \
    M(form, F64, double, d)                                                                \
    static vm_op_fn *const form##_handlers[] = {form##_F16_d, form##_F16_f, form##_F32_d,  \
                                                form##_F32_f, form##_F64_d, form##_F64_d};

#define OF_ONE(form, T, C, field) HANDLER(form, T, C, field, T, T, T, fn->field((C)a[j]))
#define OF_TWO(form, T, C, field) HANDLER(form, T, C, field, T, T, T, fn->field((C)a[j], (C)b[j]))
#define OF_THREE(form, T, C, field)                                           \
    HANDLER(form, T, C, field, T, T, T, fn->field((C)a[j], (C)b[j], (C)c[j]))
#define OF_SCALED(form, T, C, field)                                    \
    HANDLER(form, T, C, field, T, T, int32_t, fn->field((C)a[j], b[j]))
#define OF_ORDER(form, T, C, field)                                     \
    HANDLER(form, T, C, field, T, int32_t, T, fn->field(a[j], (C)b[j]))
#define OF_INTEGER(form, T, C, field) HANDLER(form, T, C, field, int32_t, T, T, fn->field((C)a[j]))
#define OF_PAIR(form, T, C, field)                                           \
    HANDLER_WITH_SECOND(form, T, C, field, T, C, fn->field((C)a[j], &other))
#define OF_COUNT(form, T, C, field)                                                  \
    HANDLER_WITH_SECOND(form, T, C, field, int32_t, int, fn->field((C)a[j], &other))
#define OF_QUOTIENT(form, T, C, field)                                                        \
    HANDLER_WITH_SECOND(form, T, C, field, int32_t, int, fn->field((C)a[j], (C)b[j], &other))
FORM(one, OF_ONE)
FORM(two, OF_TWO)
FORM(three, OF_THREE)
FORM(scaled, OF_SCALED)
FORM(order, OF_ORDER)
FORM(integer, OF_INTEGER)
FORM(pair, OF_PAIR)
FORM(count, OF_COUNT)
FORM(quotient, OF_QUOTIENT)

/* Four operands: the last one's cell is in imm, what its index is masked with in imm2. */
#define OF_FOUR(form, T, C, field)                                                 \
    HANDLER(form, T, C, field, T, T, T,                                            \
            fn->field((C)a[j], (C)b[j], (C)c[j],                                   \
                      (C)(VM_CELL(r, op->imm, T) + (at & (uint32_t)op->imm2))[j]))
FORM(four, OF_FOUR)

static vm_op_fn *handler_of(const math *m, vm_elem elem) {
    return m->handlers[2 * (elem - VM_F16) + m->has_float];
}

/* ---- other roundings -------------------------------------------------------------- */

/* The handler runs between two calls that the compiler knows nothing of, and reads and writes
 * memory: so its arithmetic stays between them. */
static void run_rounded(vm_run *r, const vm_op *op) {
    const math *m = op->more;
    fesetround(m->rounding);
    handler_of(m, (vm_elem)op->imm)(r, op);
    fesetround(FE_TONEAREST);
}

#define DEFINE_CONVERT(name, T)                                               \
    static void name(vm_run *r, const vm_op *op) {                            \
        const vm_call *v = op->more;                                          \
        fesetround((int)op->imm);                                             \
        VM_EACH_LANE(r, op, lane) {                                           \
            T *d = VM_CELL(r, op->d, T) + lane;                               \
            if (v->x[0].elem >= VM_F16)                                       \
                *d = (T)vm_real_at(r, v->x[0], lane);                         \
            else                                                              \
                *d = *(const bool *)v->what ? (T)vm_element(r, v->x[0], lane) \
                                            : (T)vm_signed(r, v->x[0], lane); \
        }                                                                     \
        fesetround(FE_TONEAREST);                                             \
        VM_REPLICATE(r, op, T, op->d);                                        \
    }
DEFINE_CONVERT(convert_F32, F32)
DEFINE_CONVERT(convert_F64, F64)

/* ---- compiling -------------------------------------------------------------------- */

static void compile_math(vm_compiler *c, const void *what) {
    const math *m = what;
    vm_elem elem = vm_elem_of(vm_call_main(c));
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        vm_operand x[4] = {0};
        for (uint32_t i = 0; i < c->inst->arg_count; i++)
            x[i] = vm_call_arg(c, i, k);
        vm_op_fn *fn = m->rounding == FE_TONEAREST ? handler_of(m, elem) : run_rounded;
        vm_op *op = vm_emit_op(c, fn, vm_result(c, k), x[0], x[1], x[2]);
        op->code = c->inst->arg_count < 4 ? VM_CODE_OPERANDS : VM_CODE_ANY;
        op->more = m;
        op->imm = m->rounding == FE_TONEAREST ? x[3].at : elem;
        op->imm2 = x[3].varying ? UINT32_MAX : 0;
    }
}

/* With a second result: all components are computed, then stored at once. */
static void compile_second(vm_compiler *c, const void *what) {
    const math *m = what;
    uint32_t last = c->inst->arg_count - 1;
    vm_operand second[VM_MAX_COMPONENTS];
    vm_elem elem = vm_call_elem(c, 0);
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        vm_operand d = vm_result(c, k);
        second[k] = vm_scratch(c, m->handlers == pair_handlers ? elem : VM_I32, d.varying);
        vm_operand b = last == 2 ? vm_call_arg(c, 1, k) : vm_none;
        vm_op *op = vm_emit_op(c, handler_of(m, elem), d, vm_call_arg(c, 0, k), b, second[k]);
        op->more = m;
    }
    vm_emit_private_store(c, c->inst->args[last], vm_call_lanes(c), second);
}

/* nan(code): the bits of a quiet NaN, with the code's below. */
static void compile_nan(vm_compiler *c, const void *what) {
    (void)what;
    static const uint64_t quiet[] = {0x7e00, 0x7fc00000, 0x7ff8000000000000};
    static const uint64_t rest[] = {0x01ff, 0x003fffff, 0x0007ffffffffffff};
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        vm_operand d = vm_as_integer(vm_result(c, k)), code = vm_call_arg(c, 0, k);
        uint32_t at = d.elem - VM_I16;
        vm_operand kept = vm_scratch(c, d.elem, d.varying);
        vm_emit(c, KIR_AND, kept, code, vm_constant(c, d.elem, rest[at]));
        vm_emit(c, KIR_OR, d, kept, vm_constant(c, d.elem, quiet[at]));
    }
}

/* ---- the table -------------------------------------------------------------------- */

static const bool SIGNED = false, UNSIGNED = true;

/* Plain arithmetic, to be rounded otherwise. */
#define ARITHMETIC(name, sign)                                           \
    static float name##_float(float a, float b) { return a sign b; }     \
    static double name##_double(double a, double b) { return a sign b; }
ARITHMETIC(add, +)
ARITHMETIC(sub, -)
ARITHMETIC(mul, *)
ARITHMETIC(div, /)

/* A function of a form; of doubles alone; of some rounding. */
#define CALL(form, float_fn, double_fn, rounding)                                                \
    &(const math) { form##_handlers, true, &(const math_##form){float_fn, double_fn}, rounding }
#define ROW(name, shape, form, float_fn, double_fn)                            \
    {name, shape, compile_math, CALL(form, float_fn, double_fn, FE_TONEAREST)}
#define ROW_SECOND(name, shape, form, float_fn, double_fn)                       \
    {name, shape, compile_second, CALL(form, float_fn, double_fn, FE_TONEAREST)}
#define ROW_DOUBLE(name, shape, form, double_fn)                                        \
    {                                                                                   \
        name, shape, compile_math, &(const math) {                                      \
            form##_handlers, false, &(const math_##form){NULL, double_fn}, FE_TONEAREST \
        }                                                                               \
    }
#define ROWS_ROUNDED(name, shape, form, float_fn, double_fn)                             \
    {name "_rz", shape, compile_math, CALL(form, float_fn, double_fn, FE_TOWARDZERO)},   \
        {name "_ru", shape, compile_math, CALL(form, float_fn, double_fn, FE_UPWARD)}, { \
        name "_rd", shape, compile_math, CALL(form, float_fn, double_fn, FE_DOWNWARD)    \
    }
#define ONE(name) ROW(#name, "ff", one, name##f, name)
#define TWO(name) ROW(#name, "fff", two, name##f, name)
const vm_builtin vm_math_builtins[] = {
    ONE(sin),
    ONE(cos),
    ONE(tan),
    ONE(exp),
    ONE(exp2),
    ONE(exp10),
    ONE(log),
    ONE(log2),
    ONE(log10),
    TWO(pow),
    ROW_DOUBLE("powr", "fff", two, vm_powr),
    ROW_DOUBLE("pown", "ffi", scaled, vm_pown),
    ROW_DOUBLE("rootn", "ffi", scaled, vm_rootn),
    ONE(round),
    ONE(acos),
    ONE(acosh),
    ONE(asin),
    ONE(asinh),
    ONE(atan),
    ONE(atanh),
    ONE(cosh),
    ONE(sinh),
    ONE(tanh),
    ONE(erf),
    ONE(erfc),
    ONE(expm1),
    ONE(log1p),
    ONE(logb),
    ONE(tgamma),
    ROW("lgamma", "ff", one, vm_lgammaf, vm_lgamma),
    ROW("cbrt", "ff", one, cbrtf, vm_cbrt),
    ROW_DOUBLE("sinpi", "ff", one, vm_sinpi),
    ROW_DOUBLE("cospi", "ff", one, vm_cospi),
    ROW_DOUBLE("tanpi", "ff", one, vm_tanpi),
    ROW_DOUBLE("asinpi", "ff", one, vm_asinpi),
    ROW_DOUBLE("acospi", "ff", one, vm_acospi),
    ROW_DOUBLE("atanpi", "ff", one, vm_atanpi),
    ROW_DOUBLE("atan2pi", "fff", two, vm_atan2pi),
    TWO(atan2),
    TWO(copysign),
    TWO(fdim),
    TWO(fmod),
    TWO(hypot),
    TWO(remainder),
    ROW("nextafter", "hhh", two, vm_next_half, NULL),
    TWO(nextafter),
    ROW_DOUBLE("maxmag", "fff", two, vm_maxmag),
    ROW_DOUBLE("minmag", "fff", two, vm_minmag),
    ROW("ldexp", "ffi", scaled, ldexpf, ldexp),
    ROW("ilogb", "if", integer, vm_ilogbf, vm_ilogb),
    {"nan", "fn", compile_nan, NULL},
    ROW_SECOND("fract", "hhp", pair, vm_fract_half, NULL),
    ROW_SECOND("fract", "ffp", pair, vm_fractf, vm_fract),
    ROW_SECOND("modf", "ffp", pair, modff, modf),
    ROW_SECOND("sincos", "ffp", pair, vm_sincosf, vm_sincos),
    ROW_SECOND("frexp", "ffp", count, frexpf, frexp),
    ROW_SECOND("lgamma_r", "ffp", count, lgammaf_r, lgamma_r),
    ROW_SECOND("remquo", "fffp", quotient, vm_remquof, vm_remquo),
    /* CUDA C */
    ROWS_ROUNDED("add", "fff", two, add_float, add_double),
    ROWS_ROUNDED("sub", "fff", two, sub_float, sub_double),
    ROWS_ROUNDED("mul", "fff", two, mul_float, mul_double),
    ROWS_ROUNDED("div", "fff", two, div_float, div_double),
    ROWS_ROUNDED("fma", "ffff", three, fmaf, fma),
    ROWS_ROUNDED("sqrt", "ff", one, sqrtf, sqrt),
    {"convert_float*", "ad", VM_EACH(convert_F32, &SIGNED)},
    {"convert_float*", "aa", VM_EACH(convert_F32, &SIGNED)},
    {"convert_double*", "ad", VM_EACH(convert_F64, &SIGNED)},
    {"convert_double*", "aa", VM_EACH(convert_F64, &SIGNED)},
    {"u_convert_float*", "ad", VM_EACH(convert_F32, &UNSIGNED)},
    {"u_convert_double*", "ad", VM_EACH(convert_F64, &UNSIGNED)},
    ROW_DOUBLE("j0", "ff", one, j0),
    ROW_DOUBLE("j1", "ff", one, j1),
    ROW_DOUBLE("y0", "ff", one, y0),
    ROW_DOUBLE("y1", "ff", one, y1),
    ROW_DOUBLE("jn", "fif", order, jn),
    ROW_DOUBLE("yn", "fif", order, yn),
    ROW_DOUBLE("cyl_bessel_i0", "ff", one, vm_cyl_bessel_i0),
    ROW_DOUBLE("cyl_bessel_i1", "ff", one, vm_cyl_bessel_i1),
    ROW_DOUBLE("erfinv", "ff", one, vm_erfinv),
    ROW_DOUBLE("erfcinv", "ff", one, vm_erfcinv),
    ROW_DOUBLE("erfcx", "ff", one, vm_erfcx),
    ROW_DOUBLE("normcdf", "ff", one, vm_normcdf),
    ROW_DOUBLE("normcdfinv", "ff", one, vm_normcdfinv),
    ROW_DOUBLE("rcbrt", "ff", one, vm_rcbrt),
    ROW_DOUBLE("rhypot", "fff", two, vm_rhypot),
    ROW_DOUBLE("norm3d", "ffff", three, vm_norm3d),
    ROW_DOUBLE("rnorm3d", "ffff", three, vm_rnorm3d),
    ROW_DOUBLE("norm4d", "fffff", four, vm_norm4d),
    ROW_DOUBLE("rnorm4d", "fffff", four, vm_rnorm4d),
    {NULL},
};
