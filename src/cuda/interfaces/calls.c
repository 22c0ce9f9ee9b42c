/* The calls of the interface: those that are refused, and that all others are there. */
#include "cuda/interfaces/call.h"

#define IN_HEADERS(...)
#ifdef CUDART
#define IN_RUNTIME(...) __VA_ARGS__
#define IN_DRIVER(...)
#else
#define IN_RUNTIME(...)
#define IN_DRIVER(...) __VA_ARGS__
#endif
#if defined(CUDART) && CUDART == 11
#define IN_RUNTIME_11(...) __VA_ARGS__
#else
#define IN_RUNTIME_11(...)
#endif
#if defined(CUDART) && CUDART == 12
#define IN_RUNTIME_12(...) __VA_ARGS__
#else
#define IN_RUNTIME_12(...)
#endif
#if defined(CUDART) && CUDART == 13
#define IN_RUNTIME_13(...) __VA_ARGS__
#else
#define IN_RUNTIME_13(...)
#endif

#undef CALL
/* Whatever the parameters of a call are, they are not looked at. */
#define CALL(name, interface, names)
#define HOST(name, interface, names, roles)
#define SAME(name, interface, names, as)
#define ABOUT(name, how)
#define REFUSED(name, interface, names, why)   \
    IN_##interface(EXPORT int name(void) {     \
        static bool told;                      \
        return call_refuse(#name, why, &told); \
    })
#include "kernel/cuda_calls.def"
#undef CALL
#undef HOST
#undef REFUSED

/* A row without a function does not link. */
#define CALL(name, interface, names) IN_##interface(extern const char name[];)
#define HOST(name, interface, names, roles) CALL(name, interface, names)
#define REFUSED(name, interface, names, why)
#include "kernel/cuda_calls.def"
#undef CALL
#define CALL(name, interface, names) IN_##interface(name, )
__attribute__((used)) static const char *const all_calls[] = {
#include "kernel/cuda_calls.def"
};

int call_refuse(const char *name, const char *why, bool *told) {
    cuda_process *p = cuda_enter();
    if (!*told)
        cuda_say(p, "warning: %s() is not there, and returns 'not supported'%s%s", name,
                 why ? "; nor are " : "", why ? why : "");
    *told = true;
    return call_end(p, CUDA_NOT_SUPPORTED);
}

int call_submit(cuda_handle stream, const cuda_work *work) {
    cuda_process *p;
    cuda_error error = call_begin(&p, CALL_NEEDS_CONTEXT);
    return call_end(p, error ? error : cuda_submit(p, stream, work));
}
