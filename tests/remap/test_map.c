/* Maps: sizes, places, slices, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heddle/remap.h"
#include "remap/maps.h"

typedef struct body {
    float x, y, z;
    char kind;
} body;

static const hd_remap_field body_fields[] = {HD_REMAP_FIELD(body, x), HD_REMAP_FIELD(body, y),
                                             HD_REMAP_FIELD(body, z), HD_REMAP_FIELD(body, kind)};
static const hd_remap_record body_record = HD_REMAP_RECORD(body, body_fields);

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_records),
                                       cmocka_unit_test(test_matrices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
