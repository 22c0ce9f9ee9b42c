/*
 * Constants: numbers become leaves, global variables statics, and constant
 * expressions (the address of table[2]) instructions of block 0.
 */
#include <ctype.h>

#include "frontend/internal.h"

/* The bits of one scalar constant; undefined lanes are 0. */
static bool scalar_bits(LLVMContextRef context, LLVMValueRef constant, uint64_t *bits) {
    *bits = 0;
    if (LLVMIsUndef(constant) || LLVMIsNull(constant))
        return true;
    LLVMTypeRef type = LLVMTypeOf(constant);
    unsigned width = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        width = 16;
        break;
    case LLVMFloatTypeKind:
        width = 32;
        break;
    case LLVMDoubleTypeKind:
        width = 64;
        break;
    default:
        break;
    }
    if (width)
        constant = LLVMConstBitCast(constant, LLVMIntTypeInContext(context, width));
    if (!LLVMIsAConstantInt(constant) || LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64)
        return false;
    *bits = LLVMConstIntGetZExtValue(constant);
    return true;
}

static bool write_bytes(hd_lowering *l, LLVMValueRef constant, uint8_t *to);

/* A vector seen as another one, or taken apart. LLVM leaves that as it stands where the
 * vectors are constants of different elements: (as_uint4(ushort8) of a constant).x */
static bool write_vector_expression(hd_lowering *l, LLVMValueRef constant, uint8_t *to) {
    LLVMValueRef vector = LLVMGetOperand(constant, 0);
    LLVMTypeRef type = LLVMTypeOf(vector);
    bool is_cast = LLVMGetConstOpcode(constant) == LLVMBitCast;
    uint8_t bytes[16 * 8] = {0};
    if (LLVMSizeOfTypeInBits(l->layout, type) > sizeof bytes * 8 || !write_bytes(l, vector, bytes))
        return false;
    uint64_t size = LLVMStoreSizeOfType(l->layout, LLVMTypeOf(constant)), at = 0;
    if (!is_cast) {
        LLVMValueRef index = LLVMGetOperand(constant, 1);
        at = LLVMIsAConstantInt(index) ? LLVMConstIntGetZExtValue(index) * size : sizeof bytes;
    }
    if (at + size > sizeof bytes)
        return false;
    memcpy(to, bytes + at, size);
    return true;
}

static bool is_vector_expression(LLVMValueRef constant) {
    if (!LLVMIsAConstantExpr(constant))
        return false;
    LLVMOpcode opcode = LLVMGetConstOpcode(constant);
    bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(constant)) == LLVMPointerTypeKind;
    return opcode == LLVMExtractElement || (opcode == LLVMBitCast && !is_pointer);
}

/* Writes the bytes of a constant at `to`, which holds zeros. */
static bool write_bytes(hd_lowering *l, LLVMValueRef constant, uint8_t *to) {
    LLVMTypeRef type = LLVMTypeOf(constant);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (LLVMIsUndef(constant) || LLVMIsNull(constant))
        return true;
    if (is_vector_expression(constant))
        return write_vector_expression(l, constant, to);
    unsigned count = 0;
    LLVMTypeRef element = NULL;
    if (kind == LLVMStructTypeKind)
        count = LLVMCountStructElementTypes(type);
    else if (kind == LLVMArrayTypeKind)
        count = (unsigned)LLVMGetArrayLength2(type);
    else if (kind == LLVMVectorTypeKind)
        count = LLVMGetVectorSize(type);
    else {
        uint64_t bits;
        if (!scalar_bits(l->front->context, constant, &bits))
            return false;
        memcpy(to, &bits, LLVMStoreSizeOfType(l->layout, type)); /* both are little-endian */
        return true;
    }
    if (kind != LLVMStructTypeKind)
        element = LLVMGetElementType(type);
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset = element ? i * LLVMABISizeOfType(l->layout, element)
                                  : LLVMOffsetOfElement(l->layout, type, i);
        LLVMValueRef part = LLVMGetAggregateElement(constant, i);
        if (!part || !write_bytes(l, part, to + offset))
            return false;
    }
    return true;
}

static kir_value lower_number(hd_lowering *l, LLVMValueRef constant) {
    kir_type type = hd_lower_type(l, LLVMTypeOf(constant));
    if (LLVMIsUndef(constant))
        return hd_leaf(l, KIR_UNDEF, type, NULL, 0);
    uint64_t imm[16] = {0};
    for (unsigned i = 0; i < type.lanes && !l->status; i++) {
        LLVMValueRef lane = type.lanes == 1 ? constant : LLVMGetAggregateElement(constant, i);
        if (!lane || (is_vector_expression(lane) ? !write_bytes(l, lane, (uint8_t *)&imm[i])
                                                 : !scalar_bits(l->front->context, lane, &imm[i])))
            hd_cannot(l, "a constant that kir cannot express: %s", hd_print_value(l, constant));
    }
    return hd_leaf(l, KIR_CONST, type, imm, 0);
}

/* ---- statics --------------------------------------------------------- */

static bool is_cuda(const hd_lowering *l) { return l->front->module->language == KIR_CUDA; }

/* "tile" of "kernel.tile" and "_ZZ6kernelvE4tile", "table" of "__const.kernel.table". */
static const char *static_name(hd_lowering *l, LLVMValueRef global) {
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);
    if (is_cuda(l) && !strchr(name, '.'))
        return hd_strdup(l->arena, hd_symbol_name(l->arena, name));
    if (is_cuda(l) && !strncmp(name, "__PRETTY_FUNCTION__.", 20))
        return "function_name"; /* of an assertion */
    if (!strncmp(name, "__const.", 8))
        name += 8;
    const char *dot = strchr(name, '.');
    if (dot && dot[1])
        name = dot + 1;
    char *plain = hd_strdup(l->arena, name);
    for (char *p = plain; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    return plain;
}

static const hd_record *element_record(hd_lowering *l, LLVMTypeRef type) {
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return hd_record_of_type(l, type);
}

static void read_initial_bytes(hd_lowering *l, LLVMValueRef init, kir_static *s) {
    uint8_t *bytes = hd_new_array(l->arena, uint8_t, s->bytes + 8);
    s->init = bytes;
    if (!write_bytes(l, init, bytes))
        hd_cannot(l,
                  "variable %s has an initial value that is an address; index a table "
                  "instead",
                  s->name);
}

static kir_static make_static(hd_lowering *l, LLVMValueRef global) {
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    kir_static s = {.name = static_name(l, global),
                    .space = hd_space_of(l, global),
                    .bytes = LLVMABISizeOfType(l->layout, type),
                    .align = LLVMGetAlignment(global),
                    .record = element_record(l, type)};
    if (!s.align)
        s.align = LLVMABIAlignmentOfType(l->layout, type);
    LLVMValueRef init = LLVMGetInitializer(global);
    bool writable = s.space != KIR_CONSTANT && s.space != KIR_LOCAL;
    if (s.space == KIR_LOCAL)
        s.is_dynamic = !init && !s.bytes; /* extern __shared__ float tile[]; */
    else if (writable && !is_cuda(l))
        hd_cannot(l, "program-scope variable %s can be written; pass it as a __global parameter",
                  s.name);
    else if (!init)
        hd_cannot(l, "variable %s is defined in another file; define it here", s.name);
    else
        read_initial_bytes(l, init, &s);
    return s;
}

static kir_value lower_global(hd_lowering *l, LLVMValueRef global) {
    uint32_t index = hd_pointer_map_get(&l->globals, global);
    if (index == KIR_NONE) {
        index = (uint32_t)l->statics.count;
        kir_static s = make_static(l, global);
        hd_push(l->arena, &l->statics, s);
        hd_pointer_map_set(l->arena, &l->globals, global, index);
    }
    return hd_leaf(l, KIR_STATIC, hd_pointer_type(l->statics.data[index].space), NULL, index);
}

/* ---- expressions ----------------------------------------------------- */

static kir_value lower_expression(hd_lowering *l, LLVMValueRef constant) {
    LLVMOpcode opcode = LLVMGetConstOpcode(constant);
    if (opcode == LLVMExtractElement)
        return lower_number(l, constant);
    if (opcode == LLVMGetElementPtr)
        return hd_lower_gep(l, constant);
    if (LLVMGetNumOperands(constant) == 1)
        return hd_lower_conversion(l, opcode, constant);
    return hd_lower_binary(l, opcode, constant);
}

kir_value hd_lower_constant(hd_lowering *l, LLVMValueRef constant) {
    kir_value known = hd_pointer_map_get(&l->values, constant);
    if (known != KIR_NONE)
        return known;
    kir_value value;
    if (LLVMIsAGlobalVariable(constant)) {
        value = lower_global(l, constant);
    } else if (LLVMIsAFunction(constant)) {
        hd_cannot(l, "the address of function %s is taken; call it directly",
                  LLVMGetValueName2(constant, &(size_t){0}));
        return 0;
    } else if (LLVMIsAConstantExpr(constant)) {
        hd_values *current = l->current;
        uint32_t block = l->current_block;
        l->current = &l->entry;
        l->current_block = 0;
        value = lower_expression(l, constant);
        l->current = current;
        l->current_block = block;
    } else {
        value = lower_number(l, constant);
    }
    hd_pointer_map_set(l->arena, &l->values, constant, value);
    return value;
}
