/*
 * PoCL as tests load it: this library, which needs PoCL's, stands before clang's, of which PoCL asks
 * for a compilation. To clang's options it adds the one by which clang knows the functions of the
 * language by itself, each when a kernel calls it; else it parses their 17,000 declarations with
 * every kernel, and that is half of the time that PoCL takes for one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* clang::CompilerInvocation::CreateFromArgs(CompilerInvocation &, llvm::ArrayRef<const char *>,
 * clang::DiagnosticsEngine &, const char *): an array is its address and its length. */
#define CREATE \
    _ZN5clang18CompilerInvocation14CreateFromArgsERS0_N4llvm8ArrayRefIPKcEERNS_17DiagnosticsEngineES5_
#define NAME_OF(function) NAME(function)
#define NAME(function) #function
typedef bool create(void *invocation, const char *const *options, size_t count, void *diagnostics,
                    const char *program);
create CREATE;

bool CREATE(void *invocation, const char *const *options, size_t count, void *diagnostics,
            const char *program) {
    enum { MOST = 1000 };
    const char *all[MOST + 1];
    create *next = (create *)dlsym(RTLD_NEXT, NAME_OF(CREATE));
    if (count > MOST)
        return next(invocation, options, count, diagnostics, program);
    memcpy(all, options, count * sizeof *options);
    all[count] = "-fdeclare-opencl-builtins";
    return next(invocation, all, count + 1, diagnostics, program);
}
