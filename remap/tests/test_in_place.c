/*
 * In place: what it leaves is what hd_remap_apply() and hd_remap_revert() make elsewhere, and no byte
 * outside of the memory is read or written.
 */
#include "remap/remap_host.h"
#include "maps.h"
#include "random_maps.h"
#include "sanitized.h"
#include "sides.h"

/* Memory that begins a line or elsewhere, as that of malloc() does, or ends where no more may be
 * read. */
static guarded new_memory(dice *d, uint64_t bytes) {
    uint32_t where = roll(d, 3);
    guarded g = guarded_new((size_t)bytes, where == 1 ? 16 : 0, where == 2);
    memset(g.data, HOLE_A, g.bytes);
    return g;
}

/* There or back; past the caches, as the host engine does with larger data, or as it does. */
static hd_status move(const hd_diag *diag, const hd_remap *map, void *data,
                      const hd_remap_host_options *o, bool streaming, bool back) {
    hd_remap_engine engine;
    if (!streaming)
        return back ? hd_remap_revert_in_place(diag, map, data, o)
                    : hd_remap_apply_in_place(diag, map, data, o);
    hd_status status = hd_remap_engine_of(diag, o, hd_remap_source_bytes(map), &engine);
    engine.streaming = true;
    return status == HD_OK ? hd_remap_in_place_by(&engine, map, data, back) : status;
}

/* Places that no element has hold anything. */
typedef struct in_place {
    const unsigned char *data, *expected;
} in_place;

static void tell_there(hd_remap_place place, uint64_t from, size_t bytes, void *user) {
    (void)from;
    const in_place *there = user;
    const unsigned char *found = there->data + place.offset,
                        *expected = there->expected + place.offset;
    if (memcmp(found, expected, bytes)) /* which takes a tenth of the time */
        assert_memory_equal(found, expected, bytes);
}

/* There and back within one memory, compared with the slow twin and with what there was, of which
 * every byte is an element's. Frees the map. */
static void check_in_place(dice *d, hd_status made, hd_remap *map, const hd_remap_host_options *o) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    assert_int_equal(made, HD_OK);
    bool streaming = roll(d, 2);
    sides slow = new_sides(d, map, HOLE_A);
    fill_randomly(d, &slow.source);
    slow_apply(map, slow.parts, slow.source.data);
    guarded data = new_memory(d, hd_remap_in_place_bytes(map));
    assert_true(data.bytes >= slow.source.bytes && data.bytes >= slow.part->bytes);
    assert_true(hd_remap_in_place_scratch(map) > 0);
    memcpy(data.data, slow.source.data, slow.source.bytes);
    if (move(&diag, map, data.data, o, streaming, false) != HD_OK)
        fail_msg("%s", last.text);
    assert_true(guarded_is_whole(&data));
    if (map->kind == HD_REMAP_TRANSPOSE) /* every place is an element's */
        assert_memory_equal(data.data, slow.part->data, slow.part->bytes);
    else
        slow_walk(map, tell_there, &(in_place){data.data, slow.part->data});
    assert_int_equal(move(&diag, map, data.data, o, streaming, true), HD_OK);
    assert_memory_equal(data.data, slow.source.data, slow.source.bytes);
    assert_true(guarded_is_whole(&data));
    guarded_free(&data);
    free_sides(&slow);
    hd_remap_free(map);
}

static hd_remap_host_options random_options(dice *d) {
    return (hd_remap_host_options){1 + roll(d, 4),
                                   roll(d, 2) ? HD_REMAP_SIMD_BEST : HD_REMAP_SIMD_NONE};
}

static void check_transpose_with(uint64_t rows, uint64_t columns, uint32_t bytes,
                                 hd_remap_host_options o, dice *d) {
    hd_remap *map;
    hd_status made = hd_remap_transpose(NULL, rows, columns, bytes, &map);
    check_in_place(d, made, map, &o);
}

static void check_transpose(uint64_t rows, uint64_t columns, uint32_t bytes, dice *d) {
    check_transpose_with(rows, columns, bytes, random_options(d), d);
}

static void test_transposes(void **state) {
    (void)state;
    dice d = {1 * HD_RANDOM_STEP};
    for (uint32_t bytes = 1; bytes <= 40; bytes++)
        for (int run = 0; run < 12; run++) {
            uint64_t rows = 1 + roll(&d, run % 3 ? 130 : 12);
            uint64_t columns = 1 + roll(&d, run % 4 ? 170 : 12);
            check_transpose(rows, run % 5 ? columns : rows, bytes, &d);
        }
}

/* Several threads, long cycles, records to runs and back, nearly square ones, records kept aside.
 */
static void test_large_transposes(void **state) {
    (void)state;
    static const uint64_t sizes[][3] = {
        {1024, 1024, 4},  {1000, 1000, 3}, {4096, 100, 4},  {100, 4096, 4},  {1009, 997, 4},
        {3, 200003, 4},   {200003, 3, 4},  {7, 300007, 1},  {2048, 96, 16},  {5, 90001, 12},
        {90001, 5, 12},   {1, 77777, 8},   {600011, 2, 1},  {2203, 2207, 4}, {2207, 2203, 1},
        {2201, 2203, 12}, {400007, 16, 4}, {16, 400000, 4}, {1200007, 3, 4}, {3, 5, 1 << 20},
        {12, 12, 70000},  {300000, 32, 2}, {5, 7, 5000}};
    dice d = {2 * HD_RANDOM_STEP};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        if (IS_TRIED(s, 2))
            check_transpose(sizes[s][0], sizes[s][1], (uint32_t)sizes[s][2], &d);
}

/* Rows at the tasks' borders, of which a neighbour overwrites the last one in part. */
static void test_borders(void **state) {
    static const uint64_t sizes[][3] = {
        {2460, 2050, 1}, {2050, 2460, 1}, {2094, 2049, 4}, {2049, 2094, 4}};
    dice d = {4 * HD_RANDOM_STEP};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t threads = 2; threads <= 5; threads++)
            if (IS_TRIED(s + threads, 4))
                check_transpose_with(sizes[s][0], sizes[s][1], (uint32_t)sizes[s][2],
                                     (hd_remap_host_options){.threads = threads}, &d);
}

/* Records of `fields` words, as `soa`. */
static void check_records(uint64_t count, uint32_t fields, uint32_t word, hd_remap_host_options o,
                          dice *d) {
    equal_record e;
    hd_remap *map;
    make_equal(&e, fields, word);
    hd_status made = hd_remap_layout(NULL, &e.record, "soa", count, &map);
    check_in_place(d, made, map, &o);
}

static void test_records(void **state) {
    (void)state;
    static const uint32_t words[] = {1, 2, 4, 8, 12, 16, 20};
    dice d = {3 * HD_RANDOM_STEP};
    for (int run = 0; run < 200; run++) {
        uint32_t fields = 1 + roll(&d, run % 4 ? 16 : 40);
        uint64_t count = 1 + roll(&d, run % 5 ? 3000 : 100000);
        if (IS_TRIED(run, 3))
            check_records(count, fields, words[run % 7], random_options(&d), &d);
    }
}

/* Numbers of words that have functions of their own; some times each, since those are taken where
 * the memory begins a line. */
static void test_each_number_of_words(void **state) {
    (void)state;
    static const uint32_t numbers[] = {2, 3, 4, 5, 6, 7, 8, 12, 16};
    dice d = {5 * HD_RANDOM_STEP};
    for (int turn = 0; turn < (SANITIZED ? 4 : 8); turn++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            check_records(600000 / 4 / numbers[i], numbers[i], 4, (hd_remap_host_options){0}, &d);
}

static void check_scratch(hd_status made, hd_remap *map) {
    assert_int_equal(made, HD_OK);
    uint64_t bits = hd_remap_in_place_bytes(map) / 16384;
    assert_in_range(hd_remap_in_place_scratch(map), 1, (16 << 20) + bits);
    hd_remap_free(map);
}

/* However large the data, the scratch is some megabytes and the chunks' bits. */
static void test_scratch(void **state) {
    (void)state;
    static const hd_remap_field fields[] = {{"a", 0, 4, 4}, {"b", 4, 4, 4}, {"c", 8, 4, 4}};
    static const hd_remap_record record = {"record", 12, 4, fields, 3};
    hd_diag diag = {0};
    hd_remap *map;
    hd_status made = hd_remap_layout(&diag, &record, "soa", 1000000007, &map);
    check_scratch(made, map);
    static const uint64_t sizes[][3] = {{1 << 30, 100, 4}, {100, 1000000007, 1}, {65536, 65536, 8},
                                        {65537, 65521, 1}, {11587, 11579, 16},   {4000, 60000, 4}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        made = hd_remap_transpose(&diag, sizes[s][0], sizes[s][1], sizes[s][2], &map);
        check_scratch(made, map);
    }
}

static void check_refused(const hd_remap *map) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    char data[4096];
    assert_int_equal(hd_remap_in_place_bytes(map), 0);
    assert_int_equal(hd_remap_in_place_scratch(map), 0);
    assert_int_equal(hd_remap_apply_in_place(&diag, map, data, NULL), HD_EUNSUPPORTED);
    assert_says(last, "in place");
    assert_int_equal(hd_remap_revert_in_place(&diag, map, data, NULL), HD_EUNSUPPORTED);
}

static void test_refused(void **state) {
    (void)state;
    static const hd_remap_field fields[] = {{"a", 0, 4, 4}, {"b", 4, 4, 4}, {"c", 8, 8, 8}};
    static const hd_remap_record equal = {"equal", 8, 4, fields, 2},
                                 other = {"other", 16, 8, fields, 3};
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_remap *map;
    assert_int_equal(hd_remap_layout(&diag, &other, "soa", 9, &map), HD_OK);
    check_refused(map);
    hd_remap_free(map);
    static const char *const layouts[] = {"aos", "da", "aosoa:4"};
    for (int l = 0; l < 3; l++) {
        assert_int_equal(hd_remap_layout(&diag, &equal, layouts[l], 9, &map), HD_OK);
        check_refused(map);
        hd_remap_free(map);
    }
    assert_int_equal(hd_remap_diagonal(&diag, 3, 5, 4, &map), HD_OK);
    check_refused(map);
    hd_remap_free(map);
    assert_int_equal(hd_remap_transpose(&diag, 3, 5, 4, &map), HD_OK);
    assert_int_equal(hd_remap_apply_in_place(&diag, map, NULL, NULL), HD_EINPUT);
    assert_says(last, "NULL");
    hd_remap_free(map);
}

/* Structs of one to twelve fields of one size, of any, as `soa`. */
static hd_status equal_fields(dice *d, uint64_t most_bytes, hd_remap **map) {
    equal_record e;
    uint32_t count = 1 + roll(d, 12);
    make_equal(&e, count, roll_bytes(d));
    return hd_remap_layout(NULL, &e.record, "soa", roll_size(d, most_bytes / e.record.size), map);
}

static void check_random(uint64_t seed, unsigned count, uint64_t most_bytes) {
    for (unsigned i = 0; i < 2 * count; i++) {
        dice d = {(seed + i) * HD_RANDOM_STEP};
        hd_remap *map;
        hd_status made = i % 2 ? equal_fields(&d, most_bytes, &map)
                               : random_matrix(NULL, &d, HD_REMAP_TRANSPOSE, most_bytes, &map);
        hd_remap_host_options options = random_options(&d);
        check_in_place(&d, made, map, roll(&d, 4) ? &options : NULL);
    }
}

static void test_random(void **state) {
    (void)state;
    check_random(20261124, SANITIZED ? 20 : 300, 1 << 13);
    check_random(20271124, SANITIZED ? 5 : 20, 1 << 18);
    check_random(20281124, SANITIZED ? 2 : 8, SANITIZED ? 3 << 20 : 12 << 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),           cmocka_unit_test(test_transposes),
        cmocka_unit_test(test_large_transposes), cmocka_unit_test(test_borders),
        cmocka_unit_test(test_records),          cmocka_unit_test(test_each_number_of_words),
        cmocka_unit_test(test_scratch),          cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
