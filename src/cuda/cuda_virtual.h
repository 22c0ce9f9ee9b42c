/*
 * Addresses without memory, and memory without addresses: the driver reserves ranges, makes memory and
 * maps it there, perhaps in several places. Memory is a file that is nowhere but in memory, so that what
 * is written at one of its addresses is read at the others.
 */
#ifndef CUDA_VIRTUAL_H
#define CUDA_VIRTUAL_H

#include "cuda/cuda_memory.h"

/* Sizes, addresses and places are multiples of it. */
#define CUDA_GRANULE ((size_t)2 << 20)

/* A handle; it stays until it is given back as often as it was given, and is mapped nowhere. */
typedef struct cuda_physical {
    size_t bytes;
    int file;
    uint32_t uses, mappings;
    uint8_t properties[32]; /* CUmemAllocationProp, as it was made with */
} cuda_physical;

typedef struct cuda_mapping {
    uintptr_t address;
    size_t bytes;
    cuda_physical *of;
    bool is_open; /* the device may read and write it */
} cuda_mapping;

typedef struct cuda_reservation {
    uintptr_t address;
    size_t bytes;
    uint64_t number; /* of the allocation that messages call it */
    hd_stack made;
    cuda_mapping *mappings; /* by ascending address */
    size_t count, room;
} cuda_reservation;

cuda_error cuda_virtual_reserve(cuda_process *p, size_t bytes, size_t align, void *hint,
                                void **address);
cuda_error cuda_virtual_unreserve(cuda_process *p, void *address, size_t bytes);
cuda_error cuda_virtual_make(cuda_process *p, size_t bytes, const void *properties,
                             cuda_physical **made);
/* One use less, or one mapping. */
void cuda_virtual_release(cuda_process *p, cuda_physical *memory);
cuda_error cuda_virtual_map(cuda_process *p, void *address, size_t bytes, size_t offset,
                            cuda_physical *memory);
cuda_error cuda_virtual_unmap(cuda_process *p, void *address, size_t bytes);
/* Whether the device may touch these mappings. */
cuda_error cuda_virtual_open(cuda_process *p, void *address, size_t bytes, bool is_open);
/* Some memory can be touched at several addresses. */
bool cuda_virtual_has_aliases(const cuda_process *p);
/* The mapping that holds the address; NULL: there is none. */
const cuda_mapping *cuda_virtual_at(const cuda_process *p, const void *address);
#endif
