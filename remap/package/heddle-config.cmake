# find_package(heddle): what is installed of
#
#   remap    the target heddle::remap, the run-time library
#   program  the target heddle::heddle, the program, and the function heddle_test (docs/ci.md)
include(${CMAKE_CURRENT_LIST_DIR}/heddle-targets.cmake OPTIONAL RESULT_VARIABLE heddle_remap_FOUND)
include(${CMAKE_CURRENT_LIST_DIR}/heddle-test.cmake OPTIONAL RESULT_VARIABLE heddle_program_FOUND)
foreach(component ${heddle_FIND_COMPONENTS})
  if(NOT heddle_${component}_FOUND AND heddle_FIND_REQUIRED_${component})
    set(heddle_FOUND OFF)
    set(heddle_NOT_FOUND_MESSAGE "this heddle has no component '${component}'")
  endif()
endforeach()
