/* What is known of memory by its address, and functions by their names. */
#include <dlfcn.h>
#include <stdio.h>

#include "cuda/interfaces/call.h"

/* ---- pointers ---------------------------------------------------------------------------------- */

CALL(cuMemGetAddressRange_v2, (void **base, size_t *bytes, void *at), base, bytes, at) {
    const cuda_allocation *a = cuda_memory_at(p, at);
    if (!a)
        return CUDA_INVALID_VALUE;
    if (base)
        *base = (void *)a->address; /* NOLINT: the program's memory */
    if (bytes)
        *bytes = a->bytes;
    return CUDA_SUCCESS;
}

/* CUpointer_attribute, CUmemorytype */
enum {
    OF_CONTEXT = 1,
    OF_TYPE = 2,
    OF_DEVICE_POINTER = 3,
    OF_HOST_POINTER = 4,
    OF_WAITING = 6,
    OF_NUMBER = 7,
    OF_MANAGED = 8,
    OF_DEVICE = 9,
    OF_START = 11,
    OF_SIZE = 12,
    OF_MAPPED = 13,
    OF_ACCESS = 16,
    OF_POOL = 17
};
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, READ_AND_WRITE = 3 };

/* Bytes of its value. */
static size_t bytes_of(int attribute) {
    return attribute == OF_TYPE || attribute == OF_DEVICE || attribute == OF_MANAGED ||
                   attribute == OF_MAPPED || attribute == OF_WAITING || attribute == OF_ACCESS
               ? 4
               : 8;
}

static cuda_error pointer_attribute(cuda_process *p, void *value, int attribute, void *at) {
    const cuda_allocation *a = cuda_memory_at(p, at);
    if (!value || !a)
        return CUDA_INVALID_VALUE;
    bool on_host = a->kind == CUDA_MEMORY_PINNED || a->kind == CUDA_MEMORY_REGISTERED;
    uint64_t number;
    switch (attribute) {
    case OF_CONTEXT: number = (uintptr_t)call_context(); break;
    case OF_TYPE: number = on_host ? TYPE_HOST : TYPE_DEVICE; break;
    case OF_HOST_POINTER:
        if (!on_host && a->kind != CUDA_MEMORY_MANAGED)
            return CUDA_INVALID_VALUE;
        number = (uintptr_t)at;
        break;
    case OF_DEVICE_POINTER: number = (uintptr_t)at; break;
    case OF_NUMBER: number = a->number; break;
    case OF_MANAGED: number = a->kind == CUDA_MEMORY_MANAGED; break;
    case OF_DEVICE: number = 0; break;
    case OF_START: number = a->address; break;
    case OF_SIZE: number = a->bytes; break;
    case OF_MAPPED: number = 1; break;
    case OF_WAITING: number = a->waits; break;
    case OF_ACCESS: number = READ_AND_WRITE; break;
    case OF_POOL: number = (uintptr_t)a->pool; break;
    default: return CUDA_NOT_SUPPORTED;
    }
    memcpy(value, &number, bytes_of(attribute)); /* little endian, as every machine with CUDA */
    return CUDA_SUCCESS;
}

CALL(cuPointerGetAttribute, (void *value, int attribute, void *at), value, attribute, at) {
    return pointer_attribute(p, value, attribute, at);
}
/* Of the host's own memory all are zeros. */
CALL(cuPointerGetAttributes, (unsigned count, const int *attributes, void **values, void *at),
     count, attributes, values, at) {
    if (!attributes || !values)
        return CUDA_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++)
        if (pointer_attribute(p, values[i], attributes[i], at) && values[i])
            memset(values[i], 0, bytes_of(attributes[i]));
    return CUDA_SUCCESS;
}

/* Copies are done where they are asked for, so that those that wait are as all others. */
CALL(cuPointerSetAttribute, (const void *value, int attribute, void *at), value, attribute, at) {
    cuda_allocation *a = cuda_memory_at(p, at);
    if (!value || !a)
        return CUDA_INVALID_VALUE;
    if (attribute != OF_WAITING)
        return CUDA_NOT_SUPPORTED;
    a->waits = *(const unsigned *)value != 0;
    return CUDA_SUCCESS;
}

/* ---- functions by their names ------------------------------------------------------------------ */

enum { FOUND = 0, NOT_FOUND = 1, CUDA_12 = 12000, CUDA_13 = 13000 };

/* As the driver's functions are named, and neither the runtime's nor this library's own. */
static bool is_of_driver(const char *name) {
    return !strncmp(name, "cu", 2) && name[2] >= 'A' && name[2] <= 'Z';
}

static void *own_symbol(const char *name) {
    Dl_info info;
    if (!dladdr((const void *)(uintptr_t)own_symbol, &info))
        return NULL;
    void *self = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    void *found = self ? dlsym(self, name) : NULL;
    if (self)
        dlclose(self);
    return found;
}

/* Functions whose form _v2 means something else, and since which version of CUDA it is theirs. */
static bool means_first_form(const char *name, int version) {
    enum { CUDA_12_3 = 12030 };
    static const struct {
        const char *name;
        int since;
    } forms[] = {{"cuMemAdvise", CUDA_13},
                 {"cuMemPrefetchAsync", CUDA_13},
                 {"cuMemcpyBatchAsync", CUDA_13},
                 {"cuMemcpy3DBatchAsync", CUDA_13},
                 {"cuGraphAddNode", CUDA_12_3},
                 {"cuGraphGetEdges", CUDA_12_3},
                 {"cuGraphNodeGetDependencies", CUDA_12_3},
                 {"cuGraphNodeGetDependentNodes", CUDA_12_3},
                 {"cuGraphAddDependencies", CUDA_12_3},
                 {"cuGraphRemoveDependencies", CUDA_12_3},
                 {"cuStreamUpdateCaptureDependencies", CUDA_12_3},
                 {"cuGraphAddKernelNode", CUDA_12},
                 {"cuGraphKernelNodeGetParams", CUDA_12},
                 {"cuGraphKernelNodeSetParams", CUDA_12},
                 {"cuGraphExecKernelNodeSetParams", CUDA_12},
                 {"cuGraphExecUpdate", CUDA_12}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].name, name))
            return version < forms[i].since;
    return false;
}

/* The form of a function that a version of CUDA means: mostly the latest. */
static void *form_of(const char *name, int version) {
    char text[128];
    if (means_first_form(name, version))
        return own_symbol(name);
    if (version >= CUDA_12 && !strcmp(name, "cuGraphInstantiate"))
        return own_symbol("cuGraphInstantiateWithFlags");
    static const char *const forms[] = {"_v4", "_v3", "_v2", ""};
    for (int i = version >= CUDA_13 ? 0 : 2; i < 4; i++) {
        snprintf(text, sizeof text, "%s%s", name, forms[i]);
        void *found = own_symbol(text);
        if (found)
            return found;
    }
    return NULL;
}

/* `flags` say which default stream: there is one. What is not found is NULL, and no error. */
EXPORT int cuGetProcAddress_v2(const char *name, void **result, int version,
                               unsigned long long flags, int *status) {
    enum { FLAGS = 2 };
    if (!name || !result || version > CALL_DRIVER_VERSION || flags > FLAGS)
        return CUDA_INVALID_VALUE;
    *result = is_of_driver(name) ? form_of(name, version) : NULL;
    if (status)
        *status = *result ? FOUND : NOT_FOUND;
    return CUDA_SUCCESS;
}
/* Without a status to say so in, it is an error. */
EXPORT int cuGetProcAddress(const char *name, void **result, int version,
                            unsigned long long flags) {
    int error = cuGetProcAddress_v2(name, result, version, flags, NULL);
    return error || *result ? error : CUDA_NOT_FOUND;
}

/* Tables of functions that are no part of the documented interface: there are none. NVRTC asks for
 * one, and does without it; whoever else asks has NVIDIA's runtime in it, where it could not be
 * replaced (src/cuda/linked), and gives up. */
EXPORT int cuGetExportTable(const void **table, const void *id) {
    static bool told; /* under the process's lock */
    Dl_info info = {0};
    (void)id;
    if (table)
        *table = NULL;
    const char *file =
        dladdr(__builtin_return_address(0), &info) && info.dli_fname ? info.dli_fname : "a library";
    const char *name = hd_path_name(file);
    cuda_process *p = cuda_enter();
    if (!told && strncmp(name, "libnvrtc", 8) != 0) {
        cuda_say(
            p,
            "error: %s has CUDA's runtime linked in, and no symbols, by which Heddle finds it; "
            "libraries as NVIDIA ships them have machine code alone, which only a GPU can run",
            name);
        told = true;
    }
    return call_end(p, CUDA_INVALID_VALUE);
}
