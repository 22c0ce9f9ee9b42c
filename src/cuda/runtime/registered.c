/* What the code that nvcc writes into a program calls before main() and for <<< >>>. */
#include "cuda/interfaces/call.h"

EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
    cuda_process *p = cuda_enter();
    cuda_module *module = cuda_module_register(p, wrapper);
    cuda_leave(p);
    return (void **)module;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

EXPORT void __cudaUnregisterFatBinary(void **handle) {
    cuda_process *p = cuda_enter();
    if (cuda_handle_is(p, handle, CUDA_MODULE))
        cuda_module_remove(p, (cuda_module *)handle);
    cuda_leave(p);
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int thread_limit, void *tid, void *bid, void *block, void *grid,
                                   int *warp) {
    cuda_process *p = cuda_enter();
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    cuda_module_add_kernel(p, (cuda_module *)handle, host, name);
    cuda_leave(p);
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t bytes, int constant, int global) {
    cuda_process *p = cuda_enter();
    (void)device, (void)ext, (void)constant, (void)global;
    cuda_module_add_variable(p, (cuda_module *)handle, host, name, bytes, false);
    cuda_leave(p);
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                     int ext, size_t bytes, int constant, int global) {
    cuda_process *p = cuda_enter();
    (void)device, (void)ext, (void)constant, (void)global;
    cuda_module_add_variable(p, (cuda_module *)handle, host, name, bytes, true);
    cuda_leave(p);
}

/* Before the host touches a managed variable. */
EXPORT char __cudaInitModule(void **handle) {
    cuda_process *p;
    cuda_error error = call_begin(&p, CALL_NEEDS_MACHINE);
    return call_end(p, error ? error : cuda_module_need(p, (cuda_module *)handle)) == CUDA_SUCCESS;
}

/* ---- <<< >>> ------------------------------------------------------------------------------------ */

/* Of the launches that are being put together; one may stand in an argument of another. */
enum { CONFIGURATIONS = 64 };
static __thread struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configurations[CONFIGURATIONS];
static __thread unsigned configuration_count;

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
    if (configuration_count == CONFIGURATIONS)
        return (unsigned)call_last(CUDA_INVALID_CONFIGURATION);
    configurations[configuration_count++] =
        (__typeof__(*configurations)){grid, block, shared, stream};
    return CUDA_SUCCESS;
}

EXPORT int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (!configuration_count)
        return call_last(CUDA_MISSING_CONFIGURATION);
    __typeof__(*configurations) *c = &configurations[--configuration_count];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(void **)stream = c->stream;
    return CUDA_SUCCESS;
}
