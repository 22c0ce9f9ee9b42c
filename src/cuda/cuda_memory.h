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
    CUDA_MEMORY_VARIABLE,   /* of a module */
    CUDA_MEMORY_ARRAY,
    CUDA_MEMORY_OBJECT,  /* the description of a texture or surface */
    CUDA_MEMORY_MAPPED,  /* by the driver, into reserved addresses (cuda_virtual.h) */
    CUDA_MEMORY_CLOSED,  /* the same, and the device may not touch it */
    CUDA_MEMORY_RESERVED /* addresses without memory */
} cuda_memory_kind;

typedef struct cuda_pool {
    uint64_t used, most_used; /* bytes */
    uint64_t limit;           /* of `used`; 0: none */
    uint64_t threshold;
    int follow, opportunistic, internal; /* attributes, kept as they are set */
} cuda_pool;

/* Where hints want managed memory to be: cudaMemLocation. */
typedef struct cuda_location {
    int kind, id;
} cuda_location;
enum { CUDA_NOWHERE, CUDA_ON_DEVICE, CUDA_ON_HOST, CUDA_ON_NODE, CUDA_ON_THIS_NODE };
/* The host is a device by a number before CUDA 13, and in HIP. */
static inline cuda_location cuda_location_of(int device) {
    enum { HOST_DEVICE = -1 };
    return device == HOST_DEVICE ? (cuda_location){CUDA_ON_HOST, 0}
                                 : (cuda_location){CUDA_ON_DEVICE, device};
}

/* The hints about a page of managed memory. */
enum { CUDA_PAGE = 4096 };
typedef struct cuda_page {
    bool read_mostly, by_device, by_host;
    cuda_location preferred, prefetched;
} cuda_page;

typedef struct cuda_allocation {
    uintptr_t address;
    size_t bytes; /* as asked for */
    cuda_memory_kind kind;
    uint64_t number;  /* from 1, in the order of allocation */
    unsigned flags;   /* of host memory */
    bool is_own;      /* the program does not free it */
    cuda_pool *pool;  /* NULL: of none */
    cuda_page *pages; /* of managed memory; NULL: no hint was given */
    bool waits;       /* synchronous copies are waited for: CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
    hd_stack made, freed;
} cuda_allocation;

typedef struct cuda_memory {
    /* Those that are there, by ascending address, and those that are gone, as they went. */
    hd_vec(cuda_allocation) live, gone;
    hd_vec(cuda_allocation) closed; /* that nobody can touch: CLOSED, RESERVED */
    hd_vec(struct cuda_reservation *) reserved;
    hd_arena *arena;
    uintptr_t lowest, highest;          /* what all that was ever made is between */
    uint64_t made;                      /* allocations so far */
    uint64_t used, most_used;           /* bytes of device and managed memory */
    cuda_pool default_pool, graph_pool; /* of cudaMallocAsync() and the like, of graphs */
    cuda_pool *current_pool;
} cuda_memory;

/* A pool as it is made: memory is used again wherever that can be. */
static inline cuda_pool cuda_pool_of(uint64_t limit) {
    return (cuda_pool){.limit = limit, .follow = 1, .opportunistic = 1, .internal = 1};
}

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

/* For cuda_virtual.c: the number of another allocation, and where it was asked for; bytes of the device
 * more or less; what there is in a range of addresses, as part of an allocation, and that nothing is
 * said of the range any more; memory that goes now. */
void cuda_memory_number(cuda_process *p, uint64_t *number, hd_stack *made);
void cuda_memory_use(cuda_process *p, int64_t bytes);
cuda_error cuda_memory_show(cuda_process *p, cuda_allocation of, uintptr_t address, size_t bytes,
                            cuda_memory_kind kind);
void cuda_memory_hide(cuda_process *p, uintptr_t address, size_t bytes);
void cuda_memory_lost(cuda_process *p, cuda_allocation gone);
/* Nobody can touch what is there. */
bool cuda_memory_is_closed(const cuda_process *p, const void *address);

/* Checks the range of a hint about managed memory, such as a prefetch, to this or another device. */
cuda_error cuda_memory_hint(cuda_process *p, const void *address, size_t bytes, bool elsewhere);
/* Hints about the pages of a range of managed memory, which change nothing but what is said of them:
 * a cudaMemoryAdvise, and where they are to be brought. */
cuda_error cuda_memory_advise(cuda_process *p, const void *address, size_t bytes, int advice,
                              cuda_location location);
cuda_error cuda_memory_prefetch(cuda_process *p, const void *address, size_t bytes,
                                cuda_location location);
/* What is said of all of a range, a cudaMemRangeAttribute, as `count` numbers. */
cuda_error cuda_memory_range(cuda_process *p, const void *address, size_t bytes, int attribute,
                             int32_t *numbers, size_t count);

/* Bytes of the device that can still be had: its own, and what this machine has for them. */
uint64_t cuda_memory_left(const cuda_process *p);

/* For src/watch, of a cuda_process. */
bool cuda_memory_list(void *process, bool gone, size_t index, hd_watched_memory *memory);
uint64_t cuda_memory_most(void *process);

#endif
