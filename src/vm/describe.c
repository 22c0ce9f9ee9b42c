/* What sinks are told of a launch: its sizes, accesses, and the memory there is. */
#include "vm/launch.h"

static int32_t buffer_row(const hd_vm *vm, const hd_launch *l, const vm_bound *b,
                          const hd_access *a) {
    const vm_bound_place *place = NULL;
    if (a->static_index >= 0)
        place = &b->statics[a->static_index];
    else if (a->param >= 0 && l->kernel->params[a->param].type.kind == KIR_PTR &&
             !l->kernel->params[a->param].by_value_struct)
        place = &b->args[a->param];
    for (size_t i = 0; place && place->is_local && i < b->locals.count; i++)
        if (b->locals.data[i].base == place->address)
            return (int32_t)(vm->space.count + i);
    const vm_region *g = place && !place->is_local ? vm_space_at(&vm->space, place->address) : NULL;
    return g ? (int32_t)(g - vm->space.regions) : -1;
}

static void describe_accesses(hd_arena *arena, const hd_vm *vm, const hd_launch *l,
                              const vm_bound *b, const hd_kernel_info *info, hd_event_launch *e) {
    hd_event_access *rows = hd_new_array(arena, hd_event_access, info->access_count);
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *a = &info->accesses[i];
        rows[i] = (hd_event_access){.kind = a->kind,
                                    .space = a->space,
                                    .width = a->width,
                                    .buffer = buffer_row(vm, l, b, a),
                                    .file = a->file,
                                    .line = a->line,
                                    .column = a->column};
        if (a->record)
            rows[i].record = a->record->name;
        if (a->record && a->field >= 0)
            rows[i].field = a->record->fields[a->field].name;
    }
    e->accesses = rows;
    e->access_count = info->access_count;
}

static hd_event_buffer describe_region(const vm_region *g) {
    return (hd_event_buffer){.name = g->name,
                             .type = g->type,
                             .space = g->space,
                             .base = g->base + (g->space == KIR_LOCAL ? VM_LOCAL_BASE : 0),
                             .bytes = g->bytes,
                             .element_bytes = g->element_bytes,
                             .record = g->record};
}

static void describe_buffers(hd_arena *arena, const hd_vm *vm, const vm_bound *b,
                             const vm_program *p, hd_event_launch *e) {
    hd_event_buffer *rows =
        hd_new_array(arena, hd_event_buffer, vm->space.count + b->locals.count + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < vm->space.count; i++)
        rows[n++] = describe_region(&vm->space.regions[i]);
    for (size_t i = 0; i < b->locals.count; i++)
        rows[n++] = describe_region(&b->locals.data[i]);
    if (p->pieces.count)
        rows[n++] = (hd_event_buffer){.name = "private",
                                      .space = KIR_PRIVATE,
                                      .base = VM_PRIVATE_BASE,
                                      .bytes = p->private_bytes};
    e->buffers = rows;
    e->buffer_count = n;
}

hd_event_launch vm_describe(hd_arena *arena, const hd_vm *vm, const hd_launch *l, const vm_bound *b,
                            const vm_program *p, bool tables) {
    hd_grid grid = hd_grid_of(l->dims, l->global, l->local);
    hd_event_launch e = {.number = vm->launches,
                         .kernel = l->kernel->name,
                         .dims = l->dims,
                         .block_count = grid.block_count,
                         .block_threads = p->lanes};
    for (uint32_t d = 0; d < 3; d++) {
        e.groups[d] = grid.groups[d];
        e.local[d] = grid.local[d];
        e.offset[d] = d < l->dims ? l->offset[d] : 0;
    }
    if (!tables)
        return e;
    const kir_module *module = p->module;
    const char **files = hd_new_array(arena, const char *, module->file_count);
    for (uint32_t i = 0; i < module->file_count; i++)
        files[i] = module->files[i].name;
    e.files = files;
    e.file_count = module->file_count;
    describe_accesses(arena, vm, l, b, p->info, &e);
    describe_buffers(arena, vm, b, p, &e);
    return e;
}
