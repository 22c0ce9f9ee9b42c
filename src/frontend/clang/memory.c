/*
 * What LLVM and clang do where memory is refused. C++ throws, which no C program catches, and
 * LLVM's own allocators write two words and abort. Both ask a handler first, which they have no C
 * interface for: the functions that set it are looked up by their C++ names.
 */
#include <dlfcn.h>

#include "frontend/frontend.h"

/* A std::new_handler. */
static void refuse(void) { hd_no_memory(0); }

/* An llvm::fatal_error_handler_t. */
static void refuse_with(void *user, const char *reason, bool wants_crash) {
    (void)user, (void)reason, (void)wants_crash;
    hd_no_memory(0);
}

void hd_front_catch_no_memory(void) {
    void (*(*set_new_handler)(void (*)(void)))(void);
    void (*install)(void (*)(void *, const char *, bool), void *);
    *(void **)&set_new_handler = dlsym(RTLD_DEFAULT, "_ZSt15set_new_handlerPFvvE");
    *(void **)&install =
        dlsym(RTLD_DEFAULT, "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");
    if (set_new_handler)
        set_new_handler(refuse);
    if (install)
        install(refuse_with, NULL);
}
