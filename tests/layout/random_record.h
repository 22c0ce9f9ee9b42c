/*
 * Random records and layouts for the property tests of this folder.
 */
#ifndef RANDOM_RECORD_H
#define RANDOM_RECORD_H

#include "layout/layout.h"

/* A small generator with a fixed sequence for each seed (xorshift64*). */
typedef struct dice {
    uint64_t state;
} dice;

static inline uint32_t roll(dice *d, uint32_t sides) {
    d->state ^= d->state >> 12;
    d->state ^= d->state << 25;
    d->state ^= d->state >> 27;
    return (uint32_t)((d->state * 0x2545f4914f6cdd1dull) >> 33) % sides;
}

/* C types of sizes 1, 2, 4, 8 and 16. */
typedef struct basic_type {
    const char *name;
    uint32_t size, align;
} basic_type;
static const basic_type basic_types[] = {
    {"char", 1, _Alignof(char)},
    {"short", 2, _Alignof(short)},
    {"float", 4, _Alignof(float)},
    {"double", 8, _Alignof(double)},
    {"quad", 16, 16}, /* typedef of a 16-byte vector, see QUAD */
};
#define QUAD "typedef int quad __attribute__((vector_size(16)));\n"

static inline hd_record *random_record(hd_arena *arena, dice *d, uint32_t most_fields, int depth) {
    hd_record *record = hd_new(arena, hd_record);
    record->field_count = 1 + roll(d, most_fields);
    record->fields = hd_new_array(arena, hd_field, record->field_count);
    record->name = "thing";
    for (uint32_t f = 0; f < record->field_count; f++) {
        hd_field *field = &record->fields[f];
        field->name = hd_format(arena, "f%u", f);
        field->count = roll(d, 3) ? 1 : 1 + roll(d, 5);
        if (depth > 0 && !roll(d, 4)) {
            field->record = random_record(arena, d, 4, depth - 1);
            continue;
        }
        const basic_type *type = &basic_types[roll(d, 5)];
        field->type = type->name;
        field->size = type->size * field->count;
        field->align = type->align;
    }
    hd_record_lay_out(record);
    return record;
}

/* Moves fields apart as attributes of C do, in one record of three. */
static inline void pad_at_random(dice *d, hd_record *record) {
    uint32_t moved = 0;
    if (roll(d, 3))
        return;
    for (uint32_t f = 0; f < record->field_count; f++) {
        if (!roll(d, 3))
            moved += record->align * (1 + roll(d, 5));
        record->fields[f].offset += moved;
    }
    record->size += moved;
    if (!roll(d, 3))
        record->size += record->align * roll(d, 40);
}

/* Half of the clusters that can be. */
static inline void pad_clusters(dice *d, const hd_record *record, hd_layout *layout) {
    for (uint32_t c = 0; c < layout->count; c++) {
        hd_cluster *cluster = &layout->clusters[c];
        cluster->padded = cluster->tile == HD_TILE_AOS && roll(d, 2);
        cluster->padded = cluster->padded && hd_layout_check(NULL, record, layout) == HD_OK;
    }
}

/* Any legal layout, in no special order. */
static inline hd_layout *random_layout(hd_arena *arena, dice *d, const hd_record *record) {
    uint32_t n = record->field_count, shuffled[HD_MAX_FIELDS];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t other = roll(d, i + 1);
        shuffled[i] = shuffled[other];
        shuffled[other] = i;
    }
    hd_layout *layout = hd_new(arena, hd_layout);
    layout->clusters = hd_new_array(arena, hd_cluster, n);
    layout->discrete = roll(d, 2);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || !roll(d, 3)) {
            uint32_t kind = roll(d, 8);
            layout->clusters[layout->count++].tile = kind == 7 ? HD_TILE_SOA : (uint64_t)1 << kind;
        }
        hd_cluster *cluster = &layout->clusters[layout->count - 1];
        cluster->order[cluster->count++] = (uint8_t)shuffled[i];
        cluster->mask |= (uint64_t)1 << shuffled[i];
    }
    pad_clusters(d, record, layout);
    return layout;
}

#endif
