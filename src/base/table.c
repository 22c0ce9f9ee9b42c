/* Open addressing with linear probing; never more than half of the slots are taken. */
#include <stdlib.h>

#include "base/table.h"

static size_t length_of(const hd_hash_table *table, const void *key) {
    return table->key_bytes == HD_TEXT_KEYS ? strlen(key) : table->key_bytes;
}

static uint64_t hash_of(const void *key, size_t length) {
    const unsigned char *at = key;
    uint64_t hash = length, other = 0, word;
    for (; length >= 16; at += 16, length -= 16) { /* two chains, side by side */
        uint64_t next[2];
        memcpy(next, at, sizeof next);
        hash = hd_hash_mix(hash, next[0]);
        other = hd_hash_mix(other, next[1]);
    }
    hash ^= hd_hash_spread(other);
    for (; length; at += word, length -= word) {
        uint64_t next = 0;
        word = length < sizeof next ? length : sizeof next;
        memcpy(&next, at, word);
        hash = hd_hash_mix(hash, next);
    }
    return hash;
}

/* The slot of a key, or the free one where it belongs; `key` is NULL where keys are numbers. */
static size_t find(const hd_hash_table *table, uint64_t hash, const void *key, size_t length) {
    size_t at = hd_hash_start(table, hash);
    for (; table->slots[at].value_plus_1; at = (at + 1) & (table->capacity - 1)) {
        if (table->slots[at].hash != hash)
            continue;
        if (!key || (table->key_bytes == HD_TEXT_KEYS ? !strcmp(table->keys[at], key)
                                                      : !memcmp(table->keys[at], key, length)))
            return at;
    }
    return at;
}

static void *new_array(const hd_hash_table *table, size_t item_bytes) {
    return table->arena ? hd_alloc_items(table->arena, table->capacity, item_bytes)
                        : hd_zeroed(table->capacity, item_bytes);
}

static void grow(hd_hash_table *table) {
    hd_hash_table old = *table;
    table->capacity = old.capacity ? 2 * old.capacity : HD_HASH_LEAST;
    table->shift = 64 - (uint32_t)__builtin_ctzll(table->capacity);
    table->slots = new_array(table, sizeof *table->slots);
    if (table->key_bytes)
        table->keys = new_array(table, sizeof *table->keys);
    for (size_t i = 0; i < old.capacity; i++) {
        if (!old.slots[i].value_plus_1)
            continue;
        size_t at =
            hd_hash_start(table, old.slots[i].hash); /* keys differ: any free slot will do */
        while (table->slots[at].value_plus_1)
            at = (at + 1) & (table->capacity - 1);
        table->slots[at] = old.slots[i];
        if (table->keys)
            table->keys[at] = old.keys[i];
    }
    if (!table->arena) {
        free(old.slots);
        free(old.keys);
    }
}

static uint64_t add(hd_hash_table *table, uint64_t hash, const void *key, size_t length,
                    uint64_t value) {
    if (hd_hash_is_full(table))
        grow(table);
    size_t at = find(table, hash, key, length);
    struct hd_hash_slot *slot = &table->slots[at];
    if (!slot->value_plus_1) {
        *slot = (struct hd_hash_slot){hash, value + 1};
        if (key)
            table->keys[at] = key;
        table->count++;
    }
    return slot->value_plus_1 - 1;
}

uint64_t hd_hash_add(hd_hash_table *table, uint64_t key, uint64_t value) {
    return add(table, key, NULL, 0, value);
}

void hd_hash_set(hd_hash_table *table, uint64_t key, uint64_t value) {
    if (hd_hash_add(table, key, value) != value)
        table->slots[find(table, key, NULL, 0)].value_plus_1 = value + 1;
}

uint64_t hd_hash_get_key(const hd_hash_table *table, const void *key) {
    if (!table->capacity)
        return HD_NO_VALUE;
    size_t length = length_of(table, key);
    return table->slots[find(table, hash_of(key, length), key, length)].value_plus_1 - 1;
}

uint64_t hd_hash_add_key(hd_hash_table *table, const void *key, uint64_t value) {
    size_t length = length_of(table, key);
    return add(table, hash_of(key, length), key, length, value);
}

void hd_hash_clear(hd_hash_table *table) {
    if (table->count)
        memset(table->slots, 0, table->capacity * sizeof *table->slots);
    table->count = 0;
}

void hd_hash_free(hd_hash_table *table) {
    if (!table->arena) {
        free(table->slots);
        free(table->keys);
    }
    *table = (hd_hash_table){.arena = table->arena, .key_bytes = table->key_bytes};
}
