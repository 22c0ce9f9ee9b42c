# heddle-mpi: commands over the ranks of MPI. Where there is no MPI it is left out, and nothing else
# knows of it.
pkg_check_modules(MPI IMPORTED_TARGET ompi-c)
if(NOT MPI_FOUND)
  message(STATUS "no MPI (libopenmpi-dev): heddle-mpi is left out")
  return()
endif()
file(GLOB mpi_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/mpi/*.c)
add_executable(heddle-mpi $<TARGET_OBJECTS:heddle_commands> ${mpi_sources})
target_link_libraries(heddle-mpi PRIVATE heddle_commands PkgConfig::MPI)
set_target_properties(heddle-mpi PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                                            INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS heddle-mpi)
