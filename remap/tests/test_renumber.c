/*
 * Numbers of elements and rows that follow a map, against what is done one by one, and what is
 * refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "layout/random_record.h"
#include "guarded.h"
#include "maps.h"

enum { NONE = -1 };

/* ---- maps whose places are known ------------------------------------------------------------ */

typedef struct known {
    uint32_t elements, places;
    uint32_t *place_of, *element_of; /* NONE: there is none */
    hd_remap *map;
} known;

static uint64_t place_by_table(uint64_t element, const void *user) {
    return ((const uint32_t *)user)[element];
}

static uint32_t *shuffled(dice *d, uint32_t count) {
    uint32_t *numbers = malloc(count * sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = roll(d, i), number = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = number;
    }
    return numbers;
}

/* A gather (an element several times or never, unless `whole`), scatter or map of the program's
 * own (with free places, unless `whole`). */
static known new_known(dice *d, uint32_t elements, bool whole) {
    hd_diag quiet = {0};
    known k = {.elements = elements, .places = elements + (whole ? 0 : roll(d, elements))};
    int kind = (int)roll(d, 3);
    k.place_of = shuffled(d, k.places);
    k.element_of = malloc(k.places * sizeof(uint32_t));
    memset(k.element_of, 0xff, k.places * sizeof(uint32_t));
    for (uint32_t i = 0; i < elements; i++)
        k.element_of[k.place_of[i]] = i;
    for (uint32_t p = 0; kind == 0 && !whole && p < k.places; p++)
        k.element_of[p] = roll(d, elements);
    for (uint32_t i = 0; kind == 0 && i < elements; i++) {
        k.place_of[i] = (uint32_t)NONE;
        for (uint32_t p = 0; p < k.places; p++)
            if (k.element_of[p] == i)
                k.place_of[i] = p;
    }
    hd_remap_user user = {elements, k.places, 12, place_by_table, k.place_of, NULL};
    hd_status status =
        kind == 0   ? hd_remap_gather(&quiet, k.element_of, 4, k.places, elements, 4, &k.map)
        : kind == 1 ? hd_remap_scatter(&quiet, k.place_of, 4, elements, k.places, 7, &k.map)
                    : hd_remap_user_map(&quiet, &user, &k.map);
    assert_int_equal(status, HD_OK);
    return k;
}

static void free_known(known *k) {
    hd_remap_free(k->map);
    free(k->place_of);
    free(k->element_of);
}

static void set_index(unsigned char *data, uint32_t bytes, uint64_t i, uint32_t value) {
    int64_t wide = value == (uint32_t)NONE ? NONE : (int64_t)value;
    memcpy(data + i * bytes, bytes == 8 ? (void *)&wide : &value, bytes);
}

/* ---- index arrays ---------------------------------------------------------------------------- */

static void indices_by(dice *d, const known *k, uint32_t count, uint32_t bytes, uint32_t threads) {
    hd_diag quiet = {0};
    hd_remap_host_options options = {.threads = threads};
    guarded from = guarded_new((size_t)count * bytes, roll(d, 9), (int)roll(d, 2));
    guarded to = guarded_new((size_t)count * bytes, roll(d, 9), (int)roll(d, 2));
    for (int back = 0; back < 2; back++) {
        const uint32_t *table = back ? k->element_of : k->place_of;
        unsigned char *expected = malloc((size_t)count * bytes + 1);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = roll(d, back ? k->places : k->elements);
            if (table[value] == (uint32_t)NONE || !roll(d, 20))
                value = (uint32_t)NONE;
            set_index(from.data, bytes, i, value);
            set_index(expected, bytes, i, value == (uint32_t)NONE ? value : table[value]);
        }
        guarded_protect(&from, 1);
        assert_int_equal((back ? hd_remap_revert_indices : hd_remap_apply_indices)(
                             &quiet, k->map, to.data, from.data, bytes, count, &options),
                         HD_OK);
        guarded_protect(&from, 0);
        assert_memory_equal(to.data, expected, to.bytes);
        assert_int_equal((back ? hd_remap_revert_indices : hd_remap_apply_indices)(
                             &quiet, k->map, from.data, from.data, bytes, count, NULL),
                         HD_OK);
        assert_memory_equal(from.data, expected, from.bytes);
        assert_true(guarded_is_whole(&from) && guarded_is_whole(&to));
        free(expected);
    }
    guarded_free(&from);
    guarded_free(&to);
}

static void indices_become_places_and_back(void **state) {
    dice d = {2026};
    (void)state;
    for (int i = 0; i < 60; i++) {
        known k = new_known(&d, 1 + roll(&d, 200), i % 2);
        indices_by(&d, &k, roll(&d, 300), 4 + 4 * roll(&d, 2), roll(&d, 4));
        free_known(&k);
    }
    known k = new_known(&d, 2000, true);
    indices_by(&d, &k, 600000, 4, 3); /* for each thread a part */
    free_known(&k);
}

/* ---- rows ------------------------------------------------------------------------------------- */

static void rows_by(dice *d, const known *k, uint32_t most, uint32_t bytes, uint32_t threads) {
    hd_diag quiet = {0};
    hd_remap_host_options options = {.threads = threads};
    uint32_t first_bytes = 4 + 4 * roll(d, 2), rows = k->elements, count = 0;
    uint32_t *first = malloc((rows + 1) * sizeof *first);
    guarded firsts = guarded_new((rows + 1) * first_bytes, roll(d, 9), (int)roll(d, 2));
    guarded to_firsts = guarded_new(firsts.bytes, roll(d, 9), (int)roll(d, 2));
    for (uint32_t i = 0; i <= rows; i++) {
        first[i] = count;
        set_index(firsts.data, first_bytes, i, count);
        count += roll(d, 3) ? roll(d, most + 1) : 0;
    }
    count = first[rows];
    guarded values = guarded_new((size_t)count * bytes, roll(d, 9), (int)roll(d, 2));
    guarded to_values = guarded_new(values.bytes, roll(d, 9), (int)roll(d, 2));
    unsigned char *back_firsts = malloc(firsts.bytes), *back_values = malloc(values.bytes + 1);
    for (size_t i = 0; i < values.bytes; i++)
        values.data[i] = (unsigned char)roll(d, 256);

    hd_remap_rows from = {firsts.data, values.data, first_bytes, bytes};
    hd_remap_rows to = {to_firsts.data, to_values.data, first_bytes, bytes};
    hd_remap_rows again = {back_firsts, back_values, first_bytes, bytes};
    guarded_protect(&firsts, 1);
    guarded_protect(&values, 1);
    assert_int_equal(hd_remap_apply_rows(&quiet, k->map, &to, &from, &options), HD_OK);
    size_t at = 0;
    for (uint32_t p = 0; p < rows; p++) {
        uint32_t row = k->element_of[p], length = first[row + 1] - first[row];
        unsigned char expected[8];
        set_index(expected, first_bytes, 0, (uint32_t)at);
        assert_memory_equal(to_firsts.data + p * first_bytes, expected, first_bytes);
        assert_memory_equal(to_values.data + at * bytes, values.data + (size_t)first[row] * bytes,
                            (size_t)length * bytes);
        at += length;
    }
    assert_int_equal(hd_remap_revert_rows(&quiet, k->map, &again, &to, &options), HD_OK);
    assert_memory_equal(back_firsts, firsts.data, firsts.bytes);
    assert_memory_equal(back_values, values.data, values.bytes);
    guarded_protect(&firsts, 0);
    guarded_protect(&values, 0);
    assert_true(guarded_is_whole(&to_firsts) && guarded_is_whole(&to_values));
    guarded_free(&firsts);
    guarded_free(&to_firsts);
    guarded_free(&values);
    guarded_free(&to_values);
    free(back_firsts);
    free(back_values);
    free(first);
}

static void rows_move_whole_and_back(void **state) {
    dice d = {11};
    (void)state;
    for (int i = 0; i < 60; i++) {
        known k = new_known(&d, 1 + roll(&d, 100), true);
        rows_by(&d, &k, roll(&d, 9), 1 + roll(&d, 20), roll(&d, 4));
        free_known(&k);
    }
    known k = new_known(&d, 1500, true);
    rows_by(&d, &k, 200, 16, 3);
    free_known(&k);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void wrong_indices(void **state) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    uint32_t order[4] = {3, 0, 0, 2}, index[4] = {0, 2, 3, 4}, old[4], wide[9] = {0};
    hd_remap *gather, *transpose;
    (void)state;
    assert_int_equal(hd_remap_gather(&diag, order, 4, 4, 4, 4, &gather), HD_OK);
    assert_int_equal(hd_remap_transpose(&diag, 2, 2, 4, &transpose), HD_OK);
    memcpy(old, index, sizeof old);

#define REFUSED(status, says, ...)                                            \
    do {                                                                      \
        last = (heard){0};                                                    \
        assert_int_equal(hd_remap_apply_indices(&diag, __VA_ARGS__), status); \
        assert_int_equal(last.count, 1);                                      \
        assert_says(last, says);                                              \
        assert_memory_equal(index, old, sizeof old);                          \
    } while (0)
    REFUSED(HD_EINPUT, "index 3 is 4; it must be from 0 to 3, or -1", gather, index, index, 4, 4,
            NULL);
    old[3] = index[3] = (uint32_t)-2;
    REFUSED(HD_EINPUT, "index 3 is -2; it must", gather, index, index, 4, 4, NULL);
    old[3] = index[3] = 1;
    REFUSED(HD_EINPUT, "index 3 is element 1, which has no place", gather, index, index, 4, 4,
            NULL);
    REFUSED(HD_EUNSUPPORTED, "this map has no index array", transpose, index, index, 4, 4, NULL);
    REFUSED(HD_EINPUT, "no map to renumber by", NULL, index, index, 4, 4, NULL);
    REFUSED(HD_EINPUT, "4 or 8 bytes, not 2", gather, index, index, 2, 4, NULL);
    REFUSED(HD_EINPUT, "no memory (NULL) for the new indices", gather, NULL, index, 4, 4, NULL);
    REFUSED(HD_EINPUT, "no memory (NULL) for the indices", gather, index, NULL, 4, 4, NULL);
    REFUSED(HD_EINPUT, "more than memory has", gather, index, index, 4, UINT64_MAX, NULL);
    REFUSED(HD_EINPUT, "overlap with the new ones", gather, wide + 1, wide, 4, 8, NULL);
    hd_remap_host_options simd = {.simd = (hd_remap_simd)99};
    REFUSED(HD_EINPUT, "99 is none of hd_remap_simd", gather, index, index, 4, 4, &simd);
    assert_int_equal(hd_remap_revert_indices(&diag, gather, wide, index, 4, 4, NULL), HD_OK);
    assert_int_equal(wide[0], 3); /* place 0 holds element 3, and so on */
    assert_int_equal(wide[3], 0);
    assert_int_equal(hd_remap_apply_indices(&diag, gather, NULL, NULL, 8, 0, NULL), HD_OK);
    hd_remap_free(gather);
    hd_remap_free(transpose);
}

static void wrong_rows(void **state) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    uint32_t order[3] = {2, 0, 1}, twice[3] = {2, 0, 0};
    uint32_t first[4] = {0, 1, 1, 3}, to_first[4] = {9, 9, 9, 9}, down[4] = {0, 2, 1, 3};
    uint32_t late[4] = {1, 1, 2, 3}, minus[4] = {0, 1, 2, (uint32_t)-1};
    char value[3] = "abc", to_value[3] = "...";
    hd_remap *map, *no_permutation, *transpose;
    (void)state;
    assert_int_equal(hd_remap_gather(&diag, order, 4, 3, 3, 4, &map), HD_OK);
    assert_int_equal(hd_remap_gather(&diag, twice, 4, 3, 3, 4, &no_permutation), HD_OK);
    assert_int_equal(hd_remap_transpose(&diag, 3, 1, 4, &transpose), HD_OK);
    const hd_remap_rows from = {first, value, 4, 1}, to = {to_first, to_value, 4, 1};

#undef REFUSED
#define REFUSED(status, says, by, out, in)                                                \
    do {                                                                                  \
        last = (heard){0};                                                                \
        assert_int_equal(hd_remap_apply_rows(&diag, by, out, in, NULL), status);          \
        assert_int_equal(last.count, 1);                                                  \
        assert_says(last, says);                                                          \
        assert_true(to_first[0] == 9 && to_first[3] == 9 && !memcmp(to_value, "...", 3)); \
    } while (0)
#define ROWS(...) (&(hd_remap_rows){__VA_ARGS__})
    REFUSED(HD_EUNSUPPORTED, "no permutation", no_permutation, &to, &from);
    REFUSED(HD_EUNSUPPORTED, "no index array", transpose, &to, &from);
    REFUSED(HD_EINPUT, "no map to renumber by", NULL, &to, &from);
    REFUSED(HD_EINPUT, "an array `first` on both sides", map, NULL, &from);
    REFUSED(HD_EINPUT, "an array `first` on both sides", map, &to, NULL);
    REFUSED(HD_EINPUT, "an array `first` on both sides", map, &to, ROWS(NULL, value, 4, 1));
    REFUSED(HD_EINPUT, "4 and 1 bytes on one side, 8 and 1", map, ROWS(to_first, to_value, 8, 1),
            &from);
    REFUSED(HD_EINPUT, "4 and 2 bytes on one side, 4 and 1", map, &to, ROWS(first, value, 4, 2));
    REFUSED(HD_EINPUT, "both sides need the same", map, ROWS(to_first, to_value, 3, 1),
            ROWS(first, value, 3, 1));
    REFUSED(HD_EINPUT, "first[2] is 1; from 0 on", map, &to, ROWS(down, value, 4, 1));
    REFUSED(HD_EINPUT, "first[0] is 1; from 0 on", map, &to, ROWS(late, value, 4, 1));
    REFUSED(HD_EINPUT, "first[3] is -1; from 0 on", map, &to, ROWS(minus, value, 4, 1));
    REFUSED(HD_EINPUT, "memory for their values", map, &to, ROWS(first, NULL, 4, 1));
    REFUSED(HD_EINPUT, "overlaps", map, ROWS(to_first, value, 4, 1), &from);
    REFUSED(HD_EINPUT, "overlaps", map, ROWS(to_first, to_first, 4, 1), &from);
    assert_int_equal(hd_remap_apply_rows(&diag, map, &to, &from, NULL), HD_OK);
    assert_memory_equal(to_value, "bca", 3);
    hd_remap_free(map);
    hd_remap_free(no_permutation);
    hd_remap_free(transpose);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_become_places_and_back),
        cmocka_unit_test(rows_move_whole_and_back),
        cmocka_unit_test(wrong_indices),
        cmocka_unit_test(wrong_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
