/* The device as the runtime has it: its properties, choosing it, and the driver's functions. */
#include <dlfcn.h>
#include <stdio.h>

#include "cuda/interfaces/call.h"

#define VERSION_OF_RUNTIME (CUDART == 11 ? 11080 : CUDART * 1000)
enum { HOST_NUMA_NONE = -1 };

CALL_EARLY(cudaRuntimeGetVersion, (int *version), version) {
    return GIVE(version, VERSION_OF_RUNTIME);
}

/* ---- which device, of one ---------------------------------------------------------------------- */

CALL_EARLY(cudaSetDevice, (int device), device) {
    return device ? CUDA_INVALID_DEVICE : CUDA_SUCCESS;
}
CALL_EARLY(cudaInitDevice, (int device, unsigned device_flags, unsigned flags), device,
           device_flags, flags) {
    enum { FLAGS_ARE_VALID = 1 };
    if (device || flags > FLAGS_ARE_VALID || (flags && !call_are_device_flags(device_flags)))
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    if (flags)
        p->settings.flags = device_flags;
    return CUDA_SUCCESS;
}
CALL_EARLY(cudaSetValidDevices, (int *devices, int count), devices, count) {
    return count < 0 || count > 1 || (count && !devices) ? CUDA_INVALID_VALUE
           : count && *devices                           ? CUDA_INVALID_DEVICE
                                                         : CUDA_SUCCESS;
}
CALL_EARLY(cudaChooseDevice, (int *device, const cudaDeviceProp *properties), device, properties) {
    return GIVE(properties ? device : NULL, 0);
}
CALL_ALONE(CALL_NEEDS_NOTHING, cudaDeviceReset) {
    cuda_reset(p);
    return CUDA_SUCCESS;
}
CALL_EARLY(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), peer, flags) {
    (void)peer;
    return flags ? CUDA_INVALID_VALUE : CUDA_INVALID_DEVICE;
}
CALL_EARLY(cudaDeviceDisablePeerAccess, (int peer), peer) {
    return peer ? CUDA_INVALID_DEVICE : CUDA_PEER_ACCESS_NOT_ENABLED;
}

enum { MAPS_HOST_MEMORY = 8 };
CALL_EARLY(cudaSetDeviceFlags, (unsigned flags), flags) {
    if (!call_are_device_flags(flags))
        return CUDA_INVALID_VALUE;
    p->settings.flags = flags;
    return CUDA_SUCCESS;
}
CALL_EARLY(cudaGetDeviceFlags, (unsigned *flags), flags) {
    return GIVE(flags, p->settings.flags | MAPS_HOST_MEMORY);
}

/* ---- properties -------------------------------------------------------------------------------- */

static void fill_textures(const cuda_process *p, cudaDeviceProp *d) {
    d->maxTexture1D = call_attribute(p, 21);
    d->maxTexture1DMipmap = call_attribute(p, 77);
#if CUDART < 13
    d->maxTexture1DLinear = call_attribute(p, 69);
#endif
    for (int i = 0; i < 2; i++) {
        d->maxTexture2D[i] = call_attribute(p, 22 + i);
        d->maxTexture2DMipmap[i] = call_attribute(p, 73 + i);
        d->maxTexture2DGather[i] = call_attribute(p, 45 + i);
        d->maxTexture1DLayered[i] = call_attribute(p, 42 + i);
        d->maxTextureCubemapLayered[i] = call_attribute(p, 53 + i);
        d->maxSurface2D[i] = call_attribute(p, 56 + i);
        d->maxSurface1DLayered[i] = call_attribute(p, 61 + i);
        d->maxSurfaceCubemapLayered[i] = call_attribute(p, 67 + i);
    }
    for (int i = 0; i < 3; i++) {
        d->maxTexture2DLinear[i] = call_attribute(p, 70 + i);
        d->maxTexture3D[i] = call_attribute(p, 24 + i);
        d->maxTexture3DAlt[i] = call_attribute(p, 47 + i);
        d->maxTexture2DLayered[i] = call_attribute(p, 27 + i);
        d->maxSurface3D[i] = call_attribute(p, 58 + i);
        d->maxSurface2DLayered[i] = call_attribute(p, 63 + i);
    }
    d->maxTextureCubemap = call_attribute(p, 52);
    d->maxSurface1D = call_attribute(p, 55);
    d->maxSurfaceCubemap = call_attribute(p, 66);
    d->surfaceAlignment = (size_t)call_attribute(p, 30);
}

/* The members that are attributes, by their numbers. */
static void fill_attributes(const cuda_process *p, cudaDeviceProp *d) {
    d->maxThreadsPerBlock = call_attribute(p, 1);
    for (int i = 0; i < 3; i++) {
        d->maxThreadsDim[i] = call_attribute(p, 2 + i);
        d->maxGridSize[i] = call_attribute(p, 5 + i);
    }
    d->sharedMemPerBlock = (size_t)call_attribute(p, 8);
    d->totalConstMem = (size_t)call_attribute(p, 9);
    d->warpSize = call_attribute(p, 10);
    d->memPitch = (size_t)call_attribute(p, 11);
    d->regsPerBlock = call_attribute(p, 12);
    d->textureAlignment = (size_t)call_attribute(p, 14);
    d->multiProcessorCount = call_attribute(p, 16);
    d->canMapHostMemory = call_attribute(p, 19);
    d->concurrentKernels = call_attribute(p, 31);
    d->pciBusID = call_attribute(p, 33);
    d->memoryBusWidth = call_attribute(p, 37);
    d->l2CacheSize = call_attribute(p, 38);
    d->maxThreadsPerMultiProcessor = call_attribute(p, 39);
    d->asyncEngineCount = call_attribute(p, 40);
    d->unifiedAddressing = call_attribute(p, 41);
    d->texturePitchAlignment = (size_t)call_attribute(p, 51);
    d->major = call_attribute(p, 75);
    d->minor = call_attribute(p, 76);
    d->streamPrioritiesSupported = call_attribute(p, 78);
    d->globalL1CacheSupported = call_attribute(p, 79);
    d->localL1CacheSupported = call_attribute(p, 80);
    d->sharedMemPerMultiprocessor = (size_t)call_attribute(p, 81);
    d->regsPerMultiprocessor = call_attribute(p, 82);
    d->managedMemory = call_attribute(p, 83);
    d->concurrentManagedAccess = call_attribute(p, 89);
    d->canUseHostPointerForRegisteredMem = call_attribute(p, 91);
    d->cooperativeLaunch = call_attribute(p, 95);
    d->sharedMemPerBlockOptin = (size_t)call_attribute(p, 97);
    d->maxBlocksPerMultiProcessor = call_attribute(p, 106);
    d->reservedSharedMemPerBlock = (size_t)call_attribute(p, 111);
#if CUDART >= 12
    d->clusterLaunch = call_attribute(p, 120);
    d->hostRegisterSupported = call_attribute(p, 99);
    d->memoryPoolsSupported = call_attribute(p, 115);
#endif
#if CUDART >= 13
    d->deviceNumaId = d->hostNumaId = HOST_NUMA_NONE;
#else
    d->clockRate = call_attribute(p, 13);
    d->memoryClockRate = call_attribute(p, 36);
    d->deviceOverlap = call_attribute(p, 15);
    d->singleToDoublePrecisionPerfRatio = call_attribute(p, 87);
#endif
}

/* The name without a version has a shorter struct in CUDA 11 than in 13. */
#if CUDART == 12
#define GET_PROPERTIES cudaGetDeviceProperties_v2
#else
#define GET_PROPERTIES cudaGetDeviceProperties
#endif
CALL_EARLY(GET_PROPERTIES, (cudaDeviceProp * d, int device), d, device) {
    if (!d || device)
        return d ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    *d = (cudaDeviceProp){.totalGlobalMem = (size_t)p->device.memory};
    snprintf(d->name, sizeof d->name, "%s", cuda_device_name(&p->device));
    cuda_device_uuid(&p->device, d->uuid);
    fill_attributes(p, d);
    fill_textures(p, d);
    return CUDA_SUCCESS;
}

/* ---- the driver's functions, by their names ---------------------------------------------------- */

/* cudaDriverEntryPointQueryResult */
enum { ENTRY_FOUND = 0, ENTRY_NOT_FOUND = 1 };

typedef int find_fn(const char *name, void **result, int version, unsigned long long flags,
                    int *status);

/* What is not found is NULL, and no error. */
EXPORT int cudaGetDriverEntryPointByVersion(const char *name, void **result, unsigned version,
                                            unsigned long long flags, int *status) {
    if (!name || !result)
        return call_last(CUDA_INVALID_VALUE);
    *result = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    find_fn *find = NULL;
    if (driver)
        *(void **)&find = dlsym(driver, "cuGetProcAddress_v2");
    int error = find ? find(name, result, (int)version, flags, NULL) : CUDA_SUCCESS;
    if (status)
        *status = *result ? ENTRY_FOUND : ENTRY_NOT_FOUND;
    return call_last((cuda_error)error);
}
#if CUDART >= 12
EXPORT int cudaGetDriverEntryPoint(const char *name, void **result, unsigned long long flags,
                                   int *status) {
    return cudaGetDriverEntryPointByVersion(name, result, VERSION_OF_RUNTIME, flags, status);
}
#else
EXPORT int cudaGetDriverEntryPoint(const char *name, void **result, unsigned long long flags) {
    return cudaGetDriverEntryPointByVersion(name, result, VERSION_OF_RUNTIME, flags, NULL);
}
#endif
