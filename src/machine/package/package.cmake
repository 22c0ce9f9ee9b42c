# The shared libraries libheddle-ptx and libgpuocelot, and what programs find the first by: header
# and pkg-config. `cmake --install BUILD --component ptx` installs these alone.
include(GNUInstallDirs)
set(package ${CMAKE_CURRENT_LIST_DIR})

file(GLOB ptx_sources CONFIGURE_DEPENDS ${package}/../ptx*.c) # what it exports; of the rest what that needs
add_library(heddle_ptx_shared SHARED ${ptx_sources})
set_target_properties(heddle_ptx_shared PROPERTIES
  OUTPUT_NAME heddle-ptx LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} LINK_DEPENDS ${package}/exports.map)
target_link_options(heddle_ptx_shared PRIVATE -Wl,--version-script=${package}/exports.map)
target_link_libraries(heddle_ptx_shared PRIVATE
  -Wl,--as-needed heddle_machine)

# In a folder of its own, since it has the name of another project's library.
add_library(gpuocelot SHARED ${package}/../ocelot/ptx_run.c)
set_target_properties(gpuocelot PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/ocelot LINK_DEPENDS ${package}/ocelot.map)
target_link_options(gpuocelot PRIVATE -Wl,--version-script=${package}/ocelot.map)
target_link_libraries(gpuocelot PRIVATE -Wl,--as-needed heddle_machine)

install(TARGETS heddle_ptx_shared COMPONENT ptx LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS gpuocelot COMPONENT ptx LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle)
install(FILES ${PROJECT_SOURCE_DIR}/include/heddle/ptx.h
              ${PROJECT_SOURCE_DIR}/include/heddle/heddle.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle COMPONENT ptx)
set(made ${CMAKE_CURRENT_BINARY_DIR}/ptx)
# The file finds the rest from where it lies, so that an installed tree may be moved.
file(RELATIVE_PATH PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${package}/heddle-ptx.pc.in ${made}/heddle-ptx.pc @ONLY)
install(FILES ${made}/heddle-ptx.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ptx)
