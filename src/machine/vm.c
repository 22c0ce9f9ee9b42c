/*
 * The machine as a whole: its memory and its compiled kernels.
 *
 *     hd_vm_open   (machine_job.c) buffers get addresses and contents, kernels are compiled
 *     hd_vm_run    (launch.c) blocks are handed to whichever worker is free
 *
 * Memory that comes and goes is space.c's.
 */
#include <stdlib.h>

#include "machine/launch.h"
#include "machine/native/native.h"

/* ---- memory ------------------------------------------------------------------------------ */

/* Zeroed by the system when it is large, so that what is never used costs nothing. */
bool vm_reserve(vm_kept *m, uint64_t bytes) {
    if (bytes <= m->bytes)
        return true;
    free(m->block);
    m->block = bytes < SIZE_MAX - VM_PAGE ? calloc(1, bytes + VM_PAGE) : NULL;
    m->at = (void *)hd_align_up((uintptr_t)m->block, bytes >= VM_PAGE ? VM_PAGE : 64);
    m->bytes = m->block ? bytes : 0;
    return m->block != NULL;
}

void *vm_own_memory(hd_vm *vm, uint64_t bytes) {
    vm_kept m = {0};
    if (vm_reserve(&m, bytes ? bytes : 1))
        hd_push(vm->arena, &vm->owned, m.block);
    return m.at;
}

void *vm_new_aligned(hd_arena *arena, size_t bytes) {
    enum { LINE = 64 };
    return (void *)hd_align_up((uintptr_t)hd_alloc(arena, bytes + LINE), LINE);
}

hd_status vm_no_memory(const hd_vm *vm, const hd_place *place, const char *what, uint64_t bytes) {
    return hd_fail(
        vm->diag, HD_ESYSTEM, place,
        "the system has no memory for %s (%llu bytes); use less of it, or raise the limit "
        "that is set for this process",
        what, (unsigned long long)bytes);
}

void vm_room_free(vm_room *room) {
    free(room->frame.block);
    free(room->private_memory.block);
    free(room->local_memory.block);
    free(room->apart.block);
}

const vm_region *vm_add_region(hd_vm *vm, vm_region region) {
    region.host = vm_own_memory(vm, region.bytes);
    return region.host ? vm_space_add(&vm->space, region) : NULL;
}

/* A constant table is one for each kernel, a __device__ variable one for all that name it. */
const vm_placed *vm_find_static(const hd_vm *vm, const kir_static *s) {
    for (size_t i = 0; i < vm->statics.count; i++) {
        const kir_static *known = vm->statics.data[i].variable;
        bool both_global = known->space == KIR_GLOBAL && s->space == KIR_GLOBAL;
        if (known == s || (both_global && !strcmp(kir_symbol(known), kir_symbol(s))))
            return &vm->statics.data[i];
    }
    return NULL;
}

/* ---- compiled kernels ---------------------------------------------------------------------- */

/* The size of it, which nobody asks for here, and the word in which blocks count. */
static hd_status add_workspace(hd_vm *vm, const hd_launch *l) {
    enum { BYTES = 8 };
    const vm_region *region = vm_add_region(
        vm, (vm_region){.name = "grid workspace", .space = KIR_GLOBAL, .bytes = BYTES});
    if (!region)
        return vm_no_memory(vm, &l->kernel->place, "the barrier of a grid", BYTES);
    vm->workspace = region->base;
    return HD_OK;
}

hd_status vm_compiled_for(hd_vm *vm, const kir_module *module, const hd_launch *l,
                          vm_compiled **compiled) {
    enum { MOST_LANES = 65536 };
    uint64_t lanes = hd_grid_of(l->dims, l->global, l->local).block_threads;
    if (lanes > MOST_LANES)
        return hd_fail(vm->diag, HD_EINPUT, &l->place,
                       "a block of %llu threads; no device runs more than %d, most 1024",
                       (unsigned long long)lanes, MOST_LANES);
    for (size_t i = 0; i < vm->compiled.count; i++) {
        vm_compiled *known = vm->compiled.data[i];
        if (known->program->kernel != l->kernel || known->program->lanes != lanes)
            continue;
        /* It moves towards the front, so that kernels which run often are soon found. */
        vm->compiled.data[i] = vm->compiled.data[i / 2];
        *compiled = vm->compiled.data[i / 2] = known;
        return HD_OK;
    }
    hd_arena *arena = hd_arena_new();
    vm_compiled *c = hd_new(arena, vm_compiled);
    c->arena = arena;
    hd_launch any = *l; /* kernels of a program come back with other arguments */
    any.arg_count = vm->job ? l->arg_count : 0;
    hd_binding binding = hd_job_binding(arena, vm->job, &any);
    hd_status status =
        vm_compile(arena, vm->diag, module, l->kernel, &binding, (uint32_t)lanes, &c->program);
    if (status) {
        hd_arena_free(arena);
        return status;
    }
    c->workers = hd_new_array(arena, vm_worker, vm->worker_count);
    hd_push(vm->arena, &vm->compiled, c);
    *compiled = c;
    if (c->program->asks_workspace && !vm->workspace && (status = add_workspace(vm, l)))
        return status;
    return c->program->allocates && !vm->heap ? vm_heap_open(vm, &l->kernel->place) : HD_OK;
}

static void free_compiled(const hd_vm *vm, vm_compiled *c) {
    vm_native_free(c->program->native);
    if (c->apart)
        vm_native_free(c->apart->native);
    for (uint32_t w = 0; w < vm->worker_count; w++) {
        free(c->workers[w].run.saved);
        hd_arena_free(c->workers[w].arena);
    }
    hd_arena_free(c->arena);
}

void hd_vm_forget(hd_vm *vm, const kir_module *module) {
    size_t kept = 0;
    for (size_t i = 0; i < vm->compiled.count; i++) {
        vm_compiled *c = vm->compiled.data[i];
        if (c->program->module == module)
            free_compiled(vm, c);
        else
            vm->compiled.data[kept++] = c;
    }
    vm->compiled.count = kept;
}

/* ---- opening ------------------------------------------------------------------------------- */

hd_vm *hd_vm_open_empty(hd_arena *arena, const hd_diag *diag, const hd_vm_options *options) {
    hd_vm *vm = hd_new(arena, hd_vm);
    vm->arena = arena;
    vm->diag = diag;
    vm->options = *options;
    vm->worker_count = options->workers ? options->workers : hd_core_count();
    vm->rooms = hd_new_array(arena, vm_room, vm->worker_count);
    if (!vm->options.max_instructions)
        vm->options.max_instructions = 10000000000;
    if (!vm->options.local_memory)
        vm->options.local_memory = 64 << 10;
    if (!vm->options.spaces)
        vm->options.spaces = 1u << KIR_GLOBAL | 1u << KIR_LOCAL | 1u << KIR_CONSTANT;
    vm->races.arena = arena;
    vm_space_init(&vm->space, options->any_memory);
    return vm;
}

void hd_vm_set_extent(hd_vm *vm, const hd_vm_extent *extent) {
    vm->has_extent = extent != NULL;
    vm->extent = extent ? *extent : (hd_vm_extent){0};
}

hd_vm_fault hd_vm_last_fault(const hd_vm *vm) { return vm->last_fault; }

void hd_vm_close(hd_vm *vm) {
    if (!vm)
        return;
    hd_crew_free(vm->crew);
    for (size_t i = 0; i < vm->compiled.count; i++)
        free_compiled(vm, vm->compiled.data[i]);
    for (uint32_t w = 0; w < vm->worker_count; w++)
        vm_room_free(&vm->rooms[w]);
    for (size_t i = 0; i < vm->owned.count; i++)
        free(vm->owned.data[i]);
    vm_space_free(&vm->space);
}
