/*
 * Remembers what segments.c counted. Thousands of clusters share the same few
 * geometries, and kernels the same few shapes, so nearly every count of a
 * search has been made before.
 */
#include "base/table.h"
#include "cost/internal.h"

typedef struct entry {
    memo_key key;
    double value;
} entry;

struct memo {
    hd_arena *arena;
    hd_hash_table entries; /* pointers to them, by their keys */
};

memo *memo_new(hd_arena *arena) {
    memo *m = hd_new(arena, memo);
    *m = (memo){arena, {.arena = arena, .key_bytes = sizeof(memo_key)}};
    return m;
}

bool memo_get(const memo *m, const memo_key *key, double *value) {
    uint64_t found = hd_hash_get_key(&m->entries, key);
    if (found == HD_NO_VALUE)
        return false;
    *value = ((const entry *)(uintptr_t)found)->value;
    return true;
}

void memo_put(memo *m, const memo_key *key, double value) {
    entry *e = hd_new(m->arena, entry);
    *e = (entry){*key, value};
    hd_hash_add_key(&m->entries, &e->key, (uintptr_t)e);
}
