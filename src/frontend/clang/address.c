/*
 * getelementptr to ADDR. A chain of steps becomes one ADDR on the pointer where
 * the chain starts, so that p[i].v.x is
 *
 *     addr %p + %i * 48 + 32, record body, field offset 32
 *
 * LLVM drops a step that adds no bytes (the first member of a struct); where
 * an access then goes straight to a pointer to a struct, the step is put back.
 */
#include "frontend/clang/internal.h"

/* The name in "struct.body.12", "class.body" or "struct.body.base", of C++ with its
 * namespaces and without its template arguments; NULL for nameless structs, "anon". */
static const char *plain_struct_name(hd_arena *arena, const char *name) {
    const char *dot = name ? strchr(name, '.') : NULL;
    if (!dot)
        return NULL;
    size_t length = strlen(dot + 1);
    const char *last = strrchr(dot + 1, '.');
    if (last && last[1] && strspn(last + 1, "0123456789") == strlen(last + 1))
        length = (size_t)(last - dot) - 1;
    if (length > 5 && !strncmp(dot + 1 + length - 5, ".base", 5))
        length -= 5;
    return hd_strndup(arena, dot + 1, length);
}

/* Record body of "struct.body.12"; NULL for nameless and non-struct types. */
static const hd_record *record_of_type(front_lowering *l, LLVMTypeRef type) {
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return NULL;
    const char *name = plain_struct_name(l->arena, LLVMGetStructName(type));
    for (size_t i = 0; name && i < l->front->records.count; i++) {
        const hd_record *record = l->front->records.data[i];
        size_t length = strcspn(record->name, "<");
        bool is_instance = record->name[length] != '\0';
        if (strlen(name) == length && !memcmp(record->name, name, length) &&
            (!is_instance || record->size == LLVMABISizeOfType(l->layout, type)))
            return record;
    }
    return NULL;
}

static LLVMTypeRef inner_type(LLVMTypeRef type, LLVMValueRef index) {
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
    return LLVMGetElementType(type);
}

const hd_record *front_element_record(front_lowering *l, LLVMTypeRef type) {
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return record_of_type(l, type);
}

/* ---- the struct that a pointer points at, or NULL --------------------- */

/* Of anything but a phi, which would lead in circles. */
static const hd_record *pointee_of_one(front_lowering *l, LLVMValueRef value) {
    while (LLVMIsAAddrSpaceCastInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMAddrSpaceCast))
        value = LLVMGetOperand(value, 0);
    if (LLVMIsAGetElementPtrInst(value) ||
        (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
        for (int i = 2; i < LLVMGetNumOperands(value); i++)
            type = inner_type(type, LLVMGetOperand(value, (unsigned)i));
        return record_of_type(l, type);
    }
    if (LLVMIsAArgument(value)) {
        for (unsigned i = 0; i < l->signature->param_count; i++)
            if (LLVMGetParam(l->function, i) == value)
                return l->signature->params[i].record;
        return NULL;
    }
    if (LLVMIsAAllocaInst(value))
        return front_element_record(l, LLVMGetAllocatedType(value));
    if (LLVMIsAGlobalVariable(value))
        return front_element_record(l, LLVMGlobalGetValueType(value));
    return NULL;
}

static const hd_record *pointee_of(front_lowering *l, LLVMValueRef value) {
    if (!LLVMIsAPHINode(value))
        return pointee_of_one(l, value);
    const hd_record *common = pointee_of_one(l, LLVMGetIncomingValue(value, 0));
    for (unsigned i = 1; i < LLVMCountIncoming(value); i++)
        if (pointee_of_one(l, LLVMGetIncomingValue(value, i)) != common)
            return NULL;
    return common;
}

/* ---- steps ----------------------------------------------------------- */

typedef struct stepping {
    kir_value value; /* the address so far, without `offset` */
    int64_t offset;  /* constant bytes to add */
    const char *record;
    int64_t field_offset; /* constant bytes since `record` was entered */
} stepping;

static void step_over(front_lowering *l, stepping *s, LLVMTypeRef element, LLVMValueRef index) {
    int64_t bytes = (int64_t)LLVMABISizeOfType(l->layout, element);
    if (LLVMIsAConstantInt(index)) {
        int64_t distance = LLVMConstIntGetSExtValue(index) * bytes;
        s->offset += distance;
        s->field_offset += distance;
    } else {
        s->value = front_emit_addr(&l->out, s->value, front_value_of(l, index), bytes, 0);
    }
}

/* A step by plain bytes, as LLVM writes them for parts of copied structs and
 * for constants, from a pointer to a struct into that struct. */
static void name_byte_step(front_lowering *l, stepping *s, LLVMValueRef gep) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    bool bytes = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8;
    if (s->record || !bytes || !LLVMIsAConstantInt(LLVMGetOperand(gep, 1)))
        return;
    LLVMValueRef base = LLVMGetOperand(gep, 0);
    const hd_record *record = pointee_of(l, base);
    if (!record || s->offset < 0)
        return;
    if (s->offset >= record->size && !LLVMIsAGlobalVariable(base))
        return;
    s->record = record->name;
    s->field_offset = s->offset % record->size;
}

/* A step into something else than the struct that the base points at goes
 * through that struct's first member, whose own step LLVM dropped. */
static void enter_first_member(front_lowering *l, stepping *s, LLVMValueRef gep) {
    LLVMValueRef first = LLVMGetOperand(gep, 1);
    if (s->record || LLVMGetNumOperands(gep) < 3 || !LLVMIsNull(first))
        return;
    const hd_record *record = pointee_of(l, LLVMGetOperand(gep, 0));
    if (record && front_element_record(l, LLVMGetGEPSourceElementType(gep)) != record)
        s->record = record->name;
}

kir_value front_lower_gep(front_lowering *l, LLVMValueRef gep) {
    kir_value base = front_value_of(l, LLVMGetOperand(gep, 0));
    if (l->out.status)
        return base;
    const kir_inst *before = &l->out.insts.data[base];
    stepping s = {.value = base, .record = before->record, .field_offset = before->field_offset};
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    enter_first_member(l, &s, gep);
    step_over(l, &s, type, LLVMGetOperand(gep, 1));
    for (int i = 2; i < LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        LLVMTypeRef inner = inner_type(type, index);
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            int64_t bytes = (int64_t)LLVMOffsetOfElement(l->layout, type, field);
            if (!s.record) {
                const hd_record *record = record_of_type(l, type);
                s.record = record ? record->name : NULL;
                s.field_offset = 0;
            }
            s.offset += bytes;
            s.field_offset += bytes;
        } else {
            step_over(l, &s, inner, index);
        }
        type = inner;
    }
    name_byte_step(l, &s, gep);
    if (!s.offset && !s.record && s.value == base)
        return base;
    kir_value value = front_emit_addr(&l->out, s.value, KIR_NONE, 0, s.offset);
    kir_inst *inst = &l->out.insts.data[value];
    inst->record = s.field_offset < 0 ? NULL : s.record;
    inst->field_offset = inst->record ? (uint32_t)s.field_offset : 0;
    return value;
}

kir_value front_member_address(front_lowering *l, LLVMValueRef pointer) {
    kir_value value = front_value_of(l, pointer);
    if (l->out.insts.data[value].record)
        return value;
    const hd_record *record = pointee_of(l, pointer);
    if (!record)
        return value;
    uint32_t known = front_pointer_map_get(&l->members, pointer);
    if (known != KIR_NONE && l->out.insts.data[known].block == l->out.current_block)
        return known;
    value = front_emit_addr(&l->out, value, KIR_NONE, 0, 0);
    l->out.insts.data[value].record = record->name;
    front_pointer_map_set(l->arena, &l->members, pointer, value);
    return value;
}

uint64_t front_pointee_bytes(front_lowering *l, LLVMValueRef pointer) {
    const hd_record *record = pointee_of(l, pointer);
    return record ? record->size : 0;
}
