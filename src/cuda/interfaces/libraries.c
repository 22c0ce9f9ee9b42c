/* Libraries, which stand for modules in the driver, their kernels and variables. */
#include <stdio.h>

#include "cuda/interfaces/call.h"

/* ---- logs ------------------------------------------------------------------------------------------ */

/* CUjit_option */
enum { INFO_LOG = 3, INFO_BYTES = 4, ERROR_LOG = 5, ERROR_BYTES = 6, OPTIONS = 64 };

call_logs call_logs_of(unsigned count, const int *options, void **values) {
    call_logs l = {0};
    for (unsigned i = 0; i < count && options && values; i++) {
        size_t number = (size_t)(uintptr_t)values[i];
        switch (options[i]) {
        case INFO_LOG: l.info = values[i]; break;
        case ERROR_LOG: l.error = values[i]; break;
        case INFO_BYTES: l.info_bytes = number & UINT32_MAX, l.info_size = &values[i]; break;
        case ERROR_BYTES: l.error_bytes = number & UINT32_MAX, l.error_size = &values[i]; break;
        default: break; /* how to compile, which changes nothing here */
        }
    }
    return l;
}

static void fill_log(char *log, size_t bytes, void **size, const char *text) {
    int length = log && bytes ? snprintf(log, bytes, "%s", text) : 0;
    if (size)
        *size = (void *)(uintptr_t)((size_t)length < bytes ? (size_t)length : bytes);
}

void call_fill_logs(const call_logs *l, const cuda_process *p, cuda_error error) {
    fill_log(l->error, l->error_bytes, l->error_size, error && p->message ? p->message : "");
    fill_log(l->info, l->info_bytes, l->info_size, "");
}

/* ---- loading ----------------------------------------------------------------------------------- */

cuda_error call_load(cuda_process *p, cuda_handle *result, const char *name, const void *image,
                     const call_logs *l) {
    cuda_module *module;
    if (!result || !image)
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_module_load(p, name, image, &module);
    call_fill_logs(l, p, error);
    if (!error)
        *result = module;
    return error;
}

cuda_error call_load_file(cuda_process *p, cuda_handle *result, const char *path,
                          const call_logs *l) {
    char *text;
    size_t length;
    if (!path)
        return CUDA_INVALID_VALUE;
    hd_arena *arena = hd_arena_new();
    cuda_error error = CUDA_FILE_NOT_FOUND;
    if (!hd_read_file(arena, &p->diag, path, &text, &length))
        error = call_load(p, result, path, text, l);
    hd_arena_free(arena);
    return error;
}

/* The options behind the compiler's say what to keep of the image. */
#define LIBRARY_OPTIONS                                                                         \
    int *options, void **values, unsigned count, __attribute__((unused)) int *kept,             \
        __attribute__((unused)) void **kept_values, __attribute__((unused)) unsigned kept_count
CALL(NAMES(cudaLibraryLoadData, cuLibraryLoadData),
     (cuda_handle * library, const void *image, LIBRARY_OPTIONS), library, image, options, values,
     count, kept, kept_values, kept_count) {
    const call_logs l = call_logs_of(count, options, values);
    return call_load(p, library, "the library's PTX", image, &l);
}
CALL(NAMES(cudaLibraryLoadFromFile, cuLibraryLoadFromFile),
     (cuda_handle * library, const char *path, LIBRARY_OPTIONS), library, path, options, values,
     count, kept, kept_values, kept_count) {
    const call_logs l = call_logs_of(count, options, values);
    return call_load_file(p, library, path, &l);
}
CALL_ANYWHERE(NAMES(cudaLibraryUnload, cuModuleUnload), (cuda_handle library), library) {
    if (!cuda_handle_is(p, library, CUDA_MODULE))
        return CUDA_INVALID_HANDLE;
    cuda_module_remove(p, library);
    return CUDA_SUCCESS;
}

/* ---- what is in them --------------------------------------------------------------------------- */

CALL(NAMES(cudaLibraryGetKernel, cuModuleGetFunction),
     (cuda_handle * result, cuda_handle library, const char *name), result, library, name) {
    cuda_kernel *kernel;
    if (!cuda_handle_is(p, library, CUDA_MODULE))
        return CUDA_INVALID_HANDLE;
    cuda_error error =
        result && name ? cuda_kernel_named(p, library, name, &kernel) : CUDA_INVALID_VALUE;
    return error ? error : GIVE(result, kernel);
}
CALL(NAMES(cudaLibraryGetKernelCount, cuModuleGetFunctionCount),
     (unsigned *count, cuda_handle library), count, library) {
    return cuda_handle_is(p, library, CUDA_MODULE) ? GIVE(count, cuda_module_kernel_count(library))
                                                   : CUDA_INVALID_HANDLE;
}
CALL(NAMES(cudaLibraryEnumerateKernels, cuModuleEnumerateFunctions),
     (cuda_handle * room, unsigned most, cuda_handle library), room, most, library) {
    cuda_error error = cuda_handle_is(p, library, CUDA_MODULE) ? CUDA_SUCCESS : CUDA_INVALID_HANDLE;
    if (!room || !most)
        return CUDA_INVALID_VALUE;
    for (unsigned i = 0; !error && i < most && i < cuda_module_kernel_count(library); i++)
        error = cuda_kernel_at(p, library, i, (cuda_kernel **)&room[i]);
    return error;
}

static cuda_error variable(cuda_process *p, void **at, size_t *bytes, cuda_handle library,
                           const char *name) {
    void *found;
    size_t length;
    if (!cuda_handle_is(p, library, CUDA_MODULE))
        return CUDA_INVALID_HANDLE;
    cuda_error error =
        name ? cuda_variable_named(p, library, name, &found, &length) : CUDA_INVALID_VALUE;
    if (!error && at)
        *at = found;
    if (!error && bytes)
        *bytes = length;
    return error;
}
CALL(NAMES(cudaLibraryGetGlobal, cuModuleGetGlobal_v2),
     (void **at, size_t *bytes, cuda_handle library, const char *name), at, bytes, library, name) {
    return variable(p, at, bytes, library, name);
}

#ifdef CUDART
int cudaFuncSetAttribute(const void *function, int attribute, int value); /* kernels.c */
EXPORT int cudaKernelSetAttributeForDevice(cuda_handle kernel, int attribute, int value,
                                           int device) {
    return device ? call_last(CUDA_INVALID_DEVICE) : cudaFuncSetAttribute(kernel, attribute, value);
}
#endif
