/* Arguments, variables and local memory of a launch. */
#include "machine/launch.h"

/* Gives `to` local memory: the region says which. */
static void take_local(hd_arena *arena, vm_bound *b, vm_bound_place *to, uint64_t align,
                       vm_region region) {
    uint64_t at = hd_align_up(b->local_end, align < 16 ? 16 : align);
    *to = (vm_bound_place){.address = at, .is_local = true};
    region.space = KIR_LOCAL;
    region.base = at;
    hd_push(arena, &b->locals, region);
    if (__builtin_add_overflow(b->local_bytes, region.bytes, &b->local_bytes))
        b->local_bytes = UINT64_MAX; /* more than any limit */
    b->local_end = hd_align_up(at + region.bytes + VM_GAP, VM_GAP);
}

static void bind_static(hd_arena *arena, hd_vm *vm, const hd_launch *l, const uint64_t *variables,
                        vm_bound *b, uint32_t i) {
    const kir_static *s = &l->kernel->statics[i];
    vm_bound_place *to = &b->statics[i];
    for (uint32_t a = 0; a < l->arg_count; a++)
        if (l->args[a].param == KIR_NONE && l->args[a].variable == i) {
            to->address = vm->buffers[l->args[a].buffer].address;
            return;
        }
    if (s->space == KIR_LOCAL)
        take_local(arena, b, to, s->align,
                   (vm_region){.name = s->name,
                               .bytes = s->is_dynamic ? l->shared : s->bytes,
                               .record = s->record,
                               .element_bytes = s->record ? s->record->size : 0});
    else
        to->address = variables ? variables[i] : vm_find_static(vm, s)->address;
}

hd_status vm_bind(hd_arena *arena, hd_vm *vm, const hd_launch *l, const uint64_t *variables,
                  vm_bound *b) {
    b->args = hd_new_array(arena, vm_bound_place, l->kernel->param_count);
    b->statics = hd_new_array(arena, vm_bound_place, l->kernel->static_count);
    for (uint32_t i = 0; i < l->kernel->static_count; i++)
        bind_static(arena, vm, l, variables, b, i);
    for (uint32_t i = 0; i < l->arg_count; i++) {
        const hd_arg *arg = &l->args[i];
        if (arg->param == KIR_NONE)
            continue;
        vm_bound_place *to = &b->args[arg->param];
        const kir_param *param = &l->kernel->params[arg->param];
        if (arg->kind == HD_ARG_BUFFER) {
            to->address = vm->buffers[arg->buffer].address + arg->offset;
            if (param->type.kind == KIR_INT) /* a pointer that nobody knows for one */
                to->bytes = (const uint8_t *)&to->address;
        } else if (arg->kind == HD_ARG_LOCAL)
            take_local(arena, b, to, 128,
                       (vm_region){.name = param->name,
                                   .bytes = arg->local_bytes,
                                   .record = param->record,
                                   .element_bytes = param->element_bytes,
                                   .is_argument = true});
        else if (param->type.kind == KIR_PTR && !param->by_value_struct)
            memcpy(&to->address, arg->value, sizeof to->address);
        else
            to->bytes = arg->value;
    }
    if (b->local_bytes > vm->options.local_memory)
        return hd_fail(vm->diag, HD_EINPUT, &l->place,
                       "a block of kernel %s needs %llu bytes of local memory, and has %llu; use "
                       "less of it, or allow more with --local-memory",
                       l->kernel->name, (unsigned long long)b->local_bytes,
                       (unsigned long long)vm->options.local_memory);
    return HD_OK;
}
