/* Both sides of a map in guarded memory, and what is expected there. */
#ifndef HD_TESTS_REMAP_SIDES_H
#define HD_TESTS_REMAP_SIDES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "layout/random_record.h"
#include "oracle/remap.h"
#include "guarded.h"

enum { HOLE_A = 0x3c, HOLE_B = 0xa7 }; /* in bytes that hold no element */

/* Memory of a map's source, and of its parts. */
typedef struct sides {
    const hd_remap *map;
    guarded source, *part;
    void **parts; /* [part].data */
} sides;

static inline guarded new_guarded(dice *d, uint64_t bytes, unsigned char fill) {
    guarded g = guarded_new((size_t)bytes, roll(d, 2) ? 0 : roll(d, 64), (int)roll(d, 2));
    memset(g.data, fill, g.bytes);
    return g;
}

static inline sides new_sides(dice *d, const hd_remap *map, unsigned char fill) {
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

static inline void free_sides(sides *s) {
    guarded_free(&s->source);
    for (uint32_t p = 0; p < hd_remap_parts(s->map); p++)
        guarded_free(&s->part[p]);
    free(s->part);
    free(s->parts);
}

static inline void assert_whole(const sides *s) {
    assert_true(guarded_is_whole(&s->source));
    for (uint32_t p = 0; p < hd_remap_parts(s->map); p++)
        assert_true(guarded_is_whole(&s->part[p]));
}

static inline void fill_randomly(dice *d, guarded *g) {
    for (size_t i = 0; i < g->bytes; i += 3) {
        uint32_t three = roll(d, 1 << 24);
        memcpy(g->data + i, &three, g->bytes - i < 3 ? g->bytes - i : 3);
    }
}

/* `found` are the bytes of `expected`, but where that has a hole: there it has what it had or,
 * except of a scatter, 0. */
static inline void assert_same(const hd_remap *map, const guarded *found, const guarded *expected,
                               const guarded *with_holes) {
    bool may_be_zero = map->kind != HD_REMAP_SCATTER;
    for (size_t i = 0; i < found->bytes; i++) {
        bool hole = expected->data[i] != with_holes->data[i];
        if (found->data[i] != expected->data[i] && !(hole && may_be_zero && found->data[i] == 0))
            fail_msg("byte %zu of %zu is %u, not %u", i, found->bytes, found->data[i],
                     expected->data[i]);
    }
}

/* ---- what is expected of a map ------------------------------------------------------------ */

/* A map with what is expected of it. */
typedef struct expectation {
    sides slow, holes; /* applied element by element, to parts filled differently */
    guarded back;      /* the source after the way back, of HOLE_A before it */
} expectation;

static inline void go_to_both(hd_remap_place place, uint64_t from, size_t bytes, void *user) {
    const expectation *e = user;
    memcpy(e->slow.part[place.part].data + place.offset, e->slow.source.data + from, bytes);
    memcpy(e->holes.part[place.part].data + place.offset, e->slow.source.data + from, bytes);
}

/* What comes back is what went there. */
static inline void come_back(hd_remap_place place, uint64_t from, size_t bytes, void *user) {
    const expectation *e = user;
    unsigned char *came = e->back.data + from, *went = e->slow.source.data + from;
    memcpy(came, e->slow.part[place.part].data + place.offset, bytes);
    if (memcmp(came, went, bytes)) /* which takes a tenth of the time */
        assert_memory_equal(came, went, bytes);
}

/* As slow_apply() and slow_revert() do it, which take most of the time: both sides in one walk, and
 * the way back looked at in another. */
static inline expectation expect(dice *d, const hd_remap *map) {
    expectation e = {
        new_sides(d, map, HOLE_A), new_sides(d, map, HOLE_B),
        new_guarded(d, hd_remap_source_bytes(map), map->kind == HD_REMAP_RECORDS ? 0 : HOLE_A)};
    fill_randomly(d, &e.slow.source);
    slow_walk(map, go_to_both, &e);
    slow_walk(map, come_back, &e);
    return e;
}

static inline void free_expectation(expectation *e) {
    free_sides(&e->slow);
    free_sides(&e->holes);
    guarded_free(&e->back);
}

#endif
