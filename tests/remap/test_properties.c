/*
 * What holds for every map: the host engine does what is done element by element, in any number
 * of threads, with any instruction set, at any alignment; the way back undoes it; no byte outside
 * of the buffers is read or written, and none of the source.
 */
#include "remap/maps.h"
#include "remap/random_maps.h"
#include "remap/sides.h"

/* ---- there and back ----------------------------------------------------------------------- */

static hd_status apply_and_revert(dice *d, const hd_remap *map, const expectation *e,
                                  const hd_remap_host_options *options) {
    hd_diag diag = {0};
    sides fast = new_sides(d, map, HOLE_A);
    memcpy(fast.source.data, e->slow.source.data, fast.source.bytes);
    guarded_protect(&fast.source, 1);
    hd_status status = hd_remap_apply(&diag, map, fast.parts, fast.source.data, options);
    guarded_protect(&fast.source, 0);
    for (uint32_t p = 0; status == HD_OK && p < hd_remap_parts(map); p++) {
        assert_same(map, &fast.part[p], &e->slow.part[p], &e->holes.part[p]);
        guarded_protect(&fast.part[p], 1);
    }
    memset(fast.source.data, HOLE_A, fast.source.bytes);
    if (status == HD_OK) {
        assert_int_equal(
            hd_remap_revert(&diag, map, fast.source.data, (const void *const *)fast.parts, options),
            HD_OK);
        assert_memory_equal(fast.source.data, e->back.data, fast.source.bytes);
    }
    assert_whole(&fast);
    free_sides(&fast);
    return status;
}

/* With every instruction set, in some number of threads. */
static void check_map(dice *d, const hd_remap *map) {
    expectation e = expect(d, map);
    assert_int_equal(apply_and_revert(d, map, &e, NULL), HD_OK);
    for (hd_remap_simd simd = HD_REMAP_SIMD_BEST; simd <= HD_REMAP_SIMD_NEON; simd++) {
        hd_status status =
            apply_and_revert(d, map, &e, &(hd_remap_host_options){1 + roll(d, 4), simd});
        if (simd <= HD_REMAP_SIMD_NONE)
            assert_int_equal(status, HD_OK);
        else
            assert_true(status == HD_OK || status == HD_EINPUT); /* not in this processor */
    }
    free_expectation(&e);
}

/* `count` maps of each kind, from seed `seed`. */
static void check_random_maps(uint64_t seed, unsigned count, uint64_t most_bytes) {
    for (hd_remap_kind kind = 0; kind < MAP_KINDS; kind++)
        for (unsigned i = 0; i < count; i++) {
            heard last = {0};
            hd_diag diag = {hear, &last};
            dice d = {(seed + kind * 1000 + i) * HD_RANDOM_STEP};
            hd_remap *map;
            if (random_map(&diag, &d, kind, most_bytes, &map) != HD_OK)
                fail_msg("kind %d, map %u: %s", kind, i, last.text);
            check_map(&d, map);
            hd_remap_free(map);
        }
}

/* Of each kind; the thread sanitizer is slow, and small maps have one thread. */
#ifdef __SANITIZE_THREAD__
enum { SMALL_MAPS = 10, LARGE_MAPS = 1, LARGE_BYTES = 5 << 20 };
#else
enum { SMALL_MAPS = 150, LARGE_MAPS = 2, LARGE_BYTES = 12 << 20 };
#endif

static void test_small_maps(void **state) {
    (void)state;
    check_random_maps(20261121, SMALL_MAPS, 1 << 13);
}

/* Large enough for several threads. */
static void test_large_maps(void **state) {
    (void)state;
    check_random_maps(7, LARGE_MAPS, LARGE_BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_maps),
        cmocka_unit_test(test_large_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
