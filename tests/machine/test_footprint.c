/*
 * Whether two blocks touch a byte, compared with all bytes that they touch, one by one: random sums, as
 * of tiles in a matrix with a pitch, and wild ones; and touches before and after they are folded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "machine/footprint.h"

static uint64_t seed;
static int64_t below(int64_t n) { return (int64_t)(hd_next_random(&seed) % (uint64_t)n); }

/* ---- byte by byte --------------------------------------------------------------------------- */

/* Which blocks touch a byte: a bit for each. */
enum { RANGE = 1 << 16, MIDDLE = RANGE / 2, MOST_BLOCKS = 32 };
typedef uint32_t bytes[RANGE];

typedef struct point {
    const vm_touch *touch;
    int64_t offset;
    uint64_t ids[3];
    uint32_t bit;
    uint32_t *to; /* RANGE of them */
} point;

/* `number` has what axes before `axis` of the sum give. */
static void go(const point *p, uint32_t sum, uint32_t axis, int64_t number, int64_t at) {
    const vm_sum *s = &p->touch->sums[sum];
    if (sum == p->touch->sum_count) {
        for (uint32_t b = 0; b < p->touch->width; b++) {
            int64_t byte = at + b + MIDDLE;
            assert_true(byte >= 0 && byte < RANGE);
            p->to[byte] |= p->bit;
        }
        return;
    }
    if (axis == 0)
        for (uint32_t d = 0; d < 3; d++)
            number += s->step[d] * (int64_t)p->ids[d];
    if (axis < s->axis_count) {
        for (int64_t n = 0; n <= s->axes[axis].most; n++)
            go(p, sum, axis + 1, number + s->axes[axis].stride * n, at);
        return;
    }
    if (sum == 0 || (number >= s->low && number <= s->high))
        go(p, sum + 1, 0, 0, at + s->times * number);
}

static void touch_bytes(const vm_touch *t, int64_t offset, const uint64_t groups[3], uint32_t *to) {
    point p = {.touch = t, .offset = offset, .bit = 1, .to = to};
    for (p.ids[2] = 0; p.ids[2] < groups[2]; p.ids[2]++)
        for (p.ids[1] = 0; p.ids[1] < groups[1]; p.ids[1]++)
            for (p.ids[0] = 0; p.ids[0] < groups[0]; p.ids[0]++, p.bit <<= 1)
                go(&p, 0, 0, 0, t->at + offset);
}

static bool bytes_meet(const bytes a, const bytes b) {
    for (int i = 0; i < RANGE; i++)
        if (a[i] && b[i] && ((a[i] & (a[i] - 1)) || a[i] != b[i]))
            return true;
    return false;
}

/* ---- random touches ------------------------------------------------------------------------- */

static void add_axis(vm_sum *s, int64_t stride, int64_t most) {
    uint32_t at = s->axis_count;
    if (most <= 0)
        return;
    for (uint32_t i = 0; i < s->axis_count; i++)
        if (s->axes[i].stride == stride)
            return;
    for (; at && s->axes[at - 1].stride > stride; at--)
        s->axes[at] = s->axes[at - 1];
    s->axes[at] = (vm_axis){stride, most};
    s->axis_count++;
}

/* A tile of a matrix, or a row or column of one; columns and rows may be clipped. */
typedef struct matrix {
    int64_t element, pitch, width, height; /* of a tile, in elements */
} matrix;

static void clip(vm_touch *t, vm_sum *s, const uint64_t groups[3]) {
    for (uint32_t d = 0; d < 3; d++) {
        int64_t far = s->step[d] * (int64_t)(groups[d] - 1);
        s->low += far < 0 ? far : 0;
        s->high += far > 0 ? far : 0;
    }
    for (uint32_t i = 0; i < s->axis_count; i++)
        s->high += s->axes[i].stride * s->axes[i].most;
    int64_t first = below(2), last = below(3);
    if (s->low + first < s->high - last && below(2)) {
        s->low += first;
        s->high -= last;
        t->sum_count++;
    } else { /* a part of the first one */
        for (uint32_t d = 0; d < 3; d++)
            t->sums[0].step[d] += s->times * s->step[d];
        for (uint32_t i = 0; i < s->axis_count; i++)
            add_axis(&t->sums[0], s->times * s->axes[i].stride, s->axes[i].most);
        memset(s, 0, sizeof *s);
    }
}

static vm_touch tile_of(const matrix *m, const uint64_t groups[3]) {
    vm_touch t = {.sum_count = 1, .width = (uint32_t)m->element, .writes = below(2)};
    t.sums[0].times = 1;
    int64_t corner = below(3) * m->width + below(3) * m->height * m->pitch + below(8) / 7;
    t.at = m->element * corner;
    vm_sum *x = &t.sums[t.sum_count];
    x->times = m->element;
    x->step[0] = below(5) ? m->width : 0;
    add_axis(x, 1, below(4) ? m->width - 1 : 0);
    clip(&t, x, groups);
    vm_sum *y = &t.sums[t.sum_count];
    y->times = m->element * m->pitch;
    y->step[1] = below(5) ? m->height : 0;
    y->step[0] = below(8) ? 0 : below(2) ? m->height : -1;
    add_axis(y, 1, below(4) ? m->height - 1 : 0);
    clip(&t, y, groups);
    return t;
}

static vm_touch wild(void) {
    static const int64_t strides[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 60, 64, 100, 128};
    enum { STRIDES = sizeof strides / sizeof *strides };
    vm_touch t = {.sum_count = 1 + (uint32_t)below(VM_SUMS), .width = 1U << below(4)};
    t.writes = below(2);
    t.at = below(100);
    for (uint32_t i = 0; i < t.sum_count; i++) {
        vm_sum *s = &t.sums[i];
        s->times = i ? (1 + below(9)) * (below(4) ? 1 : -1) : 1;
        for (uint32_t d = 0; d < 3; d++)
            s->step[d] = below(3) ? 0 : strides[below(STRIDES)] * (below(4) ? 1 : -1);
        for (int64_t a = below(3); a > 0; a--)
            add_axis(s, strides[below(STRIDES)], below(5));
        if (i) {
            s->low = -below(20);
            s->high = s->low + below(60);
        }
    }
    return t;
}

typedef struct score {
    unsigned apart, found; /* pairs without a byte in common, and those that were said to be such */
} score;

static void check_pair(const vm_touch *a, const vm_touch *b, int64_t offset,
                       const uint64_t groups[3], score *s) {
    static bytes of_a, of_b;
    uint32_t steps = 10000;
    bool met = vm_touches_meet(a, b, offset, groups, &steps);
    memset(of_a, 0, sizeof of_a);
    memset(of_b, 0, sizeof of_b);
    touch_bytes(a, 0, groups, of_a);
    touch_bytes(b, offset, groups, of_b);
    bool truth = bytes_meet(of_a, of_b);
    if (truth && !met)
        fail_msg("blocks meet, and are said to be apart");
    s->apart += !truth;
    s->found += !met;
    steps = 10000;
    assert_int_equal(vm_touches_meet(b, a, -offset, groups, &steps), met);
    steps = 0; /* then nothing is known, but where it shows at once */
    assert_true(vm_touches_meet(a, b, offset, groups, &steps) || !met);
}

static void test_tiles(void **state) {
    (void)state;
    score all = {0}, own = {0};
    seed = 1;
    for (int round = 0; round < 3000; round++) {
        matrix m = {.element = 1 << below(4), .width = 1 + below(5), .height = 1 + below(4)};
        const uint64_t groups[3] = {1 + (uint64_t)below(4), 1 + (uint64_t)below(4), 1};
        m.pitch = m.width * (int64_t)groups[0] + below(4) * m.width - below(3);
        m.pitch = m.pitch < 1 ? 1 : m.pitch;
        vm_touch a = tile_of(&m, groups), b = tile_of(&m, groups);
        check_pair(&a, &b, m.element * below(3) * m.pitch, groups, &all);
        check_pair(&a, &a, 0, groups, &own);
    }
    assert_true(all.apart > 500 && all.found > all.apart * 8 / 10);
    assert_true(own.apart > 500 && own.found > own.apart * 9 / 10);
}

static void test_wild(void **state) {
    (void)state;
    score all = {0};
    seed = 2;
    for (int round = 0; round < 3000; round++) {
        const uint64_t groups[3] = {1 + (uint64_t)below(4), 1 + (uint64_t)below(3),
                                    1 + (uint64_t)below(2)};
        vm_touch a = wild(), b = wild();
        check_pair(&a, below(4) ? &b : &a, below(4) ? below(4000) - 2000 : 0, groups, &all);
    }
    assert_true(all.apart > 500 && all.found > all.apart / 2);
}

/* One dimension, or the same steps in all: what is said is right either way. */
static void test_exact(void **state) {
    (void)state;
    score all = {0};
    seed = 3;
    for (int round = 0; round < 3000; round++) {
        const uint64_t groups[3] = {2 + (uint64_t)below(12), 1, 1};
        vm_touch a = wild(), b = wild();
        a.sum_count = b.sum_count = 1;
        memset(a.sums + 1, 0, 2 * sizeof *a.sums);
        memset(b.sums + 1, 0, 2 * sizeof *b.sums);
        memcpy(b.sums[0].step, a.sums[0].step, sizeof a.sums[0].step);
        check_pair(&a, &b, below(4) ? below(400) - 200 : 0, groups, &all);
    }
    assert_true(all.apart > 500);
    assert_int_equal(all.found, all.apart);
}

/* ---- folded touches --------------------------------------------------------------------------- */

static void test_fold(void **state) {
    (void)state;
    enum { MOST = 40 };
    static bytes all[2], folded[2]; /* touched; written */
    const uint64_t groups[3] = {3, 2, 1};
    unsigned before = 0, after = 0;
    seed = 4;
    for (int round = 0; round < 300; round++) {
        vm_touch t[MOST];
        uint32_t count = 0;
        while (count < MOST - 8) {
            vm_touch one = wild();
            int64_t apart = below(40);
            for (int64_t k = below(8); k >= 0; k--, one.at += apart)
                t[count++] = one;
            t[count - 1].writes ^= below(4) == 0;
        }
        memset(all, 0, sizeof all);
        memset(folded, 0, sizeof folded);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t w = 0; w <= t[i].writes; w++)
                touch_bytes(&t[i], 0, groups, all[w]);
        uint32_t left = vm_fold_touches(t, count);
        for (uint32_t i = 0; i < left; i++)
            for (uint32_t w = 0; w <= t[i].writes; w++)
                touch_bytes(&t[i], 0, groups, folded[w]);
        assert_memory_equal(all, folded, sizeof all);
        before += count;
        after += left;
    }
    assert_true(after < before * 2 / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles), cmocka_unit_test(test_wild),
                                       cmocka_unit_test(test_exact), cmocka_unit_test(test_fold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
