/* Writing kir instruction by instruction. */
#include "frontend/build.h"

kir_type front_int_type(uint8_t bits, uint8_t lanes) { return (kir_type){KIR_INT, bits, lanes, 0}; }

kir_type front_pointer_type(kir_space space) { return (kir_type){KIR_PTR, 64, 1, (uint8_t)space}; }

kir_type front_element_type(kir_type vector) {
    vector.lanes = 1;
    return vector;
}

kir_type front_type_of_value(const front_builder *b, kir_value value) {
    return b->insts.data[value].type;
}

kir_value front_emit(front_builder *b, kir_op op, kir_type type, uint32_t arg_count,
                     const kir_value *args) {
    kir_inst inst = {.op = op,
                     .type = type,
                     .block = b->current_block,
                     .arg_count = arg_count,
                     .file = b->file,
                     .line = b->place.line,
                     .column = b->place.column};
    inst.args = hd_new_array(b->arena, kir_value, arg_count);
    for (uint32_t i = 0; args && i < arg_count; i++)
        inst.args[i] = args[i];
    kir_value value = (kir_value)b->insts.count;
    hd_push(b->arena, &b->insts, inst);
    hd_push(b->arena, b->current, value);
    return value;
}

kir_value front_emit1(front_builder *b, kir_op op, kir_type type, kir_value x) {
    return front_emit(b, op, type, 1, &x);
}

kir_value front_emit2(front_builder *b, kir_op op, kir_type type, kir_value x, kir_value y) {
    return front_emit(b, op, type, 2, (kir_value[]){x, y});
}

kir_value front_emit_compare(front_builder *b, kir_pred pred, kir_value x, kir_value y) {
    kir_type type = front_type_of_value(b, x);
    kir_op op = type.kind == KIR_FLOAT ? KIR_FCMP : KIR_ICMP;
    kir_value value = front_emit2(b, op, front_int_type(1, type.lanes), x, y);
    b->insts.data[value].pred = pred;
    return value;
}

kir_value front_emit_select(front_builder *b, kir_value condition, kir_value yes, kir_value no) {
    kir_value args[] = {condition, yes, no};
    return front_emit(b, KIR_SELECT, front_type_of_value(b, yes), 3, args);
}

kir_value front_emit_either(front_builder *b, kir_pred pred, kir_value x, kir_value y) {
    return front_emit_select(b, front_emit_compare(b, pred, x, y), x, y);
}

kir_value front_emit_load(front_builder *b, kir_type type, kir_value address, uint32_t align) {
    kir_value value = front_emit1(b, KIR_LOAD, type, address);
    b->insts.data[value].align = align;
    return value;
}

void front_emit_store(front_builder *b, kir_value value, kir_value address, uint32_t align) {
    kir_value store = front_emit2(b, KIR_STORE, (kir_type){0}, value, address);
    b->insts.data[store].align = align;
}

kir_value front_emit_atomic(front_builder *b, kir_rmw rmw, kir_type type, uint32_t arg_count,
                            const kir_value *args) {
    kir_value value = front_emit(b, KIR_ATOMIC, type, arg_count, args);
    kir_inst *inst = &b->insts.data[value];
    inst->index = rmw;
    kir_type moved = arg_count > 1 ? front_type_of_value(b, args[1]) : type;
    inst->align = kir_type_bytes(moved);
    return value;
}

kir_rmw front_rmw_of(const char *name, bool is_unsigned, bool is_float) {
    kir_rmw rmw = 0;
    while (rmw < KIR_RMW_COUNT && strcmp(kir_rmw_names[rmw], name) != 0)
        rmw++;
    if (is_float && rmw == KIR_RMW_ADD)
        return KIR_RMW_FADD;
    if (is_unsigned && (rmw == KIR_RMW_MIN || rmw == KIR_RMW_MAX))
        return rmw == KIR_RMW_MIN ? KIR_RMW_UMIN : KIR_RMW_UMAX;
    return rmw;
}

kir_value front_emit_call(front_builder *b, const char *name, kir_type type, uint32_t arg_count,
                          const kir_value *args) {
    kir_value value = front_emit(b, KIR_CALL, type, arg_count, args);
    b->insts.data[value].name = hd_strdup(b->arena, name);
    return value;
}

/* Allocas stand in block 0 and live as long as the kernel. */
kir_value front_emit_alloca(front_builder *b, uint64_t bytes, uint64_t align) {
    front_values *current = b->current;
    uint32_t block = b->current_block;
    b->current = &b->entry;
    b->current_block = 0;
    kir_value value = front_emit(b, KIR_ALLOCA, front_pointer_type(KIR_PRIVATE), 0, NULL);
    kir_inst *inst = &b->insts.data[value];
    inst->imm = hd_new_array(b->arena, uint64_t, 2);
    inst->imm[0] = bytes;
    inst->imm[1] = align ? align : 1;
    inst->imm_count = 2;
    b->current = current;
    b->current_block = block;
    return value;
}

kir_value front_emit_addr(front_builder *b, kir_value base, kir_value index, int64_t scale,
                          int64_t offset) {
    kir_inst before = b->insts.data[base];
    const kir_inst *number = index == KIR_NONE ? NULL : &b->insts.data[index];
    if (number && number->op == KIR_CONST) {
        offset += kir_sign_extend(number->imm[0], number->type.bits) * scale;
        index = KIR_NONE;
    }
    bool joined = before.op == KIR_ADDR;
    uint32_t old = joined ? before.arg_count - 1 : 0, more = index != KIR_NONE && scale;
    kir_value *args = hd_new_array(b->arena, kir_value, 1 + old + more);
    int64_t *scales = hd_new_array(b->arena, int64_t, old + more);
    args[0] = joined ? before.args[0] : base;
    for (uint32_t i = 0; i < old; i++) {
        args[1 + i] = before.args[1 + i];
        scales[i] = before.scale[i];
    }
    if (more) {
        args[1 + old] = index;
        scales[old] = scale;
    }
    kir_value value = front_emit(b, KIR_ADDR, before.type, 1 + old + more, args);
    kir_inst *inst = &b->insts.data[value];
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

/* Leaves of one hash follow each other under it + 1, + 2 ... */
kir_value front_leaf(front_builder *b, kir_op op, kir_type type, const uint64_t *imm,
                     uint32_t index) {
    const uint32_t key[] = {op, type.kind, type.bits, type.lanes, type.space, index};
    uint64_t hash = hd_hash_bytes(HD_HASH_START, key, sizeof key), known;
    if (op == KIR_CONST)
        hash = hd_hash_bytes(hash, imm, type.lanes * sizeof *imm);
    b->known_leaves.arena = b->arena;
    for (; (known = hd_hash_get(&b->known_leaves, hash)) != HD_NO_VALUE; hash++)
        if (same_leaf(&b->insts.data[known], op, type, imm, index))
            return (kir_value)known;
    kir_inst inst = {.op = op, .type = type, .index = index};
    if (op == KIR_CONST) {
        inst.imm_count = type.lanes;
        inst.imm = hd_new_array(b->arena, uint64_t, type.lanes);
        memcpy(inst.imm, imm, type.lanes * sizeof *imm);
    }
    kir_value value = (kir_value)b->insts.count;
    hd_push(b->arena, &b->insts, inst);
    hd_push(b->arena, &b->leaves, value);
    hd_hash_add(&b->known_leaves, hash, value);
    return value;
}

kir_value front_const_int(front_builder *b, kir_type type, int64_t number) {
    uint64_t imm[16];
    uint64_t mask = type.bits >= 64 ? UINT64_MAX : ((uint64_t)1 << type.bits) - 1;
    for (uint32_t i = 0; i < type.lanes; i++)
        imm[i] = (uint64_t)number & mask;
    return front_leaf(b, KIR_CONST, type, imm, 0);
}

bool front_is_number(const front_builder *b, kir_value value, int64_t *number) {
    const kir_inst *inst = &b->insts.data[value];
    bool is = inst->op == KIR_CONST && inst->type.kind == KIR_INT && inst->type.lanes == 1;
    if (is)
        *number = kir_sign_extend(inst->imm[0], inst->type.bits);
    return is;
}

kir_value front_const_real(front_builder *b, kir_type type, double number) {
    uint64_t bits = 0;
    _Float16 half = (_Float16)number;
    float single = (float)number;
    if (type.bits == 16)
        memcpy(&bits, &half, sizeof half);
    else if (type.bits == 32)
        memcpy(&bits, &single, sizeof single);
    else
        memcpy(&bits, &number, sizeof number);
    return front_leaf(b, KIR_CONST, type, &bits, 0);
}

kir_value front_resize(front_builder *b, kir_value value, kir_type type, bool is_signed) {
    uint32_t bits = front_type_of_value(b, value).bits;
    const kir_inst *number = &b->insts.data[value];
    if (bits == type.bits)
        return value;
    if (number->op == KIR_CONST && number->type.lanes == 1) {
        int64_t known = (int64_t)number->imm[0];
        return front_const_int(b, type, is_signed ? kir_sign_extend(number->imm[0], bits) : known);
    }
    return front_emit1(b,
                       bits > type.bits ? KIR_TRUNC
                       : is_signed      ? KIR_SEXT
                                        : KIR_ZEXT,
                       type, value);
}

kir_value front_bits_as(front_builder *b, kir_value value, kir_type type) {
    kir_type from = front_type_of_value(b, value);
    if (from.kind == type.kind && from.bits == type.bits && from.lanes == type.lanes)
        return value;
    const kir_inst *inst = &b->insts.data[value];
    if (inst->op == KIR_CONST && from.lanes == 1 && type.lanes == 1)
        return front_leaf(b, KIR_CONST, type, (uint64_t[]){inst->imm[0]}, 0);
    if (inst->op == KIR_UNDEF)
        return front_leaf(b, KIR_UNDEF, type, NULL, 0);
    if (inst->op == KIR_BITCAST)
        return front_bits_as(b, inst->args[0], type);
    return front_emit1(b, KIR_BITCAST, type, value);
}

kir_value front_in_space(front_builder *b, kir_value pointer, kir_space space) {
    if (front_type_of_value(b, pointer).space == (uint8_t)space)
        return pointer;
    return front_emit1(b, KIR_SPACECAST, front_pointer_type(space), pointer);
}

kir_value front_part(front_builder *b, kir_value vector, uint32_t k) {
    kir_type type = front_type_of_value(b, vector);
    if (type.lanes == 1)
        return vector;
    return front_emit2(b, KIR_EXTRACT, front_element_type(type), vector,
                       front_const_int(b, front_int_type(64, 1), k));
}

kir_value front_join(front_builder *b, uint32_t count, const kir_value *parts) {
    if (count == 1)
        return parts[0];
    kir_type type = front_type_of_value(b, parts[0]);
    type.lanes = (uint8_t)count;
    kir_value vector = front_leaf(b, KIR_UNDEF, type, NULL, 0);
    for (uint32_t k = 0; k < count; k++) {
        kir_value place = front_const_int(b, front_int_type(64, 1), k);
        vector = front_emit(b, KIR_INSERT, type, 3, (kir_value[]){vector, parts[k], place});
    }
    return vector;
}

void front_join_entry(front_builder *b) {
    front_values own = b->lists[0], all = {0};
    const front_values *parts[] = {&b->leaves, &b->entry, &own};
    for (size_t p = 0; p < 3; p++)
        for (size_t i = 0; i < parts[p]->count; i++)
            hd_push(b->arena, &all, parts[p]->data[i]);
    b->lists[0] = all;
}

kir_value front_emit_written(front_builder *b, const char *name, kir_type result,
                             uint32_t arg_count, const kir_value *args, kir_type type) {
    uint32_t last = arg_count - 1, bytes = kir_type_bytes(type);
    kir_value *own = hd_new_array(b->arena, kir_value, arg_count);
    memcpy(own, args, arg_count * sizeof *own);
    own[last] = front_emit_alloca(b, bytes, bytes);
    kir_value made = front_emit_call(b, name, result, arg_count, own);
    front_emit_store(b, front_emit_load(b, type, own[last], bytes), args[last], bytes);
    return made;
}
