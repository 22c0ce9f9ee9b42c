/* What the files that start launches share. */
#ifndef HD_VM_LAUNCH_H
#define HD_VM_LAUNCH_H

#include "vm/flow.h"

/* An argument, ready for the frame. */
typedef struct hd_bound_arg {
    uint64_t address; /* of a pointer; of one to local memory: from the block's */
    bool is_local;
    const uint8_t *bytes; /* of a scalar, vector or struct */
} hd_bound_arg;

/* What one block at a time runs with: a frame, masks, local and private memory. */
typedef struct hd_worker {
    hd_run run;
    uint8_t *local_memory;
    uint64_t local_capacity;
    uint32_t region_capacity;
    hd_arena *arena; /* NULL: not made yet */
} hd_worker;

/* A kernel compiled for blocks of one size, and its workers. */
typedef struct hd_compiled {
    const kir_kernel *kernel;
    hd_program *program;
    hd_worker *workers; /* [vm->worker_count], made when first needed */
} hd_compiled;

/* A variable at file scope and the region that it has. */
typedef struct hd_placed {
    const kir_static *variable;
    uint64_t address;
} hd_placed;

/* races.c: what has been found so far. */
typedef struct hd_races {
    hd_arena *arena;
    const hd_vm_options *options;
    hd_vec(hd_vm_race) list;
    bool more; /* than are listed */
} hd_races;

struct hd_vm {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    hd_vm_options options;
    uint32_t worker_count;
    hd_vec(hd_region) regions; /* global and constant memory, ascending */
    hd_vec(void *) owned;      /* host memory to free */
    hd_vec(hd_placed) statics;
    hd_vec(hd_compiled) compiled;
    uint64_t next_address;
    uint32_t launches; /* run so far */
    hd_races races;
};

/* Where everything of one launch is. */
typedef struct hd_bound {
    hd_bound_arg *args;
    hd_bound_static *statics;
    hd_region *locals; /* base: from the block's */
    uint32_t local_count;
    uint64_t local_bytes; /* asked for, without gaps */
    uint64_t local_end;
} hd_bound;

/* vm.c */
/* Zeroed, on a page or cache line of its own; lives as long as the machine. NULL: the system has
 * none; hd_vm_no_memory() says so. */
void *hd_host_memory(hd_vm *vm, uint64_t bytes);
hd_status hd_vm_no_memory(const hd_vm *vm, const hd_place *place, const char *what, uint64_t bytes);
/* Zeroed bytes on a boundary that vector instructions like. */
void *hd_new_aligned(hd_arena *arena, size_t bytes);
hd_compiled *hd_find_compiled(hd_vm *vm, const hd_launch *launch);
/* The address of a variable at file scope of a kernel that is compiled. */
uint64_t hd_address_of_static(const hd_vm *vm, const kir_static *variable);

/* bind.c: an HD_EINPUT when a block would need more local memory than it may have. */
hd_status hd_bind(hd_arena *arena, hd_vm *vm, const hd_launch *launch, hd_bound *bound);

/* describe.c: what sinks are told of a launch. */
hd_event_launch hd_describe(hd_arena *arena, const hd_vm *vm, const hd_launch *launch,
                            const hd_bound *bound, const hd_program *program);

/* fill.c */
void hd_fill_uniform(hd_run *r, hd_operand cell, uint64_t bits);
void hd_fill_launch(hd_run *r, const hd_bound_arg *args);
void hd_fill_block(hd_run *r, const hd_bound_arg *args);

/* independent.c: no block of this launch can see what another one writes, so that they may
 * run in any order and at once. */
bool hd_blocks_are_independent(const hd_program *program, const hd_job *job,
                               const hd_launch *launch);

/* check.c */
struct hd_shadow *hd_shadow_new(const hd_run *r, hd_races *races, const hd_vm_options *options);
void hd_shadow_free(struct hd_shadow *shadow);
/* A block begins: its local and private memory are new. */
void hd_check_block(hd_run *r);

/* races.c */
/* Two accesses of one byte by different threads, unordered. */
typedef struct hd_met {
    const hd_region *region;
    uint64_t byte;
    uint32_t inst, before_inst;
    uint32_t lane;          /* of the block that runs */
    uint32_t thread, block; /* the other's, counted in one dimension */
    bool writes, has_written;
    bool same_value; /* which both store */
} hd_met;
void hd_note_race(const hd_run *r, hd_races *races, const hd_met *met);
/* An HD_EINPUT when no access of a kernel stands at a line that is allowed to race. */
hd_status hd_check_allowed(const hd_vm *vm);

#endif
