/* Modules and libraries from PTX, their kernels and variables, and linking. */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/interfaces/call.h"

/* ---- logs ------------------------------------------------------------------------------------------ */

/* CUjit_option */
enum { INFO_LOG = 3, INFO_BYTES = 4, ERROR_LOG = 5, ERROR_BYTES = 6, OPTIONS = 64 };

/* Where a caller wants the compiler's words; a size is given and taken in the option's value. */
typedef struct logs {
    char *error, *info;
    size_t error_bytes, info_bytes;
    void **error_size, **info_size;
} logs;

static logs logs_of(unsigned count, const int *options, void **values) {
    logs l = {0};
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

static void fill_logs(const logs *l, const cuda_process *p, cuda_error error) {
    fill_log(l->error, l->error_bytes, l->error_size, error && p->message ? p->message : "");
    fill_log(l->info, l->info_bytes, l->info_size, "");
}

/* ---- modules ------------------------------------------------------------------------------------------- */

static cuda_error load(cuda_process *p, cuda_handle *result, const char *name, const void *image,
                       const logs *l) {
    cuda_module *module;
    if (!result || !image)
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_module_load(p, name, image, &module);
    fill_logs(l, p, error);
    if (!error)
        *result = module;
    return error;
}

CALL(cuModuleLoadDataEx,
     (cuda_handle * module, const void *image, unsigned count, int *options, void **values), module,
     image, count, options, values) {
    const logs l = logs_of(count, options, values);
    return load(p, module, "the module's PTX", image, &l);
}
EXPORT int cuModuleLoadData(cuda_handle *module, const void *image) {
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}
CALL(cuModuleLoadFatBinary, (cuda_handle * module, const void *image), module, image) {
    return load(p, module, "the module's fat binary", image, &(logs){0});
}
CALL(cuModuleLoad, (cuda_handle * module, const char *path), module, path) {
    char *text;
    size_t length;
    if (!path)
        return CUDA_INVALID_VALUE;
    hd_arena *arena = hd_arena_new();
    cuda_error error = CUDA_FILE_NOT_FOUND;
    if (!hd_read_file(arena, &p->diag, path, &text, &length))
        error = load(p, module, path, text, &(logs){0});
    hd_arena_free(arena);
    return error;
}
CALL_ANYWHERE(cuModuleUnload, (cuda_handle module), module) {
    if (!cuda_handle_is(p, module, CUDA_MODULE))
        return CUDA_INVALID_HANDLE;
    cuda_module_remove(p, module);
    return CUDA_SUCCESS;
}
CALL(cuModuleGetFunction, (cuda_handle * function, cuda_handle module, const char *name), function,
     module, name) {
    cuda_kernel *kernel;
    if (!cuda_handle_is(p, module, CUDA_MODULE))
        return CUDA_INVALID_HANDLE;
    cuda_error error =
        function && name ? cuda_kernel_named(p, module, name, &kernel) : CUDA_INVALID_VALUE;
    return error ? error : GIVE(function, kernel);
}
CALL(cuModuleGetGlobal_v2, (void **at, size_t *bytes, cuda_handle module, const char *name), at,
     bytes, module, name) {
    void *found;
    size_t length;
    if (!cuda_handle_is(p, module, CUDA_MODULE))
        return CUDA_INVALID_HANDLE;
    cuda_error error =
        name ? cuda_variable_named(p, module, name, &found, &length) : CUDA_INVALID_VALUE;
    if (!error && at)
        *at = found;
    if (!error && bytes)
        *bytes = length;
    return error;
}
CALL(cuFuncGetModule, (cuda_handle * module, cuda_handle function), module, function) {
    return cuda_handle_is(p, function, CUDA_KERNEL)
               ? GIVE(module, ((cuda_kernel *)function)->module)
               : CUDA_INVALID_HANDLE;
}

/* ---- libraries and their kernels, which stand for modules and functions here ------------------- */

EXPORT int cuLibraryLoadData(cuda_handle *library, const void *image, int *options, void **values,
                             unsigned count, int *library_options, void **library_values,
                             unsigned library_count) {
    (void)library_options, (void)library_values;
    (void)library_count; /* what to keep of the image */
    return cuModuleLoadDataEx(library, image, count, options, values);
}
EXPORT int cuLibraryLoadFromFile(cuda_handle *library, const char *path, int *options,
                                 void **values, unsigned count, int *library_options,
                                 void **library_values, unsigned library_count) {
    (void)options, (void)values, (void)count;
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoad(library, path);
}
CALL(cuLibraryGetModule, (cuda_handle * module, cuda_handle library), module, library) {
    return module && !cuda_handle_is(p, library, CUDA_MODULE) ? CUDA_INVALID_HANDLE
                                                              : GIVE(module, library);
}
CALL(cuKernelGetFunction, (cuda_handle * function, cuda_handle kernel), function, kernel) {
    return function && !cuda_handle_is(p, kernel, CUDA_KERNEL) ? CUDA_INVALID_HANDLE
                                                               : GIVE(function, kernel);
}
/* interfaces/kernels.c */
int cuFuncGetAttribute(int *value, int attribute, const void *function);
int cuFuncSetAttribute(const void *function, int attribute, int value);
int cuFuncSetCacheConfig(const void *function, int config);
EXPORT int cuKernelGetAttribute(int *value, int attribute, cuda_handle kernel, int device) {
    return device ? CUDA_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, kernel);
}
EXPORT int cuKernelSetAttribute(int attribute, int value, cuda_handle kernel, int device) {
    return device ? CUDA_INVALID_DEVICE : cuFuncSetAttribute(kernel, attribute, value);
}
EXPORT int cuKernelSetCacheConfig(cuda_handle kernel, int config, int device) {
    return device ? CUDA_INVALID_DEVICE : cuFuncSetCacheConfig(kernel, config);
}

/* ---- linking: texts one behind the other, which are linked when they are loaded ---------------------------------- */

enum { INPUT_PTX = 1 };

typedef struct linking {
    char *text;
    size_t bytes;
    unsigned inputs;
    logs logs;
} linking;

/* Handles of linking are those of modules to nobody else. */
EXPORT int cuLinkCreate_v2(unsigned count, int *options, void **values, linking **state) {
    if (!state)
        return CUDA_INVALID_VALUE;
    *state = hd_zeroed(1, sizeof **state);
    (*state)->logs = logs_of(count, options, values);
    return CUDA_SUCCESS;
}

static cuda_error add_text(linking *state, const char *text, size_t length) {
    size_t before = state->text ? state->bytes - 1 : 0;
    char *joined = hd_zeroed(before + length + 2, 1);
    if (before)
        memcpy(joined, state->text, before);
    memcpy(joined + before, text, length);
    joined[before + length] = '\n';
    free(state->text);
    state->text = joined;
    state->bytes = before + length + 2;
    state->inputs++;
    return CUDA_SUCCESS;
}

EXPORT int cuLinkAddData_v2(linking *state, int kind, const void *data, size_t bytes,
                            const char *name, unsigned count, int *options, void **values) {
    (void)name, (void)count, (void)options, (void)values;
    if (!state || !data)
        return CUDA_INVALID_VALUE;
    if (kind != INPUT_PTX)
        return CUDA_NOT_SUPPORTED;
    return add_text(state, data, strnlen(data, bytes));
}

/* Several texts are tried together, since who links them wants to hear here what does not fit. */
CALL(cuLinkComplete, (linking * state, void **image, size_t *bytes), state, image, bytes) {
    cuda_module *module;
    cuda_error error = CUDA_SUCCESS;
    if (!state || !image || !state->text)
        return CUDA_INVALID_VALUE;
    *image = state->text;
    if (bytes)
        *bytes = state->bytes;
    if (state->inputs > 1)
        error = cuda_module_load(p, "the linked PTX", state->text, &module);
    if (state->inputs > 1 && !error)
        cuda_module_remove(p, module);
    fill_logs(&state->logs, p, error);
    return error;
}

EXPORT int cuLinkDestroy(linking *state) {
    if (!state)
        return CUDA_INVALID_VALUE;
    free(state->text);
    free(state);
    return CUDA_SUCCESS;
}
