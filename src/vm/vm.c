/*
 * The machine as a whole: its memory and its compiled kernels.
 *
 *     hd_vm_open   buffers get addresses and contents, kernels are compiled
 *     hd_vm_run    (launch.c) blocks are handed to whichever worker is free
 *
 * Memory that comes and goes is space.c's.
 */
#include <stdlib.h>

#include "vm/launch.h"

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

const vm_region *vm_add_region(hd_vm *vm, vm_region region) {
    region.host = vm_own_memory(vm, region.bytes);
    return region.host ? vm_space_add(&vm->space, region) : NULL;
}

/* The machine's accesses are as much aligned in the host's memory as at their addresses. */
static const vm_region *add_region_at(hd_vm *vm, vm_region region, uint64_t address) {
    enum { LINE = 64 };
    uint8_t *host = vm_own_memory(vm, region.bytes + LINE);
    region.host = host ? host + address % LINE : NULL;
    region.base = address;
    return host ? vm_space_add_at(&vm->space, region) : NULL;
}

static hd_status add_buffer(hd_vm *vm, const hd_buffer *b, void *contents, vm_buffer *buffer) {
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
        region.written = vm_own_memory(vm, (region.bytes + 7) / 8);
    const vm_region *placed = NULL;
    if (!status && b->at)
        status = vm_space_check(vm, b, region.bytes);
    if (!status && (!is_watched || region.written))
        placed = b->at ? add_region_at(vm, region, b->at) : vm_add_region(vm, region);
    if (placed)
        *buffer = (vm_buffer){placed->base, placed->host};
    else if (!status)
        status =
            vm_no_memory(vm, &b->place, hd_format(vm->arena, "buffer '%s'", b->name), region.bytes);
    if (!status && contents) /* else the run is being stopped */
        memcpy(buffer->host, contents, region.bytes);
    hd_arena_free(arena);
    return status;
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

static hd_status place_static(hd_vm *vm, const kir_kernel *kernel, const kir_static *s) {
    if (s->space == KIR_LOCAL || vm_find_static(vm, s))
        return HD_OK;
    vm_region region = {.name = s->name,
                        .space = s->space,
                        .bytes = s->bytes,
                        .read_only = s->space == KIR_CONSTANT,
                        .record = s->record,
                        .element_bytes = s->record ? s->record->size : 0};
    const vm_region *placed = vm_add_region(vm, region);
    if (!placed)
        return vm_no_memory(vm, &kernel->place, hd_format(vm->arena, "variable '%s'", s->name),
                            s->bytes);
    if (s->init)
        memcpy(placed->host, s->init, s->bytes);
    hd_push(vm->arena, &vm->statics, (vm_placed){s, placed->base});
    return HD_OK;
}

/* Addresses that variables of a kernel hold, of those from number `first` on: all have places. */
static void write_pointers(hd_vm *vm, const kir_kernel *kernel, size_t first) {
    for (size_t v = first; v < vm->statics.count; v++) {
        const kir_static *s = vm->statics.data[v].variable;
        for (uint32_t i = 0; i < s->pointer_count; i++) {
            const kir_pointer *pointer = &s->pointers[i];
            const vm_placed *to = vm_find_static(vm, &kernel->statics[pointer->to]);
            uint64_t address = to->address + (uint64_t)pointer->addend;
            uint8_t *host = vm_space_at(&vm->space, vm->statics.data[v].address)->host;
            memcpy(host + pointer->offset, &address, sizeof address);
        }
    }
}

/* ---- compiled kernels ---------------------------------------------------------------------- */

/* What is found moves towards the front, so that kernels which run often are soon found. */
static vm_compiled *find_compiled(hd_vm *vm, const kir_kernel *kernel, uint64_t lanes) {
    for (size_t i = 0; i < vm->compiled.count; i++) {
        vm_compiled *c = vm->compiled.data[i];
        if (c->program->kernel != kernel || c->program->lanes != lanes)
            continue;
        vm->compiled.data[i] = vm->compiled.data[i / 2];
        vm->compiled.data[i / 2] = c;
        return c;
    }
    return NULL;
}

hd_status vm_compiled_for(hd_vm *vm, const kir_module *module, const hd_launch *l,
                          vm_compiled **compiled) {
    enum { MOST_LANES = 65536 };
    uint64_t lanes = hd_grid_of(l->dims, l->global, l->local).block_threads;
    if (lanes > MOST_LANES)
        return hd_fail(vm->diag, HD_EINPUT, &l->place,
                       "a block of %llu threads; no device runs more than %d, most 1024",
                       (unsigned long long)lanes, MOST_LANES);
    *compiled = find_compiled(vm, l->kernel, lanes);
    if (*compiled)
        return HD_OK;
    hd_arena *arena = hd_arena_new();
    vm_compiled *c = hd_new(arena, vm_compiled);
    c->arena = arena;
    hd_binding binding = hd_job_binding(arena, vm->job, l);
    hd_status status =
        vm_compile(arena, vm->diag, module, l->kernel, &binding, (uint32_t)lanes, &c->program);
    if (status) {
        hd_arena_free(arena);
        return status;
    }
    c->workers = hd_new_array(arena, vm_worker, vm->worker_count);
    hd_push(vm->arena, &vm->compiled, c);
    *compiled = c;
    return c->program->allocates && !vm->heap ? vm_heap_open(vm, &l->kernel->place) : HD_OK;
}

static void free_compiled(const hd_vm *vm, vm_compiled *c) {
    for (uint32_t w = 0; w < vm->worker_count; w++)
        hd_arena_free(c->workers[w].arena);
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

static hd_status open_job(hd_vm *vm, const hd_job *job, void *const *contents) {
    hd_status status = HD_OK;
    vm->buffers = hd_new_array(vm->arena, vm_buffer, job->buffer_count);
    /* Those that have an address come first, and the others stand behind them. */
    for (int anywhere = 0; anywhere < 2; anywhere++)
        for (uint32_t i = 0; i < job->buffer_count && !status; i++)
            if ((job->buffers[i].at == 0) == anywhere)
                status = add_buffer(vm, &job->buffers[i], contents ? contents[i] : NULL,
                                    &vm->buffers[i]);
    for (uint32_t i = 0; i < job->launch_count && !status; i++) {
        const hd_launch *l = &job->launches[i];
        vm_compiled *compiled;
        status = vm_compiled_for(vm, job->module, l, &compiled);
        size_t placed = vm->statics.count;
        for (uint32_t s = 0; s < l->kernel->static_count && !status; s++)
            status = place_static(vm, l->kernel, &l->kernel->statics[s]);
        if (!status)
            write_pointers(vm, l->kernel, placed);
    }
    return status ? status : vm_check_allowed(vm);
}

/* Buffers at addresses of their own come from a program, whose device may have allowed its blocks
 * more than is usual. */
static uint64_t usual_local_memory(const hd_job *job) {
    for (uint32_t b = 0; job && b < job->buffer_count; b++)
        if (job->buffers[b].at)
            return 256 << 10;
    return 64 << 10;
}

hd_status hd_vm_open(hd_arena *arena, const hd_diag *diag, const hd_job *job, void *const *contents,
                     const hd_vm_options *options, hd_vm **result) {
    hd_vm *vm = hd_new(arena, hd_vm);
    vm->arena = arena;
    vm->diag = diag;
    vm->job = job;
    vm->options = *options;
    vm->worker_count = options->workers ? options->workers : hd_core_count();
    vm->rooms = hd_new_array(arena, vm_room, vm->worker_count);
    if (!vm->options.max_instructions)
        vm->options.max_instructions = 10000000000;
    if (!vm->options.local_memory)
        vm->options.local_memory = usual_local_memory(job);
    if (!vm->options.spaces)
        vm->options.spaces = 1u << KIR_GLOBAL | 1u << KIR_LOCAL | 1u << KIR_CONSTANT;
    vm->races.arena = arena;
    vm_space_init(&vm->space, options->any_memory);
    hd_status status = job ? open_job(vm, job, contents) : HD_OK;
    *result = status ? NULL : vm;
    if (status)
        hd_vm_close(vm);
    return status;
}

void *hd_vm_contents(const hd_vm *vm, uint32_t buffer) { return vm->buffers[buffer].host; }

static hd_status write_held(hd_vm *vm, const hd_held *held, uint32_t count) {
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        const hd_held *h = &held[i];
        const hd_buffer *buffer = &vm->job->buffers[h->buffer];
        void *to = vm->buffers[h->buffer].host;
        uint64_t bytes = buffer->element_bytes, start = h->element * bytes;
        if (h->kind == HD_HELD_FILE)
            status = hd_job_read_held(vm->diag, buffer, h->file, &h->place, to);
        else
            hd_job_apply_held(vm->job, h, to, vm->buffers[h->from].host);
        if (h->kind != HD_HELD_SET) {
            start = 0;
            bytes *= buffer->count;
        }
        hd_vm_mark_written(vm,
                           (void *)(uintptr_t)(vm->buffers[h->buffer].address + start), /* NOLINT */
                           bytes);
    }
    return status;
}

hd_status hd_vm_write_before(hd_vm *vm, uint32_t launch) {
    const hd_launch *l = &vm->job->launches[launch];
    return write_held(vm, l->before, l->before_count);
}

bool hd_vm_is_over(hd_vm *vm, uint32_t launch) {
    const hd_launch *l = &vm->job->launches[launch];
    const hd_until *until = l->until;
    if (!until)
        return false;
    if (!vm->over)
        vm->over = hd_new_array(vm->arena, bool, vm->job->until_count);
    const hd_buffer *buffer = &vm->job->buffers[until->buffer];
    const unsigned char *at = (const unsigned char *)vm->buffers[until->buffer].host +
                              until->element * buffer->element_bytes + until->offset;
    if (l->begins_round && !memcmp(at, until->value, until->bytes))
        vm->over[until->number] = true;
    return vm->over[until->number];
}

hd_status hd_vm_run(hd_vm *vm, uint32_t launch, const hd_sink *sink, hd_vm_counts *counts) {
    bool is_last = launch + 1 == vm->job->launch_count;
    hd_status status = HD_OK;
    if (!hd_vm_is_over(vm, launch)) {
        status = hd_vm_write_before(vm, launch);
        if (!status)
            status = hd_vm_run_blocks(vm, launch, &hd_all_blocks, sink, counts);
    }
    return status || !is_last ? status : write_held(vm, vm->job->last, vm->job->last_count);
}

hd_vm_fault hd_vm_last_fault(const hd_vm *vm) { return vm->last_fault; }

void hd_vm_close(hd_vm *vm) {
    if (!vm)
        return;
    vm_crew_free(vm->crew);
    for (size_t i = 0; i < vm->compiled.count; i++)
        free_compiled(vm, vm->compiled.data[i]);
    for (uint32_t w = 0; w < vm->worker_count; w++) {
        free(vm->rooms[w].frame.block);
        free(vm->rooms[w].private_memory.block);
        free(vm->rooms[w].local_memory.block);
    }
    for (size_t i = 0; i < vm->owned.count; i++)
        free(vm->owned.data[i]);
    vm_space_free(&vm->space);
}
