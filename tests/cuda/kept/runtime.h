/*
 * CUDA's runtime interface for programs/, as far as they call it, for clang without a toolkit: in
 * place of heddle_host.h, on which no program could run. Structs are those of the library's own
 * abi.h (CUDA 13).
 */
#pragma once
#include <initializer_list>

/* What clang's headers want of the toolkit's in a compilation for the host alone. */
typedef unsigned cuuint32_t;
typedef unsigned long long cuuint64_t;
static __attribute__((device)) unsigned __isShared(const void *);
__attribute__((device)) void __nanosleep(unsigned);
__attribute__((device)) unsigned long __cvta_generic_to_shared(const void *);

#define HEDDLE_HOST_H
#define HEDDLE_TEXTURES_H
#include "heddle_cuda.h"

#define CUDART 13
#define dim3 abi_dim3
#define cudaError_t abi_error
#define cudaLaunchAttribute abi_attribute
#define cudaLaunchConfig_t abi_config
#define cudaKernelNodeParams abi_kernel_node
#define cudaResourceDesc abi_resource
#include "cuda/runtime/abi.h"
#undef dim3
#undef cudaError_t
#undef cudaLaunchAttribute
#undef cudaLaunchConfig_t
#undef cudaKernelNodeParams
#undef cudaResourceDesc

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorAssert = 710,
    cudaErrorHostMemoryAlreadyRegistered = 712,
    cudaErrorHostMemoryNotRegistered = 713,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorNotSupported = 801,
    cudaErrorInvalidClusterSize = 912
} cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum {
    cudaHostAllocMapped = 2,
    cudaHostRegisterMapped = 2,
    cudaMemoryTypeManaged = 3,
    cudaStreamNonBlocking = 1,
    cudaEventDisableTiming = 2,
    cudaStreamCaptureModeGlobal = 0,
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributePriority = 8,
    cudaDeviceScheduleYield = 2,
    cudaLimitStackSize = 0,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaMemAdviseSetReadMostly = 1,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef void (*cudaHostFn_t)(void *);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);

struct cudaLaunchAttribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int priority;
        struct {
            unsigned x, y, z;
        } clusterDim;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
static_assert(sizeof(cudaLaunchAttribute) == sizeof(abi_attribute), "");
static_assert(sizeof(cudaLaunchConfig_t) == sizeof(abi_config), "");
static_assert(sizeof(cudaKernelNodeParams) == sizeof(abi_kernel_node), "");

/* Textures and surfaces. What kernels do with them is in their PTX: here it has only to compile. */
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef void *cudaArray_t;
enum {
    cudaChannelFormatKindUnsigned = 1,
    cudaArraySurfaceLoadStore = 2,
    cudaAddressModeClamp = 1,
    cudaFilterModeLinear = 1,
    cudaReadModeNormalizedFloat = 1,
    cudaResourceTypeArray = 0,
    cudaResourceTypeLinear = 2
};
struct cudaResourceDesc {
    int resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        linear_memory linear;
        int reserved[32];
    } res;
    unsigned flags;
};
static_assert(sizeof(cudaResourceDesc) == sizeof(abi_resource), "");
template <class T> static __attribute__((device)) T tex1Dfetch(cudaTextureObject_t, int);
template <class T> static __attribute__((device)) T tex2D(cudaTextureObject_t, float, float);
template <class T>
static __attribute__((device)) void surf2Dwrite(T, cudaSurfaceObject_t, int, int);

inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    return {width, height, depth};
}
inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width,
                                          size_t height) {
    return {pointer, pitch, width, height};
}

#define CALL extern "C" cudaError_t
#define STREAM cudaStream_t stream = 0
CALL cudaMalloc(void **pointer, size_t bytes);
CALL cudaMallocHost(void **pointer, size_t bytes);
CALL cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
CALL cudaHostGetDevicePointer(void **pointer, void *host, unsigned flags);
CALL cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
CALL cudaHostUnregister(void *pointer);
CALL cudaMallocManaged(void **pointer, size_t bytes, unsigned flags = 1);
CALL cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
CALL cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent);
CALL cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
CALL cudaFreeAsync(void *pointer, cudaStream_t stream);
CALL cudaFree(void *pointer);
CALL cudaFreeHost(void *pointer);
CALL cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
CALL cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value);
CALL cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value);
CALL cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
CALL cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, STREAM);
CALL cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                  size_t height, cudaMemcpyKind kind);
CALL cudaMemcpy3D(const cudaMemcpy3DParms *copy);
CALL cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *channels, size_t width,
                     size_t height = 0, unsigned flags = 0);
CALL cudaFreeArray(cudaArray_t array);
CALL cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                         size_t width, size_t height, cudaMemcpyKind kind);
CALL cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,
                           size_t width, size_t height, cudaMemcpyKind kind);
extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
CALL cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                             const cudaTextureDesc *sampling, const void *view);
CALL cudaDestroyTextureObject(cudaTextureObject_t object);
CALL cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource);
CALL cudaDestroySurfaceObject(cudaSurfaceObject_t object);
CALL cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset = 0,
                        cudaMemcpyKind kind = cudaMemcpyHostToDevice);
CALL cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset = 0,
                          cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
CALL cudaGetSymbolAddress(void **pointer, const void *symbol);
CALL cudaGetSymbolSize(size_t *bytes, const void *symbol);
CALL cudaMemset(void *pointer, int value, size_t bytes);
CALL cudaMemsetAsync(void *pointer, int value, size_t bytes, STREAM);
CALL cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent);
CALL cudaMemAdvise(const void *pointer, size_t bytes, int advice, cudaMemLocation location);
CALL cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location,
                          unsigned flags, STREAM);
CALL cudaMemGetInfo(size_t *rest, size_t *all);
CALL cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer);
CALL cudaDeviceSynchronize(void);
CALL cudaDeviceReset(void);
CALL cudaDeviceGetLimit(size_t *value, int limit);
CALL cudaDeviceSetLimit(int limit, size_t value);
CALL cudaDeviceSetCacheConfig(int config);
CALL cudaGetDeviceCount(int *count);
CALL cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
CALL cudaDeviceGetAttribute(int *value, int attribute, int device);
CALL cudaDeviceCanAccessPeer(int *can, int device, int peer);
CALL cudaSetDevice(int device);
CALL cudaSetDeviceFlags(unsigned flags);
CALL cudaGetLastError(void);
CALL cudaPeekAtLastError(void);
extern "C" const char *cudaGetErrorName(cudaError_t error);
extern "C" const char *cudaGetErrorString(cudaError_t error);
CALL cudaStreamCreate(cudaStream_t *stream);
CALL cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
CALL cudaStreamDestroy(cudaStream_t stream);
CALL cudaStreamSynchronize(cudaStream_t stream);
CALL cudaStreamQuery(cudaStream_t stream);
CALL cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
CALL cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void *user,
                           unsigned flags);
CALL cudaStreamBeginCapture(cudaStream_t stream, int mode);
CALL cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
CALL cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *user);
CALL cudaEventCreate(cudaEvent_t *event);
CALL cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
CALL cudaEventDestroy(cudaEvent_t event);
CALL cudaEventRecord(cudaEvent_t event, STREAM);
CALL cudaEventSynchronize(cudaEvent_t event);
CALL cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
CALL cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
CALL cudaGraphDestroy(cudaGraph_t graph);
#define NODE cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count
CALL cudaGraphAddKernelNode(NODE, const cudaKernelNodeParams *params);
CALL cudaGraphAddMemsetNode(NODE, const cudaMemsetParams *params);
CALL cudaGraphAddHostNode(NODE, const cudaHostNodeParams *params);
CALL cudaGraphAddMemcpyNode1D(NODE, void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
#undef NODE
CALL cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
CALL cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0);
CALL cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
CALL cudaGraphExecDestroy(cudaGraphExec_t exec);
CALL cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                      const cudaKernelNodeParams *params);
CALL cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled);
CALL cudaFuncSetCacheConfig(const void *function, int config);
CALL cudaFuncSetAttribute(const void *function, int attribute, int value);
CALL cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function);
CALL cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                   size_t shared);
CALL cudaLaunchKernel(const void *function, dim3 blocks, dim3 threads, void **args, size_t shared,
                      cudaStream_t stream);
CALL cudaLaunchCooperativeKernel(const void *function, dim3 blocks, dim3 threads, void **args,
                                 size_t shared, cudaStream_t stream);
CALL cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args);
extern "C" unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, size_t shared = 0,
                                                void *stream = 0);
#undef CALL
#undef STREAM

/* ---- the forms of C++ --------------------------------------------------------------------- */

template <class T> cudaError_t cudaMalloc(T **pointer, size_t bytes) {
    return cudaMalloc((void **)(void *)pointer, bytes);
}
template <class T> cudaError_t cudaMallocHost(T **pointer, size_t bytes) {
    return cudaMallocHost((void **)(void *)pointer, bytes);
}
template <class T> cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags) {
    return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T **pointer, void *host, unsigned flags) {
    return cudaHostGetDevicePointer((void **)(void *)pointer, host, flags);
}
template <class T> cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned flags = 1) {
    return cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
template <class T> cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T> cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
    return cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class T> cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}
template <class T> cudaError_t cudaFuncSetCacheConfig(T *function, int config) {
    return cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T> cudaError_t cudaFuncSetAttribute(T *function, int attribute, int value) {
    return cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) {
    return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *function, int threads,
                                                          size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, threads,
                                                         shared);
}
/* The block with the most threads at once, and as many blocks as fill the device. */
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T *function, size_t shared,
                                               int most) {
    int processors, blocks, best = 0;
    cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    for (int threads = most ? most : 1024; threads > 0 && !error; threads -= 32) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared);
        if (!error && blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * processors;
        }
    }
    return error;
}
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                               A &&...args) {
    return [&](P... exact) {
        void *pointers[] = {&exact...};
        return cudaLaunchKernelExC(config, (const void *)kernel, pointers);
    }(args...);
}
