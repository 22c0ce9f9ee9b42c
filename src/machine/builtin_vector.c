/*
 * Functions that move bits: any, all, bitselect, the two shuffles with a mask, and
 * the conversions from floats that saturate.
 */
#include <fenv.h>
#include <stdlib.h>

#include "machine/builtin.h"
#include "machine/compile.h"

static uint32_t lanes_of(const vm_compiler *c, uint32_t arg) {
    return c->kernel->insts[c->inst->args[arg]].type.lanes;
}

/* ---- any, all, bitselect ---------------------------------------------------------- */

/* The highest bits count: of all components' `and` or `or`. */
static void compile_test(vm_compiler *c, const void *what) {
    kir_op joins = *(const kir_op *)what;
    vm_operand d = vm_result(c, 0), sum = vm_scratch(c, vm_call_elem(c, 0), d.varying);
    vm_operand test = vm_scratch(c, VM_I8, d.varying);
    vm_operand first = vm_call_arg(c, 0, 0);
    for (uint32_t k = 1; k < lanes_of(c, 0); k++) {
        vm_emit(c, joins, sum, first, vm_call_arg(c, 0, k));
        first = sum;
    }
    vm_emit_compare(c, KIR_P_SLT, test, first, vm_constant(c, first.elem, 0));
    vm_emit(c, KIR_ZEXT, d, test, vm_none);
}

/* bitselect(a, b, c): b's bits where c has ones, a's elsewhere: a ^ ((a ^ b) & c). */
static void compile_bitselect(vm_compiler *c, const void *what) {
    (void)what;
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        vm_operand d = vm_as_integer(vm_result(c, k)), x[3];
        for (uint32_t i = 0; i < 3; i++)
            x[i] = vm_as_integer(vm_call_arg(c, i, k));
        vm_operand bits = vm_scratch(c, d.elem, d.varying);
        vm_emit(c, KIR_XOR, bits, x[0], x[1]);
        vm_emit(c, KIR_AND, bits, bits, x[2]);
        vm_emit(c, KIR_XOR, d, x[0], bits);
    }
}

/* ---- shuffles --------------------------------------------------------------------- */

typedef struct moves {
    vm_operand d[VM_MAX_COMPONENTS], mask[VM_MAX_COMPONENTS], from[2 * VM_MAX_COMPONENTS];
    uint32_t count;     /* of d and mask */
    uint32_t from_mask; /* components of from, less 1; they are a power of two */
} moves;

static void run_shuffle(vm_run *r, const vm_op *op) {
    const moves *m = op->more;
    VM_EACH_LANE(r, op, lane) {
        uint64_t value[VM_MAX_COMPONENTS];
        for (uint32_t k = 0; k < m->count; k++)
            value[k] = vm_element(r, m->from[vm_element(r, m->mask[k], lane) & m->from_mask], lane);
        for (uint32_t k = 0; k < m->count; k++)
            vm_put_bits(r, m->d[k], lane, value[k]);
    }
}

static void compile_shuffle(vm_compiler *c, const void *what) {
    (void)what;
    moves *m = hd_new(c->arena, moves);
    uint32_t sources = c->inst->arg_count - 1, lanes = lanes_of(c, 0);
    uint32_t places = hd_is_power_of_two(lanes) ? lanes : 4; /* a 3-vector has 4, one unknown */
    m->count = vm_call_lanes(c);
    m->from_mask = places * sources - 1;
    for (uint32_t i = 0; i < places * sources; i++)
        m->from[i] = vm_call_arg(c, i / places, i % places < lanes ? i % places : 0);
    for (uint32_t k = 0; k < m->count; k++) {
        m->d[k] = vm_result(c, k);
        m->mask[k] = vm_call_arg(c, sources, k);
    }
    vm_op *op = vm_emit_op(c, run_shuffle, m->d[0], m->from[0], m->mask[0], vm_none);
    op->more = m;
}

/* ---- saturating conversions ------------------------------------------------------- */

/* The name says the signedness ("convert_uchar4_sat"), kir's types the rest. The machine's own
 * conversions saturate, and make 0 of NaN. With "_nan" NaN becomes what PTX makes of it: where a
 * side has 64 bits, the highest bit. */
static void compile_saturate(vm_compiler *c, const void *what) {
    (void)what;
    const char *name = c->inst->name;
    kir_op op = name[strlen("convert_")] == 'u' ? KIR_FPTOUI : KIR_FPTOSI;
    int bits = c->inst->type.bits;
    int rounding = vm_rounding_of(name, FE_TOWARDZERO);
    /* What makes a whole number of it before; FN_COUNT: what converts does, towards zero. */
    vm_fn rounds = rounding == FE_TONEAREST  ? FN_RINT_F16
                   : rounding == FE_UPWARD   ? FN_CEIL_F16
                   : rounding == FE_DOWNWARD ? FN_FLOOR_F16
                                             : FN_COUNT;
    vm_elem elem = vm_call_elem(c, 0);
    bool marks_nan = strstr(name, "_nan") && (bits == 64 || elem == VM_F64);
    bool varies = vm_result(c, 0).varying;
    vm_operand whole = vm_scratch(c, elem, varies), is_nan = vm_scratch(c, VM_I8, varies);
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        vm_operand d = vm_result(c, k), a = vm_call_arg(c, 0, k);
        if (marks_nan) /* before d is written, which may be a's cell */
            vm_emit_compare(c, KIR_P_UNO, is_nan, a, a);
        if (rounds != FN_COUNT)
            vm_emit_handler(c, rounds, elem, whole, a, vm_none, vm_none);
        vm_emit(c, op, d, rounds != FN_COUNT ? whole : a, vm_none);
        if (marks_nan)
            vm_emit3(c, KIR_SELECT, d, is_nan, vm_constant(c, d.elem, UINT64_C(1) << (bits - 1)),
                     d);
    }
}

/* ---- the table -------------------------------------------------------------------- */

static const kir_op ANY = KIR_OR, ALL = KIR_AND;
const vm_builtin vm_vector_builtins[] = {
    {"any", "Id", compile_test, &ANY},
    {"all", "Id", compile_test, &ALL},
    {"bitselect", "ssss", compile_bitselect, NULL},
    {"shuffle", "tsm", compile_shuffle, NULL},
    {"shuffle2", "tssm", compile_shuffle, NULL},
    {"convert_*", "df", compile_saturate, NULL},
    {NULL},
};
