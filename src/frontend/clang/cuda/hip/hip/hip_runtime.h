/*
 * HIP, in the words of CUDA C: its host interface has the functions and types of CUDA's by other names, so
 * that what is known of these is known of it; kernels have threadIdx and the like anyway. Waves are those of
 * the device: functions of lanes have no mask, and a vote has 64 bits (HIP Programming Guide, "Warp cross-lane
 * functions").
 */
#ifndef HEDDLE_HIP_RUNTIME_H
#define HEDDLE_HIP_RUNTIME_H

#include <cuda_runtime.h>

/* Sources for both ask for these. */
#undef __CUDACC__
#undef __NVCC__
#undef __CUDA_ARCH__
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __gfx90a__ 1

/* ---- the host's --------------------------------------------------------------------------------------- */

#define hipDeviceCanAccessPeer cudaDeviceCanAccessPeer
#define hipDeviceDisablePeerAccess cudaDeviceDisablePeerAccess
#define hipDeviceEnablePeerAccess cudaDeviceEnablePeerAccess
#define hipDeviceGetAttribute cudaDeviceGetAttribute
#define hipDeviceGetLimit cudaDeviceGetLimit
#define hipDeviceGetPCIBusId cudaDeviceGetPCIBusId
#define hipDeviceGetStreamPriorityRange cudaDeviceGetStreamPriorityRange
#define hipDeviceReset cudaDeviceReset
#define hipDeviceSetCacheConfig cudaDeviceSetCacheConfig
#define hipDeviceSetLimit cudaDeviceSetLimit
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipDriverGetVersion cudaDriverGetVersion
#define hipEventCreate cudaEventCreate
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventDestroy cudaEventDestroy
#define hipEventElapsedTime cudaEventElapsedTime
#define hipEventQuery cudaEventQuery
#define hipEventRecord cudaEventRecord
#define hipEventSynchronize cudaEventSynchronize
#define hipFree cudaFree
#define hipFreeAsync cudaFreeAsync
#define hipFuncGetAttributes cudaFuncGetAttributes
#define hipFuncSetAttribute cudaFuncSetAttribute
#define hipFuncSetCacheConfig cudaFuncSetCacheConfig
#define hipGetDevice cudaGetDevice
#define hipGetDeviceCount cudaGetDeviceCount
#define hipGetDeviceFlags cudaGetDeviceFlags
#define hipGetErrorName cudaGetErrorName
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipGetSymbolAddress cudaGetSymbolAddress
#define hipGetSymbolSize cudaGetSymbolSize
#define hipHostGetDevicePointer cudaHostGetDevicePointer
#define hipHostGetFlags cudaHostGetFlags
#define hipHostRegister cudaHostRegister
#define hipHostUnregister cudaHostUnregister
#define hipIpcGetMemHandle cudaIpcGetMemHandle
#define hipLaunchCooperativeKernel cudaLaunchCooperativeKernel
#define hipLaunchHostFunc cudaLaunchHostFunc
#define hipLaunchKernel cudaLaunchKernel
#define hipMalloc cudaMalloc
#define hipMalloc3D cudaMalloc3D
#define hipMallocAsync cudaMallocAsync
#define hipMallocManaged cudaMallocManaged
#define hipMallocPitch cudaMallocPitch
#define hipMemAdvise cudaMemAdvise
#define hipMemGetInfo cudaMemGetInfo
#define hipMemPrefetchAsync cudaMemPrefetchAsync
#define hipMemcpy cudaMemcpy
#define hipMemcpy2D cudaMemcpy2D
#define hipMemcpy2DAsync cudaMemcpy2DAsync
#define hipMemcpy3D cudaMemcpy3D
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemcpyFromSymbol cudaMemcpyFromSymbol
#define hipMemcpyPeer cudaMemcpyPeer
#define hipMemcpyPeerAsync cudaMemcpyPeerAsync
#define hipMemcpyToSymbol cudaMemcpyToSymbol
#define hipMemcpyToSymbolAsync cudaMemcpyToSymbolAsync
#define hipMemset cudaMemset
#define hipMemset2D cudaMemset2D
#define hipMemset2DAsync cudaMemset2DAsync
#define hipMemsetAsync cudaMemsetAsync
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipOccupancyMaxPotentialBlockSize cudaOccupancyMaxPotentialBlockSize
#define hipPeekAtLastError cudaPeekAtLastError
#define hipPointerGetAttributes cudaPointerGetAttributes
#define hipRuntimeGetVersion cudaRuntimeGetVersion
#define hipSetDevice cudaSetDevice
#define hipSetDeviceFlags cudaSetDeviceFlags
#define hipStreamAddCallback cudaStreamAddCallback
#define hipStreamAttachMemAsync cudaStreamAttachMemAsync
#define hipStreamBeginCapture cudaStreamBeginCapture
#define hipStreamCreate cudaStreamCreate
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipStreamCreateWithPriority cudaStreamCreateWithPriority
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamEndCapture cudaStreamEndCapture
#define hipStreamGetFlags cudaStreamGetFlags
#define hipStreamGetPriority cudaStreamGetPriority
#define hipStreamIsCapturing cudaStreamIsCapturing
#define hipStreamQuery cudaStreamQuery
#define hipStreamSynchronize cudaStreamSynchronize
#define hipStreamWaitEvent cudaStreamWaitEvent
#define hipGraphAddDependencies cudaGraphAddDependencies
#define hipGraphAddEmptyNode cudaGraphAddEmptyNode
#define hipGraphAddKernelNode cudaGraphAddKernelNode
#define hipGraphAddMemcpyNode cudaGraphAddMemcpyNode
#define hipGraphAddMemsetNode cudaGraphAddMemsetNode
#define hipGraphCreate cudaGraphCreate
#define hipGraphDestroy cudaGraphDestroy
#define hipGraphExecDestroy cudaGraphExecDestroy
#define hipGraphInstantiate cudaGraphInstantiate
#define hipGraphLaunch cudaGraphLaunch
#define hipCreateTextureObject cudaCreateTextureObject
#define hipDestroyTextureObject cudaDestroyTextureObject
#define hipMallocArray cudaMallocArray
#define hipFreeArray cudaFreeArray
#define hipCreateSurfaceObject cudaCreateSurfaceObject
#define hipDestroySurfaceObject cudaDestroySurfaceObject
#define hipCreateChannelDesc cudaCreateChannelDesc
#define hipMemcpy2DToArray cudaMemcpy2DToArray
#define hipMemcpyToArray cudaMemcpyToArray
#define hipSuccess cudaSuccess
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorNotReady cudaErrorNotReady
#define hipErrorUnknown cudaErrorUnknown
#define hipMemcpyHostToHost cudaMemcpyHostToHost
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDefault cudaMemcpyDefault
#define hipFuncCachePreferNone cudaFuncCachePreferNone
#define hipFuncCachePreferShared cudaFuncCachePreferShared
#define hipFuncCachePreferL1 cudaFuncCachePreferL1
#define hipFuncCachePreferEqual cudaFuncCachePreferEqual
#define hipFuncAttributeMaxDynamicSharedMemorySize cudaFuncAttributeMaxDynamicSharedMemorySize
#define hipFuncAttributePreferredSharedMemoryCarveout cudaFuncAttributePreferredSharedMemoryCarveout
#define hipStreamDefault cudaStreamDefault
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipEventDefault cudaEventDefault
#define hipEventBlockingSync cudaEventBlockingSync
#define hipEventDisableTiming cudaEventDisableTiming
#define hipMemAttachGlobal cudaMemAttachGlobal
#define hipHostRegisterDefault cudaHostRegisterDefault
#define hipHostRegisterMapped cudaHostRegisterMapped
#define hipHostRegisterPortable cudaHostRegisterPortable
#define hipMemAdviseSetReadMostly cudaMemAdviseSetReadMostly
#define hipMemAdviseSetPreferredLocation cudaMemAdviseSetPreferredLocation
#define hipMemAdviseSetAccessedBy cudaMemAdviseSetAccessedBy
#define hipCpuDeviceId cudaCpuDeviceId
#define hipAddressModeWrap cudaAddressModeWrap
#define hipAddressModeClamp cudaAddressModeClamp
#define hipAddressModeMirror cudaAddressModeMirror
#define hipAddressModeBorder cudaAddressModeBorder
#define hipFilterModePoint cudaFilterModePoint
#define hipFilterModeLinear cudaFilterModeLinear
#define hipReadModeElementType cudaReadModeElementType
#define hipReadModeNormalizedFloat cudaReadModeNormalizedFloat
#define hipResourceTypeArray cudaResourceTypeArray
#define hipResourceTypeLinear cudaResourceTypeLinear
#define hipResourceTypePitch2D cudaResourceTypePitch2D
#define hipChannelFormatKindSigned cudaChannelFormatKindSigned
#define hipChannelFormatKindUnsigned cudaChannelFormatKindUnsigned
#define hipChannelFormatKindFloat cudaChannelFormatKindFloat
#define hipChannelFormatKindNone cudaChannelFormatKindNone
#define hipStreamCaptureModeGlobal cudaStreamCaptureModeGlobal
#define hipStreamCaptureModeThreadLocal cudaStreamCaptureModeThreadLocal
#define hipStreamCaptureModeRelaxed cudaStreamCaptureModeRelaxed
#define hipError_t cudaError_t
#define hipMemcpyKind cudaMemcpyKind
#define hipFuncCache cudaFuncCache
#define hipFuncAttribute cudaFuncAttribute
#define hipFuncAttributes cudaFuncAttributes
#define hipStream_t cudaStream_t
#define hipEvent_t cudaEvent_t
#define hipTextureObject_t cudaTextureObject_t
#define hipSurfaceObject_t cudaSurfaceObject_t
#define hipArray_t cudaArray_t
#define hipChannelFormatDesc cudaChannelFormatDesc
#define hipTextureDesc cudaTextureDesc
#define hipResourceDesc cudaResourceDesc
#define hipGraph_t cudaGraph_t
#define hipGraphExec_t cudaGraphExec_t
#define hipGraphNode_t cudaGraphNode_t
#define hipHostFn_t cudaHostFn_t
#define hipKernelNodeParams cudaKernelNodeParams
#define hipMemsetParams cudaMemsetParams
#define hipHostMalloc cudaHostAlloc
#define hipHostFree cudaFreeHost
#define hipMallocHost cudaMallocHost
#define hipFreeHost cudaFreeHost
#define hipHostAlloc cudaHostAlloc
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostMallocMapped cudaHostAllocMapped
#define hipHostMallocPortable cudaHostAllocPortable
#define hipHostMallocWriteCombined cudaHostAllocWriteCombined
#define hipErrorOutOfMemory cudaErrorMemoryAllocation
#define hipDeviceProp_t cudaDeviceProp
#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipDeviceAttribute_t cudaDeviceAttr
#define hipDeviceAttributeWarpSize cudaDevAttrWarpSize
#define hipDeviceAttributeMaxThreadsPerBlock cudaDevAttrMaxThreadsPerBlock
#define hipDeviceAttributeMultiprocessorCount cudaDevAttrMultiProcessorCount
#define hipDeviceAttributeMaxSharedMemoryPerBlock cudaDevAttrMaxSharedMemoryPerBlock
#define hipPointerAttribute_t cudaPointerAttributes

#define HIP_SYMBOL(x) x
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)               \
    kernel<<<dim3(grid), dim3(block), (unsigned)(shared), (stream)>>>(__VA_ARGS__)

/* ---- places ----------------------------------------------------------------------------------------------- */

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

/* ---- lanes of a wave ---------------------------------------------------------------------------------------- */

extern "C" {
__device__ unsigned __heddle_get_sub_group_local_id(void);
__device__ unsigned __heddle_get_max_sub_group_size(void);
__device__ int __heddle_sub_group_shuffle(int value, unsigned lane);
__device__ unsigned long long __heddle_sub_group_ballot_bits(int holds);
}

#undef warpSize
#define warpSize ((int)__heddle_get_max_sub_group_size())
__HEDDLE_DEVICE__ unsigned __lane_id(void) { return __heddle_get_sub_group_local_id(); }
__HEDDLE_DEVICE__ unsigned long long heddle_ballot(int holds) {
    return __heddle_sub_group_ballot_bits(holds != 0);
}
__HEDDLE_DEVICE__ int heddle_any(int holds) { return heddle_ballot(holds) != 0; }
__HEDDLE_DEVICE__ int heddle_all(int holds) { return heddle_ballot(!holds) == 0; }
#define __ballot heddle_ballot
#define __any heddle_any
#define __all heddle_all
__HEDDLE_DEVICE__ unsigned long long heddle_activemask(void) { return heddle_ballot(1); }
#define __activemask heddle_activemask

/* The value of a lane, in words of 32 bits. */
template <class T> __HEDDLE_DEVICE__ T heddle_of_lane(T value, unsigned lane) {
    enum { WORDS = (sizeof(T) + 3) / 4 };
    int words[WORDS] = {0};
    __builtin_memcpy(words, &value, sizeof value);
    for (int w = 0; w < WORDS; w++)
        words[w] = __heddle_sub_group_shuffle(words[w], lane);
    __builtin_memcpy(&value, words, sizeof value);
    return value;
}
/* Lanes of parts of the wave, `width` each; a lane that is not in the part is this one. */
template <class T> __HEDDLE_DEVICE__ T heddle_shfl(T value, int lane, int width = warpSize) {
    const int own = (int)__lane_id();
    return heddle_of_lane(value, (unsigned)((own & ~(width - 1)) + (lane & (width - 1))));
}
template <class T> __HEDDLE_DEVICE__ T heddle_shfl_up(T value, unsigned by, int width = warpSize) {
    const int own = (int)__lane_id(), from = own - (int)by;
    return heddle_of_lane(value, (unsigned)(from < (own & ~(width - 1)) ? own : from));
}
template <class T>
__HEDDLE_DEVICE__ T heddle_shfl_down(T value, unsigned by, int width = warpSize) {
    const int own = (int)__lane_id();
    return heddle_of_lane(
        value, (unsigned)((int)((own & (width - 1)) + by) >= width ? own : own + (int)by));
}
template <class T> __HEDDLE_DEVICE__ T heddle_shfl_xor(T value, int bits, int width = warpSize) {
    const int own = (int)__lane_id(), from = own ^ bits;
    return heddle_of_lane(value, (unsigned)(from >= ((own + width) & ~(width - 1)) ? own : from));
}
#define __shfl heddle_shfl
#define __shfl_up heddle_shfl_up
#define __shfl_down heddle_shfl_down
#define __shfl_xor heddle_shfl_xor

#endif
