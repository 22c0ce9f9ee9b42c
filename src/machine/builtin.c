/*
 * Built-in functions: from a CALL to instructions.
 *
 * Every function is a row of a table, which says what types it takes and how it
 * is compiled. There are three ways:
 *
 *     clamp(x, a, b)    a few scalar operations that the machine has anyway: fmax,
 *                       then fmin. Their loops are vector code (lanes.c).
 *     pow(x, y)         a handler that calls a scalar function for each active lane,
 *                       once where all lanes have the same operands.
 *     work_group_all()  a handler that looks at all lanes at once.
 *
 * A call on vectors is compiled component by component; a scalar operand counts
 * for every component. The tables stand with their functions: integers in
 * builtin_integer.c, their bits and bytes in builtin_bits.c, floats that are no
 * mathematics in builtin_float.c, narrow formats in builtin_format.c, what moves
 * and converts components in builtin_vector.c, mathematics in math.c, and printf,
 * work-groups, sub-groups, warps, barriers, matrices and what a kernel asks of the machine
 * (builtin_machine.c) in files of their own. docs/builtins.md lists them all.
 */
#include "machine/builtin.h"

#include <fenv.h>
#include <stdlib.h>

#include "machine/lanes/lanes.h"

/* ---- operands --------------------------------------------------------------------- */

vm_operand vm_call_arg(vm_compiler *c, uint32_t i, uint32_t k) {
    return vm_cell_of(c, c->inst->args[i], k);
}

static kir_type type_of_arg(const vm_compiler *c, uint32_t i) {
    return c->kernel->insts[c->inst->args[i]].type;
}

vm_elem vm_call_elem(const vm_compiler *c, uint32_t i) { return vm_elem_of(type_of_arg(c, i)); }

uint32_t vm_call_lanes(const vm_compiler *c) {
    uint32_t lanes = c->inst->type.lanes;
    if (c->inst->type.kind != KIR_VOID)
        return lanes;
    for (uint32_t i = 0; i < c->inst->arg_count; i++)
        if (type_of_arg(c, i).lanes > lanes)
            lanes = type_of_arg(c, i).lanes;
    return lanes;
}

vm_operand vm_float_constant(vm_compiler *c, vm_elem elem, double value) {
    return vm_constant(c, elem, vm_bits_of(elem, value));
}

int vm_rounding_of(const char *name, int otherwise) {
    const char *tail = name + strlen(name) - 4;
    return !strcmp(tail, "_rtz")   ? FE_TOWARDZERO
           : !strcmp(tail, "_rte") ? FE_TONEAREST
           : !strcmp(tail, "_rtp") ? FE_UPWARD
           : !strcmp(tail, "_rtn") ? FE_DOWNWARD
                                   : otherwise;
}

/* ---- instructions ----------------------------------------------------------------- */

vm_op *vm_emit_for_lanes(vm_compiler *c, vm_op_fn *fn, const void *more) {
    vm_op *op = vm_emit_op(c, fn, (vm_operand){.varying = true}, vm_none, vm_none, vm_none);
    op->more = more;
    return op;
}

void vm_compile_handlers(vm_compiler *c, const void *what) {
    vm_op_fn *fn = ((const vm_handlers *)what)->fn[vm_call_elem(c, 0)];
    if (!fn) {
        vm_cannot_run(c, "%s of operands of this type", c->inst->name);
        return;
    }
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        vm_operand x[3] = {0};
        for (uint32_t i = 0; i < c->inst->arg_count && i < 3; i++)
            x[i] = vm_call_arg(c, i, k);
        vm_emit_op(c, fn, vm_result(c, k), x[0], x[1], x[2])->code = VM_CODE_OPERANDS;
    }
}

static void emit_calls(vm_compiler *c, const vm_caller *caller, bool for_lanes) {
    uint32_t components = vm_call_lanes(c) ? vm_call_lanes(c) : 1;
    for (uint32_t k = 0; k < components; k++) {
        vm_call *call = hd_new(c->arena, vm_call);
        call->what = caller->what;
        call->count = c->inst->arg_count;
        call->has_result = c->inst->type.kind != KIR_VOID;
        if (call->has_result)
            call->d = vm_result(c, k);
        for (uint32_t i = 0; i < call->count && i < sizeof call->x / sizeof *call->x; i++)
            call->x[i] = vm_call_arg(c, i, k);
        vm_op *op = for_lanes ? vm_emit_for_lanes(c, caller->fn, call)
                              : vm_emit_op(c, caller->fn, call->d, call->x[0], vm_none, vm_none);
        op->code = VM_CODE_CALL;
        op->more = call;
        op->imm = vm_rounding_of(c->inst->name, FE_TONEAREST);
    }
}

void vm_compile_lanes(vm_compiler *c, const void *what) { emit_calls(c, what, true); }
void vm_compile_each(vm_compiler *c, const void *what) { emit_calls(c, what, false); }

void vm_emit_private_store(vm_compiler *c, kir_value pointer, uint32_t count,
                           const vm_operand *values) {
    vm_memory *m = vm_memory_new(c, pointer);
    m->elem = values[0].elem;
    m->components = count;
    m->align = vm_elem_bytes(m->elem);
    m->width = m->align * (count == 3 ? 4 : count);
    memcpy(m->value, values, count * sizeof *values);
    vm_emit_for_lanes(c, vm_op_store, m);
}

/* ---- which function it is --------------------------------------------------------- */

static bool is_number(kir_type type, kir_kind kind, uint32_t bits) {
    return type.kind == kind && type.bits == bits;
}

/* Does a value of this type stand where `letter` is wanted? */
static bool letter_fits(char letter, kir_type type, kir_type main, uint32_t lanes) {
    bool counts = type.lanes == 1 || type.lanes == lanes;
    bool same = type.kind == main.kind && type.bits == main.bits;
    bool geometric = is_number(type, KIR_FLOAT, main.bits) && type.lanes == main.lanes;
    switch (letter) {
    case 'f': return is_number(type, KIR_FLOAT, main.bits) && counts;
    case 'F': return is_number(type, KIR_FLOAT, main.bits) && type.lanes == 1;
    case 'x': return geometric && type.lanes <= 4;
    case 'c': return geometric && (type.lanes == 3 || type.lanes == 4);
    case 'h': return is_number(type, KIR_FLOAT, 16) && counts;
    case 'a': return type.kind == KIR_FLOAT && counts;
    case 'n': return is_number(type, KIR_INT, main.bits) && counts;
    case 'w': return is_number(type, KIR_INT, 2u * main.bits) && counts;
    case 'i': return is_number(type, KIR_INT, 32) && counts;
    case 'I': return is_number(type, KIR_INT, 32) && type.lanes == 1;
    case 'k': return is_number(type, KIR_INT, 16) && counts;
    case 'g': return type.bits >= 32 && is_number(type, KIR_INT, main.bits) && counts;
    case 'r': return is_number(type, KIR_INT, type.lanes == 1 ? 32 : main.bits);
    case 's': return same && type.lanes == main.lanes;
    case 't': return same;
    case 'm': return is_number(type, KIR_INT, main.bits) && type.lanes == lanes;
    case 'd': return type.kind == KIR_INT && type.bits >= 8;
    case 'e': return is_number(type, KIR_INT, 64) && type.lanes == 1;
    case 'v': return type.kind == KIR_VOID;
    case '_': return type.kind != KIR_VOID;
    case 'p': return type.kind == KIR_PTR && type.space == KIR_PRIVATE;
    case 'P': return type.kind == KIR_PTR;
    default: return false;
    }
}

kir_type vm_call_main(const vm_compiler *c) {
    kir_type main = c->inst->arg_count ? type_of_arg(c, 0) : c->inst->type;
    for (uint32_t i = c->inst->arg_count; i-- > 0;)
        if (type_of_arg(c, i).kind == KIR_FLOAT)
            main = type_of_arg(c, i);
    return main;
}

/* Do the types of the call fit? */
static bool fits(const vm_compiler *c, const char *shape) {
    const kir_inst *call = c->inst;
    kir_type main = vm_call_main(c);
    uint32_t lanes = vm_call_lanes(c);
    if ((main.kind == KIR_INT && main.bits < 8) || !letter_fits(*shape++, call->type, main, lanes))
        return false;
    for (uint32_t i = 0; i < call->arg_count && *shape != '*'; i++, shape++)
        if (!letter_fits(*shape, type_of_arg(c, i), main, lanes))
            return false;
    return *shape == '\0' || *shape == '*';
}

/* The forms of lower accuracy are the accurate ones. */
static const char *accurate_name(const char *name) {
    static const char *const prefixes[] = {"half_", "native_", "fast_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return name + strlen(prefixes[i]);
    return name;
}

bool vm_compile_call(vm_compiler *c) {
    const char *name = accurate_name(c->inst->name);
    const vm_builtin *const tables[] = {
        vm_math_builtins,    vm_float_builtins,  vm_integer_builtins, vm_bit_builtins,
        vm_format_builtins, /* before what converts to integers */
        vm_vector_builtins,  vm_print_builtins,  vm_group_builtins,   vm_warp_builtins,
        vm_barrier_builtins, vm_matrix_builtins, vm_machine_builtins, vm_bulk_builtins};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const vm_builtin *b = tables[t]; b->name; b++) {
            size_t length = strcspn(b->name, "*");
            if (strncmp(b->name, name, length + !b->name[length]) || !fits(c, b->shape))
                continue;
            if (b->compile)
                b->compile(c, b->what);
            return true;
        }
    return false;
}
