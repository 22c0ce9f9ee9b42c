/* Writing kir instruction by instruction. */
#include "frontend/clang/internal.h"

kir_type front_int_type(uint8_t bits, uint8_t lanes) { return (kir_type){KIR_INT, bits, lanes, 0}; }

kir_type front_pointer_type(kir_space space) { return (kir_type){KIR_PTR, 64, 1, (uint8_t)space}; }

kir_type front_element_type(kir_type vector) {
    vector.lanes = 1;
    return vector;
}

kir_type front_type_of_value(const front_lowering *l, kir_value value) {
    return l->insts.data[value].type;
}

void front_cannot(front_lowering *l, const char *format, ...) {
    if (l->status)
        return;
    va_list args;
    va_start(args, format);
    const char *why = hd_vformat(l->arena, format, args);
    va_end(args);
    hd_place place = l->place;
    const char *text = l->front->files.data[l->file].text;
    if (place.line && text)
        place.text = hd_line_of(l->arena, text, place.line);
    l->status = hd_fail(l->front->diag, HD_EUNSUPPORTED, &place, "%s", why);
}

kir_value front_emit(front_lowering *l, kir_op op, kir_type type, uint32_t arg_count,
                     const kir_value *args) {
    kir_inst inst = {.op = op,
                     .type = type,
                     .block = l->current_block,
                     .arg_count = arg_count,
                     .file = l->file,
                     .line = l->place.line,
                     .column = l->place.column};
    inst.args = hd_new_array(l->arena, kir_value, arg_count);
    for (uint32_t i = 0; args && i < arg_count; i++)
        inst.args[i] = args[i];
    kir_value value = (kir_value)l->insts.count;
    hd_push(l->arena, &l->insts, inst);
    hd_push(l->arena, l->current, value);
    return value;
}

kir_value front_emit1(front_lowering *l, kir_op op, kir_type type, kir_value a) {
    return front_emit(l, op, type, 1, &a);
}

kir_value front_emit2(front_lowering *l, kir_op op, kir_type type, kir_value a, kir_value b) {
    return front_emit(l, op, type, 2, (kir_value[]){a, b});
}

kir_value front_emit_compare(front_lowering *l, kir_pred pred, kir_value a, kir_value b) {
    kir_type type = front_type_of_value(l, a);
    kir_op op = type.kind == KIR_FLOAT ? KIR_FCMP : KIR_ICMP;
    kir_value value = front_emit2(l, op, front_int_type(1, type.lanes), a, b);
    l->insts.data[value].pred = pred;
    return value;
}

kir_value front_emit_select(front_lowering *l, kir_value condition, kir_value yes, kir_value no) {
    kir_value args[] = {condition, yes, no};
    return front_emit(l, KIR_SELECT, front_type_of_value(l, yes), 3, args);
}

kir_value front_emit_either(front_lowering *l, kir_pred pred, kir_value a, kir_value b) {
    return front_emit_select(l, front_emit_compare(l, pred, a, b), a, b);
}

kir_value front_emit_load(front_lowering *l, kir_type type, kir_value address, uint32_t align) {
    kir_value value = front_emit1(l, KIR_LOAD, type, address);
    l->insts.data[value].align = align;
    return value;
}

void front_emit_store(front_lowering *l, kir_value value, kir_value address, uint32_t align) {
    kir_value store = front_emit2(l, KIR_STORE, (kir_type){0}, value, address);
    l->insts.data[store].align = align;
}

kir_value front_emit_call(front_lowering *l, const char *name, kir_type type, uint32_t arg_count,
                          const kir_value *args) {
    kir_value value = front_emit(l, KIR_CALL, type, arg_count, args);
    l->insts.data[value].name = hd_strdup(l->arena, name);
    return value;
}

kir_value front_same(front_lowering *l, const front_call *call, const char *name) {
    return front_emit_call(l, name, call->type, call->arg_count, call->args);
}

kir_value front_emit_written(front_lowering *l, const front_call *call, const char *name,
                             kir_type type) {
    uint32_t last = call->arg_count - 1, bytes = kir_type_bytes(type);
    kir_value *args = hd_new_array(l->arena, kir_value, call->arg_count);
    memcpy(args, call->args, call->arg_count * sizeof *args);
    args[last] = front_emit_alloca(l, bytes, bytes);
    kir_value result = front_emit_call(l, name, call->type, call->arg_count, args);
    front_emit_store(l, front_emit_load(l, type, args[last], bytes), call->args[last], bytes);
    return result;
}

/* Allocas stand in block 0 and live as long as the kernel. */
kir_value front_emit_alloca(front_lowering *l, uint64_t bytes, uint64_t align) {
    front_values *current = l->current;
    uint32_t block = l->current_block;
    l->current = &l->entry;
    l->current_block = 0;
    kir_value value = front_emit(l, KIR_ALLOCA, front_pointer_type(KIR_PRIVATE), 0, NULL);
    kir_inst *inst = &l->insts.data[value];
    inst->imm = hd_new_array(l->arena, uint64_t, 2);
    inst->imm[0] = bytes;
    inst->imm[1] = align ? align : 1;
    inst->imm_count = 2;
    l->current = current;
    l->current_block = block;
    return value;
}

kir_value front_emit_addr(front_lowering *l, kir_value base, kir_value index, int64_t scale,
                          int64_t offset) {
    kir_inst before = l->insts.data[base];
    const kir_inst *number = index == KIR_NONE ? NULL : &l->insts.data[index];
    if (number && number->op == KIR_CONST) {
        offset += kir_sign_extend(number->imm[0], number->type.bits) * scale;
        index = KIR_NONE;
    }
    bool joined = before.op == KIR_ADDR;
    uint32_t old = joined ? before.arg_count - 1 : 0, more = index != KIR_NONE && scale;
    kir_value *args = hd_new_array(l->arena, kir_value, 1 + old + more);
    int64_t *scales = hd_new_array(l->arena, int64_t, old + more);
    args[0] = joined ? before.args[0] : base;
    for (uint32_t i = 0; i < old; i++) {
        args[1 + i] = before.args[1 + i];
        scales[i] = before.scale[i];
    }
    if (more) {
        args[1 + old] = index;
        scales[old] = scale;
    }
    kir_value value = front_emit(l, KIR_ADDR, before.type, 1 + old + more, args);
    kir_inst *inst = &l->insts.data[value];
    inst->scale = scales;
    inst->offset = (joined ? before.offset : 0) + offset;
    inst->record = joined ? before.record : NULL;
    inst->field_offset = joined ? before.field_offset : 0;
    return value;
}

/* ---- leaves ---------------------------------------------------------- */

static bool same_leaf(const kir_inst *a, kir_op op, kir_type type, const uint64_t *imm,
                      uint32_t index) {
    if (a->op != op || a->type.kind != type.kind || a->type.bits != type.bits ||
        a->type.lanes != type.lanes || a->type.space != type.space || a->index != index)
        return false;
    return op != KIR_CONST || !memcmp(a->imm, imm, type.lanes * sizeof *imm);
}

kir_value front_leaf(front_lowering *l, kir_op op, kir_type type, const uint64_t *imm,
                     uint32_t index) {
    for (size_t i = 0; i < l->leaves.count; i++)
        if (same_leaf(&l->insts.data[l->leaves.data[i]], op, type, imm, index))
            return l->leaves.data[i];
    kir_inst inst = {.op = op, .type = type, .index = index};
    if (op == KIR_CONST) {
        inst.imm_count = type.lanes;
        inst.imm = hd_new_array(l->arena, uint64_t, type.lanes);
        memcpy(inst.imm, imm, type.lanes * sizeof *imm);
    }
    kir_value value = (kir_value)l->insts.count;
    hd_push(l->arena, &l->insts, inst);
    hd_push(l->arena, &l->leaves, value);
    return value;
}

kir_value front_const_int(front_lowering *l, kir_type type, int64_t number) {
    uint64_t imm[16];
    uint64_t mask = type.bits >= 64 ? UINT64_MAX : ((uint64_t)1 << type.bits) - 1;
    for (uint32_t i = 0; i < type.lanes; i++)
        imm[i] = (uint64_t)number & mask;
    return front_leaf(l, KIR_CONST, type, imm, 0);
}

kir_value front_in_space(front_lowering *l, kir_value pointer, kir_space space) {
    if (front_type_of_value(l, pointer).space == (uint8_t)space)
        return pointer;
    return front_emit1(l, KIR_SPACECAST, front_pointer_type(space), pointer);
}
