/*
 * Constants: numbers become leaves, global variables statics, and constant
 * expressions (the address of table[2]) instructions of block 0.
 */
#include <ctype.h>

#include "frontend/clang/internal.h"

/* The bits of one scalar constant; undefined lanes are 0. */
static bool scalar_bits(LLVMContextRef context, LLVMValueRef constant, uint64_t *bits) {
    *bits = 0;
    if (LLVMIsUndef(constant) || LLVMIsNull(constant))
        return true;
    LLVMTypeRef type = LLVMTypeOf(constant);
    unsigned width = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind: width = 16; break;
    case LLVMFloatTypeKind: width = 32; break;
    case LLVMDoubleTypeKind: width = 64; break;
    default: break;
    }
    if (width)
        constant = LLVMConstBitCast(constant, LLVMIntTypeInContext(context, width));
    if (!LLVMIsAConstantInt(constant) || LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64)
        return false;
    *bits = LLVMConstIntGetZExtValue(constant);
    return true;
}

static kir_value lower_number(front_lowering *l, LLVMValueRef constant) {
    kir_type type = front_lower_type(l, LLVMTypeOf(constant));
    if (LLVMIsUndef(constant))
        return front_leaf(&l->out, KIR_UNDEF, type, NULL, 0);
    bool is_vector = LLVMGetTypeKind(LLVMTypeOf(constant)) == LLVMVectorTypeKind; /* of 1 too */
    uint64_t imm[16] = {0};
    for (unsigned i = 0; i < type.lanes && !l->out.status; i++) {
        LLVMValueRef lane = is_vector ? LLVMGetAggregateElement(constant, i) : constant;
        if (!lane || !scalar_bits(l->front->context, lane, &imm[i]))
            front_cannot(l, "a constant that kir cannot express: %s",
                         front_print_value(l, constant));
    }
    return front_leaf(&l->out, KIR_CONST, type, imm, 0);
}

/* ---- statics --------------------------------------------------------- */

/* The initial value of a variable: its bytes, and the addresses in it. */
typedef struct initial {
    uint8_t *bytes;
    hd_vec(kir_pointer) pointers;
    hd_vec(LLVMValueRef) targets; /* of the pointers */
} initial;

/* The variable that an address leads to, and the bytes from its start on; NULL: it is none. */
static LLVMValueRef target_of(front_lowering *l, LLVMValueRef address, int64_t *offset) {
    *offset = 0;
    while (LLVMIsAConstantExpr(address)) {
        LLVMOpcode opcode = LLVMGetConstOpcode(address);
        if (opcode == LLVMGetElementPtr) {
            LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
            *offset += LLVMConstIntGetSExtValue(LLVMGetOperand(address, 1)) *
                       (int64_t)LLVMABISizeOfType(l->layout, type);
            for (int i = 2; i < LLVMGetNumOperands(address); i++) {
                int64_t index = LLVMConstIntGetSExtValue(LLVMGetOperand(address, (unsigned)i));
                bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
                LLVMTypeRef inner = is_struct ? LLVMStructGetTypeAtIndex(type, (unsigned)index)
                                              : LLVMGetElementType(type);
                *offset += is_struct
                               ? (int64_t)LLVMOffsetOfElement(l->layout, type, (unsigned)index)
                               : index * (int64_t)LLVMABISizeOfType(l->layout, inner);
                type = inner;
            }
        } else if (opcode != LLVMAddrSpaceCast && opcode != LLVMBitCast) {
            return NULL;
        }
        address = LLVMGetOperand(address, 0);
    }
    return LLVMIsAGlobalVariable(address) ? address : NULL;
}

static bool write_address(front_lowering *l, LLVMValueRef address, uint64_t at, initial *to) {
    int64_t addend;
    LLVMValueRef target = target_of(l, address, &addend);
    if (!target)
        return false;
    hd_push(l->arena, &to->pointers, (kir_pointer){.offset = at, .addend = addend});
    hd_push(l->arena, &to->targets, target);
    return true;
}

/* Writes an initialiser from byte `at` on. */
static bool write_bytes(front_lowering *l, LLVMValueRef constant, uint64_t at, initial *to) {
    LLVMTypeRef type = LLVMTypeOf(constant);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (LLVMIsUndef(constant) || LLVMIsNull(constant))
        return true; /* zero already */
    if (kind == LLVMPointerTypeKind)
        return write_address(l, constant, at, to);
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
        memcpy(to->bytes + at, &bits,
               LLVMStoreSizeOfType(l->layout, type)); /* both are little-endian */
        return true;
    }
    if (kind != LLVMStructTypeKind)
        element = LLVMGetElementType(type);
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset = element ? i * LLVMABISizeOfType(l->layout, element)
                                  : LLVMOffsetOfElement(l->layout, type, i);
        LLVMValueRef part = LLVMGetAggregateElement(constant, i);
        if (!part || !write_bytes(l, part, at + offset, to))
            return false;
    }
    return true;
}

/* "tile" of "kernel.tile" and "_ZZ6kernelvE4tile", "table" of "__const.kernel.table". */
static const char *static_name(front_lowering *l, LLVMValueRef global) {
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);
    if (l->front->is_cuda && !strchr(name, '.'))
        return hd_strdup(l->arena, front_symbol_name(l->arena, name));
    if (l->front->is_cuda && !strncmp(name, "__PRETTY_FUNCTION__.", 20))
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

/* Bytes of a variable, which stand in kir. */
#define MOST_STATIC ((uint64_t)256 << 20)

static uint32_t static_of(front_lowering *l, LLVMValueRef global);

static kir_static make_static(front_lowering *l, LLVMValueRef global) {
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    kir_static s = {.name = static_name(l, global),
                    .space = front_space_of(l, global),
                    .bytes = LLVMABISizeOfType(l->layout, type),
                    .align = LLVMGetAlignment(global),
                    .record = front_element_record(l, type)};
    if (!s.align)
        s.align = LLVMABIAlignmentOfType(l->layout, type);
    if (s.space != KIR_LOCAL && s.bytes > MOST_STATIC) {
        front_cannot(
            l,
            "variable %s has %llu bytes, and variables of a file may have %llu; pass it as "
            "a parameter that is a buffer",
            s.name, (unsigned long long)s.bytes, (unsigned long long)MOST_STATIC);
        return s;
    }
    LLVMValueRef init = LLVMGetInitializer(global);
    const char *class = front_class_of_table(l->arena, LLVMGetValueName2(global, &(size_t){0}));
    if (class) {
        front_cannot(
            l,
            "class %s has virtual functions, which are not supported; leave 'virtual' out, "
            "and choose what to call by a template or a switch",
            class);
        return s;
    }
    if (s.space == KIR_LOCAL)
        s.is_dynamic = !init && !s.bytes; /* extern __shared__ float tile[]; */
    else if (!init)
        front_cannot(l, "variable %s is defined in another file; define it here", s.name);
    else {
        initial value = {.bytes = hd_new_array(l->arena, uint8_t, s.bytes + 8)};
        if (!write_bytes(l, init, 0, &value))
            front_cannot(l,
                         "variable %s has an initial value that is the address of a function, or "
                         "is computed from one; index a table instead",
                         s.name);
        for (size_t i = 0; i < value.targets.count && !l->out.status; i++)
            value.pointers.data[i].to = static_of(l, value.targets.data[i]);
        s.init = value.bytes;
        hd_keep(&value.pointers, s.pointers, s.pointer_count);
    }
    return s;
}

/* The index of a variable among the kernel's; it may hold its own address. */
static uint32_t static_of(front_lowering *l, LLVMValueRef global) {
    uint32_t index = front_pointer_map_get(&l->globals, global);
    if (index != KIR_NONE)
        return index;
    index = (uint32_t)l->statics.count;
    hd_push(l->arena, &l->statics, (kir_static){0});
    front_pointer_map_set(l->arena, &l->globals, global, index);
    kir_static s = make_static(l, global);
    l->statics.data[index] = s;
    return index;
}

/* ---- expressions ----------------------------------------------------- */

/* A vector with a lane that is an expression. */
static bool has_expression(LLVMValueRef constant) {
    if (!LLVMIsAConstantVector(constant))
        return false;
    bool found = false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(constant)); i++)
        found |= LLVMIsAConstantExpr(LLVMGetAggregateElement(constant, i)) != NULL;
    return found;
}

static kir_value lower_expression(front_lowering *l, LLVMValueRef constant) {
    if (LLVMIsAConstantVector(constant)) {
        kir_type type = front_lower_type(l, LLVMTypeOf(constant));
        kir_value vector = front_leaf(&l->out, KIR_UNDEF, type, NULL, 0);
        for (unsigned i = 0; i < type.lanes && !l->out.status; i++) {
            kir_value lane = front_lower_constant(l, LLVMGetAggregateElement(constant, i));
            kir_value args[] = {vector, lane, front_const_int(&l->out, front_int_type(32, 1), i)};
            vector = front_emit(&l->out, KIR_INSERT, type, 3, args);
        }
        return vector;
    }
    LLVMOpcode opcode = LLVMGetConstOpcode(constant);
    if (opcode == LLVMExtractElement) {
        /* LLVM leaves a part of a constant vector as it stands when the vector has been
         * reinterpreted: as_uint4((ushort8)(33)).x */
        kir_value vector = front_lower_constant(l, LLVMGetOperand(constant, 0));
        kir_value lane = front_lower_constant(l, LLVMGetOperand(constant, 1));
        return front_emit2(&l->out, KIR_EXTRACT, front_lower_type(l, LLVMTypeOf(constant)), vector,
                           lane);
    }
    if (opcode == LLVMGetElementPtr)
        return front_lower_gep(l, constant);
    if (LLVMGetNumOperands(constant) == 1)
        return front_lower_conversion(l, opcode, constant);
    return front_lower_binary(l, opcode, constant);
}

kir_value front_lower_constant(front_lowering *l, LLVMValueRef constant) {
    kir_value known = front_pointer_map_get(&l->values, constant);
    if (known != KIR_NONE)
        return known;
    kir_value value;
    if (LLVMIsAGlobalVariable(constant)) {
        uint32_t index = static_of(l, constant);
        value = front_leaf(&l->out, KIR_STATIC, front_pointer_type(l->statics.data[index].space),
                           NULL, index);
    } else if (LLVMIsAFunction(constant)) {
        front_cannot(l, "the address of function %s is taken; call it directly",
                     LLVMGetValueName2(constant, &(size_t){0}));
        return 0;
    } else if (LLVMIsAConstantExpr(constant) || has_expression(constant)) {
        front_values *current = l->out.current;
        uint32_t block = l->out.current_block;
        l->out.current = &l->out.entry;
        l->out.current_block = 0;
        value = lower_expression(l, constant);
        l->out.current = current;
        l->out.current_block = block;
    } else {
        value = lower_number(l, constant);
    }
    front_pointer_map_set(l->arena, &l->values, constant, value);
    return value;
}
