/* Libraries and their kernels, which stand for modules and functions here, and launches with
 * attributes. The rest is as for modules. */
#include "cuda/driver/driver.h"

/* ---- libraries ------------------------------------------------------------------------------------- */

API cuLibraryLoadData(dr_handle *library, const void *image, int *options, void **values,
                      unsigned count, int *library_options, void **library_values,
                      unsigned library_count) {
    (void)library_options, (void)library_values,
        (void)library_count; /* what to keep of the image */
    return cuModuleLoadDataEx(library, image, count, options, values);
}
API cuLibraryLoadFromFile(dr_handle *library, const char *path, int *options, void **values,
                          unsigned count, int *library_options, void **library_values,
                          unsigned library_count) {
    (void)options, (void)values, (void)count;
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoad(library, path);
}
API cuLibraryUnload(dr_handle library) { return cuModuleUnload(library); }
API cuLibraryGetKernel(dr_handle *kernel, dr_handle library, const char *name) {
    return cuModuleGetFunction(kernel, library, name);
}
API cuLibraryGetGlobal(address *at, size_t *bytes, dr_handle library, const char *name) {
    return cuModuleGetGlobal_v2(at, bytes, library, name);
}
API cuLibraryGetManaged(address *at, size_t *bytes, dr_handle library, const char *name) {
    return cuModuleGetGlobal_v2(at, bytes, library, name);
}
API cuLibraryGetModule(dr_handle *module, dr_handle library) {
    RUN(!module                                    ? CUDA_INVALID_VALUE
        : !cuda_handle_is(p, library, CUDA_MODULE) ? CUDA_INVALID_RESOURCE_HANDLE
                                                   : (*module = library, CUDA_SUCCESS));
}

/* ---- their kernels ----------------------------------------------------------------------------------- */

API cuKernelGetFunction(dr_handle *function, dr_handle kernel) {
    RUN(!function                                 ? CUDA_INVALID_VALUE
        : !cuda_handle_is(p, kernel, CUDA_KERNEL) ? CUDA_INVALID_RESOURCE_HANDLE
                                                  : (*function = kernel, CUDA_SUCCESS));
}
API cuKernelGetLibrary(dr_handle *library, dr_handle kernel) {
    return cuFuncGetModule(library, kernel);
}
API cuKernelGetName(const char **name, dr_handle kernel) { return cuFuncGetName(name, kernel); }
API cuKernelGetParamInfo(dr_handle kernel, size_t index, size_t *offset, size_t *bytes) {
    return cuFuncGetParamInfo(kernel, index, offset, bytes);
}
API cuKernelGetAttribute(int *value, int attribute, dr_handle kernel, int device) {
    return device ? CUDA_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, kernel);
}
API cuKernelSetAttribute(int attribute, int value, dr_handle kernel, int device) {
    return device ? CUDA_INVALID_DEVICE : cuFuncSetAttribute(kernel, attribute, value);
}
API cuKernelSetCacheConfig(dr_handle kernel, int config, int device) {
    return device ? CUDA_INVALID_DEVICE : cuFuncSetCacheConfig(kernel, config);
}

/* ---- launches with attributes ---------------------------------------------------------------------------- */

/* CUlaunchAttributeID */
enum { COOPERATIVE = 2, CLUSTER = 4 };

typedef struct launch_attribute { /* CUlaunchAttribute */
    int id;
    char pad[4];
    union {
        char bytes[64];
        int cooperative;
        unsigned cluster[3];
    } value;
} launch_attribute;

typedef struct launch_config { /* CUlaunchConfig */
    unsigned grid[3], block[3], shared;
    dr_handle stream;
    const launch_attribute *attributes;
    unsigned count;
} launch_config;

API cuLaunchKernelEx(const launch_config *c, dr_handle function, void **params, void **extra) {
    if (!c || (c->count && !c->attributes))
        return CUDA_INVALID_VALUE;
    bool cooperative = false;
    for (unsigned i = 0; i < c->count; i++) {
        const launch_attribute *a = &c->attributes[i];
        const unsigned *cluster = a->value.cluster;
        if (a->id == COOPERATIVE)
            cooperative = a->value.cooperative != 0;
        if (a->id == CLUSTER && (cluster[0] != 1 || cluster[1] != 1 || cluster[2] != 1))
            return CUDA_NOT_SUPPORTED; /* clusters of blocks; the others are hints */
    }
    if (cooperative)
        return cuLaunchCooperativeKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0],
                                         c->block[1], c->block[2], c->shared, c->stream, params);
    return cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                          c->block[2], c->shared, c->stream, params, extra);
}
