/*
 * Global and constant memory of the machine: regions, sorted by address. Buffers of a job and
 * variables have addresses that stand for bytes elsewhere; memory that comes and goes stands at
 * its own address in the process.
 */
#ifndef HD_VM_SPACE_H
#define HD_VM_SPACE_H

#include <pthread.h>

#include "machine/internal.h"

enum { VM_PAGE = 4096, VM_GONE = 256 };

/* What the process may touch, as its table of mappings says at one moment. */
typedef struct vm_maps {
    struct vm_maps *older;
    char *text; /* names of regions are in it */
    vm_region *regions;
    uint32_t count;
} vm_maps;

typedef struct vm_space {
    vm_region *regions; /* ascending */
    uint32_t count, capacity;
    uint64_t next;                  /* address that is tried first for the next one */
    struct vm_region gone[VM_GONE]; /* what was removed last: number n at n mod VM_GONE */
    uint64_t gone_count;
    bool any_memory;
    pthread_mutex_t lock; /* of `maps` */
    vm_maps *maps;        /* the latest; all of this launch */
} vm_space;

void vm_space_init(vm_space *space, bool any_memory);
void vm_space_free(vm_space *space);
/* Adds a region of a job at the next address, which is its base from then on. */
const vm_region *vm_space_add(vm_space *space, vm_region region);
/* An error when a buffer of the job can't stand at the address that it asks for. */
hd_status vm_space_check(const hd_vm *vm, const hd_buffer *buffer, uint64_t bytes);
/* Adds a region at its base. */
const vm_region *vm_space_add_at(vm_space *space, vm_region region);
/* The region that has this byte, or NULL. */
vm_region *vm_space_at(const vm_space *space, uint64_t address);
/* The latest removed one that had this byte, or NULL. */
const vm_region *vm_space_gone(const vm_space *space, uint64_t address);
/* A launch begins: the process may have mapped and unmapped memory. */
void vm_space_forget_maps(vm_space *space);
/* Mappings that are newer than those that the caller has seen (NULL: none). */
vm_maps *vm_space_maps(vm_space *space, const vm_maps *seen);

/* The regions that a block may touch, but for the process's own: the block's, then the space's. */
static inline uint32_t vm_row_count(const vm_run *r) { return r->region_count + r->space->count; }
static inline const vm_region *vm_row(const vm_run *r, uint32_t row) {
    return row < r->region_count ? &r->regions[row] : &r->space->regions[row - r->region_count];
}
/* UINT32_MAX: it is of the process. */
static inline uint32_t vm_row_of(const vm_run *r, const vm_region *g) {
    if (g >= r->regions && g < r->regions + r->region_count)
        return (uint32_t)(g - r->regions);
    if (g >= r->space->regions && g < r->space->regions + r->space->count)
        return r->region_count + (uint32_t)(g - r->space->regions);
    return UINT32_MAX;
}

#endif
