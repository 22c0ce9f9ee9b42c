/*
 * What the files share that write groups of operations as IR (node_ir.c, access_ir.c).
 */
#ifndef HD_VM_GROUP_H
#define HD_VM_GROUP_H

#include <stdlib.h>

#include "machine/native/native.h"

/* What a cell holds in the group at work. */
typedef struct group_held {
    vm_ir_value value;
    uint32_t stamp; /* of the group; another one: nothing is known */
    uint32_t read;  /* bytes of an element that was read from memory; 0: none was */
    uint32_t at;
    bool dirty, varying;
} group_held;

/* An access of a cluster. */
typedef struct group_access {
    uint32_t op;
    int64_t offset; /* from the cluster's base */
    uint32_t first; /* a load: the name of its first component; a store: its row of r->saved */
} group_access;

/* Accesses whose addresses differ by constants: see access_ir.c. */
typedef struct group_cluster {
    bool is_store;
    uint32_t name;    /* of the value that the addresses are counted from */
    const char *base; /* the same as text */
    kir_space space;
    uint32_t align;
    uint32_t
        element; /* bytes of each access, where all are elements of one width, of 4 or 8; else 0 */
    int64_t begin, end; /* the bytes from the base that some access touches */
    uint32_t row, flag; /* a store: the row of the bases; the variable that says how it is done */
    hd_vec(group_access) members;
} group_cluster;

typedef struct group_writer {
    vm_ir ir;
    hd_str entry, out; /* variables of the function; its text so far */
    const vm_program *p;
    vm_cell_lives *lives;
    group_held *cells; /* by where they begin */
    bool *is_constant;
    uint64_t *constant;
    uint32_t stamp;
    hd_vec(uint32_t) touched; /* cells that are held */
    hd_vec(group_cluster) clusters;
    hd_vec(vm_group_member) memory;
    uint32_t rows, most_rows;
    bool traced, has_lanes; /* something is done for each chunk */
    hd_vec(vm_group) groups;
} group_writer;

/* A loop over the chunks that have active lanes; in the body %at is the first lane, %mask and %set are
 * the active ones. */
void group_loop(group_writer *w, const char *body);
/* Calls one of vm_native_calls. */
void group_call(hd_str *text, uint32_t n, uint32_t which, const char *arguments);

/* A load of each lane's address, of one address for all, and a store; what is loaded goes to `results`. */
void group_load(group_writer *w, const vm_op *op, vm_ir_value address, vm_ir_value *results);
void group_load_once(group_writer *w, const vm_op *op, vm_ir_value address, vm_ir_value *results);
void group_store(group_writer *w, const vm_op *op, vm_ir_value address, const vm_ir_value *values);
/* The body of the group's loop, with its loads in their places; and what comes behind the loop. */
const char *group_body(group_writer *w);
void group_stores(group_writer *w);

#endif
