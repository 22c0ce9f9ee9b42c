/*
 * Heddle's machine in the program's process, on which the launches of the layer (ran.c) and of the
 * platform (platform.h) run: kernels by the source of their program, buffers, launches.
 *
 * The front end is not in this process, which may have another LLVM: a program is compiled by a process
 * of `heddle`, which prints kir.
 */
#ifndef OPENCL_MACHINE_H
#define OPENCL_MACHINE_H

#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>

#include "base/base.h"
#include "base/table.h"
#include "kernel/kir.h"
#include "watch/progress.h"
#include "watch/signals.h"
#include "watch/watch.h"

/* A source under options; the same for all that are equal, and there as long as the process. */
typedef struct machine_program {
    const char *file; /* that it was read from, or what messages call it: "kernels.cl" */
    const char *text;
    const char *log;       /* what the front end said */
    hd_ptx_module *module; /* NULL: it does not compile */
} machine_program;

/* A file that may be a source. */
typedef struct machine_file {
    const char *path;
    size_t bytes;
} machine_file;

typedef struct machine {
    pthread_mutex_t lock; /* of all that follows; under it no call of the program's runs */
    hd_arena *arena;      /* of what stays as long as the process */
    hd_diag diag;
    const char *message; /* the last one of the launch */
    const char *kernel;  /* that runs, or NULL */
    const hd_device *device;
    hd_ptx *ptx;
    bool as_written; /* kernels are, access by access */
    volatile sig_atomic_t stop;
    hd_watch_host watched;
    hd_watch *watch;
    hd_progress *progress;
    hd_signals_host signals;
    hd_hash_table by_source; /* of programs: options and text -> row */
    hd_vec(machine_program *) programs;
    hd_vec(machine_file) files;           /* opencl_source.c */
    bool has_files;                       /* they have been listed */
    hd_vec(hd_watched_memory) live, gone; /* buffers */
    uint64_t made, used, most_used;       /* buffers; bytes */
} machine;

/* The process's, locked; made at the first call. */
machine *machine_enter(void);
void machine_leave(machine *m);
/* The environment asks for results of what runs here. */
bool machine_is_asked_for(void);

/* NULL: the text is from no file that is near. */
const char *machine_source_file(machine *m, const char *text);
const machine_program *machine_compile(machine *m, const char *text, const char *options);
/* NULL: the program has none of this name that the machine runs; *why says why not, or is NULL where there
 * is none at all. */
hd_ptx_kernel *machine_kernel(machine *m, const machine_program *program, const char *name,
                              const char **why);

/* New memory for a buffer, zeroed; NULL: there is none left. With `host`, that memory itself. */
void *machine_buffer(machine *m, size_t bytes, void *host);
void machine_free(machine *m, void *buffer);

/* Work-groups for so many threads of each dimension, at most `most` in all. */
void machine_choose_local(cl_uint dims, const size_t *global, size_t most, size_t local[3]);
/* The size of a launch, as OpenCL gives it; NULL, or what the machine does not run of it. */
const char *machine_size(const hd_ptx_kernel *kernel, cl_uint dims, const size_t *offset,
                         const size_t *global, const size_t *local, hd_ptx_launch_size *size);
/* args[i] as hd_ptx_launch() has them. A fault has been told. */
hd_status machine_launch(machine *m, hd_ptx_kernel *kernel, const hd_ptx_launch_size *size,
                         void *const *args, hd_ptx_counts *counts);

#endif
