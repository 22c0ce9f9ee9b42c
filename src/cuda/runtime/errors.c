/* How calls begin and end, and errors: each thread's last one, names and texts. */
#include "cuda/interfaces/call.h"

static __thread cuda_error last;

cudaError_t call_last(cuda_error error) {
    if (error && error != CUDA_NOT_READY)
        last = error;
    return (cudaError_t)error;
}

cuda_error call_begin(cuda_process **p, call_need need) {
    *p = cuda_enter();
    if (need < CALL_NEEDS_MACHINE)
        return CUDA_SUCCESS;
    (*p)->is_runtimes = true;
    cuda_error error = (*p)->sticky;
    return error ? error : cuda_need_machine(*p);
}

int call_end(cuda_process *p, cuda_error error) {
    cuda_leave(p);
    return call_last(error);
}

EXPORT int cudaPeekAtLastError(void) { return (cudaError_t)last; }

/* What ended the context stays until it is reset. */
EXPORT int cudaGetLastError(void) {
    cuda_process *p = cuda_enter();
    cuda_error error = last;
    if (!p->sticky || error != p->sticky)
        last = CUDA_SUCCESS;
    cuda_leave(p);
    return (cudaError_t)error;
}

EXPORT const char *cudaGetErrorName(cudaError_t error) {
    const char *name = cuda_error_runtime_name(error);
    return name ? name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t error) {
    const char *text = cuda_error_text(error);
    return text ? text : "unrecognized error code";
}
