/* The device: properties, attributes, limits; there is one. */
#include "cuda/runtime/runtime.h"

#include <dlfcn.h>
#include <stdio.h>

#define VERSION_OF_RUNTIME (CUDART * 1000)
enum { DRIVER_VERSION = 13000, HOST_NUMA_NONE = -1 };

API cudaGetDeviceCount(int *count) {
    if (!count)
        return rt_last(CUDA_INVALID_VALUE);
    *count = 1;
    return CUDA_SUCCESS;
}

API cudaGetDevice(int *device) {
    if (!device)
        return rt_last(CUDA_INVALID_VALUE);
    *device = 0;
    return CUDA_SUCCESS;
}

static cudaError_t only_device(int device) {
    return rt_last(device ? CUDA_INVALID_DEVICE : CUDA_SUCCESS);
}

API cudaSetDevice(int device) { return only_device(device); }
API cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
    (void)device_flags, (void)flags;
    return only_device(device);
}
API cudaSetValidDevices(int *devices, int count) {
    return rt_last(count < 0 || (count && !devices) ? CUDA_INVALID_VALUE
                   : count && *devices              ? CUDA_INVALID_DEVICE
                                                    : CUDA_SUCCESS);
}
API cudaChooseDevice(int *device, const cudaDeviceProp *properties) {
    if (!properties)
        return rt_last(CUDA_INVALID_VALUE);
    return cudaGetDevice(device);
}

API cudaDeviceReset(void) {
    cuda_process *p = cuda_enter();
    cuda_reset(p);
    return rt_end(p, CUDA_SUCCESS);
}

API cudaDriverGetVersion(int *version) {
    if (!version)
        return rt_last(CUDA_INVALID_VALUE);
    *version = DRIVER_VERSION;
    return CUDA_SUCCESS;
}
API cudaRuntimeGetVersion(int *version) {
    if (!version)
        return rt_last(CUDA_INVALID_VALUE);
    *version = VERSION_OF_RUNTIME;
    return CUDA_SUCCESS;
}

/* ---- properties ------------------------------------------------------------------------------------ */

static int attribute(const cuda_process *p, int which) {
    int value = 0;
    cuda_device_attribute(&p->device, which, &value);
    return value;
}

API cudaDeviceGetAttribute(int *value, int which, int device) {
    cuda_process *p = cuda_enter();
    cuda_error error = !value                                            ? CUDA_INVALID_VALUE
                       : device                                          ? CUDA_INVALID_DEVICE
                       : cuda_device_attribute(&p->device, which, value) ? CUDA_SUCCESS
                                                                         : CUDA_INVALID_VALUE;
    return rt_end(p, error);
}

/* The members that are attributes, by their numbers. */
static void fill_attributes(const cuda_process *p, cudaDeviceProp *d) {
    d->maxThreadsPerBlock = attribute(p, 1);
    for (int i = 0; i < 3; i++) {
        d->maxThreadsDim[i] = attribute(p, 2 + i);
        d->maxGridSize[i] = attribute(p, 5 + i);
    }
    d->sharedMemPerBlock = (size_t)attribute(p, 8);
    d->totalConstMem = (size_t)attribute(p, 9);
    d->warpSize = attribute(p, 10);
    d->memPitch = (size_t)attribute(p, 11);
    d->regsPerBlock = attribute(p, 12);
    d->textureAlignment = (size_t)attribute(p, 14);
    d->multiProcessorCount = attribute(p, 16);
    d->canMapHostMemory = attribute(p, 19);
    d->concurrentKernels = attribute(p, 31);
    d->pciBusID = attribute(p, 33);
    d->memoryBusWidth = attribute(p, 37);
    d->l2CacheSize = attribute(p, 38);
    d->maxThreadsPerMultiProcessor = attribute(p, 39);
    d->asyncEngineCount = attribute(p, 40);
    d->unifiedAddressing = attribute(p, 41);
    d->texturePitchAlignment = (size_t)attribute(p, 51);
    d->major = attribute(p, 75);
    d->minor = attribute(p, 76);
    d->streamPrioritiesSupported = attribute(p, 78);
    d->globalL1CacheSupported = attribute(p, 79);
    d->localL1CacheSupported = attribute(p, 80);
    d->sharedMemPerMultiprocessor = (size_t)attribute(p, 81);
    d->regsPerMultiprocessor = attribute(p, 82);
    d->managedMemory = attribute(p, 83);
    d->concurrentManagedAccess = attribute(p, 89);
    d->canUseHostPointerForRegisteredMem = attribute(p, 91);
    d->cooperativeLaunch = attribute(p, 95);
    d->sharedMemPerBlockOptin = (size_t)attribute(p, 97);
    d->hostRegisterSupported = attribute(p, 99);
    d->maxBlocksPerMultiProcessor = attribute(p, 106);
    d->reservedSharedMemPerBlock = (size_t)attribute(p, 111);
    d->memoryPoolsSupported = attribute(p, 115);
#if CUDART >= 13
    d->deviceNumaId = d->hostNumaId = HOST_NUMA_NONE;
#else
    d->clockRate = attribute(p, 13);
    d->memoryClockRate = attribute(p, 36);
    d->deviceOverlap = attribute(p, 15);
    d->singleToDoublePrecisionPerfRatio = attribute(p, 87);
#endif
}

static cudaError_t properties(cudaDeviceProp *d, int device) {
    cuda_process *p = cuda_enter();
    cuda_error error = !d ? CUDA_INVALID_VALUE : device ? CUDA_INVALID_DEVICE : CUDA_SUCCESS;
    if (error)
        return rt_end(p, error);
    *d = (cudaDeviceProp){.totalGlobalMem = (size_t)p->device.memory};
    snprintf(d->name, sizeof d->name, "%s", cuda_device_name(&p->device));
    cuda_device_uuid(&p->device, d->uuid);
    fill_attributes(p, d);
    return rt_end(p, CUDA_SUCCESS);
}

#if CUDART >= 13
API cudaGetDeviceProperties(cudaDeviceProp *d, int device) { return properties(d, device); }
#else /* the name without a version had a shorter struct, of CUDA 11 */
API cudaGetDeviceProperties_v2(cudaDeviceProp *d, int device) { return properties(d, device); }
#endif

API cudaDeviceGetPCIBusId(char *text, int length, int device) {
    if (device)
        return rt_last(CUDA_INVALID_DEVICE);
    if (!text || length < 13)
        return rt_last(CUDA_INVALID_VALUE);
    snprintf(text, (size_t)length, "0000:01:00.0");
    return CUDA_SUCCESS;
}
API cudaDeviceGetByPCIBusId(int *device, const char *text) {
    if (!device || !text)
        return rt_last(CUDA_INVALID_VALUE);
    *device = 0;
    return rt_last(strstr(text, "01:00") ? CUDA_SUCCESS : CUDA_INVALID_DEVICE);
}

/* ---- peers: none ------------------------------------------------------------------------------------ */

API cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (!can)
        return rt_last(CUDA_INVALID_VALUE);
    *can = 0;
    return rt_last(device || peer ? CUDA_INVALID_DEVICE : CUDA_SUCCESS);
}
API cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    (void)peer, (void)flags;
    return rt_last(CUDA_INVALID_DEVICE);
}
API cudaDeviceDisablePeerAccess(int peer) {
    return rt_last(peer ? CUDA_INVALID_DEVICE : CUDA_PEER_ACCESS_NOT_ENABLED);
}

API cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer) {
    (void)attribute, (void)device, (void)peer;
    return rt_last(value ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
}

/* ---- limits and hints, which are kept and change nothing ----------------------------------------------- */

enum { LIMITS = 7, CACHE_CONFIGS = 4, SHARED_CONFIGS = 3, DEVICE_FLAGS = 0x1f };
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
static int cache_config, shared_config;
static unsigned device_flags;

API cudaDeviceSetLimit(int limit, size_t value) {
    RUN(limit < 0 || limit >= LIMITS ? CUDA_UNSUPPORTED_LIMIT
                                     : (limits[limit] = value, CUDA_SUCCESS));
}
API cudaDeviceGetLimit(size_t *value, int limit) {
    RUN(!value                         ? CUDA_INVALID_VALUE
        : limit < 0 || limit >= LIMITS ? CUDA_UNSUPPORTED_LIMIT
                                       : (*value = limits[limit], CUDA_SUCCESS));
}
API cudaDeviceSetCacheConfig(int config) {
    RUN(config < 0 || config >= CACHE_CONFIGS ? CUDA_INVALID_VALUE
                                              : (cache_config = config, CUDA_SUCCESS));
}
API cudaDeviceGetCacheConfig(int *config) {
    RUN(config ? (*config = cache_config, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cudaDeviceSetSharedMemConfig(int config) {
    RUN(config < 0 || config >= SHARED_CONFIGS ? CUDA_INVALID_VALUE
                                               : (shared_config = config, CUDA_SUCCESS));
}
API cudaDeviceGetSharedMemConfig(int *config) {
    RUN(config ? (*config = shared_config, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cudaSetDeviceFlags(unsigned flags) {
    if (flags & ~(unsigned)DEVICE_FLAGS)
        return rt_last(CUDA_INVALID_VALUE);
    device_flags = flags;
    return CUDA_SUCCESS;
}
API cudaGetDeviceFlags(unsigned *flags) {
    if (!flags)
        return rt_last(CUDA_INVALID_VALUE);
    *flags = device_flags | 8; /* host memory can be mapped */
    return CUDA_SUCCESS;
}

/* A profiler would start here; there is none to tell. */
API cudaProfilerStart(void) { return CUDA_SUCCESS; }
API cudaProfilerStop(void) { return CUDA_SUCCESS; }

/* ---- the driver's functions, by their names ------------------------------------------------------------ */

/* cudaDriverEntryPointQueryResult */
enum { ENTRY_FOUND = 0, ENTRY_NOT_FOUND = 1 };

typedef int find_fn(const char *name, void **result, int version, unsigned long long flags,
                    int *status);

static cudaError_t driver_entry(const char *name, void **result, unsigned version, int *status) {
    if (!name || !result)
        return rt_last(CUDA_INVALID_VALUE);
    *result = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    find_fn *find = NULL;
    if (driver)
        *(void **)&find = dlsym(driver, "cuGetProcAddress_v2");
    if (find)
        find(name, result, (int)version, 0, NULL);
    if (status)
        *status = *result ? ENTRY_FOUND : ENTRY_NOT_FOUND;
    return rt_last(*result || status ? CUDA_SUCCESS : CUDA_SYMBOL_NOT_FOUND);
}

API cudaGetDriverEntryPoint(const char *name, void **result, unsigned long long flags,
                            int *status) {
    (void)flags; /* which default stream: there is one */
    return driver_entry(name, result, VERSION_OF_RUNTIME, status);
}
API cudaGetDriverEntryPointByVersion(const char *name, void **result, unsigned version,
                                     unsigned long long flags, int *status) {
    (void)flags;
    return driver_entry(name, result, version, status);
}
