/* Modules from PTX, their kernels and variables, and launches. */
#include "cuda/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>

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

static cuda_error load(cuda_process *p, dr_handle *result, const char *name, const void *image,
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

API cuModuleLoadData(dr_handle *module, const void *image) {
    RUN(load(p, module, "the module's PTX", image, &(logs){0}));
}
API cuModuleLoadDataEx(dr_handle *module, const void *image, unsigned count, int *options,
                       void **values) {
    const logs l = logs_of(count, options, values);
    RUN(load(p, module, "the module's PTX", image, &l));
}
API cuModuleLoadFatBinary(dr_handle *module, const void *image) {
    RUN(load(p, module, "the module's fat binary", image, &(logs){0}));
}

static cuda_error load_file(cuda_process *p, dr_handle *module, const char *path) {
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
API cuModuleLoad(dr_handle *module, const char *path) { RUN(load_file(p, module, path)); }

#define OF_MODULE(module, expression)                                                           \
    RUN(cuda_handle_is(p, (module), CUDA_MODULE) ? (expression) : CUDA_INVALID_RESOURCE_HANDLE)

API cuModuleUnload(dr_handle module) {
    RUN_ANYWHERE(cuda_handle_is(p, module, CUDA_MODULE)
                     ? (cuda_module_remove(p, module), CUDA_SUCCESS)
                     : CUDA_INVALID_RESOURCE_HANDLE);
}

static cuda_error function_of(cuda_process *p, dr_handle module, const char *name,
                              dr_handle *result) {
    cuda_kernel *kernel;
    cuda_error error =
        result && name ? cuda_kernel_named(p, module, name, &kernel) : CUDA_INVALID_VALUE;
    if (!error)
        *result = kernel;
    return error;
}
API cuModuleGetFunction(dr_handle *function, dr_handle module, const char *name) {
    OF_MODULE(module, function_of(p, module, name, function));
}

static cuda_error variable_of(cuda_process *p, dr_handle module, const char *name, address *at,
                              size_t *bytes) {
    void *found;
    size_t length;
    cuda_error error =
        name ? cuda_variable_named(p, module, name, &found, &length) : CUDA_INVALID_VALUE;
    if (!error && at)
        *at = (address)(uintptr_t)found;
    if (!error && bytes)
        *bytes = length;
    return error;
}
API cuModuleGetGlobal_v2(address *at, size_t *bytes, dr_handle module, const char *name) {
    OF_MODULE(module, variable_of(p, module, name, at, bytes));
}

/* ---- functions ------------------------------------------------------------------------------------------- */

/* CUfunction_attribute */
enum {
    THREADS,
    SHARED,
    CONSTANT,
    LOCAL,
    REGISTERS,
    PTX_VERSION,
    BINARY_VERSION,
    CACHE_MODE,
    MOST_SHARED,
    CARVEOUT,
    ATTRIBUTES = 16
};

static cuda_error get_attribute(cuda_process *p, const cuda_kernel *k, int attribute, int *value) {
    const hd_ptx_kernel_facts *f = &k->facts;
    if (!value || attribute < 0 || attribute >= ATTRIBUTES)
        return CUDA_INVALID_VALUE;
    switch (attribute) {
    case THREADS: *value = (int)cuda_kernel_most_threads(p, k); break;
    case SHARED: *value = (int)f->static_shared; break;
    case CONSTANT: *value = (int)f->constant_bytes; break;
    case LOCAL: *value = (int)f->local_bytes; break;
    case REGISTERS: *value = (int)f->registers; break;
    case PTX_VERSION:
    case BINARY_VERSION: *value = (int)cuda_kernel_architecture(k); break;
    case MOST_SHARED: *value = (int)(cuda_kernel_most_shared(p, k) - f->static_shared); break;
    case CARVEOUT: *value = -1; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}

#define OF_FUNCTION(function, expression)                                                         \
    RUN(cuda_handle_is(p, (function), CUDA_KERNEL) ? (expression) : CUDA_INVALID_RESOURCE_HANDLE)

API cuFuncGetAttribute(int *value, int attribute, dr_handle function) {
    OF_FUNCTION(function, get_attribute(p, function, attribute, value));
}
API cuFuncSetAttribute(dr_handle function, int attribute, int value) {
    OF_FUNCTION(function, attribute == MOST_SHARED ? cuda_kernel_set_most_shared(p, function, value)
                          : attribute == CARVEOUT  ? CUDA_SUCCESS
                                                   : CUDA_INVALID_VALUE);
}
/* Hints. */
API cuFuncSetSharedMemConfig(dr_handle function, int config) {
    OF_FUNCTION(function, config < 0 || config > 2 ? CUDA_INVALID_VALUE : CUDA_SUCCESS);
}
API cuFuncSetCacheConfig(dr_handle function, int config) {
    OF_FUNCTION(function, config < 0 || config > 3 ? CUDA_INVALID_VALUE : CUDA_SUCCESS);
}
API cuFuncGetName(const char **name, dr_handle function) {
    OF_FUNCTION(function, name ? (*name = ((cuda_kernel *)function)->name, CUDA_SUCCESS)
                               : CUDA_INVALID_VALUE);
}
API cuFuncGetModule(dr_handle *module, dr_handle function) {
    OF_FUNCTION(function, module ? (*module = ((cuda_kernel *)function)->module, CUDA_SUCCESS)
                                 : CUDA_INVALID_VALUE);
}

static cuda_error param_of(const cuda_kernel *k, size_t index, size_t *offset, size_t *bytes) {
    uint32_t at, length;
    if (!offset || index >= k->facts.param_count)
        return CUDA_INVALID_VALUE;
    cuda_kernel_param(k, (uint32_t)index, &at, &length);
    *offset = at;
    if (bytes)
        *bytes = length;
    return CUDA_SUCCESS;
}
API cuFuncGetParamInfo(dr_handle function, size_t index, size_t *offset, size_t *bytes) {
    OF_FUNCTION(function, param_of(function, index, offset, bytes));
}

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, dr_handle function, int threads,
                                                size_t shared) {
    OF_FUNCTION(function,
                !blocks || threads < 1
                    ? CUDA_INVALID_VALUE
                    : (*blocks = (int)cuda_kernel_blocks(p, function, (uint32_t)threads, shared),
                       CUDA_SUCCESS));
}

API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, dr_handle function,
                                                         int threads, size_t shared,
                                                         unsigned flags) {
    return flags > 1
               ? CUDA_INVALID_VALUE
               : cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

/* The block size with which an SM has most threads. */
static cuda_error best_size(cuda_process *p, int *grid, int *block, const cuda_kernel *kernel,
                            size_t (*shared_of)(int), size_t shared, int limit) {
    uint32_t most = cuda_kernel_most_threads(p, kernel), warp = p->device.profile->warp, best = 0;
    if (!grid || !block)
        return CUDA_INVALID_VALUE;
    if (limit > 0 && (uint32_t)limit < most)
        most = (uint32_t)limit;
    for (uint32_t threads = most; threads; threads = (threads - 1) / warp * warp) {
        uint64_t bytes = shared_of ? shared_of((int)threads) : shared;
        uint32_t blocks = cuda_kernel_blocks(p, kernel, threads, bytes);
        if (blocks * threads <= best)
            continue;
        best = blocks * threads;
        *block = (int)threads;
        *grid = (int)(blocks * (p->device.profile->sms ? p->device.profile->sms : 1));
    }
    return best ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}
API cuOccupancyMaxPotentialBlockSize(int *grid, int *block, dr_handle function,
                                     size_t (*shared_of)(int), size_t shared, int limit) {
    OF_FUNCTION(function, best_size(p, grid, block, function, shared_of, shared, limit));
}

API cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, dr_handle function,
                                              size_t (*shared_of)(int), size_t shared, int limit,
                                              unsigned flags) {
    return flags > 1
               ? CUDA_INVALID_VALUE
               : cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit);
}

/* ---- launches ------------------------------------------------------------------------------------------------ */

/* What `extra` holds: pairs of a key and a value. */
enum { EXTRA_END, EXTRA_BUFFER, EXTRA_BYTES };

/* Pointers into a packed buffer; NULL: it is too short for the parameters. */
static void **unpack(const cuda_kernel *k, void **extra) {
    char *buffer = NULL;
    size_t bytes = 0;
    for (; (uintptr_t)*extra != EXTRA_END; extra += 2) {
        if ((uintptr_t)*extra == EXTRA_BUFFER)
            buffer = extra[1];
        else if ((uintptr_t)*extra == EXTRA_BYTES)
            bytes = *(size_t *)extra[1];
        else
            return NULL;
    }
    if (!buffer || bytes < k->facts.params_bytes)
        return NULL;
    void **args = hd_zeroed(k->facts.param_count + 1, sizeof *args);
    for (uint32_t i = 0; i < k->facts.param_count; i++) {
        uint32_t at, length;
        cuda_kernel_param(k, i, &at, &length);
        args[i] = buffer + at;
    }
    return args;
}

static cuda_error launch(cuda_process *p, cuda_kernel *kernel, const hd_ptx_launch_size *size,
                         dr_handle stream, void **params, void **extra, bool cooperative) {
    if (!cuda_handle_is(p, kernel, CUDA_KERNEL))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (params && extra)
        return CUDA_INVALID_VALUE;
    void **own = extra ? unpack(kernel, extra) : NULL;
    if (extra && !own)
        return CUDA_INVALID_VALUE;
    const cuda_work work = {.kind = CUDA_WORK_LAUNCH,
                            .launch = {.kernel = kernel,
                                       .host = kernel,
                                       .size = *size,
                                       .cooperative = cooperative,
                                       .args = own ? own : params}};
    cuda_error error = cuda_submit(p, stream, &work);
    free(own);
    return error;
}

API cuLaunchKernel(dr_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   dr_handle stream, void **params, void **extra) {
    const hd_ptx_launch_size size = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
    RUN(launch(p, function, &size, stream, params, extra, false));
}
API cuLaunchCooperativeKernel(dr_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                              dr_handle stream, void **params) {
    const hd_ptx_launch_size size = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
    RUN(launch(p, function, &size, stream, params, NULL, true));
}
API cuLaunchHostFunc(dr_handle stream, void (*function)(void *), void *user) {
    const cuda_work work = {.kind = CUDA_WORK_HOST, .host = {function, user}};
    return dr_submit(stream, &work);
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
API cuLinkCreate_v2(unsigned count, int *options, void **values, linking **state) {
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

API cuLinkAddData_v2(linking *state, int kind, const void *data, size_t bytes, const char *name,
                     unsigned count, int *options, void **values) {
    (void)name, (void)count, (void)options, (void)values;
    if (!state || !data)
        return CUDA_INVALID_VALUE;
    if (kind != INPUT_PTX)
        return CUDA_NOT_SUPPORTED;
    return add_text(state, data, strnlen(data, bytes));
}

/* Several texts are tried together, since who links them wants to hear here what does not fit. */
static cuda_error complete(cuda_process *p, const linking *state) {
    cuda_module *module;
    cuda_error error = CUDA_SUCCESS;
    if (state->inputs > 1)
        error = cuda_module_load(p, "the linked PTX", state->text, &module);
    if (state->inputs > 1 && !error)
        cuda_module_remove(p, module);
    fill_logs(&state->logs, p, error);
    return error;
}

API cuLinkComplete(linking *state, void **image, size_t *bytes) {
    if (!state || !image || !state->text)
        return CUDA_INVALID_VALUE;
    *image = state->text;
    if (bytes)
        *bytes = state->bytes;
    RUN(complete(p, state));
}

API cuLinkDestroy(linking *state) {
    if (!state)
        return CUDA_INVALID_VALUE;
    free(state->text);
    free(state);
    return CUDA_SUCCESS;
}
