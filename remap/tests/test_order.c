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

#include "folder.h"
#include "layout/random_record.h"
#include "order/orders.h"
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

/* What src/order makes of pairs, or of whole lists, that stand in each list. */
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

/* ---- threads -------------------------------------------------------------------------------- */

/* Transactions and requests of `order`, by definition: warp by warp, step by step. */
static hd_remap_traffic count_slowly(const hd_remap_launch *launch, const both *lists,
                                     const uint32_t *order) {
    hd_remap_traffic t = {0};
    uint32_t warp = launch->warp ? launch->warp : 32;
    uint32_t segment = launch->segment_bytes ? launch->segment_bytes : 32;
    for (uint64_t block = 0; block < launch->threads; block += launch->block)
        for (uint32_t from = 0; from < launch->block; from += warp)
            for (uint32_t n = 0; n < launch->touch_count; n++) {
                const hd_remap_touch *touch = &launch->touches[n];
                const both *l = touch->lists ? lists : NULL;
                for (int reads = 0; reads <= touch->reads_lists; reads++) {
                    uint64_t met[4096], times = touch->arrays && !reads ? touch->arrays : 1;
                    uint32_t longest = 0;
                    for (uint32_t step = 0; step <= longest; step++) {
                        uint32_t count = 0;
                        for (uint32_t lane = from; lane < from + warp && lane < launch->block;
                             lane++) {
                            uint32_t thread = order[block + lane];
                            uint32_t length = !l ? thread < touch->elements
                                              : thread < l->count
                                                  ? l->first[thread + 1] - l->first[thread]
                                                  : 0;
                            longest = length > longest ? length : longest;
                            if (step >= length)
                                continue;
                            uint32_t element = l ? l->first[thread] + step : thread;
                            uint32_t bytes = reads ? 4 : touch->element_bytes;
                            if (l && !reads && (element = l->number[element]) == (uint32_t)NONE)
                                continue;
                            for (uint64_t s = (uint64_t)element * bytes / segment;
                                 s <= ((uint64_t)element * bytes + bytes - 1) / segment; s++) {
                                uint32_t k = 0;
                                while (k < count && met[k] != s)
                                    k++;
                                met[k] = s;
                                count += k == count;
                            }
                        }
                        t.transactions += count * times;
                    }
                    t.requests += longest * times;
                }
            }
    return t;
}

static void threads_have_the_traffic_that_is_expected(void **state) {
    dice d = {77};
    (void)state;
    for (int i = 0; i < 40; i++) {
        uint32_t block = 1 + roll(&d, 40), threads = block * (1 + roll(&d, 8));
        uint32_t elements = 1 + roll(&d, 300);
        both l = new_lists(&d, roll(&d, threads + 1), roll(&d, 7), elements);
        const hd_remap_touch touches[] = {
            {&l, elements, 1 + roll(&d, 50), roll(&d, 3), &l.narrow, roll(&d, 2)},
            {roll(&d, 2) ? &l : NULL, 1 + roll(&d, 2 * threads), 4, roll(&d, 3), NULL, false},
            {NULL, elements, 8, 0, &l.narrow, false}};
        const hd_remap_launch launch = {.threads = threads,
                                        .block = block,
                                        .warp = roll(&d, 3) ? 1u << roll(&d, 6) : 0,
                                        .segment_bytes = roll(&d, 2) ? 16u << roll(&d, 4) : 0,
                                        .whole_blocks = !roll(&d, 4),
                                        .touches = touches,
                                        .touch_count = 1 + roll(&d, 3),
                                        .workers = roll(&d, 4)};
        uint32_t order[320], again[320], natural[320];
        hd_remap_expected expected;
        for (uint32_t t = 0; t < threads; t++)
            natural[t] = t;
        assert_int_equal(hd_remap_order_threads(&quiet, &launch, order, &expected), HD_OK);
        assert_order(order, threads);
        hd_remap_traffic before = count_slowly(&launch, &l, natural),
                         after = count_slowly(&launch, &l, order);
        assert_int_equal(expected.before.transactions, before.transactions);
        assert_int_equal(expected.before.requests, before.requests);
        assert_int_equal(expected.after.transactions, after.transactions);
        assert_int_equal(expected.after.requests, after.requests);
        assert_true(after.transactions + after.requests <= before.transactions + before.requests);
        if (launch.whole_blocks)
            assert_true(hd_order_keeps_blocks(order, threads, block));
        hd_remap_launch one = launch;
        one.workers = 1;
        assert_int_equal(hd_remap_order_threads(&quiet, &one, again, NULL), HD_OK);
        assert_memory_equal(again, order, threads * sizeof *order);
        free_lists(&l);
    }
}

/* Threads 8 i to 8 i + 7 of a sorted input touch one segment; the input is not sorted. */
static void shuffled_threads_are_put_in_order(void **state) {
    enum { COUNT = 4096 };
    dice d = {3};
    static uint32_t number[COUNT], order[COUNT];
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t other = roll(&d, i + 1);
        number[i] = number[other];
        number[other] = i;
    }
    const hd_remap_lists lists = {.count = COUNT, .each = 1, .index_bytes = 4, .number = number};
    const hd_remap_touch touch = {NULL, COUNT, 4, 0, &lists, false};
    const hd_remap_launch launch = {
        .threads = COUNT, .block = 128, .touches = &touch, .touch_count = 1};
    hd_remap_expected expected;
    assert_int_equal(hd_remap_order_threads(&quiet, &launch, order, &expected), HD_OK);
    assert_true(expected.before.transactions > COUNT * 9 / 10);
    assert_int_equal(expected.after.transactions, COUNT / 8);
    assert_int_equal(expected.after.requests, COUNT / 32);
    assert_true(expected.seconds > 0);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void saved_orders_come_back(void **state) {
    static uint32_t nodes[1000], threads[512] = {0}, read[1000], read_threads[512];
    dice d = {4};
    char path[4096];
    snprintf(path, sizeof path, "%s/orders", (const char *)*state);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t other = roll(&d, i + 1);
        nodes[i] = nodes[other];
        nodes[other] = i;
    }
    for (uint32_t i = 0; i < 512; i++) /* whole blocks, turned round */
        threads[i] = 448 - i / 64 * 64 + i % 64;
    const hd_remap_named_order orders[] = {{"nodes of the mesh", 0, 1, 1000, nodes},
                                           {"forces", 3, 64, 512, threads}};
    const hd_remap_named_order wanted[] = {{"forces", 3, 64, 512, read_threads},
                                           {"nodes of the mesh", 0, 1, 1000, read}};
    assert_int_equal(hd_remap_save_orders(&quiet, path, orders, 2), HD_OK);
    assert_int_equal(hd_remap_load_orders(&quiet, path, wanted, 2), HD_OK);
    assert_memory_equal(read, nodes, sizeof nodes);
    assert_memory_equal(read_threads, threads, sizeof threads);

    hd_arena *arena = hd_arena_new(); /* as `heddle apply --map` sees it */
    hd_order_file *file;
    assert_int_equal(hd_order_file_read(arena, &quiet, path, &file), HD_OK);
    assert_int_equal(file->order_count, 2);
    assert_string_equal(file->orders[1].kernel, "forces");
    assert_true(file->orders[1].whole_blocks && file->orders[1].launch == 3);
    hd_arena_free(arena);
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
    if (hd_memory_free() < UINT64_C(64) * (UINT32_MAX - 1)) { /* nothing is read */
        last = (heard){0};
        assert_int_equal(CURVE(UINT32_MAX - 1, 1, {x}, 4, 4), HD_ESYSTEM);
        assert_says(last, "takes up to 262144 MiB of memory, of which");
    }
}

static void wrong_launches(void **state) {
    uint32_t number[64] = {0}, order[64] = {7};
    const hd_remap_lists lists = {.count = 64, .each = 1, .index_bytes = 4, .number = number};
    hd_remap_touch touch = {NULL, 64, 4, 0, &lists, false}, own = {NULL, 64, 4, 0, NULL, true};
    hd_remap_touch wide = {NULL, 64, 65537, 0, &lists, false};
    hd_remap_touch none = {NULL, 0, 4, 0, &lists, false};
    hd_remap_touch many = {NULL, UINT64_MAX, 4, 0, &lists, false};
    (void)state;
#define THREADS(...) hd_remap_order_threads(&hearing, &(hd_remap_launch){__VA_ARGS__}, order, NULL)
    REFUSED("no launch", hd_remap_order_threads(&hearing, NULL, order, NULL));
    REFUSED("there are 0 threads", THREADS(0, 32, 32, 32, false, &touch, 1));
    REFUSED("64 threads are no whole blocks of 60", THREADS(64, 60, 32, 32, false, &touch, 1));
    REFUSED("no whole blocks of 0", THREADS(64, 0, 32, 32, false, &touch, 1));
    REFUSED("of 24 bytes: only powers of two", THREADS(64, 32, 32, 24, false, &touch, 1));
    REFUSED("touches nothing", THREADS(64, 32, 32, 32, false, &touch, 0));
    REFUSED("touches nothing (1 touches, NULL)", THREADS(64, 32, 32, 32, false, NULL, 1));
    REFUSED("there are 64 of them, and 32 threads", THREADS(32, 32, 32, 32, false, &touch, 1));
    REFUSED("has no lists that the kernel could read", THREADS(64, 32, 0, 0, false, &own, 1));
    REFUSED("is of 65537 bytes at once", THREADS(64, 32, 0, 0, false, &wide, 1));
    REFUSED("number[0] is 0; it must be below 0", THREADS(64, 32, 0, 0, false, &none, 1));
    REFUSED("none of more than 2^48 bytes", THREADS(64, 32, 0, 0, false, &many, 1));
    number[5] = 64;
    REFUSED("lists of touch 0: number[5] is 64; it must be below 64",
            THREADS(64, 32, 0, 0, false, &touch, 1));
}

static void wrong_files(void **state) {
    uint32_t order[8] = {7, 6, 5, 4, 3, 2, 1, 0}, twice[8] = {0, 1, 2, 2, 4, 5, 6, 7};
    uint32_t beyond[8] = {0, 1, 2, 9, 4, 5, 6, 7};
    char path[4096];
    snprintf(path, sizeof path, "%s/wrong", (const char *)*state);
#define SAVE(...) hd_remap_save_orders(&hearing, path, &(hd_remap_named_order){__VA_ARGS__}, 1)
#define LOAD(...) hd_remap_load_orders(&hearing, path, &(hd_remap_named_order){__VA_ARGS__}, 1)
    REFUSED("place 3 has 2, which is at another place, too", SAVE("a", 0, 1, 8, twice));
    REFUSED("place 3 has 9, which is beyond the last one", SAVE("a", 0, 1, 8, beyond));
    REFUSED("has no name", SAVE(NULL, 0, 1, 8, order));
    REFUSED("has no name", SAVE("", 0, 1, 8, order));
    REFUSED("has no name", SAVE("a\nb", 0, 1, 8, order));
    REFUSED("no whole blocks of 3", SAVE("a", 0, 3, 8, order));
    REFUSED("no array of an order's numbers", SAVE("a", 0, 1, 8, NULL));
    REFUSED("no orders (NULL)", hd_remap_save_orders(&hearing, path, NULL, 1));
    REFUSED("no path", hd_remap_load_orders(&hearing, NULL, NULL, 1));
    const hd_remap_named_order same[] = {{"a", 0, 1, 8, order}, {"a", 0, 1, 8, order}};
    REFUSED("are both of launch 0 of 'a'", hd_remap_save_orders(&hearing, path, same, 2));
    REFUSED("0 orders", hd_remap_save_orders(&hearing, path, same, 0));

    assert_int_equal(SAVE("a", 0, 2, 8, order), HD_OK);
    REFUSED("no order for launch 0 of 'b'; make it again", LOAD("b", 0, 2, 8, order));
    REFUSED("no order for launch 1 of 'a'", LOAD("a", 1, 2, 8, order));
    REFUSED("is of 8 in blocks of 2, and 6 in blocks of 2 are wanted", LOAD("a", 0, 2, 6, order));
    REFUSED("and 8 in blocks of 4 are wanted", LOAD("a", 0, 4, 8, order));
    const char *const texts[][2] = {
        {"no orders at all\n", "begins with 'heddle map 1'"},
        {"heddle map 1\nlaunch 0 threads 8 block 2 kernel a\n0-3 3 5 6 7\n", "no order"},
        {"heddle map 1\nlaunch 0 threads 8 block 2 kernel a\n0-3 4 5 6\n", "with 7 of 8 threads"},
        {"heddle map 1\nlaunch 0 threads 8 block 2 kernel a\n0-3 4 x\n", "no number"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(hd_write_file(&quiet, path, texts[i][0], strlen(texts[i][0])), HD_OK);
        REFUSED(texts[i][1], LOAD("a", 0, 2, 8, order));
    }
    remove(path);
    REFUSED("cannot", LOAD("a", 0, 2, 8, order));
}

static int set_up(void **state) {
    static char folder[4000];
    hd_arena *arena = hd_arena_new();
    snprintf(folder, sizeof folder, "%s", folder_make(arena));
    hd_arena_free(arena);
    *state = folder;
    return 0;
}

static int tear_down(void **state) {
    folder_remove(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_and_meshes_are_those_of_the_lists),
        cmocka_unit_test(a_path_is_found),
        cmocka_unit_test(lists_by_their_least_number),
        cmocka_unit_test(points_in_any_form),
        cmocka_unit_test(threads_have_the_traffic_that_is_expected),
        cmocka_unit_test(shuffled_threads_are_put_in_order),
        cmocka_unit_test(saved_orders_come_back),
        cmocka_unit_test(wrong_lists_and_points),
        cmocka_unit_test(wrong_launches),
        cmocka_unit_test(wrong_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
