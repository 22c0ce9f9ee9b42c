/*
 * The host engine against the slow twin: random records, layouts, matrices and index arrays, with
 * any number of threads, with every instruction set that this processor has, in memory aligned
 * anyhow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"
#include "oracle/remap.h"
#include "maps.h"

enum { MARGIN = 192, MOST_PARTS = 64, FIELDS = 12 };

static uint64_t random_below(uint64_t *seed, uint64_t limit) {
    return hd_next_random(seed) % limit;
}

/* ---- memory with margins ------------------------------------------------------------------- */

typedef struct memory {
    unsigned char *all, *data;
    size_t bytes;
} memory;

/* `bytes` of random contents, or zero, from any address on. */
static memory new_memory(uint64_t *seed, size_t bytes, bool zero) {
    memory m = {.all = malloc(bytes + 3 * MARGIN), .bytes = bytes};
    memset(m.all, 0xa5, bytes + 3 * MARGIN);
    m.data = m.all + MARGIN + random_below(seed, 64) * (random_below(seed, 3) != 0);
    for (size_t i = 0; i < bytes; i++)
        m.data[i] = zero ? 0 : (unsigned char)hd_next_random(seed);
    return m;
}

static void check_margins(const memory *m) {
    for (unsigned char *p = m->all; p < m->all + m->bytes + 3 * MARGIN; p++)
        if ((p < m->data || p >= m->data + m->bytes) && *p != 0xa5)
            fail_msg("byte %td of %zu was written", p - m->data, m->bytes);
}

static void free_memory(memory *m) { free(m->all); }

/* ---- there and back ------------------------------------------------------------------------ */

static bool has(hd_remap_simd simd) {
    hd_diag diag = {0};
    hd_remap *map;
    char a[4] = {0}, b[4];
    assert_int_equal(hd_remap_transpose(&diag, 2, 2, 1, &map), HD_OK);
    hd_status status =
        hd_remap_apply(&diag, map, (void *[]){b}, a, &(hd_remap_host_options){1, simd});
    hd_remap_free(map);
    return status == HD_OK;
}

static void check_same(const memory *got, const memory *expected, const char *what, uint64_t seed) {
    check_margins(got);
    for (size_t i = 0; i < got->bytes; i++)
        if (got->data[i] != expected->data[i])
            fail_msg("seed %llu: byte %zu of %zu %s is %02x, not %02x", (unsigned long long)seed, i,
                     got->bytes, what, got->data[i], expected->data[i]);
}

static void check_options(const hd_remap *map, uint64_t *seed, const hd_remap_host_options *o) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    uint64_t started = *seed;
    uint32_t parts = hd_remap_parts(map);
    memory from = new_memory(seed, (size_t)hd_remap_source_bytes(map), false);
    memory back = new_memory(seed, from.bytes, true),
           slow_back = new_memory(seed, from.bytes, true);
    memory to[MOST_PARTS], expected[MOST_PARTS];
    void *to_data[MOST_PARTS], *expected_data[MOST_PARTS];
    for (uint32_t p = 0; p < parts; p++) {
        to[p] = new_memory(seed, (size_t)hd_remap_bytes(map, p), true);
        expected[p] = new_memory(seed, to[p].bytes, true);
        to_data[p] = to[p].data;
        expected_data[p] = expected[p].data;
    }
    assert_int_equal(hd_remap_apply(&diag, map, to_data, from.data, o), HD_OK);
    slow_apply(map, expected_data, from.data);
    for (uint32_t p = 0; p < parts; p++)
        check_same(&to[p], &expected[p], "there", started);
    assert_int_equal(hd_remap_revert(&diag, map, back.data, (const void *const *)to_data, o),
                     HD_OK);
    slow_revert(map, slow_back.data, to_data);
    check_same(&back, &slow_back, "back", started);
    for (uint32_t p = 0; p < parts; p++) {
        free_memory(&to[p]);
        free_memory(&expected[p]);
    }
    free_memory(&from);
    free_memory(&back);
    free_memory(&slow_back);
}

static void check_both_ways(const hd_remap *map, uint64_t *seed) {
    for (int simd = HD_REMAP_SIMD_BEST; simd <= HD_REMAP_SIMD_NEON; simd++)
        if (has((hd_remap_simd)simd))
            check_options(
                map, seed,
                &(hd_remap_host_options){1 + (uint32_t)random_below(seed, 4), (hd_remap_simd)simd});
}

/* ---- records ------------------------------------------------------------------------------- */

typedef struct made_record {
    hd_remap_record record;
    hd_remap_field fields[FIELDS];
} made_record;

static const char *const names[FIELDS] = {"a", "b", "c", "d", "e", "f",
                                          "g", "h", "i", "j", "k", "l"};

/* By C's rules: words of one size, or fields of any. */
static void make_record(uint64_t *seed, made_record *made) {
    static const uint32_t aligns[] = {1, 2, 4, 8, 16};
    uint32_t count = 1 + (uint32_t)random_below(seed, FIELDS), align = 1, end = 0;
    uint32_t one_size = random_below(seed, 2) ? aligns[random_below(seed, 5)] : 0;
    for (uint32_t f = 0; f < count; f++) {
        uint32_t of = one_size && random_below(seed, 8) ? one_size : aligns[random_below(seed, 5)];
        uint32_t size = of * (one_size ? 1 : 1 + (uint32_t)random_below(seed, 4));
        of <<= random_below(seed, 12) ? 0 : 1; /* an attribute */
        end = (end + of - 1) / of * of;
        made->fields[f] = (hd_remap_field){names[f], end, size, of};
        end += size;
        align = of > align ? of : align;
    }
    made->record =
        (hd_remap_record){"made", (end + align - 1) / align * align, align, made->fields, count};
}

/* Clusters of fields in order or by turns, tiles of any length. */
static void make_layout(uint64_t *seed, const made_record *made, char text[256]) {
    static const char *const shorthands[] = {"soa",      "soa",      "aos",     "da",
                                             "aosoa:16", "aosoa:32", "aosoa:4", "aosoa:512"};
    if (random_below(seed, 2)) {
        strcpy(text, shorthands[random_below(seed, 8)]);
        return;
    }
    uint32_t clusters = 1 + (uint32_t)random_below(seed, 3), count = made->record.field_count;
    bool turns = random_below(seed, 2);
    clusters = clusters < count ? clusters : count;
    size_t at = 0;
    for (uint32_t c = 0; c < clusters; c++) {
        const char *before = "{";
        for (uint32_t f = 0; f < count; f++)
            if ((turns ? f % clusters : f * clusters / count) == c) {
                at += (size_t)snprintf(text + at, 256 - at, "%s%s", before, names[f]);
                before = ",";
            }
        bool soa = !random_below(seed, 4);
        at += (size_t)(soa ? snprintf(text + at, 256 - at, "}:soa")
                           : snprintf(text + at, 256 - at, "}:%u", 1u << random_below(seed, 13)));
    }
    if (random_below(seed, 2))
        strcpy(text + at, "/da");
}

static void test_records(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    uint64_t seed = 20261121;
    for (int run = 0; run < 400; run++) {
        made_record made;
        char layout[256];
        hd_remap *map;
        uint64_t count = 1 + random_below(&seed, run % 4 ? 300 : 6000);
        make_record(&seed, &made);
        make_layout(&seed, &made, layout);
        if (hd_remap_layout(&diag, &made.record, layout, count, &map) != HD_OK)
            fail_msg("%s: %s", layout, last.text);
        check_both_ways(map, &seed);
        hd_remap_free(map);
    }
}

/* ---- matrices ------------------------------------------------------------------------------ */

static void test_matrices(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    uint64_t seed = 7;
    hd_status (*const make[])(const hd_diag *, uint64_t, uint64_t, uint32_t, hd_remap **) = {
        hd_remap_transpose, hd_remap_transpose, hd_remap_diagonal, hd_remap_morton};
    for (uint32_t bytes = 1; bytes <= 40; bytes++)
        for (int run = 0; run < 12; run++) {
            hd_remap *map;
            uint64_t rows = 1 + random_below(&seed, run % 3 ? 150 : 20);
            uint64_t columns = 1 + random_below(&seed, run % 4 ? 200 : 20);
            assert_int_equal(make[run % 4](&diag, rows, columns, bytes, &map), HD_OK);
            check_both_ways(map, &seed);
            hd_remap_free(map);
        }
}

/* More than one panel and block, and threads that share panels. */
static void test_large_matrices(void **state) {
    (void)state;
    static const uint64_t sizes[][3] = {{1500, 1100, 1}, {3000, 70, 4},  {40, 20000, 4},
                                        {700, 900, 8},   {513, 515, 16}, {2500, 300, 2},
                                        {1000, 700, 3}};
    heard last = {0};
    hd_diag diag = {hear, &last};
    uint64_t seed = 11;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int diagonal = 0; diagonal < 2; diagonal++) {
            hd_remap *map;
            assert_int_equal((diagonal ? hd_remap_diagonal : hd_remap_transpose)(
                                 &diag, sizes[s][0], sizes[s][1], (uint32_t)sizes[s][2], &map),
                             HD_OK);
            check_options(map, &seed, &(hd_remap_host_options){.threads = 3});
            hd_remap_free(map);
        }
}

/* Larger than the last cache of many machines: written past the caches. */
static void test_streamed(void **state) {
    (void)state;
    static const hd_remap_field fields[] = {{"a", 0, 4, 4}, {"b", 4, 4, 4}, {"c", 8, 4, 4}};
    static const hd_remap_record record = {"abc", 12, 4, fields, 3};
    heard last = {0};
    hd_diag diag = {hear, &last};
    uint64_t seed = 3, count = 2000003;
    hd_remap *map;
    assert_int_equal(hd_remap_layout(&diag, &record, "soa", count, &map), HD_OK);
    check_options(map, &seed, NULL);
    hd_remap_free(map);
}

/* ---- index arrays -------------------------------------------------------------------------- */

static void test_gather(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    uint64_t seed = 5;
    for (uint32_t bytes = 1; bytes <= 40; bytes++) {
        uint64_t elements = 1 + random_below(&seed, 900), count = 1 + random_below(&seed, 2500);
        uint64_t *index = calloc(count, sizeof *index);
        for (uint64_t i = 0; i < count; i++)
            index[i] = random_below(&seed, elements);
        hd_remap *map;
        assert_int_equal(hd_remap_gather(&diag, index, 8, count, elements, bytes, &map), HD_OK);
        check_both_ways(map, &seed);
        hd_remap_free(map);
        free(index);
    }
}

/* Every element to a place of its own among more places. */
static void test_scatter(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    uint64_t seed = 9;
    for (uint32_t bytes = 1; bytes <= 40; bytes++) {
        uint64_t elements = 1 + random_below(&seed, 2000);
        uint64_t places = elements + random_below(&seed, 100);
        uint64_t *index = calloc(places, sizeof *index);
        for (uint64_t i = 0; i < places; i++) {
            uint64_t other = random_below(&seed, i + 1);
            index[i] = index[other];
            index[other] = i;
        }
        hd_remap *map;
        assert_int_equal(hd_remap_scatter(&diag, index, 8, elements, places, bytes, &map), HD_OK);
        check_both_ways(map, &seed);
        hd_remap_free(map);
        free(index);
    }
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void test_refused(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_remap *map;
    char data[64] = {0};
    assert_int_equal(hd_remap_transpose(&diag, 2, 2, 4, &map), HD_OK);
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){data + 8}, data, NULL), HD_EINPUT);
    assert_says(last, "overlap");
    assert_int_equal(hd_remap_revert(&diag, map, data, (const void *[]){data + 15}, NULL),
                     HD_EINPUT);
    assert_says(last, "overlap");
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){data + 16}, data, NULL), HD_OK);
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){NULL}, data, NULL), HD_EINPUT);
    assert_says(last, "NULL");
    assert_int_equal(hd_remap_revert(&diag, map, NULL, (const void *[]){data}, NULL), HD_EINPUT);
    assert_says(last, "NULL");
    hd_remap_simd lacking = has(HD_REMAP_SIMD_NEON) ? HD_REMAP_SIMD_AVX512 : HD_REMAP_SIMD_NEON;
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){data + 16}, data,
                                    &(hd_remap_host_options){.simd = lacking}),
                     HD_EINPUT);
    assert_says(last, "this processor has no");
    hd_remap_free(map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_large_matrices), cmocka_unit_test(test_streamed),
        cmocka_unit_test(test_gather),         cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
