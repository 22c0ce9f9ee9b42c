/*
 * What the files that compile kir for the machine share.
 */
#ifndef HD_VM_COMPILE_H
#define HD_VM_COMPILE_H

#include "vm/internal.h"

/* Cells for what an instruction computes on the way; free again after it. */
enum { HD_SCRATCH_CELLS = 256 };

/* A component of a value. */
typedef struct hd_unit_name {
    kir_value value;
    uint32_t component;
} hd_unit_name;

typedef struct hd_unit {
    kir_value value;
    hd_elem elem;
    bool varying;
    uint32_t birth, death; /* places in program order */
    uint32_t at;           /* of its cell */
} hd_unit;

typedef struct hd_cells {
    hd_unit_name **names; /* [value][component]: what it is another name of, or itself */
    uint32_t **units;     /* [value][component]: its unit; UINT32_MAX: it has none */
    hd_vec(hd_unit) unit;
    hd_operand *filled; /* [value] cells of parameters, statics, queries */
    uint64_t top;       /* bytes of the frame so far */
    uint32_t scratch_cell, scratch_used;
} hd_cells;

/* cells.c */
hd_cells *hd_cells_make(hd_compiler *c);
uint32_t hd_components(kir_type type);
/* The value and component that component k of v is another name of; v and k themselves when it
 * is none. */
hd_unit_name hd_source_of(const hd_compiler *c, kir_value v, uint32_t k);
uint32_t hd_unit_behind(const hd_cells *cells, kir_value value, uint32_t k);
uint32_t hd_cell_bytes(const hd_compiler *c, hd_elem elem, bool varying);
/* A cell of its own for the whole kernel. */
hd_operand hd_new_cell(hd_compiler *c, hd_elem elem, bool varying);

/* query.c */
hd_operand hd_query_cell(hd_compiler *c, const kir_inst *query);
void hd_compile_query(hd_compiler *c);

/* arithmetic.c */
void hd_compile_arithmetic(hd_compiler *c);

/* accesses.c: loads, stores, atomics, copies */
void hd_compile_memory(hd_compiler *c);

/* nodes.c */
bool hd_is_barrier(const kir_inst *inst);
void hd_nodes_plan(hd_compiler *c);
uint32_t hd_first_node(const hd_compiler *c, uint32_t block);
/* A block's last node ends in its terminator, which is at work; one before a barrier there. */
void hd_end_block(hd_compiler *c, hd_node *node, uint32_t block);
void hd_end_piece(hd_compiler *c, hd_node *node);
void hd_nodes_finish(hd_compiler *c);

#endif
