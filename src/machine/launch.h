/* What the files that start launches share. */
#ifndef HD_VM_LAUNCH_H
#define HD_VM_LAUNCH_H

#include "machine/lane_flow.h"
#include "machine/space.h"

/* Memory that grows when more is needed and is kept. */
typedef struct vm_kept {
    void *block; /* to free */
    uint8_t *at; /* on a page or cache line of its own */
    uint64_t bytes;
} vm_kept;

/* What one worker's blocks need room for, whatever the kernel is. */
typedef struct vm_room {
    vm_kept frame, private_memory, local_memory;
    vm_kept apart; /* the frame of a program that is apart */
} vm_room;

/* What one block at a time runs with, beside its memory. */
typedef struct vm_worker {
    hd_arena *arena; /* NULL: not made yet */
    vm_run run;
    uint8_t *local_memory;
    uint64_t local_bytes;
    uint32_t region_capacity;
    bool took_part; /* in this launch */
} vm_worker;

/* A kernel compiled for blocks of one size, and its workers. */
typedef struct vm_compiled {
    hd_arena *arena; /* of all of it */
    vm_program *program;
    _Atomic(vm_program *) apart;  /* NULL: no lanes of it had to wait for each other so far */
    vm_worker *workers;           /* [vm->worker_count], made when first needed */
    struct vm_verdicts *verdicts; /* of independent.c; NULL: not asked yet */
    double work_seconds;          /* of the last launch, of all workers together; 0: none yet */
    uint64_t work_blocks;         /* of that launch */
} vm_compiled;

/* A variable at file scope and the region that it has. */
typedef struct vm_placed {
    const kir_static *variable;
    uint64_t address;
} vm_placed;

/* A buffer of the job. */
typedef struct vm_buffer {
    uint64_t address;
    uint8_t *host;
} vm_buffer;

/* races.c: what has been found so far. */
typedef struct vm_races {
    hd_arena *arena;
    hd_vec(hd_vm_race) list;
    bool more; /* than are listed */
} vm_races;

struct hd_vm {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job; /* or NULL */
    hd_vm_options options;
    hd_vm_extent extent; /* of blocks, */
    bool has_extent;     /* if this is set */
    uint32_t worker_count;
    vm_space space;
    vm_buffer *buffers;   /* of the job */
    bool *over;           /* groups of launches whose rounds have ended; NULL: none so far */
    hd_vec(void *) owned; /* host memory to free */
    hd_vec(vm_placed) statics;
    hd_vec(vm_compiled *) compiled;
    vm_room *rooms;       /* [worker_count] */
    hd_crew *crew;        /* threads that help; NULL: not needed so far */
    struct vm_heap *heap; /* NULL: no kernel allocates */
    uint64_t workspace;   /* address of that of cooperative launches; 0: there was none so far */
    uint32_t launches;    /* run so far */
    hd_vm_fault last_fault;
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
/* So many bytes at m->at, zeroed if they are new; false: the system has none, vm_no_memory() says
 * so. */
bool vm_reserve(vm_kept *m, uint64_t bytes);
void vm_room_free(vm_room *room);
hd_status vm_no_memory(const hd_vm *vm, const hd_place *place, const char *what, uint64_t bytes);
/* Zeroed memory that lives as long as the machine, and a region over such; NULL: there is none. */
void *vm_own_memory(hd_vm *vm, uint64_t bytes);
const vm_region *vm_add_region(hd_vm *vm, vm_region region);
/* Zeroed bytes on a boundary that vector instructions like. */
void *vm_new_aligned(hd_arena *arena, size_t bytes);
/* The launch's kernel for blocks of its size, compiled if it is not yet. */
hd_status vm_compiled_for(hd_vm *vm, const kir_module *module, const hd_launch *launch,
                          vm_compiled **compiled);
/* NULL: it has no region yet; those of a job's kernels have one. */
const vm_placed *vm_find_static(const hd_vm *vm, const kir_static *variable);

/* heap.c */
hd_status vm_heap_open(hd_vm *vm, const hd_place *place);

/* Runs a launch of the job as it stands here. */
hd_status vm_run_launch(hd_vm *vm, const hd_launch *launch, const hd_block_choice *blocks,
                        const hd_sink *sink, hd_vm_counts *counts);

/* bind.c: an HD_EINPUT when a block would need more local memory than it may have. `variables` has
 * the addresses of those at file scope; NULL: they are the job's. */
hd_status vm_bind(hd_arena *arena, hd_vm *vm, const hd_launch *launch, const uint64_t *variables,
                  vm_bound *bound);

/* describe.c: a launch's sizes; with `tables` also what sinks are told of it. */
hd_event_launch vm_describe(hd_arena *arena, const hd_vm *vm, const hd_launch *launch,
                            const vm_bound *bound, const vm_program *program, bool tables);

/* fill.c */
void vm_fill_launch(vm_run *r, const vm_bound_place *args);
void vm_fill_block(vm_run *r, const vm_bound_place *args);
/* Structs by value, which are in private memory. */
void vm_fill_structs(vm_run *r, const vm_bound_place *args);

/* independent.c: no block of this launch can see what another one writes, so that they may
 * run in any order and at once. What it finds is kept with the compiled kernel. */
bool vm_blocks_are_independent(const hd_vm *vm, vm_compiled *compiled, const hd_launch *launch,
                               const vm_bound *bound);

/* Regions that a launch may write. */
typedef hd_vec(const vm_region *) vm_written;
/* The same for blocks that run in memories of their own, whose changes are put together afterwards:
 * there are no atomics, either. Adds what the launch may write, each region once. */
bool vm_blocks_can_be_shared(hd_arena *arena, const hd_vm *vm, vm_compiled *compiled,
                             const hd_launch *launch, const vm_bound *bound, vm_written *written);

/* machine_ranks.c: a launch of which each rank runs, or hears, a part. */
typedef struct vm_share vm_share;
/* Leaves this rank's part in *blocks and *sink. */
hd_status vm_share_begin(hd_arena *arena, hd_vm *vm, const hd_launch *launch, const vm_bound *bound,
                         hd_block_choice *blocks, hd_sink *sink, vm_share **share);
/* After the launch, which ended with `status` and *counts: memory is equal on all ranks again, and
 * counts are those of all. */
hd_status vm_share_end(vm_share *share, hd_status status, hd_vm_counts *counts);

/* check.c */
struct vm_shadow *vm_shadow_new(const vm_run *r, vm_races *races, uint64_t blocks,
                                bool takes_turns);
void vm_shadow_free(struct vm_shadow *shadow);
struct vm_block_shadow *vm_block_shadow_new(const vm_run *r);
void vm_block_shadow_free(struct vm_block_shadow *shadow);
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
    bool are_atomic; /* at a scope that does not reach the other */
} vm_met;
/* What is wrong, where the block is to end with it; else NULL. */
const char *vm_note_race(const vm_run *r, vm_races *races, const vm_met *met);
/* A fault that has not been reported. */
bool vm_has_new_race(const hd_vm *vm);
/* An HD_EINPUT when no access of a kernel stands at a line that is allowed to race. */
hd_status vm_check_allowed(const hd_vm *vm);

#endif
