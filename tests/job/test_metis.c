/* Reading METIS files: meshes by hand, a Delaunay mesh where it is there, and every fault. */
#include "job/graph_fixture.h"

static hd_graph *parse(hd_arena *arena, const char *text) {
    heard h = {0};
    hd_graph *g = NULL;
    if (hd_metis_parse(arena, &(const hd_diag){hear, &h}, "a.graph", text, strlen(text), &g))
        fail_msg("%u:%u: %s", h.line, h.column, h.text);
    return g;
}

static const uint32_t path_first[] = {0, 1, 3, 4, 4}, path_to[] = {1, 0, 2, 1};

static void reads_a_mesh(void **state) {
    (void)state;
    static const char *const texts[] = {"% a path, and a node alone\n4 2\n2\n3 1\n%between\n2\n\n",
                                        "4 2 0\r\n 2 \r\n\t1 3\r\n2\r\n\r\n\n% the end",
                                        "4 2 011 2\n7 7 2 5\n0 1 3 9 1 5\n3 3 2 9\n4 4\n",
                                        "4 2 1\n2 5\n1 5 3 9\n2 9\n\n",
                                        "4 2 100\n8 2\n8 1 3\n8 2\n8\n"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        hd_arena *arena = hd_arena_new();
        const hd_graph *g = parse(arena, texts[t]);
        assert_true(g->nodes == 4 && g->edges == 2 && !g->directed && !g->gates);
        assert_memory_equal(g->first, path_first, sizeof path_first);
        assert_memory_equal(g->to, path_to, sizeof path_to);
        hd_arena_free(arena);
    }
}

static const fault faults[] = {
    {"", "the number of nodes", 1, 1},
    {"% only a comment\n", "the number of nodes", 2, 1},
    {"2\n", "the number of edges", 1, 2},
    {"2 x\n", "the number of edges", 1, 3},
    {"2 1.5\n", "the number of edges", 1, 3},
    {"-2 1\n", "the number of nodes", 1, 1},
    {"2 99999999999999999999\n", "beyond 2^64", 1, 3},
    {"9999999999 1\n", "from 1 to 2^31 - 1 nodes", 1, 1},
    {"0 0\n", "from 1 to 2^31 - 1 nodes", 1, 1},
    {"2 2000000000\n2\n1\n", "2^30 - 1 edges", 1, 1},
    {"1000 1\n2\n1\n", "fewer lines", 1, 1},
    {"2 1 2\n2\n1\n", "fmt", 1, 5},
    {"2 1 1000\n2\n1\n", "fmt", 1, 5},
    {"2 1 10 0\n2\n1\n", "ncon", 1, 8},
    {"2 1 1 1\n2\n1\n", "ncon", 1, 7},
    {"2 1 10 1 1\n2\n1\n", "at most four", 1, 10},
    {"3 1\n2\n1\n", "lines for 2 only", 4, 1},
    {"2 1\n2\n1\n\n1\n", "there are more lines", 5, 1},
    {"% c\n2 2\n2\n1\n", "2 edges, but there are 1", 2, 1},
    {"3 1\n2\n1 3\n2\n", "1 edges, but there are 2", 1, 1},
    {"2 1\n3\n1\n", "3 is no node", 2, 1},
    {"2 1\n2\n 0\n", "0 is no node", 3, 2},
    {"2 1\n2 99999999999999999999\n1\n", "beyond 2^64", 2, 3},
    {"2 1\n2 b\n1\n", "the number of a neighbour", 2, 3},
    {"2 1\n2 1\n1\n", "node 1 is its own neighbour", 2, 3},
    {"2 1\n2 2\n1 1\n", "the neighbour 2 twice", 2, 1},
    {"3 2\n2 3\n1\n2\n", "node 1 has the neighbour 3, but not the other way", 2, 3},
    {"3 2\n2\n1\n2\n", "node 3 has the neighbour 2, but not the other way", 4, 1},
    {"2 1 1\n2 5\n1\n", "the weight of an edge", 3, 2},
    {"2 1 10\n5 2\n\n", "the weight of a node", 3, 1},
};

static void every_fault_is_told_at_its_place(void **state) {
    (void)state;
    check_faults(hd_metis_parse, faults, sizeof faults / sizeof *faults);
}

static void broken_files_are_refused(void **state) {
    (void)state;
    check_mutations(hd_metis_parse, "% c\n4 4\n2 3\n1 3\n1 2 4\n3\n", "0123459% \n\r-x\377", 20000);
    check_mutations(hd_metis_parse, "3 2 011 2\n7 7 2 5\n0 1 3 9 1 5\n3 3 2 9\n", "0123459% \n\r-x",
                    20000);
}

static void the_delaunay_mesh_has_its_size(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_graph *g = read_shared(arena, "delaunay_n15.graph");
    assert_true(g->nodes == 32768 && g->edges == 98274);
    hd_arena_free(arena);
}

static void other_endings_are_refused(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    heard h = {0};
    hd_graph *g;
    assert_int_equal(hd_graph_read(arena, &(const hd_diag){hear, &h}, "mesh.txt", &g), HD_EINPUT);
    assert_non_null(strstr(h.text, "NAME.graph"));
    assert_int_equal(hd_graph_read(arena, &(const hd_diag){hear, &h}, "/nowhere/a.graph", &g),
                     HD_EINPUT);
    assert_int_equal(h.errors, 2);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_mesh),
        cmocka_unit_test(every_fault_is_told_at_its_place),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(the_delaunay_mesh_has_its_size),
        cmocka_unit_test(other_endings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
