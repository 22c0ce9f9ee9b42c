/* The stack of lines by itself, with what it keeps to itself: accesses whose distances are known by
 * construction, and many at random against tests/oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stack_distance.c"
#include "oracle/stack.h"

/* Every sum is that of the bits below it. */
static bool sums_agree(const line_stack *s) {
    uint64_t block = 0, super = 0, top = 0, all = 0;
    for (uint64_t w = 0; w < s->slots / 64; w++) {
        uint64_t marks = popcount(s->bits[w]), end = (w + 1) * 64;
        block += marks;
        super += marks;
        top += marks;
        all += marks;
        if (end % (1 << BLOCK_BITS) == 0 && block != s->blocks[w * 64 >> BLOCK_BITS])
            return false;
        if ((end % (1 << SUPER_BITS) == 0 || end == s->slots) &&
            super != s->supers[w * 64 >> SUPER_BITS])
            return false;
        if ((end % (1 << TOP_BITS) == 0 || end == s->slots) && top != s->tops[w * 64 >> TOP_BITS])
            return false;
        block = end % (1 << BLOCK_BITS) ? block : 0;
        super = end % (1 << SUPER_BITS) ? super : 0;
        top = end % (1 << TOP_BITS) ? top : 0;
    }
    return all == s->footprint;
}

/* Whether everything that it keeps twice agrees. */
static bool is_consistent(const line_stack *stack) {
    uint64_t lines = 0, used = 0;
    for (uint64_t i = 0; i < bucket_count(stack); i++) {
        used += stack->buckets[i].key != 0;
        for (uint32_t l = 0; l < BUCKET_LINES; l++) {
            uint64_t slot = stack->buckets[i].slot[l];
            if (!slot)
                continue;
            lines++;
            if (slot > stack->now || !(stack->bits[(slot - 1) >> 6] >> ((slot - 1) & 63) & 1))
                return false;
        }
    }
    return lines == stack->footprint && used == stack->buckets_used && sums_agree(stack);
}

static stack_room any_room = {.most = UINT64_MAX};

/* Accesses that are given to a stack alone. */
typedef struct feed {
    line_stack *stack;
    line_batch batch;
} feed;

static void give_part(feed *f, uint64_t line, bool begins) {
    f->batch.line[f->batch.count] = line;
    f->batch.begins[f->batch.count++] = begins;
    if (f->batch.count == STACK_BATCH) {
        line_stack_serve(f->stack, &f->batch);
        f->batch.count = 0;
    }
}

/* A request of one line. */
static void give(feed *f, uint64_t line) { give_part(f, line, true); }

static void finish(feed *f) {
    line_stack_serve(f->stack, &f->batch);
    f->batch.count = 0;
    assert_true(is_consistent(f->stack));
    assert_false(line_stack_overflowed(f->stack));
}

/* Round and round over n lines: every distance is n. */
static void rounds(void **state) {
    (void)state;
    static feed f;
    f.stack = line_stack_new(&any_room);
    for (uint64_t n = 1; n < 1200000; n = n * 7 + 2) {
        for (int round = 0; round < 3; round++)
            for (uint64_t line = 0; line < n; line++)
                give(&f, line * (n % 3 ? 1 : 1000003));
        finish(&f);
        assert_int_equal(line_stack_footprint(f.stack), n);
        for (uint64_t d = 1; d < n; d++)
            assert_int_equal(line_stack_counts(f.stack)[d], 0);
        assert_int_equal(line_stack_counts(f.stack)[n], 2 * n);
        line_stack_reset(f.stack);
        assert_int_equal(line_stack_footprint(f.stack), 0);
        assert_true(is_consistent(f.stack));
    }
    line_stack_free(f.stack);
}

/* To and fro over n lines: distances 1 to n, one of each in each direction. */
static void check_to_and_fro(bool plain) {
    static feed f;
    enum { LINES = 150000, TIMES = 4 };
    f.stack = line_stack_new(&any_room);
    if (plain)
        f.stack->serve = serve_anywhere;
    for (int time = 0; time < TIMES; time++)
        for (uint64_t i = 0; i < LINES; i++)
            give(&f, time % 2 ? LINES - 1 - i : i);
    finish(&f);
    for (uint64_t d = 1; d <= LINES; d++)
        assert_int_equal(line_stack_counts(f.stack)[d], TIMES - 1);
    line_stack_free(f.stack);
}

static void to_and_fro(void **state) {
    (void)state;
    check_to_and_fro(false);
    check_to_and_fro(true);
}

/* At random over a few thousand lines, in requests that name lines again and again, for as
 * long as the axis is renumbered several times. */
static void many_at_random(void **state) {
    (void)state;
    static feed f;
    enum { LINES = 2000, COUNT = 200000, REQUEST = 200 };
    oracle_list list = {0};
    oracle_stack oracle = {.lists = &list, .list_count = 1};
    uint64_t seen[REQUEST];
    size_t count = 0, at;
    f.stack = line_stack_new(&any_room);
    srandom(2);
    for (int i = 0; i < COUNT; i++) {
        uint64_t line = (uint64_t)(random() % (i % 4 ? LINES : 20)) * (uint64_t)0x123456789;
        count = i % REQUEST ? count : 0;
        give_part(&f, line, count == 0);
        for (at = 0; at < count && seen[at] != line;)
            at++;
        if (at < count)
            continue;
        seen[count++] = line;
        oracle_access(&oracle, line);
    }
    finish(&f);
    assert_int_equal(line_stack_footprint(f.stack), list.count);
    for (uint64_t d = 1; d <= list.count && d < oracle.capacity; d++)
        assert_int_equal(line_stack_counts(f.stack)[d], oracle.counts[d]);
    line_stack_free(f.stack);
    free(list.line);
    free(oracle.counts);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds), cmocka_unit_test(to_and_fro),
                                       cmocka_unit_test(many_at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
