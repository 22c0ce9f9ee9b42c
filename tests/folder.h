/*
 * A temporary folder for a test, below $TMPDIR or /tmp. Without one the program ends.
 */
#ifndef HD_TESTS_FOLDER_H
#define HD_TESTS_FOLDER_H

#include <stdlib.h>

#include "base/base.h"

/* A new, empty folder; its name is of the arena. */
static inline char *folder_make(hd_arena *arena) {
    char *folder;
    if (hd_scratch_make(arena, NULL, &folder) != HD_OK)
        abort();
    return folder;
}

/* Its end, with all that is in it. */
static inline void folder_remove(const char *folder) { hd_scratch_remove(folder); }

#endif
