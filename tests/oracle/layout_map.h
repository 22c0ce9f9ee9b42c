/* The inverse of the address map (layout/layout.h), and a check of everything that holds of one. */
#ifndef TESTS_ORACLE_LAYOUT_MAP_H
#define TESTS_ORACLE_LAYOUT_MAP_H

#include "layout/layout.h"

/* What lies at a byte. */
typedef struct byte_owner {
    bool padding; /* true: no field; the rest is not set */
    uint32_t cluster, field;
    uint64_t element;
    uint32_t byte; /* inside the field's value */
} byte_owner;

static inline bool owner_in_cluster(const hd_map *map, uint32_t c, uint64_t offset,
                                    byte_owner *owner) {
    const hd_cluster_place *place = &map->clusters[c];
    const hd_cluster *cluster = &map->layout->clusters[c];
    uint64_t tile = offset / place->tile_bytes, inside = offset % place->tile_bytes;
    for (uint32_t i = 0; i < cluster->count; i++) {
        uint32_t f = cluster->order[i];
        const hd_field_place *field = &map->fields[f];
        if (inside < field->run || (inside - field->run) / field->size >= place->tile)
            continue;
        uint64_t byte = (inside - field->run) % field->size;
        uint64_t element = tile * place->tile + (inside - field->run) / field->size;
        if (byte >= map->record->fields[f].size || element >= map->count)
            continue;
        *owner = (byte_owner){.cluster = c, .field = f, .element = element, .byte = (uint32_t)byte};
        return true;
    }
    return false;
}

static inline byte_owner owner_of(const hd_map *map, uint32_t allocation, uint64_t offset) {
    byte_owner owner = {.padding = true};
    for (uint32_t c = 0; c < map->layout->count; c++) {
        const hd_cluster_place *place = &map->clusters[c];
        if (place->allocation == allocation && offset >= place->base &&
            offset - place->base < place->bytes &&
            owner_in_cluster(map, c, offset - place->base, &owner))
            break;
    }
    return owner;
}

static inline uint32_t align_of_cluster(const hd_record *record, const hd_cluster *cluster) {
    uint32_t align = cluster->count == record->field_count ? record->align : 1;
    for (uint32_t i = 0; i < cluster->count; i++)
        if (record->fields[cluster->order[i]].align > align)
            align = record->fields[cluster->order[i]].align;
    return align;
}

static inline const char *fault_of_cluster(const hd_map *map, uint32_t c) {
    const hd_cluster *cluster = &map->layout->clusters[c];
    const hd_cluster_place *place = &map->clusters[c];
    if (!place->tile || !place->tile_bytes)
        return "has an empty tile";
    if (place->tile_bytes % align_of_cluster(map->record, cluster))
        return "has tiles that lose its alignment";
    if (place->base % HD_RUN_ALIGN)
        return "does not start on a run boundary";
    if (place->allocation >= map->allocation_count ||
        place->base + place->bytes > map->allocation_bytes[place->allocation])
        return "ends beyond its allocation";
    if (place->bytes % place->tile_bytes ||
        place->bytes / place->tile_bytes * place->tile < map->count)
        return "has too few tiles";
    uint64_t end = 0;
    for (uint32_t i = 0; i < cluster->count; i++) {
        const hd_field *field = &map->record->fields[cluster->order[i]];
        const hd_field_place *at = &map->fields[cluster->order[i]];
        if (at->cluster != c || at->size < field->size || at->size % field->align)
            return "has a field that is not its own";
        if (at->run < end ||
            at->run % (cluster->tile == HD_TILE_SOA && field->align < HD_RUN_ALIGN ? HD_RUN_ALIGN
                                                                                   : field->align))
            return "has runs that overlap or lose their alignment";
        end = at->run + (place->tile - 1) * at->size + field->size;
    }
    uint64_t bytes = place->tile_bytes;
    if (cluster->padded && (cluster->tile != 1 || bytes > 16 || bytes & (bytes - 1) ||
                            end <= bytes / 2 || end == bytes))
        return "is not padded to the next power of two";
    return end > bytes ? "has a run that leaves its tile" : NULL;
}

static inline hd_status map_check(const hd_diag *diag, const hd_map *map) {
    hd_status status = hd_record_check(diag, map->record);
    if (status == HD_OK)
        status = hd_layout_check(diag, map->record, map->layout);
    hd_place at = {.file = "<layout>"};
    for (uint32_t c = 0; c < map->layout->count && status == HD_OK; c++) {
        const hd_cluster_place *place = &map->clusters[c];
        const char *fault = fault_of_cluster(map, c);
        if (!fault && c && !map->layout->discrete && place->base < place[-1].base + place[-1].bytes)
            fault = "overlaps the one before it";
        if (fault)
            status = hd_fail(diag, HD_EINPUT, &at, "cluster %u of the map %s", c, fault);
    }
    return status;
}

#endif
