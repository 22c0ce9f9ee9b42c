/*
 * Files of the source folder, which ctest names in HEDDLE_SOURCE.
 */
#ifndef HD_TESTS_SOURCE_TEXT_H
#define HD_TESTS_SOURCE_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

static inline char *source_path(hd_arena *arena, const char *name) {
    const char *source = getenv("HEDDLE_SOURCE");
    return hd_format(arena, "%s/%s", source ? source : ".", name);
}

/* The text of one. Without it the program ends. */
static inline char *source_text(hd_arena *arena, const char *name) {
    char *text;
    size_t length;
    if (hd_read_file(arena, NULL, source_path(arena, name), &text, &length)) {
        fprintf(stderr, "cannot read %s; HEDDLE_SOURCE names the source folder\n", name);
        abort();
    }
    return text;
}

#endif
