/*
 * Which space a generic pointer really points into. OpenCL C 2.0 lets a plain
 * `float *` point anywhere but constant memory; a cast tells where it came
 * from. In CUDA C every pointer is generic: those that a kernel is given point to
 * global memory, those to local variables to private memory. The space of a
 * generic pointer is what all its sources agree on, found as a fixed point that
 * starts from "not known yet" (the method of LLVM's InferAddressSpaces, which
 * needs a target to run). The lowering then gives the pointer that space and drops
 * the cast.
 */
#include "frontend/clang/internal.h"

enum { UNKNOWN = 255 }; /* no source seen yet: every space is possible */

/* LLVM's numbers of address spaces: those of SPIR, and those of NVPTX and AMDGPU. */
static kir_space space_of_number(const front_lowering *l, unsigned number) {
    static const kir_space spir[] = {KIR_PRIVATE, KIR_GLOBAL, KIR_CONSTANT, KIR_LOCAL},
                           nvptx[] = {KIR_GENERIC, KIR_GLOBAL,   KIR_GENERIC,
                                      KIR_LOCAL,   KIR_CONSTANT, KIR_PRIVATE};
    if (front_has_device_spaces(l->front))
        return number < sizeof nvptx / sizeof *nvptx ? nvptx[number] : KIR_GENERIC;
    return number < sizeof spir / sizeof *spir ? spir[number] : KIR_GENERIC;
}

static bool is_generic(const front_lowering *l, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
           LLVMGetPointerAddressSpace(type) == (front_has_device_spaces(l->front) ? 0u : 4u);
}

static uint32_t space_of_constant(const front_lowering *l, LLVMValueRef value);

/* A struct that a kernel is given by value is a private copy. */
static kir_space space_of_argument(const front_lowering *l, LLVMValueRef argument) {
    unsigned index = 0;
    while (LLVMGetParam(l->function, index) != argument)
        index++;
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
    bool copied = LLVMGetEnumAttributeAtIndex(l->function, index + 1, kind) != NULL;
    return copied ? KIR_PRIVATE : l->front->is_cuda ? KIR_GLOBAL : KIR_GENERIC;
}

static uint32_t lookup(const front_lowering *l, LLVMValueRef value) {
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind)
        return KIR_GENERIC;
    if (!is_generic(l, value))
        return space_of_number(l, LLVMGetPointerAddressSpace(LLVMTypeOf(value)));
    if (LLVMIsConstant(value))
        return space_of_constant(l, value);
    if (LLVMIsAArgument(value))
        return space_of_argument(l, value);
    uint32_t known = front_pointer_map_get(&l->spaces, value);
    return known == KIR_NONE ? KIR_GENERIC : known;
}

/* Of a generic constant. CUDA's string literals and tables are generic variables. */
static uint32_t space_of_constant(const front_lowering *l, LLVMValueRef value) {
    if (LLVMIsNull(value) || LLVMIsUndef(value))
        return UNKNOWN;
    if (LLVMIsAGlobalVariable(value))
        return LLVMIsGlobalConstant(value) ? KIR_CONSTANT : KIR_GLOBAL;
    return LLVMIsAConstantExpr(value) ? lookup(l, LLVMGetOperand(value, 0)) : KIR_GENERIC;
}

static uint32_t meet(uint32_t a, uint32_t b) {
    if (a == UNKNOWN || a == b)
        return b;
    return b == UNKNOWN ? a : KIR_GENERIC;
}

/* Of the heap, or behind a texture. */
static bool is_call_for_memory(LLVMValueRef call) {
    LLVMValueRef function = LLVMGetCalledValue(call);
    size_t length;
    const char *name = LLVMIsAFunction(function) ? LLVMGetValueName2(function, &length) : "";
    return front_allocates(name) || !strcmp(name, "__heddle_texture_data");
}

static uint32_t evaluate(const front_lowering *l, LLVMValueRef inst) {
    uint32_t space = UNKNOWN;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAlloca: return KIR_PRIVATE;
    case LLVMAddrSpaceCast:
    case LLVMGetElementPtr:
    case LLVMFreeze: return lookup(l, LLVMGetOperand(inst, 0));
    case LLVMSelect:
        return meet(lookup(l, LLVMGetOperand(inst, 1)), lookup(l, LLVMGetOperand(inst, 2)));
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(inst); i++)
            space = meet(space, lookup(l, LLVMGetIncomingValue(inst, i)));
        return space;
    case LLVMCall: return is_call_for_memory(inst) ? KIR_GLOBAL : KIR_GENERIC;
    default: return KIR_GENERIC;
    }
}

void front_infer_spaces(front_lowering *l) {
    hd_vec(LLVMValueRef) generic = {0};
    for (uint32_t b = 0; b < l->out.block_count; b++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(l->order[b]); inst;
             inst = LLVMGetNextInstruction(inst))
            if (is_generic(l, inst)) {
                hd_push(l->arena, &generic, inst);
                front_pointer_map_set(l->arena, &l->spaces, inst, UNKNOWN);
            }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < generic.count; i++) {
            uint32_t space = evaluate(l, generic.data[i]);
            if (space != front_pointer_map_get(&l->spaces, generic.data[i])) {
                front_pointer_map_set(l->arena, &l->spaces, generic.data[i], space);
                changed = true;
            }
        }
    }
}

kir_space front_space_of(const front_lowering *l, LLVMValueRef pointer) {
    uint32_t space = lookup(l, pointer);
    return space == UNKNOWN ? KIR_GENERIC : (kir_space)space;
}
