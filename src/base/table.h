/*
 * The hash table: values by keys that are 64-bit numbers, bytes or texts.
 *
 *     hd_hash_table rows = {.arena = arena};
 *     hd_hash_add(&rows, pc, 7);                          7: pc has it now
 *     hd_hash_add(&rows, pc, 8);                          7: it keeps that
 *     hd_hash_get(&rows, other);                          HD_NO_VALUE
 *
 *     hd_hash_table names = {.arena = arena, .key_bytes = HD_TEXT_KEYS};
 *     hd_hash_add_key(&names, "bodies", 3);
 *
 * A value is a number: mostly the place of a row in an array of the caller's, which also gives an
 * order to what is in the table; the table has none, so that nothing can depend on hashes or
 * addresses. Reads may run in several threads, also beside each other, writes may not.
 */
#ifndef HD_BASE_TABLE_H
#define HD_BASE_TABLE_H

#include "base/base.h"

#define HD_NO_VALUE UINT64_MAX /* cannot be a value */
#define HD_TEXT_KEYS SIZE_MAX

/* All zero but for `arena` and `key_bytes`: an empty table. */
typedef struct hd_hash_table {
    hd_arena *arena;  /* that its memory is from; NULL: malloc's, which hd_hash_free() frees */
    size_t key_bytes; /* of each key; 0: keys are numbers; HD_TEXT_KEYS: they end in '\0' */
    size_t count, capacity;
    uint32_t shift; /* capacity is 2^(64 - shift) */
    struct hd_hash_slot {
        uint64_t hash;         /* of the key; a number is its own */
        uint64_t value_plus_1; /* 0: the slot is free */
    } *slots;
    const void **keys; /* of the slots, where they are no numbers */
} hd_hash_table;

/* The first slot for a hash; the next ones follow it. */
static inline size_t hd_hash_start(const hd_hash_table *table, uint64_t hash) {
    return (size_t)(hd_hash_spread(hash) >> table->shift);
}

/* The value of a key, HD_NO_VALUE for one that is not there. */
static inline uint64_t hd_hash_get(const hd_hash_table *table, uint64_t key) {
    if (!table->capacity)
        return HD_NO_VALUE;
    size_t at = hd_hash_start(table, key);
    while (table->slots[at].value_plus_1 && table->slots[at].hash != key)
        at = (at + 1) & (table->capacity - 1);
    return table->slots[at].value_plus_1 - 1;
}

/* Gives a new key this value. The value that the key has then: an old one keeps its own. */
uint64_t hd_hash_add(hd_hash_table *table, uint64_t key, uint64_t value);
/* Gives a key this value, whether it is new or old. */
void hd_hash_set(hd_hash_table *table, uint64_t key, uint64_t value);

/* The same where keys are bytes or texts. The table keeps the pointers of keys that are added, not
 * their bytes, which must stay. */
uint64_t hd_hash_get_key(const hd_hash_table *table, const void *key);
uint64_t hd_hash_add_key(hd_hash_table *table, const void *key, uint64_t value);

/* Takes all keys out, and keeps the memory. */
void hd_hash_clear(hd_hash_table *table);
/* Frees the memory of a table without an arena; the table is then an empty one. */
void hd_hash_free(hd_hash_table *table);

/* Bytes of the table. */
static inline size_t hd_hash_memory(const hd_hash_table *table) {
    return table->capacity * (sizeof *table->slots + (table->keys ? sizeof *table->keys : 0));
}
/* Whether the next addition makes it grow: to twice its bytes, beside the old ones until they are
 * moved (HD_HASH_LEAST slots at first). */
enum { HD_HASH_LEAST = 64 };
static inline bool hd_hash_is_full(const hd_hash_table *table) {
    return 2 * table->count >= table->capacity;
}

#endif
