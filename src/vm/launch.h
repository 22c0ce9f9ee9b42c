/* What the files that start launches share. */
#ifndef HD_VM_LAUNCH_H
#define HD_VM_LAUNCH_H

#include "vm/flow.h"

/* What one block at a time runs with: a frame, masks, local and private memory. */
typedef struct vm_worker {
    vm_run run;
    uint8_t *local_memory;
    uint64_t local_capacity;
    uint32_t region_capacity;
    hd_arena *arena; /* NULL: not made yet */
} vm_worker;

/* A kernel compiled for blocks of one size, and its workers. */
typedef struct vm_compiled {
    const kir_kernel *kernel;
    vm_program *program;
    vm_worker *workers; /* [vm->worker_count], made when first needed */
} vm_compiled;

/* A variable at file scope and the region that it has. */
typedef struct vm_placed {
    const kir_static *variable;
    uint64_t address;
} vm_placed;

/* races.c: what has been found so far. */
typedef struct vm_races {
    hd_arena *arena;
    hd_vec(hd_vm_race) list;
    bool more; /* than are listed */
} vm_races;

struct hd_vm {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    hd_vm_options options;
    uint32_t worker_count;
    hd_vec(vm_region) regions; /* global and constant memory, ascending */
    hd_vec(void *) owned;      /* host memory to free */
    hd_vec(vm_placed) statics;
    hd_vec(vm_compiled) compiled;
    uint64_t next_address;
    struct vm_heap *heap; /* NULL: no kernel allocates */
    uint32_t launches;    /* run so far */
    vm_races races;
};

/* Where everything of one launch is. */
typedef struct vm_bound {
    vm_bound_place *args, *statics;
    hd_vec(vm_region) locals; /* base: from the block's */
    uint64_t local_bytes;     /* asked for, without gaps */
    uint64_t local_end;
} vm_bound;

/* vm.c */
/* Zeroed, on a page or cache line of its own; lives as long as the machine. NULL: the system has
 * none; vm_no_memory() says so. */
void *vm_host_memory(hd_vm *vm, uint64_t bytes);
hd_status vm_no_memory(const hd_vm *vm, const hd_place *place, const char *what, uint64_t bytes);
/* Its base is set; false when there is no memory for it. */
bool vm_add_region(hd_vm *vm, vm_region region);
/* Zeroed bytes on a boundary that vector instructions like. */
void *vm_new_aligned(hd_arena *arena, size_t bytes);
vm_compiled *vm_find_compiled(hd_vm *vm, const hd_launch *launch);
/* NULL: it has no region yet; those of kernels that are compiled have one. */
const vm_placed *vm_find_static(const hd_vm *vm, const kir_static *variable);

/* heap.c */
hd_status vm_heap_open(hd_vm *vm, const hd_place *place);

/* bind.c: an HD_EINPUT when a block would need more local memory than it may have. */
hd_status vm_bind(hd_arena *arena, hd_vm *vm, const hd_launch *launch, vm_bound *bound);

/* describe.c: what sinks are told of a launch. */
hd_event_launch vm_describe(hd_arena *arena, const hd_vm *vm, const hd_launch *launch,
                            const vm_bound *bound, const vm_program *program);

/* fill.c */
void vm_fill_launch(vm_run *r, const vm_bound_place *args);
void vm_fill_block(vm_run *r, const vm_bound_place *args);

/* independent.c: no block of this launch can see what another one writes, so that they may
 * run in any order and at once. */
bool vm_blocks_are_independent(const vm_program *program, const hd_job *job,
                               const hd_launch *launch);

/* check.c */
struct vm_shadow *vm_shadow_new(const vm_run *r, vm_races *races);
void vm_shadow_free(struct vm_shadow *shadow);
/* A block begins: its local and private memory are new. */
void vm_check_block(vm_run *r);

/* races.c */
/* Two accesses of one byte by different threads, unordered. */
typedef struct vm_met {
    const vm_region *region;
    uint64_t byte;
    uint32_t inst, before_inst;
    uint32_t lane;          /* of the block that runs */
    uint32_t thread, block; /* the other's, counted in one dimension */
    bool writes, has_written;
    bool same_value; /* which both store */
} vm_met;
void vm_note_race(const vm_run *r, vm_races *races, const vm_met *met);
/* An HD_EINPUT when no access of a kernel stands at a line that is allowed to race. */
hd_status vm_check_allowed(const hd_vm *vm);

#endif
