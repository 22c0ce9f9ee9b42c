/*
 * The fixed list of LLVM passes. It brings a kernel into the form that the
 * analyses want, and nothing more: every access that a thread makes to global
 * or local memory afterwards is one that the source makes, under the same
 * condition and as often, less the ones that any compiler would drop.
 *
 *     globaldce       what no kernel reaches goes
 *     always-inline   every helper function, so that a kernel is one function
 *     sroa            private variables and structs become values
 *     early-cse       one computation, one load of the same unchanged memory
 *     sccp            branches on constants go, with what they guard
 *     instsimplify    x + 0 → x and the like, no new instructions
 *     sroa, early-cse again: constants have now reached the indices
 *     adce            what nobody uses goes
 *
 * What CUDA C needs on top (prepare.c), and what is known of images (images.c), is done after inlining. What is absent is
 * so on purpose. instcombine and gvn turn typed addresses
 * into byte offsets and loads of other widths; simplifycfg runs loads of both
 * arms of a branch where one was asked for; loop passes move accesses out of
 * loops; unrolling and vectorising make accesses that the source has not.
 */
#include <llvm-c/Error.h>
#include <llvm/Config/llvm-config.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "frontend/clang/internal.h"

static const char dropping[] = "globaldce";
static const char inlining[] = "always-inline,globaldce";
static const char clean_up[] = "function(sroa<preserve-cfg>,early-cse<memssa>,sccp,instsimplify,"
                               "sroa<preserve-cfg>,early-cse<memssa>,instsimplify,adce)";

/* ---- attributes ------------------------------------------------------ */

static unsigned attribute(const char *name) {
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
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

/* Lanes that exchange values, as OpenCL C has it, touch no memory by that: loads before and after
 * are of the same contents. clang says so of CUDA's functions alone. */
static void mark_exchange(front_state *front, LLVMValueRef function) {
    static const char *const exchanges[] = {"sub_group_",       "work_group_reduce_",
                                            "work_group_scan_", "work_group_broadcast",
                                            "work_group_all",   "work_group_any"};
    enum { INACCESSIBLE_MEMORY_ONLY = 12 }; /* as LLVM numbers effects */
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    bool found = false;
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++)
        found |= strstr(name, exchanges[i]) != NULL;
    if (front->is_cuda || !found || strstr(name, "barrier") || strstr(name, "_block_"))
        return;
    LLVMAddAttributeAtIndex(
        function, LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(front->context, attribute("memory"), INACCESSIBLE_MEMORY_ONLY));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(front->context, attribute("nounwind"), 0));
}

hd_status front_run_passes(front_state *front, LLVMTargetMachineRef machine, const char *list) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(front->llvm, list, machine, options);
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

/* Functions that no kernel needs go: most of what headers define. */
static hd_status drop_unreached(front_state *front) {
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function;
         function = LLVMGetNextFunction(function))
        if (!LLVMIsDeclaration(function) && !front_is_entry(front, function))
            LLVMSetLinkage(function, LLVMInternalLinkage);
    return front_run_passes(front, NULL, dropping);
}

hd_status front_simplify(front_state *front) {
    hd_status status = drop_unreached(front);
    front_check_inlining(front);
    if (!status)
        status = drop_unreached(front); /* with kernels that are left out */
    for (LLVMValueRef function = LLVMGetFirstFunction(front->llvm); function;
         function = LLVMGetNextFunction(function))
        if (LLVMIsDeclaration(function)) {
            front_mark_pure(front, function);
            mark_exchange(front, function);
            forget_convergence(function);
        }
    if (!status)
        status = front_run_passes(front, NULL, inlining);
    if (!status && front->is_cuda)
        front_prepare(front);
    else if (!status)
        status = front_know_objects(front);
    if (status || front->form != KIR_AS_WRITTEN)
        return status ? status : front_optimise(front);
    return front_run_passes(front, NULL, clean_up);
}
