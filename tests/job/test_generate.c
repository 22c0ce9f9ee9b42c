/* Graphs that are made up: sizes, determinism, and that they are like what they stand for. */
#include "job/graph_fixture.h"

typedef hd_status generator(hd_arena *, const hd_diag *, const hd_graph_size *, hd_graph **);

static hd_graph *make(hd_arena *arena, generator *generate, uint64_t nodes, uint64_t edges,
                      uint64_t seed) {
    heard h = {0};
    const hd_diag diag = {hear, &h};
    const hd_graph_size size = {.nodes = nodes, .edges = edges, .seed = seed};
    hd_graph *g = NULL;
    if (generate(arena, &diag, &size, &g) != HD_OK || !graph_check(&diag, g))
        fail_msg("%s", h.text);
    return g;
}

static void the_default_mesh_is_like_foil(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_graph *g = make(arena, hd_mesh_generate, 0, 0, 1);
    uint32_t near = 0, degree = 0;
    assert_true(g->nodes == 144649 && g->edges == 1074393 && !g->directed);
    for (uint32_t v = 0; v < g->nodes; v++) {
        if (g->first[v + 1] - g->first[v] > degree)
            degree = g->first[v + 1] - g->first[v];
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            near += (g->to[e] > v ? g->to[e] - v : v - g->to[e]) < 3200;
    }
    assert_true(degree <= 26);
    assert_true(near > g->first[g->nodes] / 10 * 9);
    hd_arena_free(arena);
}

static void the_default_netlist_is_like_b17(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_graph *g = make(arena, hd_netlist_generate, 0, 0, 1);
    uint32_t *cycle, most = 0, single = 0, unread = 0;
    assert_true(g->nodes == 32229 && g->edges == 63200 && g->directed);
    assert_int_equal(hd_graph_find_cycle(arena, g, &cycle), 0);
    assert_in_range(hd_graph_levels(arena, g)->count, 20, 60);
    for (uint32_t v = 0; v < g->nodes; v++) {
        uint32_t fan_out = g->first[v + 1] - g->first[v];
        most = fan_out > most ? fan_out : most;
        single += fan_out == 1;
        unread += fan_out == 0;
    }
    assert_true(most > 80 && single > g->nodes / 5 * 2 && unread < g->nodes / 20);
    hd_arena_free(arena);
}

static void any_size_can_be_had(void **state) {
    (void)state;
    for (uint64_t nodes = 1; nodes < 300; nodes++) {
        hd_arena *arena = hd_arena_new();
        uint32_t *cycle;
        assert_int_equal(make(arena, hd_mesh_generate, nodes, 0, nodes)->nodes, nodes);
        hd_graph *g = make(arena, hd_netlist_generate, nodes + 1, 0, nodes);
        assert_int_equal(g->nodes, nodes + 1);
        assert_int_equal(hd_graph_find_cycle(arena, g, &cycle), 0);
        if (nodes > 8)
            assert_int_equal(make(arena, hd_mesh_generate, nodes, 3 * nodes, 0)->edges, 3 * nodes);
        assert_int_equal(make(arena, hd_netlist_generate, nodes + 1, 2 * nodes, 0)->edges,
                         2 * nodes);
        hd_arena_free(arena);
    }
}

static bool same(const hd_graph *a, const hd_graph *b) {
    return a->edges == b->edges && !memcmp(a->first, b->first, sizeof *a->first * (a->nodes + 1)) &&
           !memcmp(a->to, b->to, sizeof *a->to * a->first[a->nodes]);
}

static void the_seed_decides(void **state) {
    (void)state;
    generator *const generators[] = {hd_mesh_generate, hd_netlist_generate};
    for (int i = 0; i < 2; i++) {
        hd_arena *arena = hd_arena_new();
        hd_graph *one = make(arena, generators[i], 5000, 0, 7);
        assert_true(same(one, make(arena, generators[i], 5000, 0, 7)));
        assert_false(same(one, make(arena, generators[i], 5000, 0, 8)));
        hd_arena_free(arena);
    }
}

static void impossible_sizes_are_refused(void **state) {
    (void)state;
    static const struct {
        generator *generate;
        uint64_t nodes, edges;
        const char *said;
    } wrong[] = {{hd_mesh_generate, 8, 29, "from 0 to 28 edges, not 29"},
                 {hd_mesh_generate, 1000000000000, 0, "not 1000000000000"},
                 {hd_mesh_generate, 100, UINT64_MAX, "edges, not 18446744073709551615"},
                 {hd_netlist_generate, 1, 0, "with 2 to"},
                 {hd_netlist_generate, 100, 50, "edges, not 50"},
                 {hd_netlist_generate, 100, 5000, "edges, not 5000"}};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        hd_arena *arena = hd_arena_new();
        heard h = {0};
        hd_graph *g = NULL;
        const hd_place place = {.file = "job.yaml", .line = 3, .column = 5};
        const hd_graph_size size = {wrong[w].nodes, wrong[w].edges, 0, &place};
        assert_int_equal(wrong[w].generate(arena, &(const hd_diag){hear, &h}, &size, &g),
                         HD_EINPUT);
        if (!strstr(h.text, wrong[w].said) || h.errors != 1 || h.line != 3 || g)
            fail_msg("%zu: %s", w, h.text);
        hd_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_mesh_is_like_foil),
        cmocka_unit_test(the_default_netlist_is_like_b17),
        cmocka_unit_test(any_size_can_be_had),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
