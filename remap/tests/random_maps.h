/* Random maps of every kind, from a seed. */
#ifndef HD_TESTS_REMAP_RANDOM_MAPS_H
#define HD_TESTS_REMAP_RANDOM_MAPS_H

#include <stdio.h>
#include <stdlib.h>

#include "layout/random_record.h"
#include "remap/remap_map.h"

#define MAP_KINDS (HD_REMAP_USER + 1)

/* From 1 to `most`, small ones as often as large ones. */
static inline uint64_t roll_size(dice *d, uint64_t most) {
    uint64_t below = most;
    for (uint32_t halve = roll(d, 8); halve && below > 16; halve--)
        below /= 2;
    return 1 + roll(d, (uint32_t)below);
}

/* Sizes of values: powers of two half of the time, and else from 1 to 40. */
static inline uint32_t roll_bytes(dice *d) {
    return roll(d, 2) ? 1u << roll(d, 6) : 1 + roll(d, 40);
}

/* A record of up to 16 fields of 1, 2, 4 and 8 bytes. */
static inline const hd_record *mixed_record(hd_arena *arena, dice *d) {
    hd_record *record = hd_new(arena, hd_record);
    record->field_count = 1 + roll(d, 16);
    record->fields = hd_new_array(arena, hd_field, record->field_count);
    record->name = "mixed";
    for (uint32_t f = 0; f < record->field_count; f++) {
        const basic_type *type = &basic_types[roll(d, 4)];
        record->fields[f] = (hd_field){.name = hd_format(arena, "f%u", f),
                                       .type = type->name,
                                       .size = type->size,
                                       .align = type->align,
                                       .count = 1};
    }
    hd_record_lay_out(record);
    pad_at_random(d, record);
    return record;
}

static inline hd_status random_records(const hd_diag *diag, dice *d, uint64_t most_bytes,
                                       hd_remap **map) {
    hd_arena *arena = hd_arena_new();
    const hd_record *record = roll(d, 2) ? random_record(arena, d, 9, 1) : mixed_record(arena, d);
    hd_remap_field *fields = hd_new_array(arena, hd_remap_field, record->field_count);
    for (uint32_t f = 0; f < record->field_count; f++)
        fields[f] = (hd_remap_field){record->fields[f].name, record->fields[f].offset,
                                     record->fields[f].size, record->fields[f].align};
    hd_remap_record given = {"thing", record->size, record->align, fields, record->field_count};
    const char *layout = roll(d, 3)
                             ? hd_layout_print(arena, record, random_layout(arena, d, record))
                             : (const char *[]){"aos", "soa", "aosoa:16"}[roll(d, 3)];
    uint64_t most = most_bytes / record->size;
    hd_status status = hd_remap_layout(diag, &given, layout, roll_size(d, most ? most : 1), map);
    hd_arena_free(arena);
    return status;
}

static inline hd_status random_matrix(const hd_diag *diag, dice *d, hd_remap_kind kind,
                                      uint64_t most_bytes, hd_remap **map) {
    uint32_t bytes = roll_bytes(d);
    uint64_t most = most_bytes / bytes / (kind == HD_REMAP_TRANSPOSE ? 1 : 2), one = 1;
    while (one * one < most) /* rows and columns of a square one */
        one *= 2;
    uint64_t rows = roll_size(d, roll(d, 4) ? one / 2 : most);
    uint64_t columns = roll_size(d, most / rows ? most / rows : 1);
    if (roll(d, 2)) {
        uint64_t swapped = rows;
        rows = columns;
        columns = swapped;
    }
    switch (kind) {
    case HD_REMAP_TRANSPOSE: return hd_remap_transpose(diag, rows, columns, bytes, map);
    case HD_REMAP_DIAGONAL: /* places grow with the square of the rows */
        return hd_remap_diagonal(diag, rows < one ? rows : one, columns, bytes, map);
    default: return hd_remap_morton(diag, rows, columns, bytes, map);
    }
}

/* An index array of `count` numbers, of 4 or 8 bytes each. */
typedef struct random_index {
    uint32_t bytes;
    void *data;
} random_index;

static inline random_index new_index(dice *d, uint64_t count) {
    random_index index = {roll(d, 2) ? 4 : 8, NULL};
    index.data = malloc((size_t)count * index.bytes);
    if (!index.data)
        abort();
    return index;
}

static inline void set_index(random_index *index, uint64_t i, uint64_t value) {
    if (index->bytes == 8)
        ((uint64_t *)index->data)[i] = value;
    else
        ((uint32_t *)index->data)[i] = (uint32_t)value;
}

static inline hd_status random_gather(const hd_diag *diag, dice *d, uint64_t most_bytes,
                                      hd_remap **map) {
    uint32_t bytes = roll_bytes(d);
    uint64_t places = roll_size(d, most_bytes / bytes), elements = roll_size(d, most_bytes / bytes);
    random_index index = new_index(d, places);
    for (uint64_t p = 0; p < places; p++)
        set_index(&index, p, roll(d, (uint32_t)elements));
    hd_status status = hd_remap_gather(diag, index.data, index.bytes, places, elements, bytes, map);
    free(index.data);
    return status;
}

/* Places in random order. */
static inline void shuffle(dice *d, uint64_t *order, uint64_t places) {
    for (uint64_t p = 0; p < places; p++) {
        uint64_t other = roll(d, (uint32_t)p + 1);
        order[p] = order[other];
        order[other] = p;
    }
}

/* Places in their order; those that stay free are all before that of element `gap`. */
static inline void open_gap(uint64_t *order, uint64_t places, uint64_t elements, uint64_t gap) {
    for (uint64_t i = 0; i < elements; i++)
        order[i] = i < gap ? i : i + places - elements;
}

static inline hd_status random_scatter(const hd_diag *diag, dice *d, uint64_t most_bytes,
                                       hd_remap **map) {
    uint32_t bytes = roll_bytes(d);
    uint64_t places = roll_size(d, most_bytes / bytes);
    uint64_t elements = roll(d, 2) ? places : roll_size(d, places);
    uint64_t *order = malloc((size_t)places * sizeof *order);
    random_index index = new_index(d, elements);
    if (!order)
        abort();
    if (roll(d, 2))
        shuffle(d, order, places);
    else
        open_gap(order, places, elements, roll(d, (uint32_t)elements));
    for (uint64_t i = 0; i < elements; i++)
        set_index(&index, i, order[i]);
    hd_status status =
        hd_remap_scatter(diag, index.data, index.bytes, elements, places, bytes, map);
    free(order);
    free(index.data);
    return status;
}

/* Element i goes to (i * step + first) modulo the places, which `step` shares no divisor with. */
typedef struct stride {
    uint64_t step, first, places;
} stride;

static inline uint64_t stride_place(uint64_t element, const void *user) {
    const stride *s = user;
    return (element * s->step + s->first) % s->places;
}

static inline uint64_t common_divisor(uint64_t a, uint64_t b) {
    return b ? common_divisor(b, a % b) : a;
}

static inline hd_status random_user(const hd_diag *diag, dice *d, uint64_t most_bytes,
                                    hd_remap **map) {
    uint32_t bytes = roll_bytes(d);
    stride s = {1 + roll(d, 200), 0, roll_size(d, most_bytes / bytes)};
    while (common_divisor(s.step, s.places) != 1)
        s.step++;
    s.first = roll(d, (uint32_t)s.places);
    char source[256];
    snprintf(source, sizeof source,
             "HD_FUNCTION HD_INDEX place(HD_INDEX element) {\n"
             "    return (element * %lluu + %lluu) %% %lluu;\n"
             "}\n",
             (unsigned long long)s.step, (unsigned long long)s.first, (unsigned long long)s.places);
    hd_remap_user user = {roll(d, 2) ? s.places : roll_size(d, s.places),
                          s.places,
                          bytes,
                          stride_place,
                          &s,
                          roll(d, 4) ? source : NULL};
    return hd_remap_user_map(diag, &user, map);
}

/* A map of this kind whose two sides have some `most_bytes` bytes or fewer. */
static inline hd_status random_map(const hd_diag *diag, dice *d, hd_remap_kind kind,
                                   uint64_t most_bytes, hd_remap **map) {
    switch (kind) {
    case HD_REMAP_RECORDS: return random_records(diag, d, most_bytes, map);
    case HD_REMAP_GATHER: return random_gather(diag, d, most_bytes, map);
    case HD_REMAP_SCATTER: return random_scatter(diag, d, most_bytes, map);
    case HD_REMAP_USER: return random_user(diag, d, most_bytes, map);
    default: return random_matrix(diag, d, kind, most_bytes, map);
    }
}

#endif
