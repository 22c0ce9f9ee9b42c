/*
 * One kernel from LLVM IR to kir, block by block in reverse post-order, so
 * that a value is lowered before its users; phis get their arguments last.
 * LLVM's constants are uniqued, so a pointer map from LLVM values to kir
 * values is all the memory this needs.
 */
#include "frontend/clang/internal.h"

void front_cannot(front_lowering *l, const char *format, ...) {
    if (l->out.status)
        return;
    va_list args;
    va_start(args, format);
    const char *why = hd_vformat(l->arena, format, args);
    va_end(args);
    hd_place place = l->out.place;
    const char *text = l->front->files.data[l->out.file].text;
    if (place.line && text)
        place.text = hd_line_of(l->arena, text, place.line);
    l->out.status = hd_fail(l->front->diag, HD_EUNSUPPORTED, &place, "%s", why);
}

/* ---- types and values ------------------------------------------------ */

const char *front_print_value(front_lowering *l, LLVMValueRef value) {
    char *text = LLVMPrintValueToString(value);
    const char *copy = hd_strdup(l->arena, text + strspn(text, " "));
    LLVMDisposeMessage(text);
    return copy;
}

/* Two numbers without a name: the function, or its place among the virtual ones, and how far
 * the object is to be moved. */
static bool is_member_pointer(const front_lowering *l, LLVMTypeRef type) {
    if (!l->front->is_cuda || LLVMGetTypeKind(type) != LLVMStructTypeKind ||
        !LLVMIsLiteralStruct(type) || LLVMCountStructElementTypes(type) != 2)
        return false;
    LLVMTypeRef number = LLVMInt64TypeInContext(l->front->context);
    return LLVMStructGetTypeAtIndex(type, 0) == number &&
           LLVMStructGetTypeAtIndex(type, 1) == number;
}

/* Pipes, queues and the like of OpenCL C. */
static void refuse_object(front_lowering *l, const char *name) {
    if (hd_has_word("spirv.Queue spirv.DeviceEvent", name))
        front_cannot(l, "a kernel cannot launch kernels; launch them from the job");
    else if (!strcmp(name, "spirv.Image"))
        front_cannot(l, "images of several samples (msaa) are not supported; read and write a "
                        "__global buffer instead");
    else if (!strcmp(name, "spirv.Pipe"))
        front_cannot(l, "pipes are not supported; read and write a __global buffer instead");
    else
        front_cannot(l, "objects of type %s are not supported; use numbers in a __global buffer",
                     name);
}

static kir_type unsupported_type(front_lowering *l, LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMTargetExtTypeKind) {
        refuse_object(l, LLVMGetTargetExtTypeName(type));
    } else if (is_member_pointer(l, type)) {
        front_cannot(l,
                     "pointers to member functions are not supported; call a function by its name");
    } else if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind) {
        bool is_struct = kind == LLVMStructTypeKind;
        const char *name = is_struct && !LLVMIsLiteralStruct(type) ? LLVMGetStructName(type) : NULL;
        const char *dot = name ? strchr(name, '.') : NULL; /* "struct.body" */
        front_cannot(l, "a whole %s%s%s is used as one value here; use its members",
                     is_struct ? "struct" : "array", dot ? " " : "", dot ? dot + 1 : "");
    } else if (kind == LLVMIntegerTypeKind) {
        front_cannot(l,
                     "a value of %u bits (from a bit-field, or a struct read as a whole) is not "
                     "supported; use members of 8, 16, 32 or 64 bits",
                     LLVMGetIntTypeWidth(type));
    } else {
        char *text = LLVMPrintTypeToString(type);
        front_cannot(l, "values of type %s are not supported", text);
        LLVMDisposeMessage(text);
    }
    return front_int_type(32, 1);
}

kir_type front_lower_type(front_lowering *l, LLVMTypeRef type) {
    kir_type element;
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind: return (kir_type){0};
    case LLVMHalfTypeKind: return (kir_type){KIR_FLOAT, 16, 1, 0};
    case LLVMFloatTypeKind: return (kir_type){KIR_FLOAT, 32, 1, 0};
    case LLVMDoubleTypeKind: return (kir_type){KIR_FLOAT, 64, 1, 0};
    case LLVMPointerTypeKind: return front_pointer_type(front_space_of(l, LLVMGetUndef(type)));
    case LLVMIntegerTypeKind: {
        unsigned bits = LLVMGetIntTypeWidth(type);
        if (bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64)
            return front_int_type((uint8_t)bits, 1);
        return unsupported_type(l, type);
    }
    case LLVMVectorTypeKind:
        element = front_lower_type(l, LLVMGetElementType(type));
        if (element.kind == KIR_PTR || LLVMGetVectorSize(type) > 16)
            return unsupported_type(l, type);
        element.lanes = (uint8_t)LLVMGetVectorSize(type);
        return element;
    case LLVMTargetExtTypeKind: /* an event is a handle */
        if (!strcmp(LLVMGetTargetExtTypeName(type), "spirv.Event"))
            return front_int_type(64, 1);
        return unsupported_type(l, type);
    default: return unsupported_type(l, type);
    }
}

kir_value front_value_of(front_lowering *l, LLVMValueRef value) {
    if (LLVMIsConstant(value))
        return front_lower_constant(l, value);
    kir_value known = front_pointer_map_get(&l->values, value);
    if (known == KIR_NONE) {
        front_cannot(l, "a value that kir cannot carry: %s", front_print_value(l, value));
        return 0;
    }
    return known;
}

void front_set_value(front_lowering *l, LLVMValueRef value, kir_value result) {
    front_pointer_map_set(l->arena, &l->values, value, result);
}

static kir_value operand(front_lowering *l, LLVMValueRef inst, unsigned index) {
    return front_value_of(l, LLVMGetOperand(inst, index));
}

/* A pointer operand in the space that its user works in. */
static kir_value pointer_in(front_lowering *l, LLVMValueRef value, kir_space space) {
    uint64_t zero = 0;
    if (LLVMIsConstant(value) && LLVMIsUndef(value))
        return front_leaf(&l->out, KIR_UNDEF, front_pointer_type(space), NULL, 0);
    if (LLVMIsConstant(value) && LLVMIsNull(value))
        return front_leaf(&l->out, KIR_CONST, front_pointer_type(space), &zero, 0);
    return front_in_space(&l->out, front_value_of(l, value), space);
}

/* The type of a value; a pointer's with the space that it really points into. */
static kir_type result_type(front_lowering *l, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return front_pointer_type(front_space_of(l, value));
    return front_lower_type(l, type);
}

static kir_value operand_like(front_lowering *l, LLVMValueRef value, kir_type type) {
    return type.kind == KIR_PTR ? pointer_in(l, value, (kir_space)type.space)
                                : front_value_of(l, value);
}

/* ---- plain instructions ---------------------------------------------- */

static const struct op_pair {
    LLVMOpcode from;
    kir_op to;
} binary_ops[] =
    {
        {LLVMAdd, KIR_ADD},   {LLVMSub, KIR_SUB},   {LLVMMul, KIR_MUL},   {LLVMSDiv, KIR_SDIV},
        {LLVMUDiv, KIR_UDIV}, {LLVMSRem, KIR_SREM}, {LLVMURem, KIR_UREM}, {LLVMAnd, KIR_AND},
        {LLVMOr, KIR_OR},     {LLVMXor, KIR_XOR},   {LLVMShl, KIR_SHL},   {LLVMLShr, KIR_LSHR},
        {LLVMAShr, KIR_ASHR}, {LLVMFAdd, KIR_FADD}, {LLVMFSub, KIR_FSUB}, {LLVMFMul, KIR_FMUL},
        {LLVMFDiv, KIR_FDIV}, {LLVMFRem, KIR_FREM},
},
  conversion_ops[] = {
      {LLVMTrunc, KIR_TRUNC},     {LLVMZExt, KIR_ZEXT},         {LLVMSExt, KIR_SEXT},
      {LLVMFPTrunc, KIR_FPTRUNC}, {LLVMFPExt, KIR_FPEXT},       {LLVMFPToSI, KIR_FPTOSI},
      {LLVMFPToUI, KIR_FPTOUI},   {LLVMSIToFP, KIR_SITOFP},     {LLVMUIToFP, KIR_UITOFP},
      {LLVMBitCast, KIR_BITCAST}, {LLVMPtrToInt, KIR_PTRTOINT}, {LLVMIntToPtr, KIR_INTTOPTR},
      {LLVMFreeze, KIR_FREEZE},   {LLVMFNeg, KIR_FNEG},
};

static bool find_op(const struct op_pair *table, size_t count, LLVMOpcode opcode, kir_op *op) {
    for (size_t i = 0; i < count; i++)
        if (table[i].from == opcode) {
            *op = table[i].to;
            return true;
        }
    return false;
}
#define FIND_OP(table, opcode, op) find_op(table, sizeof table / sizeof *table, opcode, op)

kir_value front_lower_binary(front_lowering *l, LLVMOpcode opcode, LLVMValueRef value) {
    kir_op op;
    if (!FIND_OP(binary_ops, opcode, &op)) {
        front_cannot(l, "an operation that kir does not have: %s", front_print_value(l, value));
        return 0;
    }
    /* `or` of numbers that share no bit is how LLVM writes a sum of these. */
    if (opcode == LLVMOr && LLVMIsAInstruction(value) && LLVMGetIsDisjoint(value))
        op = KIR_ADD;
    kir_value a = operand(l, value, 0), b = operand(l, value, 1);
    return front_emit2(&l->out, op, front_lower_type(l, LLVMTypeOf(value)), a, b);
}

kir_value front_lower_conversion(front_lowering *l, LLVMOpcode opcode, LLVMValueRef value) {
    LLVMValueRef from = LLVMGetOperand(value, 0);
    kir_type type = result_type(l, value);
    if (opcode == LLVMAddrSpaceCast)
        return pointer_in(l, from, (kir_space)type.space);
    kir_op op;
    if (!FIND_OP(conversion_ops, opcode, &op)) {
        front_cannot(l, "a conversion that kir does not have: %s", front_print_value(l, value));
        return 0;
    }
    return front_emit1(&l->out, op, type,
                       operand_like(l, from, op == KIR_FREEZE ? type : (kir_type){0}));
}

/* Operands of one comparison share a space. */
static kir_value lower_compare(front_lowering *l, LLVMValueRef inst) {
    static const kir_pred int_preds[] = {KIR_P_EQ,  KIR_P_NE,  KIR_P_UGT, KIR_P_UGE, KIR_P_ULT,
                                         KIR_P_ULE, KIR_P_SGT, KIR_P_SGE, KIR_P_SLT, KIR_P_SLE};
    static const kir_pred float_preds[] = {KIR_P_FALSE, KIR_P_OEQ,  KIR_P_OGT,  KIR_P_OGE,
                                           KIR_P_OLT,   KIR_P_OLE,  KIR_P_ONE,  KIR_P_ORD,
                                           KIR_P_UNO,   KIR_P_UEQ,  KIR_P_UFGT, KIR_P_UFGE,
                                           KIR_P_UFLT,  KIR_P_UFLE, KIR_P_UNE,  KIR_P_TRUE};
    LLVMValueRef left = LLVMGetOperand(inst, 0), right = LLVMGetOperand(inst, 1);
    if (LLVMGetInstructionOpcode(inst) == LLVMFCmp)
        return front_emit_compare(&l->out, float_preds[LLVMGetFCmpPredicate(inst)],
                                  front_value_of(l, left), front_value_of(l, right));
    kir_pred pred = int_preds[LLVMGetICmpPredicate(inst) - LLVMIntEQ];
    if (LLVMGetTypeKind(LLVMTypeOf(left)) != LLVMPointerTypeKind)
        return front_emit_compare(&l->out, pred, front_value_of(l, left), front_value_of(l, right));
    kir_space space = front_space_of(l, left), other = front_space_of(l, right);
    if (LLVMIsConstant(left) && LLVMIsNull(left))
        space = other;
    else if (space != other && !(LLVMIsConstant(right) && LLVMIsNull(right)))
        space = KIR_GENERIC;
    return front_emit_compare(&l->out, pred, pointer_in(l, left, space),
                              pointer_in(l, right, space));
}

static kir_value lower_shuffle(front_lowering *l, LLVMValueRef inst) {
    kir_type type = front_lower_type(l, LLVMTypeOf(inst));
    kir_value a = operand(l, inst, 0), b = operand(l, inst, 1);
    kir_value value = front_emit2(&l->out, KIR_SHUFFLE, type, a, b);
    kir_inst *shuffle = &l->out.insts.data[value];
    shuffle->imm_count = type.lanes;
    shuffle->imm = hd_new_array(l->arena, uint64_t, type.lanes);
    for (unsigned i = 0; i < type.lanes; i++) {
        int lane = LLVMGetMaskValue(inst, i);
        shuffle->imm[i] = lane == LLVMGetUndefMaskElem() ? UINT64_MAX : (uint64_t)lane;
    }
    return value;
}

void front_set_results(front_lowering *l, LLVMValueRef inst, uint32_t count,
                       const kir_value *results) {
    front_pointer_map_set(l->arena, &l->first_results, inst, (uint32_t)l->results.count);
    for (uint32_t i = 0; i < count; i++)
        hd_push(l->arena, &l->results, results[i]);
    if (count)
        front_set_value(l, inst, results[0]);
}

static kir_value lower_extract_value(front_lowering *l, LLVMValueRef inst) {
    kir_value first = front_pointer_map_get(&l->first_results, LLVMGetOperand(inst, 0));
    if (first != KIR_NONE && LLVMGetNumIndices(inst) == 1)
        return l->results.data[first + LLVMGetIndices(inst)[0]];
    front_cannot(l, "a whole struct is used as one value here; use its members");
    return 0;
}

/* ---- memory ---------------------------------------------------------- */

/* With the order and scope that the source says. */
static kir_value ordered(front_lowering *l, LLVMValueRef inst, kir_value value) {
    front_set_order(l, value, inst);
    return value;
}

static kir_value lower_store(front_lowering *l, LLVMValueRef inst) {
    LLVMValueRef stored = LLVMGetOperand(inst, 0);
    kir_value value = operand_like(l, stored, front_lower_type(l, LLVMTypeOf(stored)));
    kir_value address = front_member_address(l, LLVMGetOperand(inst, 1));
    if (LLVMGetOrdering(inst) > LLVMAtomicOrderingUnordered)
        return ordered(l, inst,
                       front_emit_atomic(&l->out, KIR_RMW_STORE, (kir_type){0}, 2,
                                         (kir_value[]){address, value}));
    front_emit_store(&l->out, value, address, LLVMGetAlignment(inst));
    kir_value store = (kir_value)l->out.insts.count - 1;
    l->out.insts.data[store].is_volatile = LLVMGetVolatile(inst);
    return ordered(l, inst, store);
}

/* ---- leaving a block ------------------------------------------------- */

static uint32_t block_of(front_lowering *l, LLVMBasicBlockRef block) {
    return front_pointer_map_get(&l->blocks, block);
}

static void lower_terminator(front_lowering *l, LLVMValueRef inst) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    kir_op op = opcode == LLVMRet ? KIR_RET : KIR_UNREACHABLE;
    unsigned count = LLVMGetNumSuccessors(inst);
    kir_value condition = 0;
    if (opcode == LLVMSwitch) {
        op = KIR_SWITCH;
        condition = operand(l, inst, 0);
    } else if (opcode == LLVMBr) {
        op = count == 1 ? KIR_BR : KIR_CONDBR;
        if (count == 2)
            condition = front_value_of(l, LLVMGetCondition(inst));
    }
    if (count == 2 && op == KIR_CONDBR && LLVMGetSuccessor(inst, 0) == LLVMGetSuccessor(inst, 1)) {
        op = KIR_BR;
        count = 1;
    }
    bool chooses = op == KIR_CONDBR || op == KIR_SWITCH;
    kir_value value = front_emit(&l->out, op, (kir_type){0}, chooses, &condition);
    kir_inst *last = &l->out.insts.data[value];
    last->to_count = count;
    last->to = hd_new_array(l->arena, uint32_t, count);
    for (unsigned i = 0; i < count; i++)
        last->to[i] = block_of(l, LLVMGetSuccessor(inst, i));
    if (op != KIR_SWITCH)
        return;
    last->imm_count = count - 1;
    last->imm = hd_new_array(l->arena, uint64_t, count);
    for (unsigned i = 0; i + 1 < count; i++)
        last->imm[i] = LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2 + 2 * i));
}

/* ---- phis ------------------------------------------------------------ */

/* The value a phi gets from a block; a cast that it needs goes to that block's end. */
static kir_value incoming(front_lowering *l, LLVMValueRef value, uint32_t block, kir_type type) {
    front_values *list = &l->out.lists[block];
    kir_value last = list->data[--list->count];
    l->out.current = list;
    l->out.current_block = block;
    kir_value result = operand_like(l, value, type);
    hd_push(l->arena, list, last);
    return result;
}

/* LLVM repeats a block that leads here by several edges; kir names it once. */
static void finish_phi(front_lowering *l, LLVMValueRef inst) {
    kir_value phi = front_value_of(l, inst);
    kir_type type = front_type_of_value(&l->out, phi);
    unsigned count = LLVMCountIncoming(inst);
    kir_value *args = hd_new_array(l->arena, kir_value, count);
    uint32_t *from = hd_new_array(l->arena, uint32_t, count), used = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t block = block_of(l, LLVMGetIncomingBlock(inst, i));
        bool seen = block == KIR_NONE; /* an unreachable block */
        block = seen ? block : l->ends[block];
        for (uint32_t k = 0; k < used; k++)
            seen |= from[k] == block;
        if (seen)
            continue;
        from[used] = block;
        args[used++] = incoming(l, LLVMGetIncomingValue(inst, i), block, type);
    }
    kir_inst *made = &l->out.insts.data[phi];
    made->args = args;
    made->from = from;
    made->arg_count = used;
}

/* ---- the kernel ------------------------------------------------------ */

static kir_value lower_value(front_lowering *l, LLVMValueRef inst) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    switch (opcode) {
    case LLVMPHI: return front_emit(&l->out, KIR_PHI, result_type(l, inst), 0, NULL);
    case LLVMAlloca: {
        LLVMValueRef count = LLVMGetOperand(inst, 0);
        if (!LLVMIsAConstantInt(count)) {
            front_cannot(l, "an array of variable size; give it a constant one");
            return 0;
        }
        uint64_t bytes = LLVMABISizeOfType(l->layout, LLVMGetAllocatedType(inst));
        return front_emit_alloca(&l->out, bytes * LLVMConstIntGetZExtValue(count),
                                 LLVMGetAlignment(inst));
    }
    case LLVMLoad: {
        kir_type type = front_lower_type(l, LLVMTypeOf(inst));
        kir_value address = front_member_address(l, LLVMGetOperand(inst, 0));
        if (LLVMGetOrdering(inst) > LLVMAtomicOrderingUnordered)
            return ordered(l, inst, front_emit_atomic(&l->out, KIR_RMW_LOAD, type, 1, &address));
        kir_value value = front_emit_load(&l->out, type, address, LLVMGetAlignment(inst));
        l->out.insts.data[value].is_volatile = LLVMGetVolatile(inst);
        return ordered(l, inst, value);
    }
    case LLVMStore: return lower_store(l, inst);
    case LLVMGetElementPtr: return front_lower_gep(l, inst);
    case LLVMICmp:
    case LLVMFCmp: return lower_compare(l, inst);
    case LLVMSelect: {
        kir_type type = result_type(l, inst);
        kir_value args[] = {operand(l, inst, 0), operand_like(l, LLVMGetOperand(inst, 1), type),
                            operand_like(l, LLVMGetOperand(inst, 2), type)};
        return front_emit(&l->out, KIR_SELECT, type, 3, args);
    }
    case LLVMExtractElement: return front_lane(l, operand(l, inst, 0), operand(l, inst, 1));
    case LLVMInsertElement:
        return front_emit(
            &l->out, KIR_INSERT, front_lower_type(l, LLVMTypeOf(inst)), 3,
            (kir_value[]){operand(l, inst, 0), operand(l, inst, 1), operand(l, inst, 2)});
    case LLVMShuffleVector: return lower_shuffle(l, inst);
    case LLVMExtractValue: return lower_extract_value(l, inst);
    default: break;
    }
    if (LLVMGetNumOperands(inst) == 1)
        return front_lower_conversion(l, opcode, inst);
    return front_lower_binary(l, opcode, inst);
}

static void lower_instruction(front_lowering *l, LLVMValueRef inst) {
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMRet:
    case LLVMBr:
    case LLVMSwitch:
    case LLVMUnreachable: lower_terminator(l, inst); return;
    case LLVMCall: front_lower_call(l, inst); return;
    case LLVMAtomicRMW: front_lower_rmw(l, inst); return;
    case LLVMAtomicCmpXchg: front_lower_cmpxchg(l, inst); return;
    case LLVMFence:
        front_emit1(&l->out, KIR_FENCE, (kir_type){0},
                    front_const_int(&l->out, front_int_type(32, 1), 3));
        return;
    default: front_set_value(l, inst, lower_value(l, inst)); return;
    }
}

/* An instruction that LLVM gave no place has that of the next one that has one. */
static void find_place(front_lowering *l, LLVMValueRef inst) {
    l->out.place = (hd_place){.file = l->front->path};
    l->out.file = 0;
    for (LLVMValueRef here = inst; here && !l->out.place.line; here = LLVMGetNextInstruction(here))
        l->out.place = front_place_of(l->front, here, &l->out.file);
}

static void lower_block(front_lowering *l, uint32_t block) {
    l->ends[block] = block;
    for (LLVMValueRef inst = LLVMGetFirstInstruction(l->order[block]); inst && !l->out.status;
         inst = LLVMGetNextInstruction(inst)) {
        uint32_t known = l->out.block_count;
        l->out.current_block = l->ends[block];
        l->out.current = &l->out.lists[l->out.current_block];
        find_place(l, inst);
        lower_instruction(l, inst);
        /* Inline assembly may have made blocks, in the last of which it goes on. */
        for (uint32_t b = known; b < l->out.block_count; b++)
            hd_push(l->arena, &l->owners, block);
        if (known < l->out.block_count)
            l->ends[block] = l->out.current_block;
    }
}

/* Blocks of inline assembly come to stand behind those that they are in. */
static void order_inline_blocks(front_lowering *l, uint32_t count) {
    uint32_t total = l->out.block_count, next = 0;
    uint32_t *number = hd_new_array(l->arena, uint32_t, total);
    front_values *lists = hd_new_array(l->arena, front_values, total);
    for (uint32_t b = 0, own = 0; b < count; b++) {
        number[b] = next++;
        for (; own < l->owners.count && l->owners.data[own] == b; own++)
            number[count + own] = next++;
    }
    for (uint32_t b = 0; b < total; b++) {
        lists[number[b]] = l->out.lists[b];
        for (size_t i = 0; i < l->out.lists[b].count; i++) {
            kir_inst *inst = &l->out.insts.data[l->out.lists[b].data[i]];
            inst->block = number[b];
            for (uint32_t a = 0; inst->op == KIR_PHI && a < inst->arg_count; a++)
                inst->from[a] = number[inst->from[a]];
            for (uint32_t t = 0; t < inst->to_count; t++)
                inst->to[t] = number[inst->to[t]];
        }
    }
    l->out.lists = lists;
}

static void lower_blocks(front_lowering *l) {
    uint32_t count = l->out.block_count;
    l->ends = hd_new_array(l->arena, uint32_t, count);
    for (uint32_t b = 0; b < count; b++)
        lower_block(l, b);
    for (uint32_t b = 0; b < count; b++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(l->order[b]);
             inst && LLVMIsAPHINode(inst) && !l->out.status; inst = LLVMGetNextInstruction(inst)) {
            find_place(l, inst);
            finish_phi(l, inst);
        }
    if (!l->out.status && l->owners.count)
        order_inline_blocks(l, count);
}

/* The successor to visit when `left` are left: the last one first, so that the
 * first comes out first; but the default of a switch comes out last. */
static LLVMBasicBlockRef successor(LLVMBasicBlockRef block, unsigned left) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    unsigned count = LLVMGetNumSuccessors(last);
    bool is_switch = LLVMGetInstructionOpcode(last) == LLVMSwitch;
    return LLVMGetSuccessor(last, is_switch ? left % count : left - 1);
}

/* Reverse post-order in which the first successor's blocks come first, as in
 * the source: the body of a loop before what follows it. */
static void order_blocks(front_lowering *l) {
    typedef struct visit {
        LLVMBasicBlockRef block;
        unsigned left; /* successors not looked at yet, from the last to the first */
    } visit;
    hd_vec(visit) stack = {0};
    hd_vec(LLVMBasicBlockRef) post = {0};
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(l->function);
    front_pointer_map_set(l->arena, &l->blocks, entry, 0);
    visit first = {entry, LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(entry))};
    hd_push(l->arena, &stack, first);
    while (stack.count) {
        visit *top = &stack.data[stack.count - 1];
        if (!top->left) {
            hd_push(l->arena, &post, top->block);
            stack.count--;
            continue;
        }
        LLVMBasicBlockRef next = successor(top->block, top->left--);
        if (front_pointer_map_get(&l->blocks, next) != KIR_NONE)
            continue;
        front_pointer_map_set(l->arena, &l->blocks, next, 0);
        visit deeper = {next, LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(next))};
        hd_push(l->arena, &stack, deeper);
    }
    l->out.block_count = (uint32_t)post.count;
    l->order = hd_new_array(l->arena, LLVMBasicBlockRef, l->out.block_count);
    for (uint32_t b = 0; b < l->out.block_count; b++) {
        l->order[b] = post.data[l->out.block_count - 1 - b];
        front_pointer_map_set(l->arena, &l->blocks, l->order[b], b);
    }
    l->out.lists = hd_new_array(l->arena, front_values, l->out.block_count);
}

static void lower_params(front_lowering *l) {
    kir_kernel *kernel = l->kernel;
    kernel->param_count = LLVMCountParams(l->function);
    kernel->params = hd_new_array(l->arena, kir_param, kernel->param_count);
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        LLVMValueRef argument = LLVMGetParam(l->function, i);
        kernel->params[i] = l->signature->params[i];
        l->out.place = l->signature->param_places[i];
        if (kernel->params[i].object) {
            front_declare_object(l, &kernel->params[i]);
            front_set_value(l, argument,
                            front_leaf(&l->out, KIR_PARAM, kernel->params[i].type, NULL, i));
            continue;
        }
        kir_type type = result_type(l, argument), own = type;
        if (type.kind == KIR_INT && type.bits == 1) /* a bool of C++ is a byte in memory */
            type.bits = 8;
        if (front_is_texture(argument))
            type = front_pointer_type(KIR_GLOBAL);
        kernel->params[i].type = type;
        kir_value value = front_leaf(&l->out, KIR_PARAM, type, NULL, i);
        if (own.kind != type.kind || own.bits != type.bits) {
            l->out.current = &l->out.entry;
            value =
                front_emit1(&l->out, type.kind == KIR_PTR ? KIR_PTRTOINT : KIR_TRUNC, own, value);
        }
        front_set_value(l, argument, value);
    }
}

/* Objects of OpenCL C are plain pointers for device targets, where nothing but the source's type says
 * what they are. */
static void refuse_objects(front_lowering *l) {
    static const char *const objects[][2] = {
        {"image", "spirv.Image"}, {"pipe", "spirv.Pipe"}, {"queue_t", "spirv.Queue"}};
    bool are_pointers = !l->front->is_cuda && front_has_device_spaces(l->front);
    for (uint32_t i = 0; i < l->kernel->param_count && are_pointers; i++)
        for (size_t k = 0; k < sizeof objects / sizeof *objects; k++) {
            const char *type = l->kernel->params[i].type_name;
            if (!type || !strstr(type, objects[k][0]) || l->kernel->params[i].record ||
                l->kernel->params[i].object)
                continue;
            l->out.place = l->signature->param_places[i];
            refuse_object(l, objects[k][1]);
        }
}

/* A number of a kernel's metadata. */
static uint32_t number_of(front_state *front, LLVMValueRef node, unsigned operand) {
    return (uint32_t)LLVMConstIntGetZExtValue(front_operand(front, node, operand));
}

/* reqd_work_group_size and intel_reqd_sub_group_size. */
static void read_required_sizes(front_lowering *l) {
    size_t count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(l->function, &count);
    LLVMContextRef context = l->front->context;
    static const char block[] = "reqd_work_group_size", part[] = "intel_reqd_sub_group_size";
    unsigned of_block = LLVMGetMDKindIDInContext(context, block, (unsigned)strlen(block));
    unsigned of_part = LLVMGetMDKindIDInContext(context, part, (unsigned)strlen(part));
    for (unsigned i = 0; i < count; i++) {
        unsigned kind = LLVMValueMetadataEntriesGetKind(entries, i);
        LLVMValueRef node =
            LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i));
        if (kind == of_block && LLVMGetMDNodeNumOperands(node) == 3)
            for (unsigned d = 0; d < 3; d++)
                l->kernel->required_local[d] = number_of(l->front, node, d);
        if (kind == of_part && LLVMGetMDNodeNumOperands(node) == 1)
            l->kernel->sub_group = number_of(l->front, node, 0);
    }
    LLVMDisposeValueMetadataEntries(entries);
    if (l->front->wave)
        l->kernel->sub_group = l->front->wave;
    if (l->kernel->sub_group > 64 ||
        (l->kernel->sub_group && !hd_is_power_of_two(l->kernel->sub_group))) {
        l->out.place = l->kernel->place;
        front_cannot(l, "a sub-group of %u work-items; ask for 8, 16, 32 or 64",
                     l->kernel->sub_group);
    }
}

hd_status front_lower_kernel(front_state *front, const front_entry *entry, kir_kernel **kernel) {
    LLVMValueRef function = entry->function;
    front_lowering l = {.front = front,
                        .arena = front->arena,
                        .function = function,
                        .layout = LLVMGetModuleDataLayout(front->llvm),
                        .kernel = hd_new(front->arena, kir_kernel)};
    l.out.arena = front->arena;
    for (size_t i = 0; i < front->signatures.count && !l.signature; i++)
        if (!strcmp(front->signatures.data[i].name, entry->symbol))
            l.signature = &front->signatures.data[i];
    if (!l.signature || l.signature->param_count != LLVMCountParams(function))
        return hd_fail(front->diag, HD_EUNSUPPORTED, &(hd_place){.file = front->path},
                       "the parameters of kernel %s are not known; if it is an instance of a "
                       "template, give it types with names, no lambdas",
                       entry->name);
    /* What failed lowerings return: %0. */
    front_leaf(&l.out, KIR_UNDEF, front_int_type(32, 1), NULL, 0);
    l.kernel->name = entry->name;
    l.kernel->place = l.signature->place;
    for (size_t i = 0; i < front->splits.count; i++)
        if (front->splits.data[i].function == function)
            l.kernel->split = front->splits.data[i].split;
    lower_params(&l);
    refuse_objects(&l);
    read_required_sizes(&l);
    order_blocks(&l);
    front_infer_spaces(&l);
    lower_blocks(&l);
    if (l.out.status)
        return l.out.status;
    front_join_entry(&l.out);
    hd_keep(&l.statics, l.kernel->statics, l.kernel->static_count);
    front_tidy(front->arena, l.kernel, l.out.insts.data, (uint32_t)l.out.insts.count, l.out.lists,
               l.out.block_count);
    *kernel = l.kernel;
    return kir_finish(front->arena, front->diag, l.kernel);
}
