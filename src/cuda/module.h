/*
 * Modules: what a program registers of its fat binaries, or loads by hand, with the kernels and
 * variables in it. The PTX is read when something of the module is first wanted.
 */
#ifndef CUDA_MODULE_H
#define CUDA_MODULE_H

#include "cuda/fatbin.h"
#include "cuda/process.h"

typedef struct cuda_module cuda_module;

typedef struct cuda_kernel {
    cuda_module *module;
    const char *name;
    hd_ptx_kernel *found; /* NULL: not looked up yet */
    hd_ptx_kernel_facts facts;
    uint64_t most_shared; /* dynamic shared memory that a launch may ask for, once it is set */
    bool has_most_shared;
    int carveout; /* share of the SM's memory that is shared memory, in percent; -1: any */
    bool takes_large_clusters; /* of more than the 8 blocks that all devices take */
} cuda_kernel;

typedef struct cuda_modules cuda_modules;

cuda_modules *cuda_modules_new(cuda_process *p);

/* A module of a program's fat binary, by its wrapper. Never NULL: what is wrong with it is told
 * when something of it is wanted. */
cuda_module *cuda_module_register(cuda_process *p, const void *wrapper);
/* A module of PTX or of a fat binary in memory, read at once. */
cuda_error cuda_module_load(cuda_process *p, const char *name, const void *image,
                            cuda_module **module);
/* The PTX of a fat binary in memory that the device takes. */
cuda_error cuda_module_text(cuda_process *p, const char *name, const void *image,
                            const cuda_ptx_text **text);
/* What it was read to; NULL: nothing yet. */
hd_ptx_module *cuda_module_loaded(const cuda_module *module);
/* Reads it, if nobody has. */
cuda_error cuda_module_need(cuda_process *p, cuda_module *module);
void cuda_module_remove(cuda_process *p, cuda_module *module);
/* All of them, which are read anew when they are wanted; the program's own stay registered. */
void cuda_modules_unload(cuda_process *p);

/* The kernel that a function of the host stands for. */
void cuda_module_add_kernel(cuda_process *p, cuda_module *module, const void *host,
                            const char *name);
/* The variable that one of the host stands for; a managed one is a pointer there, which is set. */
void cuda_module_add_variable(cuda_process *p, cuda_module *module, void *host, const char *name,
                              size_t bytes, bool managed);

/* By the host's function, or by the kernel itself; not looked up yet. */
cuda_error cuda_kernel_of_host(cuda_process *p, const void *host, cuda_kernel **kernel);
/* By its name. */
cuda_error cuda_kernel_named(cuda_process *p, cuda_module *module, const char *name,
                             cuda_kernel **kernel);
/* Those of a module that is read, by a number. */
uint32_t cuda_module_kernel_count(const cuda_module *module);
cuda_error cuda_kernel_at(cuda_process *p, cuda_module *module, uint32_t index,
                          cuda_kernel **kernel);
/* Looks it up in its module, which is read. */
cuda_error cuda_kernel_need(cuda_process *p, cuda_kernel *kernel);

/* Most threads of a block, and most dynamic shared memory of a launch. */
uint32_t cuda_kernel_most_threads(const cuda_process *p, const cuda_kernel *kernel);
uint64_t cuda_kernel_most_shared(const cuda_process *p, const cuda_kernel *kernel);
/* Whether a launch can have so much: what there is without asking, or was asked for. */
bool cuda_kernel_takes_shared(const cuda_process *p, const cuda_kernel *kernel, uint64_t bytes);
cuda_error cuda_kernel_set_most_shared(const cuda_process *p, cuda_kernel *kernel, int64_t bytes);

/* Blocks of a size that an SM holds at once. */
uint32_t cuda_kernel_most_cluster(const cuda_kernel *kernel); /* blocks of one */
uint32_t cuda_kernel_blocks(const cuda_process *p, const cuda_kernel *kernel, uint32_t threads,
                            uint64_t shared);

/* Where a parameter stands among all; the kernel is looked up. */
void cuda_kernel_param(const cuda_kernel *kernel, uint32_t index, uint32_t *offset,
                       uint32_t *bytes);

/* The variable that `host` stands for; and by its name. */
cuda_error cuda_variable_of_host(cuda_process *p, const void *host, void **address, size_t *bytes);
cuda_error cuda_variable_named(cuda_process *p, cuda_module *module, const char *name,
                               void **address, size_t *bytes);

/* What the kernel's PTX says: "7.5" and so on are 75; 0 where nothing is known. */
uint32_t cuda_kernel_architecture(const cuda_kernel *kernel);
/* The text of its module. */
const cuda_ptx_text *cuda_kernel_text(const cuda_kernel *kernel);
/* Its kernels synchronise whole grids: they ask for the grid's barrier. */
bool cuda_kernel_waits_for_grid(const cuda_kernel *kernel);

/* Something was registered. */
bool cuda_modules_any(const cuda_process *p);

#endif
