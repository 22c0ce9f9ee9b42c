/*
 * Memory of a process that kernels can touch: what was allocated or registered, of which kind, where
 * in the program, and what was freed.
 */
#ifndef CUDA_MEMORY_H
#define CUDA_MEMORY_H

#include "cuda/process.h"

typedef enum cuda_memory_kind {
    CUDA_MEMORY_DEVICE,
    CUDA_MEMORY_MANAGED,
    CUDA_MEMORY_PINNED,     /* of the host, by cudaMallocHost() and the like */
    CUDA_MEMORY_REGISTERED, /* of the host, by cudaHostRegister() */
    CUDA_MEMORY_VARIABLE    /* of a module */
} cuda_memory_kind;

typedef struct cuda_pool {
    uint64_t used, most_used; /* bytes */
    uint64_t threshold;
    int follow, opportunistic, internal; /* attributes, kept as they are set */
} cuda_pool;

typedef struct cuda_allocation {
    uintptr_t address;
    size_t bytes; /* as asked for */
    cuda_memory_kind kind;
    uint64_t number; /* from 1, in the order of allocation */
    unsigned flags;  /* of host memory */
    cuda_pool *pool; /* NULL: of none */
    hd_stack made, freed;
} cuda_allocation;

typedef struct cuda_memory {
    /* Those that are there, by ascending address, and those that are gone, as they went. */
    hd_vec(cuda_allocation) live, gone;
    hd_arena *arena;
    uintptr_t lowest, highest;          /* what all that was ever made is between */
    uint64_t made;                      /* allocations so far */
    uint64_t used, most_used;           /* bytes of device and managed memory */
    cuda_pool default_pool, graph_pool; /* of cudaMallocAsync() and the like, of graphs */
    cuda_pool *current_pool;
} cuda_memory;

cuda_memory *cuda_memory_new(cuda_process *p);
/* Frees all. */
void cuda_memory_reset(cuda_process *p);

/* New memory; 0 bytes give NULL and no error. */
cuda_error cuda_memory_make(cuda_process *p, cuda_memory_kind kind, size_t bytes, void **address);
/* What begins at `address` is of this pool. */
void cuda_memory_set_pool(cuda_process *p, const void *address, cuda_pool *pool);
/* Ends what begins at `address`: NULL is fine, and what is not there or of another kind than
 * `kinds` (a bit each) is `refusal`. */
cuda_error cuda_memory_end(cuda_process *p, const void *address, unsigned kinds,
                           cuda_error refusal);
/* Memory of the host's own. */
cuda_error cuda_memory_register(cuda_process *p, void *address, size_t bytes, unsigned flags);
/* A variable of a module, which goes with it. */
void cuda_memory_add_variable(cuda_process *p, void *address, size_t bytes);
void cuda_memory_remove_variable(cuda_process *p, const void *address);

/* What holds this address, or is empty and begins there; NULL: the host's own memory, or none. */
cuda_allocation *cuda_memory_at(const cuda_process *p, const void *address);
/* The last of those that are gone that held it. */
const cuda_allocation *cuda_memory_gone(const cuda_process *p, const void *address);

/* Checks the range of a hint about managed memory, such as a prefetch, to this or another device. */
cuda_error cuda_memory_hint(cuda_process *p, const void *address, size_t bytes, bool elsewhere);

/* Bytes of the device that can still be had: its own, and what this machine has for them. */
uint64_t cuda_memory_left(const cuda_process *p);

/* For src/watch, of a cuda_process. */
bool cuda_memory_list(void *process, bool gone, size_t index, hd_watched_memory *memory);
uint64_t cuda_memory_most(void *process);

#endif
