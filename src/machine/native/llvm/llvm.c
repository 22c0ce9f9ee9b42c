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
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hd_native_target_fn hd_native_target;
hd_native_compile_fn hd_native_compile;
hd_native_load_fn hd_native_load;
hd_native_unload_fn hd_native_unload;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *triple, *cpu, *features, target_text[8192], features_without_avx512[8192];

static void begin(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    triple = LLVMGetDefaultTargetTriple();
    cpu = LLVMGetHostCPUName();
    features = LLVMGetHostCPUFeatures();
    snprintf(features_without_avx512, sizeof features_without_avx512, "%s,-avx512f", features);
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

static LLVMTargetMachineRef machine_new(const char *with, char **message) {
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, message))
        return NULL;
    return LLVMCreateTargetMachine(target, triple, cpu, with, LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                   LLVMCodeModelDefault);
}

/* Before July 2026 LLVM may give a VPTERNLOG that merges by a mask and has an operand in memory the
 * table of another function (its issue 157929). Such a one, as bytes: 62, map 0F3A, prefix 66, a mask and no
 * zeroing, 25, an address. */
static bool may_be_wrong(const unsigned char *object, size_t bytes) {
    for (size_t i = 0; i + 6 <= bytes; i++) {
        const unsigned char *b = object + i;
        if (b[0] == 0x62 && (b[1] & 7) == 3 && (b[2] & 7) == 5 && (b[3] & 7) && !(b[3] & 0x80) &&
            b[4] == 0x25 && b[5] < 0xc0)
            return true;
    }
    return false;
}

static char *message_of(LLVMErrorRef error) {
    char *text = LLVMGetErrorMessage(error), *copy = strdup(text);
    LLVMDisposeErrorMessage(text);
    return copy;
}

static void *emit(LLVMModuleRef module, const char *with, size_t *bytes, char **message) {
    LLVMTargetMachineRef machine = machine_new(with, message);
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

/* `with`: features of the processor, as LLVM writes them. */
static void *compile_with(const char *with, const char *ir, size_t length, size_t *bytes,
                          char **message) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, length, "kernel");
    LLVMModuleRef module;
    void *object = NULL;
    if (!LLVMParseIRInContext(context, text, &module, message)) {
        object = emit(module, with, bytes, message);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    return object;
}

void *hd_native_compile(const char *ir, size_t length, size_t *bytes, char **message) {
    pthread_once(&once, begin);
    void *object = compile_with(features, ir, length, bytes, message);
    if (object && !strncmp(triple, "x86_64", 6) && may_be_wrong(object, *bytes)) {
        free(object);
        object = compile_with(features_without_avx512, ir, length, bytes, message);
    }
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
