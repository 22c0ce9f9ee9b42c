/* Linked into libheddle-cuda and libheddle-layer in place of base/fallback.c: a library in the programs
 * of others knows no folders of the machine that it was built on. */
#include "base/base.h"

const hd_own_folders hd_own_fallback = {NULL, NULL, NULL};
