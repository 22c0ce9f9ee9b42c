/*
 * PTX kernels on Heddle's machine, for programs: modules are loaded from text, launched over
 * memory of the machine or of the calling process, and every memory instruction is counted.
 *
 *     hd_ptx *machine;
 *     hd_ptx_open(&(hd_ptx_options){0}, &diag, &machine);
 *     hd_ptx_module *module;
 *     hd_ptx_load(machine, "add.ptx", text, strlen(text), &module);
 *     hd_ptx_kernel *add = hd_ptx_find(module, "add");
 *     float *x = hd_ptx_alloc(machine, 4096, 256);
 *     hd_ptx_launch(add, &(hd_ptx_launch_size){{16, 1, 1}, {64, 1, 1}, 0}, (void *[]){&x}, &counts);
 *     hd_ptx_close(machine);
 *
 * An address of the machine is the same number in the process: what hd_ptx_alloc() gives can be read
 * and written by the host, and a kernel gets it as an argument. Allocations stand at addresses that
 * depend on their order and sizes alone, so that two runs of a program see the same.
 *
 * Calls of one machine are for one thread at a time. Statuses are those of heddle.h, each explained
 * through the hd_diag of hd_ptx_open().
 */
#ifndef HEDDLE_PTX_H
#define HEDDLE_PTX_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The latest version of PTX that is read is the last one of this number. */
#define HD_PTX_VERSION_MOST 9

typedef struct hd_ptx hd_ptx;
typedef struct hd_ptx_module hd_ptx_module;
typedef struct hd_ptx_kernel hd_ptx_kernel;
struct hd_sink;
struct kir_kernel;

typedef struct hd_ptx_options {
    uint32_t workers;         /* threads that run blocks; 0: one for each core */
    bool any_memory;          /* kernels may touch whatever the process may; else only what
                               * hd_ptx_alloc() and hd_ptx_place() gave */
    bool check_uninitialised; /* reads of bytes that nothing has written; hd_ptx_wrote() */
    bool check_races;
    void (*print)(void *user, const char *text, size_t length); /* printf; NULL: to stdout */
    void *user;                                                 /* of print and progress */
    const volatile sig_atomic_t *stop; /* not 0: a launch that runs ends soon; may be NULL */
    /* Now and then while a launch runs, from its thread; NULL: none. */
    void (*progress)(void *user, uint64_t blocks_done, uint64_t block_count);
    uint32_t most_threads; /* of a block; 0: 1024 */
} hd_ptx_options;

typedef struct hd_ptx_launch_size {
    uint32_t grid[3], block[3];
    uint64_t shared;  /* bytes of dynamic shared memory */
    bool cooperative; /* blocks may wait for each other, as in grid.sync() */
    /* Of OpenCL. */
    uint32_t dims;      /* 0: those whose sizes are more than 1 */
    uint64_t offset[3]; /* global ids begin here */
    /* Of CUDA: blocks of a cluster, which reach each other's shared memory; 0: those that the kernel asks
     * for, if it does. */
    uint32_t cluster[3];
} hd_ptx_launch_size;

typedef struct hd_ptx_counts {
    uint64_t blocks, instructions, thread_instructions, memory_instructions, lane_accesses;
    double seconds;
} hd_ptx_counts;

typedef struct hd_ptx_kernel_facts {
    uint32_t param_count;
    uint32_t params_bytes; /* of all, as a packed buffer holds them */
    uint32_t static_shared, local_bytes, constant_bytes, registers;
    uint32_t most_threads;        /* of a block */
    uint32_t required_threads[3]; /* 0: any */
    uint32_t architecture;        /* that its text is for: 80 of sm_80; 0: it does not say */
    uint32_t required_cluster[3]; /* blocks of a cluster; 0: any, or none */
} hd_ptx_kernel_facts;

hd_status hd_ptx_open(const hd_ptx_options *options, const hd_diag *diag, hd_ptx **machine);
void hd_ptx_close(hd_ptx *machine);

/* `name` is what messages call the text. The text is copied. Modules that were compiled apart, one text
 * behind the other, are linked. A text that begins with a ';' is kir's (docs/kir.md). */
hd_status hd_ptx_load(hd_ptx *machine, const char *name, const char *text, size_t length,
                      hd_ptx_module **module);
void hd_ptx_unload(hd_ptx_module *module);
/* NULL: the module has no such entry, or has something in it that Heddle does not run, and that has
 * been told. A text of one entry is not loaded then. */
hd_ptx_kernel *hd_ptx_find(hd_ptx_module *module, const char *entry);
bool hd_ptx_has(const hd_ptx_module *module, const char *entry);
uint32_t hd_ptx_kernel_count(const hd_ptx_module *module);
/* NULL as above. */
hd_ptx_kernel *hd_ptx_kernel_at(hd_ptx_module *module, uint32_t index);
const char *hd_ptx_kernel_name(const hd_ptx_kernel *kernel);
hd_ptx_kernel_facts hd_ptx_facts(const hd_ptx_kernel *kernel);
/* Where a parameter stands in a packed buffer. */
void hd_ptx_param(const hd_ptx_kernel *kernel, uint32_t index, uint32_t *offset, uint32_t *bytes);
/* What a job file (docs/job.md) calls the kernel, and a parameter of it. */
const char *hd_ptx_kernel_title(const hd_ptx_kernel *kernel);
const char *hd_ptx_param_title(const hd_ptx_kernel *kernel, uint32_t index, bool *is_pointer);
/* As src/kernel/kir.h describes it. */
const struct kir_kernel *hd_ptx_kernel_ir(const hd_ptx_kernel *kernel);
/* The variables in global and constant memory that the kernel names, from index 0 on; false: there
 * are no more. */
bool hd_ptx_kernel_variable(const hd_ptx_kernel *kernel, uint32_t index, const char **title,
                            void **address, size_t *bytes);
/* The address of a function is no memory in kernels, but a number: of function i of the text
 * HD_PTX_FIRST_FUNCTION + i * HD_PTX_FUNCTION_STEP. An entry among them, and the bytes of its parameters;
 * NULL: that one is no entry, or there are not as many. */
#define HD_PTX_FIRST_FUNCTION 0x10000
#define HD_PTX_FUNCTION_STEP 16
uint32_t hd_ptx_function_count(const hd_ptx_module *module);
const char *hd_ptx_entry_of(const hd_ptx_module *module, uint32_t function, uint32_t *params_bytes);
/* A variable in global or constant memory; false: there is none of this name. */
bool hd_ptx_variable(hd_ptx_module *module, const char *name, void **address, size_t *bytes);

/* Memory that kernels and host share, zeroed; NULL: there is none left. Messages call it
 * "allocation 1" and so on. */
void *hd_ptx_alloc(hd_ptx *machine, size_t bytes, size_t align);
/* The same by another name, which is copied. */
void *hd_ptx_alloc_named(hd_ptx *machine, const char *name, size_t bytes, size_t align);
/* An HD_EINPUT when nothing was allocated there. What stood there is a fault to touch from then on. */
hd_status hd_ptx_free(hd_ptx *machine, void *address);
/* Memory of the caller that kernels may touch, until hd_ptx_remove(). `name` is copied. */
hd_status hd_ptx_place(hd_ptx *machine, const char *name, void *address, size_t bytes);
hd_status hd_ptx_remove(hd_ptx *machine, void *address);
/* With check_uninitialised: the host has written there. What was placed counts as written. */
void hd_ptx_wrote(hd_ptx *machine, const void *address, size_t bytes);

/* args[i] points to the bytes of parameter i; of a pointer to local memory (OpenCL's) to a uint64_t, so
 * many bytes of it each block has. `counts` may be NULL. A fault is an HD_EINPUT whose
 * message has the line, the thread and block, the address and the allocation next to it. */
hd_status hd_ptx_launch(hd_ptx_kernel *kernel, const hd_ptx_launch_size *size, void *const *args,
                        hd_ptx_counts *counts);
/* Every memory instruction of launches from now on, as src/machine/event.h describes; NULL: none. */
void hd_ptx_set_sink(hd_ptx *machine, const struct hd_sink *sink);

/* The access that the last launch ended with. */
typedef struct hd_ptx_fault {
    bool is_access;          /* false: it ended well, or with a fault of another kind */
    uint64_t address, bytes; /* of the access */
    uint64_t base, size;     /* of the memory that it was meant for; 0: nobody knows */
    bool is_freed;           /* that memory is gone */
} hd_ptx_fault;
hd_ptx_fault hd_ptx_last_fault(const hd_ptx *machine);

#ifdef __cplusplus
}
#endif

#endif
