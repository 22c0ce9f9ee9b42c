/* Addresses that are reserved, and memory that is mapped there. */
#include "cuda/cuda_virtual.h"
#include "cuda/interfaces/call.h"

/* CUmemAllocationProp */
typedef struct properties {
    int kind, shared_as;
    cudaMemLocation location;
    void *windows;
    unsigned char flags[8];
} properties;

enum { PINNED = 1, MINIMUM = 0, RECOMMENDED = 1 };
enum { NO_ACCESS = 0, READ_ONLY = 1, READ_AND_WRITE = 3 };

/* Memory of the device, which no other process gets. */
static cuda_error check_properties(const properties *wanted) {
    if (!wanted || wanted->kind != PINNED)
        return CUDA_INVALID_VALUE;
    if (wanted->location.type != CUDA_ON_DEVICE || wanted->shared_as)
        return CUDA_NOT_SUPPORTED;
    return wanted->location.id ? CUDA_INVALID_DEVICE : CUDA_SUCCESS;
}

static bool is_whole(size_t bytes) { return bytes && bytes % CUDA_GRANULE == 0; }
static bool is_memory(const cuda_process *p, const cuda_physical *memory) {
    return cuda_handle_is(p, memory, CUDA_PHYSICAL) && memory->uses;
}

CALL(cuMemGetAllocationGranularity, (size_t *bytes, const properties *wanted, int which), bytes,
     wanted, which) {
    cuda_error error = check_properties(wanted);
    if (!error && which != MINIMUM && which != RECOMMENDED)
        error = CUDA_INVALID_VALUE;
    return error ? error : GIVE(bytes, CUDA_GRANULE);
}

CALL(cuMemAddressReserve,
     (void **address, size_t bytes, size_t align, void *hint, unsigned long long flags), address,
     bytes, align, hint, flags) {
    if (!address || flags || !is_whole(bytes) || (align & (align - 1)))
        return CUDA_INVALID_VALUE;
    return cuda_virtual_reserve(p, bytes, align, hint, address);
}
CALL(cuMemAddressFree, (void *address, size_t bytes), address, bytes) {
    return cuda_virtual_unreserve(p, address, bytes);
}

CALL(cuMemCreate,
     (cuda_physical * *memory, size_t bytes, const properties *wanted, unsigned long long flags),
     memory, bytes, wanted, flags) {
    cuda_error error = check_properties(wanted);
    if (!error && (!memory || !is_whole(bytes) || flags))
        error = CUDA_INVALID_VALUE;
    return error ? error : cuda_virtual_make(p, bytes, wanted, memory);
}
CALL(cuMemRelease, (cuda_physical * memory), memory) {
    if (!is_memory(p, memory))
        return CUDA_INVALID_VALUE;
    cuda_virtual_release(p, memory);
    return CUDA_SUCCESS;
}
CALL(cuMemRetainAllocationHandle, (cuda_physical * *memory, void *address), memory, address) {
    const cuda_mapping *mapping = cuda_virtual_at(p, address);
    if (!memory || !mapping)
        return CUDA_INVALID_VALUE;
    mapping->of->uses++;
    *memory = mapping->of;
    return CUDA_SUCCESS;
}
CALL(cuMemGetAllocationPropertiesFromHandle, (properties * result, cuda_physical *memory), result,
     memory) {
    if (!result || !is_memory(p, memory))
        return CUDA_INVALID_VALUE;
    memcpy(result, memory->properties, sizeof *result);
    return CUDA_SUCCESS;
}

CALL(cuMemMap,
     (void *address, size_t bytes, size_t offset, cuda_physical *memory, unsigned long long flags),
     address, bytes, offset, memory, flags) {
    bool fits = is_whole(bytes) && offset % CUDA_GRANULE == 0 &&
                (uintptr_t)address % CUDA_GRANULE == 0 && !flags;
    return fits && is_memory(p, memory) ? cuda_virtual_map(p, address, bytes, offset, memory)
                                        : CUDA_INVALID_VALUE;
}
CALL(cuMemUnmap, (void *address, size_t bytes), address, bytes) {
    return cuda_virtual_unmap(p, address, bytes);
}

typedef struct access_description { /* CUmemAccessDesc */
    cudaMemLocation location;
    int flags;
} access_description;

static cuda_error set_access(cuda_process *p, void *address, size_t bytes,
                             const access_description *wanted) {
    if (wanted->location.type != CUDA_ON_DEVICE)
        return CUDA_NOT_SUPPORTED;
    if (wanted->location.id)
        return CUDA_INVALID_DEVICE;
    if (wanted->flags == READ_ONLY) {
        cuda_say(p,
                 "error: cuMemSetAccess() with read access alone is not there: memory is read and "
                 "written, or neither");
        return CUDA_NOT_SUPPORTED;
    }
    return wanted->flags == NO_ACCESS || wanted->flags == READ_AND_WRITE
               ? cuda_virtual_open(p, address, bytes, wanted->flags == READ_AND_WRITE)
               : CUDA_INVALID_VALUE;
}

CALL(cuMemSetAccess, (void *address, size_t bytes, const access_description *wanted, size_t count),
     address, bytes, wanted, count) {
    cuda_error error = wanted && count ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++)
        error = set_access(p, address, bytes, &wanted[i]);
    return error;
}
CALL(cuMemGetAccess, (unsigned long long *flags, const cudaMemLocation *location, void *address),
     flags, location, address) {
    const cuda_mapping *mapping = cuda_virtual_at(p, address);
    bool is_device = location && location->type == CUDA_ON_DEVICE && !location->id;
    return GIVE(location && mapping ? flags : NULL,
                is_device && mapping->is_open ? READ_AND_WRITE : NO_ACCESS);
}
