/* Graphs in jobs: buffers filled from one, launches for its levels, and every mistake. */
#include "job/fixture.h"

/*  0: a   1: b   2: y = NAND(q, a)   3: q = DFF(y)   4: z = AND(a, b, y)   5: w = NOT(z) */
static const char netlist[] = "INPUT(a)\nINPUT(b)\ny = NAND(q, a)\nq = DFF(y)\n"
                              "z = AND(a, b, y)\nw = NOT(z)\n";
static const char mesh[] = "3 2\n2\n1 3\n2\n";

static int setup(void **state) {
    fixture_setup(state);
    fixture *f = *state;
    fixture_write(f, "raw.bin", "", 0);
    fixture_write(f, "c.bench", netlist, strlen(netlist));
    fixture_write(f, "m.graph", mesh, strlen(mesh));
    fixture_write(f, "bad.bench", "INPUT(a)\nb = NOT(c)\n", 20);
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    unlink(hd_format(f->arena, "%s/c.bench", f->folder));
    unlink(hd_format(f->arena, "%s/m.graph", f->folder));
    unlink(hd_format(f->arena, "%s/bad.bench", f->folder));
    return fixture_teardown(state);
}

#define GRAPHS "kernel: k.cl\ngraphs:\n  - {name: c, file: c.bench}\n  - {name: m, file: m.graph}\n"
#define RUN                                                                                      \
    "launches: [{kernel: fixed, global: [64], args: [{name: a, buffer: a}]}]\nrecord: cell\n"    \
    "buffers:\n  - {name: a, type: float, count: 64}\n  - {name: cells, type: cell, count: 1}\n"

static const hd_buffer *filled(fixture *f, const char *buffer, const void **bytes) {
    hd_job *job;
    const char *text = hd_format(f->arena, GRAPHS RUN "  - %s\n", buffer);
    if (fixture_read(f, text, &job) != HD_OK ||
        hd_job_resolve(f->arena, &f->diag, job, f->module) != HD_OK)
        fail_msg("%u:%u: %s", f->seen.line, f->seen.column, f->seen.text);
    assert_int_equal(hd_job_contents(f->arena, &f->diag, &job->buffers[2], (void **)bytes), HD_OK);
    return &job->buffers[2];
}

static void buffers_take_parts_and_counts(void **state) {
    fixture *f = *state;
    static const struct {
        const char *init;
        uint64_t count;
        uint32_t numbers[7];
    } parts[] = {{"{graph: c, part: first}", 7, {0, 2, 3, 5, 6, 7, 7}},
                 {"{graph: c, part: predecessors}", 7, {0, 3, 2, 0, 1, 2, 4}},
                 {"{graph: c, part: levels}", 6, {0, 0, 1, 0, 2, 3}},
                 {"{graph: c, part: order}", 6, {0, 1, 3, 2, 4, 5}},
                 {"{graph: c, part: gates}", 6, {0, 0, 5, 1, 4, 3}},
                 {"{graph: m, part: to}", 4, {1, 0, 2, 1}},
                 {"{graph: m, part: edge_to}", 2, {1, 2}}};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        const void *bytes;
        const hd_buffer *b = filled(
            f, hd_format(f->arena, "{name: p, type: uint, init: [%s]}", parts[p].init), &bytes);
        assert_int_equal(b->count, parts[p].count);
        assert_memory_equal(bytes, parts[p].numbers, parts[p].count * sizeof(uint32_t));
    }
}

static void fields_take_parts(void **state) {
    fixture *f = *state;
    const struct cell {
        uint32_t a;
        double b;
    } *cells;
    const hd_buffer *buffer = filled(f,
                                     "{name: p, type: cell, init: [{field: a, graph: c, part: "
                                     "predecessor_first},\n"
                                     "     {field: b, graph: c, part: predecessor_end}]}",
                                     (const void **)&cells);
    static const uint32_t first[] = {0, 0, 0, 2, 3, 6, 7};
    assert_int_equal(buffer->count, 6);
    for (int i = 0; i < 6; i++)
        assert_true(cells[i].a == first[i] && cells[i].b == first[i + 1]);
    const float *numbers;
    assert_int_equal(filled(f, "{name: p, type: float, init: [{graph: c, part: order}]}",
                            (const void **)&numbers)
                         ->count,
                     6);
    assert_true(numbers[2] == 3 && numbers[5] == 5);
}

static void generators_make_graphs(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(fixture_read(f,
                                  "kernel: k.cl\ngraphs:\n"
                                  "  - {name: m, generator: mesh, nodes: 1e3, edges: 5000}\n"
                                  "  - {name: n, generator: netlist, nodes: 500, seed: 3}\n"
                                  "launches: [{kernel: k, global: [64]}]\n",
                                  &job),
                     HD_OK);
    assert_int_equal(job->graph_count, 2);
    assert_true(job->graphs[0].graph->nodes == 1000 && job->graphs[0].graph->edges == 5000);
    assert_true(job->graphs[1].graph->nodes == 500 && job->graphs[1].graph->gates);
    assert_int_equal(job->graphs[1].place.line, 4);
}

static void a_launch_for_each_level(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(
        fixture_read(f,
                     GRAPHS "launches:\n"
                            "  - kernel: k\n    for_levels: c\n    local: [2]\n    repeat: 3\n"
                            "    args: [{name: l, level: number}, {name: f, level: first}, {name: "
                            "n, level: count}, {name: v, value: 9}]\n"
                            "  - {kernel: k, for_levels: c, first_level: 1, last_level: 2, global: "
                            "[64, 2]}\n"
                            "  - {kernel: k, for_levels: m}\n  - {kernel: k, global: [8]}\n",
                     &job),
        HD_OK);
    assert_int_equal(job->launch_count, 4 + 2 + 3 + 1);
    static const char *const texts[][3] = {
        {"0", "0", "3"}, {"1", "3", "1"}, {"2", "4", "1"}, {"3", "5", "1"}};
    for (uint32_t l = 0; l < 4; l++) {
        const hd_launch *launch = &job->launches[l];
        assert_true(launch->global[0] == (l ? 2 : 4) && launch->local[0] == 2 && launch->dims == 1);
        assert_true(launch->repeat == 3 && launch->place.line == 6 && launch->arg_count == 4);
        for (uint32_t a = 0; a < 3; a++) {
            assert_int_equal(launch->args[a].kind, HD_ARG_VALUE);
            assert_string_equal(launch->args[a].value_text, texts[l][a]);
        }
        assert_string_equal(launch->args[3].value_text, "9");
    }
    assert_true(job->launches[4].global[0] == 64 && job->launches[5].dims == 2);
    assert_true(job->launches[6].global[0] == 256 && job->launches[6].local[0] == 256);
    assert_true(job->launches[9].global[0] == 8);
}

static void blocks_of_cuda_follow_levels(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(fixture_read(f,
                                  "kernel: k.cu\ngraphs: [{name: c, file: c.bench}]\n"
                                  "launches: [{kernel: k, for_levels: c, threads: [2]}]\n",
                                  &job),
                     HD_OK);
    assert_int_equal(job->launch_count, 4);
    assert_true(job->launches[0].global[0] == 4 && job->launches[0].local[0] == 2);
    assert_true(job->launches[1].global[0] == 2 && job->launches[1].local[0] == 2);
}

#define LAUNCH "launches: [{kernel: fixed, global: [64], args: [{name: a, buffer: a}]}]\n"
#define ONE(graph) "kernel: k.cl\n" LAUNCH "graphs: [" graph "]\n"
#define FILL(buffer) GRAPHS LAUNCH "buffers:\n  - " buffer "\n"
#define LEVELS(launch) GRAPHS "launches:\n  - {kernel: k, " launch "}\n"

static const struct {
    const char *text;
    unsigned line, column;
    const char *said[2];
} mistakes[] = {
    {ONE("{file: c.bench}"), 3, 10, {"'name' of graph 1 is missing"}},
    {ONE("{name: g}"), 3, 10, {"either 'file'", "or 'generator'"}},
    {ONE("{name: g, file: c.bench, generator: mesh}"), 3, 10, {"either 'file'"}},
    {ONE("{name: g, file: c.bench, nodes: 5}"), 3, 10, {"are for generators"}},
    {ONE("{name: g, generator: ring}"), 3, 31, {"unknown generator 'ring'", "mesh, netlist"}},
    {ONE("{name: g, generator: mesh, nodes: 0}"), 3, 44, {"'nodes: 0'"}},
    {ONE("{name: g, generator: mesh, nodes: 99999999999999999999}"), 3, 44, {"'nodes: 9999"}},
    {ONE("{name: g, generator: mesh, nodes: 1e12}"), 3, 10, {"not 1000000000000"}},
    {ONE("{name: g, generator: mesh, nodes: 8, edges: 29}"), 3, 10, {"from 0 to 28 edges"}},
    {ONE("{name: g, file: c.bench}, {name: g, file: m.graph}"), 3, 43, {"two graphs named 'g'"}},
    {ONE("{name: g, file: c.txt}"), 0, 0, {"NAME.bench"}},
    {ONE("{name: g, file: nowhere.graph}"), 0, 0, {"cannot open"}},
    {ONE("{name: g, file: bad.bench}"), 2, 9, {"'c' is defined nowhere"}},
    {ONE("g"), 3, 10, {"every entry of 'graphs' must be a mapping"}},
    {FILL("{name: p, type: uint, init: [{graph: d, part: to}]}"), 7, 42, {"no graph 'd'", "c, m"}},
    {FILL("{name: p, type: uint, init: [{graph: c, part: at}]}"), 7, 51, {"part 'at'", "edge_to"}},
    {FILL("{name: p, type: uint, init: [{graph: m, part: gates}]}"), 7, 51, {"only circuits"}},
    {FILL("{name: p, type: uint, init: [{graph: c}]}"), 7, 34, {"go together"}},
    {FILL("{name: p, type: uint, init: [{part: to}]}"), 7, 34, {"go together"}},
    {FILL("{name: p, type: uint, init: [{graph: c, part: to, seed: 1}]}"), 7, 34, {"no generator"}},
    {FILL("{name: p, type: uint, init: [{low: 1}]}"), 7, 34, {"needs a 'generator'"}},
    {FILL("{name: p, type: uint, init: [{generator: zero}]}"), 7, 5, {"'count' of buffer 1"}},
    {FILL("{name: p, type: uint, count: 5, init: [{graph: c, part: to}]}"),
     7,
     44,
     {"has 7 numbers", "buffer 'p' takes 5; leave its 'count' out"}},
    {FILL("{name: p, type: uint2, init: [{graph: c, part: to}]}"),
     7,
     35,
     {"takes 14", "one scalar"}},
    {LEVELS("for_levels: d"), 6, 29, {"no graph 'd'", "c, m"}},
    {LEVELS("for_levels: c, first_level: 4"), 6, 5, {"levels 4 to 3", "0 to 3"}},
    {LEVELS("for_levels: c, last_level: 4"), 6, 5, {"levels 0 to 4"}},
    {LEVELS("for_levels: c, first_level: x"), 6, 45, {"'first_level: x'"}},
    {LEVELS("global: [64], first_level: 1"), 6, 44, {"'for_levels'"}},
    {LEVELS("for_levels: c, local: [2, 2]"), 6, 39, {"one dimension"}},
    {LEVELS("for_levels: c, args: [{name: a, level: size}]"), 6, 56, {"number, first and count"}},
    {LEVELS("for_levels: c, args: [{name: a, level: first, value: 1}]"), 6, 39, {"exactly one"}},
    {LEVELS("global: [64], args: [{name: a, level: first}]"), 6, 55, {"with 'for_levels'"}},
};

static void every_mistake_is_one_located_message(void **state) {
    fixture *f = *state;
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        hd_job *job;
        hd_status status = fixture_read(f, mistakes[m].text, &job);
        if (status == HD_OK)
            status = hd_job_resolve(f->arena, &f->diag, job, f->module);
        bool named = true;
        for (size_t s = 0; s < 2 && mistakes[m].said[s]; s++)
            named = named && strstr(f->seen.text, mistakes[m].said[s]);
        bool there = f->seen.line == mistakes[m].line && f->seen.column == mistakes[m].column;
        if (status != HD_EINPUT || f->seen.errors != 1 || !named || (!there && mistakes[m].line))
            fail_msg("mistake %zu: status %d, %u errors, at %u:%u: %s\n%s", m, status,
                     f->seen.errors, f->seen.line, f->seen.column, f->seen.text, mistakes[m].text);
    }
}

/* 300 nodes do not fit into bytes. */
static void numbers_must_fit(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(fixture_read(f,
                                  "kernel: k.cl\ngraphs: [{name: g, generator: mesh, nodes: 300}]\n"
                                  "buffers: [{name: p, type: uchar, init: [{graph: g, part: "
                                  "order}]}]\nlaunches: [{kernel: k, global: [64]}]\n",
                                  &job),
                     HD_OK);
    assert_int_equal(hd_job_resolve(f->arena, &f->diag, job, f->module), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "goes up to 299"));
    assert_int_equal(f->seen.line, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(buffers_take_parts_and_counts),
        TEST(fields_take_parts),
        TEST(generators_make_graphs),
        TEST(a_launch_for_each_level),
        TEST(blocks_of_cuda_follow_levels),
        TEST(every_mistake_is_one_located_message),
        TEST(numbers_must_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
