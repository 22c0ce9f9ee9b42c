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

#define assert_says(heard, part)                                    \
    do {                                                            \
        if (!strstr((heard).text, part))                            \
            fail_msg("'%s' does not say '%s'", (heard).text, part); \
    } while (0)

/* A record of some fields and padding. */
typedef struct body {
    float x, y, z;
    char kind;
} body;

static const hd_remap_field body_fields[] = {HD_REMAP_FIELD(body, x), HD_REMAP_FIELD(body, y),
                                             HD_REMAP_FIELD(body, z), HD_REMAP_FIELD(body, kind)};
__attribute__((unused)) static const hd_remap_record body_record =
    HD_REMAP_RECORD(body, body_fields);

/* A record of fields of one size. */
typedef struct equal_record {
    hd_remap_field fields[40];
    char names[40][12];
    hd_remap_record record;
} equal_record;

static inline void make_equal(equal_record *e, uint32_t count, uint32_t bytes) {
    uint32_t align = bytes & -bytes;
    for (uint32_t f = 0; f < count; f++) {
        snprintf(e->names[f], sizeof e->names[f], "f%u", f);
        e->fields[f] = (hd_remap_field){e->names[f], (size_t)f * bytes, bytes, align};
    }
    e->record = (hd_remap_record){"equal", (size_t)count * bytes, align, e->fields, count};
}

#endif
