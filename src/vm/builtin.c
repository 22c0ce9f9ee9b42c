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

hd_operand hd_call_arg(hd_compiler *c, uint32_t i, uint32_t k) {
    return hd_cell_of(c, c->inst->args[i], k);
}

static kir_type type_of_arg(const hd_compiler *c, uint32_t i) {
    return c->kernel->insts[c->inst->args[i]].type;
}

static kir_type element_of(kir_type type) {
    type.lanes = 1;
    return type;
}

hd_elem hd_call_elem(const hd_compiler *c, uint32_t i) {
    return hd_elem_of(element_of(type_of_arg(c, i)));
}

uint32_t hd_call_lanes(const hd_compiler *c) {
    uint32_t lanes = c->inst->type.lanes;
    if (c->inst->type.kind != KIR_VOID)
        return lanes;
    for (uint32_t i = 0; i < c->inst->arg_count; i++)
        if (type_of_arg(c, i).lanes > lanes)
            lanes = type_of_arg(c, i).lanes;
    return lanes;
}

hd_operand hd_as_integer(hd_operand operand) {
    if (operand.elem >= HD_F16)
        operand.elem = (hd_elem)(operand.elem - HD_F16 + HD_I16);
    return operand;
}

hd_operand hd_float_constant(hd_compiler *c, hd_elem elem, double value) {
    uint64_t bits = 0;
    _Float16 half = (_Float16)value;
    float single = (float)value;
    const void *source = elem == HD_F16   ? (const void *)&half
                         : elem == HD_F32 ? (const void *)&single
                                          : (const void *)&value;
    memcpy(&bits, source, hd_elem_bytes(elem));
    return hd_constant(c, elem, bits);
}

int hd_rounding_of(const char *name, int otherwise) {
    const char *tail = name + strlen(name) - 4;
    return !strcmp(tail, "_rtz")   ? FE_TOWARDZERO
           : !strcmp(tail, "_rte") ? FE_TONEAREST
           : !strcmp(tail, "_rtp") ? FE_UPWARD
           : !strcmp(tail, "_rtn") ? FE_DOWNWARD
                                   : otherwise;
}

/* ---- instructions ----------------------------------------------------------------- */

hd_op *hd_emit_for_lanes(hd_compiler *c, hd_op_fn *fn, const void *more) {
    hd_operand none = {0};
    hd_op *op = hd_emit_op(c, fn, (hd_operand){.varying = true}, none, none, none);
    op->more = more;
    return op;
}

void hd_emit_private_store(hd_compiler *c, kir_value pointer, uint32_t count,
                           const hd_operand *values) {
    hd_memory *m = hd_memory_new(c, pointer);
    m->elem = values[0].elem;
    m->components = count;
    m->align = hd_elem_bytes(m->elem);
    m->width = m->align * (count == 3 ? 4 : count);
    memcpy(m->value, values, count * sizeof *values);
    hd_emit_for_lanes(c, hd_op_store, m);
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

static kir_type main_type(const hd_compiler *c) {
    for (uint32_t i = 0; i < c->inst->arg_count; i++)
        if (type_of_arg(c, i).kind == KIR_FLOAT)
            return type_of_arg(c, i);
    return c->inst->arg_count ? type_of_arg(c, 0) : c->inst->type;
}

static bool fits(const hd_compiler *c, const char *shape) {
    kir_type main = main_type(c);
    uint32_t lanes = hd_call_lanes(c);
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

static bool is_called(const hd_builtin *b, const char *name) {
    size_t length = strlen(b->name);
    if (b->name[length - 1] == '*')
        return !strncmp(b->name, name, length - 1);
    return !strcmp(b->name, name);
}

static const hd_builtin *find(const hd_compiler *c) {
    const hd_builtin *const tables[] = {hd_math_builtins,   hd_float_builtins, hd_integer_builtins,
                                        hd_vector_builtins, hd_print_builtins, hd_group_builtins,
                                        hd_warp_builtins};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const hd_builtin *b = tables[t]; b->name; b++)
            if (is_called(b, c->inst->name) && fits(c, b->shape))
                return b;
    return NULL;
}

bool hd_compile_call(hd_compiler *c) {
    const hd_builtin *b = find(c);
    if (b)
        b->compile(c, b->what);
    return b != NULL;
}
