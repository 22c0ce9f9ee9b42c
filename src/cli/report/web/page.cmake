# The template of the report page: src/cli/report/web/, bundled into one file that cli/report/page.c
# includes. npm installs into the build tree, from the versions and checksums of the lock file.
find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM npm)
if(NODE_PROGRAM)
  execute_process(COMMAND ${NODE_PROGRAM} --version OUTPUT_VARIABLE node_version)
  string(REGEX MATCH "[0-9]+" node_version "${node_version}")
endif()
if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM OR node_version LESS 18)
  message(FATAL_ERROR "The report page is bundled with node (18 or newer) and npm, and one of them "
                      "is not here. Install Node.js with npm (Debian: nodejs npm).")
endif()

# npm's packages of the package.json in `folder`, as <build>/node_modules; `stamp` is made last.
function(heddle_npm folder build stamp)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -E copy ${folder}/package.json ${folder}/package-lock.json ${build}
    COMMAND ${NPM_PROGRAM} ci --prefer-offline --ignore-scripts --no-audit --no-fund
            --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    WORKING_DIRECTORY ${build}
    DEPENDS ${folder}/package.json ${folder}/package-lock.json
    COMMENT "Installing the npm packages of ${folder}"
    VERBATIM)
endfunction()

set(page_source ${CMAKE_CURRENT_LIST_DIR})
set(page_build ${CMAKE_CURRENT_BINARY_DIR}/cli/report/web)
file(MAKE_DIRECTORY ${page_build})
heddle_npm(${page_source} ${page_build} ${page_build}/installed)
file(GLOB page_files CONFIGURE_DEPENDS ${page_source}/*.js ${page_source}/views/*.js
     ${page_source}/*.css ${page_source}/*.html)
add_custom_command(
  OUTPUT ${page_build}/page_template.inc
  COMMAND ${NODE_PROGRAM} ${page_source}/bundle.mjs ${page_build}/node_modules
          ${page_build}/page_template.inc
  DEPENDS ${page_build}/installed ${page_source}/bundle.mjs ${page_files}
  COMMENT "Bundling the report page"
  VERBATIM)
target_sources(heddle_report PRIVATE ${page_build}/page_template.inc)
target_include_directories(heddle_report PRIVATE ${page_build})
