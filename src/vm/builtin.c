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
 * builtin_integer.c, floats that are no mathematics in builtin_float.c, what moves
 * and converts components in builtin_vector.c, mathematics in math.c, and printf,
 * work-groups and warps in files of their own. docs/builtins.md lists them all.
 */
#include "vm/builtin.h"

#include <fenv.h>
#include <stdlib.h>

#include "vm/lanes.h"

/* ---- operands --------------------------------------------------------------------- */

vm_operand vm_call_arg(vm_compiler *c, uint32_t i, uint32_t k) {
    return vm_cell_of(c, c->inst->args[i], k);
}

static kir_type type_of_arg(const vm_compiler *c, uint32_t i) {
    return c->kernel->insts[c->inst->args[i]].type;
}

static kir_type element_of(kir_type type) {
    type.lanes = 1;
    return type;
}

vm_elem vm_call_elem(const vm_compiler *c, uint32_t i) {
    return vm_elem_of(element_of(type_of_arg(c, i)));
}

uint32_t vm_call_lanes(const vm_compiler *c) {
    uint32_t lanes = c->inst->type.lanes;
    if (c->inst->type.kind != KIR_VOID)
        return lanes;
    for (uint32_t i = 0; i < c->inst->arg_count; i++)
        if (type_of_arg(c, i).lanes > lanes)
            lanes = type_of_arg(c, i).lanes;
    return lanes;
}

vm_operand vm_as_integer(vm_operand operand) {
    if (operand.elem >= VM_F16)
        operand.elem = (vm_elem)(operand.elem - VM_F16 + VM_I16);
    return operand;
}

vm_operand vm_float_constant(vm_compiler *c, vm_elem elem, double value) {
    uint64_t bits = 0;
    _Float16 half = (_Float16)value;
    float single = (float)value;
    const void *source = elem == VM_F16   ? (const void *)&half
                         : elem == VM_F32 ? (const void *)&single
                                          : (const void *)&value;
    memcpy(&bits, source, vm_elem_bytes(elem));
    return vm_constant(c, elem, bits);
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
    vm_operand none = {0};
    vm_op *op = vm_emit_op(c, fn, (vm_operand){.varying = true}, none, none, none);
    op->more = more;
    return op;
}

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
    case 'r': return is_number(type, KIR_INT, type.lanes == 1 ? 32 : main.bits);
    case 's': return same && type.lanes == main.lanes;
    case 't': return same;
    case 'm': return is_number(type, KIR_INT, main.bits) && type.lanes == lanes;
    case 'd': return type.kind == KIR_INT && type.bits >= 8;
    case 'e': return is_number(type, KIR_INT, 64) && type.lanes == 1;
    case 'v': return type.kind == KIR_VOID;
    case 'p': return type.kind == KIR_PTR && type.space == KIR_PRIVATE;
    case 'P': return type.kind == KIR_PTR;
    default: return false;
    }
}

static kir_type main_type(const vm_compiler *c) {
    for (uint32_t i = 0; i < c->inst->arg_count; i++)
        if (type_of_arg(c, i).kind == KIR_FLOAT)
            return type_of_arg(c, i);
    return c->inst->arg_count ? type_of_arg(c, 0) : c->inst->type;
}

static bool fits(const vm_compiler *c, const char *shape) {
    kir_type main = main_type(c);
    uint32_t lanes = vm_call_lanes(c);
    if (main.kind == KIR_INT && main.bits < 8)
        return false;
    if (!letter_fits(*shape++, c->inst->type, main, lanes))
        return false;
    for (uint32_t i = 0; i < c->inst->arg_count; i++, shape++) {
        if (*shape == '*')
            return true;
        if (!letter_fits(*shape, type_of_arg(c, i), main, lanes))
            return false;
    }
    return *shape == '\0' || *shape == '*';
}

static bool is_called(const vm_builtin *b, const char *name) {
    size_t length = strlen(b->name);
    if (b->name[length - 1] == '*')
        return !strncmp(b->name, name, length - 1);
    return !strcmp(b->name, name);
}

static const vm_builtin *find(const vm_compiler *c) {
    const vm_builtin *const tables[] = {vm_math_builtins,   vm_float_builtins, vm_integer_builtins,
                                        vm_vector_builtins, vm_print_builtins, vm_group_builtins,
                                        vm_warp_builtins};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const vm_builtin *b = tables[t]; b->name; b++)
            if (is_called(b, c->inst->name) && fits(c, b->shape))
                return b;
    return NULL;
}

bool vm_compile_call(vm_compiler *c) {
    const vm_builtin *b = find(c);
    if (b)
        b->compile(c, b->what);
    return b != NULL;
}
