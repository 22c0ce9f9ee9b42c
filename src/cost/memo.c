/*
 * Remembers what segments.c counted. Thousands of clusters share the same few
 * geometries, and kernels the same few shapes, so nearly every count of a
 * search has been made before.
 */
#include "cost/internal.h"

typedef struct slot {
    uint64_t hash; /* 0: empty */
    memo_key key;
    double value;
} slot;

struct memo {
    hd_arena *arena;
    slot *slots;
    size_t capacity, count;
};

memo *memo_new(hd_arena *arena) {
    memo *m = hd_new(arena, memo);
    m->arena = arena;
    m->capacity = 1 << 10;
    m->slots = hd_new_array(arena, slot, m->capacity);
    return m;
}

static uint64_t hash_of(const memo_key *key) {
    uint64_t words[sizeof *key / 8], hash = 0x243f6a8885a308d3u;
    memcpy(words, key, sizeof words);
    for (size_t i = 0; i < sizeof words / 8; i++) {
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash ? hash : 1;
}

static slot *find(const memo *m, const memo_key *key, uint64_t hash) {
    size_t at = hash & (m->capacity - 1);
    while (m->slots[at].hash &&
           (m->slots[at].hash != hash || memcmp(&m->slots[at].key, key, sizeof *key)))
        at = (at + 1) & (m->capacity - 1);
    return &m->slots[at];
}

static void grow(memo *m) {
    slot *old = m->slots;
    size_t capacity = m->capacity;
    m->capacity *= 2;
    m->slots = hd_new_array(m->arena, slot, m->capacity);
    for (size_t i = 0; i < capacity; i++)
        if (old[i].hash)
            *find(m, &old[i].key, old[i].hash) = old[i];
}

bool memo_get(const memo *m, const memo_key *key, double *value) {
    const slot *s = find(m, key, hash_of(key));
    if (!s->hash)
        return false;
    *value = s->value;
    return true;
}

void memo_put(memo *m, const memo_key *key, double value) {
    if (m->count * 2 >= m->capacity)
        grow(m);
    uint64_t hash = hash_of(key);
    slot *s = find(m, key, hash);
    m->count += s->hash == 0;
    *s = (slot){hash, *key, value};
}
