/*
 * Atomics, in their three forms: atomic_add and atom_add of OpenCL 1, the
 * atomic_fetch_add family of OpenCL 2 (memory order and scope are dropped: the
 * machine is sequential at every address), and LLVM's own instructions. An
 * increment of OpenCL is an addition of 1, a decrement a subtraction; those of CUDA
 * have a bound, and operations of their own.
 */
#include "frontend/clang/internal.h"

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
            front_set_value(l, instruction, front_emit_atomic(&l->out, rmws[i].to, type, 2, args));
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

bool front_lower_atomic_call(front_lowering *l, front_call *call) {
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
