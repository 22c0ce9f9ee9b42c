/* What the tests of maps share. */
#ifndef HD_TESTS_REMAP_MAPS_H
#define HD_TESTS_REMAP_MAPS_H

#include <stdio.h>
#include <string.h>

#include "heddle/remap.h"

/* How many messages were heard, and the last one. */
typedef struct heard {
    char text[512];
    unsigned column, count;
} heard;

static inline void hear(const hd_message *message, void *user) {
    heard *last = user;
    snprintf(last->text, sizeof last->text, "%s", message->text);
    last->column = message->place.column;
    last->count++;
}

#define assert_says(heard, part)                                                                   \
    do {                                                                                           \
        if (!strstr((heard).text, part))                                                           \
            fail_msg("'%s' does not say '%s'", (heard).text, part);                                \
    } while (0)

#endif
