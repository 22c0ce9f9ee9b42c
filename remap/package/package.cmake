# The shared library libheddle-remap and what programs find it by: headers, pkg-config, CMake.
# `cmake --install BUILD --component remap` installs this alone.
include(GNUInstallDirs)
set(package ${CMAKE_CURRENT_LIST_DIR})

# The objects are those of the static libraries.
add_library(heddle_remap_shared SHARED ${package}/exports.map)
set_target_properties(heddle_remap_shared PROPERTIES
  OUTPUT_NAME heddle-remap EXPORT_NAME remap LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} LINK_DEPENDS ${package}/exports.map)
target_link_options(heddle_remap_shared PRIVATE -Wl,--version-script=${package}/exports.map)
target_link_libraries(heddle_remap_shared PRIVATE
  -Wl,--whole-archive,$<TARGET_FILE:heddle_remap>,--no-whole-archive heddle_remap)
target_include_directories(heddle_remap_shared INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(TARGETS heddle_remap_shared EXPORT heddle-targets COMPONENT remap
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT heddle-targets NAMESPACE heddle:: DESTINATION ${cmake_folder} COMPONENT remap)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heddle ${CMAKE_CURRENT_SOURCE_DIR}/include/heddle
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT remap PATTERN ptx.h EXCLUDE)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/heddle-remap COMPONENT remap)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/docs
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/heddle-remap COMPONENT remap)

include(CMakePackageConfigHelpers)
set(made ${CMAKE_CURRENT_BINARY_DIR}/package)
# Both files find the rest from where they lie, so that an installed tree may be moved.
file(RELATIVE_PATH PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${package}/heddle-remap.pc.in ${made}/heddle-remap.pc @ONLY)
write_basic_package_version_file(${made}/heddle-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${made}/heddle-remap.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT remap)
install(FILES ${package}/heddle-config.cmake ${made}/heddle-config-version.cmake
        DESTINATION ${cmake_folder} COMPONENT remap)
