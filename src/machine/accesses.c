/*
 * Memory instructions: what each one needs at run time, and which rows of the
 * table of accesses it announces.
 */
#include "machine/builtin.h"
#include "machine/compile.h"

vm_announced *vm_announced_rows(vm_compiler *c, hd_access_kind kind, uint32_t *count) {
    const hd_kernel_info *info = c->program->info;
    hd_vec(vm_announced) rows = {0};
    for (uint32_t i = 0; i < info->access_count; i++)
        if (info->accesses[i].inst == c->value && info->accesses[i].kind == kind)
            hd_push(c->arena, &rows, (vm_announced){i, info->accesses[i].part});
    *count = (uint32_t)rows.count;
    return rows.data;
}

vm_memory *vm_memory_new(vm_compiler *c, kir_value address) {
    vm_memory *m = hd_new(c->arena, vm_memory);
    m->slot = c->program->memory_count++;
    m->space = (kir_space)c->kernel->insts[address].type.space;
    m->address = vm_cell_of(c, address, 0);
    m->align = 1;
    return m;
}

static void describe_value(vm_compiler *c, vm_memory *m, kir_type type) {
    m->elem = vm_elem_of(type);
    m->components = type.lanes;
    m->width = kir_type_bytes(type);
    m->align = c->inst->align ? c->inst->align : vm_elem_bytes(m->elem);
}

static void compile_transfer(vm_compiler *c) {
    bool is_store = c->inst->op == KIR_STORE;
    kir_value value = is_store ? c->inst->args[0] : c->value;
    vm_memory *m = vm_memory_new(c, c->inst->args[is_store]);
    describe_value(c, m, c->kernel->insts[value].type);
    for (uint32_t k = 0; k < m->components; k++)
        m->value[k] = vm_cell_of(c, value, k);
    m->announced = vm_announced_rows(c, is_store ? HD_STORE : HD_LOAD, &m->announced_count);
    vm_operand result = is_store ? (vm_operand){.varying = true} : m->value[0];
    vm_op_fn *fn = is_store ? vm_op_store : vm_op_load;
    vm_op *op = vm_emit_op(c, fn, result, m->address, vm_none, vm_none);
    op->code = is_store ? VM_CODE_STORE : VM_CODE_LOAD;
    op->more = m;
}

static void compile_atomic(vm_compiler *c) {
    const kir_inst *inst = c->inst;
    vm_memory *m = vm_memory_new(c, inst->args[0]);
    kir_type type = inst->type;
    if (type.kind == KIR_VOID)
        type = inst->arg_count > 1 ? c->kernel->insts[inst->args[1]].type
                                   : (kir_type){KIR_INT, 32, 1, 0};
    describe_value(c, m, type);
    m->align = m->width;
    m->rmw = (kir_rmw)inst->index;
    m->has_result = inst->type.kind != KIR_VOID;
    if (m->has_result)
        m->value[0] = vm_result(c, 0);
    if (inst->arg_count > 1)
        m->second = vm_cell_of(c, inst->args[1], 0);
    if (inst->arg_count > 2)
        m->third = vm_cell_of(c, inst->args[2], 0);
    m->announced = vm_announced_rows(c, HD_ATOMIC, &m->announced_count);
    vm_emit_for_lanes(c, vm_op_atomic, m)->code = VM_CODE_ATOMIC;
}

/* COPY: to, from, bytes. FILL: to, byte, bytes. */
static void compile_block_access(vm_compiler *c) {
    vm_memory *m = vm_memory_new(c, c->inst->args[0]);
    bool is_copy = c->inst->op == KIR_COPY;
    if (is_copy) {
        c->program->memory_count++; /* the source has a slot of its own, the next one */
        m->from_space = (kir_space)c->kernel->insts[c->inst->args[1]].type.space;
    }
    m->second = vm_cell_of(c, c->inst->args[1], 0);
    m->third = vm_cell_of(c, c->inst->args[2], 0);
    m->announced = vm_announced_rows(c, HD_LOAD, &m->announced_count);
    m->announced_to = vm_announced_rows(c, HD_STORE, &m->announced_to_count);
    vm_emit_for_lanes(c, is_copy ? vm_op_copy : vm_op_fill, m);
}

void vm_compile_memory(vm_compiler *c) {
    switch (c->inst->op) {
    case KIR_LOAD:
    case KIR_STORE: compile_transfer(c); return;
    case KIR_ATOMIC: compile_atomic(c); return;
    default: compile_block_access(c); return;
    }
}
