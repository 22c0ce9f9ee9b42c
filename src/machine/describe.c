/* What sinks are told of a launch: its sizes, accesses, and the memory there is. */
#include "machine/launch.h"

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

static hd_event_buffer describe_region(const vm_region *g) {
    return (hd_event_buffer){.name = g->name,
                             .type = g->type,
                             .space = g->space,
                             .base = g->base + (g->space == KIR_LOCAL ? VM_LOCAL_BASE : 0),
                             .bytes = g->bytes,
                             .element_bytes = g->element_bytes,
                             .record = g->record};
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
        e.cluster[d] = l->cluster[d];
    }
    if (!tables)
        return e;
    const kir_module *module = p->module;
    const char **files = hd_new_array(arena, const char *, module->file_count);
    for (uint32_t i = 0; i < module->file_count; i++)
        files[i] = module->files[i].name;
    e.files = files;
    e.file_count = module->file_count;
    e.access_count = p->info->access_count;
    hd_event_access *accesses = hd_new_array(arena, hd_event_access, e.access_count);
    for (uint32_t i = 0; i < e.access_count; i++) {
        const hd_access *a = &p->info->accesses[i];
        accesses[i] = (hd_event_access){.kind = a->kind,
                                        .space = a->space,
                                        .width = a->width,
                                        .buffer = buffer_row(vm, l, b, a),
                                        .record = a->record ? a->record->name : NULL,
                                        .field = hd_access_fields(arena, a),
                                        .file = a->file,
                                        .line = a->line,
                                        .column = a->column};
    }
    e.accesses = accesses;
    hd_event_buffer *rows =
        hd_new_array(arena, hd_event_buffer, vm->space.count + b->locals.count + 1);
    e.buffers = rows;
    for (uint32_t i = 0; i < vm->space.count; i++)
        rows[e.buffer_count++] = describe_region(&vm->space.regions[i]);
    for (size_t i = 0; i < b->locals.count; i++)
        rows[e.buffer_count++] = describe_region(&b->locals.data[i]);
    if (p->pieces.count)
        rows[e.buffer_count++] = (hd_event_buffer){.name = "private",
                                                   .space = KIR_PRIVATE,
                                                   .base = VM_PRIVATE_BASE,
                                                   .bytes = p->private_bytes};
    return e;
}
