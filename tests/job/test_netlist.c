/* Reading .bench netlists: circuits by hand, b17 where it is there, and every fault. */
#include "job/graph_fixture.h"

static void reads_a_circuit(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    heard h = {0};
    hd_graph *g;
    /*  0: a   1: b   2: y = NAND(q, a)   3: q = DFF(y)   4: z = AND(a, b, a) */
    static const char text[] = "# two inputs\n\nINPUT(a)\ninput( b )\r\nOUTPUT(y)\n"
                               "y = nand(q, a) # used before it is defined\n"
                               "q = DFF(y)\n  z = AND(a,b,a)";
    assert_int_equal(
        hd_netlist_parse(arena, &(const hd_diag){hear, &h}, "a.bench", text, strlen(text), &g),
        HD_OK);
    static const uint32_t first[] = {0, 3, 4, 5, 6, 6}, to[] = {2, 4, 4, 4, 3, 2};
    static const uint8_t gates[] = {HD_GATE_INPUT, HD_GATE_INPUT, HD_GATE_NAND, HD_GATE_DFF,
                                    HD_GATE_AND};
    static const int32_t level[] = {0, 0, 1, 0, 1};
    assert_true(g->nodes == 5 && g->edges == 6 && g->directed);
    assert_memory_equal(g->first, first, sizeof first);
    assert_memory_equal(g->to, to, sizeof to);
    assert_memory_equal(g->gates, gates, sizeof gates);
    assert_memory_equal(hd_graph_levels(arena, g)->level, level, sizeof level);
    hd_arena_free(arena);
}

static const fault faults[] = {
    {"", "no input and no gate", 1, 1},
    {"# nothing\n", "no input and no gate", 2, 1},
    {"INPUT(a)\nb = NOT(c)\n", "'c' is defined nowhere", 2, 9},
    {"INPUT(a)\nOUTPUT(ab)\n", "'ab' is defined nowhere", 2, 8},
    {"INPUT(a)\nb = NOT(a)\nINPUT(b)\n", "'b' is defined twice", 3, 7},
    {"INPUT(a)\nINPUT(b)\nINPUT(a)\nINPUT(b)\n", "'a' is defined twice", 3, 7},
    {"INPUT(a)\nx = AND(a, y)\ny = NOT(x)\n", "-> ", 2, 1},
    {"INPUT(a)\n  x = AND(a, x)\n", "x -> x; put a DFF", 2, 3},
    {"INPUT(a)\nq = DFF(x)\nx = AND(q, z)\ny = NOT(x)\nz = NOT(y)\n", "no flip-flop", 3, 1},
    {"INPUT a\n", "'(' is missing", 1, 7},
    {"INPUT(a\n", "')' is missing", 1, 8},
    {"INPUT()\n", "the name of a signal", 1, 7},
    {"INPUT(a)\nb = AND(a,)\n", "the name of a signal", 2, 11},
    {"INPUT(a)\nb = (a)\n", "the kind of a gate", 2, 5},
    {"INPUT(a)\nb = NAN(a)\n", "'NAN' is no kind of gate", 2, 5},
    {"INPUT(a)\nb = INPUT(a)\n", "'INPUT' is no kind of gate", 2, 5},
    {"INPUT(a)\nb = NOT(a, a)\n", "take one operand; 'b' has 2", 2, 8},
    {"INPUT(a)\nb\n", "no statement", 2, 2},
    {"= NOT(a)\n", "more on this line", 1, 1},
    {"INPUT(a) b\n", "more on this line", 1, 10},
    {"INPUT(a)\nb = NOT(a)\n\001\n", "more on this line", 3, 1},
};

static void every_fault_is_told_at_its_place(void **state) {
    (void)state;
    check_faults(hd_netlist_parse, faults, sizeof faults / sizeof *faults);
}

static void broken_files_are_refused(void **state) {
    (void)state;
    check_mutations(hd_netlist_parse,
                    "# c\nINPUT(a)\nINPUT(b)\nOUTPUT(y)\ny = NAND(q, a)\nq = DFF(y)\n"
                    "z = AND(a, b, y)\nw = NOT(z)\r\n",
                    "abyqzw(),=#\n\r \t\001\377NOTDF", 20000);
}

static void a_byte_that_ends_strings_ends_no_file(void **state) {
    (void)state;
    assert_false(check_any(hd_netlist_parse, "INPUT(a)\n\0INPUT(b)\n", 19));
    assert_false(check_any(hd_netlist_parse, "INPUT(a\0)\n", 10));
}

static void b17_has_its_size(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_graph *g = read_shared(arena, "b17.bench");
    uint32_t kinds[HD_GATE_KINDS] = {0};
    for (uint32_t v = 0; v < g->nodes; v++)
        kinds[g->gates[v]]++;
    assert_true(g->nodes == 32229 && g->edges == 63200);
    assert_true(kinds[HD_GATE_INPUT] == 37 && kinds[HD_GATE_DFF] == 1415 &&
                kinds[HD_GATE_NAND] == 21815);
    assert_int_equal(hd_graph_levels(arena, g)->count, 93);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_circuit),
        cmocka_unit_test(every_fault_is_told_at_its_place),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(a_byte_that_ends_strings_ends_no_file),
        cmocka_unit_test(b17_has_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
