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

/* ---- maps whose kernels have ways of their own ----------------------------------------------- */

/* Structs of equal fields: of 1 to 16 bytes each, 1 to 8 of them. */
enum { EQUAL_MAPS = 5 * 6 };
static inline uint32_t equal_map_bytes(int i) { return 1u << i / 6; }
static inline uint32_t equal_map_fields(int i) { return (uint32_t[]){1, 2, 3, 4, 6, 8}[i % 6]; }

static inline hd_status equal_map(const hd_diag *diag, int i, hd_remap **map) {
    static const char *const layouts[] = {"soa", "aosoa:4", "aosoa:8", "aosoa:16", "aosoa:2048"};
    static const uint64_t counts[] = {4099, 1000, 4096, 17, 8191};
    equal_record e;
    make_equal(&e, equal_map_fields(i), equal_map_bytes(i));
    return hd_remap_layout(diag, &e.record, layouts[i % 5], counts[i / 2 % 5], map);
}

/* Structs that local memory or a block has no room for, and elements of matrices and of an index
 * array that are long themselves. */
enum { LONG_MAPS = 8 };
static inline hd_status long_map(const hd_diag *diag, int i, hd_remap **map) {
    static const char *const layouts[] = {"soa", "aosoa:8", "{a,c}{b}:64", "{a}{b}{c}/da"};
    static const hd_remap_field fields[] = {{"a", 0, 600, 4}, {"b", 600, 3, 1}, {"c", 608, 8, 8}};
    static const hd_remap_record record = {"long", 616, 8, fields, 3};
    static const uint32_t index[] = {2, 0, 1};
    switch (i) {
    case 4: return hd_remap_transpose(diag, 2, 3, 70000, map);
    case 5: return hd_remap_diagonal(diag, 2, 3, 65552, map);
    case 6: return hd_remap_morton(diag, 2, 3, 65537, map);
    case 7: return hd_remap_scatter(diag, index, 4, 3, 3, 70001, map);
    default: return hd_remap_layout(diag, &record, layouts[i], 333, map);
    }
}

#endif
