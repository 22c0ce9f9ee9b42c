/* See llvm.h. */
#include "machine/native/llvm/llvm.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hd_native_target_fn hd_native_target;
hd_native_compile_fn hd_native_compile;
hd_native_load_fn hd_native_load;
hd_native_unload_fn hd_native_unload;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *triple, *cpu, *features, target_text[8192];

static void begin(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    triple = LLVMGetDefaultTargetTriple();
    cpu = LLVMGetHostCPUName();
    features = LLVMGetHostCPUFeatures();
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    snprintf(target_text, sizeof target_text, "LLVM %u.%u.%u %s %s %s", major, minor, patch, triple,
             cpu, features);
}

const char *hd_native_target(void) {
    pthread_once(&once, begin);
    return target_text;
}

/* Straight code over vectors in short loops: what is computed twice and what does not change in a loop
 * is all that there is to gain. */
static const char passes[] = "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
                             "simplifycfg,loop-mssa(licm),early-cse<memssa>,"
                             "instcombine<no-verify-fixpoint>,simplifycfg)";

static LLVMTargetMachineRef machine_new(char **message) {
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, message))
        return NULL;
    return LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelDefault,
                                   LLVMRelocPIC, LLVMCodeModelDefault);
}

static char *message_of(LLVMErrorRef error) {
    char *text = LLVMGetErrorMessage(error), *copy = strdup(text);
    LLVMDisposeErrorMessage(text);
    return copy;
}

static void *emit(LLVMModuleRef module, size_t *bytes, char **message) {
    LLVMTargetMachineRef machine = machine_new(message);
    if (!machine)
        return NULL;
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(module, triple);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMMemoryBufferRef object = NULL;
    void *copy = NULL;
    if (error) {
        *message = message_of(error);
    } else if (!LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, message,
                                                    &object)) {
        *bytes = LLVMGetBufferSize(object);
        copy = malloc(*bytes);
        if (copy)
            memcpy(copy, LLVMGetBufferStart(object), *bytes);
        LLVMDisposeMemoryBuffer(object);
    }
    LLVMDisposeTargetMachine(machine);
    return copy;
}

void *hd_native_compile(const char *ir, size_t length, size_t *bytes, char **message) {
    pthread_once(&once, begin);
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, length, "kernel");
    LLVMModuleRef module;
    void *object = NULL;
    if (!LLVMParseIRInContext(context, text, &module, message)) {
        object = emit(module, bytes, message);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    return object;
}

void *hd_native_load(const void *object, size_t bytes, uint32_t count, const _Bool *has,
                     void **functions, char **message) {
    pthread_once(&once, begin);
    LLVMOrcLLJITRef jit;
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit, NULL);
    if (error) {
        *message = message_of(error);
        return NULL;
    }
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(object, bytes, "kernel.o");
    error = LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), buffer);
    for (uint32_t i = 0; i < count && !error; i++) {
        char name[16];
        LLVMOrcExecutorAddress address = 0;
        snprintf(name, sizeof name, "f%u", i);
        if (has[i])
            error = LLVMOrcLLJITLookup(jit, &address, name);
        functions[i] = (void *)(uintptr_t)address;
    }
    if (!error)
        return jit;
    *message = message_of(error);
    LLVMConsumeError(LLVMOrcDisposeLLJIT(jit));
    return NULL;
}

void hd_native_unload(void *handle) { LLVMConsumeError(LLVMOrcDisposeLLJIT(handle)); }
