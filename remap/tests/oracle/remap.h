/*
 * Maps of the run-time library, applied element by element: what every engine must do. The place
 * of an element is asked of hd_remap_find(); which elements there are is read off the map.
 */
#ifndef HD_TESTS_ORACLE_REMAP_H
#define HD_TESTS_ORACLE_REMAP_H

#include <string.h>

#include "remap/remap_map.h"

/* One value: `bytes` bytes at `from` of the source lie at `place` on the device. */
typedef void slow_value(hd_remap_place place, uint64_t from, size_t bytes, void *user);

/* Tells every value of the map, a gather's in the order of its places. */
static inline void slow_walk(const hd_remap *map, slow_value *tell, void *user) {
    if (map->kind == HD_REMAP_RECORDS) {
        const hd_record *record = map->layout->record;
        for (uint64_t i = 0; i < map->elements; i++)
            for (uint32_t f = 0; f < record->field_count; f++)
                tell(hd_remap_find(map, i, f), i * record->size + record->fields[f].offset,
                     record->fields[f].size, user);
        return;
    }
    size_t bytes = (size_t)map->element_bytes;
    bool gathers = map->kind == HD_REMAP_GATHER;
    for (uint64_t i = 0; i < (gathers ? map->places : map->elements); i++)
        tell(hd_remap_find(map, i, 0), (gathers ? hd_remap_number(&map->element, i) : i) * bytes,
             bytes, user);
}

typedef struct slow_memory {
    void *const *parts;
    void *source;
} slow_memory;

static inline void slow_to_part(hd_remap_place place, uint64_t from, size_t bytes, void *user) {
    const slow_memory *memory = user;
    memcpy((char *)memory->parts[place.part] + place.offset, (char *)memory->source + from, bytes);
}

static inline void slow_to_source(hd_remap_place place, uint64_t from, size_t bytes, void *user) {
    const slow_memory *memory = user;
    memcpy((char *)memory->source + from, (char *)memory->parts[place.part] + place.offset, bytes);
}

/* What hd_remap_apply() does; bytes that hold no element are left. */
static inline void slow_apply(const hd_remap *map, void *const parts[], const void *source) {
    slow_memory memory = {parts, (void *)source};
    slow_walk(map, slow_to_part, &memory);
}

/* What hd_remap_revert() does. */
static inline void slow_revert(const hd_remap *map, void *source, void *const parts[]) {
    slow_memory memory = {parts, source};
    if (map->kind == HD_REMAP_RECORDS)
        memset(source, 0, (size_t)map->source_bytes);
    slow_walk(map, slow_to_source, &memory);
}

#endif
