/*
 * The machine as a whole: its memory and its compiled kernels.
 *
 *     hd_vm_open   buffers get addresses and contents, kernels are compiled
 *     hd_vm_run    (launch.c) blocks are handed to whichever worker is free
 */
#include <stdlib.h>

#include "vm/launch.h"

enum { PAGE = 4096 };

/* ---- memory ------------------------------------------------------------------------------ */

/* Zeroed by the system when it is large, so that what is never used costs nothing. */
void *vm_host_memory(hd_vm *vm, uint64_t bytes) {
    void *block = bytes < SIZE_MAX - PAGE ? calloc(1, bytes + PAGE) : NULL;
    if (!block)
        return NULL;
    hd_push(vm->arena, &vm->owned, block);
    return (void *)hd_align_up((uintptr_t)block, bytes >= PAGE ? PAGE : 64);
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

bool vm_add_region(hd_vm *vm, vm_region region) {
    region.base = vm->next_address;
    region.host = vm_host_memory(vm, region.bytes);
    if (!region.host)
        return false;
    vm->next_address = hd_align_up(region.base + region.bytes, PAGE) + PAGE;
    hd_push(vm->arena, &vm->regions, region);
    return true;
}

static hd_status add_buffer(hd_vm *vm, const hd_buffer *b, void *contents) {
    vm_region region = {.name = b->name,
                        .type = b->type,
                        .space = KIR_GLOBAL,
                        .bytes = b->count * b->element_bytes,
                        .element_bytes = b->element_bytes,
                        .record = b->record};
    bool is_watched = vm->options.check_uninitialised && !contents && !b->file && !b->init_count;
    hd_arena *arena = hd_arena_new(); /* the machine keeps its own copy only */
    hd_status status = HD_OK;
    if (!contents)
        status = hd_job_contents_until(arena, vm->diag, b, vm->options.stop, &contents);
    if (!status && is_watched)
        region.written = vm_host_memory(vm, (region.bytes + 7) / 8);
    if (!status && ((is_watched && !region.written) || !vm_add_region(vm, region)))
        status =
            vm_no_memory(vm, &b->place, hd_format(vm->arena, "buffer '%s'", b->name), region.bytes);
    if (!status && contents) /* else the run is being stopped */
        memcpy(vm->regions.data[vm->regions.count - 1].host, contents, region.bytes);
    hd_arena_free(arena);
    return status;
}

/* A constant table is one for each kernel, a __device__ variable one for all that name it. */
const vm_placed *vm_find_static(const hd_vm *vm, const kir_static *s) {
    for (size_t i = 0; i < vm->statics.count; i++) {
        const kir_static *known = vm->statics.data[i].variable;
        bool both_global = known->space == KIR_GLOBAL && s->space == KIR_GLOBAL;
        if (known == s || (both_global && !strcmp(known->name, s->name)))
            return &vm->statics.data[i];
    }
    return NULL;
}

static hd_status place_static(hd_vm *vm, const kir_kernel *kernel, const kir_static *s) {
    if (s->space == KIR_LOCAL || vm_find_static(vm, s))
        return HD_OK;
    vm_region region = {.name = s->name,
                        .space = s->space,
                        .bytes = s->bytes,
                        .read_only = s->space == KIR_CONSTANT,
                        .record = s->record,
                        .element_bytes = s->record ? s->record->size : 0};
    if (!vm_add_region(vm, region))
        return vm_no_memory(vm, &kernel->place, hd_format(vm->arena, "variable '%s'", s->name),
                            s->bytes);
    const vm_region *placed = &vm->regions.data[vm->regions.count - 1];
    if (s->init)
        memcpy(placed->host, s->init, s->bytes);
    hd_push(vm->arena, &vm->statics, (vm_placed){s, placed->base});
    return HD_OK;
}

/* Addresses that variables of a kernel hold, of those from number `first` on: all have places. */
static void write_pointers(hd_vm *vm, const kir_kernel *kernel, size_t first) {
    for (size_t v = first; v < vm->statics.count; v++) {
        const kir_static *s = vm->statics.data[v].variable;
        uint8_t *host = NULL;
        for (size_t i = 0; i < vm->regions.count; i++)
            if (vm->regions.data[i].base == vm->statics.data[v].address)
                host = vm->regions.data[i].host;
        for (uint32_t i = 0; i < s->pointer_count; i++) {
            const kir_pointer *pointer = &s->pointers[i];
            const vm_placed *to = vm_find_static(vm, &kernel->statics[pointer->to]);
            uint64_t address = to->address + (uint64_t)pointer->addend;
            memcpy(host + pointer->offset, &address, sizeof address);
        }
    }
}

/* ---- opening ------------------------------------------------------------------------------- */

static uint64_t lanes_of(const hd_launch *l) {
    return hd_grid_of(l->dims, l->global, l->local).block_threads;
}

vm_compiled *vm_find_compiled(hd_vm *vm, const hd_launch *l) {
    for (size_t i = 0; i < vm->compiled.count; i++)
        if (vm->compiled.data[i].kernel == l->kernel &&
            vm->compiled.data[i].program->lanes == lanes_of(l))
            return &vm->compiled.data[i];
    return NULL;
}

static hd_status compile_launch(hd_vm *vm, const hd_launch *l) {
    enum { MOST_LANES = 65536 };
    uint64_t lanes = lanes_of(l);
    if (lanes > MOST_LANES)
        return hd_fail(vm->diag, HD_EINPUT, &l->place,
                       "a block of %llu threads; no device runs more than %d, most 1024",
                       (unsigned long long)lanes, MOST_LANES);
    if (vm_find_compiled(vm, l))
        return HD_OK;
    vm_compiled c = {.kernel = l->kernel};
    hd_binding binding = hd_job_binding(vm->arena, l);
    hd_status status = vm_compile(vm->arena, vm->diag, vm->job->module, l->kernel, &binding,
                                  lanes_of(l), &c.program);
    if (status)
        return status;
    c.workers = hd_new_array(vm->arena, vm_worker, vm->worker_count);
    hd_push(vm->arena, &vm->compiled, c);
    size_t placed = vm->statics.count;
    for (uint32_t i = 0; i < l->kernel->static_count && !status; i++)
        status = place_static(vm, l->kernel, &l->kernel->statics[i]);
    if (!status)
        write_pointers(vm, l->kernel, placed);
    if (!status && c.program->allocates && !vm->heap)
        status = vm_heap_open(vm, &l->kernel->place);
    return status;
}

hd_status hd_vm_open(hd_arena *arena, const hd_diag *diag, const hd_job *job, void *const *contents,
                     const hd_vm_options *options, hd_vm **result) {
    hd_vm *vm = hd_new(arena, hd_vm);
    vm->arena = arena;
    vm->diag = diag;
    vm->job = job;
    vm->options = *options;
    vm->next_address = VM_GLOBAL_BASE;
    vm->worker_count = options->workers ? options->workers : hd_core_count();
    if (!vm->options.max_instructions)
        vm->options.max_instructions = 10000000000;
    if (!vm->options.local_memory)
        vm->options.local_memory = 65536;
    if (!vm->options.spaces)
        vm->options.spaces = 1u << KIR_GLOBAL | 1u << KIR_LOCAL | 1u << KIR_CONSTANT;
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < job->buffer_count && !status; i++)
        status = add_buffer(vm, &job->buffers[i], contents ? contents[i] : NULL);
    for (uint32_t i = 0; i < job->launch_count && !status; i++)
        status = compile_launch(vm, &job->launches[i]);
    vm->races.arena = arena;
    if (!status)
        status = vm_check_allowed(vm);
    *result = status ? NULL : vm;
    if (status)
        hd_vm_close(vm);
    return status;
}

void *hd_vm_contents(const hd_vm *vm, uint32_t buffer) { return vm->regions.data[buffer].host; }

void hd_vm_close(hd_vm *vm) {
    if (!vm)
        return;
    for (size_t i = 0; i < vm->compiled.count; i++)
        for (uint32_t w = 0; w < vm->worker_count; w++)
            if (vm->compiled.data[i].workers[w].arena)
                hd_arena_free(vm->compiled.data[i].workers[w].arena);
    for (size_t i = 0; i < vm->owned.count; i++)
        free(vm->owned.data[i]);
    vm->owned.count = vm->compiled.count = 0;
}
