/*
 * The device of a process: what CUDA's runtime and driver interfaces stand on.
 *
 * A process has one device, the machine, and one context. Every call of an interface is between
 * cuda_enter() and cuda_leave(), which let one thread in at a time; kernels, copies and fills run
 * within the call that asks for them, so that a stream is always done with all that it was given.
 *
 *     interfaces/         what programs call: check arguments, one call each; what the runtime or the
 *                         driver alone has in runtime/, driver/; kernel/cuda_calls.def lists all
 *     graph               work that is kept, captured from streams or added, and replayed
 *     stream              streams and events: where work is handed in
 *     work                a launch, a copy, a fill, a host function: what streams and graphs hold
 *     children            what kernels launch
 *     module              kernels and variables of PTX, loaded when they are first asked for
 *     array               arrays, and texture and surface objects
 *     memory              what is allocated, by whom, and what a pointer points to
 *     virtual             addresses that are reserved, and memory that is mapped there
 *     device              what the device profile and compute capability tell a program
 *     record              launches as jobs, and what memory held before and after them
 *     fatbin, error       formats and numbers
 */
#ifndef CUDA_PROCESS_H
#define CUDA_PROCESS_H

#include <pthread.h>
#include <signal.h>

#include "base/base.h"
#include "base/table.h"
#include "cuda/cuda_device.h"
#include "cuda/error.h"
#include "heddle/ptx.h"
#include "watch/progress.h"
#include "watch/signals.h"
#include "watch/watch.h"

struct cuda_record;

/* What a handle is. A handle is the address of the struct that it names. */
typedef enum cuda_handle_kind {
    CUDA_NO_HANDLE,
    CUDA_STREAM,
    CUDA_EVENT,
    CUDA_GRAPH,
    CUDA_GRAPH_NODE,
    CUDA_GRAPH_EXEC,
    CUDA_MODULE,
    CUDA_KERNEL,
    CUDA_POOL,
    CUDA_ARRAY,
    CUDA_MIPMAP,
    CUDA_REFERENCE,
    CUDA_USER_OBJECT,
    CUDA_PHYSICAL,
    CUDA_CONTEXT
} cuda_handle_kind;

/* What a program sets of the device, and can ask for: both interfaces see the same. */
enum { CUDA_LIMITS = 7 };
typedef struct cuda_settings {
    size_t limits[CUDA_LIMITS]; /* by cudaLimit, CUlimit */
    int cache_config, shared_config;
    unsigned flags; /* cudaSetDeviceFlags(), cuDevicePrimaryCtxSetFlags() */
} cuda_settings;

typedef struct cuda_process {
    pthread_mutex_t lock;
    hd_arena *arena; /* of what stays as long as the process */
    hd_diag diag;    /* takes the machine's messages to cuda_process.message and standard error */
    hd_ptx *machine; /* NULL: not opened yet */
    cuda_device device;
    cuda_settings settings;
    hd_hash_table handles; /* address -> cuda_handle_kind; CUDA_NO_HANDLE once it is destroyed */
    cuda_error sticky;     /* a kernel's fault, after which nothing runs until the reset */
    const char *message;   /* the last one */
    bool blocking;         /* CUDA_LAUNCH_BLOCKING: a launch returns its own faults */
    volatile sig_atomic_t stop; /* a signal ends the process: the launch that runs is to stop */
    bool is_runtimes;           /* the runtime was called: its context is every thread's */

    struct cuda_memory *memory;
    hd_vec(struct cuda_reference *) references; /* of textures and surfaces */
    struct cuda_modules *modules;
    struct cuda_streams *streams;
    hd_watch_host watched;
    hd_watch *watch;
    struct cuda_record *record; /* NULL: nothing is recorded */
    hd_progress *progress;      /* NULL: none is shown */
    hd_signals_host signals;
} cuda_process;

/* The process, locked; made at the first call. */
cuda_process *cuda_enter(void);
void cuda_leave(cuda_process *p);

/* Opens the machine where it is not open yet. */
cuda_error cuda_need_machine(cuda_process *p);
/* Frees all memory, modules and streams, and takes the sticky error away. */
void cuda_reset(cuda_process *p);

/* Gives a struct of `bytes` zeros that a handle names; frees it when it is destroyed. */
void *cuda_handle_new(cuda_process *p, cuda_handle_kind kind, size_t bytes);
bool cuda_handle_is(const cuda_process *p, const void *handle, cuda_handle_kind kind);
void cuda_handle_free(cuda_process *p, void *handle);

/* A line on standard error, "heddle: ...", for what an error code cannot say. */
void cuda_say(cuda_process *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
