/*
 * The address map: where field f of element i lies under a layout.
 *
 * A cluster with tile t stores t elements, then the next t, and so on. Inside a
 * tile the fields lie in the cluster's order, each as a run of t values that
 * starts at the field's alignment; the tile is padded to the alignment of the
 * cluster, so that every tile starts as well aligned as the first. With t = 1
 * these are C's rules for a struct of the cluster's fields. With `soa` one tile
 * holds all elements, and each run starts on a multiple of HD_RUN_ALIGN.
 *
 *     struct { float x; char c; }, {x,c}:4, 6 elements; digits are elements
 *
 *     byte 0     4     8     12    16    20    24    28    32    36  37  38   40
 *          x0    x1    x2    x3    c0123 x4    x5    -     -     c4  c5  - -
 *          |------------ tile 0 ---------|------------ tile 1 ----------------|
 *
 * The cluster of all fields is the record itself, so it takes the record's
 * alignment, which an attribute of the struct may have raised above that of its
 * fields; with t = 1 and in the record's order it is the source's array of structs, padding and
 * all, wherever attributes, or parts of a field that is taken apart, lie there. For the same reason a value whose alignment is greater than its size
 * (an attribute of the field) steps by its alignment inside a run.
 *
 * A padded cluster has tile 1, and each of its elements takes the next power of two of bytes; as
 * clusters start on multiples of HD_RUN_ALIGN, one load aligned to its size brings an element.
 *
 * A shared allocation holds its clusters one after another, each from a
 * multiple of HD_RUN_ALIGN; otherwise each cluster starts its own allocation.
 */
#include "layout/layout.h"

/* Sizes under construction: *too_large stays set once one passed 63 bits. */
static uint64_t times(bool *too_large, uint64_t a, uint64_t b) {
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product) || product > INT64_MAX)
        *too_large = true;
    return *too_large ? 0 : product;
}

static uint64_t plus(bool *too_large, uint64_t a, uint64_t b) {
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum) || sum > INT64_MAX)
        *too_large = true;
    return *too_large ? 0 : sum;
}

static uint64_t round_up(bool *too_large, uint64_t value, uint64_t align) {
    return plus(too_large, value, align - 1) / align * align;
}

/* Bytes from one value to the next inside a run. */
static uint32_t step_of(const hd_field *field) {
    return (uint32_t)hd_align_up(field->size, field->align);
}

uint32_t hd_cluster_align(const hd_record *record, const hd_cluster *cluster) {
    uint32_t align = cluster->count == record->field_count ? record->align : 1;
    for (uint32_t i = 0; i < cluster->count; i++)
        if (record->fields[cluster->order[i]].align > align)
            align = record->fields[cluster->order[i]].align;
    return align;
}

static bool is_declared(const hd_record *record, const hd_cluster *cluster) {
    if (cluster->tile != HD_TILE_AOS || cluster->count != record->field_count)
        return false;
    for (uint32_t i = 0; i < cluster->count; i++)
        if (cluster->order[i] != i)
            return false;
    return true;
}

/* Lays out one tile of `tile` elements: run[f] of every field; returns its bytes, but for padding. */
static uint64_t place_fields(bool *too_large, const hd_record *record, const hd_cluster *cluster,
                             uint64_t tile, uint64_t *run) {
    uint64_t end = 0;
    if (is_declared(record, cluster)) {
        for (uint32_t f = 0; f < record->field_count; f++)
            run[f] = record->fields[f].offset;
        return record->size;
    }
    for (uint32_t i = 0; i < cluster->count; i++) {
        uint32_t f = cluster->order[i];
        const hd_field *field = &record->fields[f];
        bool to_boundary = cluster->tile == HD_TILE_SOA && field->align < HD_RUN_ALIGN;
        run[f] = round_up(too_large, end, to_boundary ? HD_RUN_ALIGN : field->align);
        end = plus(too_large, run[f],
                   plus(too_large, times(too_large, tile - 1, step_of(field)), field->size));
    }
    return round_up(too_large, end, hd_cluster_align(record, cluster));
}

static uint64_t place_runs(bool *too_large, const hd_record *record, const hd_cluster *cluster,
                           uint64_t tile, uint64_t *run) {
    uint64_t bytes = place_fields(too_large, record, cluster, tile, run), padded = 1;
    while (cluster->padded && padded < bytes)
        padded *= 2;
    return cluster->padded ? padded : bytes;
}

/* ---- what a set of fields sees of a layout ------------------------------------------- */

/* Of a cluster; 0 where it has no field of `used`. A field alone in its cluster has a run of its
 * own, as in one that is `soa`, unless it is padded. */
static uint64_t places_in_cluster(const hd_record *record, const hd_cluster *cluster,
                                  uint64_t used) {
    uint64_t run[HD_MAX_FIELDS], bytes = 0, sum = 0, here = cluster->mask & used;
    bool alone = (cluster->count == 1 && !cluster->padded) || cluster->tile == HD_TILE_SOA;
    if (!here)
        return 0;
    if (!alone)
        bytes = hd_cluster_tile(record, cluster, run);
    uint64_t together = alone ? 0 : hd_hash_mix(hd_hash_mix(here, cluster->tile), bytes);
    for (; here; here &= here - 1) {
        uint32_t f = (uint32_t)__builtin_ctzll(here);
        sum += hd_hash_mix(hd_hash_mix(together, f + 1), alone ? 0 : run[f] + 1);
    }
    return sum;
}

uint64_t hd_layout_places(const hd_record *record, const hd_layout *layout, uint64_t used) {
    uint64_t sum = layout->discrete;
    for (uint32_t c = 0; c < layout->count; c++)
        sum += places_in_cluster(record, &layout->clusters[c], used);
    return sum;
}

/* No unit holds values of one of these fields and of another. */
static bool runs_fill_units(const hd_record *record, const hd_cluster *cluster, uint64_t fields,
                            uint32_t unit) {
    uint64_t run[HD_MAX_FIELDS], rest = hd_cluster_tile(record, cluster, run);
    for (; fields; fields &= fields - 1) {
        uint32_t f = (uint32_t)__builtin_ctzll(fields);
        rest |= run[f] | cluster->tile * step_of(&record->fields[f]);
    }
    return rest % unit == 0;
}

static uint64_t group_of_cluster(const hd_record *record, const hd_cluster *cluster, uint64_t used,
                                 uint32_t unit) {
    uint64_t here = cluster->mask & used, sum = 0;
    bool apart = cluster->tile == HD_TILE_SOA ||
                 (!cluster->padded &&
                  (!(here & (here - 1)) || (unit && runs_fill_units(record, cluster, here, unit))));
    if (!apart)
        return hd_hash_mix(here, cluster->padded ? 0 : cluster->tile);
    for (; here; here &= here - 1)
        sum += hd_hash_mix(here & -here, HD_TILE_SOA);
    return sum;
}

uint64_t hd_layout_group(const hd_record *record, const hd_layout *layout, uint64_t used,
                         uint32_t unit) {
    bool aos = layout->count == 1 && layout->clusters[0].tile == HD_TILE_AOS &&
               !layout->clusters[0].padded;
    uint64_t sum = layout->discrete + 2 * (uint64_t)aos;
    for (uint32_t c = 0; c < layout->count; c++)
        sum += group_of_cluster(record, &layout->clusters[c], used, unit);
    return sum;
}

uint64_t hd_masks_group(const hd_record *record, const uint64_t *masks, const uint64_t *tiles,
                        uint32_t count, uint64_t used, uint32_t unit) {
    uint64_t sum = 2 * (uint64_t)(count == 1 && tiles[0] == HD_TILE_AOS);
    for (uint32_t c = 0; c < count; c++) {
        const hd_cluster cluster = hd_cluster_of_mask(masks[c], tiles[c]);
        sum += group_of_cluster(record, &cluster, used, unit);
    }
    return sum;
}

uint64_t hd_cluster_tile(const hd_record *record, const hd_cluster *cluster,
                         uint64_t run[HD_MAX_FIELDS]) {
    bool too_large = false;
    return place_runs(&too_large, record, cluster, cluster->tile, run);
}

/* Places cluster `c` with its fields behind those before it. */
static void place_cluster(bool *too_large, hd_map *map, uint32_t c) {
    const hd_cluster *cluster = &map->layout->clusters[c];
    hd_cluster_place *place = &map->clusters[c];
    uint64_t run[HD_MAX_FIELDS];
    place->tile = cluster->tile != HD_TILE_SOA ? cluster->tile : map->count ? map->count : 1;
    place->tile_bytes = place_runs(too_large, map->record, cluster, place->tile, run);
    for (uint32_t i = 0; i < cluster->count; i++) {
        uint32_t f = cluster->order[i];
        map->fields[f] = (hd_field_place){c, run[f], step_of(&map->record->fields[f])};
    }
    uint64_t tiles = map->count / place->tile + (map->count % place->tile != 0);
    place->bytes = times(too_large, tiles, place->tile_bytes);
    place->allocation = map->layout->discrete ? c : 0;
    uint64_t *bytes = &map->allocation_bytes[place->allocation];
    place->base = round_up(too_large, *bytes, HD_RUN_ALIGN);
    *bytes = plus(too_large, place->base, place->bytes);
}

hd_status hd_map_make(hd_arena *arena, const hd_diag *diag, const hd_record *record,
                      const hd_layout *layout, uint64_t count, hd_map **result) {
    hd_status status = hd_record_check(diag, record);
    if (status == HD_OK)
        status = hd_layout_check(diag, record, layout);
    if (status != HD_OK)
        return status;
    hd_map *map = hd_new(arena, hd_map);
    *map = (hd_map){.record = record, .layout = layout, .count = count};
    map->fields = hd_new_array(arena, hd_field_place, record->field_count);
    map->clusters = hd_new_array(arena, hd_cluster_place, layout->count);
    map->allocation_count = layout->discrete ? layout->count : 1;
    map->allocation_bytes = hd_new_array(arena, uint64_t, map->allocation_count);
    bool too_large = false;
    for (uint32_t c = 0; c < layout->count && !too_large; c++)
        place_cluster(&too_large, map, c);
    if (too_large) {
        hd_place place = {
            .file = "<layout>", .line = 1, .text = hd_layout_print(arena, record, layout)};
        return hd_fail(diag, HD_EINPUT, &place,
                       "%llu elements of '%s' in layout %s do not fit 63 bits of address; use "
                       "fewer elements or smaller tiles",
                       (unsigned long long)count, record->name, place.text);
    }
    *result = map;
    return HD_OK;
}

/* ---- moving data --------------------------------------------------------- */

void hd_map_scatter(const hd_map *map, const void *aos, void *const *allocations) {
    const hd_record *record = map->record;
    for (uint32_t f = 0; f < record->field_count; f++) {
        char *to = allocations[map->clusters[map->fields[f].cluster].allocation];
        const char *from = (const char *)aos + record->fields[f].offset;
        for (uint64_t i = 0; i < map->count; i++)
            memcpy(to + hd_map_address(map, f, i), from + i * record->size, record->fields[f].size);
    }
}

void hd_map_gather(const hd_map *map, void *const *allocations, void *aos) {
    const hd_record *record = map->record;
    for (uint32_t f = 0; f < record->field_count; f++) {
        const char *from = allocations[map->clusters[map->fields[f].cluster].allocation];
        char *to = (char *)aos + record->fields[f].offset;
        for (uint64_t i = 0; i < map->count; i++)
            memcpy(to + i * record->size, from + hd_map_address(map, f, i), record->fields[f].size);
    }
}

/* ---- the inverse ---------------------------------------------------------------------- */

int hd_map_field_at(const hd_map *map, uint32_t allocation, uint64_t byte) {
    for (uint32_t f = 0; f < map->record->field_count; f++) {
        const hd_field_place *field = &map->fields[f];
        const hd_cluster_place *cluster = &map->clusters[field->cluster];
        if (cluster->allocation != allocation || byte < cluster->base ||
            byte - cluster->base >= cluster->bytes)
            continue;
        uint64_t tile = (byte - cluster->base) / cluster->tile_bytes;
        uint64_t inside = (byte - cluster->base) % cluster->tile_bytes;
        if (inside < field->run || (inside - field->run) / field->size >= cluster->tile)
            continue;
        uint64_t element = tile * cluster->tile + (inside - field->run) / field->size;
        bool is_value = (inside - field->run) % field->size < map->record->fields[f].size;
        if (element < map->count && is_value)
            return (int)f;
    }
    return -1;
}
