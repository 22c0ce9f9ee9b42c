/* The heddle program, as a process beside the program's own. */
#ifndef HD_HEDDLE_CHILD_H
#define HD_HEDDLE_CHILD_H

#include "base/base.h"

/* What `heddle` prints, and what it says on standard error; texts that may be empty. */
typedef struct hd_child_printed {
    const char *out, *errors;
} hd_child_printed;

/* Runs `heddle WORDS...`; NULL ends them. Files for both are made in `folder`. NULL, or what keeps it from
 * running. The program may be waiting for children of its own: whether heddle ended well is seen by what it
 * leaves. */
const char *hd_child_run(hd_arena *arena, const char *const *words, const char *folder,
                         hd_child_printed *printed);
/* The text with another one in the place of `from`, wherever that stands. */
const char *hd_replaced(hd_arena *arena, const char *text, const char *from, const char *to);
/* "cannot rewrite ..." of "heddle: k.cl:3:5: error: cannot rewrite ...", without the folder. */
const char *hd_child_error(hd_arena *arena, const hd_child_printed *printed, const char *folder);

#endif
