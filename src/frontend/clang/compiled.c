/*
 * The compiled form: the kernels as the compiler of a kind of device makes them, so that what is
 * counted is what a GPU does.
 *
 * NVIDIA   nvcc is LLVM at -O3 for nvptx64 with passes of its own; LLVM's pipeline at that level with
 *          that target, and then what the target's back end runs on IR, in its order: address
 *          spaces, constant offsets out of addresses, straight-line strength reduction, and the
 *          merging of neighbouring loads and stores into vectors.
 * AMD      the same with the target amdgcn.
 * CPU      the pipeline without a target and without vectors: a work-item of PoCL is scalar code, its
 *          vectors are over work-items.
 *
 * What the back ends do later (the choice of instructions) makes no other accesses but for copies of
 * structs and what is not aligned, which are made here (expand_copy, split_access).
 */
#include <pthread.h>

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "frontend/clang/internal.h"

void LLVMInitializeNVPTXTargetInfo(void);
void LLVMInitializeNVPTXTarget(void);
void LLVMInitializeNVPTXTargetMC(void);
void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTarget(void);
void LLVMInitializeAMDGPUTargetMC(void);

/* LLVM's list of targets is not made for several threads that add to it. */
static pthread_once_t are_known = PTHREAD_ONCE_INIT;
static void know_targets(void) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
}

static const char spaces[] = "function(sroa<preserve-cfg>,infer-address-spaces)";
/* The pipeline of LLVM at -O3, less what has no meaning here (coroutines, OpenMP, profiles) and less
 * what nvcc does not do: stores at the end of both arms of a branch stay two. */
#define COMBINE "instcombine<no-verify-fixpoint>"
#define BRANCHES "simplifycfg<switch-range-to-icmp>"
static const char before_rotation[] =
    "inferattrs,function(lower-expect,simplifycfg,sroa<modify-cfg>,early-cse),ipsccp,"
    "called-value-propagation,globalopt,function(mem2reg," COMBINE "," BRANCHES "),"
    "require<globals-aa>,function(invalidate<aa>),"
    "cgscc(function-attrs,function(sroa<modify-cfg>,early-cse<memssa>,"
    "speculative-execution<only-if-divergent-target>,jump-threading,correlated-"
    "propagation," BRANCHES "," COMBINE
    ",aggressive-instcombine,libcalls-shrinkwrap,tailcallelim," BRANCHES
    ",reassociate,constraint-elimination,loop-mssa(loop-instsimplify,loop-simplifycfg,"
    "licm<no-allowspeculation>)))";
static const char before_gvn[] =
    "require<globals-aa>,function(invalidate<aa>),cgscc(function(loop-mssa("
    "loop-rotate<header-duplication>,licm<allowspeculation>,"
    "simple-loop-unswitch<nontrivial>)," BRANCHES "," COMBINE
    ",loop(loop-idiom,indvars,simple-loop-unswitch<nontrivial>,loop-deletion,loop-unroll-full),"
    "sroa<modify-cfg>,vector-combine))";
static const char gvn[] = "require<globals-aa>,function(invalidate<aa>),cgscc(function(gvn))";
static const char from_gvn[] =
    "require<globals-aa>,function(invalidate<aa>),cgscc(function(sccp,bdce," COMBINE
    ",jump-threading,correlated-propagation,adce,memcpyopt,dse,loop-mssa(licm<allowspeculation>),"
    "simplifycfg<switch-range-to-icmp;hoist-common-insts>," COMBINE ")),"
    "globalopt,globaldce,rpo-function-attrs,recompute-globalsaa,"
    "function(float2int,lower-constant-intrinsics,loop(loop-rotate<header-duplication>,"
    "loop-deletion),infer-alignment,loop-load-elim," COMBINE
    ",simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;"
    "hoist-common-insts>,vector-combine," COMBINE
    ",loop-unroll<O3>,sroa<preserve-cfg>,infer-alignment," COMBINE
    ",loop-mssa(licm<allowspeculation>),alignment-from-assumptions,loop-sink,instsimplify,"
    "div-rem-pairs,tailcallelim," BRANCHES "),globaldce,constmerge";
/* Not gvn, which makes numbers of 128 bits where a part of a vector is loaded that was just stored. */
static const char addresses[] =
    "function(sroa<modify-cfg>,infer-address-spaces,separate-const-offset-from-gep,"
    "speculative-execution,slsr,early-cse<memssa>,nary-reassociate,early-cse<memssa>)";
static const char merging[] = "function(load-store-vectorizer)";
static const char clean_up[] = "function(early-cse,instsimplify,sroa<modify-cfg>,adce)";

/* ---- the target ---------------------------------------------------------- */

const char *front_triple(kir_form form) {
    static const char *const triples[KIR_FORMS] = {"spir64-unknown-unknown", "nvptx64-nvidia-cuda",
                                                   "amdgcn-amd-amdhsa", "spir64-unknown-unknown"};
    return triples[form];
}

/* No values of loops in closed form, n (n - 1) / 2 of 33 bits, which say nothing of memory. */
static void set_options(void) {
    static const char *const words[] = {"heddle", "-replexitval=never"};
    LLVMParseCommandLineOptions(2, words, NULL);
}

static hd_status make_machine(front_state *front, LLVMTargetMachineRef *machine) {
    const char *triple = front_triple(front->form);
    LLVMTargetRef target;
    char *why = NULL;
    bool is_amd = front->form == KIR_FOR_AMD;
    *machine = NULL;
    if (front->form == KIR_FOR_CPU)
        return HD_OK;
    pthread_once(&are_known, know_targets);
    if (LLVMGetTargetFromTriple(triple, &target, &why)) {
        hd_status status =
            hd_fail(front->diag, HD_ESYSTEM, NULL,
                    "this LLVM makes no code for %s (%s); say --as-written", triple, why);
        LLVMDisposeMessage(why);
        return status;
    }
    const char *processor =
        is_amd ? "gfx90a"
               : hd_format(front->arena, "sm_%u", front->architecture ? front->architecture : 80);
    *machine = LLVMCreateTargetMachine(target, triple, processor, "", LLVMCodeGenLevelAggressive,
                                       LLVMRelocDefault, LLVMCodeModelDefault);
    return HD_OK;
}

/* ---- what kernels are given ---------------------------------------------------- */

/* Pointers that a CUDA kernel is given point to global memory, which LLVM is not told. */
static void place_arguments(front_state *front, LLVMBuilderRef builder, LLVMValueRef kernel) {
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
    LLVMTypeRef global = LLVMPointerTypeInContext(front->context, 1);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
    LLVMSetCurrentDebugLocation2(builder, NULL);
    for (unsigned i = 0; i < LLVMCountParams(kernel); i++) {
        LLVMValueRef argument = LLVMGetParam(kernel, i);
        LLVMTypeRef type = LLVMTypeOf(argument);
        if (LLVMGetTypeKind(type) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(type) ||
            LLVMGetEnumAttributeAtIndex(kernel, i + 1, byval) || !LLVMGetFirstUse(argument))
            continue;
        /* The uses go to the second cast, whose operand is the first one's. */
        LLVMValueRef placeholder = LLVMBuildAlloca(builder, type, "");
        LLVMReplaceAllUsesWith(argument, placeholder);
        LLVMValueRef placed = LLVMBuildAddrSpaceCast(builder, argument, global, "");
        LLVMValueRef back = LLVMBuildAddrSpaceCast(builder, placed, type, "");
        LLVMReplaceAllUsesWith(placeholder, back);
        LLVMInstructionEraseFromParent(placeholder);
    }
}

/* The host may write a program's variables before a kernel runs, also those that no code here does. */
static void keep_variables(front_state *front) {
    for (LLVMValueRef variable = LLVMGetFirstGlobal(front->llvm); variable;
         variable = LLVMGetNextGlobal(variable))
        if (!LLVMIsGlobalConstant(variable) && !LLVMIsDeclaration(variable))
            LLVMSetExternallyInitialized(variable, true);
}

/* What is assumed of a pointer that was cast from a space is assumed of that one, which the accesses
 * have: LLVM looks no further. */
static void place_assumptions(front_state *front) {
    LLVMValueRef assume = LLVMGetNamedFunction(front->llvm, "llvm.assume");
    for (LLVMUseRef use = assume ? LLVMGetFirstUse(assume) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        for (int i = 0; i < LLVMGetNumOperands(call); i++) {
            LLVMValueRef pointer = LLVMGetOperand(call, (unsigned)i);
            if (LLVMIsAAddrSpaceCastInst(pointer))
                LLVMSetOperand(call, (unsigned)i, LLVMGetOperand(pointer, 0));
        }
    }
}

/* ---- what may be the same memory ------------------------------------------------------- */

/* nvcc takes any two types to be in the same memory, also two structs, but not two fields of one
 * struct: of clang's tags the paths into structs stay, each struct a tree of its own. */
typedef struct alias_trees {
    front_state *front;
    hd_hash_table tags; /* clang's, by address: numbers in `made` */
    hd_vec(LLVMValueRef) made;
} alias_trees;

static bool is_omnipotent(LLVMValueRef type) {
    unsigned length = 0;
    LLVMValueRef name[4] = {0};
    if (LLVMGetMDNodeNumOperands(type) > 3)
        return false;
    LLVMGetMDNodeOperands(type, name);
    const char *text = name[0] ? LLVMGetMDString(name[0], &length) : NULL;
    return text && length == 15 && !memcmp(text, "omnipotent char", 15);
}

/* A type below the root of its tree: numbers are all one type. */
static LLVMMetadataRef alias_type(front_state *front, LLVMValueRef type, LLVMMetadataRef number) {
    unsigned count = LLVMGetMDNodeNumOperands(type);
    LLVMValueRef *parts = hd_new_array(front->arena, LLVMValueRef, count);
    LLVMGetMDNodeOperands(type, parts);
    if (is_omnipotent(type) || (count == 3 && is_omnipotent(parts[1])))
        return number;
    LLVMMetadataRef *made = hd_new_array(front->arena, LLVMMetadataRef, count);
    for (unsigned i = 0; i < count; i++)
        made[i] = i % 2 ? alias_type(front, parts[i], number) : LLVMValueAsMetadata(parts[i]);
    return LLVMMDNodeInContext2(front->context, made, count);
}

/* The tag of an access to a field; NULL for any other. */
static LLVMValueRef alias_tag(front_state *front, LLVMValueRef tag, size_t tree) {
    LLVMContextRef context = front->context;
    LLVMValueRef parts[4] = {0};
    unsigned count = LLVMGetMDNodeNumOperands(tag);
    if (count < 3 || count > 4)
        return NULL;
    LLVMGetMDNodeOperands(tag, parts);
    if (parts[0] == parts[1] || is_omnipotent(parts[0]))
        return NULL;
    const char *name = hd_format(front->arena, "heddle %zu", tree);
    LLVMMetadataRef zero =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(context), 0, false));
    LLVMMetadataRef text = LLVMMDStringInContext2(context, name, strlen(name)),
                    root = LLVMMDNodeInContext2(context, &text, 1);
    LLVMMetadataRef number =
        LLVMMDNodeInContext2(context, (LLVMMetadataRef[]){text, root, zero}, 3);
    LLVMMetadataRef made[4] = {alias_type(front, parts[0], number), number,
                               LLVMValueAsMetadata(parts[2]),
                               count == 4 ? LLVMValueAsMetadata(parts[3]) : NULL};
    return LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, made, count));
}

static void set_alias_tag(alias_trees *trees, LLVMValueRef inst, unsigned kind) {
    LLVMValueRef tag = LLVMGetMetadata(inst, kind), parts[4] = {0};
    if (!tag || LLVMGetMDNodeNumOperands(tag) > 4)
        return;
    LLVMGetMDNodeOperands(tag, parts);
    /* By the struct, so that all its fields are in one tree. */
    size_t tree = (size_t)hd_hash_add(&trees->tags, (uintptr_t)parts[0], trees->made.count);
    if (tree == trees->made.count)
        hd_push(trees->front->arena, &trees->made, parts[0]);
    LLVMSetMetadata(inst, kind, alias_tag(trees->front, tag, tree));
}

static void forget_types(front_state *front) {
    static const char tag[] = "tbaa", of_copies[] = "tbaa.struct";
    unsigned kind = LLVMGetMDKindIDInContext(front->context, tag, (unsigned)strlen(tag)),
             copies =
                 LLVMGetMDKindIDInContext(front->context, of_copies, (unsigned)strlen(of_copies));
    alias_trees trees = {.front = front, .tags = {.arena = front->arena}};
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
                 inst = LLVMGetNextInstruction(inst)) {
                if (!LLVMHasMetadata(inst))
                    continue;
                set_alias_tag(&trees, inst, kind);
                LLVMSetMetadata(inst, copies, NULL);
            }
}

/* ---- copies of structs ----------------------------------------------------------- */

enum {
    MOST_COPIED = 128, /* bytes; nvcc makes a loop of longer copies */
    WIDEST = 16        /* bytes of one access */
};

/* A part of a copy: 16 and 8 bytes are vectors of 32 bits, or numbers of 64. */
static LLVMTypeRef type_of_bytes(front_state *front, uint64_t bytes, bool in_numbers) {
    unsigned element = bytes > 4 ? (in_numbers ? 8 : 4) : (unsigned)bytes;
    LLVMTypeRef type = LLVMIntTypeInContext(front->context, 8 * element);
    return bytes > element ? LLVMVectorType(type, (unsigned)bytes / element) : type;
}

static bool is_private(LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAAllocaInst(pointer);
}

/* One part of a copy. In private memory a vector is stored number by number: a load of a part of it
 * would make a number of 128 bits. */
static LLVMValueRef load_part(front_state *front, LLVMBuilderRef builder, LLVMTypeRef type,
                              LLVMValueRef from, uint64_t at, unsigned width) {
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind && is_private(from);
    LLVMTypeRef part = is_vector ? LLVMGetElementType(type) : type;
    unsigned count = is_vector ? LLVMGetVectorSize(type) : 1, bytes = width / count;
    LLVMValueRef value = LLVMGetUndef(type);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef address = front_byte_address(front, builder, from, at + i * bytes),
                     made = LLVMBuildLoad2(builder, part, address, ""),
                     lane = LLVMConstInt(LLVMInt32TypeInContext(front->context), i, false);
        LLVMSetAlignment(made, bytes);
        value = is_vector ? LLVMBuildInsertElement(builder, value, made, lane, "") : made;
    }
    return value;
}

static void store_part(front_state *front, LLVMBuilderRef builder, LLVMValueRef value,
                       LLVMValueRef to, uint64_t at, unsigned width) {
    LLVMTypeRef type = LLVMTypeOf(value);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind && is_private(to);
    unsigned count = is_vector ? LLVMGetVectorSize(type) : 1, bytes = width / count;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef lane = LLVMConstInt(LLVMInt32TypeInContext(front->context), i, false),
                     part = is_vector ? LLVMBuildExtractElement(builder, value, lane, "") : value,
                     address = front_byte_address(front, builder, to, at + i * bytes);
        LLVMSetAlignment(LLVMBuildStore(builder, part, address), bytes);
    }
}

/* A short copy becomes loads and then stores, each as wide as the alignment allows. */
static void expand_copy(front_state *front, LLVMBuilderRef builder, LLVMValueRef call) {
    size_t name_length;
    if (!LLVMIsACallInst(call))
        return;
    LLVMValueRef callee = LLVMGetCalledValue(call), values[MOST_COPIED];
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &name_length) : "";
    if (!starts_with(name, "llvm.memcpy.") && !starts_with(name, "llvm.memmove."))
        return;
    LLVMValueRef length = LLVMGetOperand(call, 2), is_volatile = LLVMGetOperand(call, 3);
    if (!LLVMIsAConstantInt(length) || !LLVMIsNull(is_volatile) ||
        LLVMConstIntGetZExtValue(length) > MOST_COPIED)
        return;
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
    uint64_t bytes = LLVMConstIntGetZExtValue(length), widest = front_argument_alignment(call, 0);
    bool is_private_copy = is_private(to) || is_private(from);
    widest =
        front_argument_alignment(call, 1) < widest ? front_argument_alignment(call, 1) : widest;
    widest = widest < WIDEST ? widest : WIDEST;
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
    for (int stores = 0; stores < 2; stores++)
        for (uint64_t at = 0, width, part = 0; at < bytes; at += width, part++) {
            for (width = widest; width > bytes - at;)
                width /= 2;
            if (stores)
                store_part(front, builder, values[part], to, at, (unsigned)width);
            else
                values[part] =
                    load_part(front, builder, type_of_bytes(front, width, is_private_copy), from,
                              at, (unsigned)width);
        }
    LLVMInstructionEraseFromParent(call);
}

/* Of what is stored as it was loaded LLVM sees that the place that it came from still has it, whatever
 * the store overwrites, and where that is the same place, that it need not be stored. nvcc loads it
 * again, and stores it. */
static void forget_origin(front_state *front, LLVMBuilderRef builder, LLVMValueRef inst) {
    (void)front;
    LLVMValueRef value = LLVMIsAStoreInst(inst) ? LLVMGetOperand(inst, 0) : NULL;
    if (!value || !LLVMIsALoadInst(value))
        return;
    LLVMPositionBuilderBefore(builder, inst);
    LLVMSetOperand(inst, 0, LLVMBuildFreeze(builder, value, ""));
}

/* ---- what is not aligned ------------------------------------------------------------- */

/* A number at an address that is not a multiple of its size is moved in pieces that are aligned:
 * members of packed structs, and copies of 8 bytes that are aligned to 4. */
static void split_access(front_state *front, LLVMBuilderRef builder, LLVMValueRef inst) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(front->llvm);
    bool is_store = LLVMIsAStoreInst(inst) != NULL;
    if (!is_store && !LLVMIsALoadInst(inst))
        return;
    LLVMValueRef pointer = LLVMGetOperand(inst, is_store), value = LLVMGetOperand(inst, 0);
    LLVMTypeRef type = LLVMTypeOf(is_store ? value : inst);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t align = LLVMGetAlignment(inst), bytes;
    if (kind != LLVMIntegerTypeKind && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
        return;
    bytes = LLVMStoreSizeOfType(layout, type);
    if (align >= bytes || 8 * bytes != LLVMSizeOfTypeInBits(layout, type) || bytes > 8 ||
        LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
        return;
    LLVMTypeRef whole = LLVMIntTypeInContext(front->context, (unsigned)(8 * bytes)),
                piece = LLVMIntTypeInContext(front->context, (unsigned)(8 * align));
    LLVMPositionBuilderBefore(builder, inst);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(inst));
    LLVMValueRef bits =
        is_store ? LLVMBuildBitCast(builder, value, whole, "") : LLVMConstInt(whole, 0, false);
    for (uint64_t at = 0; at < bytes; at += align) {
        LLVMValueRef address = front_byte_address(front, builder, pointer, at), made, part,
                     shift = LLVMConstInt(whole, 8 * at, false);
        if (is_store) {
            part = LLVMBuildTrunc(builder, LLVMBuildLShr(builder, bits, shift, ""), piece, "");
            made = LLVMBuildStore(builder, part, address);
        } else {
            made = LLVMBuildLoad2(builder, piece, address, "");
            part = LLVMBuildShl(builder, LLVMBuildZExt(builder, made, whole, ""), shift, "");
            bits = LLVMBuildOr(builder, bits, part, "");
        }
        LLVMSetAlignment(made, (unsigned)align);
    }
    if (!is_store)
        LLVMReplaceAllUsesWith(inst, LLVMBuildBitCast(builder, bits, type, ""));
    LLVMInstructionEraseFromParent(inst);
}

/* ---- parts of vectors ---------------------------------------------------------------- */

/* A part of a vector that was just stored, which gvn takes out of the vector as one number of 128 bits:
 * it is made of the elements that it lies in. */
static void take_part(front_state *front, LLVMBuilderRef builder, LLVMValueRef inst) {
    LLVMValueRef wide = LLVMIsATruncInst(inst) ? LLVMGetOperand(inst, 0) : NULL;
    uint64_t first = 0; /* bit */
    if (!wide || LLVMGetIntTypeWidth(LLVMTypeOf(wide)) <= 64 || LLVMIsAConstant(wide))
        return;
    if (LLVMIsABinaryOperator(wide) && LLVMGetInstructionOpcode(wide) == LLVMLShr &&
        LLVMIsAConstantInt(LLVMGetOperand(wide, 1))) {
        first = LLVMConstIntGetZExtValue(LLVMGetOperand(wide, 1));
        wide = LLVMGetOperand(wide, 0);
    }
    LLVMValueRef vector = LLVMIsABitCastInst(wide) ? LLVMGetOperand(wide, 0) : NULL;
    LLVMTypeRef type = LLVMTypeOf(inst);
    if (!vector || LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(vector))) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(type) > 64)
        return;
    const uint64_t bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(vector))),
                   behind = first + LLVMGetIntTypeWidth(type);
    LLVMTypeRef number = LLVMInt64TypeInContext(front->context);
    LLVMValueRef all = LLVMConstInt(number, 0, false);
    LLVMPositionBuilderBefore(builder, inst);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(inst));
    for (uint64_t e = first / bits; e * bits < behind; e++) {
        LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(front->context), e, false),
                     part = LLVMBuildZExtOrBitCast(
                         builder, LLVMBuildExtractElement(builder, vector, index, ""), number, "");
        bool is_left = e * bits >= first;
        LLVMValueRef by =
            LLVMConstInt(number, is_left ? e * bits - first : first - e * bits, false);
        part = is_left ? LLVMBuildShl(builder, part, by, "") : LLVMBuildLShr(builder, part, by, "");
        all = LLVMBuildOr(builder, all, part, "");
    }
    LLVMReplaceAllUsesWith(inst, LLVMBuildTruncOrBitCast(builder, all, type, ""));
    LLVMInstructionEraseFromParent(inst);
}

/* ---- loads that are merged ---------------------------------------------------------- */

/* A load of one number at a constant distance from a pointer. */
typedef struct part_load {
    LLVMValueRef load, base;
    int64_t offset;
    uint32_t bytes, align;
} part_load;
typedef hd_vec(part_load) part_loads;

/* The pointer that constant steps start from. */
static LLVMValueRef strip_constants(LLVMTargetDataRef layout, LLVMValueRef pointer,
                                    int64_t *offset) {
    for (*offset = 0; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
        int64_t distance = 0;
        for (int i = 1; i < LLVMGetNumOperands(pointer); i++) {
            LLVMValueRef index = LLVMGetOperand(pointer, (unsigned)i);
            if (!LLVMIsAConstantInt(index))
                return pointer;
            bool is_struct = i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind;
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            if (is_struct)
                distance += (int64_t)LLVMOffsetOfElement(layout, type, field);
            if (i > 1)
                type = is_struct ? LLVMStructGetTypeAtIndex(type, field) : LLVMGetElementType(type);
            if (!is_struct)
                distance +=
                    LLVMConstIntGetSExtValue(index) * (int64_t)LLVMABISizeOfType(layout, type);
        }
        *offset += distance;
    }
    return pointer;
}

/* The space is one that all threads see. */
static bool is_plain_load(LLVMValueRef inst) {
    LLVMTypeKind kind =
        LLVMIsALoadInst(inst) ? LLVMGetTypeKind(LLVMTypeOf(inst)) : LLVMVoidTypeKind;
    return (kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind ||
            kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind) &&
           !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic &&
           LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0))) != 5;
}

static void collect_loads(front_state *front, LLVMTargetDataRef layout, LLVMBasicBlockRef block,
                          part_loads *loads) {
    loads->count = 0;
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
         inst = LLVMGetNextInstruction(inst)) {
        if (!is_plain_load(inst))
            continue;
        part_load found = {.load = inst,
                           .bytes = (uint32_t)LLVMABISizeOfType(layout, LLVMTypeOf(inst)),
                           .align = LLVMGetAlignment(inst)};
        found.base = strip_constants(layout, LLVMGetOperand(inst, 0), &found.offset);
        if (8 * found.bytes == LLVMSizeOfTypeInBits(layout, LLVMTypeOf(inst)))
            hd_push(front->arena, loads, found);
    }
}

/* What lies between the numbers that are loaded of four whose first one is, and is aligned as all
 * four, is loaded as well, as nvcc does: {x, z} of a float4 is one access. The loads that are added
 * come to one vector with the others, or go since nobody uses them. */
static void fill_gaps(front_state *front, LLVMBuilderRef builder, const part_loads *loads) {
    enum { LANES = 4 };
    for (size_t first = 0; first < loads->count; first++) {
        const part_load *f = &loads->data[first];
        bool there[LANES] = {true};
        uint32_t last = 0, earliest = UINT32_MAX;
        for (uint32_t i = 0; i < loads->count; i++) {
            const part_load *other = &loads->data[i];
            int64_t distance = other->offset - f->offset;
            if (other->base != f->base || other->bytes != f->bytes || distance < 0 ||
                distance >= LANES * f->bytes || distance % f->bytes)
                continue;
            uint32_t lane = (uint32_t)(distance / f->bytes);
            there[lane] = true;
            last = lane > last ? lane : last;
            earliest = i < earliest ? i : earliest;
        }
        if (f->align < LANES * f->bytes || LANES * f->bytes > WIDEST || last < 2)
            continue;
        LLVMValueRef before = loads->data[earliest].load;
        LLVMPositionBuilderBefore(builder, before);
        LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(before));
        for (uint32_t lane = 1; lane < LANES; lane++) {
            if (there[lane])
                continue;
            LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(front->context),
                                              (uint64_t)f->offset + lane * f->bytes, false),
                         address =
                             LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(front->context),
                                                   f->base, &index, 1, ""),
                         made = LLVMBuildLoad2(builder, LLVMTypeOf(f->load), address, "");
            LLVMSetAlignment(made, f->bytes);
        }
    }
}

/* Does this to every instruction of the kernels, which it may replace. */
static void each_instruction(front_state *front, LLVMBuilderRef builder,
                             void (*change)(front_state *, LLVMBuilderRef, LLVMValueRef)) {
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
                next = LLVMGetNextInstruction(inst);
                change(front, builder, inst);
            }
}

/* While loads seem to have no alignment they are not merged by NVIDIA's target. What it was is kept as
 * metadata, which goes with loads that are merged all the same: AMD's need no alignment. */
static unsigned alignment_kind(const front_state *front) {
    static const char name[] = "heddle.align";
    return LLVMGetMDKindIDInContext(front->context, name, sizeof name - 1);
}

static void hide_alignment(front_state *front, LLVMBuilderRef builder, LLVMValueRef inst) {
    (void)builder;
    if (!LLVMIsALoadInst(inst))
        return;
    LLVMTypeRef type = LLVMInt32TypeInContext(front->context);
    LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(type, LLVMGetAlignment(inst), false));
    LLVMMetadataRef node = LLVMMDNodeInContext2(front->context, &number, 1);
    LLVMSetMetadata(inst, alignment_kind(front), LLVMMetadataAsValue(front->context, node));
    LLVMSetAlignment(inst, 1);
}

static void show_alignment(front_state *front, LLVMBuilderRef builder, LLVMValueRef inst) {
    LLVMValueRef number,
        node = LLVMIsALoadInst(inst) ? LLVMGetMetadata(inst, alignment_kind(front)) : NULL;
    (void)builder;
    if (!node)
        return;
    LLVMGetMDNodeOperands(node, &number);
    LLVMSetAlignment(inst, (unsigned)LLVMConstIntGetZExtValue(number));
    LLVMSetMetadata(inst, alignment_kind(front), NULL);
}

/* Stores are merged first: once loads of two fields are one, the compiler knows no longer that a
 * store to a third field in between is of other bytes. */
static hd_status merge(front_state *front, LLVMTargetMachineRef machine, LLVMBuilderRef builder) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(front->llvm);
    part_loads loads = {0};
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block)) {
            collect_loads(front, layout, block, &loads);
            fill_gaps(front, builder, &loads);
        }
    each_instruction(front, builder, hide_alignment);
    hd_status status = front_run_passes(front, machine, merging);
    each_instruction(front, builder, show_alignment);
    return status ? status : front_run_passes(front, machine, merging);
}

/* Three numbers, which AMD's GPUs move at once, become two and one: in kir three take the place of
 * four. */
static void split_triple(front_state *front, LLVMBuilderRef builder, LLVMValueRef inst) {
    bool is_store = LLVMIsAStoreInst(inst) != NULL;
    if (!is_store && !LLVMIsALoadInst(inst))
        return;
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(inst, 0) : inst);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVectorSize(type) != 3)
        return;
    LLVMTypeRef number = LLVMGetElementType(type), index = LLVMInt32TypeInContext(front->context);
    LLVMValueRef at[] = {LLVMConstInt(index, 0, false), LLVMConstInt(index, 1, false),
                         LLVMConstInt(index, 2, false)};
    uint64_t bytes = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(front->llvm), number);
    unsigned align = LLVMGetAlignment(inst);
    LLVMPositionBuilderBefore(builder, inst);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(inst));
    LLVMValueRef pointer = LLVMGetOperand(inst, is_store), pair, third,
                 behind = front_byte_address(front, builder, pointer, 2 * bytes);
    if (is_store) {
        LLVMValueRef value = LLVMGetOperand(inst, 0);
        pair = LLVMBuildStore(
            builder,
            LLVMBuildShuffleVector(builder, value, LLVMGetPoison(type), LLVMConstVector(at, 2), ""),
            pointer);
        third = LLVMBuildStore(builder, LLVMBuildExtractElement(builder, value, at[2], ""), behind);
    } else {
        pair = LLVMBuildLoad2(builder, LLVMVectorType(number, 2), pointer, "");
        third = LLVMBuildLoad2(builder, number, behind, "");
        LLVMValueRef places[] = {at[0], at[1], LLVMGetPoison(index)},
                     wider = LLVMBuildShuffleVector(builder, pair, LLVMGetPoison(LLVMTypeOf(pair)),
                                                    LLVMConstVector(places, 3), "");
        LLVMReplaceAllUsesWith(inst, LLVMBuildInsertElement(builder, wider, third, at[2], ""));
    }
    LLVMSetAlignment(pair, align);
    LLVMSetAlignment(third, align > bytes ? (unsigned)bytes : align);
    LLVMInstructionEraseFromParent(inst);
}

hd_status front_optimise(front_state *front) {
    static pthread_once_t is_set = PTHREAD_ONCE_INIT; /* LLVM's options are the process's */
    LLVMTargetMachineRef machine;
    pthread_once(&is_set, set_options);
    hd_status status = make_machine(front, &machine);
    if (status)
        return status;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(front->context);
    for (size_t i = 0; i < front->entries.count && front->is_cuda; i++)
        if (!front->entries.data[i].is_left_out)
            place_arguments(front, builder, front->entries.data[i].function);
    if (front->is_cuda)
        keep_variables(front);
    if (front->form == KIR_FOR_NVIDIA)
        forget_types(front);
    if (machine)
        status = front_run_passes(front, machine, spaces);
    if (front->form == KIR_FOR_NVIDIA) {
        each_instruction(front, builder, expand_copy);
        status = status ? status : front_run_passes(front, machine, spaces);
        each_instruction(front, builder, forget_origin);
    }
    place_assumptions(front);
    if (!status)
        status = front_run_passes(front, machine, before_rotation);
    if (!status && front->form == KIR_FOR_NVIDIA)
        status = front_split_loops(front, builder);
    if (!status)
        status = front_run_passes(front, machine, before_gvn);
    if (front->form == KIR_FOR_NVIDIA)
        each_instruction(front, builder, forget_origin);
    if (!status)
        status = front_run_passes(front, machine, gvn);
    each_instruction(front, builder, take_part);
    if (!status)
        status = front_run_passes(front, machine, from_gvn);
    each_instruction(front, builder, expand_copy);
    if (front->form == KIR_FOR_NVIDIA)
        each_instruction(front, builder, split_access);
    if (!status && machine)
        status = front_run_passes(front, machine, addresses);
    if (!status && machine)
        status = merge(front, machine, builder);
    if (front->form == KIR_FOR_AMD)
        each_instruction(front, builder, split_triple);
    if (!status)
        status = front_run_passes(front, machine, clean_up);
    LLVMDisposeBuilder(builder);
    if (machine)
        LLVMDisposeTargetMachine(machine);
    return status;
}
