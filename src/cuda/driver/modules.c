/* Modules, and linking. What modules and libraries have in common is in ../interfaces/libraries.c. */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/interfaces/call.h"

/* ---- modules ------------------------------------------------------------------------------------------- */

CALL(cuModuleLoadDataEx,
     (cuda_handle * module, const void *image, unsigned count, int *options, void **values), module,
     image, count, options, values) {
    const call_logs l = call_logs_of(count, options, values);
    return call_load(p, module, "the module's PTX", image, &l);
}
EXPORT int cuModuleLoadData(cuda_handle *module, const void *image) {
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}
CALL(cuModuleLoadFatBinary, (cuda_handle * module, const void *image), module, image) {
    return call_load(p, module, "the module's fat binary", image, &(call_logs){0});
}
CALL(cuModuleLoad, (cuda_handle * module, const char *path), module, path) {
    return call_load_file(p, module, path, &(call_logs){0});
}
CALL(cuFuncGetModule, (cuda_handle * module, cuda_handle function), module, function) {
    return cuda_handle_is(p, function, CUDA_KERNEL)
               ? GIVE(module, ((cuda_kernel *)function)->module)
               : CUDA_INVALID_HANDLE;
}

/* A function is there once it was asked for. */
CALL(cuFuncLoad, (cuda_handle function), function) {
    return cuda_handle_is(p, function, CUDA_KERNEL) ? cuda_kernel_need(p, function)
                                                    : CUDA_INVALID_HANDLE;
}
CALL(cuFuncIsLoaded, (int *state, cuda_handle function), state, function) {
    return cuda_handle_is(p, function, CUDA_KERNEL)
               ? GIVE(state, ((cuda_kernel *)function)->found != NULL)
               : CUDA_INVALID_HANDLE;
}
CALL_EARLY(cuModuleGetLoadingMode, (int *mode), mode) {
    enum { LAZY = 2 };
    return GIVE(mode, LAZY);
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

enum { INPUT_PTX = 1, INPUT_FATBIN = 2, INPUT_LIBRARY = 4 };

typedef struct linking {
    char *text;
    size_t bytes;
    unsigned inputs;
    call_logs logs;
} linking;

/* Handles of linking are those of modules to nobody else. */
EXPORT int cuLinkCreate_v2(unsigned count, int *options, void **values, linking **state) {
    if (!state)
        return CUDA_INVALID_VALUE;
    *state = hd_zeroed(1, sizeof **state);
    (*state)->logs = call_logs_of(count, options, values);
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

/* What a fat binary has for the device, and PTX; the device's own runtime is there without its
 * library. */
static cuda_error add_input(cuda_process *p, linking *state, int kind, const char *name,
                            const char *data, size_t bytes) {
    if (kind == INPUT_PTX)
        return add_text(state, data, strnlen(data, bytes));
    if (kind == INPUT_LIBRARY && !strcmp(hd_path_name(name), "libcudadevrt.a"))
        return CUDA_SUCCESS;
    const cuda_ptx_text *text;
    if (kind != INPUT_FATBIN) {
        cuda_say(p,
                 "error: %s is not PTX, and holds machine code, which only a GPU can run; link its "
                 "PTX",
                 name);
        return CUDA_NO_BINARY_FOR_GPU;
    }
    cuda_error error = cuda_module_text(p, name, data, &text);
    return error ? error : add_text(state, text->text, text->length);
}

CALL(cuLinkAddData_v2,
     (linking * state, int kind, const void *data, size_t bytes, const char *name, unsigned count,
      int *options, void **values),
     state, kind, data, bytes, name, count, options, values) {
    (void)count, (void)options, (void)values;
    if (!state || !data)
        return CUDA_INVALID_VALUE;
    return add_input(p, state, kind, name ? name : "an input of the link", data, bytes);
}
CALL(cuLinkAddFile_v2,
     (linking * state, int kind, const char *path, unsigned count, int *options, void **values),
     state, kind, path, count, options, values) {
    char *text;
    size_t length;
    (void)count, (void)options, (void)values;
    if (!state || !path)
        return CUDA_INVALID_VALUE;
    hd_arena *arena = hd_arena_new();
    cuda_error error = CUDA_FILE_NOT_FOUND;
    if (!hd_read_file(arena, &p->diag, path, &text, &length))
        error = add_input(p, state, kind, path, text, length);
    hd_arena_free(arena);
    return error;
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
    call_fill_logs(&state->logs, p, error);
    return error;
}

EXPORT int cuLinkDestroy(linking *state) {
    if (!state)
        return CUDA_INVALID_VALUE;
    free(state->text);
    free(state);
    return CUDA_SUCCESS;
}
