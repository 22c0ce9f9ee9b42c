/* A map from the inside: what the engines read. Private to the library. */
#ifndef HD_REMAP_MAP_H
#define HD_REMAP_MAP_H

#include <pthread.h>

#include "heddle/remap.h"
#include "layout/layout.h"

typedef enum hd_remap_kind {
    HD_REMAP_RECORDS,   /* structs to a layout */
    HD_REMAP_TRANSPOSE, /* matrices: */
    HD_REMAP_DIAGONAL,
    HD_REMAP_MORTON,
    HD_REMAP_GATHER, /* with an index array: */
    HD_REMAP_SCATTER,
    HD_REMAP_USER
} hd_remap_kind;

/* An array of element or place numbers, of 4 bytes each where they fit and else 8. */
typedef struct hd_remap_numbers {
    uint32_t bytes;
    void *data; /* NULL: not there */
    uint64_t count;
} hd_remap_numbers;

/* The places of the elements; of a gather they are made when first asked for. */
typedef struct hd_remap_places {
    pthread_mutex_t making;
    hd_remap_numbers numbers;
    const void *compared_by; /* the device whose code was last found to give the same places */
} hd_remap_places;

/* No element, no place. */
#define HD_REMAP_NONE UINT64_MAX

struct hd_remap {
    hd_arena *arena;
    hd_remap_kind kind;
    uint64_t elements; /* of the source */
    uint64_t places;   /* of the device's side; for records the same as `elements` */
    uint64_t element_bytes;
    uint64_t source_bytes;
    uint32_t parts;
    uint64_t *bytes; /* [parts] */

    const hd_map *layout;     /* records */
    uint64_t rows, columns;   /* matrices */
    hd_remap_numbers element; /* with an index array: of each place */
    hd_remap_places *place;   /* and the place of each element */
    const char *source;       /* user: the device code, or NULL */
};

static inline uint64_t hd_remap_number(const hd_remap_numbers *numbers, uint64_t i) {
    if (numbers->bytes == 8)
        return ((const uint64_t *)numbers->data)[i];
    uint32_t number = ((const uint32_t *)numbers->data)[i];
    return number == UINT32_MAX ? HD_REMAP_NONE : number;
}

/* The place of each element of a map with an index array; of a gather the last place that names
 * it, or HD_REMAP_NONE. Lives as long as the map. */
hd_status hd_remap_places_of(const hd_diag *diag, const hd_remap *map,
                             const hd_remap_numbers **places);

/* A byte that C's names may hold, in whatever locale: letters of other alphabets, too. */
static inline bool hd_remap_is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

/* HD_EINPUT, with a message, where one of the things that a call needs is NULL:
 * hd_remap_needs(diag, {device, "device"}, {map, "map to remap by"}). */
typedef struct hd_remap_need {
    const void *given;
    const char *what;
} hd_remap_need;
hd_status hd_remap_check_needs(const hd_diag *diag, const hd_remap_need needs[], size_t count);
#define hd_remap_needs(diag, ...)                                                              \
    hd_remap_check_needs(diag, (const hd_remap_need[]){__VA_ARGS__},                           \
                         sizeof((const hd_remap_need[]){__VA_ARGS__}) / sizeof(hd_remap_need))

/* That the host could be asked for these. */
hd_status hd_remap_check_host(const hd_diag *diag, const hd_remap_host_options *options);
enum { HD_REMAP_MOST_THREADS = 1024 }; /* of one call */

/* Bits that number `count` rows or columns in Morton order. */
static inline unsigned remap_morton_bits(uint64_t count) {
    return count <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);
}

/* The place of the element in row `row` and column `column` of a matrix. */
uint64_t hd_remap_place_in_matrix(const hd_remap *map, uint64_t row, uint64_t column);

#endif
