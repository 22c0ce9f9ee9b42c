/*
 * Memory instructions: what each one needs at run time, and which rows of the
 * table of accesses it announces.
 */
#include "vm/compile.h"

hd_announced *hd_announced_rows(hd_compiler *c, hd_access_kind kind, uint32_t *count) {
    const hd_kernel_info *info = c->program->info;
    hd_vec(hd_announced) rows = {0};
    for (uint32_t i = 0; i < info->access_count; i++)
        if (info->accesses[i].inst == c->value && info->accesses[i].kind == kind)
            hd_push(c->arena, &rows,
                    (hd_announced){i, info->accesses[i].part, info->accesses[i].width});
    *count = (uint32_t)rows.count;
    return rows.data;
}

hd_memory *hd_memory_new(hd_compiler *c, kir_value address) {
    hd_memory *m = hd_new(c->arena, hd_memory);
    m->slot = c->program->memory_count++;
    m->space = (kir_space)c->kernel->insts[address].type.space;
    m->address = hd_cell_of(c, address, 0);
    m->align = 1;
    return m;
}

static void describe_value(hd_compiler *c, hd_memory *m, kir_type type) {
    m->elem = hd_elem_of(type);
    m->components = type.lanes;
    m->width = kir_type_bytes(type);
    m->align = c->inst->align ? c->inst->align : hd_elem_bytes(m->elem);
}

static hd_op *emit(hd_compiler *c, hd_op_fn *fn, const hd_memory *m, hd_operand result) {
    hd_op *op = hd_emit_op(c, fn, result, m->address, (hd_operand){0}, (hd_operand){0});
    op->more = m;
    return op;
}

static void compile_load(hd_compiler *c) {
    hd_memory *m = hd_memory_new(c, c->inst->args[0]);
    describe_value(c, m, c->inst->type);
    for (uint32_t k = 0; k < m->components; k++)
        m->value[k] = hd_result(c, k);
    m->announced = hd_announced_rows(c, HD_LOAD, &m->announced_count);
    emit(c, hd_op_load, m, m->value[0]);
}

static void compile_store(hd_compiler *c) {
    hd_memory *m = hd_memory_new(c, c->inst->args[1]);
    describe_value(c, m, c->kernel->insts[c->inst->args[0]].type);
    for (uint32_t k = 0; k < m->components; k++)
        m->value[k] = hd_cell_of(c, c->inst->args[0], k);
    m->announced = hd_announced_rows(c, HD_STORE, &m->announced_count);
    emit(c, hd_op_store, m, (hd_operand){.varying = true});
}

static void compile_atomic(hd_compiler *c) {
    const kir_inst *inst = c->inst;
    hd_memory *m = hd_memory_new(c, inst->args[0]);
    kir_type type = inst->type;
    if (type.kind == KIR_VOID)
        type = inst->arg_count > 1 ? c->kernel->insts[inst->args[1]].type
                                   : (kir_type){KIR_INT, 32, 1, 0};
    describe_value(c, m, type);
    m->align = m->width;
    m->rmw = (kir_rmw)inst->index;
    m->has_result = inst->type.kind != KIR_VOID;
    if (m->has_result)
        m->value[0] = hd_result(c, 0);
    if (inst->arg_count > 1)
        m->second = hd_cell_of(c, inst->args[1], 0);
    if (inst->arg_count > 2)
        m->third = hd_cell_of(c, inst->args[2], 0);
    m->announced = hd_announced_rows(c, HD_ATOMIC, &m->announced_count);
    emit(c, hd_op_atomic, m, (hd_operand){.varying = true});
}

/* COPY: to, from, bytes. FILL: to, byte, bytes. */
static void compile_block_access(hd_compiler *c) {
    hd_memory *m = hd_memory_new(c, c->inst->args[0]);
    bool is_copy = c->inst->op == KIR_COPY;
    if (is_copy) {
        c->program->memory_count++; /* the source has a slot of its own, the next one */
        m->from_space = (kir_space)c->kernel->insts[c->inst->args[1]].type.space;
    }
    m->second = hd_cell_of(c, c->inst->args[1], 0);
    m->third = hd_cell_of(c, c->inst->args[2], 0);
    m->announced = hd_announced_rows(c, HD_LOAD, &m->announced_count);
    m->announced_to = hd_announced_rows(c, HD_STORE, &m->announced_to_count);
    emit(c, is_copy ? hd_op_copy : hd_op_fill, m, (hd_operand){.varying = true});
}

void hd_compile_memory(hd_compiler *c) {
    switch (c->inst->op) {
    case KIR_LOAD: compile_load(c); return;
    case KIR_STORE: compile_store(c); return;
    case KIR_ATOMIC: compile_atomic(c); return;
    default: compile_block_access(c); return;
    }
}
