/* Errors: each thread's last one, names and texts. */
#include "cuda/runtime/runtime.h"

static __thread cuda_error last;

cudaError_t rt_last(cuda_error error) {
    if (error && error != CUDA_NOT_READY)
        last = error;
    return (cudaError_t)error;
}

cuda_error rt_begin(cuda_process **p) {
    *p = cuda_enter();
    (*p)->is_runtimes = true;
    cuda_error error = (*p)->sticky;
    return error ? error : cuda_need_machine(*p);
}

cudaError_t rt_end(cuda_process *p, cuda_error error) {
    cuda_leave(p);
    return rt_last(error);
}

API cudaPeekAtLastError(void) { return (cudaError_t)last; }

/* What ended the context stays until it is reset. */
API cudaGetLastError(void) {
    cuda_process *p = cuda_enter();
    cuda_error error = last;
    if (!p->sticky || error != p->sticky)
        last = CUDA_SUCCESS;
    cuda_leave(p);
    return (cudaError_t)error;
}

__attribute__((visibility("default"))) const char *cudaGetErrorName(cudaError_t error) {
    const char *name = cuda_error_runtime_name(error);
    return name ? name : "unrecognized error code";
}

__attribute__((visibility("default"))) const char *cudaGetErrorString(cudaError_t error) {
    const char *text = cuda_error_text(error);
    return text ? text : "unrecognized error code";
}
