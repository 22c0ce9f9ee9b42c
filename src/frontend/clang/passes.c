/*
 * The fixed list of LLVM passes. It brings a kernel into the form that the
 * analyses want, and nothing more: every access that a thread makes to global
 * or local memory afterwards is one that the source makes, under the same
 * condition and as often, less the ones that any compiler would drop.
 *
 *     always-inline   every helper function, so that a kernel is one function
 *     sroa            private variables and structs become values
 *     early-cse       one computation, one load of the same unchanged memory
 *     sccp            branches on constants go, with what they guard
 *     instsimplify    x + 0 → x and the like, no new instructions
 *     sroa, early-cse again: constants have now reached the indices
 *     adce            what nobody uses goes
 *
 * What CUDA C needs on top (prepare.c) is done after inlining. What is absent is
 * so on purpose. instcombine and gvn turn typed addresses
 * into byte offsets and loads of other widths; simplifycfg runs loads of both
 * arms of a branch where one was asked for; loop passes move accesses out of
 * loops; unrolling and vectorising make accesses that the source has not.
 */
#include <llvm-c/Error.h>
#include <llvm/Config/llvm-config.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "frontend/clang/internal.h"

static const char inlining[] = "always-inline";
static const char clean_up[] = "function(sroa<preserve-cfg>,early-cse<memssa>,sccp,instsimplify,"
                               "sroa<preserve-cfg>,early-cse<memssa>,instsimplify,adce)";

/* ---- recursion ------------------------------------------------------- */

enum { WALKING = 1, DONE = 2 };

static LLVMValueRef called_function(LLVMValueRef instruction) {
    if (!LLVMIsACallInst(instruction))
        return NULL;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    return LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) ? callee : NULL;
}

static hd_status refuse_recursion(front_state *front, front_pointer_map *states,
                                  LLVMValueRef function) {
    hd_status status = HD_OK;
    front_pointer_map_set(front->arena, states, function, WALKING);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block && !status;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst && !status;
             inst = LLVMGetNextInstruction(inst)) {
            LLVMValueRef callee = called_function(inst);
            if (!callee)
                continue;
            uint32_t state = front_pointer_map_get(states, callee);
            if (state == KIR_NONE)
                status = refuse_recursion(front, states, callee);
            if (state != WALKING)
                continue;
            uint32_t file;
            hd_place place = front_place_of(front, inst, &file);
            const char *text = front->files.data[file].text;
            place.text = text && place.line ? hd_line_of(front->arena, text, place.line) : NULL;
            status = hd_fail(front->diag, HD_EUNSUPPORTED, &place,
                             "recursion is not supported: %s calls %s%s here; write it as a loop",
                             front_function_name(front, function),
                             callee == function ? "itself" : front_function_name(front, callee),
                             callee == function ? "" : ", which has called it,");
        }
    }
    front_pointer_map_set(front->arena, states, function, DONE);
    return status;
}

/* ---- attributes ------------------------------------------------------ */

static unsigned attribute(const char *name) {
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static void mark_for_inlining(LLVMContextRef context, LLVMValueRef function) {
    static const char *const obstacles[] = {"noinline", "optnone", "optsize", "minsize"};
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++)
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       attribute(obstacles[i]));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, attribute("alwaysinline"), 0));
}

/* Built-ins that touch no memory (ids, mathematics) are called convergent by
 * clang, which keeps equal calls in different blocks apart. They are not. */
static void forget_convergence(LLVMValueRef function) {
    unsigned memory = attribute("memory"), convergent = attribute("convergent");
    LLVMAttributeRef effects =
        LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, memory);
    if (!effects || LLVMGetEnumAttributeValue(effects) != 0)
        return;
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, convergent);
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function)
            LLVMRemoveCallSiteEnumAttribute(user, LLVMAttributeFunctionIndex, convergent);
    }
}

static hd_status run_passes(front_state *front, const char *list) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(front->llvm, list, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return HD_OK;
    char *text = LLVMGetErrorMessage(error);
    hd_status status =
        hd_fail(front->diag, HD_ESYSTEM, NULL, "LLVM %d does not know a pass that Heddle needs: %s",
                LLVM_VERSION_MAJOR, text);
    LLVMDisposeErrorMessage(text);
    return status;
}

static hd_status mark_functions(front_state *front) {
    front_pointer_map states = {0};
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function;
         function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function)) {
            front_mark_pure(front, function);
            forget_convergence(function);
            continue;
        }
        bool is_entry = front_is_entry(front, function);
        if (is_entry && front_pointer_map_get(&states, function) == KIR_NONE) {
            hd_status status = refuse_recursion(front, &states, function);
            if (status)
                return status;
        }
        mark_for_inlining(front->context, function);
        if (!is_entry)
            LLVMSetLinkage(function, LLVMInternalLinkage);
    }
    return HD_OK;
}

hd_status front_simplify(front_state *front) {
    hd_status status = mark_functions(front);
    if (!status)
        status = front_check_inlining(front);
    if (!status)
        status = run_passes(front, inlining);
    if (!status && front->is_cuda)
        front_prepare(front);
    return status ? status : run_passes(front, clean_up);
}
