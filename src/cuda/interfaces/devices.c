/* The device: there is one. Its attributes, limits and hints. */
#include <stdio.h>

#include "cuda/interfaces/call.h"

enum { DRIVER_VERSION = 13000 };

CALL_EARLY(NAMES(cudaGetDeviceCount, cuDeviceGetCount), (int *count), count) {
    return GIVE(count, 1);
}
CALL_AT(NAMES(CALL_NEEDS_NOTHING, CALL_NEEDS_CONTEXT), NAMES(cudaGetDevice, cuCtxGetDevice),
        (int *device), device) {
    return GIVE(device, 0);
}
CALL_AT(CALL_NEEDS_NOTHING, NAMES(cudaDriverGetVersion, cuDriverGetVersion), (int *version),
        version) {
    return GIVE(version, DRIVER_VERSION);
}
CALL_EARLY(NAMES(cudaDeviceGetAttribute, cuDeviceGetAttribute), (int *value, int which, int device),
           value, which, device) {
    if (!value || device)
        return value ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    return cuda_device_attribute(&p->device, which, value) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}
CALL_EARLY(NAMES(cudaDeviceGetPCIBusId, cuDeviceGetPCIBusId), (char *text, int length, int device),
           text, length, device) {
    if (device)
        return CUDA_INVALID_DEVICE;
    if (!text || length < 13)
        return CUDA_INVALID_VALUE;
    snprintf(text, (size_t)length, "0000:01:00.0");
    return CUDA_SUCCESS;
}
CALL_EARLY(NAMES(cudaDeviceGetByPCIBusId, cuDeviceGetByPCIBusId), (int *device, const char *text),
           device, text) {
    if (device && text && !strstr(text, "01:00"))
        return CUDA_INVALID_DEVICE;
    return GIVE(text ? device : NULL, 0);
}

/* There is no second device, and a device is no peer of its own. */
CALL_EARLY(NAMES(cudaDeviceCanAccessPeer, cuDeviceCanAccessPeer), (int *can, int device, int peer),
           can, device, peer) {
    return can && (device || peer) ? CUDA_INVALID_DEVICE : GIVE(can, 0);
}
CALL_EARLY(NAMES(cudaDeviceGetP2PAttribute, cuDeviceGetP2PAttribute),
           (int *value, int which, int device, int peer), value, which, device, peer) {
    (void)which, (void)device, (void)peer;
    return value ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
}

CALL_ALONE(CALL_NEEDS_CONTEXT, NAMES(cudaDeviceSynchronize, cuCtxSynchronize)) {
    return cuda_not_captured(p);
}

/* ---- limits and hints, which are kept and change nothing --------------------------------------- */

enum { LIMITS = 7, CACHE_CONFIGS = 4, SHARED_CONFIGS = 3 };
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
static int cache_config, shared_config;

CALL(NAMES(cudaDeviceSetLimit, cuCtxSetLimit), (int limit, size_t value), limit, value) {
    if (limit < 0 || limit >= LIMITS)
        return CUDA_UNSUPPORTED_LIMIT;
    limits[limit] = value;
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaDeviceGetLimit, cuCtxGetLimit), (size_t *value, int limit), value, limit) {
    return value && (limit < 0 || limit >= LIMITS) ? CUDA_UNSUPPORTED_LIMIT
                                                   : GIVE(value, limits[limit]);
}
CALL(NAMES(cudaDeviceSetCacheConfig, cuCtxSetCacheConfig), (int config), config) {
    if (config < 0 || config >= CACHE_CONFIGS)
        return CUDA_INVALID_VALUE;
    cache_config = config;
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaDeviceGetCacheConfig, cuCtxGetCacheConfig), (int *config), config) {
    return GIVE(config, cache_config);
}
CALL(NAMES(cudaDeviceSetSharedMemConfig, cuCtxSetSharedMemConfig), (int config), config) {
    if (config < 0 || config >= SHARED_CONFIGS)
        return CUDA_INVALID_VALUE;
    shared_config = config;
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaDeviceGetSharedMemConfig, cuCtxGetSharedMemConfig), (int *config), config) {
    return GIVE(config, shared_config);
}
CALL_ALONE(CALL_NEEDS_CONTEXT, NAMES(cudaCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache)) {
    return CUDA_SUCCESS;
}

/* A profiler would start here, or stop; there is none to tell. */
EXPORT int NAMES(cudaProfilerStart, cuProfilerStart)(void) { return CUDA_SUCCESS; }
