/* The machine behind heddle/ptx.h: its memory and its launches. */
#include "machine/ptx_module.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- opening -------------------------------------------------------------------------------- */

static void print_out(void *user, const char *text, size_t length) {
    (void)user;
    fwrite(text, 1, length, stdout);
}

hd_status hd_ptx_open(const hd_ptx_options *options, const hd_diag *diag, hd_ptx **result) {
    /* A block of today's devices may have 227 KiB of shared memory; who wants to hold kernels to
     * the limits of one asks for their facts. */
    const uint64_t most_shared = 256 << 10;
    hd_arena *arena = hd_arena_new();
    hd_ptx *machine = hd_new(arena, hd_ptx);
    *machine = (hd_ptx){.arena = arena, .diag = *diag, .options = *options};
    const hd_vm_options wanted = {.workers = options->workers,
                                  .local_memory = most_shared,
                                  .check_uninitialised = options->check_uninitialised,
                                  .check_races = options->check_races,
                                  .any_memory = options->any_memory,
                                  .print = options->print ? options->print : print_out,
                                  .progress = options->progress,
                                  .user = options->user,
                                  .stop = options->stop};
    machine->vm = hd_vm_open_empty(arena, &machine->diag, &wanted);
    *result = machine;
    return HD_OK;
}

void hd_ptx_close(hd_ptx *machine) {
    if (!machine)
        return;
    while (machine->modules)
        hd_ptx_unload(machine->modules);
    hd_vm_close(machine->vm);
    hd_arena_free(machine->arena);
}

void hd_ptx_set_sink(hd_ptx *machine, const struct hd_sink *sink) {
    machine->has_sink = sink != NULL;
    if (sink)
        machine->sink = *sink;
}

/* ---- memory --------------------------------------------------------------------------------- */

void *api_allocate(hd_ptx *machine, const void *owner, const char *name, uint64_t bytes,
                   uint64_t align, bool is_constant, bool is_written) {
    hd_vm_memory memory = {.name = name,
                           .bytes = bytes,
                           .is_constant = is_constant,
                           .is_written = is_written,
                           .owner = owner};
    return hd_vm_allocate(machine->vm, align ? align : 1, &memory) ? NULL : memory.address;
}

/* Memory is removed by those who gave it: allocations have the machine for an owner, what was
 * placed its list of options, variables their module. */
static const void *owner_of_placed(const hd_ptx *machine) { return &machine->options; }

void *hd_ptx_alloc_named(hd_ptx *machine, const char *name, size_t bytes, size_t align) {
    return api_allocate(machine, machine, name, bytes, align, false, false);
}

void *hd_ptx_alloc(hd_ptx *machine, size_t bytes, size_t align) {
    char name[48];
    snprintf(name, sizeof name, "allocation %llu", (unsigned long long)++machine->allocations);
    return hd_ptx_alloc_named(machine, name, bytes, align);
}

hd_status hd_ptx_free(hd_ptx *machine, void *address) {
    if (hd_vm_remove_memory(machine->vm, machine, address))
        return HD_OK;
    return hd_fail(
        &machine->diag, HD_EINPUT, NULL,
        "nothing to free at %p: no memory was allocated at this address, or it was freed "
        "before",
        address);
}

hd_status hd_ptx_place(hd_ptx *machine, const char *name, void *address, size_t bytes) {
    const hd_vm_memory memory = {.name = name,
                                 .address = address,
                                 .bytes = bytes,
                                 .is_written = true,
                                 .owner = owner_of_placed(machine)};
    return hd_vm_add_memory(machine->vm, &memory);
}

hd_status hd_ptx_remove(hd_ptx *machine, void *address) {
    if (hd_vm_remove_memory(machine->vm, owner_of_placed(machine), address))
        return HD_OK;
    return hd_fail(&machine->diag, HD_EINPUT, NULL,
                   "nothing to remove at %p: no memory was placed at this address", address);
}

void hd_ptx_wrote(hd_ptx *machine, const void *address, size_t bytes) {
    hd_vm_mark_written(machine->vm, address, bytes);
}

/* ---- launches ------------------------------------------------------------------------------- */

/* A block of a size that the kernel takes. */
static hd_status check_size(const hd_ptx_kernel *kernel, const hd_ptx_launch_size *size) {
    const hd_ptx_kernel_facts *f = &kernel->facts;
    const hd_diag *diag = &kernel->module->machine->diag;
    const hd_place *place = &kernel->kernel->place;
    uint64_t threads = (uint64_t)size->block[0] * size->block[1]; /* below 2^64 */
    bool too_many = threads > f->most_threads || threads * size->block[2] > f->most_threads;
    if (too_many)
        return hd_fail(diag, HD_EINPUT, place,
                       "a block of %u x %u x %u threads; kernel %s takes at most %u in a block",
                       size->block[0], size->block[1], size->block[2], kernel->kernel->name,
                       f->most_threads);
    if (f->required_threads[0] && memcmp(f->required_threads, size->block, sizeof size->block))
        return hd_fail(diag, HD_EINPUT, place,
                       "a block of %u x %u x %u threads; kernel %s asks for %u x %u x %u",
                       size->block[0], size->block[1], size->block[2], kernel->kernel->name,
                       f->required_threads[0], f->required_threads[1], f->required_threads[2]);
    return HD_OK;
}

hd_status hd_ptx_launch(hd_ptx_kernel *kernel, const hd_ptx_launch_size *size, void *const *args,
                        hd_ptx_counts *counts) {
    hd_ptx *machine = kernel->module->machine;
    if (counts)
        *counts = (hd_ptx_counts){0};
    hd_status status = check_size(kernel, size);
    if (status)
        return status;
    hd_vm_launch_of launch = {.module = kernel->module->kir,
                              .kernel = kernel->kernel,
                              .shared = size->shared,
                              .cooperative = size->cooperative,
                              .args = (const void *const *)args,
                              .variables = kernel->variables};
    launch.dims = size->dims;
    memcpy(launch.offset, size->offset, sizeof launch.offset);
    memcpy(launch.grid, size->grid, sizeof launch.grid);
    memcpy(launch.block, size->block, sizeof launch.block);
    memcpy(launch.cluster, size->cluster[0] ? size->cluster : kernel->facts.required_cluster,
           sizeof launch.cluster);
    hd_vm_counts c = {0};
    status = hd_vm_launch(machine->vm, &launch, machine->has_sink ? &machine->sink : NULL, &c);
    if (counts)
        *counts = (hd_ptx_counts){.blocks = c.blocks,
                                  .instructions = c.instructions,
                                  .thread_instructions = c.thread_instructions,
                                  .memory_instructions = c.mis,
                                  .lane_accesses = c.lane_accesses,
                                  .seconds = c.seconds};
    return status;
}

hd_ptx_fault hd_ptx_last_fault(const hd_ptx *machine) {
    hd_vm_fault f = hd_vm_last_fault(machine->vm);
    return (hd_ptx_fault){.is_access = f.is_access,
                          .address = f.address,
                          .bytes = f.bytes,
                          .base = f.base,
                          .size = f.size,
                          .is_freed = f.is_freed};
}
