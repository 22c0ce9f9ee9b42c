/*
 * The reader of netlists that the benchmark of the machine uses (bench/netlist.h): graphs by
 * hand, the circuit b17 where it is there, and what is wrong in a file is told at its line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../bench/netlist.h"

typedef struct heard {
    char text[512];
    unsigned line;
} heard;

static void hear(const hd_message *m, void *user) {
    heard *h = user;
    snprintf(h->text, sizeof h->text, "%s", m->text);
    h->line = m->place.line;
}

static hd_status read_text(hd_arena *arena, const char *text, netlist **graph, heard *h) {
    const hd_diag diag = {hear, h};
    char path[] = "/tmp/heddle-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    hd_status status = netlist_read(arena, &diag, path, graph);
    unlink(path);
    return status;
}

static void reads_a_circuit(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    heard h = {0};
    netlist *g;
    /*  0: a   1: b   2: y = NAND(q, a)   3: q = DFF(y)   4: z = AND(a, b, a) */
    assert_int_equal(read_text(arena,
                               "# two inputs\n\nINPUT(a)\ninput( b )\r\nOUTPUT(y)\n"
                               "y = NAND(q, a) # used before it is defined\n"
                               "q = DFF(y)\n  z = AND(a,b,a)",
                               &g, &h),
                     HD_OK);
    static const int32_t first[] = {0, 3, 4, 5, 6, 6}, to[] = {2, 4, 4, 4, 3, 2};
    assert_int_equal(g->nodes, 5);
    assert_int_equal(g->edges, 6);
    assert_memory_equal(g->first, first, sizeof first);
    assert_memory_equal(g->to, to, sizeof to);
    assert_int_equal(g->input_count, 2);

    int32_t levels = 0;
    const int32_t *level = netlist_levels(arena, g, &levels);
    static const int32_t expected[] = {0, 0, 1, 2, 1};
    assert_memory_equal(level, expected, sizeof expected);
    assert_int_equal(levels, 3);
    hd_arena_free(arena);
}

static void faults_are_told_at_their_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
        unsigned line;
    } faults[] = {{"INPUT(a)\nb = NOT(c)\n", "defined nowhere", 2},
                  {"INPUT(a)\nb = NOT(a)\nINPUT(b)\n", "defined twice", 3},
                  {"INPUT a\n", "'(' is missing", 1},
                  {"INPUT(a\n", "')' is missing", 1},
                  {"INPUT()\n", "the name of a signal", 1},
                  {"INPUT(a)\nb = (a)\n", "the kind of a gate", 2},
                  {"INPUT(a)\nb\n", "no statement", 2},
                  {"= NOT(a)\n", "more on this line", 1},
                  {"INPUT(a) b\n", "more on this line", 1}};
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        hd_arena *arena = hd_arena_new();
        heard h = {0};
        netlist *g;
        assert_int_equal(read_text(arena, faults[f].text, &g, &h), HD_EINPUT);
        if (!strstr(h.text, faults[f].message) || h.line != faults[f].line)
            fail_msg("line %u: %s", h.line, h.text);
        hd_arena_free(arena);
    }
}

static void b17_has_its_size(void **state) {
    (void)state;
    const char *root = getenv("HEDDLE_SOURCE");
    hd_arena *arena = hd_arena_new();
    const char *path = hd_format(arena, "%s/../shared/data/b17.bench", root ? root : ".");
    netlist *g;
    heard h = {0};
    if (access(path, R_OK) != 0) {
        print_message("../shared/data/b17.bench is not there\n");
        hd_arena_free(arena);
        skip();
    }
    assert_int_equal(netlist_read(arena, &(const hd_diag){hear, &h}, path, &g), HD_OK);
    assert_int_equal(g->nodes, 32229);
    assert_int_equal(g->edges, 63200);
    assert_int_equal(g->input_count, 37);
    hd_arena_free(arena);
}

static void generated_ones_have_the_size_asked_for(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    netlist *g = netlist_generate(arena, 1000, 2100, 20);
    int32_t levels = 0;
    const int32_t *level = netlist_levels(arena, g, &levels);
    assert_int_equal(g->first[1000], 2100);
    assert_int_equal(g->input_count, 20);
    for (int32_t v = 0; v < 1000; v++)
        assert_true(level[v] >= 0 && level[v] < levels);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_circuit),
        cmocka_unit_test(faults_are_told_at_their_line),
        cmocka_unit_test(b17_has_its_size),
        cmocka_unit_test(generated_ones_have_the_size_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
