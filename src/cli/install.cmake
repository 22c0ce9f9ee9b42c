# What is installed beside the program: completions, which it prints itself, and the schema of
# what it prints as JSON.
set(completions ${PROJECT_BINARY_DIR}/completions)
set(scripts)
foreach(script bash:heddle zsh:_heddle fish:heddle.fish)
  string(REPLACE ":" ";" words ${script})
  list(GET words 0 shell)
  list(GET words 1 name)
  add_custom_command(OUTPUT ${completions}/${shell}/${name}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${completions}/${shell}
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0
            $<TARGET_FILE:heddle> help completion ${shell} > ${completions}/${shell}/${name}
    DEPENDS heddle VERBATIM)
  list(APPEND scripts ${completions}/${shell}/${name})
endforeach()
add_custom_target(heddle_completions ALL DEPENDS ${scripts})
install(FILES ${PROJECT_SOURCE_DIR}/docs/heddle.schema.json DESTINATION share/heddle)
install(FILES ${completions}/bash/heddle DESTINATION share/bash-completion/completions)
install(FILES ${completions}/zsh/_heddle DESTINATION share/zsh/site-functions)
install(FILES ${completions}/fish/heddle.fish DESTINATION share/fish/vendor_completions.d)

# heddle_test(), for find_package(heddle) (remap/package/heddle-config.cmake), which finds the program
# from where it lies, so that an installed tree may be moved.
include(GNUInstallDirs)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
file(RELATIVE_PATH HEDDLE_FROM_CMAKE /${cmake_folder} /)
string(REGEX REPLACE "/$" "" HEDDLE_FROM_CMAKE ${HEDDLE_FROM_CMAKE})
configure_file(${CMAKE_CURRENT_LIST_DIR}/heddle-test.cmake.in
               ${PROJECT_BINARY_DIR}/package/heddle-test.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/heddle-test.cmake DESTINATION ${cmake_folder})
