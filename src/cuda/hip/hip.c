/*
 * libamdhip64: HIP's runtime over CUDA's (hip_calls.def). Most calls are CUDA's under other names; here
 * are those with other parameters, structs or numbers (ROCm 5.2's hip_runtime_api.h). A program has its
 * kernels as machine code of AMD's GPUs: those that run are compiled from their source (cuda/module.c).
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/interfaces/call.h"

/* Of the same library, with CUDA's prototypes. */
int cudaHostAlloc(void **address, size_t bytes, unsigned flags);
int cudaHostRegister(void *address, size_t bytes, unsigned flags);
int cudaMallocManaged(void **address, size_t bytes, unsigned flags);
int cudaMemcpy(void *to, const void *from, size_t bytes, int direction);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, void *stream);
int cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                size_t shared, void *stream);
int cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                     void *stream);
int cudaEventRecord(void *event, void *stream);
int cudaPointerGetAttributes(cudaPointerAttributes *result, const void *pointer);
int cudaFuncGetAttributes(cudaFuncAttributes *result, const void *function);
const char *cudaGetErrorName(int error);

enum { VERSION = 50221153 };

/* ---- what is not there --------------------------------------------------------------------------- */

#define LIKE(name, call)
#define OWN(name)
#define NONE(name)                              \
    EXPORT int name(void) {                     \
        static bool told;                       \
        return call_refuse(#name, NULL, &told); \
    }
#include "cuda/hip/hip_calls.def"

/* ---- the device ------------------------------------------------------------------------------------- */

typedef struct hip_device_properties {
    char name[256];
    size_t global_memory, shared_of_block;
    int registers_of_block, warp, threads_of_block, block[3], grid[3];
    int clock, memory_clock, bus; /* kHz, kHz, bits */
    size_t constant_memory;
    int major, minor, multiprocessors, l2, threads_of_multiprocessor, compute_mode, timer;
    unsigned has; /* a bit for each feature of kernels */
    int concurrent, pci_domain, pci_bus, pci_device;
    size_t shared_of_multiprocessor;
    int is_part_of_board, maps_host_memory, arch_number;
    char arch[256];
    int integrated, cooperative, cooperative_over_devices, textures[7];
    unsigned *registers[2];
    size_t pitch, texture_alignment, texture_pitch_alignment;
    int timeout, ecc, tcc, unmatched[4], large_bar, revision, managed;
    int managed_from_host, managed_at_once, pageable, pageable_by_host;
} hip_device_properties;
_Static_assert(sizeof(hip_device_properties) == 792 && offsetof(hip_device_properties, l2) == 340 &&
                   offsetof(hip_device_properties, arch) == 396 &&
                   offsetof(hip_device_properties, pitch) == 712 &&
                   offsetof(hip_device_properties, managed) == 772,
               "as hipDeviceProp_t of ROCm 5");

/* "gfx90a" of the device that a profile is of; of NVIDIA's an MI300X's. */
static const char *arch_of(const cuda_process *p) {
    static const struct {
        const char *profile, *arch;
    } archs[] = {{"mi100", "gfx908"},
                 {"mi210", "gfx90a"},
                 {"mi250x", "gfx90a"},
                 {"rx-7900-xtx", "gfx1100"},
                 {"radeon-fiji", "gfx803"}};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        if (!strcmp(archs[i].profile, p->device.profile->name))
            return archs[i].arch;
    return "gfx942";
}

/* gfx1100 is 11.0, gfx90a 9.0: the last digit is a stepping. */
static int arch_minor(const char *arch) { return arch[strlen(arch) - 2] - '0'; }
static int arch_major(const char *arch) {
    char digits[8];
    snprintf(digits, sizeof digits, "%.*s", (int)strlen(arch) - 5, arch + 3);
    return (int)strtol(digits, NULL, 10);
}

CALL_EARLY(hipGetDeviceProperties, (hip_device_properties * d, int device), d, device) {
    const char *arch = arch_of(p);
    if (!d || device)
        return d ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    *d = (hip_device_properties){.global_memory = p->device.memory,
                                 .shared_of_block = (size_t)call_attribute(p, 8),
                                 .registers_of_block = call_attribute(p, 12),
                                 .warp = call_attribute(p, 10),
                                 .threads_of_block = call_attribute(p, 1),
                                 .clock = call_attribute(p, 13),
                                 .memory_clock = call_attribute(p, 36),
                                 .bus = call_attribute(p, 37),
                                 .constant_memory = (size_t)call_attribute(p, 9),
                                 .major = arch_major(arch),
                                 .minor = arch_minor(arch),
                                 .multiprocessors = call_attribute(p, 16),
                                 .l2 = call_attribute(p, 38),
                                 .threads_of_multiprocessor = call_attribute(p, 39),
                                 .timer = call_attribute(p, 13),
                                 .has = 0xffff, /* but launches from kernels */
                                 .concurrent = 1,
                                 .pci_bus = call_attribute(p, 33),
                                 .shared_of_multiprocessor = (size_t)call_attribute(p, 81),
                                 .maps_host_memory = 1,
                                 .cooperative = 1,
                                 .pitch = (size_t)call_attribute(p, 11),
                                 .texture_alignment = (size_t)call_attribute(p, 14),
                                 .texture_pitch_alignment = (size_t)call_attribute(p, 51),
                                 .managed = 1,
                                 .managed_at_once = 1};
    snprintf(d->name, sizeof d->name, "%s", cuda_device_name(&p->device));
    snprintf(d->arch, sizeof d->arch, "%s", arch);
    for (int i = 0; i < 3; i++) {
        d->block[i] = call_attribute(p, 2 + i);
        d->grid[i] = call_attribute(p, 5 + i);
    }
    return CUDA_SUCCESS;
}

/* CUDA's number for each of HIP's that CUDA has, too; 0: none. */
CALL_EARLY(hipDeviceGetAttribute, (int *value, int which, int device), value, which, device) {
    static const uint8_t numbers[] = {32, 0,  40, 19, 91, 13, 20,  90, 31, 89, 95,  96, 15, 101, 79,
                                      86, 18, 84, 17, 38, 80, 0,   0,  75, 83, 106, 2,  3,  4,   5,
                                      6,  7,  0,  0,  0,  0,  0,   0,  0,  21, 0,   0,  0,  22,  23,
                                      0,  0,  0,  0,  24, 25, 26,  0,  0,  0,  2,   1,  39, 11,  37,
                                      36, 76, 85, 16, 0,  88, 100, 33, 34, 50, 0,   12, 82, 111, 8,
                                      97, 81, 87, 78, 30, 35, 14,  51, 9,  0,  41,  0,  10, 115};
    enum { MAJOR = 23, MINOR = 61, AMD = 10000, SHARED_OF_MULTIPROCESSOR = AMD + 2 };
    const char *arch = arch_of(p);
    if (!value || device)
        return value ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    if (which == AMD || which == SHARED_OF_MULTIPROCESSOR)
        return GIVE(value, call_attribute(p, which == AMD ? 13 : 81));
    if (which < 0 || which >= (int)sizeof numbers || !numbers[which])
        return CUDA_INVALID_VALUE;
    return GIVE(value, which == MAJOR   ? arch_major(arch)
                       : which == MINOR ? arch_minor(arch)
                                        : call_attribute(p, numbers[which]));
}
CALL_EARLY(hipRuntimeGetVersion, (int *version), version) { return GIVE(version, VERSION); }
CALL_EARLY(hipDriverGetVersion, (int *version), version) { return GIVE(version, VERSION); }
CALL_EARLY(hipInit, (unsigned flags), flags) { return flags ? CUDA_INVALID_VALUE : CUDA_SUCCESS; }
CALL_EARLY(hipDeviceGet, (int *device, int number), device, number) {
    return number ? CUDA_INVALID_DEVICE : GIVE(device, 0);
}
CALL_EARLY(hipDeviceGetName, (char *name, int length, int device), name, length, device) {
    if (!name || length < 1 || device)
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    snprintf(name, (size_t)length, "%s", cuda_device_name(&p->device));
    return CUDA_SUCCESS;
}
CALL_EARLY(hipDeviceTotalMem, (size_t *bytes, int device), bytes, device) {
    return device ? CUDA_INVALID_DEVICE : GIVE(bytes, p->device.memory);
}
CALL_EARLY(hipDeviceComputeCapability, (int *major, int *minor, int device), major, minor, device) {
    const char *arch = arch_of(p);
    if (device || !major || !minor)
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    *major = arch_major(arch);
    *minor = arch_minor(arch);
    return CUDA_SUCCESS;
}

/* "hipErrorInvalidValue" */
EXPORT const char *hipGetErrorName(int error) {
    static __thread char name[64];
    const char *cuda = cudaGetErrorName(error);
    const bool is_error = !strncmp(cuda, "cuda", 4);
    snprintf(name, sizeof name, "%s%s", is_error ? "hip" : "", cuda + (is_error ? 4 : 0));
    return name;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

enum { HOST_FLAGS = 7 }; /* the others ask for a coherence that memory has, or for a NUMA node */
EXPORT int hipHostMalloc(void **address, size_t bytes, unsigned flags) {
    return cudaHostAlloc(address, bytes, flags & HOST_FLAGS);
}
EXPORT int hipHostAlloc(void **address, size_t bytes, unsigned flags) {
    return cudaHostAlloc(address, bytes, flags & HOST_FLAGS);
}
EXPORT int hipMemAllocHost(void **address, size_t bytes) {
    return cudaHostAlloc(address, bytes, 0);
}
EXPORT int hipHostRegister(void *address, size_t bytes, unsigned flags) {
    return cudaHostRegister(address, bytes, flags & HOST_FLAGS);
}
EXPORT int hipMallocManaged(void **address, size_t bytes, unsigned flags) {
    return cudaMallocManaged(address, bytes, flags);
}
CALL(hipExtMallocWithFlags, (void **address, size_t bytes, unsigned flags), address, bytes, flags) {
    enum { FINE_GRAINED = 1, SIGNAL = 2 };
    return !address || flags > FINE_GRAINED
               ? CUDA_INVALID_VALUE
               : cuda_memory_make(p, CUDA_MEMORY_DEVICE, bytes, address);
}
CALL(hipMemAdvise, (const void *address, size_t bytes, int advice, int device), address, bytes,
     advice, device) {
    enum { COARSE_GRAINED = 100, NOT_COARSE_GRAINED };
    if (device > 0)
        return CUDA_INVALID_VALUE;
    if (advice != COARSE_GRAINED && advice != NOT_COARSE_GRAINED)
        return cuda_memory_advise(p, address, bytes, advice, cuda_location_of(device));
    return cuda_memory_hint(p, address, bytes, false);
}
CALL(hipMemPrefetchAsync, (const void *address, size_t bytes, int device, cuda_handle stream),
     address, bytes, device, stream) {
    return cuda_stream_find(p, stream)
               ? cuda_memory_prefetch(p, address, bytes, cuda_location_of(device))
               : CUDA_INVALID_HANDLE;
}

typedef struct hip_pointer_attributes {
    int type, device; /* 0 host, 1 device */
    void *on_device, *on_host;
    int is_managed;
    unsigned flags;
} hip_pointer_attributes;
EXPORT int hipPointerGetAttributes(hip_pointer_attributes *result, const void *pointer) {
    enum { UNREGISTERED = 0, DEVICE = 2, MANAGED = 3 }; /* cudaMemoryType */
    cudaPointerAttributes a;
    const int error = result ? cudaPointerGetAttributes(&a, pointer) : CUDA_INVALID_VALUE;
    if (error || a.type == UNREGISTERED)
        return call_last(error ? (cuda_error)error : CUDA_INVALID_VALUE);
    *result = (hip_pointer_attributes){.type = a.type == DEVICE || a.type == MANAGED,
                                       .device = a.device,
                                       .on_device = a.devicePointer,
                                       .on_host = a.hostPointer,
                                       .is_managed = a.type == MANAGED};
    return CUDA_SUCCESS;
}

EXPORT int hipMemcpyHtoD(void *to, const void *from, size_t bytes) {
    return cudaMemcpy(to, from, bytes, CUDA_HOST_TO_DEVICE);
}
EXPORT int hipMemcpyDtoH(void *to, const void *from, size_t bytes) {
    return cudaMemcpy(to, from, bytes, CUDA_DEVICE_TO_HOST);
}
EXPORT int hipMemcpyDtoD(void *to, const void *from, size_t bytes) {
    return cudaMemcpy(to, from, bytes, CUDA_DEVICE_TO_DEVICE);
}
EXPORT int hipMemcpyHtoDAsync(void *to, const void *from, size_t bytes, void *stream) {
    return cudaMemcpyAsync(to, from, bytes, CUDA_HOST_TO_DEVICE, stream);
}
EXPORT int hipMemcpyDtoHAsync(void *to, const void *from, size_t bytes, void *stream) {
    return cudaMemcpyAsync(to, from, bytes, CUDA_DEVICE_TO_HOST, stream);
}
EXPORT int hipMemcpyDtoDAsync(void *to, const void *from, size_t bytes, void *stream) {
    return cudaMemcpyAsync(to, from, bytes, CUDA_DEVICE_TO_DEVICE, stream);
}

static int fill(void *to, uint32_t value, uint32_t element, size_t count, void *stream) {
    const cuda_work work = cuda_fill_bytes(to, value, element, count);
    return call_submit(stream, &work);
}
#define FILLS(name, type)                                                 \
    EXPORT int name(void *to, type value, size_t count) {                 \
        return fill(to, value, sizeof value, count, NULL);                \
    }                                                                     \
    EXPORT int name##Async(void *to, type value, size_t count, void *s) { \
        return fill(to, value, sizeof value, count, s);                   \
    }
FILLS(hipMemsetD8, uint8_t)
FILLS(hipMemsetD16, uint16_t)
FILLS(hipMemsetD32, uint32_t)

/* ---- kernels ------------------------------------------------------------------------------------------ */

typedef struct hip_function_attributes {
    int binary_version, cache_mode;
    size_t constant_memory, local_memory;
    int most_dynamic_shared, most_threads, registers, carveout, ptx_version;
    size_t shared;
} hip_function_attributes;
EXPORT int hipFuncGetAttributes(hip_function_attributes *result, const void *function) {
    cudaFuncAttributes a;
    const int error = result ? cudaFuncGetAttributes(&a, function) : CUDA_INVALID_VALUE;
    if (error)
        return call_last((cuda_error)error);
    *result = (hip_function_attributes){.constant_memory = a.constSizeBytes,
                                        .local_memory = a.localSizeBytes,
                                        .most_dynamic_shared = a.maxDynamicSharedSizeBytes,
                                        .most_threads = a.maxThreadsPerBlock,
                                        .registers = a.numRegs,
                                        .shared = a.sharedSizeBytes};
    return CUDA_SUCCESS;
}

/* The bytes of shared memory are 32 bits here. */
EXPORT int hipLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                      unsigned shared, void *stream) {
    return cudaLaunchCooperativeKernel(function, grid, block, args, shared, stream);
}
EXPORT int hipLaunchCooperativeKernel_spt(const void *function, dim3 grid, dim3 block, void **args,
                                          unsigned shared, void *stream) {
    return cudaLaunchCooperativeKernel(function, grid, block, args, shared, stream);
}
/* With events around it. */
EXPORT int hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                              size_t shared, void *stream, void *before, void *after, int flags) {
    (void)flags;
    int error = before ? cudaEventRecord(before, stream) : CUDA_SUCCESS;
    if (!error)
        error = cudaLaunchKernel(function, grid, block, args, shared, stream);
    return !error && after ? cudaEventRecord(after, stream) : error;
}

CALL(hipOccupancyMaxPotentialBlockSize,
     (int *grid, int *block, const void *which, size_t shared, int limit), grid, block, which,
     shared, limit) {
    return call_fullest_block(p, which, NULL, shared, limit, grid, block);
}

/* Before the host touches the variable, whose address the pointer is to hold. */
EXPORT void __hipRegisterManagedVar(void *handle, void **pointer, void *initial, const char *name,
                                    size_t bytes, unsigned align) {
    cuda_process *p = cuda_enter();
    cuda_module *module = handle;
    (void)initial, (void)align;
    cuda_module_add_variable(p, module, pointer, name, bytes, true);
    if (!cuda_need_machine(p))
        cuda_module_need(p, module);
    cuda_leave(p);
}
