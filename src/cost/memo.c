/*
 * Remembers what segments.c counted. Thousands of clusters share the same few
 * geometries, and kernels the same few shapes, so nearly every count of a
 * search has been made before.
 */
#include "base/table.h"
#include "cost/internal.h"

struct memo {
    hd_hash_table places; /* of memo_key: in `values` */
    hd_vec(double) values;
};

memo *memo_new(hd_arena *arena) {
    memo *m = hd_new(arena, memo);
    m->places = (hd_hash_table){.arena = arena, .key_bytes = sizeof(memo_key)};
    return m;
}

bool memo_get(const memo *m, const memo_key *key, double *value) {
    uint64_t place = hd_hash_get_key(&m->places, key);
    if (place == HD_NO_VALUE)
        return false;
    *value = m->values.data[place];
    return true;
}

void memo_put(memo *m, const memo_key *key, double value) {
    memo_key *kept = hd_new(m->places.arena, memo_key);
    *kept = *key;
    hd_hash_add_key(&m->places, kept, m->values.count);
    hd_push(m->places.arena, &m->values, value);
}
