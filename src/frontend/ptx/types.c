/*
 * Types that the text does not tell. Newer compilers keep floats in registers of bits: what is
 * loaded as bits and used as a float alone is a float, and so is what is stored as the bits of
 * one. Of a buffer the elements are what most accesses of the kernel move.
 */
#include "frontend/ptx/internal.h"

typedef struct typer {
    ptx_lowering *l;
    uint32_t count;
    kir_value *user;  /* [count]: the one bitcast that uses a value, or KIR_NONE */
    bool *has_others; /* [count]: it has other users */
    bool *is_number;  /* [count]: of a vector: one of its parts is used as an integer */
} typer;

static kir_inst *inst_of(const typer *t, kir_value value) { return &t->l->out.insts.data[value]; }

typedef void visit_fn(typer *t, kir_inst *inst, kir_value value);

static void each(typer *t, visit_fn *visit) {
    for (uint32_t b = 0; b < t->l->out.block_count; b++)
        for (size_t i = 0; i < t->l->out.lists[b].count; i++) {
            kir_value v = t->l->out.lists[b].data[i];
            visit(t, inst_of(t, v), v);
        }
}

/* ---- loads and stores of bits ------------------------------------------------- */

static bool is_word(kir_type type) { return type.kind == KIR_INT && type.bits >= 16; }

static void note_users(typer *t, kir_inst *inst, kir_value value) {
    for (uint32_t a = 0; a < inst->arg_count; a++) {
        kir_value arg = inst->args[a];
        bool is_cast = inst->op == KIR_BITCAST && inst->type.kind == KIR_FLOAT &&
                       inst->type.lanes == 1 && inst->type.bits == inst_of(t, arg)->type.bits;
        if (!is_cast)
            t->has_others[arg] = true;
        else
            t->user[arg] = value;
    }
}

static void retype(typer *t, kir_inst *inst, kir_value value) {
    if (inst->op == KIR_LOAD && is_word(inst->type) && inst->type.lanes == 1 &&
        !t->has_others[value] && t->user[value] != KIR_NONE)
        inst->type.kind = KIR_FLOAT; /* its casts are now between equal types */
    if (inst->op == KIR_STORE) {
        const kir_inst *cast = inst_of(t, inst->args[0]);
        if (cast->op == KIR_BITCAST && cast->type.lanes == 1 &&
            inst_of(t, cast->args[0])->type.kind == KIR_FLOAT &&
            inst_of(t, cast->args[0])->type.lanes == 1)
            inst->args[0] = cast->args[0];
    }
}

/* ---- vectors of bits ------------------------------------------------------------- */

/* What uses a part of a vector: a number, or a float's bits. */
static void note_parts(typer *t, kir_inst *inst, kir_value value) {
    if (inst->op == KIR_EXTRACT && (t->has_others[value] || t->user[value] == KIR_NONE))
        t->is_number[inst->args[0]] = true;
}

/* A vector whose parts are all floats; in either order the parts follow it. */
static void retype_vector(typer *t, kir_inst *inst, kir_value value) {
    (void)value;
    if (inst->op != KIR_EXTRACT)
        return;
    kir_inst *load = inst_of(t, inst->args[0]);
    if (load->op == KIR_LOAD && is_word(load->type) && !t->is_number[inst->args[0]])
        load->type.kind = KIR_FLOAT;
    inst->type.kind = load->type.kind;
}

/* ---- elements of buffers ----------------------------------------------------------- */

/* The parameter that a pointer is computed from, or KIR_NONE. */
static uint32_t param_of(const typer *t, kir_value pointer) {
    for (uint32_t steps = 0; steps < 64; steps++) {
        const kir_inst *inst = inst_of(t, pointer);
        if (inst->op == KIR_PARAM)
            return inst->type.space == KIR_PRIVATE ? KIR_NONE : inst->index;
        if (inst->op == KIR_SELECT)
            pointer = inst->args[1];
        else if (inst->op == KIR_ADDR || inst->op == KIR_SPACECAST || inst->op == KIR_PHI)
            pointer = inst->args[0];
        else
            return KIR_NONE;
    }
    return KIR_NONE;
}

static const char *element_name(kir_type type) {
    static const char *const ints[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};
    if (type.kind == KIR_FLOAT)
        return type.bits == 16 ? "half" : type.bits == 32 ? "float" : "double";
    return ints[(type.bits + 7) / 8];
}

/* Vectors count as their elements; of several sizes the least, so that each index is a whole
 * number. */
static void note_element(typer *t, kir_inst *inst, kir_value value) {
    (void)value;
    if (inst->op != KIR_LOAD && inst->op != KIR_STORE && inst->op != KIR_ATOMIC)
        return;
    kir_value pointer = inst->args[inst->op == KIR_STORE];
    uint32_t index = param_of(t, pointer);
    if (index == KIR_NONE)
        return;
    kir_param *param = &t->l->kernel->params[index];
    kir_type type = inst->op == KIR_STORE ? inst_of(t, inst->args[0])->type
                    : inst->op == KIR_ATOMIC && inst->arg_count > 1
                        ? inst_of(t, inst->args[1])->type
                        : inst->type;
    uint32_t bytes = (type.bits + 7u) / 8;
    if (type.kind == KIR_PTR || !bytes || (param->element_bytes && param->element_bytes < bytes))
        return;
    bool is_new = param->element_bytes != bytes || type.kind == KIR_FLOAT;
    param->element_bytes = bytes;
    if (is_new)
        param->element_type = element_name(type);
}

void ptx_find_types(ptx_lowering *l) {
    typer t = {.l = l, .count = (uint32_t)l->out.insts.count};
    t.user = hd_new_array(l->arena, kir_value, t.count);
    memset(t.user, 0xff, t.count * sizeof *t.user);
    t.has_others = hd_new_array(l->arena, bool, t.count);
    t.is_number = hd_new_array(l->arena, bool, t.count);
    each(&t, note_users);
    each(&t, note_parts);
    each(&t, retype_vector);
    each(&t, retype);
    each(&t, note_element);
    for (uint32_t i = 0; i < l->kernel->param_count; i++) {
        kir_param *param = &l->kernel->params[i];
        if (param->type.kind == KIR_PTR && !param->by_value_struct)
            param->type_name =
                param->element_type ? hd_format(l->arena, "%s *", param->element_type) : "void *";
    }
}
