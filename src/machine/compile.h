/*
 * What the files that compile kir for the machine share.
 */
#ifndef HD_VM_COMPILE_H
#define HD_VM_COMPILE_H

#include "machine/lanes/lanes.h"

/* Cells for what an instruction computes on the way; free again after it. */
enum { VM_SCRATCH_CELLS = 256 };

/* A component of a value. */
typedef struct vm_unit_name {
    kir_value value;
    uint32_t component;
} vm_unit_name;

typedef struct vm_unit {
    kir_value value;
    vm_elem elem;
    bool varying;
    uint32_t birth, death; /* places in program order */
    uint32_t at;           /* of its cell */
} vm_unit;

typedef struct vm_cells {
    vm_unit_name **names; /* [value][component]: what it is another name of, or itself */
    uint32_t **units;     /* [value][component]: its unit, or that of its name; UINT32_MAX: none */
    hd_vec(vm_unit) unit;
    uint64_t top; /* bytes of the frame so far */
    uint32_t scratch_cell, scratch_used;
} vm_cells;

/* cells.c */
vm_cells *vm_cells_make(vm_compiler *c);
/* The value and component that component k of v is another name of; v and k themselves when it
 * is none. */
vm_unit_name vm_source_of(const vm_compiler *c, kir_value v, uint32_t k);
/* A cell of its own for the whole kernel. */
vm_operand vm_new_cell(vm_compiler *c, vm_elem elem, bool varying);

/* query.c */
vm_operand vm_query_cell(vm_compiler *c, const kir_inst *query);
void vm_compile_query(vm_compiler *c);

/* arithmetic.c */
void vm_compile_arithmetic(vm_compiler *c);
/* A handler of lanes.c: that of `elem`, where `first` is that of VM_I8 or VM_F16. */
void vm_emit_handler(vm_compiler *c, vm_fn first, vm_elem elem, vm_operand d, vm_operand a,
                     vm_operand b, vm_operand third);

/* accesses.c: loads, stores, atomics, copies */
void vm_compile_memory(vm_compiler *c);

/* compile.c: a loop in which something asks goes round this block. */
bool vm_goes_round(const vm_compiler *c, uint32_t block);

/* nodes.c */
bool vm_is_barrier(const kir_inst *inst);
/* At it some lanes of a block may wait while all others go on, also round a loop. */
bool vm_sets_aside(const kir_inst *inst);
/* A node ends before this instruction, which is none of the control flow. */
bool vm_cuts(const vm_compiler *c, const kir_inst *inst);
void vm_nodes_plan(vm_compiler *c);
uint32_t vm_first_node(const vm_compiler *c, uint32_t block);
/* A block's last node ends in its terminator, which is at work; one before a barrier there. */
void vm_end_block(vm_compiler *c, vm_node *node, uint32_t block);
void vm_end_piece(vm_compiler *c, vm_node *node);
void vm_nodes_finish(vm_compiler *c);

#endif
