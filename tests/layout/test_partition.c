/* Partitions against a recursive oracle and the Bell numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "oracle/partition.h"

/* The oracle: puts element `at` into each block there is and into a new one,
 * and compares each complete string with the next one of the walk. */
typedef struct oracle {
    partition walk;
    bool more;
    uint64_t seen;
    uint8_t blocks[HD_MAX_FIELDS];
} oracle;

static void place_element(oracle *o, uint32_t at, uint32_t used) {
    if (at == o->walk.n) {
        assert_true(o->more);
        assert_memory_equal(o->walk.rgs, o->blocks, at);
        assert_int_equal(o->walk.blocks, used);
        o->more = partition_next(&o->walk);
        o->seen++;
        return;
    }
    for (uint32_t block = 0; block <= used; block++) {
        o->blocks[at] = (uint8_t)block;
        place_element(o, at + 1, block == used ? used + 1 : used);
    }
}

static void walk_gives_every_partition_once_in_order(void **state) {
    (void)state;
    const uint64_t bell[] = {1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975};
    for (uint32_t n = 1; n <= 10; n++) {
        oracle o = {.more = true};
        partition_first(&o.walk, n);
        place_element(&o, 0, 0);
        assert_false(o.more);
        assert_int_equal(o.seen, bell[n]);
        assert_int_equal(o.seen, bell_number(n));
    }
}

static void prefix_maxima_stay_true(void **state) {
    (void)state;
    partition p;
    partition_first(&p, 7);
    do {
        uint8_t largest = 0;
        for (uint32_t i = 0; i < p.n; i++) {
            assert_true(p.rgs[i] <= (i ? largest + 1 : 0));
            largest = p.rgs[i] > largest ? p.rgs[i] : largest;
            assert_int_equal(p.prefix_max[i], largest);
        }
    } while (partition_next(&p));
}

static void many_fields_can_be_walked(void **state) {
    (void)state;
    partition p;
    partition_first(&p, HD_MAX_FIELDS);
    for (int i = 0; i < 100000; i++)
        assert_true(partition_next(&p));
    for (uint32_t i = 0; i < HD_MAX_FIELDS; i++)
        p.rgs[i] = p.prefix_max[i] = (uint8_t)i;
    assert_false(partition_next(&p));
}

static void bell_numbers(void **state) {
    (void)state;
    assert_int_equal(bell_number(0), 1);
    assert_int_equal(bell_number(12), 4213597);
    assert_int_equal(bell_number(20), 51724158235372);
    assert_true(bell_number(25) == 4638590332229999353u);
    assert_int_equal(bell_number(26), 0);
    assert_int_equal(bell_number(UINT32_MAX), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walk_gives_every_partition_once_in_order),
        cmocka_unit_test(prefix_maxima_stay_true),
        cmocka_unit_test(many_fields_can_be_walked),
        cmocka_unit_test(bell_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
