/*
 * Functions of floats that are no mathematics: common, relational and geometric
 * ones. The first two are a few scalar operations each, as OpenCL's specification
 * writes them; lengths are computed wider than their operands, so that no square
 * is too large or too small for a length that is neither.
 */
#include <math.h>

#include "machine/builtin.h"
#include "machine/compile.h"

/* ---- one operation after another -------------------------------------------------- */

/* A call's component at work: operands, the result, and numbers in between. */
typedef struct piece {
    vm_compiler *c;
    vm_operand d, x[3];
    vm_elem elem;  /* of the operands */
    kir_pred pred; /* of a function that compares */
} piece;

static vm_operand temporary(const piece *p, vm_elem elem) {
    return vm_scratch(p->c, elem, p->d.varying);
}

/* A handler of lanes.c that kir has no operation for, given its F16 form. */
static void lanes(const piece *p, vm_fn fn, vm_operand d, vm_operand a, vm_operand b) {
    vm_emit_handler(p->c, fn, p->elem, d, a, b, vm_none);
}

static vm_operand number(const piece *p, double value) {
    return vm_float_constant(p->c, p->elem, value);
}

typedef void component_fn(const piece *p);

/* Runs a component_fn for every component, or a handler of lanes.c (given its F16 form). */
typedef struct by_component {
    component_fn *fn;
    kir_pred pred;
    vm_fn handler;
} by_component;

static void compile_components(vm_compiler *c, const void *what) {
    const by_component *b = what;
    uint32_t used = c->cells->scratch_used;
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        c->cells->scratch_used = used; /* each component may have the same ones */
        piece p = {.c = c, .d = vm_result(c, k), .elem = vm_call_elem(c, 0), .pred = b->pred};
        for (uint32_t i = 0; i < c->inst->arg_count && i < 3; i++)
            p.x[i] = vm_call_arg(c, i, k);
        if (b->fn)
            b->fn(&p);
        else
            vm_emit_handler(c, b->handler, p.elem, p.d, p.x[0], p.x[1], p.x[2]);
    }
}

/* ---- what kir has ---------------------------------------------------- */

static void emit_divide(const piece *p) { vm_emit(p->c, KIR_FDIV, p->d, p->x[0], p->x[1]); }
static void emit_recip(const piece *p) { vm_emit(p->c, KIR_FDIV, p->d, number(p, 1), p->x[0]); }
static void emit_mad(const piece *p) {
    vm_emit3(p->c, KIR_FMULADD, p->d, p->x[0], p->x[1], p->x[2]);
}

/* ---- common functions ------------------------------------------------------------- */

/* min: x > y ? y : x; max: x < y ? y : x */
static void emit_extreme(const piece *p) {
    vm_operand takes_y = temporary(p, VM_I8);
    vm_emit_compare(p->c, p->pred, takes_y, p->x[0], p->x[1]);
    vm_emit3(p->c, KIR_SELECT, p->d, takes_y, p->x[1], p->x[0]);
}

static void emit_clamp(const piece *p) {
    vm_operand low = temporary(p, p->elem);
    lanes(p, FN_FMAX_F16, low, p->x[0], p->x[1]);
    lanes(p, FN_FMIN_F16, p->d, low, p->x[2]);
}

static void emit_degrees(const piece *p) {
    vm_emit(p->c, KIR_FMUL, p->d, p->x[0], number(p, 180 / M_PI));
}
static void emit_radians(const piece *p) {
    vm_emit(p->c, KIR_FMUL, p->d, p->x[0], number(p, M_PI / 180));
}

/* x + (y - x) * a */
static void emit_mix(const piece *p) {
    vm_operand part = temporary(p, p->elem);
    vm_emit(p->c, KIR_FSUB, part, p->x[1], p->x[0]);
    vm_emit(p->c, KIR_FMUL, part, part, p->x[2]);
    vm_emit(p->c, KIR_FADD, p->d, p->x[0], part);
}

/* x < edge ? 0 : 1 */
static void emit_step(const piece *p) {
    vm_operand below = temporary(p, VM_I8);
    vm_emit_compare(p->c, KIR_P_OLT, below, p->x[1], p->x[0]);
    vm_emit3(p->c, KIR_SELECT, p->d, below, number(p, 0), number(p, 1));
}

/* t = clamp((x - edge0) / (edge1 - edge0), 0, 1); t * t * (3 - 2 * t) */
static void emit_smoothstep(const piece *p) {
    vm_operand t = temporary(p, p->elem), rest = temporary(p, p->elem);
    vm_emit(p->c, KIR_FSUB, t, p->x[2], p->x[0]);
    vm_emit(p->c, KIR_FSUB, rest, p->x[1], p->x[0]);
    vm_emit(p->c, KIR_FDIV, t, t, rest);
    lanes(p, FN_FMAX_F16, t, t, number(p, 0));
    lanes(p, FN_FMIN_F16, t, t, number(p, 1));
    vm_emit(p->c, KIR_FMUL, rest, t, number(p, 2));
    vm_emit(p->c, KIR_FSUB, rest, number(p, 3), rest);
    vm_emit(p->c, KIR_FMUL, t, t, t);
    vm_emit(p->c, KIR_FMUL, p->d, t, rest);
}

/* 1 or -1 by the sign; a zero stays what it is, NaN becomes 0. */
static void emit_sign(const piece *p) {
    vm_operand test = temporary(p, VM_I8), value = temporary(p, p->elem);
    vm_emit_compare(p->c, KIR_P_OEQ, test, p->x[0], number(p, 0));
    vm_emit3(p->c, KIR_SELECT, value, test, p->x[0], number(p, 0));
    vm_emit_compare(p->c, KIR_P_OGT, test, p->x[0], number(p, 0));
    vm_emit3(p->c, KIR_SELECT, value, test, number(p, 1), value);
    vm_emit_compare(p->c, KIR_P_OLT, test, p->x[0], number(p, 0));
    vm_emit3(p->c, KIR_SELECT, p->d, test, number(p, -1), value);
}

/* ---- relational functions --------------------------------------------------------- */

/* 1 for a scalar that holds, -1 for a component. */
static void answer(const piece *p, vm_operand holds) {
    uint64_t all = UINT64_MAX >> (64 - vm_elem_bytes(p->d.elem) * 8);
    uint64_t yes = p->c->inst->type.lanes == 1 ? 1 : all;
    vm_emit3(p->c, KIR_SELECT, p->d, holds, vm_constant(p->c, p->d.elem, yes),
             vm_constant(p->c, p->d.elem, 0));
}

static void answer_comparison(const piece *p, kir_pred pred, vm_operand a, vm_operand b) {
    vm_operand holds = temporary(p, VM_I8);
    vm_emit_compare(p->c, pred, holds, a, b);
    answer(p, holds);
}

static void emit_comparison(const piece *p) { answer_comparison(p, p->pred, p->x[0], p->x[1]); }
static void emit_isnan(const piece *p) { answer_comparison(p, KIR_P_UNO, p->x[0], p->x[0]); }

static vm_operand magnitude(const piece *p) {
    vm_operand d = temporary(p, p->elem);
    lanes(p, FN_FABS_F16, d, p->x[0], vm_none);
    return d;
}

/* isinf: equal to infinity; isfinite: less. */
static void emit_size(const piece *p) {
    answer_comparison(p, p->pred, magnitude(p), number(p, INFINITY));
}

static void emit_isnormal(const piece *p) {
    double least = p->elem == VM_F16 ? 0x1p-14 : p->elem == VM_F32 ? 0x1p-126 : 0x1p-1022;
    vm_operand size = magnitude(p), test = temporary(p, VM_I8), finite = temporary(p, VM_I8);
    vm_emit_compare(p->c, KIR_P_OGE, test, size, number(p, least));
    vm_emit_compare(p->c, KIR_P_OLT, finite, size, number(p, INFINITY));
    vm_emit(p->c, KIR_AND, test, test, finite);
    answer(p, test);
}

static void emit_signbit(const piece *p) {
    vm_operand bits = vm_as_integer(p->x[0]);
    answer_comparison(p, KIR_P_SLT, bits, vm_constant(p->c, bits.elem, 0));
}

/* ---- geometric functions ---------------------------------------------------------- */

/* x0 * y0 + x1 * y1 + ... */
static void compile_dot(vm_compiler *c, const void *what) {
    (void)what;
    uint32_t count = c->kernel->insts[c->inst->args[0]].type.lanes;
    piece p = {.c = c, .d = vm_result(c, 0), .elem = vm_call_elem(c, 0)};
    vm_operand sum = count > 1 ? temporary(&p, p.elem) : p.d;
    vm_emit(c, KIR_FMUL, sum, vm_call_arg(c, 0, 0), vm_call_arg(c, 1, 0));
    for (uint32_t k = 1; k < count; k++)
        vm_emit3(c, KIR_FMULADD, k + 1 < count ? sum : p.d, vm_call_arg(c, 0, k),
                 vm_call_arg(c, 1, k), sum);
}

/* The operands of a function that looks at all components of a lane. */
typedef struct geometry {
    vm_operand d[4], a[4], b[4];
    uint32_t count;
} geometry;

static void replicate(vm_run *r, const vm_op *op, vm_operand d) {
    if (op->uniform)
        vm_put_bits(r, d, 0, vm_element(r, d, 0));
}

/* A component's elements from lane `at` on. */
#define FROM(r, operand, T, at) (VM_CELL(r, (operand).at, T) + ((operand).varying ? (at) : 0))

/* length(a), or distance(a, b) when there is a second operand (imm). W is so wide that its
 * exponents hold the square of any T. */
#define DEFINE_LENGTH(name, T, W, root)                                             \
    static void name(vm_run *r, const vm_op *op) {                                  \
        const geometry *g = op->more;                                               \
        VM_EACH_CHUNK(r, op, at) {                                                  \
            W square[VM_CHUNK] = {0};                                               \
            for (uint32_t k = 0; k < g->count; k++) {                               \
                const T *a = FROM(r, g->a[k], T, at), *b = FROM(r, g->b[k], T, at); \
                for (uint32_t j = 0; j < VM_CHUNK; j++) {                           \
                    W x = op->imm ? (W)a[j] - (W)b[j] : (W)a[j];                    \
                    square[j] += x * x;                                             \
                }                                                                   \
            }                                                                       \
            T *d = VM_CELL(r, op->d, T) + at;                                       \
            for (uint32_t j = 0; j < VM_CHUNK; j++)                                 \
                if (op->uniform || r->active.lane[at + j])                          \
                    d[j] = (T)root(square[j]);                                      \
        }                                                                           \
    }
DEFINE_LENGTH(run_length_f16, _Float16, double, sqrt)
DEFINE_LENGTH(run_length_f32, float, double, sqrt)
DEFINE_LENGTH(run_length_f64, double, long double, sqrtl)

/* A vector with infinite components points where their signs do. */
#define DEFINE_NORMALIZE(name, T, W, root)                                                 \
    static void name(vm_run *r, const vm_op *op) {                                         \
        const geometry *g = op->more;                                                      \
        VM_EACH_LANE(r, op, lane) {                                                        \
            W x[4], square = 0;                                                            \
            bool infinite = false;                                                         \
            for (uint32_t k = 0; k < g->count; k++) {                                      \
                x[k] = (W)VM_AT(r, g->a[k], T, lane);                                      \
                infinite |= isinf(x[k]);                                                   \
            }                                                                              \
            for (uint32_t k = 0; k < g->count; k++) {                                      \
                if (infinite && !isnan(x[k]))                                              \
                    x[k] = (W)(isinf(x[k]) ? 1 : 0) * (signbit(x[k]) ? -1 : 1);            \
                square += x[k] * x[k];                                                     \
            }                                                                              \
            W length = root(square);                                                       \
            for (uint32_t k = 0; k < g->count; k++)                                        \
                VM_CELL(r, g->d[k].at, T)[lane] = (T)(length == 0 ? x[k] : x[k] / length); \
        }                                                                                  \
        for (uint32_t k = 0; k < g->count; k++)                                            \
            replicate(r, op, g->d[k]);                                                     \
    }
DEFINE_NORMALIZE(run_normalize_f16, _Float16, double, sqrt)
DEFINE_NORMALIZE(run_normalize_f32, float, double, sqrt)
DEFINE_NORMALIZE(run_normalize_f64, double, long double, sqrtl)

/* In the operands' type: each product and the difference are rounded. */
#define CROSS(a, b, i, j) ((a)[i] * (b)[j] - (a)[j] * (b)[i])
#define DEFINE_CROSS(name, T, W)                                    \
    static void name(vm_run *r, const vm_op *op) {                  \
        const geometry *g = op->more;                               \
        VM_EACH_LANE(r, op, lane) {                                 \
            W a[3], b[3];                                           \
            for (uint32_t k = 0; k < 3; k++) {                      \
                a[k] = VM_AT(r, g->a[k], T, lane);                  \
                b[k] = VM_AT(r, g->b[k], T, lane);                  \
            }                                                       \
            VM_CELL(r, g->d[0].at, T)[lane] = (T)CROSS(a, b, 1, 2); \
            VM_CELL(r, g->d[1].at, T)[lane] = (T)CROSS(a, b, 2, 0); \
            VM_CELL(r, g->d[2].at, T)[lane] = (T)CROSS(a, b, 0, 1); \
            if (g->count == 4)                                      \
                VM_CELL(r, g->d[3].at, T)[lane] = 0;                \
        }                                                           \
        for (uint32_t k = 0; k < g->count; k++)                     \
            replicate(r, op, g->d[k]);                              \
    }
DEFINE_CROSS(run_cross_f16, _Float16, float)
DEFINE_CROSS(run_cross_f32, float, float)
DEFINE_CROSS(run_cross_f64, double, double)

/* `what`: the handlers of halves, floats and doubles. */
static void compile_geometry(vm_compiler *c, const void *what) {
    vm_op_fn *fn = ((vm_op_fn *const *)what)[vm_call_elem(c, 0) - VM_F16];
    uint32_t count = c->kernel->insts[c->inst->args[0]].type.lanes;
    geometry *g = hd_new(c->arena, geometry);
    g->count = count;
    for (uint32_t k = 0; k < count; k++) {
        g->a[k] = vm_call_arg(c, 0, k);
        g->b[k] = vm_call_arg(c, c->inst->arg_count - 1, k);
    }
    for (uint32_t k = 0; k < c->inst->type.lanes; k++)
        g->d[k] = vm_result(c, k);
    vm_op *op = vm_emit_op(c, fn, g->d[0], g->a[0], g->b[0], vm_none);
    op->imm = c->inst->arg_count > 1;
    op->more = g;
}

static vm_op_fn *const length[] = {run_length_f16, run_length_f32, run_length_f64};
static vm_op_fn *const normalize[] = {run_normalize_f16, run_normalize_f32, run_normalize_f64};
static vm_op_fn *const cross[] = {run_cross_f16, run_cross_f32, run_cross_f64};

/* ---- the table -------------------------------------------------------------------- */

#define ROW(name, shape)                                                        \
    {                                                                           \
        #name, shape, compile_components, &(const by_component) { emit_##name } \
    }
#define HANDLER(name, shape, op)                                                            \
    {                                                                                       \
        name, shape, compile_components, &(const by_component) { .handler = FN_##op##_F16 } \
    }
#define ROW_BY(name, shape, function, predicate)                  \
    {                                                             \
        #name, shape, compile_components, &(const by_component) { \
            emit_##function, KIR_P_##predicate                    \
        }                                                         \
    }
#define COMPARISON(name, predicate) ROW_BY(name, "rff", comparison, predicate)

const vm_builtin vm_float_builtins[] = {
    HANDLER("fabs", "ff", FABS),
    HANDLER("sqrt", "ff", SQRT),
    HANDLER("rsqrt", "ff", RSQRT),
    HANDLER("floor", "ff", FLOOR),
    HANDLER("ceil", "ff", CEIL),
    HANDLER("trunc", "ff", FTRUNC),
    HANDLER("rint", "ff", RINT),
    HANDLER("fma", "ffff", FMA),
    HANDLER("fmin", "fff", FMIN),
    HANDLER("fmax", "fff", FMAX),
    HANDLER("fmin_nan", "fff", FMIN_NAN),
    HANDLER("fmax_nan", "fff", FMAX_NAN),
    HANDLER("flush", "ff", FLUSH),
    HANDLER("saturate", "ff", SATURATE),
    ROW(divide, "fff"), /* half_ and native_ */
    ROW(recip, "ff"),
    ROW(mad, "ffff"),
    ROW_BY(min, "fff", extreme, OGT),
    ROW_BY(max, "fff", extreme, OLT),
    ROW(clamp, "ffff"),
    ROW(degrees, "ff"),
    ROW(radians, "ff"),
    ROW(mix, "ffff"),
    ROW(step, "fff"),
    ROW(smoothstep, "ffff"),
    ROW(sign, "ff"),
    COMPARISON(isequal, OEQ),
    COMPARISON(isnotequal, UNE),
    COMPARISON(isgreater, OGT),
    COMPARISON(isgreaterequal, OGE),
    COMPARISON(isless, OLT),
    COMPARISON(islessequal, OLE),
    COMPARISON(islessgreater, ONE),
    COMPARISON(isordered, ORD),
    COMPARISON(isunordered, UNO),
    ROW(isnan, "rf"),
    ROW_BY(isinf, "rf", size, OEQ),
    ROW_BY(isfinite, "rf", size, OLT),
    ROW(isnormal, "rf"),
    ROW(signbit, "rf"),
    {"dot", "Fxx", compile_dot, NULL},
    {"length", "Fx", compile_geometry, length},
    {"distance", "Fxx", compile_geometry, length},
    {"normalize", "xx", compile_geometry, normalize},
    {"cross", "ccc", compile_geometry, cross},
    {NULL},
};
