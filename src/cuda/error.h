/*
 * Error codes of CUDA. The runtime and the driver have the same numbers and other names for them
 * (CUDA Runtime API 13.0, cudaError_t; CUDA Driver API 13.0, CUresult).
 */
#ifndef CUDA_ERROR_H
#define CUDA_ERROR_H

#include <stdbool.h>

/* BOTH(NUMBER, NAME, RUNTIME, TEXT): cudaErrorRUNTIME, CUDA_ERROR_NAME, and what its text says.
 * RUNTIME(...): the same; the driver has no such code. By their numbers. */
#define CUDA_ERRORS(BOTH, RUNTIME)                                                                \
    BOTH(1, INVALID_VALUE, InvalidValue, "invalid argument")                                      \
    BOTH(2, OUT_OF_MEMORY, MemoryAllocation, "out of memory")                                     \
    BOTH(3, NOT_INITIALIZED, InitializationError, "initialization error")                         \
    BOTH(4, DEINITIALIZED, CudartUnloading, "driver shutting down")                               \
    BOTH(5, PROFILER_DISABLED, ProfilerDisabled,                                                  \
         "profiler disabled while using external profiling tool")                                 \
    BOTH(6, PROFILER_NOT_INITIALIZED, ProfilerNotInitialized,                                     \
         "profiler not initialized: call cudaProfilerInitialize()")                               \
    BOTH(7, PROFILER_ALREADY_STARTED, ProfilerAlreadyStarted, "profiler already started")         \
    BOTH(8, PROFILER_ALREADY_STOPPED, ProfilerAlreadyStopped, "profiler already stopped")         \
    RUNTIME(9, INVALID_CONFIGURATION, InvalidConfiguration, "invalid configuration argument")     \
    RUNTIME(12, INVALID_PITCH_VALUE, InvalidPitchValue, "invalid pitch argument")                 \
    RUNTIME(13, INVALID_SYMBOL, InvalidSymbol, "invalid device symbol")                           \
    RUNTIME(16, INVALID_HOST_POINTER, InvalidHostPointer, "invalid host pointer")                 \
    RUNTIME(17, INVALID_DEVICE_POINTER, InvalidDevicePointer, "invalid device pointer")           \
    RUNTIME(18, INVALID_TEXTURE, InvalidTexture, "invalid texture reference")                     \
    RUNTIME(19, INVALID_TEXTURE_BINDING, InvalidTextureBinding,                                   \
            "texture is not bound to a pointer")                                                  \
    RUNTIME(20, INVALID_CHANNEL_DESCRIPTOR, InvalidChannelDescriptor,                             \
            "invalid channel descriptor")                                                         \
    RUNTIME(21, INVALID_MEMCPY_DIRECTION, InvalidMemcpyDirection,                                 \
            "invalid copy direction for memcpy")                                                  \
    RUNTIME(22, ADDRESS_OF_CONSTANT, AddressOfConstant, "invalid address of constant")            \
    RUNTIME(23, TEXTURE_FETCH_FAILED, TextureFetchFailed, "fetch from texture failed")            \
    RUNTIME(24, TEXTURE_NOT_BOUND, TextureNotBound,                                               \
            "cannot fetch from a texture that is not bound")                                      \
    RUNTIME(25, SYNCHRONIZATION_ERROR, SynchronizationError, "incorrect use of __syncthreads()")  \
    RUNTIME(26, INVALID_FILTER_SETTING, InvalidFilterSetting,                                     \
            "linear filtering not supported for non-float type")                                  \
    RUNTIME(27, INVALID_NORM_SETTING, InvalidNormSetting,                                         \
            "read as normalized float not supported for data type")                               \
    RUNTIME(28, MIXED_DEVICE_EXECUTION, MixedDeviceExecution,                                     \
            "device emulation mode and device execution mode cannot be mixed")                    \
    RUNTIME(31, NOT_YET_IMPLEMENTED, NotYetImplemented, "feature not yet implemented")            \
    RUNTIME(32, MEMORY_VALUE_TOO_LARGE, MemoryValueTooLarge,                                      \
            "memory size or pointer value too large to fit in 32 bit")                            \
    BOTH(34, STUB_LIBRARY, StubLibrary, "CUDA driver is a stub library")                          \
    RUNTIME(35, INSUFFICIENT_DRIVER, InsufficientDriver,                                          \
            "CUDA driver version is insufficient for CUDA runtime version")                       \
    BOTH(36, CALL_REQUIRES_NEWER_DRIVER, CallRequiresNewerDriver,                                 \
         "API call is not supported in the installed CUDA driver")                                \
    RUNTIME(37, INVALID_SURFACE, InvalidSurface, "invalid surface reference")                     \
    RUNTIME(43, DUPLICATE_VARIABLE_NAME, DuplicateVariableName,                                   \
            "duplicate global variable looked up by string name")                                 \
    RUNTIME(44, DUPLICATE_TEXTURE_NAME, DuplicateTextureName,                                     \
            "duplicate texture looked up by string name")                                         \
    RUNTIME(45, DUPLICATE_SURFACE_NAME, DuplicateSurfaceName,                                     \
            "duplicate surface looked up by string name")                                         \
    BOTH(46, DEVICE_UNAVAILABLE, DevicesUnavailable,                                              \
         "CUDA-capable device(s) is/are busy or unavailable")                                     \
    RUNTIME(49, INCOMPATIBLE_DRIVER_CONTEXT, IncompatibleDriverContext,                           \
            "incompatible driver context")                                                        \
    RUNTIME(52, MISSING_CONFIGURATION, MissingConfiguration,                                      \
            "__global__ function call is not configured")                                         \
    RUNTIME(53, PRIOR_LAUNCH_FAILURE, PriorLaunchFailure,                                         \
            "unspecified launch failure in prior launch")                                         \
    RUNTIME(65, LAUNCH_MAX_DEPTH_EXCEEDED, LaunchMaxDepthExceeded,                                \
            "launch would exceed maximum depth of nested launches")                               \
    RUNTIME(66, LAUNCH_FILE_SCOPED_TEX, LaunchFileScopedTex,                                      \
            "launch failed because kernel uses unsupported, file-scoped textures (texture "       \
            "objects are supported)")                                                             \
    RUNTIME(67, LAUNCH_FILE_SCOPED_SURF, LaunchFileScopedSurf,                                    \
            "launch failed because kernel uses unsupported, file-scoped surfaces (surface "       \
            "objects are supported)")                                                             \
    RUNTIME(68, SYNC_DEPTH_EXCEEDED, SyncDepthExceeded,                                           \
            "cudaDeviceSynchronize failed because caller's grid depth exceeds "                   \
            "cudaLimitDevRuntimeSyncDepth")                                                       \
    RUNTIME(69, LAUNCH_PENDING_COUNT_EXCEEDED, LaunchPendingCountExceeded,                        \
            "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount")    \
    RUNTIME(98, INVALID_DEVICE_FUNCTION, InvalidDeviceFunction, "invalid device function")        \
    BOTH(100, NO_DEVICE, NoDevice, "no CUDA-capable device is detected")                          \
    BOTH(101, INVALID_DEVICE, InvalidDevice, "invalid device ordinal")                            \
    BOTH(102, DEVICE_NOT_LICENSED, DeviceNotLicensed, "device doesn't have valid Grid license")   \
    RUNTIME(103, SOFTWARE_VALIDITY_NOT_ESTABLISHED, SoftwareValidityNotEstablished,               \
            "integrity checks failed")                                                            \
    RUNTIME(127, STARTUP_FAILURE, StartupFailure, "startup failure in cuda runtime")              \
    BOTH(200, INVALID_IMAGE, InvalidKernelImage, "device kernel image is invalid")                \
    BOTH(201, INVALID_CONTEXT, DeviceUninitialized, "invalid device context")                     \
    BOTH(205, MAP_FAILED, MapBufferObjectFailed, "mapping of buffer object failed")               \
    BOTH(206, UNMAP_FAILED, UnmapBufferObjectFailed, "unmapping of buffer object failed")         \
    BOTH(207, ARRAY_IS_MAPPED, ArrayIsMapped, "array is mapped")                                  \
    BOTH(208, ALREADY_MAPPED, AlreadyMapped, "resource already mapped")                           \
    BOTH(209, NO_BINARY_FOR_GPU, NoKernelImageForDevice,                                          \
         "no kernel image is available for execution on the device")                              \
    BOTH(210, ALREADY_ACQUIRED, AlreadyAcquired, "resource already acquired")                     \
    BOTH(211, NOT_MAPPED, NotMapped, "resource not mapped")                                       \
    BOTH(212, NOT_MAPPED_AS_ARRAY, NotMappedAsArray, "resource not mapped as array")              \
    BOTH(213, NOT_MAPPED_AS_POINTER, NotMappedAsPointer, "resource not mapped as pointer")        \
    BOTH(214, ECC_UNCORRECTABLE, ECCUncorrectable, "uncorrectable ECC error encountered")         \
    BOTH(215, UNSUPPORTED_LIMIT, UnsupportedLimit, "limit is not supported on this architecture") \
    BOTH(216, CONTEXT_ALREADY_IN_USE, DeviceAlreadyInUse,                                         \
         "exclusive-thread device already in use by a different thread")                          \
    BOTH(217, PEER_ACCESS_UNSUPPORTED, PeerAccessUnsupported,                                     \
         "peer access is not supported between these two devices")                                \
    BOTH(218, INVALID_PTX, InvalidPtx, "a PTX JIT compilation failed")                            \
    BOTH(219, INVALID_GRAPHICS_CONTEXT, InvalidGraphicsContext,                                   \
         "invalid OpenGL or DirectX context")                                                     \
    BOTH(220, NVLINK_UNCORRECTABLE, NvlinkUncorrectable,                                          \
         "uncorrectable NVLink error detected during the execution")                              \
    BOTH(221, JIT_COMPILER_NOT_FOUND, JitCompilerNotFound, "PTX JIT compiler library not found")  \
    BOTH(222, UNSUPPORTED_PTX_VERSION, UnsupportedPtxVersion,                                     \
         "the provided PTX was compiled with an unsupported toolchain.")                          \
    BOTH(223, JIT_COMPILATION_DISABLED, JitCompilationDisabled,                                   \
         "PTX JIT compilation was disabled")                                                      \
    BOTH(224, UNSUPPORTED_EXEC_AFFINITY, UnsupportedExecAffinity,                                 \
         "the provided execution affinity is not supported")                                      \
    BOTH(225, UNSUPPORTED_DEVSIDE_SYNC, UnsupportedDevSideSync,                                   \
         "the provided PTX contains unsupported call to cudaDeviceSynchronize")                   \
    BOTH(226, CONTAINED, Contained,                                                               \
         "Invalid access of peer GPU memory over nvlink or a hardware error")                     \
    BOTH(300, INVALID_SOURCE, InvalidSource, "device kernel image is invalid")                    \
    BOTH(301, FILE_NOT_FOUND, FileNotFound, "file not found")                                     \
    BOTH(302, SHARED_OBJECT_SYMBOL_NOT_FOUND, SharedObjectSymbolNotFound,                         \
         "shared object symbol not found")                                                        \
    BOTH(303, SHARED_OBJECT_INIT_FAILED, SharedObjectInitFailed,                                  \
         "shared object initialization failed")                                                   \
    BOTH(304, OPERATING_SYSTEM, OperatingSystem,                                                  \
         "OS call failed or operation not supported on this OS")                                  \
    BOTH(400, INVALID_HANDLE, InvalidResourceHandle, "invalid resource handle")                   \
    BOTH(401, ILLEGAL_STATE, IllegalState,                                                        \
         "the operation cannot be performed in the present state")                                \
    BOTH(402, LOSSY_QUERY, LossyQuery, "attempted introspection would be semantically lossy")     \
    BOTH(500, NOT_FOUND, SymbolNotFound, "named symbol not found")                                \
    BOTH(600, NOT_READY, NotReady, "device not ready")                                            \
    BOTH(700, ILLEGAL_ADDRESS, IllegalAddress, "an illegal memory access was encountered")        \
    BOTH(701, LAUNCH_OUT_OF_RESOURCES, LaunchOutOfResources,                                      \
         "too many resources requested for launch")                                               \
    BOTH(702, LAUNCH_TIMEOUT, LaunchTimeout, "the launch timed out and was terminated")           \
    BOTH(703, LAUNCH_INCOMPATIBLE_TEXTURING, LaunchIncompatibleTexturing,                         \
         "launch uses incompatible texturing mode")                                               \
    BOTH(704, PEER_ACCESS_ALREADY_ENABLED, PeerAccessAlreadyEnabled,                              \
         "peer access is already enabled")                                                        \
    BOTH(705, PEER_ACCESS_NOT_ENABLED, PeerAccessNotEnabled, "peer access has not been enabled")  \
    BOTH(708, PRIMARY_CONTEXT_ACTIVE, SetOnActiveProcess,                                         \
         "cannot set while device is active in this process")                                     \
    BOTH(709, CONTEXT_IS_DESTROYED, ContextIsDestroyed, "context is destroyed")                   \
    BOTH(710, ASSERT, Assert, "device-side assert triggered")                                     \
    BOTH(711, TOO_MANY_PEERS, TooManyPeers, "peer mapping resources exhausted")                   \
    BOTH(712, HOST_MEMORY_ALREADY_REGISTERED, HostMemoryAlreadyRegistered,                        \
         "part or all of the requested memory range is already mapped")                           \
    BOTH(713, HOST_MEMORY_NOT_REGISTERED, HostMemoryNotRegistered,                                \
         "pointer does not correspond to a registered memory region")                             \
    BOTH(714, HARDWARE_STACK_ERROR, HardwareStackError, "hardware stack error")                   \
    BOTH(715, ILLEGAL_INSTRUCTION, IllegalInstruction, "an illegal instruction was encountered")  \
    BOTH(716, MISALIGNED_ADDRESS, MisalignedAddress, "misaligned address")                        \
    BOTH(717, INVALID_ADDRESS_SPACE, InvalidAddressSpace,                                         \
         "operation not supported on global/shared address space")                                \
    BOTH(718, INVALID_PC, InvalidPc, "invalid program counter")                                   \
    BOTH(719, LAUNCH_FAILED, LaunchFailure, "unspecified launch failure")                         \
    BOTH(720, COOPERATIVE_LAUNCH_TOO_LARGE, CooperativeLaunchTooLarge,                            \
         "too many blocks in cooperative launch")                                                 \
    BOTH(721, TENSOR_MEMORY_LEAK, TensorMemoryLeak, "tensor memory not completely freed")         \
    BOTH(800, NOT_PERMITTED, NotPermitted, "operation not permitted")                             \
    BOTH(801, NOT_SUPPORTED, NotSupported, "operation not supported")                             \
    BOTH(802, SYSTEM_NOT_READY, SystemNotReady, "system not yet initialized")                     \
    BOTH(803, SYSTEM_DRIVER_MISMATCH, SystemDriverMismatch,                                       \
         "system has unsupported display driver / cuda driver combination")                       \
    BOTH(804, COMPAT_NOT_SUPPORTED_ON_DEVICE, CompatNotSupportedOnDevice,                         \
         "forward compatibility was attempted on non supported HW")                               \
    BOTH(805, MPS_CONNECTION_FAILED, MpsConnectionFailed,                                         \
         "MPS client failed to connect to the MPS control daemon or the MPS server")              \
    BOTH(806, MPS_RPC_FAILURE, MpsRpcFailure,                                                     \
         "the remote procedural call between the MPS server and the MPS client failed")           \
    BOTH(807, MPS_SERVER_NOT_READY, MpsServerNotReady,                                            \
         "MPS server is not ready to accept new MPS client requests")                             \
    BOTH(808, MPS_MAX_CLIENTS_REACHED, MpsMaxClientsReached,                                      \
         "the hardware resources required to create MPS client have been exhausted")              \
    BOTH(809, MPS_MAX_CONNECTIONS_REACHED, MpsMaxConnectionsReached,                              \
         "the hardware resources required to support device connections have been exhausted")     \
    BOTH(810, MPS_CLIENT_TERMINATED, MpsClientTerminated,                                         \
         "the MPS client has been terminated by the server")                                      \
    BOTH(811, CDP_NOT_SUPPORTED, CdpNotSupported,                                                 \
         "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not "  \
         "support it")                                                                            \
    BOTH(812, CDP_VERSION_MISMATCH, CdpVersionMismatch,                                           \
         "unsupported interaction between different versions of CUDA Dynamic Parallelism")        \
    BOTH(900, STREAM_CAPTURE_UNSUPPORTED, StreamCaptureUnsupported,                               \
         "operation not permitted when stream is capturing")                                      \
    BOTH(901, STREAM_CAPTURE_INVALIDATED, StreamCaptureInvalidated,                               \
         "operation failed due to a previous error during capture")                               \
    BOTH(902, STREAM_CAPTURE_MERGE, StreamCaptureMerge,                                           \
         "operation would result in a merge of separate capture sequences")                       \
    BOTH(903, STREAM_CAPTURE_UNMATCHED, StreamCaptureUnmatched,                                   \
         "capture was not ended in the same stream as it began")                                  \
    BOTH(904, STREAM_CAPTURE_UNJOINED, StreamCaptureUnjoined,                                     \
         "capturing stream has unjoined work")                                                    \
    BOTH(905, STREAM_CAPTURE_ISOLATION, StreamCaptureIsolation,                                   \
         "dependency created on uncaptured work in another stream")                               \
    BOTH(906, STREAM_CAPTURE_IMPLICIT, StreamCaptureImplicit,                                     \
         "operation would make the legacy stream depend on a capturing blocking stream")          \
    BOTH(907, CAPTURED_EVENT, CapturedEvent,                                                      \
         "operation not permitted on an event last recorded in a capturing stream")               \
    BOTH(908, STREAM_CAPTURE_WRONG_THREAD, StreamCaptureWrongThread,                              \
         "attempt to terminate a thread-local capture sequence from another thread")              \
    BOTH(909, TIMEOUT, Timeout, "wait operation timed out")                                       \
    BOTH(910, GRAPH_EXEC_UPDATE_FAILURE, GraphExecUpdateFailure,                                  \
         "the graph update was not performed because it included changes which violated "         \
         "constraints specific to instantiated graph update")                                     \
    BOTH(911, EXTERNAL_DEVICE, ExternalDevice,                                                    \
         "an async error has occured in external entity outside of CUDA")                         \
    BOTH(912, INVALID_CLUSTER_SIZE, InvalidClusterSize,                                           \
         "a kernel launch error has occurred due to cluster misconfiguration")                    \
    BOTH(913, FUNCTION_NOT_LOADED, FunctionNotLoaded,                                             \
         "the function handle is not loaded when calling an API that requires a loaded function") \
    BOTH(914, INVALID_RESOURCE_TYPE, InvalidResourceType,                                         \
         "one or more resources passed in are not valid resource types for the operation")        \
    BOTH(915, INVALID_RESOURCE_CONFIGURATION, InvalidResourceConfiguration,                       \
         "one or more resources are insufficient or non-applicable for the operation")            \
    BOTH(999, UNKNOWN, Unknown, "unknown error")

#define CUDA_ERROR_CODE(number, name, runtime, text) CUDA_##name = number,
typedef enum cuda_error {
    CUDA_SUCCESS = 0,
    CUDA_ERRORS(CUDA_ERROR_CODE, CUDA_ERROR_CODE)
} cuda_error;

/* "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument"; NULL: the interface has
 * no such code. */
const char *cuda_error_runtime_name(int error);
const char *cuda_error_driver_name(int error);
const char *cuda_error_text(int error);

/* The context cannot be used any more after it. */
bool cuda_error_is_sticky(int error);

#endif
