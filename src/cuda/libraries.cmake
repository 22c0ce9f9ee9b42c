# libheddle-cuda, which has the process's device, and CUDA's libraries over it under the names that
# programs ask for. A program that uses two of them has one device.
#
#     heddle_cuda_libraries(PREFIX FOLDER PTX)
#
# makes them in FOLDER, as targets that begin with PREFIX; PTX is the library that has hd_ptx_*.
set(cuda_sources ${CMAKE_CURRENT_SOURCE_DIR}/cuda)
file(GLOB cuda_runtime_sources CONFIGURE_DEPENDS ${cuda_sources}/runtime/*.c)
file(GLOB cuda_driver_sources CONFIGURE_DEPENDS ${cuda_sources}/driver/*.c)
set_property(GLOBAL PROPERTY HEDDLE_CUDA_DRIVER_SOURCES ${cuda_driver_sources})
set_property(GLOBAL PROPERTY HEDDLE_CUDA_SOURCES ${cuda_sources})
set_property(GLOBAL PROPERTY HEDDLE_CUDA_RUNTIME_SOURCES ${cuda_runtime_sources})

# What programs that are compiled with --default-stream per-thread call: there is one default
# stream, since all work is done where it is handed in.
set(cuda_per_thread_calls
    cudaMemcpy cudaMemcpyToSymbol cudaMemcpyFromSymbol cudaMemcpy2D cudaMemcpy3D cudaMemset
    cudaMemset2D cudaMemset3D)
set(cuda_per_thread_stream_calls
    __cudaLaunchKernel cudaLaunchKernel cudaLaunchKernelExC cudaLaunchCooperativeKernel
    cudaLaunchHostFunc cudaMemcpyAsync cudaMemcpyToSymbolAsync cudaMemcpyFromSymbolAsync
    cudaMemcpy2DAsync cudaMemcpy3DAsync cudaMemsetAsync cudaMemset2DAsync cudaMemset3DAsync
    cudaMallocAsync cudaMallocFromPoolAsync cudaFreeAsync cudaMemPrefetchAsync cudaEventRecord
    cudaEventRecordWithFlags cudaGraphLaunch cudaGraphUpload cudaStreamAddCallback
    cudaStreamAttachMemAsync cudaStreamBeginCapture cudaStreamEndCapture cudaStreamGetFlags
    cudaStreamGetId cudaStreamGetPriority cudaStreamIsCapturing cudaStreamQuery
    cudaStreamSynchronize cudaStreamWaitEvent cudaStreamGetDevice cudaStreamGetAttribute
    cudaStreamSetAttribute cudaStreamCopyAttributes cudaGraphInstantiateWithParams
    cudaGetDriverEntryPoint cudaGetDriverEntryPointByVersion)
# The same of the driver interface, and names without a number that mean the same as those with one.
set(cuda_driver_calls
    cuMemcpy cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemcpyDtoD_v2 cuMemcpy2D_v2 cuMemcpy2DUnaligned_v2
    cuMemcpy3D_v2 cuMemcpyPeer cuMemsetD8_v2 cuMemsetD16_v2 cuMemsetD32_v2 cuMemsetD2D8_v2
    cuMemsetD2D16_v2 cuMemsetD2D32_v2)
set(cuda_driver_stream_calls
    cuLaunchKernel cuLaunchKernelEx cuLaunchCooperativeKernel cuLaunchHostFunc cuMemcpyAsync
    cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemcpy2DAsync_v2
    cuMemcpy3DAsync_v2 cuMemcpyPeerAsync cuMemsetD8Async cuMemsetD16Async cuMemsetD32Async
    cuMemsetD2D8Async cuMemsetD2D16Async cuMemsetD2D32Async cuMemAllocAsync cuMemFreeAsync
    cuMemPrefetchAsync cuMemPrefetchAsync_v2 cuEventRecord cuGraphLaunch cuGraphUpload
    cuStreamAddCallback cuStreamBeginCapture_v2 cuStreamEndCapture cuStreamGetCtx cuStreamGetFlags
    cuStreamGetPriority cuStreamGetCtx_v2
    cuStreamGetId cuStreamGetDevice cuEventRecordWithFlags cuStreamIsCapturing cuStreamQuery cuStreamSynchronize cuStreamWaitEvent)
set(cuda_driver_second_forms
    cuCtxCreate cuCtxDestroy cuCtxPopCurrent cuCtxPushCurrent cuStreamDestroy cuEventDestroy
    cuDevicePrimaryCtxRelease cuDevicePrimaryCtxReset cuDevicePrimaryCtxSetFlags cuLinkCreate
    cuLinkAddData cuMemHostRegister cuGraphInstantiate)
list(TRANSFORM cuda_driver_calls REPLACE "(.+)" "-Wl,--defsym=\\1_ptds=\\1")
list(TRANSFORM cuda_driver_stream_calls REPLACE "(.+)" "-Wl,--defsym=\\1_ptsz=\\1")
list(TRANSFORM cuda_driver_second_forms REPLACE "(.+)" "-Wl,--defsym=\\1=\\1_v2")
list(TRANSFORM cuda_per_thread_calls REPLACE "(.+)" "-Wl,--defsym=\\1_ptds=\\1")
list(TRANSFORM cuda_per_thread_stream_calls REPLACE "(.+)" "-Wl,--defsym=\\1_ptsz=\\1")
set_property(GLOBAL PROPERTY HEDDLE_CUDA_DRIVER_ALIASES
             ${cuda_driver_calls} ${cuda_driver_stream_calls} ${cuda_driver_second_forms})
set_property(GLOBAL PROPERTY HEDDLE_CUDA_ALIASES
             ${cuda_per_thread_calls} ${cuda_per_thread_stream_calls})

# A library of an interface over PREFIX: TARGET is the file FILE in FOLDER, and exports what MAP says.
function(heddle_cuda_interface target prefix folder file map)
  add_library(${target} SHARED ${ARGN})
  # Their prototypes are those of CUDA's headers.
  target_compile_options(${target} PRIVATE -Wno-missing-prototypes)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src
                                               ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE ${prefix} heddle_base ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" LINKER:-z,defs)
  string(REGEX MATCH "[.]so[.][0-9]+$" suffix ${file})
  string(REPLACE "${suffix}" "" name ${file})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX ${suffix}
    LIBRARY_OUTPUT_DIRECTORY ${folder} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
    LINK_DEPENDS ${map})
endfunction()

function(heddle_cuda_libraries prefix folder ptx)
  get_property(sources GLOBAL PROPERTY HEDDLE_CUDA_SOURCES)
  get_property(runtime_sources GLOBAL PROPERTY HEDDLE_CUDA_RUNTIME_SOURCES)
  get_property(driver_sources GLOBAL PROPERTY HEDDLE_CUDA_DRIVER_SOURCES)
  get_property(aliases GLOBAL PROPERTY HEDDLE_CUDA_ALIASES)
  add_library(${prefix} SHARED $<TARGET_OBJECTS:heddle_cuda> ${sources}/shared/own.c)
  target_include_directories(${prefix} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${prefix} PRIVATE ${ptx} heddle_locality heddle_device PkgConfig::JANSSON
                                          PkgConfig::LIBZSTD PkgConfig::LIBLZ4
                                          PkgConfig::LIBXXHASH Threads::Threads
                                          ${CMAKE_DL_LIBS})
  target_link_options(${prefix} PRIVATE "LINKER:--version-script=${sources}/process.map")
  set_target_properties(${prefix} PROPERTIES OUTPUT_NAME heddle-cuda
    LIBRARY_OUTPUT_DIRECTORY ${folder} INSTALL_RPATH "$ORIGIN/../lib" LINK_DEPENDS ${sources}/process.map)
  foreach(version 12 13)
    set(target ${prefix}_cudart_${version})
    heddle_cuda_interface(${target} ${prefix} ${folder} libcudart.so.${version}
                          ${sources}/runtime/cudart.${version}.map ${runtime_sources})
    target_compile_definitions(${target} PRIVATE CUDART=${version})
    target_link_options(${target} PRIVATE ${aliases})
  endforeach()
  heddle_cuda_interface(${prefix}_driver ${prefix} ${folder} libcuda.so.1
                        ${sources}/driver/driver.map ${driver_sources})
  get_property(aliases GLOBAL PROPERTY HEDDLE_CUDA_DRIVER_ALIASES)
  target_link_options(${prefix}_driver PRIVATE ${aliases})
  # Many programs open them by the names without a number.
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK libcuda.so.1 ${folder}/libcuda.so SYMBOLIC)
  file(CREATE_LINK libcudart.so.13 ${folder}/libcudart.so SYMBOLIC)
endfunction()
