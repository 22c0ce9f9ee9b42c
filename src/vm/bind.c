/* Arguments, variables and local memory of a launch. */
#include "vm/launch.h"

static uint64_t take_local(hd_arena *arena, vm_bound *b, const char *name, uint64_t bytes,
                           uint64_t align, const hd_record *record, uint32_t element_bytes) {
    uint64_t at = hd_align_up(b->local_end, align < 16 ? 16 : align);
    vm_region local = {.name = name,
                       .space = KIR_LOCAL,
                       .base = at,
                       .bytes = bytes,
                       .record = record,
                       .element_bytes = element_bytes};
    hd_push(arena, &b->locals, local);
    if (__builtin_add_overflow(b->local_bytes, bytes, &b->local_bytes))
        b->local_bytes = UINT64_MAX; /* more than any limit */
    b->local_end = hd_align_up(at + bytes + VM_GAP, VM_GAP);
    return at;
}

static void bind_static(hd_arena *arena, hd_vm *vm, const hd_launch *l, vm_bound *b, uint32_t i) {
    const kir_static *s = &l->kernel->statics[i];
    uint32_t element = s->record ? s->record->size : 0;
    for (uint32_t a = 0; a < l->arg_count; a++)
        if (l->args[a].param == KIR_NONE && l->args[a].variable == i) {
            b->statics[i].address = vm->regions.data[l->args[a].buffer].base;
            return;
        }
    if (s->space != KIR_LOCAL) {
        b->statics[i].address = vm_address_of_static(vm, s);
        return;
    }
    b->statics[i].is_local = true;
    b->statics[i].address = take_local(arena, b, s->name, s->is_dynamic ? l->shared : s->bytes,
                                       s->align, s->record, element);
}

static void bind_arg(hd_arena *arena, hd_vm *vm, const hd_launch *l, vm_bound *b,
                     const hd_arg *arg) {
    vm_bound_arg *to = &b->args[arg->param];
    const kir_param *param = &l->kernel->params[arg->param];
    if (arg->kind == HD_ARG_BUFFER) {
        to->address = vm->regions.data[arg->buffer].base;
    } else if (arg->kind == HD_ARG_LOCAL) {
        to->is_local = true;
        to->address = take_local(arena, b, param->name, arg->local_bytes, 128, param->record,
                                 param->element_bytes);
        b->locals.data[b->locals.count - 1].is_argument = true;
    } else {
        to->bytes = arg->value;
    }
}

hd_status vm_bind(hd_arena *arena, hd_vm *vm, const hd_launch *l, vm_bound *b) {
    b->args = hd_new_array(arena, vm_bound_arg, l->kernel->param_count);
    b->statics = hd_new_array(arena, vm_bound_static, l->kernel->static_count);
    for (uint32_t i = 0; i < l->kernel->static_count; i++)
        bind_static(arena, vm, l, b, i);
    for (uint32_t i = 0; i < l->arg_count; i++)
        if (l->args[i].param != KIR_NONE)
            bind_arg(arena, vm, l, b, &l->args[i]);
    if (b->local_bytes > vm->options.local_memory)
        return hd_fail(vm->diag, HD_EINPUT, &l->place,
                       "a block of kernel %s needs %llu bytes of local memory, and has %llu; use "
                       "less of it, or allow more with --local-memory",
                       l->kernel->name, (unsigned long long)b->local_bytes,
                       (unsigned long long)vm->options.local_memory);
    return HD_OK;
}
