/*
 * PoCL as tests load it: this library, which needs PoCL's, stands before clang's, of which PoCL asks
 * for a compilation. To clang's options it adds the one by which clang knows the functions of the
 * language by itself, each when a kernel calls it; else it parses their 17,000 declarations with
 * every kernel, and that is half of the time that PoCL takes for one.
 *
 * It stands before LLVM's, too, by which clang starts the linker: a kernel is linked without the
 * libraries of C and mathematics, which its process has, and which take the linker most of its time.
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

/* llvm::StringRef; llvm::Optional<llvm::ArrayRef<llvm::StringRef>> */
typedef struct text {
    const char *at;
    size_t length;
} text;
typedef struct optional_texts {
    const text *texts;
    size_t count;
    bool is_given;
} optional_texts;

/* llvm::sys::ExecuteAndWait(): arrays and texts are their addresses and their lengths. */
#define EXECUTE                                                                  \
    "_ZN4llvm3sys14ExecuteAndWaitENS_9StringRefENS_8ArrayRefIS1_EENS_8OptionalI" \
    "S3_EENS2_INS4_IS1_EEEEjjPNSt7__cxx1112basic_stringIcSt11char_traitsIcESaI"  \
    "cEEEPbPNS4_INS0_17ProcessStatisticsEEEPNS_9BitVectorE"
typedef int execute(const char *program, size_t length, const text *words, size_t count,
                    optional_texts environment, const void *files, size_t file_count,
                    unsigned seconds, unsigned memory, void *message, bool *failed,
                    void *statistics, void *processors);
execute execute_and_wait __asm__(EXECUTE);

static bool is_word(const text *t, const char *word) {
    return t->length == strlen(word) && !memcmp(t->at, word, t->length);
}

int execute_and_wait(const char *program, size_t length, const text *words, size_t count,
                     optional_texts environment, const void *files, size_t file_count,
                     unsigned seconds, unsigned memory, void *message, bool *failed,
                     void *statistics, void *processors) {
    enum { MOST = 1000 };
    text fewer[MOST];
    size_t kept = 0;
    execute *next = (execute *)dlsym(RTLD_NEXT, EXECUTE);
    for (size_t i = 0; i < count && count <= MOST; i++)
        if (!is_word(&words[i], "-lc") && !is_word(&words[i], "-lm") &&
            !is_word(&words[i], "-lgcc_s"))
            fewer[kept++] = words[i];
    dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL); /* where the process itself has none */
    return next(program, length, kept ? fewer : words, kept ? kept : count, environment, files,
                file_count, seconds, memory, message, failed, statistics, processors);
}
