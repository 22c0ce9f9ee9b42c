/*
 * Orders of elements and threads: what they are made of is what the program gave, in whatever form;
 * the traffic that is expected is that of a count warp by warp; files bring back what was saved.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "layout/random_record.h"
#include "mapping/mapping.h"
#include "maps.h"

enum { NONE = -1 };

static const hd_diag quiet = {0};

static void assert_order(const uint32_t *order, uint64_t count) {
    uint64_t bad;
    if (!hd_is_permutation(order, count, &bad))
        fail_msg("place %llu has %u", (unsigned long long)bad, order[bad]);
}

/* ---- lists -------------------------------------------------------------------------------- */

/* The same lists as 32-bit and 64-bit numbers. */
typedef struct both {
    uint32_t count, *first, *number;
    uint64_t *wide_first, *wide_number;
    hd_remap_lists narrow, wide;
} both;

static both new_lists(dice *d, uint32_t count, uint32_t most, uint32_t below) {
    both l = {.count = count};
    l.first = malloc((count + 1) * sizeof *l.first);
    l.wide_first = malloc((count + 1) * sizeof *l.wide_first);
    l.number = malloc((size_t)count * most * sizeof *l.number + 1);
    l.wide_number = malloc((size_t)count * most * sizeof *l.wide_number + 1);
    uint32_t at = 0;
    for (uint32_t i = 0; i <= count; i++) {
        l.first[i] = at;
        l.wide_first[i] = at;
        for (uint32_t k = i < count ? roll(d, most + 1) : 0; k; k--, at++) {
            l.number[at] = roll(d, 20) ? roll(d, below) : (uint32_t)NONE;
            l.wide_number[at] =
                l.number[at] == (uint32_t)NONE ? UINT64_MAX : (uint64_t)l.number[at];
        }
    }
    l.narrow = (hd_remap_lists){count, l.first, 0, 4, l.number};
    l.wide = (hd_remap_lists){count, l.wide_first, 0, 8, l.wide_number};
    return l;
}

static void free_lists(both *l) {
    free(l->first);
    free(l->wide_first);
    free(l->number);
    free(l->wide_number);
}

/* ---- elements ------------------------------------------------------------------------------ */

/* What src/mapping makes of pairs, or of whole lists, that stand in each list. */
static void order_slowly(const both *l, bool pairs, uint32_t elements, uint32_t *order) {
    uint32_t all = l->first[l->count];
    hd_nets nets = {.first = calloc(all + l->count + 1, sizeof(uint64_t)),
                    .thread = calloc(2 * (size_t)all + 1, sizeof(uint32_t))};
    for (uint32_t i = 0; i < l->count; i++) {
        bool *in = calloc(elements, 1);
        uint32_t members = 0;
        for (uint32_t at = l->first[i]; at < l->first[i + 1]; at++) {
            uint32_t number = l->number[at];
            if (number == (uint32_t)NONE || (pairs && number == i))
                continue;
            members += !in[number];
            in[number] = true;
            if (pairs) {
                uint64_t end = nets.first[nets.count++];
                nets.thread[end] = number < i ? number : i;
                nets.thread[end + 1] = number < i ? i : number;
                nets.first[nets.count] = end + 2;
            }
        }
        uint64_t end = nets.first[nets.count];
        for (uint32_t e = 0; !pairs && members > 1 && e < elements; e++)
            if (in[e])
                nets.thread[end++] = e;
        if (!pairs && members > 1)
            nets.first[++nets.count] = end;
        free(in);
    }
    hd_order_rcm(&nets, elements, order);
    free(nets.first);
    free(nets.thread);
}

static void graphs_and_meshes_are_those_of_the_lists(void **state) {
    dice d = {5};
    (void)state;
    for (int i = 0; i < 60; i++) {
        uint32_t elements = 1 + roll(&d, 60);
        bool pairs = i % 2;
        both l = new_lists(&d, pairs ? elements : roll(&d, 80), roll(&d, 6), elements);
        uint32_t expected[60], order[60];
        order_slowly(&l, pairs, elements, expected);
        for (int wide = 0; wide < 2; wide++) {
            const hd_remap_lists *lists = wide ? &l.wide : &l.narrow;
            memset(order, 0xff, sizeof order);
            assert_int_equal(pairs ? hd_remap_order_graph(&quiet, lists, order)
                                   : hd_remap_order_mesh(&quiet, lists, elements, order),
                             HD_OK);
            assert_order(order, elements);
            assert_memory_equal(order, expected, elements * sizeof *order);
        }
        free_lists(&l);
    }
}

/* A path whose elements are numbered anyhow, by its edges: neighbours get neighbouring numbers. */
static void a_path_is_found(void **state) {
    enum { COUNT = 500 };
    dice d = {8};
    uint32_t name[COUNT], edges[COUNT - 1][2], order[COUNT];
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t other = roll(&d, i + 1);
        name[i] = name[other];
        name[other] = i;
    }
    for (uint32_t i = 0; i + 1 < COUNT; i++) {
        edges[i][0] = name[i];
        edges[i][1] = name[i + 1];
    }
    hd_remap_lists ends = {.count = COUNT - 1, .each = 2, .index_bytes = 4, .number = edges};
    assert_int_equal(hd_remap_order_mesh(&quiet, &ends, COUNT, order), HD_OK);
    bool forth = order[0] == name[0];
    for (uint32_t p = 0; p < COUNT; p++)
        assert_int_equal(order[p], name[forth ? p : COUNT - 1 - p]);
}

/* By the least number, stably. */
static void lists_by_their_least_number(void **state) {
    dice d = {6};
    (void)state;
    for (int i = 0; i < 30; i++) {
        uint32_t elements = 1 + roll(&d, 20), count = 1 + roll(&d, 60), least[60], order[60];
        both l = new_lists(&d, count, 1 + roll(&d, 4), elements);
        for (uint32_t k = 0; k < count; k++) {
            least[k] = (uint32_t)NONE;
            for (uint32_t at = l.first[k]; at < l.first[k + 1]; at++)
                least[k] = l.number[at] < least[k] ? l.number[at] : least[k];
        }
        const hd_remap_lists *lists = roll(&d, 2) ? &l.wide : &l.narrow;
        assert_int_equal(hd_remap_order_lists(&quiet, lists, elements, order), HD_OK);
        assert_order(order, count);
        for (uint32_t p = 1; p < count; p++)
            assert_true(least[order[p - 1]] < least[order[p]] ||
                        (least[order[p - 1]] == least[order[p]] && order[p - 1] < order[p]));
        free_lists(&l);
    }
}

/* The same points in each form that they may have; on a line they are in order. */
static void points_in_any_form(void **state) {
    enum { COUNT = 300 };
    typedef struct particle {
        char kind;
        double at[3];
    } particle;
    dice d = {9};
    particle records[COUNT];
    float columns[3][COUNT], packed[COUNT * 3];
    (void)state;
    for (uint32_t axes = 1; axes <= 3; axes++) {
        hd_remap_points in_records = {COUNT, axes, {0}, sizeof(particle), 8};
        hd_remap_points in_columns = {COUNT, axes, {0}, sizeof(float), 4};
        uint32_t a[COUNT], b[COUNT], expected[COUNT];
        for (uint32_t c = 0; c < axes; c++) {
            in_records.axis[c] = &records[0].at[c];
            in_columns.axis[c] = columns[c];
            for (uint32_t i = 0; i < COUNT; i++) {
                columns[c][i] = (float)roll(&d, 1024);
                if (i < 2) /* the box */
                    columns[c][i] = i ? 1024.0f : 0.0f;
                records[i].at[c] = columns[c][i];
                packed[i * axes + c] = columns[c][i] / 1024;
            }
        }
        assert_int_equal(hd_remap_order_curve(&quiet, &in_records, a), HD_OK);
        assert_int_equal(hd_remap_order_curve(&quiet, &in_columns, b), HD_OK);
        hd_order_curve(packed, axes, COUNT, expected);
        assert_order(a, COUNT);
        assert_memory_equal(a, b, sizeof a);
        assert_memory_equal(a, expected, sizeof a);
        for (uint32_t p = 1; axes == 1 && p < COUNT; p++)
            assert_true(columns[0][a[p - 1]] <= columns[0][a[p]]);
    }
}

/* ---- what is refused ------------------------------------------------------------------------ */

static heard last;
static const hd_diag hearing = {hear, &last};

#define REFUSED(says, call)                \
    do {                                   \
        last = (heard){0};                 \
        assert_int_equal(call, HD_EINPUT); \
        assert_int_equal(last.count, 1);   \
        assert_says(last, says);           \
        assert_true(order[0] == 7);        \
    } while (0)
#define LISTS(...) (&(hd_remap_lists){__VA_ARGS__})

static void wrong_lists_and_points(void **state) {
    uint32_t first[4] = {0, 1, 2, 3}, down[4] = {0, 2, 1, 3}, number[3] = {0, 1, 2}, order[4] = {7};
    uint32_t beyond[3] = {0, 3, 1}, minus[3] = {0, 1, (uint32_t)-2};
    float x[2] = {0, 1}, bad[2] = {0, NAN};
    (void)state;
#define GRAPH(...) hd_remap_order_graph(&hearing, LISTS(__VA_ARGS__), order)
    REFUSED("no lists of neighbours (NULL)", hd_remap_order_graph(&hearing, NULL, order));
    REFUSED("no place for the order",
            hd_remap_order_graph(&hearing, LISTS(3, first, 0, 4, number), NULL));
    REFUSED("there are 0 elements", GRAPH(0, first, 0, 4, number));
    REFUSED("an order is of 1 to 4294967294", GRAPH(UINT32_MAX, NULL, 1, 4, number));
    REFUSED("numbers of 2 bytes; 4 and 8", GRAPH(3, first, 0, 2, number));
    REFUSED("first[1] is 2 and first[2] is 1; they must ascend", GRAPH(3, down, 0, 4, number));
    REFUSED("no array of numbers (NULL)", GRAPH(3, first, 0, 4, NULL));
    REFUSED("number[1] is 3; it must be below 3, or -1", GRAPH(3, first, 0, 4, beyond));
    REFUSED("number[2] is -2; it must be", GRAPH(3, first, 0, 4, minus));
    REFUSED("no lists of nodes", hd_remap_order_mesh(&hearing, NULL, 3, order));
    REFUSED("there are 0 nodes",
            hd_remap_order_mesh(&hearing, LISTS(3, first, 0, 4, number), 0, order));
    REFUSED("numbers are too many",
            hd_remap_order_mesh(&hearing, LISTS(UINT64_MAX, NULL, 2, 4, number), 3, order));
    REFUSED("there are 0 lists", hd_remap_order_lists(&hearing, LISTS(0, first, 0, 4), 3, order));
    REFUSED("there are 0 elements",
            hd_remap_order_lists(&hearing, LISTS(3, first, 0, 4, number), 0, order));
    REFUSED("lists: number[1] is 3; it must",
            hd_remap_order_lists(&hearing, LISTS(3, first, 0, 4, beyond), 3, order));
#define CURVE(...) hd_remap_order_curve(&hearing, &(hd_remap_points){__VA_ARGS__}, order)
    REFUSED("no points to order", hd_remap_order_curve(&hearing, NULL, order));
    REFUSED("there are 0 points", CURVE(0, 1, {x}, 4, 4));
    REFUSED("points have 4 axes", CURVE(2, 4, {x, x, x}, 4, 4));
    REFUSED("coordinates of 2 bytes", CURVE(2, 1, {x}, 4, 2));
    REFUSED("stride is 2 bytes", CURVE(2, 1, {x}, 2, 4));
    REFUSED("axis 1 of the points is NULL", CURVE(2, 2, {x}, 4, 4));
    REFUSED("coordinate 0 of point 1 is nan", CURVE(2, 1, {bad}, 4, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_and_meshes_are_those_of_the_lists),
        cmocka_unit_test(a_path_is_found),
        cmocka_unit_test(lists_by_their_least_number),
        cmocka_unit_test(points_in_any_form),
        cmocka_unit_test(wrong_lists_and_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
