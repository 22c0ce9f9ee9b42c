/*
 * The SIMT machine: runs a job's kernels on the CPU the way a GPU's blocks run
 * them, and announces every memory instruction to a sink.
 *
 *     hd_vm *vm;
 *     hd_vm_open(arena, diag, job, NULL, &options, &vm);
 *     for (uint32_t l = 0; l < job->launch_count; l++)
 *         hd_vm_run(vm, l, &sink, &counts);
 *     hd_vm_contents(vm, buffer);
 *     hd_vm_close(vm);
 *
 * Memory and launches may also come one by one, as a program asks for them:
 *
 *     vm = hd_vm_open_empty(arena, diag, &options);
 *     float *x = hd_vm_allocate(vm, "x", 4096, 256);
 *     hd_vm_launch(vm, &(hd_vm_launch_of){.module = module, .kernel = kernel, ...}, NULL, &counts);
 *
 * A block runs in lockstep: one dispatch of an instruction for all active lanes.
 * docs/machine.md says how, and what is a fault.
 */
#ifndef HD_VM_H
#define HD_VM_H

#include <signal.h>

#include "base/ranks.h"
#include "device/device.h"
#include "machine/event.h"
#include "job/job.h"

typedef void hd_vm_print(void *user, const char *text, size_t length);
typedef void hd_vm_progress(void *user, uint64_t blocks_done, uint64_t block_count);

/* A line of the source; file NULL: of the kernel file, else the end of a path. */
typedef struct hd_vm_line {
    const char *file;
    uint32_t line;
} hd_vm_line;

typedef struct hd_vm_options {
    uint32_t workers;          /* threads that run blocks; 0: one for each core */
    uint64_t max_instructions; /* that a block may execute; 0: 10^10 */
    uint64_t local_memory;     /* bytes that a block may have; 0: 64 KiB, or 256 KiB in a job
                                * with buffers at fixed addresses */
    uint32_t spaces;           /* announce accesses to these, bit 1 << kir_space; 0: all but
                                * private memory */
    bool check_uninitialised;  /* reads of memory that nothing has written */
    bool check_races;          /* between threads of a block and between blocks; one worker */
    bool stop_at_race;         /* a race that is a fault ends the launch */
    bool races_go_on;          /* a launch with races has still run well; hd_vm_report_races() */
    const hd_vm_line *allowed; /* lines whose accesses may race */
    uint32_t allowed_count;
    hd_vm_print *print;       /* what printf prints, in the order of blocks; NULL: dropped */
    hd_vm_progress *progress; /* now and then, from the calling thread; NULL: none */
    void *user;               /* of print and progress */
    const volatile sig_atomic_t *stop; /* not 0: end soon; may be NULL. Blocks that were running
                                        * are closed as not complete */
    const hd_device *device; /* a cooperative launch has no more blocks than it holds; NULL: any */
    bool any_memory;         /* kernels may touch all that the process may, at its own addresses */
    /* Of a job: each of these runs a part of the blocks of every launch whose blocks are independent
     * of each other, and the whole of the others; memory and counts are those of the whole launch on
     * all of them, sinks hear a part of the blocks each. NULL: there is one. */
    const hd_ranks *ranks;
} hd_vm_options;

/* How far a thread or a block comes: accesses of lanes that are announced, or that would be with a sink,
 * and instructions of kir. Of a bound 0: there is none. */
typedef struct hd_vm_far {
    uint64_t accesses, instructions;
} hd_vm_far;

/* How far blocks are run: until a block has come so far, or each of its threads. Such a block counts as
 * run to its end, and sinks hear it as one. */
typedef struct hd_vm_extent {
    hd_vm_far block, thread;
} hd_vm_extent;

typedef struct hd_vm_counts {
    uint64_t blocks;                    /* run to their end */
    uint64_t cut_blocks;                /* of them, those that their extent ended */
    uint64_t behind;                    /* their threads that had come less than half as far */
    uint64_t instructions;              /* kir instructions executed by blocks */
    uint64_t thread_instructions;       /* the same, each times its active lanes */
    uint64_t native_instructions;       /* of the last, those that native code executed */
    uint64_t operations[HD_OPERATIONS]; /* of active lanes */
    uint64_t mis, lane_accesses;        /* announced, or that would have been with a sink */
    double seconds;
    uint32_t workers; /* that ran */
    bool stopped;     /* by options->stop */
} hd_vm_counts;

/* Adds what has been run and announced, but for the time and who took it. */
void hd_vm_add_counts(hd_vm_counts *sum, const hd_vm_counts *more);

typedef struct hd_vm hd_vm;

/* Compiles every kernel that the job launches and fills its buffers. `contents` holds the
 * initial bytes of the job's buffers; NULL: what the job says. The job must be
 * resolved. Everything lives in `arena`, but for what hd_vm_close() frees. */
hd_status hd_vm_open(hd_arena *arena, const hd_diag *diag, const hd_job *job, void *const *contents,
                     const hd_vm_options *options, hd_vm **vm);
/* Without a job: there is nothing yet. */
hd_vm *hd_vm_open_empty(hd_arena *arena, const hd_diag *diag, const hd_vm_options *options);

/* Runs a launch of the job once (hd_launch.repeat is the caller's to obey), or some of its blocks.
 * `sink` and `counts` may be NULL. A fault is an HD_EINPUT whose message has the place in the kernel,
 * the thread and block, the buffer and offset, and what was allowed; the blocks before the
 * faulting one have run. Races are reported when the launch has ended. Results and events do not
 * depend on options->workers: blocks run side by side only where no block can see what another
 * one writes. */
hd_status hd_vm_run_blocks(hd_vm *vm, uint32_t launch, const hd_block_choice *blocks,
                           const hd_sink *sink, hd_vm_counts *counts);
/* How far blocks of the next launches are run; NULL: to their end. Blocks that take turns always are. */
void hd_vm_set_extent(hd_vm *vm, const hd_vm_extent *extent);
/* The launch with the size and the arguments that it reads from buffers, as they are now. */
hd_status hd_vm_launch_now(hd_arena *arena, hd_vm *vm, uint32_t launch, hd_launch *now);
/* Writes what the job puts into buffers before this launch; hd_vm_run() does it by itself. */
hd_status hd_vm_write_before(hd_vm *vm, uint32_t launch);
/* The launch is of a group whose rounds have ended; hd_vm_run() does nothing then. To be asked in
 * the order of the launches. */
bool hd_vm_is_over(hd_vm *vm, uint32_t launch);
hd_status hd_vm_run(hd_vm *vm, uint32_t launch, const hd_sink *sink, hd_vm_counts *counts);
/* All launches of the job, as often as it repeats them. blocks: which of each launch run; NULL: all.
 * sinks: one for each launch, or NULL. *sum is what they did, and to each[] (NULL, or one for each launch)
 * it is added. HD_EUNSUPPORTED, without a message: they were stopped, or made more accesses of lanes than
 * `most`. */
hd_status hd_vm_run_all(hd_vm *vm, const hd_block_choice *blocks, const hd_sink *sinks,
                        uint64_t most, hd_vm_counts *each, hd_vm_counts *sum);

/* Two accesses of one byte that nothing orders, as check_races finds them: the first pair of
 * threads for each pair of lines. */
typedef struct hd_vm_race {
    hd_place place, before; /* of the access that met the other, and of that one */
    const char *kernel, *buffer;
    uint64_t byte;
    bool is_fault;    /* false: both store the same value there */
    const char *text; /* of a message at `place` */
    bool is_reported; /* by hd_vm_report_races() */
} hd_vm_race;

enum { HD_MOST_RACES = 64 };

/* The races of all launches so far, at most HD_MOST_RACES. */
const hd_vm_race *hd_vm_races(const hd_vm *vm, uint32_t *count);
/* Gives a message for each that it has not given one for, an error for faults and a note for the
 * others; HD_EINPUT if there was a fault, at any time. */
hd_status hd_vm_report_races(hd_vm *vm);

/* The bytes of a buffer of the job as they are now; borrowed. */
void *hd_vm_contents(const hd_vm *vm, uint32_t buffer);
/* Copies of what all buffers hold, to contents[buffer_count]. */
void hd_vm_copy_contents(hd_arena *arena, const hd_vm *vm, void **contents);
void hd_vm_close(hd_vm *vm);
/* exit(), but what is still being compiled is not waited for. */
_Noreturn void hd_vm_exit(int status);

/* ---- memory that comes and goes -------------------------------------------------------- */

/* Such memory has one address, for kernels and for the process. None of these may be called while
 * a launch runs. */

typedef struct hd_vm_memory {
    const char *name; /* copied */
    void *address;
    uint64_t bytes;
    bool read_only;   /* kernels may not write there */
    bool is_constant; /* constant memory, which kernels can write by its address in global memory */
    bool is_written;  /* check_uninitialised takes all of it for written */
    const void *owner; /* who may remove it */
} hd_vm_memory;

/* Memory of the process that kernels may touch, until it is removed. HD_EINPUT where there is
 * other memory of the machine's. */
hd_status hd_vm_add_memory(hd_vm *vm, const hd_vm_memory *memory);
/* New zeroed memory, at an address that depends only on the order and sizes of such calls, on a
 * page of its own with an unmapped page behind it. `memory->address` is filled in; `align` is a
 * power of two. HD_ESYSTEM where there is none left, without a message. */
hd_status hd_vm_allocate(hd_vm *vm, uint64_t align, hd_vm_memory *memory);
/* False: no such memory of this owner begins at the address. To touch it is a fault from now on,
 * whose message says for a while that it was freed. What was allocated is unmapped. */
bool hd_vm_remove_memory(hd_vm *vm, const void *owner, const void *address);
/* For check_uninitialised: the host has written there. */
void hd_vm_mark_written(hd_vm *vm, const void *address, uint64_t bytes);

/* ---- launches one by one ------------------------------------------------------------------ */

typedef struct hd_vm_launch_of {
    const kir_module *module; /* must stay until hd_vm_forget() */
    const kir_kernel *kernel;
    uint32_t grid[3], block[3];
    uint64_t shared;           /* bytes of dynamic local memory */
    bool cooperative;          /* its blocks may wait for each other */
    uint32_t cluster[3];       /* blocks of a cluster; 0: there are none */
    uint32_t dims;             /* 0: those whose sizes are more than 1 */
    uint64_t offset[3];        /* of global ids */
    const void *const *args;   /* [param_count] the bytes of each; of a pointer its address, which
                                * may be inside of memory, but of one to local memory a uint64_t:
                                * bytes of it */
    const uint64_t *variables; /* [static_count] addresses; those in local memory are not read */
} hd_vm_launch_of;

/* As hd_vm_run(). The kernel is compiled when it is first launched with blocks of this size. A race
 * makes the launch fail that first shows it. */
hd_status hd_vm_launch(hd_vm *vm, const hd_vm_launch_of *launch, const hd_sink *sink,
                       hd_vm_counts *counts);
/* Compiled kernels of the module go, which may be freed then. */
void hd_vm_forget(hd_vm *vm, const kir_module *module);

/* The access that the last fault was about. */
typedef struct hd_vm_fault {
    bool is_access;          /* else there was none, or a fault of another kind */
    uint64_t address, bytes; /* of the access */
    uint64_t base, size;     /* of the memory that it was meant for; 0: nobody knows */
    bool is_freed;           /* that memory is gone */
} hd_vm_fault;
hd_vm_fault hd_vm_last_fault(const hd_vm *vm);

#endif
