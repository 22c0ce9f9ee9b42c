/*
 * Atomics, in their three forms: atomic_add and atom_add of OpenCL 1, the
 * atomic_fetch_add family of OpenCL 2, and LLVM's own instructions. The machine is sequential at
 * every address; order and scope are for its check of races. An
 * increment of OpenCL is an addition of 1, a decrement a subtraction; those of CUDA
 * have a bound, and operations of their own.
 */
#include "frontend/clang/internal.h"

/* ---- order and scope -------------------------------------------------- */

/* What a load, a store, an atomic and a fence say without a word. */
static kir_order plainest(const kir_inst *inst, kir_order order) {
    bool is_load = inst->op == KIR_LOAD || (inst->op == KIR_ATOMIC && inst->index == KIR_RMW_LOAD);
    bool is_store =
        inst->op == KIR_STORE || (inst->op == KIR_ATOMIC && inst->index == KIR_RMW_STORE);
    if (order == KIR_ACQ_REL && (is_load || is_store))
        return is_load ? KIR_ACQUIRE : KIR_RELEASE;
    bool is_default = inst->op == KIR_FENCE    ? order == KIR_ACQ_REL
                      : inst->op == KIR_ATOMIC ? order == KIR_RELAXED
                                               : false;
    return is_default ? KIR_UNSAID : order;
}

/* clang says of CUDA's atomicAdd() and its like that they are sequentially consistent, and they are
 * relaxed; what a source may say of itself has other words (heddle_functions.h). */
void front_set_order(front_lowering *l, kir_value value, LLVMValueRef instruction) {
    kir_inst *inst = &l->out.insts.data[value];
    bool is_cuda = l->front->is_cuda;
    bool is_cas = LLVMIsAAtomicCmpXchgInst(instruction) != NULL;
    switch (is_cas ? LLVMGetCmpXchgSuccessOrdering(instruction) : LLVMGetOrdering(instruction)) {
    case LLVMAtomicOrderingNotAtomic:
        inst->order = is_cuda && inst->is_volatile ? KIR_RELAXED : KIR_UNSAID;
        break;
    case LLVMAtomicOrderingAcquire: inst->order = KIR_ACQUIRE; break;
    case LLVMAtomicOrderingRelease: inst->order = KIR_RELEASE; break;
    case LLVMAtomicOrderingAcquireRelease: inst->order = KIR_ACQ_REL; break;
    case LLVMAtomicOrderingSequentiallyConsistent:
        inst->order = is_cuda && inst->op == KIR_ATOMIC ? KIR_RELAXED : KIR_ACQ_REL;
        break;
    default: inst->order = KIR_RELAXED;
    }
    inst->order = plainest(inst, inst->order);
    inst->is_block_scope = is_cuda && front_is_inside(l->front, instruction, "heddle_of_block_");
}

/* memory_order and memory_scope of OpenCL 2, which are those arguments, if there are so many; without
 * them it is what C11 says. */
void front_set_written_order(front_lowering *l, kir_value value, const front_call *call,
                             uint32_t order_at, uint32_t scope_at) {
    static const kir_order orders[] = {KIR_RELAXED, KIR_ACQUIRE, KIR_ACQUIRE,
                                       KIR_RELEASE, KIR_ACQ_REL, KIR_ACQ_REL};
    enum { WORK_ITEM, WORK_GROUP, DEVICE, SEQ_CST = 5 };
    const kir_inst *insts = l->out.insts.data, *order = NULL, *scope = NULL;
    if (order_at < call->arg_count)
        order = &insts[call->args[order_at]];
    if (scope_at < call->arg_count)
        scope = &insts[call->args[scope_at]];
    uint64_t said = order && order->op == KIR_CONST ? order->imm[0] : SEQ_CST;
    uint64_t reach = scope && scope->op == KIR_CONST ? scope->imm[0] : DEVICE;
    kir_inst *inst = &l->out.insts.data[value];
    inst->order = plainest(inst, orders[said < SEQ_CST ? said : SEQ_CST]);
    inst->is_block_scope = reach == WORK_ITEM || reach == WORK_GROUP;
}

/* ---- LLVM's instructions --------------------------------------------- */

void front_lower_rmw(front_lowering *l, LLVMValueRef instruction) {
    static const struct {
        LLVMAtomicRMWBinOp from;
        kir_rmw to;
    } rmws[] = {
        {LLVMAtomicRMWBinOpXchg, KIR_RMW_XCHG},    {LLVMAtomicRMWBinOpAdd, KIR_RMW_ADD},
        {LLVMAtomicRMWBinOpSub, KIR_RMW_SUB},      {LLVMAtomicRMWBinOpAnd, KIR_RMW_AND},
        {LLVMAtomicRMWBinOpOr, KIR_RMW_OR},        {LLVMAtomicRMWBinOpXor, KIR_RMW_XOR},
        {LLVMAtomicRMWBinOpMax, KIR_RMW_MAX},      {LLVMAtomicRMWBinOpMin, KIR_RMW_MIN},
        {LLVMAtomicRMWBinOpUMax, KIR_RMW_UMAX},    {LLVMAtomicRMWBinOpUMin, KIR_RMW_UMIN},
        {LLVMAtomicRMWBinOpFAdd, KIR_RMW_FADD},    {LLVMAtomicRMWBinOpUIncWrap, KIR_RMW_INC},
        {LLVMAtomicRMWBinOpUDecWrap, KIR_RMW_DEC},
    };
    kir_type type = front_lower_type(l, LLVMTypeOf(instruction));
    kir_value address = front_member_address(l, LLVMGetOperand(instruction, 0));
    kir_value args[] = {address, front_value_of(l, LLVMGetOperand(instruction, 1))};
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(instruction);
    for (size_t i = 0; i < sizeof rmws / sizeof *rmws; i++)
        if (rmws[i].from == op) {
            kir_value old = front_emit_atomic(&l->out, rmws[i].to, type, 2, args);
            front_set_order(l, old, instruction);
            front_set_value(l, instruction, old);
            return;
        }
    front_cannot(l, "this atomic operation is not supported; use atomic_cmpxchg in a loop");
}

void front_lower_cmpxchg(front_lowering *l, LLVMValueRef instruction) {
    LLVMValueRef compare = LLVMGetOperand(instruction, 1);
    kir_type type = front_lower_type(l, LLVMTypeOf(compare));
    kir_value address = front_member_address(l, LLVMGetOperand(instruction, 0));
    kir_value args[] = {address, front_value_of(l, LLVMGetOperand(instruction, 2)),
                        front_value_of(l, compare)};
    kir_value old = front_emit_atomic(&l->out, KIR_RMW_CMPXCHG, type, 3, args);
    front_set_order(l, old, instruction);
    kir_value results[] = {old, front_emit_compare(&l->out, KIR_P_EQ, old, args[2])};
    front_set_results(l, instruction, 2, results);
}

/* ---- built-in functions ---------------------------------------------- */

/* "add" of atomic_add, atom_add, atomic_fetch_add and atomic_fetch_add_explicit. */
static const char *operation_of(front_lowering *l, const char *name) {
    const char *prefixes[] = {"atomic_fetch_", "atomic_", "atom_"};
    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length))
            continue;
        const char *suffix = strstr(name, "_explicit");
        return suffix ? hd_strndup(l->arena, name + length, (size_t)(suffix - name) - length)
                      : name + length;
    }
    return NULL;
}

/* Signedness and floats are told by the type that is pointed to. */
static void plain_atomic(front_lowering *l, front_call *call, const char *operation,
                         kir_value address) {
    char code = front_first_type_code(call->types);
    bool is_float = code && strchr("fdH", code), is_unsigned = code && strchr("htjm", code);
    bool goes_up = !strcmp(operation, "inc"), goes_down = !strcmp(operation, "dec");
    const char *name = goes_up                         ? "add"
                       : goes_down                     ? "sub"
                       : strcmp(operation, "exchange") ? operation
                                                       : "xchg";
    kir_rmw rmw = front_rmw_of(name, is_unsigned, is_float);
    if (rmw == KIR_RMW_COUNT)
        front_cannot(l, "atomic function %s is not supported; use atomic_cmpxchg in a loop",
                     call->name);
    else if (is_float && !hd_has_word("add xchg load store", name))
        front_cannot(l,
                     "%s of floating-point numbers is not supported; use atomic_cmpxchg in a loop",
                     call->name);
    else if (rmw == KIR_RMW_STORE)
        front_emit_atomic(&l->out, rmw, (kir_type){0}, 2, (kir_value[]){address, call->args[1]});
    else if (rmw == KIR_RMW_LOAD)
        call->result = front_emit_atomic(&l->out, rmw, call->type, 1, &address);
    else if (rmw == KIR_RMW_CMPXCHG)
        call->result = front_emit_atomic(&l->out, rmw, call->type, 3,
                                         (kir_value[]){address, call->args[2], call->args[1]});
    else
        call->result = front_emit_atomic(
            &l->out, rmw, call->type, 2,
            (kir_value[]){address, goes_up || goes_down ? front_const_int(&l->out, call->type, 1)
                                                        : call->args[1]});
}

static bool lower_atomic_call(front_lowering *l, front_call *call) {
    const char *operation = operation_of(l, call->name);
    if (!operation || !strcmp(operation, "work_item_fence"))
        return false;
    kir_value address = front_member_address(l, LLVMGetOperand(call->inst, 0));
    if (!strcmp(operation, "init")) {
        front_emit_store(&l->out, call->args[1], address,
                         kir_type_bytes(front_type_of_value(&l->out, call->args[1])));
        return true;
    }
    if (!strncmp(operation, "compare_exchange_", 17)) {
        /* The value that atomic_compare_exchange expects stands in memory, and gets
         * what was found; storing it when it matched changes nothing. */
        kir_type type = front_type_of_value(&l->out, call->args[2]);
        uint32_t bytes = kir_type_bytes(type);
        kir_value expected = front_emit_load(&l->out, type, call->args[1], bytes);
        kir_value args[] = {address, call->args[2], expected};
        kir_value old = front_emit_atomic(&l->out, KIR_RMW_CMPXCHG, type, 3, args);
        front_emit_store(&l->out, old, call->args[1], bytes);
        call->result = front_emit_compare(&l->out, KIR_P_EQ, old, expected);
        return true;
    }
    if (!strcmp(operation, "flag_test_and_set")) {
        kir_type type = front_int_type(32, 1);
        kir_value args[] = {address, front_const_int(&l->out, type, 1)};
        kir_value old = front_emit_atomic(&l->out, KIR_RMW_XCHG, type, 2, args);
        call->result =
            front_emit_compare(&l->out, KIR_P_NE, old, front_const_int(&l->out, type, 0));
        return true;
    }
    if (!strcmp(operation, "flag_clear")) {
        kir_value args[] = {address, front_const_int(&l->out, front_int_type(32, 1), 0)};
        front_emit_atomic(&l->out, KIR_RMW_STORE, (kir_type){0}, 2, args);
        return true;
    }
    plain_atomic(l, call, operation, address);
    return true;
}

/* The functions of OpenCL 2 have an order, and may have a scope; those of OpenCL 1 are relaxed. */
static void set_order_of_call(front_lowering *l, const front_call *call, kir_value atomic) {
    const char *name = call->name + strlen("atomic_");
    bool exchanges = starts_with(name, "compare_exchange_"), is_flag = starts_with(name, "flag_");
    bool is_new = starts_with(name, "fetch_") || starts_with(name, "load") ||
                  starts_with(name, "store") || starts_with(name, "exchange") || exchanges ||
                  is_flag;
    uint32_t at = exchanges ? 3 : is_flag || starts_with(name, "load") ? 1 : 2;
    if (starts_with(call->name, "atomic_") && is_new)
        front_set_written_order(l, atomic, call, at, exchanges ? 5 : at + 1);
}

bool front_lower_atomic_call(front_lowering *l, front_call *call) {
    size_t before = l->out.insts.count;
    if (!lower_atomic_call(l, call))
        return false;
    for (size_t v = before; v < l->out.insts.count; v++)
        if (l->out.insts.data[v].op == KIR_ATOMIC)
            set_order_of_call(l, call, (kir_value)v);
    return true;
}
