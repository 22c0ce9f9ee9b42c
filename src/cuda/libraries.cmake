# libheddle-cuda, which has the process's device, and CUDA's libraries over it under the names that
# programs ask for. A program that uses two of them has one device.
#
#     heddle_cuda_libraries(PREFIX FOLDER PTX)
#
# makes them in FOLDER, as targets that begin with PREFIX; PTX is the library that has hd_ptx_*.
set(cuda_sources ${CMAKE_CURRENT_LIST_DIR})
file(GLOB cuda_runtime_sources CONFIGURE_DEPENDS ${cuda_sources}/interfaces/*.c
                                                 ${cuda_sources}/runtime/*.c)
file(GLOB cuda_driver_sources CONFIGURE_DEPENDS ${cuda_sources}/interfaces/*.c
                                                ${cuda_sources}/driver/*.c)
set_property(GLOBAL PROPERTY HEDDLE_CUDA_DRIVER_SOURCES ${cuda_driver_sources})
set_property(GLOBAL PROPERTY HEDDLE_CUDA_SOURCES ${cuda_sources})
set_property(GLOBAL PROPERTY HEDDLE_CUDA_RUNTIME_SOURCES ${cuda_runtime_sources})

# What kernel/cuda_calls.def says of the interfaces that match: the names to export into NAMES, and
# the options for the linker that make one name another's into ALIASES.
function(heddle_cuda_calls interfaces names aliases)
  get_filename_component(table ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../kernel/cuda_calls.def ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^[A-Z]+\\([_a-zA-Z0-9]+, (${interfaces}), ")
  set(exported)
  set(same)
  foreach(row ${rows})
    string(REGEX MATCH "^([A-Z]+)\\(([_a-zA-Z0-9]+), [_A-Z0-9]+, ([_A-Z]+)(, ([_a-zA-Z0-9]+))?" row
           "${row}")
    set(name ${CMAKE_MATCH_2})
    set(form ${CMAKE_MATCH_3})
    set(call ${name})
    if(CMAKE_MATCH_1 STREQUAL "SAME")
      set(call ${CMAKE_MATCH_5})
      list(APPEND same "-Wl,--defsym=${name}=${call}")
    endif()
    list(APPEND exported ${name})
    set(other)
    if(form STREQUAL "DEFAULT_STREAM")
      set(other ${name}_ptds)
    elseif(form STREQUAL "STREAM")
      set(other ${name}_ptsz)
    elseif(form STREQUAL "FIRST_FORM")
      string(REGEX REPLACE "_v2$" "" other ${name})
    endif()
    if(other)
      list(APPEND same "-Wl,--defsym=${other}=${call}")
      list(APPEND exported ${other})
    endif()
  endforeach()
  set(${names} ${exported} PARENT_SCOPE)
  set(${aliases} ${same} PARENT_SCOPE)
endfunction()

# A library of an interface over PREFIX: TARGET is the file FILE in FOLDER, with the calls of those
# of kernel/cuda_calls.def that match; VERSION is that of its symbols, or "".
function(heddle_cuda_interface target prefix folder file interfaces version)
  heddle_cuda_calls(${interfaces} names aliases)
  list(JOIN names "; " names)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "${version} { global: ${names}; local: *; };\n")
  add_library(${target} SHARED ${ARGN})
  # Their prototypes are those of CUDA's headers.
  target_compile_options(${target} PRIVATE -Wno-missing-prototypes)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..
                                               ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../include)
  target_link_libraries(${target} PRIVATE ${prefix} heddle_base ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" LINKER:-z,defs ${aliases})
  string(REGEX MATCH "[.]so[.][0-9.]+$" suffix ${file})
  string(REPLACE "${suffix}" "" name ${file})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX ${suffix}
    LIBRARY_OUTPUT_DIRECTORY ${folder} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
    LINK_DEPENDS ${map})
endfunction()

# HIP's runtime: CUDA's under the names of cuda/hip/hip_calls.def. The versions of its symbols are only named:
# a symbol without one is found whichever is asked for.
function(heddle_hip_library prefix folder)
  set(table ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/hip/hip_calls.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^LIKE\\(")
  set(same)
  foreach(row ${rows})
    string(REGEX REPLACE "^LIKE\\((.*), (.*)\\)" "-Wl,--defsym=\\1=\\2" row "${row}")
    list(APPEND same "${row}")
  endforeach()
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_hip.map)
  set(versions "hip_4.2 { local: cu*; __cuda*; };\n")
  foreach(version 4.3 4.4 4.5 5.0 5.1 5.2 5.3 5.4 5.5 5.6 5.7)
    string(APPEND versions "hip_${version} { };\n")
  endforeach()
  file(CONFIGURE OUTPUT ${map} CONTENT "${versions}")
  set(target ${prefix}_hip)
  add_library(${target} SHARED ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/hip/hip.c)
  target_compile_options(${target} PRIVATE -Wno-missing-prototypes)
  target_compile_definitions(${target} PRIVATE CUDART=13)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..
                                               ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../include)
  target_link_libraries(${target} PRIVATE ${prefix} heddle_base ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" LINKER:-z,defs
                      LINKER:--exclude-libs,ALL ${same})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME libamdhip64 SUFFIX .so.5
    LIBRARY_OUTPUT_DIRECTORY ${folder} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
    LINK_DEPENDS ${map})
endfunction()

function(heddle_cuda_libraries prefix folder ptx)
  get_property(sources GLOBAL PROPERTY HEDDLE_CUDA_SOURCES)
  get_property(runtime_sources GLOBAL PROPERTY HEDDLE_CUDA_RUNTIME_SOURCES)
  get_property(driver_sources GLOBAL PROPERTY HEDDLE_CUDA_DRIVER_SOURCES)
  add_library(${prefix} SHARED $<TARGET_OBJECTS:heddle_cuda> ${PROJECT_SOURCE_DIR}/src/watch/shared/own.c)
  target_include_directories(${prefix} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${prefix} PRIVATE ${ptx} heddle_watch heddle_device
                                          PkgConfig::JANSSON PkgConfig::LIBZSTD
                                          PkgConfig::LIBLZ4 Threads::Threads
                                          ${CMAKE_DL_LIBS})
  target_link_options(${prefix} PRIVATE "LINKER:--version-script=${sources}/process.map")
  set_target_properties(${prefix} PROPERTIES OUTPUT_NAME heddle-cuda
    LIBRARY_OUTPUT_DIRECTORY ${folder} INSTALL_RPATH "$ORIGIN/../lib" LINK_DEPENDS ${sources}/process.map)
  foreach(version 11 12 13)
    set(target ${prefix}_cudart_${version})
    string(REPLACE .11 .11.0 file libcudart.so.${version})
    heddle_cuda_interface(${target} ${prefix} ${folder} ${file} "RUNTIME|RUNTIME_${version}" ${file}
                          ${runtime_sources})
    target_compile_definitions(${target} PRIVATE CUDART=${version})
  endforeach()
  heddle_cuda_interface(${prefix}_driver ${prefix} ${folder} libcuda.so.1 DRIVER ""
                        ${driver_sources})
  heddle_hip_library(${prefix} ${folder} ${runtime_sources})
  # Before all others, where a program has the runtime in it.
  add_library(${prefix}_linked SHARED ${sources}/linked/linked.c)
  target_include_directories(${prefix}_linked PRIVATE ${PROJECT_SOURCE_DIR}/src
                                                      ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${prefix}_linked PRIVATE heddle_base ${CMAKE_DL_LIBS})
  target_link_options(${prefix}_linked PRIVATE LINKER:--exclude-libs,ALL LINKER:-z,initfirst
                                               LINKER:-z,defs)
  set_target_properties(${prefix}_linked PROPERTIES OUTPUT_NAME heddle-linked
    LIBRARY_OUTPUT_DIRECTORY ${folder})
  # NVRTC's interface, each form in a folder of its own, since those that NVIDIA's is found of are left to it.
  foreach(version 12 13)
    set(target ${prefix}_nvrtc_${version})
    add_library(${target} SHARED ${sources}/nvrtc/nvrtc.c)
    target_compile_definitions(${target} PRIVATE NVRTC_MAJOR=${version})
    target_compile_options(${target} PRIVATE -Wno-missing-prototypes)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${target} PRIVATE heddle_watch heddle_base ${CMAKE_DL_LIBS})
    set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
    file(CONFIGURE OUTPUT ${map} CONTENT "libnvrtc.so.${version} { global: nvrtc*; local: *; };\n")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" LINKER:-z,defs)
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME libnvrtc SUFFIX .so.${version}
      LIBRARY_OUTPUT_DIRECTORY ${folder}/nvrtc-${version})
  endforeach()
  file(MAKE_DIRECTORY ${folder}/nvrtc)
  file(CREATE_LINK ../nvrtc-13/libnvrtc.so.13 ${folder}/nvrtc/libnvrtc.so SYMBOLIC)
  # Many programs open them by the names without a number.
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK libcuda.so.1 ${folder}/libcuda.so SYMBOLIC)
  file(CREATE_LINK libcudart.so.13 ${folder}/libcudart.so SYMBOLIC)
endfunction()
