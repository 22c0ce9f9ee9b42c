/*
 * What holds for every map: the host engine does what is done element by element, in any number
 * of threads, with any instruction set, at any alignment; the way back undoes it; no byte outside
 * of the buffers is read or written, and none of the source.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/remap.h"
#include "remap/guarded.h"
#include "remap/maps.h"
#include "remap/random_maps.h"

/* ---- both sides of a map ---------------------------------------------------------------- */

enum { HOLE_A = 0x3c, HOLE_B = 0xa7 }; /* in bytes that hold no element */

/* Memory of a map's source, and of its parts. */
typedef struct sides {
    const hd_remap *map;
    guarded source, *part;
    void **parts; /* [part].data */
} sides;

static guarded new_guarded(dice *d, uint64_t bytes, unsigned char fill) {
    guarded g = guarded_new((size_t)bytes, roll(d, 2) ? 0 : roll(d, 64), (int)roll(d, 2));
    memset(g.data, fill, g.bytes);
    return g;
}

static sides new_sides(dice *d, const hd_remap *map, unsigned char fill) {
    sides s = {.map = map, .source = new_guarded(d, hd_remap_source_bytes(map), fill)};
    uint32_t count = hd_remap_parts(map);
    s.part = calloc(count, sizeof *s.part);
    s.parts = calloc(count, sizeof *s.parts);
    for (uint32_t p = 0; p < count; p++) {
        s.part[p] = new_guarded(d, hd_remap_bytes(map, p), fill);
        s.parts[p] = s.part[p].data;
    }
    return s;
}

static void free_sides(sides *s) {
    guarded_free(&s->source);
    for (uint32_t p = 0; p < hd_remap_parts(s->map); p++)
        guarded_free(&s->part[p]);
    free(s->part);
    free(s->parts);
}

static void assert_whole(const sides *s) {
    assert_true(guarded_is_whole(&s->source));
    for (uint32_t p = 0; p < hd_remap_parts(s->map); p++)
        assert_true(guarded_is_whole(&s->part[p]));
}

static void fill_randomly(dice *d, guarded *g) {
    for (size_t i = 0; i < g->bytes; i++)
        g->data[i] = (unsigned char)roll(d, 256);
}

/* `found` are the bytes of `expected`, but where that has a hole: there it has 0 or what it had. */
static void assert_same(const guarded *found, const guarded *expected, const guarded *with_holes) {
    for (size_t i = 0; i < found->bytes; i++) {
        bool hole = expected->data[i] != with_holes->data[i];
        if (found->data[i] != expected->data[i] && !(hole && found->data[i] == 0))
            fail_msg("byte %zu of %zu is %u, not %u", i, found->bytes, found->data[i],
                     expected->data[i]);
    }
}

/* ---- there and back ----------------------------------------------------------------------- */

/* A map with what is expected of it. */
typedef struct expectation {
    sides slow, holes; /* applied element by element, to parts filled differently */
    guarded back;      /* the source after the way back, of HOLE_A before it */
} expectation;

static expectation expect(dice *d, const hd_remap *map) {
    expectation e = {new_sides(d, map, HOLE_A), new_sides(d, map, HOLE_B),
                     new_guarded(d, hd_remap_source_bytes(map), HOLE_A)};
    fill_randomly(d, &e.slow.source);
    slow_apply(map, e.slow.parts, e.slow.source.data);
    slow_apply(map, e.holes.parts, e.slow.source.data);
    slow_revert(map, e.back.data, e.slow.parts);
    return e;
}

static void free_expectation(expectation *e) {
    free_sides(&e->slow);
    free_sides(&e->holes);
    guarded_free(&e->back);
}

static hd_status apply_and_revert(dice *d, const hd_remap *map, const expectation *e,
                                  const hd_remap_host_options *options) {
    hd_diag diag = {0};
    sides fast = new_sides(d, map, HOLE_A);
    memcpy(fast.source.data, e->slow.source.data, fast.source.bytes);
    guarded_protect(&fast.source, 1);
    hd_status status = hd_remap_apply(&diag, map, fast.parts, fast.source.data, options);
    guarded_protect(&fast.source, 0);
    for (uint32_t p = 0; status == HD_OK && p < hd_remap_parts(map); p++) {
        assert_same(&fast.part[p], &e->slow.part[p], &e->holes.part[p]);
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

/* What came back is what went there. */
static void tell_identity(hd_remap_place place, uint64_t from, size_t bytes, void *user) {
    (void)place;
    const expectation *e = user;
    assert_memory_equal(e->back.data + from, e->slow.source.data + from, bytes);
}

/* With every instruction set, in some number of threads. */
static void check_map(dice *d, const hd_remap *map) {
    expectation e = expect(d, map);
    slow_walk(map, tell_identity, &e);
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
enum { SMALL_MAPS = 10, LARGE_MAPS = 1 };
#else
enum { SMALL_MAPS = 150, LARGE_MAPS = 2 };
#endif

static void test_small_maps(void **state) {
    (void)state;
    check_random_maps(20261121, SMALL_MAPS, 1 << 13);
}

/* Large enough for several threads. */
static void test_large_maps(void **state) {
    (void)state;
    check_random_maps(7, LARGE_MAPS, 12 << 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_maps),
        cmocka_unit_test(test_large_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
