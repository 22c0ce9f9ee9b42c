/*
 * What `heddle run` wants to know of a program: what its kernels moved, where they faulted, what
 * was not freed. The command names a folder and its options in the environment, and every process
 * of the program that uses CUDA or OpenCL leaves a file there when it ends (docs/cuda-programs.md,
 * docs/opencl-programs.md).
 *
 *     HEDDLE_WATCH=FOLDER
 *     HEDDLE_WATCH_OPTIONS="quiet races uninitialised leaks memory overhead=0.2 sample=10"
 *
 * "quiet", in front, shows no progress (progress.h).
 *
 * With "overhead" a share of the blocks is counted, so that counting takes no more than that of the
 * program's time (analysis/sampling.h), else all of them. "sample" is for who can run launches
 * elsewhere, too.
 *
 * With "memory" what each allocation of the device's memory held when it was freed, or at the
 * end, is in a file of its own beside the results, which name it.
 *
 *     watch.c             what is counted, and the file
 *     watched_stack.c     where in the program something was done
 *     watched_device.c    the device profile
 *     progress.c          a line on the terminal while a launch takes long
 *     signals.c           the end of a program that a signal ends
 *     heddle_child.c      the heddle program, as a process beside the program's own
 */
#ifndef HD_WATCH_H
#define HD_WATCH_H

#include "base/base.h"
#include "device/device.h"
#include "heddle/ptx.h"

/* ---- watched_stack.c ----------------------------------------------------------------------------- */

enum { HD_STACK_MOST = 12 };
typedef struct hd_stack {
    uint32_t count;
    void *frames[HD_STACK_MOST]; /* return addresses, the innermost first */
} hd_stack;

/* Notes where the program is. The frames of this library are left out, and those of the libraries whose
 * names begin with one of these, NULL at their end. */
void hd_stack_take(hd_stack *stack, const char *const *others);
/* "main (app+0x1234)", a line for each frame, each after `indent`. */
const char *hd_stack_text(hd_arena *arena, const hd_stack *stack, const char *indent);

/* ---- watched_device.c ---------------------------------------------------------------------------- */

/* The profile that HEDDLE_DEVICE names, or the one by default. */
const hd_device *hd_watched_device(hd_arena *arena, const hd_diag *diag);

/* ---- watch.c ------------------------------------------------------------------------------------- */

/* Memory that kernels can touch, or could before it was freed. */
typedef struct hd_watched_memory {
    uintptr_t address;
    size_t bytes;
    uint64_t number;    /* from 1, in the order of allocation */
    const char *kind;   /* "device memory" */
    bool is_of_device;  /* else the host's, or a variable */
    bool is_of_program; /* which is to free it */
    bool is_closed;     /* addresses that nobody can touch */
    hd_stack made, freed;
} hd_watched_memory;

/* The process that is watched. */
typedef struct hd_watch_host {
    void *user;
    const char *interface; /* "cuda": results are in PID-cuda.json */
    const hd_diag *diag;
    const hd_device *device;
    const char *memory_name, *made_name; /* "allocation", "allocated" */
    /* Memory number `index` of what is there, or of what is gone, the last to go last; false: there is
     * no more. */
    bool (*memory)(void *user, bool gone, size_t index, hd_watched_memory *memory);
    uint64_t (*most_memory)(void *user); /* of the device, at any time */
} hd_watch_host;

typedef struct hd_watched_launch {
    hd_ptx *machine;
    const char *kernel;
    const hd_ptx_launch_size *size;
} hd_watched_launch;

typedef struct hd_watch hd_watch;

/* As the environment asks for it. The host stays. */
hd_watch *hd_watch_new(hd_arena *arena, const hd_watch_host *host);
/* Something is counted. Else the following only tell faults. */
bool hd_watch_is_on(const hd_watch *watch);
/* "sample": every so manieth launch of a kernel is counted; 1: all. */
uint64_t hd_watch_sample(const hd_watch *watch);
/* What the machine is to check. */
void hd_watch_options(const hd_watch *watch, hd_ptx_options *options);
/* Before a launch, and after it; `message` is what the machine said last, or NULL. */
void hd_watch_launch(hd_watch *watch, const hd_watched_launch *launch);
void hd_watch_launched(hd_watch *watch, const hd_watched_launch *launch,
                       const hd_ptx_counts *counts, hd_status status, const char *message);
/* A launch that did not run on the machine, and why. */
void hd_watch_left_out(hd_watch *watch, const char *kernel, const char *why);
/* Memory that goes now. */
void hd_watch_memory(hd_watch *watch, const hd_watched_memory *gone);
void hd_watch_end(hd_watch *watch);

#endif
