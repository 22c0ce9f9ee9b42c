/*
 * Orders of data against their definitions: reverse Cuthill-McKee, and halves of it, on a matrix of who
 * is joined with whom, Hilbert's curve built from four or eight smaller ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "order/orders.h"
#include "sanitized.h"

enum { MOST = 48, NETS = 60 };

static uint32_t pick(uint64_t *state, uint32_t below) {
    return (uint32_t)(hd_next_random(state) % below);
}

static void assert_permutation(const uint32_t *order, uint32_t count) {
    assert_true(hd_is_permutation(order, count, NULL));
}

/* ---- reverse Cuthill-McKee ---------------------------------------------------------------- */

typedef struct graph {
    uint32_t count, degree[MOST];
    bool joined[MOST][MOST], done[MOST];
} graph;

static bool is_before(const graph *g, uint32_t a, uint32_t b) {
    return g->degree[a] < g->degree[b] || (g->degree[a] == g->degree[b] && a < b);
}

/* Of each element its distance from `start`; the greatest of them. */
static uint32_t find_distances(const graph *g, uint32_t start, uint32_t *distance) {
    uint32_t most = 0;
    for (uint32_t e = 0; e < g->count; e++)
        distance[e] = e == start ? 0 : UINT32_MAX;
    for (uint32_t d = 0; d < g->count; d++)
        for (uint32_t a = 0; a < g->count; a++)
            for (uint32_t b = 0; b < g->count; b++)
                if (distance[a] == d && g->joined[a][b] && distance[b] == UINT32_MAX)
                    distance[b] = most = d + 1;
    return most;
}

/* As George and Liu define it. */
static uint32_t find_end(const graph *g, uint32_t root) {
    uint32_t distance[MOST], other[MOST];
    for (;;) {
        uint32_t most = find_distances(g, root, distance), end = UINT32_MAX;
        for (uint32_t e = 0; e < g->count; e++)
            if (distance[e] == most && (end == UINT32_MAX || is_before(g, e, end)))
                end = e;
        if (find_distances(g, end, other) <= most)
            return end;
        root = end;
    }
}

static void slow_rcm(graph *g, uint32_t *order) {
    uint32_t count = 0;
    for (uint32_t root = 0; root < g->count; root++) {
        if (g->done[root])
            continue;
        uint32_t start = find_end(g, root);
        g->done[start] = true;
        uint32_t at = count;
        for (order[count++] = start; at < count; at++)
            for (;;) { /* the least neighbour that is not numbered */
                uint32_t next = UINT32_MAX;
                for (uint32_t e = 0; e < g->count; e++)
                    if (g->joined[order[at]][e] && !g->done[e] &&
                        (next == UINT32_MAX || is_before(g, e, next)))
                        next = e;
                if (next == UINT32_MAX)
                    break;
                g->done[next] = true;
                order[count++] = next;
            }
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t swapped = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = swapped;
    }
}

/* Each half again, of the matrix of what is joined inside. */
static void slow_bisection(const graph *g, uint32_t least, uint32_t *order) {
    graph all = *g;
    slow_rcm(&all, order);
    if (g->count <= least)
        return;
    uint32_t middle = least;
    while (2 * (middle + least) <= g->count + least)
        middle += least;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t *of = order + half * middle, inside[MOST], found[MOST];
        graph part = {.count = half ? g->count - middle : middle};
        for (uint32_t a = 0; a < part.count; a++)
            for (uint32_t b = 0; b < part.count; b++) {
                part.joined[a][b] = g->joined[of[a]][of[b]];
                part.degree[a] += part.joined[a][b];
            }
        slow_bisection(&part, least, inside);
        for (uint32_t i = 0; i < part.count; i++)
            found[i] = of[inside[i]];
        memcpy(of, found, part.count * sizeof *found);
    }
}

/* Nets of 2 to `most` elements, ascending; the same ones come again. */
static void make_nets(uint64_t *state, uint32_t count, uint32_t most, hd_nets *nets) {
    for (nets->count = 0; nets->count < NETS && count > 1; nets->count++) {
        uint64_t at = nets->first[nets->count];
        uint32_t wanted = 2 + pick(state, (most < count ? most : count) - 1),
                 from = pick(state, count);
        for (uint32_t e = 0; e < count && wanted; e++)
            if ((e + count - from) % count < wanted + pick(state, 3)) {
                nets->thread[at++] = e;
                wanted--;
            }
        if (at - nets->first[nets->count] < 2) {
            at = nets->first[nets->count];
            nets->thread[at++] = 0;
            nets->thread[at++] = count - 1;
        }
        nets->first[nets->count + 1] = at;
    }
    if (count > 1)
        nets->count = pick(state, NETS);
}

static void rcm_and_bisection_are_those_of_the_matrix(void **unused) {
    (void)unused;
    static uint64_t first[NETS + 1];
    static uint32_t elements[NETS * MOST], weight[NETS];
    for (uint64_t seed = 0; seed < (SANITIZED ? 200 : 2000); seed++) {
        uint64_t state = seed;
        hd_nets nets = {0, first, elements, weight};
        graph g = {.count = 1 + pick(&state, MOST)};
        uint32_t order[MOST], slow[MOST];
        make_nets(&state, g.count, seed % 3 ? 2 : 6, &nets);
        for (uint64_t n = 0; n < nets.count; n++)
            for (uint64_t i = first[n]; i < first[n + 1]; i++)
                for (uint64_t j = first[n]; j < first[n + 1]; j++)
                    g.joined[elements[i]][elements[j]] = i != j;
        for (uint32_t a = 0; a < g.count; a++)
            for (uint32_t b = 0; b < g.count; b++)
                g.degree[a] += g.joined[a][b];
        uint32_t least = 1 + pick(&state, 9);
        hd_order_bisection(&nets, g.count, least, order);
        slow_bisection(&g, least, slow);
        assert_permutation(order, g.count);
        assert_memory_equal(order, slow, g.count * sizeof *order);
        hd_order_rcm(&nets, g.count, order);
        slow_rcm(&g, slow);
        assert_permutation(order, g.count);
        assert_memory_equal(order, slow, g.count * sizeof *order);
    }
}

/* A path that was shuffled comes back as a path. */
static void rcm_finds_a_path(void **unused) {
    (void)unused;
    enum { LENGTH = 500 };
    static uint64_t first[LENGTH];
    static uint32_t elements[2 * LENGTH], weight[LENGTH], name[LENGTH], order[LENGTH],
        place[LENGTH];
    hd_order_random(3, LENGTH, name);
    hd_nets nets = {LENGTH - 1, first, elements, weight};
    for (uint32_t i = 0; i + 1 < LENGTH; i++) {
        uint32_t a = name[i], b = name[i + 1];
        first[i + 1] = 2ull * (i + 1);
        elements[2 * i] = a < b ? a : b;
        elements[2 * i + 1] = a < b ? b : a;
    }
    hd_order_rcm(&nets, LENGTH, order);
    for (uint32_t i = 0; i < LENGTH; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i + 1 < LENGTH; i++)
        assert_int_equal(abs((int)place[name[i]] - (int)place[name[i + 1]]), 1);
}

/* So many neighbours that they are sorted another way. */
static void rcm_sorts_many_neighbours(void **unused) {
    (void)unused;
    enum { COUNT = 41 };
    uint64_t first[2 * COUNT];
    uint32_t elements[4 * COUNT], weight[2 * COUNT], order[COUNT], slow[COUNT];
    hd_nets nets = {0, first, elements, weight};
    graph g = {.count = COUNT};
    first[0] = 0;
    for (uint32_t e = 1; e < COUNT; e++)
        for (uint32_t k = 0; k < (e % 3 == 0 && e + 3 < COUNT ? 2u : 1u); k++) {
            uint32_t a = k ? e : 0, b = k ? e + 3 : e;
            g.joined[a][b] = g.joined[b][a] = true;
            g.degree[a]++;
            g.degree[b]++;
            elements[2 * nets.count] = a;
            elements[2 * nets.count++ + 1] = b;
            first[nets.count] = 2 * nets.count;
        }
    hd_order_rcm(&nets, COUNT, order);
    slow_rcm(&g, slow);
    assert_memory_equal(order, slow, sizeof order);
}

/* One element that everybody shares a net with says nothing. */
static void rcm_leaves_large_nets_out(void **unused) {
    (void)unused;
    enum { COUNT = HD_RCM_MOST + 1 };
    uint64_t first[] = {0, COUNT, COUNT + 2};
    uint32_t elements[COUNT + 2], weight[2], order[COUNT];
    for (uint32_t e = 0; e < COUNT; e++)
        elements[e] = e;
    elements[COUNT] = 3;
    elements[COUNT + 1] = 60;
    hd_order_rcm(&(hd_nets){2, first, elements, weight}, COUNT, order);
    assert_permutation(order, COUNT);
    uint32_t at = 0;
    while (order[at] != 3 && order[at] != 60)
        at++;
    assert_int_equal(order[at] + order[at + 1], 63);
    assert_int_equal(order[COUNT - 1], 0);
}

/* ---- Hilbert's curve ----------------------------------------------------------------------- */

/* Where the parts of a curve are entered, and along which axis they are left, after Hamilton. */
static const uint32_t entry[4][8] = {{0}, {0, 0}, {0, 0, 0, 3}, {0, 0, 0, 3, 3, 6, 6, 5}};
static const uint32_t axis[4][8] = {{0}, {0, 0}, {0, 1, 1, 0}, {0, 1, 1, 2, 2, 1, 1, 0}};

static uint32_t rotated(uint32_t bits, uint32_t by, uint32_t dims) {
    for (; by; by--)
        bits = (bits << 1 | bits >> (dims - 1)) & ((1u << dims) - 1);
    return bits;
}

/* The cells of the curve through 2^bits cells in each dimension, in its own frame: of each cell a
 * group of `dims` bits for each level, the highest for the largest cubes. */
static void slow_curve(uint32_t dims, uint32_t bits, uint64_t *cells) {
    uint64_t parts = 1u << dims, each = bits ? 1ull << dims * (bits - 1) : 0;
    cells[0] = 0;
    if (!bits)
        return;
    uint64_t *inner = calloc(each, sizeof *inner);
    slow_curve(dims, bits - 1, inner);
    for (uint64_t w = 0; w < parts; w++)
        for (uint64_t i = 0; i < each; i++) {
            uint64_t cell = w ^ w >> 1;
            for (uint32_t b = bits - 1; b-- > 0;) {
                uint32_t group = inner[i] >> b * dims & (parts - 1);
                cell = cell << dims | (rotated(group, axis[dims][w] + 1, dims) ^ entry[dims][w]);
            }
            cells[w * each + i] = cell;
        }
    free(inner);
}

static void curve_is_made_of_smaller_ones(void **unused) {
    (void)unused;
    static const uint32_t most[] = {0, 8, 5, 3};
    for (uint32_t dims = 1; dims <= 3; dims++)
        for (uint32_t bits = 1; bits <= most[dims]; bits++) {
            uint32_t count = 1u << dims * bits;
            uint64_t *cells = calloc(count, sizeof *cells);
            float *points = calloc((size_t)count * dims, sizeof *points);
            uint32_t *order = calloc(count, sizeof *order), *cell = calloc(count, sizeof *cell);
            for (uint32_t e = 0; e < count; e++)
                for (uint32_t d = 0; d < dims; d++)
                    points[e * dims + d] = (float)(e >> d * bits & ((1u << bits) - 1)) - 7.0f;
            hd_order_curve(points, dims, count, order);
            slow_curve(dims, bits, cells);
            for (uint32_t i = 0; i < count; i++) {
                for (uint32_t b = 0; b < bits; b++) {
                    uint32_t group = cells[i] >> b * dims & ((1u << dims) - 1);
                    for (uint32_t d = 0; d < dims; d++)
                        cell[i] |= (rotated(group, 1, dims) >> d & 1) << (d * bits + b);
                }
                assert_int_equal(order[i], cell[i]);
            }
            /* What makes it a curve: each cell is a neighbour of the one before. */
            for (uint32_t i = 1; i < count; i++) {
                float steps = 0;
                for (uint32_t d = 0; d < dims; d++)
                    steps += fabsf(points[order[i] * dims + d] - points[order[i - 1] * dims + d]);
                assert_true(steps == 1.0f);
            }
            assert_permutation(order, count);
            free(cells);
            free(points);
            free(order);
            free(cell);
        }
}

static void curve_takes_any_points(void **unused) {
    (void)unused;
    uint32_t order[6];
    hd_order_curve((float[]){3, NAN, -1, 3, INFINITY, 0.5f}, 1, 6, order);
    assert_memory_equal(order, ((uint32_t[]){2, 5, 0, 3, 1, 4}), sizeof order);
    hd_order_curve((float[]){1, 1, 1, 1, 1, 1}, 3, 2, order);
    assert_memory_equal(order, ((uint32_t[]){0, 1}), 8);
    hd_order_curve(NULL, 2, 0, order);
    /* Coordinates of very different extent are not stretched: the short one hardly counts. */
    hd_order_curve((float[]){0, 0, 1000, 0, 250, 1e-3f, 600, 0, 251, 0, 1, 1e-3f}, 2, 6, order);
    assert_memory_equal(order, ((uint32_t[]){0, 5, 2, 4, 3, 1}), sizeof order);
}

static void random_is_a_permutation_of_its_seed(void **unused) {
    (void)unused;
    uint32_t one[100], same[100], other[100];
    hd_order_random(1, 100, one);
    hd_order_random(1, 100, same);
    hd_order_random(2, 100, other);
    assert_permutation(one, 100);
    assert_permutation(other, 100);
    assert_memory_equal(one, same, sizeof one);
    assert_memory_not_equal(one, other, sizeof one);
    hd_order_random(1, 0, one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rcm_and_bisection_are_those_of_the_matrix),
        cmocka_unit_test(rcm_finds_a_path),
        cmocka_unit_test(rcm_sorts_many_neighbours),
        cmocka_unit_test(rcm_leaves_large_nets_out),
        cmocka_unit_test(curve_is_made_of_smaller_ones),
        cmocka_unit_test(curve_takes_any_points),
        cmocka_unit_test(random_is_a_permutation_of_its_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
