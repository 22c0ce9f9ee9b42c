/* In place: what it leaves is what hd_remap_apply() and hd_remap_revert() make elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"
#include "oracle/remap.h"
#include "remap/host.h"
#include "maps.h"
#include "sanitized.h"

enum { MARGIN = 256 };

/* Memory that begins a line, or elsewhere, as that of malloc() does. */
static unsigned char *new_memory(uint64_t *seed, size_t bytes) {
    size_t shift = hd_next_random(seed) % 2 * 16;
    size_t all = (size_t)hd_align_up(bytes + shift + 2 * MARGIN, 64);
    unsigned char *memory = aligned_alloc(64, all);
    memset(memory, 0xa5, all);
    memory += MARGIN + shift;
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)hd_next_random(seed);
    return memory;
}

static void free_memory(unsigned char *memory) { free(memory - MARGIN - (uintptr_t)memory % 64); }

static void check_margins(const unsigned char *memory, size_t bytes) {
    for (size_t i = 0; i < MARGIN; i++)
        if (memory[-(ptrdiff_t)i - 1] != 0xa5 || memory[bytes + i] != 0xa5)
            fail_msg("byte %zu outside of %zu was written", i, bytes);
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

/* There and back within `data`, each way compared with the slow twin. */
static void check_in_place(const hd_remap *map, uint64_t *seed, const hd_remap_host_options *o,
                           const char *what) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    bool streaming = hd_next_random(seed) % 2;
    size_t bytes = (size_t)hd_remap_in_place_bytes(map);
    size_t from_bytes = (size_t)hd_remap_source_bytes(map),
           to_bytes = (size_t)hd_remap_bytes(map, 0);
    assert_true(bytes >= from_bytes && bytes >= to_bytes);
    assert_true(hd_remap_in_place_scratch(map) > 0);
    unsigned char *data = new_memory(seed, bytes), *from = malloc(bytes), *to = calloc(1, to_bytes);
    unsigned char *back = malloc(from_bytes), *clean = calloc(1, to_bytes);
    memcpy(from, data, bytes);
    assert_int_equal(move(&diag, map, data, o, streaming, false), HD_OK);
    check_margins(data, bytes);
    slow_apply(map, (void *[]){to}, from);
    /* Gaps hold anything: only values are taken from `data`. */
    slow_revert(map, back, (void *[]){data});
    if (memcmp(back, from, from_bytes) != 0)
        fail_msg("%s: other values there", what);
    slow_apply(map, (void *[]){clean}, back);
    assert_memory_equal(clean, to, to_bytes);
    assert_int_equal(move(&diag, map, data, o, streaming, true), HD_OK);
    check_margins(data, bytes);
    if (memcmp(data, from, from_bytes) != 0)
        fail_msg("%s: other values back", what);
    free_memory(data);
    free(from);
    free(to);
    free(back);
    free(clean);
}

static hd_remap_host_options random_options(uint64_t *seed) {
    return (hd_remap_host_options){1 + (uint32_t)(hd_next_random(seed) % 4),
                                   hd_next_random(seed) % 2 ? HD_REMAP_SIMD_BEST
                                                            : HD_REMAP_SIMD_NONE};
}

static void check_transpose_with(uint64_t rows, uint64_t columns, uint32_t bytes,
                                 hd_remap_host_options o, uint64_t *seed) {
    hd_diag diag = {0};
    hd_remap *map;
    char what[96];
    snprintf(what, sizeof what, "%u x %u of %u bytes, %u threads", (unsigned)rows,
             (unsigned)columns, bytes, o.threads);
    assert_int_equal(hd_remap_transpose(&diag, rows, columns, bytes, &map), HD_OK);
    check_in_place(map, seed, &o, what);
    hd_remap_free(map);
}

static void check_transpose(uint64_t rows, uint64_t columns, uint32_t bytes, uint64_t *seed) {
    check_transpose_with(rows, columns, bytes, random_options(seed), seed);
}

static void test_transposes(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint32_t bytes = 1; bytes <= 40; bytes++)
        for (int run = 0; run < 12; run++) {
            uint64_t rows = 1 + hd_next_random(&seed) % (run % 3 ? 130 : 12);
            uint64_t columns = 1 + hd_next_random(&seed) % (run % 4 ? 170 : 12);
            check_transpose(rows, run % 5 ? columns : rows, bytes, &seed);
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
    uint64_t seed = 2;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        if (IS_TRIED(s, 2))
            check_transpose(sizes[s][0], sizes[s][1], (uint32_t)sizes[s][2], &seed);
}

/* Rows at the tasks' borders, of which a neighbour overwrites the last one in part. */
static void test_borders(void **state) {
    static const uint64_t sizes[][3] = {
        {2460, 2050, 1}, {2050, 2460, 1}, {2094, 2049, 4}, {2049, 2094, 4}};
    uint64_t seed = 4;
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t threads = 2; threads <= 5; threads++)
            if (IS_TRIED(s + threads, 4))
                check_transpose_with(sizes[s][0], sizes[s][1], (uint32_t)sizes[s][2],
                                     (hd_remap_host_options){.threads = threads}, &seed);
}

/* Records of `fields` words, as `soa`. */
static void check_records(uint64_t count, uint32_t fields, uint32_t word, hd_remap_host_options o,
                          uint64_t *seed) {
    hd_diag diag = {0};
    equal_record e;
    char what[96];
    make_equal(&e, fields, word);
    hd_remap *map;
    assert_int_equal(hd_remap_layout(&diag, &e.record, "soa", count, &map), HD_OK);
    snprintf(what, sizeof what, "%u records of %u x %u bytes", (unsigned)count, fields, word);
    check_in_place(map, seed, &o, what);
    hd_remap_free(map);
}

static void test_records(void **state) {
    (void)state;
    static const uint32_t words[] = {1, 2, 4, 8, 12, 16, 20};
    uint64_t seed = 3;
    for (int run = 0; run < 200; run++) {
        uint32_t fields = 1 + (uint32_t)(hd_next_random(&seed) % (run % 4 ? 16 : 40));
        uint64_t count = 1 + hd_next_random(&seed) % (run % 5 ? 3000 : 100000);
        if (IS_TRIED(run, 3))
            check_records(count, fields, words[run % 7], random_options(&seed), &seed);
    }
}

/* Numbers of words that have functions of their own; some times each, since those are taken where
 * the memory begins a line. */
static void test_each_number_of_words(void **state) {
    (void)state;
    static const uint32_t numbers[] = {2, 3, 4, 5, 6, 7, 8, 12, 16};
    uint64_t seed = 5;
    for (int turn = 0; turn < (SANITIZED ? 4 : 8); turn++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            check_records(600000 / 4 / numbers[i], numbers[i], 4, (hd_remap_host_options){0},
                          &seed);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_transposes),
                                       cmocka_unit_test(test_large_transposes),
                                       cmocka_unit_test(test_borders),
                                       cmocka_unit_test(test_records),
                                       cmocka_unit_test(test_each_number_of_words),
                                       cmocka_unit_test(test_scratch),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
