/* The heddle program, as a process beside the program's own. */
#ifndef OPENCL_LAYER_CHILD_H
#define OPENCL_LAYER_CHILD_H

#include "base/base.h"

/* What `heddle` prints, and what it says on standard error; texts that may be empty. */
typedef struct layer_printed {
    const char *out, *errors;
} layer_printed;

/* Runs `heddle WORDS...`; NULL ends them. Files for both are made in `folder`. NULL, or what keeps it from
 * running. The program may be waiting for children of its own: whether heddle ended well is seen by what it
 * leaves. */
const char *layer_child(hd_arena *arena, const char *const *words, const char *folder,
                        layer_printed *printed);
/* The text with another one in the place of `from`, wherever that stands. */
const char *layer_replaced(hd_arena *arena, const char *text, const char *from, const char *to);
/* "cannot rewrite ..." of "heddle: k.cl:3:5: error: cannot rewrite ...", without the folder. */
const char *layer_first_error(hd_arena *arena, const layer_printed *printed, const char *folder);

#endif
