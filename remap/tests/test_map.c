/* Maps: sizes, places, slices, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heddle/remap.h"
#include "maps.h"

static void test_records(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_remap *map;
    assert_int_equal(hd_remap_layout(&diag, &body_record, "{x,y,z}:4{kind}/da", 6, &map), HD_OK);
    assert_int_equal(hd_remap_source_bytes(map), 96);
    assert_int_equal(hd_remap_parts(map), 2);
    assert_int_equal(hd_remap_bytes(map, 0), 96);
    assert_int_equal(hd_remap_bytes(map, 1), 6);
    assert_int_equal(hd_remap_find(map, 5, 1).offset, 48 + 16 + 4);
    assert_int_equal(hd_remap_find(map, 5, 3).part, 1);
    hd_remap_free(map);
}

/* Every element and field of a map goes there and back. */
static void check_both_ways(const hd_remap *map) {
    hd_diag diag = {0};
    size_t bytes = (size_t)hd_remap_source_bytes(map), there = (size_t)hd_remap_bytes(map, 0);
    unsigned char *from = malloc(bytes), *to = calloc(1, there), *back = calloc(1, bytes);
    for (size_t i = 0; i < bytes; i++)
        from[i] = (unsigned char)(i * 151 + i / 251);
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){to}, from, NULL), HD_OK);
    assert_int_equal(hd_remap_revert(&diag, map, back, (const void *[]){to}, NULL), HD_OK);
    assert_memory_equal(from, back, bytes);
    free(from);
    free(to);
    free(back);
}

static void test_matrices(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_status (*const make[])(const hd_diag *, uint64_t, uint64_t, uint32_t, hd_remap **) = {
        hd_remap_transpose, hd_remap_diagonal, hd_remap_morton};
    static const uint64_t places[] = {35, 55, 64}, of_23[] = {3 * 5 + 2, 5 * 5 + 2, 8 + 1 + 4};
    for (int kind = 0; kind < 3; kind++) {
        hd_remap *map;
        assert_int_equal(make[kind](&diag, 5, 7, 4, &map), HD_OK);
        assert_int_equal(hd_remap_bytes(map, 0), 4 * places[kind]);
        assert_int_equal(hd_remap_find(map, 2 * 7 + 3, 0).offset, 4 * of_23[kind]);
        check_both_ways(map);
        hd_remap_free(map);
    }
}

/* ---- what is refused ------------------------------------------------------------------ */

/* `call` gives no map, this status, and one message that has `words`. */
#define refuses(expected, words, call)     \
    do {                                   \
        heard last = {0};                  \
        hd_diag diag = {hear, &last};      \
        hd_remap *map = (hd_remap *)&last; \
        assert_int_equal(call, expected);  \
        assert_null(map);                  \
        assert_int_equal(last.count, 1);   \
        assert_says(last, words);          \
    } while (0)

static void test_sizes_overflow(void **state) {
    (void)state;
    uint64_t half = (uint64_t)1 << 32, most = INT64_MAX;
    uint32_t index[] = {0};
    refuses(HD_EINPUT, "the source's bytes is more than 2^63",
            hd_remap_layout(&diag, &body_record, "soa", most / 8, &map));
    refuses(HD_EINPUT, "do not fit 63 bits",
            hd_remap_layout(&diag, &body_record, "aosoa:4611686018427387904", 3, &map));
    refuses(HD_EINPUT, "the matrix's elements is more than 2^63",
            hd_remap_transpose(&diag, half, half, 1, &map));
    refuses(HD_EINPUT, "the source's bytes is more than 2^63",
            hd_remap_transpose(&diag, half, half / 4, 8, &map));
    refuses(HD_EINPUT, "the places of the diagonals is more than 2^63",
            hd_remap_diagonal(&diag, half, half / 4, 1, &map));
    refuses(HD_EINPUT, "the device's bytes is more than 2^63",
            hd_remap_diagonal(&diag, half / 2, half / 8, 4, &map));
    refuses(HD_EINPUT, "the places on the device is more than 2^63",
            hd_remap_morton(&diag, most / 2 + 2, 1, 1, &map));
    refuses(HD_EINPUT, "the source's bytes is more than 2^63",
            hd_remap_gather(&diag, index, 4, 1, most, 4, &map));
    refuses(HD_EINPUT, "the device's bytes is more than 2^63",
            hd_remap_scatter(&diag, index, 4, 1, most, 4, &map));
}

/* Sizes that fit 63 bits, but not the memory that the map itself needs. */
static uint64_t same_place(uint64_t element, const void *user) {
    (void)user;
    return element;
}

static void test_no_memory(void **state) {
    (void)state;
    uint64_t many = (uint64_t)1 << 58;
    uint32_t index[] = {0};
    hd_remap_user user = {1, many, 1, same_place, NULL, NULL};
    refuses(HD_ESYSTEM, "no memory", hd_remap_gather(&diag, index, 4, many, 1, 1, &map));
    refuses(HD_ESYSTEM, "no memory", hd_remap_scatter(&diag, index, 4, 1, many, 1, &map));
    refuses(HD_ESYSTEM, "no memory", hd_remap_user_map(&diag, &user, &map));
}

static void test_layouts_of_others(void **state) {
    (void)state;
    refuses(HD_EINPUT, "has no field 'w'",
            hd_remap_layout(&diag, &body_record, "{x,y,w}{kind}", 6, &map));
    refuses(HD_EINPUT, "'kind' of 'body' stands in no cluster",
            hd_remap_layout(&diag, &body_record, "{x,y,z}", 6, &map));
    refuses(HD_EINPUT, "twice", hd_remap_layout(&diag, &body_record, "{x,y,z,x}{kind}", 6, &map));
    refuses(HD_EINPUT, "power of two", hd_remap_layout(&diag, &body_record, "aosoa:3", 6, &map));
    refuses(HD_EINPUT, "a layout", hd_remap_layout(&diag, &body_record, "", 6, &map));
}

static void test_column(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_remap *map;
    assert_int_equal(hd_remap_layout(&diag, &body_record, "{x,y}{z,w}", 6, &map), HD_EINPUT);
    assert_int_equal(last.column, 9);
}

/* Descriptions that no struct has. */
static void test_records_that_are_none(void **state) {
    (void)state;
    hd_remap_field two[] = {{"a", 0, 4, 4}, {"b", 4, 4, 4}};
    hd_remap_record pair = {"pair", 8, 4, two, 2};
#define refuses_pair(status, words)                                       \
    refuses(status, words, hd_remap_layout(&diag, &pair, "soa", 6, &map))
    pair.field_count = UINT32_MAX;
    refuses_pair(HD_EINPUT, "4294967295 fields; a record has an array of 1 to 64");
    pair.field_count = 0;
    refuses_pair(HD_EINPUT, "0 fields");
    pair.field_count = 2;
    pair.fields = NULL;
    refuses_pair(HD_EINPUT, "no array of them");
    pair.fields = two;
    pair.size = (size_t)1 << 32;
    refuses_pair(HD_EINPUT, "a record may have 4294967295");
    pair.size = 10;
    refuses_pair(HD_EUNSUPPORTED, "make it a plain struct");
    pair.size = 8;
    two[1].offset = SIZE_MAX - 3; /* and 4 more bytes would pass 0 */
    refuses_pair(HD_EINPUT, "field 1 of 'pair' (b) does not lie within its 8 bytes");
    two[1].offset = 0;
    refuses_pair(HD_EUNSUPPORTED, "a packed struct or a union");
    two[1] = (hd_remap_field){"b", 4, 4, 3};
    refuses_pair(HD_EUNSUPPORTED, "not a power of two");
    two[1] = (hd_remap_field){"b", 4, 0, 4};
    refuses_pair(HD_EUNSUPPORTED, "has no size");
    two[1] = (hd_remap_field){NULL, 4, 4, 4};
    refuses_pair(HD_EINPUT, "without a name");
    two[1] = (hd_remap_field){"a", 4, 4, 4};
    refuses_pair(HD_EINPUT, "both called 'a'");
}

static void test_index_out_of_range(void **state) {
    (void)state;
    uint32_t small[] = {0, 4, 5};
    uint64_t large[] = {(uint64_t)1 << 32, 2};
    int32_t negative[] = {3, -1};
    refuses(HD_EINPUT, "index[2] is 5; it must be from 0 to 4",
            hd_remap_gather(&diag, small, 4, 3, 5, 4, &map));
    refuses(HD_EINPUT, "index[0] is 4294967296; it must be from 0 to 4",
            hd_remap_gather(&diag, large, 8, 2, 5, 4, &map));
    refuses(HD_EINPUT, "index[1] is -1;", hd_remap_scatter(&diag, negative, 4, 2, 5, 4, &map));
}

static uint64_t half_of(uint64_t element, const void *user) {
    return element / 2 + *(const uint64_t *)user;
}

static void test_places_that_meet(void **state) {
    (void)state;
    uint64_t index[] = {1, 3, 0, 3}, first = 0;
    hd_remap_user user = {4, 4, 4, half_of, &first, NULL};
    refuses(HD_EINPUT, "elements 1 and 3 both go to place 3",
            hd_remap_scatter(&diag, index, 8, 4, 4, 4, &map));
    refuses(HD_EINPUT, "elements 0 and 1 both go to place 0",
            hd_remap_user_map(&diag, &user, &map));
    first = UINT64_MAX;
    refuses(HD_EINPUT, "gives element 0 the place 18446744073709551615; places are from 0 to 3",
            hd_remap_user_map(&diag, &user, &map));
}

static void test_slices(void **state) {
    (void)state;
    hd_diag quiet = {0};
    hd_remap *whole, *slice;
    assert_int_equal(hd_remap_layout(&quiet, &body_record, "{x,y,z}:4{kind}/da", 70, &whole),
                     HD_OK);
    assert_int_equal(hd_remap_slice(&quiet, whole, 60, 10, &slice), HD_OK);
    assert_int_equal(hd_remap_source_bytes(slice), 160);
    assert_int_equal(hd_remap_bytes(slice, 0), 3 * 48);
    assert_int_equal(hd_remap_bytes(slice, 1), 10);
    assert_int_equal(hd_remap_bytes(slice, 2), 0);
    hd_remap_free(slice);
    refuses(HD_EINPUT, "a slice of 11 from 60 on is not within the map's 70",
            hd_remap_slice(&diag, whole, 60, 11, &map));
    refuses(HD_EINPUT, "not within", hd_remap_slice(&diag, whole, 71, UINT64_MAX, &map));
    hd_remap_free(whole);

    assert_int_equal(hd_remap_transpose(&quiet, 9, 5, 2, &whole), HD_OK);
    assert_int_equal(hd_remap_slice(&quiet, whole, 8, 1, &slice), HD_OK);
    assert_int_equal(hd_remap_bytes(slice, 0), 10);
    hd_remap_free(slice);
    hd_remap_free(whole);

    assert_int_equal(hd_remap_diagonal(&quiet, 9, 5, 2, &whole), HD_OK);
    refuses(HD_EUNSUPPORTED, "only maps of layouts and of transposes",
            hd_remap_slice(&diag, whole, 0, 1, &map));
    hd_remap_free(whole);
}

static void test_memory_that_overlaps(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_remap *map;
    unsigned char memory[64], before[64];
    assert_int_equal(hd_remap_layout(&diag, &body_record, "{x,y,z}{kind}/da", 2, &map), HD_OK);
    for (size_t i = 0; i < sizeof memory; i++)
        before[i] = memory[i] = (unsigned char)i;
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){memory + 31, memory + 60}, memory, NULL),
                     HD_EINPUT);
    assert_says(last, "overlap");
    assert_int_equal(
        hd_remap_revert(&diag, map, memory, (const void *[]){memory + 32, memory + 31}, NULL),
        HD_EINPUT);
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){memory + 32, memory + 55}, memory, NULL),
                     HD_EINPUT);
    assert_says(last, "parts 0 and 1");
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){memory + 32, NULL}, memory, NULL),
                     HD_EINPUT);
    assert_says(last, "NULL");
    assert_memory_equal(memory, before, sizeof memory);
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){memory + 32, memory + 56}, memory, NULL),
                     HD_OK);
    hd_remap_free(map);
    hd_remap_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_sizes_overflow),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_layouts_of_others),
        cmocka_unit_test(test_column),
        cmocka_unit_test(test_records_that_are_none),
        cmocka_unit_test(test_index_out_of_range),
        cmocka_unit_test(test_places_that_meet),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_memory_that_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
