/*
 * What holds for every map: the host engine does what is done element by element, in any number
 * of threads, with any instruction set, at any alignment; the way back undoes it; no byte outside
 * of the buffers is read or written, and none of the source.
 */
#include "remap/remap_host.h"
#include "maps.h"
#include "random_maps.h"
#include "sides.h"

/* ---- there and back ----------------------------------------------------------------------- */

/* As the host engine is told; past the caches, where it would do so for larger data. */
typedef struct way {
    const hd_remap_host_options *options;
    bool streaming;
} way;

static hd_status apply(const way *w, const sides *s) {
    hd_diag diag = {0};
    hd_remap_engine engine;
    if (!w->streaming)
        return hd_remap_apply(&diag, s->map, s->parts, s->source.data, w->options);
    hd_status status = hd_remap_engine_of(&diag, w->options, s->source.bytes, &engine);
    engine.streaming = true;
    return status == HD_OK ? hd_remap_apply_by(&engine, s->map, s->parts, s->source.data) : status;
}

static hd_status revert(const way *w, const sides *s) {
    hd_diag diag = {0};
    hd_remap_engine engine;
    const void *const *parts = (const void *const *)s->parts;
    if (!w->streaming)
        return hd_remap_revert(&diag, s->map, s->source.data, parts, w->options);
    hd_status status = hd_remap_engine_of(&diag, w->options, s->source.bytes, &engine);
    engine.streaming = true;
    return status == HD_OK ? hd_remap_revert_by(&engine, s->map, s->source.data, parts) : status;
}

static hd_status there_and_back(dice *d, const hd_remap *map, const expectation *e, const way *w) {
    sides fast = new_sides(d, map, HOLE_A);
    memcpy(fast.source.data, e->slow.source.data, fast.source.bytes);
    guarded_protect(&fast.source, 1);
    hd_status status = apply(w, &fast);
    guarded_protect(&fast.source, 0);
    for (uint32_t p = 0; status == HD_OK && p < hd_remap_parts(map); p++) {
        assert_same(map, &fast.part[p], &e->slow.part[p], &e->holes.part[p]);
        guarded_protect(&fast.part[p], 1);
    }
    memset(fast.source.data, HOLE_A, fast.source.bytes);
    if (status == HD_OK) {
        assert_int_equal(revert(w, &fast), HD_OK);
        assert_memory_equal(fast.source.data, e->back.data, fast.source.bytes);
    }
    assert_whole(&fast);
    free_sides(&fast);
    return status;
}

/* Threads part the work alike with every instruction set: theirs is looked at with the one whose
 * functions are sanitized, and with the best one where nothing is asked for. */
#ifdef __SANITIZE_THREAD__
static const hd_remap_simd first_set = HD_REMAP_SIMD_NONE, last_set = HD_REMAP_SIMD_NONE;
#else
static const hd_remap_simd first_set = HD_REMAP_SIMD_BEST, last_set = HD_REMAP_SIMD_NEON;
#endif

/* With every instruction set, in some number of threads. */
static void check_map(dice *d, const hd_remap *map) {
    expectation e = expect(d, map);
    assert_int_equal(there_and_back(d, map, &e, &(way){NULL, false}), HD_OK);
    for (hd_remap_simd simd = first_set; simd <= last_set; simd++)
        for (int streaming = 0; streaming < 2; streaming++) {
            hd_remap_host_options options = {1 + roll(d, 4), simd};
            hd_status status = there_and_back(d, map, &e, &(way){&options, streaming});
            if (simd <= HD_REMAP_SIMD_NONE)
                assert_int_equal(status, HD_OK);
            else
                assert_true(status == HD_OK || status == HD_EINPUT); /* not in this processor */
        }
    free_expectation(&e);
}

/* `count` maps of each kind whose sources have from `least` bytes to about `most`. */
static void check_random_maps(uint64_t seed, unsigned count, uint64_t least, uint64_t most) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    for (hd_remap_kind kind = 0; kind < MAP_KINDS; kind++)
        for (unsigned checked = 0; checked < count;) {
            dice d = {seed++ * HD_RANDOM_STEP};
            hd_remap *map;
            if (random_map(&diag, &d, kind, most, &map) != HD_OK)
                fail_msg("kind %d, seed %llu: %s", kind, (unsigned long long)seed, last.text);
            if (hd_remap_source_bytes(map) >= least) {
                check_map(&d, map);
                checked++;
            }
            hd_remap_free(map);
        }
}

/* Of each kind; sanitizers are slow, that of threads most, and maps below a megabyte have one
 * thread. */
#ifdef __SANITIZE_THREAD__
enum {
    SMALL_MAPS = 0,
    NUMBER_TURNS = 0,
    MIDDLE_MAPS = 0,
    LARGE_MAPS = 1,
    FEW_ROWS = 1,
    LARGE_BYTES = 3 << 20,
    MATRICES_STEP = 2,
    STREAMED = 400003
};
#elif defined __SANITIZE_ADDRESS__
enum {
    SMALL_MAPS = 50,
    NUMBER_TURNS = 2,
    MIDDLE_MAPS = 7,
    LARGE_MAPS = 1,
    FEW_ROWS = 3,
    LARGE_BYTES = 6 << 20,
    MATRICES_STEP = 1,
    STREAMED = 2000003
};
#else
enum {
    SMALL_MAPS = 150,
    NUMBER_TURNS = 6,
    MIDDLE_MAPS = 20,
    LARGE_MAPS = 2,
    FEW_ROWS = 3,
    LARGE_BYTES = 12 << 20,
    MATRICES_STEP = 1,
    STREAMED = 2000003
};
#endif

static void test_small_maps(void **state) {
    (void)state;
    check_random_maps(20261121, SMALL_MAPS, 1, 1 << 13);
}

/* Of several blocks of the engine's. */
static void test_middle_maps(void **state) {
    (void)state;
    check_random_maps(20261122, MIDDLE_MAPS, 1 << 16, 1 << 18);
}

/* "{f0,...}:tile" of fields `begin` to `end` - 1. */
static size_t print_cluster(dice *d, char *to, uint32_t begin, uint32_t end) {
    static const char *const tiles[] = {"soa", "8", "16", "32", "256", "1024"};
    size_t at = 0;
    for (uint32_t f = begin; f < end; f++)
        at += (size_t)sprintf(to + at, "%cf%u", f == begin ? '{' : ',', f);
    return at + (size_t)sprintf(to + at, "}:%s", tiles[roll(d, 6)]);
}

/* Words, whose lines vector functions take whole, in one cluster or two. */
static hd_status equal_words(const hd_diag *diag, dice *d, hd_remap **map) {
    equal_record e;
    char layout[160];
    uint32_t count = 2 + roll(d, 16), bytes = 1u << roll(d, 5);
    uint32_t first = roll(d, 2) ? count : 1 + roll(d, count - 1);
    make_equal(&e, count, bytes);
    size_t at = print_cluster(d, layout, 0, first);
    if (first < count)
        print_cluster(d, layout + at, first, count);
    return hd_remap_layout(diag, &e.record, layout, 1 + roll(d, roll(d, 2) ? 1500 : 5000), map);
}

static void test_equal_words(void **state) {
    heard last = {0};
    hd_diag diag = {hear, &last};
    (void)state;
    for (uint64_t seed = 1; seed <= SMALL_MAPS * 3; seed++) {
        dice d = {seed * HD_RANDOM_STEP};
        hd_remap *map;
        if (equal_words(&diag, &d, &map) != HD_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, last.text);
        check_map(&d, map);
        hd_remap_free(map);
    }
}

/* Records of each number of words of each size, since some numbers have functions of their own.
 * Some times each, since what is taken depends on where the records begin. */
static void test_each_number_of_words(void **state) {
    (void)state;
    for (uint32_t turn = 0; turn < NUMBER_TURNS; turn++)
        for (uint32_t bytes = 1; bytes <= 16; bytes *= 2)
            for (uint32_t count = 2; count <= 16; count++) {
                dice d = {(turn * 512 + bytes * 17 + count) * HD_RANDOM_STEP};
                equal_record e;
                hd_remap *map;
                make_equal(&e, count, bytes);
                assert_int_equal(hd_remap_layout(NULL, &e.record, turn % 2 ? "soa" : "aosoa:64",
                                                 200 + roll(&d, 300), &map),
                                 HD_OK);
                check_map(&d, map);
                hd_remap_free(map);
            }
}

/* Matrices of words, whose runs and panels are short or long, and begin with lines or anywhere. */
static void test_matrices_of_words(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SMALL_MAPS; seed++) {
        dice d = {seed * HD_RANDOM_STEP};
        uint32_t bytes = 1u << roll(&d, 5), group = 64 / bytes * (1 + roll(&d, 3));
        uint64_t rows = 1 + roll(&d, 400), columns = 1 + roll(&d, 700);
        hd_remap *map;
        if (roll(&d, 3) == 0)
            rows = (rows + group - 1) / group * group;
        assert_int_equal(hd_remap_transpose(NULL, rows, columns, bytes, &map), HD_OK);
        check_map(&d, map);
        hd_remap_free(map);
    }
}

/* In the one way that these options ask for. */
static void check_once(uint64_t seed, hd_status made, hd_remap *map,
                       const hd_remap_host_options *options) {
    dice d = {seed * HD_RANDOM_STEP};
    assert_int_equal(made, HD_OK);
    expectation e = expect(&d, map);
    assert_int_equal(there_and_back(&d, map, &e, &(way){options, false}), HD_OK);
    free_expectation(&e);
    hd_remap_free(map);
}

/* More than one panel and block, and threads that share panels. */
static void test_large_matrices(void **state) {
    (void)state;
    static const uint64_t sizes[][3] = {{1500, 1100, 1}, {3000, 70, 4},  {40, 20000, 4},
                                        {700, 900, 8},   {513, 515, 16}, {2500, 300, 2},
                                        {1000, 700, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s += MATRICES_STEP)
        for (int diagonal = 0; diagonal < 2; diagonal++) {
            hd_remap *map;
            hd_status made = (diagonal ? hd_remap_diagonal : hd_remap_transpose)(
                NULL, sizes[s][0], sizes[s][1], (uint32_t)sizes[s][2], &map);
            check_once(s + 1, made, map, &(hd_remap_host_options){.threads = 3});
        }
}

/* Larger than the last cache of many machines: written past the caches. */
static void test_streamed(void **state) {
    (void)state;
    equal_record e;
    hd_remap *map;
    make_equal(&e, 3, 4);
    hd_status made = hd_remap_layout(NULL, &e.record, "soa", STREAMED, &map);
    check_once(3, made, map, NULL);
}

/* For several threads. */
static void test_large_maps(void **state) {
    (void)state;
    static const uint64_t few_rows[3][3] = {{250, 3001, 4}, {137, 2053, 8}, {100, 8009, 4}};
    for (size_t s = 0; s < FEW_ROWS; s++) {
        dice d = {(s + 1) * HD_RANDOM_STEP};
        hd_remap *map;
        assert_int_equal(hd_remap_transpose(NULL, few_rows[s][0], few_rows[s][1],
                                            (uint32_t)few_rows[s][2], &map),
                         HD_OK);
        check_map(&d, map);
        hd_remap_free(map);
    }
    check_random_maps(20261123, LARGE_MAPS, LARGE_BYTES / 3, LARGE_BYTES);
}

/* ---- what is refused ----------------------------------------------------------------------- */

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

/* What else is refused shows test_arguments.c. */
static void test_refused(void **state) {
    (void)state;
    heard last = {0};
    hd_diag diag = {hear, &last};
    hd_remap *map;
    char data[64] = {0};
    assert_int_equal(hd_remap_transpose(&diag, 2, 2, 4, &map), HD_OK);
    assert_int_equal(hd_remap_revert(&diag, map, data, (const void *[]){data + 15}, NULL),
                     HD_EINPUT);
    assert_says(last, "overlap");
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){data + 16}, data, NULL), HD_OK);
    hd_remap_simd lacking = has(HD_REMAP_SIMD_NEON) ? HD_REMAP_SIMD_AVX512 : HD_REMAP_SIMD_NEON;
    assert_int_equal(hd_remap_apply(&diag, map, (void *[]){data + 16}, data,
                                    &(hd_remap_host_options){.simd = lacking}),
                     HD_EINPUT);
    assert_says(last, "this processor has no");
    hd_remap_free(map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_maps),
        cmocka_unit_test(test_middle_maps),
        cmocka_unit_test(test_equal_words),
        cmocka_unit_test(test_matrices_of_words),
        cmocka_unit_test(test_each_number_of_words),
        cmocka_unit_test(test_large_maps),
        cmocka_unit_test(test_large_matrices),
        cmocka_unit_test(test_streamed),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
