/* Names and their numbers: found in the same time however many there are. Private to this
 * folder. */
#ifndef HD_JOB_NAMES_H
#define HD_JOB_NAMES_H

#include "base/base.h"

typedef struct hd_names {
    struct hd_name *slots;
    size_t count, capacity; /* capacity: 0 or a power of two */
} hd_names;

enum { HD_NO_NAME = -1 };

/* Gives `name`, which outlives the names, this number. One that is there keeps its own, which
 * is returned; HD_NO_NAME when it is new. */
int64_t hd_names_add(hd_arena *arena, hd_names *names, const char *name, uint32_t number);
int64_t hd_names_find(const hd_names *names, const char *name);

#endif
