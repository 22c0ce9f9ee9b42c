/* The heddle program, as a process beside the program's own. */
#ifndef OPENCL_LAYER_CHILD_H
#define OPENCL_LAYER_CHILD_H

#include "base/base.h"

/* Runs `heddle WORDS...` (NULL ends them) and returns what it prints. NULL: *why is its first error, or what
 * keeps it from running. Files for both are made in `folder`. */
const char *layer_child(hd_arena *arena, const char *const *words, const char *folder,
                        const char **why);

#endif
