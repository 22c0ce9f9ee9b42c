/*
 * CUDA C in LLVM IR, brought into the form that the passes and the lowering take:
 *
 *     vprintf(format, buffer)    printf(format, a, b), as OpenCL C has it. clang writes the
 *                                arguments into a private struct; loads from it take its
 *                                place, which become the values themselves.
 *     memcpy(&v, p, 16)          v = *p as one load of <4 x float>, where v is a float4. Taken
 *                                apart by LLVM it would be four loads, and one is what the
 *                                hardware makes of it. Private copies of structs are made
 *                                member by member, so that those that nobody reads can go.
 *     __nv_sincosf(x, &s, &c)    s = __nv_sinf(x), c = __nv_cosf(x)
 *     float __nv_sinf(float)     has no effects, which clang does not know
 */
#include <llvm-c/DebugInfo.h>

#include "frontend/clang/internal.h"

/* ---- printf ------------------------------------------------------------ */

static void restore_printf(front_state *front, LLVMBuilderRef builder, LLVMValueRef call) {
    LLVMValueRef buffer = LLVMGetOperand(call, 1);
    unsigned count = 0;
    LLVMTypeRef fields = NULL;
    if (LLVMIsAAllocaInst(buffer)) {
        fields = LLVMGetAllocatedType(buffer);
        if (LLVMGetTypeKind(fields) != LLVMStructTypeKind)
            return;
        count = LLVMCountStructElementTypes(fields);
    } else if (!LLVMIsNull(buffer)) {
        return;
    }
    LLVMValueRef *args = hd_new_array(front->arena, LLVMValueRef, count + 1);
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
    args[0] = LLVMGetOperand(call, 0);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef field = LLVMBuildStructGEP2(builder, fields, buffer, i, "");
        args[1 + i] = LLVMBuildLoad2(builder, LLVMStructGetTypeAtIndex(fields, i), field, "");
    }
    LLVMTypeRef format = LLVMPointerTypeInContext(front->context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(front->context), &format, 1, true);
    LLVMValueRef function = LLVMGetNamedFunction(front->llvm, "printf");
    if (!function)
        function = LLVMAddFunction(front->llvm, "printf", type);
    LLVMValueRef made = LLVMBuildCall2(builder, type, function, args, count + 1, "");
    LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
}

/* ---- sine and cosine ------------------------------------------------------ */

static bool split_sincos(front_state *front, LLVMBuilderRef builder, LLVMValueRef call,
                         const char *name) {
    static const char *const pairs[][3] = {
        {"__nv_sincos", "__nv_sin", "__nv_cos"},
        {"__nv_sincosf", "__nv_sinf", "__nv_cosf"},
        {"__nv_sincospi", "__nv_sinpi", "__nv_cospi"},
        {"__nv_sincospif", "__nv_sinpif", "__nv_cospif"},
        {"__nv_fast_sincosf", "__nv_fast_sinf", "__nv_fast_cosf"}};
    size_t n = 0;
    while (n < sizeof pairs / sizeof *pairs && strcmp(name, pairs[n][0]))
        n++;
    if (n == sizeof pairs / sizeof *pairs)
        return false;
    LLVMValueRef x = LLVMGetOperand(call, 0);
    LLVMTypeRef real = LLVMTypeOf(x), type = LLVMFunctionType(real, &real, 1, false);
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(front->llvm, pairs[n][1 + i]);
        if (!function)
            function = LLVMAddFunction(front->llvm, pairs[n][1 + i], type);
        front_mark_pure(front, function);
        LLVMValueRef value = LLVMBuildCall2(builder, type, function, &x, 1, "");
        LLVMBuildStore(builder, value, LLVMGetOperand(call, 1 + i));
    }
    LLVMInstructionEraseFromParent(call);
    return true;
}

/* ---- copies of vectors --------------------------------------------------- */

unsigned front_cuda_vector_lanes(const char *name) {
    static const char *const elements[] = {"char",     "uchar",     "short", "ushort",
                                           "int",      "uint",      "long",  "ulong",
                                           "longlong", "ulonglong", "float", "double"};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        size_t length = strlen(elements[i]);
        const char *lanes = name + length;
        if (!strncmp(name, elements[i], length) && (*lanes == '2' || *lanes == '4') &&
            (!lanes[1] || lanes[1] == '_')) /* CUDA 13 has double4_16a */
            return (unsigned)(*lanes - '0');
    }
    return 0;
}

static unsigned vector_lanes(LLVMTypeRef type) {
    const char *name = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;
    return name && starts_with(name, "struct.") ? front_cuda_vector_lanes(name + strlen("struct."))
                                                : 0;
}

/* A copy at work: bytes `offset` on from both pointers, which are aligned to `align`. */
typedef struct copy {
    front_state *front;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMValueRef to, from;
    uint64_t align;
    LLVMValueRef load, store; /* of a struct as one value: its parts are read and written there */
} copy;

LLVMValueRef front_byte_address(front_state *front, LLVMBuilderRef builder, LLVMValueRef pointer,
                                uint64_t offset) {
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(front->context), offset, false);
    return offset ? LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(front->context), pointer,
                                          &index, 1, "")
                  : pointer;
}

static void copy_value(const copy *c, LLVMTypeRef type, uint64_t offset) {
    uint64_t align = c->align;
    while (offset % align)
        align /= 2;
    if (c->load)
        LLVMPositionBuilderBefore(c->builder, c->load);
    LLVMValueRef value = LLVMBuildLoad2(
        c->builder, type, front_byte_address(c->front, c->builder, c->from, offset), "");
    LLVMSetAlignment(value, (unsigned)align);
    if (c->store)
        LLVMPositionBuilderBefore(c->builder, c->store);
    LLVMValueRef store =
        LLVMBuildStore(c->builder, value, front_byte_address(c->front, c->builder, c->to, offset));
    LLVMSetAlignment(store, (unsigned)align);
}

/* Numbers and vectors in a type. */
static uint64_t count_members(LLVMTypeRef type) {
    uint64_t count = 0;
    if (vector_lanes(type))
        return 1;
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        return LLVMGetArrayLength2(type) * count_members(LLVMGetElementType(type));
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return 1;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
        count += count_members(LLVMStructGetTypeAtIndex(type, i));
    return count;
}

static void copy_members(const copy *c, LLVMTypeRef type, uint64_t offset) {
    if (vector_lanes(type)) {
        /* In pieces of at most 16 bytes, as far as the alignment allows. */
        unsigned lanes = vector_lanes(type);
        LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, 0);
        uint64_t bytes = LLVMStoreSizeOfType(c->layout, element);
        unsigned part = lanes;
        while (part * bytes > 16 ||
               (part > 1 && (c->align < part * bytes || offset % (part * bytes))))
            part /= 2;
        for (unsigned i = 0; i < lanes; i += part)
            copy_value(c, part == 1 ? element : LLVMVectorType(element, part), offset + i * bytes);
    } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            copy_members(c, LLVMStructGetTypeAtIndex(type, i),
                         offset + LLVMOffsetOfElement(c->layout, type, i));
    } else if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
        LLVMTypeRef element = LLVMGetElementType(type);
        for (uint64_t i = 0; i < LLVMGetArrayLength2(type); i++)
            copy_members(c, element, offset + i * LLVMABISizeOfType(c->layout, element));
    } else {
        copy_value(c, type, offset);
    }
}

/* What a pointer into a private variable points at, when it is of `bytes` bytes. */
static LLVMTypeRef private_type(const copy *c, LLVMValueRef pointer, uint64_t bytes) {
    LLVMTypeRef type = NULL;
    if (LLVMIsAAllocaInst(pointer)) {
        type = LLVMGetAllocatedType(pointer);
    } else if (LLVMIsAGetElementPtrInst(pointer)) {
        type = LLVMGetGEPSourceElementType(pointer);
        for (int i = 2; type && i < LLVMGetNumOperands(pointer); i++) {
            LLVMTypeKind kind = LLVMGetTypeKind(type);
            LLVMValueRef index = LLVMGetOperand(pointer, (unsigned)i);
            type = kind == LLVMArrayTypeKind ? LLVMGetElementType(type)
                   : kind == LLVMStructTypeKind
                       ? LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index))
                       : NULL;
        }
    }
    return type && LLVMABISizeOfType(c->layout, type) == bytes ? type : NULL;
}

enum { MOST_MEMBERS = 32 }; /* what has more stays one copy */

uint64_t front_argument_alignment(LLVMValueRef call, unsigned index) {
    unsigned kind = LLVMGetEnumAttributeKindForName("align", strlen("align"));
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, index + 1, kind);
    return align ? LLVMGetEnumAttributeValue(align) : 1;
}

static void split_copy(front_state *front, LLVMBuilderRef builder, LLVMValueRef call) {
    LLVMValueRef length = LLVMGetOperand(call, 2), is_volatile = LLVMGetOperand(call, 3);
    if (!LLVMIsAConstantInt(length) || !LLVMIsNull(is_volatile))
        return;
    copy c = {.front = front, .builder = builder, .layout = LLVMGetModuleDataLayout(front->llvm)};
    c.to = LLVMGetOperand(call, 0);
    c.from = LLVMGetOperand(call, 1);
    uint64_t bytes = LLVMConstIntGetZExtValue(length);
    LLVMTypeRef type = private_type(&c, c.to, bytes);
    if (!type)
        type = private_type(&c, c.from, bytes);
    if (!type || count_members(type) > MOST_MEMBERS)
        return;
    uint64_t to = front_argument_alignment(call, 0), from = front_argument_alignment(call, 1);
    c.align = to < from ? to : from;
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
    copy_members(&c, type, 0);
    LLVMInstructionEraseFromParent(call);
}

/* A struct that a function returned: one value, which is stored as such. */
static void split_store(front_state *front, LLVMBuilderRef builder, LLVMValueRef store) {
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    if ((kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind) || !LLVMIsALoadInst(value) ||
        LLVMGetVolatile(store) || LLVMGetVolatile(value) ||
        count_members(LLVMTypeOf(value)) > MOST_MEMBERS)
        return;
    uint64_t to = LLVMGetAlignment(store), from = LLVMGetAlignment(value);
    copy c = {front,
              builder,
              LLVMGetModuleDataLayout(front->llvm),
              LLVMGetOperand(store, 1),
              LLVMGetOperand(value, 0),
              to < from ? to : from,
              value,
              store};
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(store));
    copy_members(&c, LLVMTypeOf(value), 0);
    LLVMInstructionEraseFromParent(store);
}

/* One member of such a value. */
static void split_extract(front_state *front, LLVMBuilderRef builder, LLVMValueRef extract) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(front->llvm);
    LLVMValueRef whole = LLVMGetOperand(extract, 0);
    LLVMTypeRef type = LLVMTypeOf(whole);
    if (!LLVMIsALoadInst(whole) || LLVMGetVolatile(whole) || LLVMGetNumIndices(extract) != 1 ||
        LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return;
    uint64_t offset = LLVMOffsetOfElement(layout, type, LLVMGetIndices(extract)[0]);
    uint64_t align = LLVMGetAlignment(whole);
    while (offset % align)
        align /= 2;
    LLVMPositionBuilderBefore(builder, whole);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(whole));
    LLVMValueRef part =
        LLVMBuildLoad2(builder, LLVMTypeOf(extract),
                       front_byte_address(front, builder, LLVMGetOperand(whole, 0), offset), "");
    LLVMSetAlignment(part, (unsigned)align);
    LLVMReplaceAllUsesWith(extract, part);
    LLVMInstructionEraseFromParent(extract);
}

/* ---- the module ------------------------------------------------------------ */

static void prepare_call(front_state *front, LLVMBuilderRef builder, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    if (!strcmp(name, "vprintf"))
        restore_printf(front, builder, call);
    else if (!split_sincos(front, builder, call, name) && starts_with(name, "llvm.memcpy.") &&
             front->form == KIR_AS_WRITTEN)
        split_copy(front, builder, call);
}

void front_prepare(front_state *front) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(front->context);
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
                next = LLVMGetNextInstruction(inst);
                if (LLVMIsACallInst(inst))
                    prepare_call(front, builder, inst);
                else if (LLVMIsAStoreInst(inst))
                    split_store(front, builder, inst);
                else if (LLVMIsAExtractValueInst(inst))
                    split_extract(front, builder, inst);
            }
    LLVMDisposeBuilder(builder);
}

/* Only those that are given a pointer write memory. */
void front_mark_pure(front_state *front, LLVMValueRef function) {
    size_t length;
    if (!starts_with(LLVMGetValueName2(function, &length), "__nv_"))
        return;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, i))) == LLVMPointerTypeKind)
            return;
    static const char *const facts[] = {"memory", "nounwind", "willreturn"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(facts[i], strlen(facts[i]));
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(front->context, kind, 0));
    }
}
