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

/* ---- lanes that wait for each other ---------------------------------------------------------- */

static bool asks(const kir_inst *inst) { return inst->op == KIR_ATOMIC || inst->is_volatile; }

bool vm_goes_round(const vm_compiler *c, uint32_t block) {
    for (uint32_t l = 0; l < c->flow->loop_count; l++)
        if (c->asks_in[l] && hd_flow_in_loop(c->flow, (int32_t)l, block))
            return true;
    return false;
}

static void find_waits(vm_compiler *c) {
    c->asks_in = hd_new_array(c->arena, bool, c->flow->loop_count);
    for (uint32_t v = 0; v < c->kernel->inst_count; v++) {
        const kir_inst *inst = &c->kernel->insts[v];
        c->program->may_pass |= vm_sets_aside(inst);
        for (uint32_t l = 0; l < c->flow->loop_count && asks(inst); l++) {
            c->asks_in[l] |= hd_flow_in_loop(c->flow, (int32_t)l, inst->block);
            c->program->may_wait |= c->asks_in[l];
        }
    }
}

static void note_waits(vm_node *node, const vm_compiler *c) {
    const kir_inst *inst = c->inst;
    const bool is_access = inst->op == KIR_STORE || inst->op == KIR_COPY || inst->op == KIR_FILL;
    const kir_value to = is_access ? inst->args[inst->op == KIR_STORE] : 0;
    node->asks = asks(inst) ? c->value : node->asks;
    node->writes |= is_access && c->kernel->insts[to].type.space != KIR_PRIVATE;
    node->writes |= inst->op == KIR_CALL && !strcmp(inst->name, "clock");
}

/* What is computed from nothing but what a launch gives stays the same for all lanes. */
static bool is_fixed(const vm_compiler *c, const hd_divergence *d, kir_value v) {
    const kir_inst *inst = &c->kernel->insts[v];
    bool is_pure = kir_is_leaf(inst->op) || inst->op == KIR_QUERY || inst->op == KIR_ALLOCA ||
                   (inst->op >= KIR_ADD && inst->op <= KIR_ADDR);
    for (uint32_t i = 0; i < inst->arg_count && is_pure; i++)
        is_pure = !d->varying[inst->args[i]];
    return is_pure;
}

static hd_divergence *divergence_apart(const vm_compiler *c, const hd_divergence *together) {
    hd_divergence *d = hd_new(c->arena, hd_divergence);
    *d = *together;
    d->varying = hd_new_array(c->arena, bool, c->kernel->inst_count);
    memcpy(d->varying, together->varying, c->kernel->inst_count * sizeof *d->varying);
    for (uint32_t i = 0; i < c->flow->rpo_count; i++) {
        const kir_block *block = &c->kernel->blocks[c->flow->rpo[i]];
        for (uint32_t n = 0; n < block->inst_count; n++)
            d->varying[block->insts[n]] |= !is_fixed(c, d, block->insts[n]);
    }
    return d;
}

/* Where each value was, and where it is. */
static void list_moved(vm_compiler *c, vm_compiler *before) {
    for (uint32_t v = 0; v < c->kernel->inst_count; v++)
        for (uint32_t k = 0; c->cells->names[v] && k < c->kernel->insts[v].type.lanes; k++)
            if (c->cells->units[v][k] != UINT32_MAX && c->cells->names[v][k].value == v &&
                c->cells->names[v][k].component == k) {
                const vm_moved one = {vm_cell_of(before, v, k), vm_cell_of(c, v, k)};
                hd_push(c->arena, &c->program->moved, one);
            }
}

/* ---- blocks and kernels --------------------------------------------------------------------- */

static vm_node *begin_node(vm_compiler *c, vm_node *node, uint32_t b) {
    node->first = (uint32_t)c->ops.count;
    node->asks = KIR_NONE;
    node->header = VM_NO_NODE;
    node->is_around = vm_goes_round(c, b);
    return node;
}

static void compile_block(vm_compiler *c, uint32_t b) {
    const kir_block *block = &c->kernel->blocks[b];
    vm_node *node = begin_node(c, &c->program->nodes[vm_first_node(c, b)], b);
    for (uint32_t n = 0; n < block->inst_count && !c->status; n++) {
        c->value = block->insts[n];
        c->inst = &c->kernel->insts[c->value];
        c->node = node;
        if (vm_cuts(c, c->inst)) {
            node->count = (uint32_t)c->ops.count - node->first;
            vm_end_piece(c, node);
            c->node = node = begin_node(c, node + 1, b);
            node->meets = !vm_is_barrier(c->inst);
        }
        if (!kir_is_leaf(c->inst->op) && c->inst->op != KIR_PHI)
            node->insts++;
        hd_count_operations(c->kernel, c->work, c->value, node->operations);
        note_waits(node, c);
        if (!kir_is_terminator(c->inst->op)) {
            compile_instruction(c);
            continue;
        }
        node->count = (uint32_t)c->ops.count - node->first;
        vm_end_block(c, node, b);
    }
}

/* What is known of the kernel is there; `before`: of the program that it is to be apart of, or NULL. */
static hd_status compile(vm_compiler *c, vm_compiler *before) {
    const kir_kernel *kernel = c->kernel;
    vm_program *p = c->program;
    c->cells = vm_cells_make(c);
    c->allocas = hd_new_array(c->arena, uint64_t, kernel->inst_count);
    for (uint32_t v = 0; v < kernel->inst_count; v++)
        if (kernel->insts[v].op == KIR_ALLOCA)
            c->allocas[v] =
                take_private(c, kernel->insts[v].imm[0], kernel->insts[v].imm[1], false);
    place_params(c);
    vm_nodes_plan(c);
    for (uint32_t i = 0; i < c->flow->rpo_count && !c->status; i++)
        compile_block(c, c->flow->rpo[i]);
    if (!c->status)
        vm_nodes_finish(c);
    p->range_count = p->node_count;
    for (uint32_t n = 0; n < p->node_count; n++)
        for (uint32_t e = 0; e < p->nodes[n].edge_count; e++)
            p->nodes[n].edges[e].range = p->range_count++;
    if (before && !c->status)
        list_moved(c, before);
    p->native = vm_native_new(c->arena, p);
    p->ops = c->ops.data;
    p->op_count = (uint32_t)c->ops.count;
    p->frame_bytes = (uint32_t)c->cells->top;
    if (!c->status && c->cells->top > VM_MOST_PRIVATE)
        return hd_fail(
            c->diag, HD_EUNSUPPORTED, &kernel->place,
            "a block of %u threads of this kernel needs more than %llu MiB for its values; "
            "launch smaller blocks",
            p->lanes, (unsigned long long)VM_MOST_PRIVATE >> 20);
    return c->status;
}

hd_status vm_compile(hd_arena *arena, const hd_diag *diag, const kir_module *module,
                     const kir_kernel *kernel, const hd_binding *binding, uint32_t lanes,
                     vm_program **program) {
    vm_compiler *c = hd_new(arena, vm_compiler);
    *c = (vm_compiler){.arena = arena, .diag = diag, .module = module, .kernel = kernel};
    vm_program *p = c->program = hd_new(arena, vm_program);
    *p = (vm_program){.module = module,
                      .kernel = kernel,
                      .lanes = lanes,
                      .padded = (uint32_t)hd_align_up(lanes, VM_CHUNK),
                      .compiler = c,
                      .info = hd_kernel_analyse(arena, module, kernel, binding)};
    c->status = check_private(c);
    if (c->status)
        return c->status;
    c->flow = p->info->flow;
    hd_divergence *divergence = hd_divergence_of_block(arena, kernel, c->flow);
    hd_lane_work *work = hd_new(arena, hd_lane_work);
    *work = hd_kernel_lane_work(arena, module, kernel, divergence);
    c->divergence = divergence;
    c->work = work;
    find_waits(c);
    *program = p;
    return compile(c, NULL);
}

hd_status vm_compile_apart(const vm_program *program, vm_program **apart) {
    const vm_compiler *before = program->compiler;
    vm_compiler *c = hd_new(before->arena, vm_compiler);
    vm_program *p = hd_new(before->arena, vm_program);
    *c = (vm_compiler){.arena = before->arena,
                       .diag = before->diag,
                       .module = before->module,
                       .kernel = before->kernel,
                       .flow = before->flow,
                       .work = before->work,
                       .asks_in = before->asks_in,
                       .program = p};
    *p = (vm_program){.module = program->module,
                      .kernel = program->kernel,
                      .lanes = program->lanes,
                      .padded = program->padded,
                      .compiler = c,
                      .may_wait = true,
                      .is_apart = true,
                      .info = program->info};
    c->divergence = divergence_apart(c, before->divergence);
    *apart = p;
    return compile(c, program->compiler);
}
