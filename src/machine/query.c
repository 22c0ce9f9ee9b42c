/*
 * Work-item queries. A query of a known dimension is a cell that is filled before
 * a block starts (fill.c); one of a dimension that only the kernel computes is
 * chosen among those.
 */
#include "machine/compile.h"

static vm_operand cell_of_dimension(vm_compiler *c, uint32_t query, int64_t d, vm_elem elem) {
    bool is_size = query == KIR_Q_GLOBAL_SIZE || query == KIR_Q_LOCAL_SIZE ||
                   query == KIR_Q_NUM_GROUPS || query == KIR_Q_ENQUEUED_LOCAL_SIZE;
    bool varies = query == KIR_Q_GLOBAL_ID || query == KIR_Q_LOCAL_ID ||
                  query == KIR_Q_GLOBAL_LINEAR_ID || query == KIR_Q_LOCAL_LINEAR_ID;
    if (d < 0 || d > 2) /* of a dimension that does not exist sizes are 1, ids and offsets 0 */
        return vm_constant(c, elem, is_size);
    vm_program *p = c->program;
    for (size_t i = 0; i < p->queries.count; i++) {
        const vm_query *known = &p->queries.data[i];
        if (known->query == query && known->dimension == d && known->cell.elem == elem)
            return known->cell;
    }
    vm_operand cell = vm_new_cell(c, elem, varies);
    hd_push(c->arena, &p->queries, (vm_query){query, (uint32_t)d, cell});
    return cell;
}

vm_operand vm_query_cell(vm_compiler *c, const kir_inst *query) {
    int64_t d = 0;
    if (query->arg_count)
        kir_const_int(c->kernel, query->args[0], &d);
    return cell_of_dimension(c, query->index, d, vm_elem_of(query->type));
}

void vm_compile_query(vm_compiler *c) {
    int64_t known;
    if (!c->inst->arg_count || kir_const_int(c->kernel, c->inst->args[0], &known))
        return;
    vm_operand result = vm_result(c, 0), asked = vm_cell_of(c, c->inst->args[0], 0);
    vm_operand is = vm_scratch(c, VM_I8, asked.varying);
    vm_operand otherwise = cell_of_dimension(c, c->inst->index, 3, result.elem);
    for (int64_t d = 0; d < 3; d++) {
        vm_emit_compare(c, KIR_P_EQ, is, asked, vm_constant(c, asked.elem, (uint64_t)d));
        vm_emit3(c, KIR_SELECT, result, is, cell_of_dimension(c, c->inst->index, d, result.elem),
                 otherwise);
        otherwise = result;
    }
}
