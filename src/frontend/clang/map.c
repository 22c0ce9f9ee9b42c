/* Pointers to small numbers: a hash table with open addressing. */
#include "frontend/clang/internal.h"

static size_t slot_of(const hd_pointer_map *map, const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(hash >> 32) & (map->capacity - 1);
    while (map->entries[slot].key && map->entries[slot].key != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

static void grow(hd_arena *arena, hd_pointer_map *map) {
    hd_pointer_map larger = {.capacity = map->capacity ? map->capacity * 2 : 64,
                             .count = map->count};
    larger.entries = hd_new_array(arena, hd_map_entry, larger.capacity);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].key)
            larger.entries[slot_of(&larger, map->entries[i].key)] = map->entries[i];
    *map = larger;
}

void hd_pointer_map_set(hd_arena *arena, hd_pointer_map *map, const void *key, uint32_t value) {
    if (map->count * 2 >= map->capacity)
        grow(arena, map);
    hd_map_entry *entry = &map->entries[slot_of(map, key)];
    map->count += !entry->key;
    *entry = (hd_map_entry){key, value};
}

uint32_t hd_pointer_map_get(const hd_pointer_map *map, const void *key) {
    if (!map->count)
        return KIR_NONE;
    const hd_map_entry *entry = &map->entries[slot_of(map, key)];
    return entry->key ? entry->value : KIR_NONE;
}
