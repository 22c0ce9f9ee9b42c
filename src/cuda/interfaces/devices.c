/* The device: there is one. Its attributes, limits and hints. */
#include <stdio.h>

#include "cuda/interfaces/call.h"

enum { PCI_BUS = 1, P2P_ATTRIBUTES = 5 };

CALL_EARLY(NAMES(cudaGetDeviceCount, cuDeviceGetCount), (int *count), count) {
    return GIVE(count, 1);
}
CALL_AT(NAMES(CALL_NEEDS_NOTHING, CALL_NEEDS_CONTEXT), NAMES(cudaGetDevice, cuCtxGetDevice),
        (int *device), device) {
    return GIVE(device, 0);
}
CALL_AT(CALL_NEEDS_NOTHING, NAMES(cudaDriverGetVersion, cuDriverGetVersion), (int *version),
        version) {
    return GIVE(version, CALL_DRIVER_VERSION);
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
    snprintf(text, (size_t)length, "0000:%02x:00.0", PCI_BUS);
    return CUDA_SUCCESS;
}
CALL_EARLY(NAMES(cudaDeviceGetByPCIBusId, cuDeviceGetByPCIBusId), (int *device, const char *text),
           device, text) {
    unsigned domain = 0, bus, place;
    if (!device || !text)
        return CUDA_INVALID_VALUE;
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &place) < 3) { /* it may have no domain */
        domain = 0;
        if (sscanf(text, "%x:%x", &bus, &place) < 2)
            return CUDA_INVALID_VALUE;
    }
    return domain || bus != PCI_BUS || place ? CUDA_INVALID_DEVICE : GIVE(device, 0);
}

/* There is no second device, and a device is no peer of its own. */
CALL_EARLY(NAMES(cudaDeviceCanAccessPeer, cuDeviceCanAccessPeer), (int *can, int device, int peer),
           can, device, peer) {
    return can && (device || peer) ? CUDA_INVALID_DEVICE : GIVE(can, 0);
}
CALL_EARLY(NAMES(cudaDeviceGetP2PAttribute, cuDeviceGetP2PAttribute),
           (int *value, int which, int device, int peer), value, which, device, peer) {
    (void)device, (void)peer;
    return !value || which < 1 || which > P2P_ATTRIBUTES ? CUDA_INVALID_VALUE : CUDA_INVALID_DEVICE;
}

CALL_ALONE(CALL_NEEDS_CONTEXT, NAMES(cudaDeviceSynchronize, cuCtxSynchronize)) {
    return cuda_streams_wait(p);
}

/* One way at most to wait, and no bit that means nothing. */
bool call_are_device_flags(unsigned flags) {
    enum { WAYS_TO_WAIT = 7, ALL = 0xff };
    unsigned way = flags & WAYS_TO_WAIT;
    return flags <= ALL && !(way & (way - 1));
}

/* ---- limits and hints, which are kept and change nothing --------------------------------------- */

enum { CACHE_CONFIGS = 4, SHARED_CONFIGS = 3 };

CALL(NAMES(cudaDeviceSetLimit, cuCtxSetLimit), (int limit, size_t value), limit, value) {
    if (limit < 0 || limit >= CUDA_LIMITS)
        return CUDA_UNSUPPORTED_LIMIT;
    p->settings.limits[limit] = value;
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaDeviceGetLimit, cuCtxGetLimit), (size_t *value, int limit), value, limit) {
    return value && (limit < 0 || limit >= CUDA_LIMITS) ? CUDA_UNSUPPORTED_LIMIT
                                                        : GIVE(value, p->settings.limits[limit]);
}
CALL(NAMES(cudaDeviceSetCacheConfig, cuCtxSetCacheConfig), (int config), config) {
    if (config < 0 || config >= CACHE_CONFIGS)
        return CUDA_INVALID_VALUE;
    p->settings.cache_config = config;
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaDeviceGetCacheConfig, cuCtxGetCacheConfig), (int *config), config) {
    return GIVE(config, p->settings.cache_config);
}
CALL(NAMES(cudaDeviceSetSharedMemConfig, cuCtxSetSharedMemConfig), (int config), config) {
    if (config < 0 || config >= SHARED_CONFIGS)
        return CUDA_INVALID_VALUE;
    p->settings.shared_config = config;
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaDeviceGetSharedMemConfig, cuCtxGetSharedMemConfig), (int *config), config) {
    return GIVE(config, p->settings.shared_config);
}
CALL_ALONE(CALL_NEEDS_CONTEXT, NAMES(cudaCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache)) {
    return CUDA_SUCCESS;
}

/* A profiler would start here, or stop; there is none to tell. */
EXPORT int NAMES(cudaProfilerStart, cuProfilerStart)(void) { return CUDA_SUCCESS; }
