/* The hash table beside a list that is searched from its beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/table.h"

enum { MOST = 3000, KEY_BYTES = 20 };

/* Keys as they are given to the table: `text` also serves as KEY_BYTES bytes. */
typedef struct entry {
    uint64_t number, value;
    char text[KEY_BYTES];
} entry;

typedef enum key_kind { NUMBERS, BYTES, TEXTS } key_kind;

typedef struct twins {
    key_kind kind;
    hd_hash_table table;
    entry *list; /* [MOST] */
    size_t count;
} twins;

static entry *search_list(const twins *t, const entry *key) {
    for (size_t i = 0; i < t->count; i++)
        if (t->kind == NUMBERS ? t->list[i].number == key->number
                               : !memcmp(t->list[i].text, key->text, KEY_BYTES))
            return &t->list[i];
    return NULL;
}

static uint64_t get(const twins *t, const entry *key) {
    return t->kind == NUMBERS ? hd_hash_get(&t->table, key->number)
                              : hd_hash_get_key(&t->table, key->text);
}

static void add(twins *t, const entry *key) {
    entry *known = search_list(t, key), *own = known ? known : &t->list[t->count];
    if (!known) {
        *own = *key;
        t->count++;
    }
    uint64_t value = t->kind == NUMBERS ? hd_hash_add(&t->table, key->number, key->value)
                                        : hd_hash_add_key(&t->table, own->text, key->value);
    assert_int_equal(value, own->value);
}

/* Few different keys, some that are neighbours, some whose low bits agree. */
static entry random_key(uint64_t *seed) {
    entry key = {.value = hd_next_random(seed) >> (hd_next_random(seed) % 2 ? 1 : 60)};
    uint64_t low = hd_next_random(seed) % (MOST / 2);
    key.number = hd_next_random(seed) % 2 ? low : low << 40;
    snprintf(key.text, sizeof key.text, "%llx", (unsigned long long)key.number);
    return key;
}

static void compare(key_kind kind, hd_arena *arena, uint64_t seed) {
    static const size_t key_bytes[] = {0, KEY_BYTES, HD_TEXT_KEYS};
    twins t = {.kind = kind, .table = {.arena = arena, .key_bytes = key_bytes[kind]}};
    t.list = hd_zeroed(MOST, sizeof *t.list);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < MOST; i++) {
            entry key = random_key(&seed);
            entry *known = search_list(&t, &key);
            assert_int_equal(get(&t, &key), known ? known->value : HD_NO_VALUE);
            if (kind == NUMBERS && known && i % 5 == 0) {
                hd_hash_set(&t.table, key.number, key.value);
                known->value = key.value;
            } else {
                add(&t, &key);
            }
            assert_int_equal(t.table.count, t.count);
        }
        for (size_t i = 0; i < t.count; i++)
            assert_int_equal(get(&t, &t.list[i]), t.list[i].value);
        if (round == 0)
            hd_hash_clear(&t.table);
        if (round == 1)
            hd_hash_free(&t.table);
        t.count = round < 2 ? 0 : t.count;
        assert_int_equal(get(&t, &t.list[0]), round < 2 ? HD_NO_VALUE : t.list[0].value);
    }
    hd_hash_free(&t.table);
    free(t.list);
}

static void finds_what_a_list_finds(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (key_kind kind = NUMBERS; kind <= TEXTS; kind++) {
            compare(kind, NULL, seed);
            compare(kind, arena, seed);
        }
    }
    hd_arena_free(arena);
}

static void extreme_numbers_are_keys(void **state) {
    (void)state;
    static const uint64_t keys[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63};
    hd_hash_table table = {0};
    for (uint64_t k = 0; k < 5; k++)
        assert_int_equal(hd_hash_add(&table, keys[k], k), k);
    hd_hash_set(&table, 2, HD_NO_VALUE - 1);
    for (uint64_t k = 0; k < 5; k++)
        assert_int_equal(hd_hash_get(&table, keys[k]), k);
    assert_int_equal(hd_hash_get(&table, 2), HD_NO_VALUE - 1);
    assert_int_equal(hd_hash_get(&table, 3), HD_NO_VALUE);
    hd_hash_free(&table);
}

/* For those who must know before that memory will be asked for. */
static void says_when_it_grows(void **state) {
    (void)state;
    hd_hash_table table = {0};
    for (uint64_t key = 0; key < 1000; key++) {
        size_t before = hd_hash_memory(&table);
        bool full = hd_hash_is_full(&table);
        hd_hash_add(&table, key, key);
        assert_int_equal(hd_hash_memory(&table), !full    ? before
                                                 : before ? 2 * before
                                                          : HD_HASH_LEAST * sizeof *table.slots);
    }
    hd_hash_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_list_finds),
        cmocka_unit_test(extreme_numbers_are_keys),
        cmocka_unit_test(says_when_it_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
