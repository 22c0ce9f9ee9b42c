/* Graphs by hand: rows, transposition, levels, parts. */
#include "job/graph_fixture.h"

/*   0 ─► 2 ─► 3 ─► 4        1 ─► 2, 0 ─► 4 twice; 4 is a flip-flop in the netlist below */
static const hd_graph_edge edges[] = {{2, 3}, {0, 4}, {1, 2}, {0, 2}, {3, 4}, {0, 4}};
enum { EDGES = sizeof edges / sizeof *edges };

static void rows_are_sorted(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_graph *g = hd_graph_of_edges(arena, 5, true, edges, EDGES);
    static const uint32_t first[] = {0, 3, 4, 5, 6, 6}, to[] = {2, 4, 4, 2, 3, 4};
    assert_memory_equal(g->first, first, sizeof first);
    assert_memory_equal(g->to, to, sizeof to);
    hd_graph *t = hd_graph_transpose(arena, g);
    static const uint32_t back_first[] = {0, 0, 0, 2, 3, 6}, back[] = {0, 1, 2, 0, 0, 3};
    assert_memory_equal(t->first, back_first, sizeof back_first);
    assert_memory_equal(t->to, back, sizeof back);
    assert_true(graph_check(&(const hd_diag){NULL, NULL}, g));
    hd_arena_free(arena);
}

static void undirected_edges_stand_at_both_ends(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_graph *g = hd_graph_of_edges(arena, 4, false, (hd_graph_edge[]){{2, 0}, {1, 2}, {3, 2}}, 3);
    static const uint32_t first[] = {0, 1, 2, 5, 6}, to[] = {2, 2, 0, 1, 3, 2};
    assert_memory_equal(g->first, first, sizeof first);
    assert_memory_equal(g->to, to, sizeof to);
    assert_true(graph_check(&(const hd_diag){NULL, NULL}, g));
    static const uint32_t from[] = {0, 1, 2}, into[] = {2, 2, 3};
    assert_memory_equal(hd_graph_part_values(arena, g, HD_PART_EDGE_FROM), from, sizeof from);
    assert_memory_equal(hd_graph_part_values(arena, g, HD_PART_EDGE_TO), into, sizeof into);
    static const uint32_t edge_first[] = {0, 1, 2, 3, 3}, back_first[] = {0, 0, 0, 2, 3},
                          back[] = {0, 1, 2};
    assert_memory_equal(hd_graph_part_values(arena, g, HD_PART_EDGE_FIRST), edge_first,
                        sizeof edge_first);
    assert_memory_equal(hd_graph_part_values(arena, g, HD_PART_BACK_FIRST), back_first,
                        sizeof back_first);
    assert_memory_equal(hd_graph_part_values(arena, g, HD_PART_BACK_EDGES), back, sizeof back);
    g->to[0] = 1;
    assert_false(graph_check(&(const hd_diag){NULL, NULL}, g));
    hd_arena_free(arena);
}

static void levels_are_longest_paths(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_graph *g = hd_graph_of_edges(arena, 5, true, edges, EDGES);
    hd_levels *l = hd_graph_levels(arena, g);
    static const int32_t level[] = {0, 0, 1, 2, 3};
    assert_int_equal(l->count, 4);
    assert_memory_equal(l->level, level, sizeof level);
    static const uint32_t first[] = {0, 2, 3, 4, 5}, order[] = {0, 1, 2, 3, 4};
    assert_memory_equal(l->first, first, sizeof first);
    assert_memory_equal(l->order, order, sizeof order);
    hd_arena_free(arena);
}

/* y = NAND(a, q), q = DFF(y): the flip-flop is of level 0, in spite of its operand. */
static void flip_flops_start_anew(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_graph *g = hd_graph_of_edges(arena, 3, true, (hd_graph_edge[]){{0, 1}, {2, 1}, {1, 2}}, 3);
    g->gates = (uint8_t[]){HD_GATE_INPUT, HD_GATE_NAND, HD_GATE_DFF};
    hd_levels *l = hd_graph_levels(arena, g);
    static const int32_t level[] = {0, 1, 0};
    assert_memory_equal(l->level, level, sizeof level);
    static const uint32_t order[] = {0, 2, 1};
    assert_memory_equal(l->order, order, sizeof order);
    uint32_t *cycle;
    assert_int_equal(hd_graph_find_cycle(arena, g, &cycle), 0);
    g->gates[2] = HD_GATE_BUF;
    assert_int_equal(hd_graph_find_cycle(arena, g, &cycle), 2);
    assert_true(cycle[0] + cycle[1] == 3);
    hd_arena_free(arena);
}

static void a_mesh_in_two_pieces_has_levels_everywhere(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_graph *g = hd_graph_of_edges(arena, 5, false, (hd_graph_edge[]){{0, 2}, {4, 2}, {1, 3}}, 3);
    static const int32_t level[] = {0, 0, 1, 1, 2};
    assert_memory_equal(hd_graph_levels(arena, g)->level, level, sizeof level);
    hd_arena_free(arena);
}

static void parts_have_names_and_numbers(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_graph *g = hd_graph_of_edges(arena, 5, true, edges, EDGES);
    static const struct {
        const char *name;
        uint64_t count;
        uint32_t numbers[6];
    } expected[] = {
        {"first", 6, {0, 3, 4, 5, 6, 6}},        {"end", 5, {3, 4, 5, 6, 6}},
        {"degree", 5, {3, 1, 1, 1, 0}},          {"predecessor_degree", 5, {0, 0, 2, 1, 3}},
        {"to", 6, {2, 4, 4, 2, 3, 4}},           {"predecessor_first", 6, {0, 0, 0, 2, 3, 6}},
        {"predecessor_end", 5, {0, 0, 2, 3, 6}}, {"predecessors", 6, {0, 1, 2, 0, 0, 3}},
        {"levels", 5, {0, 0, 1, 2, 3}},          {"order", 5, {0, 1, 2, 3, 4}},
        {"edge_from", 6, {0, 0, 0, 1, 2, 3}},    {"edge_to", 6, {2, 4, 4, 2, 3, 4}},
        {"edge_first", 6, {0, 3, 4, 5, 6, 6}},   {"back_first", 6, {0, 0, 0, 2, 3, 6}},
        {"back_edges", 6, {0, 3, 4, 1, 2, 5}}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        hd_graph_part part;
        bool may_drop_last;
        assert_true(hd_graph_part_parse(expected[i].name, &part));
        assert_string_equal(hd_graph_part_name(part), expected[i].name);
        assert_true(hd_graph_has_part(g, part));
        assert_int_equal(hd_graph_part_count(g, part, &may_drop_last), expected[i].count);
        assert_int_equal(may_drop_last,
                         expected[i].count == 6 && strstr(expected[i].name, "first"));
        assert_memory_equal(hd_graph_part_values(arena, g, part), expected[i].numbers,
                            expected[i].count * sizeof(uint32_t));
    }
    hd_graph_part part;
    assert_false(hd_graph_part_parse("firs", &part));
    assert_false(hd_graph_has_part(g, HD_PART_GATES));
    g->gates = (uint8_t[]){0, 1, 2, 3, 4};
    static const uint32_t gates[] = {0, 1, 2, 3, 4};
    assert_memory_equal(hd_graph_part_values(arena, g, HD_PART_GATES), gates, sizeof gates);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted),
        cmocka_unit_test(undirected_edges_stand_at_both_ends),
        cmocka_unit_test(levels_are_longest_paths),
        cmocka_unit_test(flip_flops_start_anew),
        cmocka_unit_test(a_mesh_in_two_pieces_has_levels_everywhere),
        cmocka_unit_test(parts_have_names_and_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
