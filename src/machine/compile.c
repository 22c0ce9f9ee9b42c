/*
 * From kir to the machine's operations, for blocks of one size.
 *
 *     divergence ──► cells ──► operations, block by block ──► edges
 *
 * kir is compiled once for each kernel and block size, in about the time that one
 * block takes to run. Vectors fall apart into components here, addresses become
 * multiply-adds, and each memory instruction learns which accesses it announces.
 */
#include "machine/compile.h"
#include "machine/native/native.h"

vm_elem vm_elem_of(kir_type type) {
    if (type.kind == KIR_FLOAT)
        return type.bits == 16 ? VM_F16 : type.bits == 32 ? VM_F32 : VM_F64;
    if (type.kind == KIR_PTR || type.bits == 64)
        return VM_I64;
    return type.bits <= 8 ? VM_I8 : type.bits == 16 ? VM_I16 : VM_I32;
}

void vm_cannot_run(vm_compiler *c, const char *format, ...) {
    if (c->status)
        return;
    va_list args;
    va_start(args, format);
    hd_place place = kir_place(c->arena, c->module, c->inst);
    c->status = hd_fail(c->diag, HD_EUNSUPPORTED, &place, "%s", hd_vformat(c->arena, format, args));
    va_end(args);
}

vm_op *vm_emit_op(vm_compiler *c, vm_op_fn *fn, vm_operand d, vm_operand a, vm_operand b,
                  vm_operand third) {
    vm_op op = {.fn = fn,
                .d = d.at,
                .a = a.at,
                .b = b.at,
                .c = third.at,
                .sa = a.varying ? UINT32_MAX : 0,
                .sb = b.varying ? UINT32_MAX : 0,
                .sc = third.varying ? UINT32_MAX : 0,
                .uniform = !d.varying,
                .code = VM_CODE_ANY,
                .inst = c->value};
    hd_push(c->arena, &c->ops, op);
    return &c->ops.data[c->ops.count - 1];
}

/* ---- what is there before the first instruction ------------------------------------------ */

/* Where a variable is that has no place of its own: at its first use. */
static hd_place place_of_variable(const vm_compiler *c, kir_value variable) {
    for (uint32_t v = 0; v < c->kernel->inst_count; v++) {
        const kir_inst *inst = &c->kernel->insts[v];
        for (uint32_t i = 0; i < inst->arg_count && inst->line; i++)
            if (inst->args[i] == variable)
                return kir_place(c->arena, c->module, inst);
    }
    return c->kernel->place;
}

static hd_status check_private(const vm_compiler *c) {
    const kir_kernel *k = c->kernel;
    uint64_t most = VM_MOST_PRIVATE / c->program->lanes, bytes = 0, largest = 0;
    hd_place place = k->place;
    for (uint32_t v = 0; v < k->inst_count && largest <= most; v++)
        if (k->insts[v].op == KIR_ALLOCA && k->insts[v].imm[0] > largest) {
            largest = k->insts[v].imm[0];
            place = place_of_variable(c, v);
        }
    for (uint32_t v = 0; v < k->inst_count && bytes <= most; v++)
        bytes += k->insts[v].op == KIR_ALLOCA ? k->insts[v].imm[0] + VM_PRIVATE_GAP : 0;
    if (bytes <= most)
        return HD_OK;
    return hd_fail(
        c->diag, HD_EUNSUPPORTED, &place,
        "a thread of kernel %s has variables of %llu bytes or more in private memory; in "
        "a block of %u threads each may have %llu; put the array here into a buffer, or "
        "launch smaller blocks",
        k->name, (unsigned long long)bytes, c->program->lanes, (unsigned long long)most);
}

static uint64_t take_private(vm_compiler *c, uint64_t bytes, uint64_t align, bool is_param) {
    uint64_t at = hd_align_up(c->program->private_bytes, align ? align : 1);
    c->program->private_bytes = hd_align_up(at + bytes + VM_PRIVATE_GAP, VM_PRIVATE_GAP);
    hd_push(c->arena, &c->program->pieces, (vm_piece){at, bytes, is_param});
    return at;
}

enum { MOST_ALIGNED = 128 }; /* a long16, or a struct with one */

static void place_params(vm_compiler *c) {
    vm_program *p = c->program;
    const kir_kernel *k = c->kernel;
    p->param = hd_new_array(c->arena, vm_operand *, k->param_count);
    p->by_value = hd_new_array(c->arena, uint64_t, k->param_count);
    for (uint32_t i = 0; i < k->param_count; i++) {
        uint32_t lanes = k->params[i].type.lanes ? k->params[i].type.lanes : 1;
        p->param[i] = hd_new_array(c->arena, vm_operand, lanes);
        for (uint32_t j = 0; j < lanes; j++)
            p->param[i][j] = vm_new_cell(c, vm_elem_of(k->params[i].type), false);
        if (k->params[i].by_value_struct)
            p->by_value[i] = take_private(c, k->params[i].bytes, MOST_ALIGNED, true);
    }
    p->statics = hd_new_array(c->arena, vm_operand, k->static_count);
    for (uint32_t i = 0; i < k->static_count; i++)
        p->statics[i] = vm_new_cell(c, VM_I64, false);
}

/* ---- instructions --------------------------------------------------------------------------- */

static void compile_instruction(vm_compiler *c) {
    c->cells->scratch_used = 0;
    switch (c->inst->op) {
    case KIR_PARAM:
    case KIR_CONST:
    case KIR_UNDEF:
    case KIR_STATIC:
    case KIR_ALLOCA:
    case KIR_PHI:
    case KIR_BARRIER: return;
    case KIR_FENCE:
        vm_emit_op(c, vm_op_fence, vm_none, vm_none, vm_none, vm_none)->more = c->inst;
        return;
    case KIR_QUERY: vm_compile_query(c); return;
    case KIR_LOAD:
    case KIR_STORE:
    case KIR_ATOMIC:
    case KIR_COPY:
    case KIR_FILL: vm_compile_memory(c); return;
    case KIR_CALL:
        c->program->prints |= !strcmp(c->inst->name, "printf") || !strcmp(c->inst->name, "vprintf");
        if (!vm_compile_call(c) && !c->status)
            vm_cannot_run(c, "the machine does not know the built-in function %s", c->inst->name);
        return;
    default: vm_compile_arithmetic(c); return;
    }
}

static void compile_block(vm_compiler *c, const hd_lane_work *work, uint32_t b) {
    const kir_block *block = &c->kernel->blocks[b];
    vm_node *node = &c->program->nodes[vm_first_node(c, b)];
    node->first = (uint32_t)c->ops.count;
    for (uint32_t n = 0; n < block->inst_count && !c->status; n++) {
        c->value = block->insts[n];
        c->inst = &c->kernel->insts[c->value];
        c->node = node;
        if (vm_is_barrier(c->inst)) {
            node->count = (uint32_t)c->ops.count - node->first;
            vm_end_piece(c, node++);
            node->first = (uint32_t)c->ops.count;
            c->node = node;
        }
        if (!kir_is_leaf(c->inst->op) && c->inst->op != KIR_PHI)
            node->insts++;
        hd_count_operations(c->kernel, work, c->value, node->operations);
        node->spins |= c->inst->op == KIR_ATOMIC || c->inst->is_volatile;
        node->meets |= c->inst->op == KIR_CALL && !strncmp(c->inst->name, "warp_", 5);
        if (!kir_is_terminator(c->inst->op)) {
            compile_instruction(c);
            continue;
        }
        node->count = (uint32_t)c->ops.count - node->first;
        vm_end_block(c, node, b);
    }
}

hd_status vm_compile(hd_arena *arena, const hd_diag *diag, const kir_module *module,
                     const kir_kernel *kernel, const hd_binding *binding, uint32_t lanes,
                     vm_program **program) {
    vm_compiler c = {.arena = arena, .diag = diag, .module = module, .kernel = kernel};
    vm_program *p = c.program = hd_new(arena, vm_program);
    p->module = module;
    p->kernel = kernel;
    p->lanes = lanes;
    p->padded = (uint32_t)hd_align_up(lanes, VM_CHUNK);
    p->info = hd_kernel_analyse(arena, module, kernel, binding);
    c.status = check_private(&c);
    if (c.status)
        return c.status;
    c.flow = p->info->flow;
    c.divergence = hd_divergence_of_block(arena, kernel, c.flow);
    c.cells = vm_cells_make(&c);
    c.allocas = hd_new_array(arena, uint64_t, kernel->inst_count);
    for (uint32_t v = 0; v < kernel->inst_count; v++)
        if (kernel->insts[v].op == KIR_ALLOCA)
            c.allocas[v] =
                take_private(&c, kernel->insts[v].imm[0], kernel->insts[v].imm[1], false);
    place_params(&c);
    vm_nodes_plan(&c);
    const hd_lane_work work = hd_kernel_lane_work(arena, module, kernel, c.divergence);
    for (uint32_t i = 0; i < c.flow->rpo_count && !c.status; i++)
        compile_block(&c, &work, c.flow->rpo[i]);
    if (!c.status)
        vm_nodes_finish(&c);
    p->range_count = p->node_count;
    for (uint32_t n = 0; n < p->node_count; n++)
        for (uint32_t e = 0; e < p->nodes[n].edge_count; e++)
            p->nodes[n].edges[e].range = p->range_count++;
    p->native = vm_native_new(arena, p);
    p->ops = c.ops.data;
    p->op_count = (uint32_t)c.ops.count;
    p->frame_bytes = (uint32_t)c.cells->top;
    *program = p;
    if (!c.status && c.cells->top > VM_MOST_PRIVATE)
        return hd_fail(
            diag, HD_EUNSUPPORTED, &kernel->place,
            "a block of %u threads of this kernel needs more than %llu MiB for its values; "
            "launch smaller blocks",
            lanes, (unsigned long long)VM_MOST_PRIVATE >> 20);
    return c.status;
}
