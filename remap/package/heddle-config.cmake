# find_package(heddle): the target heddle::remap, the run-time library.
include(${CMAKE_CURRENT_LIST_DIR}/heddle-targets.cmake)
set(heddle_remap_FOUND ON)
foreach(component ${heddle_FIND_COMPONENTS})
  if(NOT heddle_${component}_FOUND AND heddle_FIND_REQUIRED_${component})
    set(heddle_FOUND OFF)
    set(heddle_NOT_FOUND_MESSAGE "heddle has the component remap, but no '${component}'")
  endif()
endforeach()
