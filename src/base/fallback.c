/* Where this build's files are when none lie beside the program. The package is linked with
 * another one of these, without folders of the machine that it was made on
 * (package/CMakeLists.txt). */
#include "base/base.h"

const hd_own_folders hd_own_fallback = {HEDDLE_SOURCE_FOLDER, HEDDLE_PREFIX, HEDDLE_CLANG};
