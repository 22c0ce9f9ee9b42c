/*
 * The machine with a job: its buffers and variables, and what it writes into them. Programs with PTX
 * have no job, and are linked without this and without what reads files of contents.
 */
#include "machine/launch.h"

/* ---- memory ------------------------------------------------------------------------------ */

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

hd_status hd_vm_open(hd_arena *arena, const hd_diag *diag, const hd_job *job, void *const *contents,
                     const hd_vm_options *options, hd_vm **result) {
    hd_vm_options own = *options;
    bool is_fixed = false;
    for (uint32_t b = 0; b < job->buffer_count; b++)
        is_fixed |= job->buffers[b].at != 0;
    /* Buffers at addresses of their own come from a program, whose device may have allowed its
     * blocks more than is usual. */
    if (!own.local_memory && is_fixed)
        own.local_memory = 256 << 10;
    hd_vm *vm = hd_vm_open_empty(arena, diag, &own);
    vm->job = job;
    hd_status status = open_job(vm, job, contents);
    *result = status ? NULL : vm;
    if (status)
        hd_vm_close(vm);
    return status;
}

void *hd_vm_contents(const hd_vm *vm, uint32_t buffer) { return vm->buffers[buffer].host; }

void hd_vm_copy_contents(hd_arena *arena, const hd_vm *vm, void **contents) {
    for (uint32_t b = 0; b < vm->job->buffer_count; b++) {
        uint64_t bytes = vm->job->buffers[b].count * vm->job->buffers[b].element_bytes;
        contents[b] = hd_alloc(arena, bytes + 1);
        memcpy(contents[b], hd_vm_contents(vm, b), bytes);
    }
}

static hd_status write_held(hd_vm *vm, const hd_held *held, uint32_t count) {
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        const hd_held *h = &held[i];
        const hd_buffer *buffer = &vm->job->buffers[h->buffer];
        uint64_t start, bytes = hd_held_bytes(vm->job, h, &start);
        unsigned char *to = (unsigned char *)vm->buffers[h->buffer].host + start;
        if (h->kind == HD_HELD_FILE)
            status = hd_job_read_held(vm->diag, buffer, h->file, &h->place, to);
        else
            hd_job_apply_held(vm->job, h, to, vm->buffers[h->from].host);
        hd_vm_mark_written(vm,
                           (void *)(uintptr_t)(vm->buffers[h->buffer].address + start), /* NOLINT */
                           bytes);
    }
    return status;
}

hd_status hd_vm_write_before(hd_vm *vm, uint32_t launch) {
    return write_held(vm, vm->job->launches[launch].before, vm->job->launches[launch].before_count);
}

static hd_status read_spot(void *self, const hd_spot *spot, void *bytes) {
    const hd_vm *vm = self;
    memcpy(bytes, vm->buffers[spot->buffer].host + hd_spot_byte(vm->job, spot),
           spot->type.bits / 8u);
    return HD_OK;
}

hd_status hd_vm_launch_now(hd_arena *arena, hd_vm *vm, uint32_t launch, hd_launch *now) {
    const hd_spot_reader reader = {read_spot, vm};
    return hd_launch_now(arena, vm->diag, &vm->job->launches[launch], &reader, now);
}

hd_status hd_vm_run_blocks(hd_vm *vm, uint32_t launch, const hd_block_choice *blocks,
                           const hd_sink *sink, hd_vm_counts *counts) {
    const hd_launch *l = &vm->job->launches[launch];
    hd_launch now;
    if (!hd_launch_reads(l))
        return vm_run_launch(vm, l, blocks, sink, counts);
    hd_arena *arena = hd_arena_new();
    hd_status status = hd_vm_launch_now(arena, vm, launch, &now);
    if (counts)
        *counts = (hd_vm_counts){0};
    if (status == HD_OK && now.global[0])
        status = vm_run_launch(vm, &now, blocks, sink, counts);
    hd_arena_free(arena);
    return status;
}

bool hd_vm_is_over(hd_vm *vm, uint32_t launch) {
    const hd_spot_reader reader = {read_spot, vm};
    bool is_over;
    if (!vm->over)
        vm->over = hd_new_array(vm->arena, bool, vm->job->until_count);
    hd_launch_is_over(&vm->job->launches[launch], &reader, vm->over, &is_over); /* memory is read */
    return is_over;
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

hd_status hd_vm_run_all(hd_vm *vm, const hd_block_choice *blocks, const hd_sink *sinks,
                        uint64_t most, hd_vm_counts *each, hd_vm_counts *sum) {
    hd_status status = HD_OK;
    *sum = (hd_vm_counts){0};
    for (uint32_t l = 0; l < vm->job->launch_count; l++)
        for (uint64_t r = 0; r < vm->job->launches[l].repeat && status == HD_OK; r++) {
            hd_vm_counts counts = {0};
            const hd_sink *sink = sinks ? &sinks[l] : NULL;
            if (!blocks)
                status = hd_vm_run(vm, l, sink, &counts);
            else if ((status = hd_vm_write_before(vm, l)) == HD_OK)
                status = hd_vm_run_blocks(vm, l, &blocks[l], sink, &counts);
            hd_vm_add_counts(sum, &counts);
            if (each)
                hd_vm_add_counts(&each[l], &counts);
            if (status == HD_OK && (counts.stopped || sum->lane_accesses > most))
                status = HD_EUNSUPPORTED;
        }
    return status;
}
