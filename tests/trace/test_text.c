/* The text form: read, written, and every fault at its line and column. */
#include "events.h"

/* ---- helpers -------------------------------------------------------------------- */

static const char *write_text(bench *b, const char *text) {
    const char *path = hd_format(b->arena, "%s/run.txt", b->folder);
    FILE *file = fopen(path, "w"); /* not hd_write_file(): that waits for the disk */
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0 || fclose(file), 0);
    return path;
}
static void text_bench_close(bench *b) {
    unlink(hd_format(b->arena, "%s/run.txt", b->folder));
    bench_close(b);
}

static hd_status add_text(void *user, const char *text, size_t length) {
    hd_str_addn(user, text, length);
    return HD_OK;
}

static hd_status read_text(bench *b, const char *path, const hd_sink *sink) {
    hd_trace_text *text;
    hd_status status = hd_trace_text_open(b->arena, &b->diag, path, NULL, &text);
    return status ? status : hd_trace_text_send(text, sink);
}

static const char *export(bench *b, const hd_trace_choice *choice, hd_trace_sums *sums) {
    hd_str *out = hd_new(b->arena, hd_str);
    out->arena = b->arena;
    hd_trace *trace;
    assert_int_equal(hd_trace_open(b->arena, &b->diag, b->path, &trace), HD_OK);
    assert_int_equal(hd_trace_text_write(trace, &b->diag, choice, add_text, out, sums), HD_OK);
    hd_trace_close(trace);
    return hd_str_text(out);
}

static hd_sink write_trace(bench *b, hd_trace_writer **writer) {
    const hd_trace_header header = {"run.txt", 31};
    assert_int_equal(hd_trace_create(b->arena, &b->diag, b->path, &header, writer), HD_OK);
    return hd_trace_sink(*writer);
}

/* Text to a trace file, and that to text again. */
static const char *import_and_export(bench *b, const char *text) {
    hd_trace_writer *writer;
    hd_trace_sums sums;
    hd_sink sink = write_trace(b, &writer);
    assert_int_equal(read_text(b, write_text(b, text), &sink), HD_OK);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    return export(b, &everything, &sums);
}

/* ---- reading and writing -------------------------------------------------------- */

static const char plain[] = "# heddle-trace-text 1\n"
                            "B 0 40\n"
                            "0 16 L 4 0:1000 1:1004 2:1008 39:109c\n"
                            "1 4195872 S 8 5:ffffffffffffffff\n"
                            "2 16 L 4 7:0 9:abcdef\n"
                            "B 3 40\n"
                            "B 7 40\n"
                            "0 0 A 1 0:5\n";

static void a_plain_text_comes_back(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    assert_string_equal(import_and_export(&b, plain), plain);
    assert_string_equal(import_and_export(&b, "# heddle-trace-text 1\n"),
                        "# heddle-trace-text 1\n");
    text_bench_close(&b);
}

/* A launch like that of a plain text which has something that its blocks do not show. */
static void what_blocks_do_not_show_is_written(void **state) {
    (void)state;
#define ACCESS_16 "# access 16 L 4 global - - - 0 0 0\n"
#define ACCESS_17 "# access 17 S 4 global - - - 0 0 0\n"
#define BLOCKS "B 0 40\n0 16 L 4 0:8\nB 3 40\n0 17 S 4 7:c\n"
    static const char *const texts[] = {
        "# launch 0 %00 1 5 1 1 40 1 1 0 0 0\n" ACCESS_16 ACCESS_17 BLOCKS, /* a block more */
        "# launch 0 %00 1 2 2 1 40 1 1 0 0 0\n" ACCESS_16 ACCESS_17 BLOCKS,
        "# launch 0 %00 1 4 1 1 5 8 1 0 0 0\n" ACCESS_16 ACCESS_17 BLOCKS,
        "# launch 0 %00 1 4 1 1 10 1 4 0 0 0\n" ACCESS_16 ACCESS_17 BLOCKS,
        "# launch 0 %00 1 4 1 1 40 1 1 0 0 9\n" ACCESS_16 ACCESS_17 BLOCKS,
        "# launch 0 %00 1 4 1 1 40 1 1 0 0 0\n" ACCESS_17 ACCESS_16 BLOCKS,
        "# launch 0 %00 1 4 1 1 40 1 1 0 0 0\n" ACCESS_16 ACCESS_17 /* an access more */
        "# access 18 A 8 global - - - 0 0 0\n" BLOCKS,
        "# launch 0 %00 1 4 1 1 40 1 1 0 0 0\n" ACCESS_16 ACCESS_17, /* no blocks */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bench b;
        bench_open(&b);
        const char *text = hd_format(b.arena, "# heddle-trace-text 1\n%s", texts[i]);
        assert_string_equal(import_and_export(&b, text), text);
        text_bench_close(&b);
    }
}

static void a_choice_is_exported(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    hd_trace_sums sums;
    import_and_export(&b, plain);
    assert_string_equal(export(&b, &(hd_trace_choice){0, 0, UINT64_MAX, 0}, &sums), plain);
    assert_true(sums.launches == 1 && sums.blocks == 3 && sums.mis == 4 && sums.lane_accesses == 8);
    assert_string_equal(export(&b, &(hd_trace_choice){-1, 5, 9, 0}, &sums),
                        "# heddle-trace-text 1\n"
                        "# launch 0 %00 1 8 1 1 40 1 1 0 0 0\n"
                        "# access 0 A 1 global - - - 0 0 0\n"
                        "# access 16 L 4 global - - - 0 0 0\n"
                        "# access 4195872 S 8 global - - - 0 0 0\n"
                        "B 7 40\n"
                        "0 0 A 1 0:5\n");
    assert_true(sums.launches == 1 && sums.blocks == 1 && sums.mis == 1 && sums.lane_accesses == 1);
    text_bench_close(&b);
}

static uint32_t spaces_of(bench *b, const char *lines) {
    hd_trace_text *text;
    const char *path = write_text(b, hd_format(b->arena, "# heddle-trace-text 1\n%s", lines));
    assert_int_equal(hd_trace_text_open(b->arena, &b->diag, path, NULL, &text), HD_OK);
    return hd_trace_text_spaces(text);
}

static void a_text_has_the_spaces_of_its_accesses(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    assert_int_equal(spaces_of(&b, ""), 1 << KIR_GLOBAL);
    assert_int_equal(spaces_of(&b, "B 0 40\n0 16 L 4 0:8\n"), 1 << KIR_GLOBAL);
    assert_int_equal(spaces_of(&b, "# launch 0 k 1 4 1 1 8 1 1 0 0 0\n"
                                   "# access 0 L 4 local - - - 0 0 0\n"),
                     1 << KIR_LOCAL);
    assert_int_equal(spaces_of(&b, "# launch 0 k 1 4 1 1 8 1 1 0 0 0\n"
                                   "# access 0 L 4 private - - - 0 0 0\n"
                                   "# launch 1 k 1 4 1 1 8 1 1 0 0 0\n"
                                   "# access 0 L 4 constant - - - 0 0 0\n"),
                     1 << KIR_PRIVATE | 1 << KIR_CONSTANT);
    text_bench_close(&b);
}

static void a_plain_text_is_a_launch(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    import_and_export(&b, plain);
    hd_trace *trace;
    assert_int_equal(hd_trace_open(b.arena, &b.diag, b.path, &trace), HD_OK);
    const hd_trace_contents *c = hd_trace_get(trace);
    assert_int_equal(c->launch_count, 1);
    const hd_event_launch *l = &c->launches[0].launch;
    assert_string_equal(l->kernel, "");
    assert_int_equal(l->block_count, 8);
    assert_int_equal(l->block_threads, 40);
    assert_int_equal(l->access_count, 3);
    static const uint64_t pcs[] = {0, 16, 4195872};
    static const hd_access_kind kinds[] = {HD_ATOMIC, HD_LOAD, HD_STORE};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(l->accesses[i].pc, pcs[i]);
        assert_int_equal(l->accesses[i].kind, kinds[i]);
        assert_int_equal(l->accesses[i].space, KIR_GLOBAL);
        assert_int_equal(l->accesses[i].buffer, -1);
    }
    assert_int_equal(c->launches[0].block_count, 3);
    assert_int_equal(c->launches[0].mis, 4);
    assert_int_equal(c->launches[0].lane_accesses, 8);
    hd_trace_close(trace);
    text_bench_close(&b);
}

/* Blanks, line ends and comments of other tools. */
static void other_ways_to_write_it_are_read(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    assert_string_equal(import_and_export(&b, "# heddle-trace-text 1 \r\n"
                                              "# launch of something, file and block\r\n"
                                              "# file x\n#\n   \n"
                                              "\tB  0\t2 \n"
                                              "  0 1  L 4 0:1F 1:00000000000000002f"),
                        "# heddle-trace-text 1\nB 0 2\n0 1 L 4 0:1f 1:2f\n");
    text_bench_close(&b);
}

/* Launches with all that a table can have, from events of all shapes. */
static void a_full_text_comes_back(void **state) {
    (void)state;
    static const spec specs[] = {
        {61, 33, 9, 4, 60, 3}, {62, 256, 3, 2, 100, 1}, {63, 1, 100, 2, 40, 2}};
    for (int i = 0; i < 3; i++) {
        bench b;
        bench_open(&b);
        hd_trace_writer *writer;
        hd_trace_sums sums;
        heard direct = {.arena = b.arena}, read = {.arena = b.arena};
        hd_sink sinks[2] = {write_trace(&b, &writer), heard_sink(&direct)};
        hd_sink both = hd_sink_tee(b.arena, sinks, 2);
        produce(&specs[i], &both, true);
        assert_int_equal(hd_trace_finish(writer, true), HD_OK);
        const char *text = export(&b, &everything, &sums);
        assert_string_equal(import_and_export(&b, text), text);

        hd_sink reading = heard_sink(&read);
        assert_int_equal(read_text(&b, write_text(&b, text), &reading), HD_OK);
        assert_true(direct.launch_hash == read.launch_hash);
        assert_int_equal(direct.blocks.count, read.blocks.count);
        for (size_t n = 0; n < read.blocks.count; n++) {
            assert_int_equal(direct.blocks.data[n]->hashes.count,
                             read.blocks.data[n]->hashes.count);
            assert_int_equal(direct.blocks.data[n]->lane_accesses,
                             read.blocks.data[n]->lane_accesses);
        }
        text_bench_close(&b);
    }
}

static void a_line_is_what_the_event_says(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    hd_trace_writer *writer;
    hd_trace_sums sums;
    hd_sink sink = write_trace(&b, &writer);
    const hd_event_buffer buffer = {"p q", "float4", KIR_CONSTANT, 0xff00, 64, 16, NULL};
    const hd_event_access access = {HD_STORE, KIR_CONSTANT, 4, 0, "%", "", 0, 3, 9, 0};
    const char *const files[] = {"a b.cl"};
    const hd_event_launch launch = {.number = 2,
                                    .kernel = "-",
                                    .dims = 1,
                                    .groups = {5, 1, 1},
                                    .local = {70, 1, 1},
                                    .offset = {1, 0, 0},
                                    .block_count = 5,
                                    .block_threads = 70,
                                    .files = files,
                                    .file_count = 1,
                                    .accesses = &access,
                                    .access_count = 1,
                                    .buffers = &buffer,
                                    .buffer_count = 1};
    sink.launch(sink.self, &launch);
    const uint64_t mask[] = {0x8000000000000001, 2};
    void *first = sink.open_block(sink.self, 1), *second = sink.open_block(sink.self, 4);
    hd_event e = {
        .threads = 70, .active = 3, .position = 8, .mask = mask, .base = 0x1000, .stride = -16};
    sink.event(second, &e);
    sink.close_block(sink.self, second, 4, true);
    sink.event(first, &e);
    e.position = 10;
    sink.event(first, &e);
    sink.close_block(sink.self, first, 1, true);
    assert_int_equal(sink.end_launch(sink.self, false), HD_OK);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    const char *expected = "# heddle-trace-text 1\n"
                           "# launch 2 %2d 1 5 1 1 70 1 1 1 0 0\n"
                           "# file a%20b.cl\n"
                           "# buffer p%20q float4 constant ff00 64 16 -\n"
                           "# access 0 S 4 constant 0 %25 %00 0 3 9\n"
                           "B 1 70\n"
                           "0 0 S 4 0:1000 63:c10 65:bf0\n"
                           "1 0 S 4 0:1000 63:c10 65:bf0\n"
                           "B 4 70\n"
                           "0 0 S 4 0:1000 63:c10 65:bf0\n"
                           "# launch stopped\n";
    assert_string_equal(export(&b, &everything, &sums), expected);
    /* What was stopped is not in a trace file. */
    const char *stopped = strstr(expected, "B 4");
    assert_string_equal(
        import_and_export(&b, hd_format(b.arena, "%.*s# block stopped\n%s",
                                        (int)(stopped - expected), expected, stopped)),
        hd_format(b.arena, "%.*s%s", (int)(strstr(expected, "B 1") - expected), expected, stopped));
    text_bench_close(&b);
}

/* An export that is stopped says so in the text, inside a block, too. */
static void a_stopped_export_says_so(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    write_spec(&b, &(spec){64, 4096, 3, 2, 300, 1}); /* more than goes between two looks */
    const volatile sig_atomic_t stop = 1;
    const hd_trace_watch watch = {.stop = &stop};
    hd_trace_sums sums;
    const char *text = export(&b, &(hd_trace_choice){-1, 0, UINT64_MAX, 0, &watch}, &sums);
    const char *end = "\n# block stopped\n# launch stopped\n";
    assert_string_equal(text + strlen(text) - strlen(end), end);
    assert_true(sums.blocks == 1 && sums.mis < 300);
    text_bench_close(&b);
}

/* A sink that cannot be written to says so at the end of the launch. */
static hd_status refuse(void *user, const char *text, size_t length) {
    (void)text;
    (void)length;
    return ++*(int *)user < 3 ? HD_OK : HD_ESYSTEM;
}
static void a_refusal_is_passed_on(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    int calls = 0;
    hd_trace *trace;
    hd_trace_sums sums;
    import_and_export(&b, plain);
    assert_int_equal(hd_trace_open(b.arena, &b.diag, b.path, &trace), HD_OK);
    assert_int_equal(hd_trace_text_write(trace, &b.diag, &everything, refuse, &calls, &sums),
                     HD_ESYSTEM);
    assert_int_equal(calls, 3);
    hd_trace_close(trace);
    text_bench_close(&b);
}

/* ---- faults
 * ---------------------------------------------------------------------------------------- */

typedef struct fault {
    const char *text; /* after the first line */
    unsigned line, column;
    const char *words;
} fault;

#define LAUNCH "# launch 0 k 1 4 1 1 8 1 1 0 0 0\n"
static const fault faults[] = {
    {"B 0 8\n0 0 L 4 0:0\n0 0 L 4 0:0\n", 4, 1, "position is 0, but 1"},
    {"B 0 8\n0 0 L 4 0:0\n2 0 L 4 0:0\n", 4, 1, "position is 2, but 1"},
    {"B 0 8\n1 0 L 4 0:0\n", 3, 1, "position is 1, but 0"},
    {"B 0 8\n0 0 L 4 0:0 8:0\n", 3, 13, "thread 8 is beyond the block, which has 8"},
    {"B 0 8\n0 0 L 4 1:0 1:0\n", 3, 13, "ascending"},
    {"B 0 8\n0 0 L 4 2:0 1:0\n", 3, 13, "ascending"},
    {"B 0 8\n0 0 L 4\n", 3, 8, "a thread and its address"},
    {"B 0 8\n0 0 L 4 0\n", 3, 9, "colon"},
    {"B 0 8\n0 0 L 4 0:\n", 3, 9, "hexadecimal"},
    {"B 0 8\n0 0 L 4 0:0x10\n", 3, 9, "hexadecimal"},
    {"B 0 8\n0 0 L 4 0:10000000000000000\n", 3, 9, "hexadecimal"},
    {"B 0 8\n0 0 L 4 0:0\n1 0 L 8 0:0\n", 4, 3, "one pc has one width"},
    {"B 0 8\n0 0 L 4 0:0\n1 0 S 4 0:0\n", 4, 3, "was L before"},
    {"B 0 8\n0 0 X 4 0:0\n", 3, 5, "L, S or A"},
    {"B 0 8\n0 0 LS 4 0:0\n", 3, 5, "L, S or A"},
    {"B 0 8\n0 0 L 0 0:0\n", 3, 7, "at least one byte"},
    {"B 0 8\n0 0 L 65537 0:0\n", 3, 7, "65536 at most"},
    {"B 0 8\n0 zero L 4 0:0\n", 3, 3, "'zero' is not a pc"},
    {"B 0 8\n0 -1 L 4 0:0\n", 3, 3, "'-1' is not a pc"},
    {"B 0 8\n0 18446744073709551616 L 4 0:0\n", 3, 3, "decimal number up to 18446744073709551615"},
    {"B 0 8\n0\n", 3, 2, "here must be a pc"},
    {"B 0 8\nhello\n", 3, 1, "'hello' is not a position"},
    {"0 0 L 4 0:0\n", 2, 1, "inside a block"},
    {"B 0 8\nB 0 8\n", 3, 3, "block 0 comes after block 0"},
    {"B 5 8\nB 3 8\n", 3, 3, "ascending"},
    {"B 0 8\nB 1 9\n", 3, 3, "blocks of 8 threads, not of 9"},
    {"B 0 0\n", 2, 3, "at least one thread"},
    {"B 0 65537\n", 2, 5, "65536 at most"},
    {"B 0\n", 2, 4, "number of threads"},
    {"B 0 8 1\n", 2, 7, "must end here"},
    {"Block 0 8\n", 2, 2, "'lock' is not the block's number"},
    {LAUNCH "B 4 8\n", 3, 3, "only 4 blocks"},
    {LAUNCH "B 0 9\n", 3, 3, "blocks of 8 threads"},
    {LAUNCH "B 0 8\n0 3 L 4 0:0\n", 4, 3, "pc 3 has no '# access' line"},
    {LAUNCH "B 0 8\n" LAUNCH, 4, 10, "launch 0 comes after launch 0"},
    {LAUNCH "B 0 8\n# file x\n", 4, 1, "between"},
    {LAUNCH "# access 1 L 4 global 0 - - 0 0 0\n", 3, 23, "there is no buffer yet"},
    {LAUNCH "# access 1 L 4 somewhere - - - 0 0 0\n", 3, 16, "no space"},
    {LAUNCH "# access 1 L 4 global - - - 0 0 0\n# access 1 L 4 global - - - 0 0 0\n", 4, 10,
     "already"},
    {LAUNCH "# access 1 L 4 global - - - 0 0 0\n# access 0 L 4 global - - - 0 0 0\n", 4, 10,
     "pc 0 must be the first"},
    {LAUNCH "# access 1 L 4 global - - - 0 5 0\n", 2, 1, "file that is not in the table"},
    {LAUNCH "# field f int 0 4 4 1 -\n", 3, 1, "follow its record"},
    {LAUNCH "# record r r 8 4\n# field f int 6 4 4 1 -\n# buffer b r global 0 8 8 0\n", 2, 1,
     "not inside its record"},
    {LAUNCH "# record r r 8 4\n# field f int 0 4 4 1 0\n", 4, 23, "no record yet"},
    {LAUNCH "# file -\n", 2, 1, "file of the table has no name"},
    {LAUNCH "# file %2\n", 3, 8, "two hexadecimal digits"},
    {LAUNCH "# buffer b int global xyz 4 4 -\n", 3, 23, "hexadecimal"},
    {"# launch 0 k 4 4 1 1 8 1 1 0 0 0\n", 2, 1, "dimensions"},
    {"# launch 0 k 1 4 1 1 8 1 1 0 0\n", 2, 31, "an offset"},
    {"# launch 0 - 1 4 1 1 8 1 1 0 0 0\n", 2, 1, "no kernel"},
    {"# launch 0 k 1 4 0 1 8 1 1 0 0 0\n", 2, 1, "number of blocks"},
    {"# launch 0 k 2 4294967296 4294967296 1 8 1 1 0 0 0\n", 2, 1, "larger than any"},
    {"# block stopped\n", 2, 1, "no block"},
    {"# launch stopped\n", 2, 1, "no launch"},
    {LAUNCH "B 0 8\n# block stopped\n0 0 L 4 0:0\n", 5, 1, "inside a block"},
};

/* Records with `fields` fields each of the record before, `count` of them; a buffer of the last. */
static const char *nested_records(bench *b, int count, int fields) {
    hd_str text = {.arena = b->arena};
    hd_str_add(&text, "# heddle-trace-text 1\n" LAUNCH);
    for (int r = 0; r < count; r++) {
        hd_str_printf(&text, "# record r%d r 8 4\n", r);
        for (int f = 0; f < fields; f++)
            hd_str_printf(&text, r ? "# field f%d r 0 8 4 1 %d\n" : "# field f%d int 0 4 4 1 -\n",
                          f, r - 1);
    }
    hd_str_printf(&text, "# buffer b r global 0 8 8 %d\nB 0 8\n", count - 1);
    return hd_str_text(&text);
}

/* Text that would be read without any end of fields is refused; what is just in bounds is not. */
static void nested_records_are_bounded(void **state) {
    (void)state;
    static const struct {
        int count, fields;
        bool fine;
    } cases[] = {{26, 2, false}, {11, 2, true}, {12, 2, false}, {64, 1, true}, {65, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        bench_open(&b);
        const char *path = write_text(&b, nested_records(&b, cases[i].count, cases[i].fields));
        heard h = {.arena = b.arena};
        hd_sink sink = heard_sink(&h);
        assert_int_equal(read_text(&b, path, &sink), cases[i].fine ? HD_OK : HD_EINPUT);
        assert_int_equal(b.messages.count, !cases[i].fine);
        if (!cases[i].fine) {
            assert_int_equal(b.messages.line, 2);
            assert_non_null(strstr(b.messages.text, "more than 4096 fields"));
        }
        text_bench_close(&b);
    }
}

/* A sink that must hear nothing. */
static hd_status unheard(void *self, const hd_event_launch *launch) {
    (void)self;
    (void)launch;
    fail();
    return HD_OK;
}

static void every_fault_is_found_at_its_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        bench b;
        bench_open(&b);
        hd_sink sink = {.launch = unheard};
        const char *text = hd_format(b.arena, "# heddle-trace-text 1\n%s", faults[i].text);
        assert_int_equal(read_text(&b, write_text(&b, text), &sink), HD_EINPUT);
        assert_int_equal(b.messages.count, 1);
        if (b.messages.line != faults[i].line || b.messages.column != faults[i].column ||
            !strstr(b.messages.text, faults[i].words))
            fail_msg("%s: %u:%u: %s", faults[i].text, b.messages.line, b.messages.column,
                     b.messages.text);
        text_bench_close(&b);
    }
}

static void the_first_line_says_what_it_is(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } bad[] = {{"", "first line must be"},
               {"B 0 8\n", "first line must be"},
               {"# heddle-trace-text\n", "first line must be"},
               {"# heddle-trace-text 1x\n", "first line must be"},
               {"# heddle-trace-text 0\n", "first line must be"},
               {"# heddle-trace-text 2\n", "version 2"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bench b;
        bench_open(&b);
        hd_sink sink = {.launch = unheard};
        assert_int_equal(read_text(&b, write_text(&b, bad[i].text), &sink), HD_EINPUT);
        assert_int_equal(b.messages.count, 1);
        assert_int_equal(b.messages.line, 1);
        assert_non_null(strstr(b.messages.text, bad[i].words));
        text_bench_close(&b);
    }
    bench b;
    bench_open(&b);
    hd_sink sink = {0};
    assert_int_equal(read_text(&b, "/nowhere/x", &sink), HD_EINPUT);
    text_bench_close(&b);
}

/* Text changed at random is read, or has one located fault. */
static void random_texts_are_read_or_refused(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const spec s = {71, 9, 4, 3, 12, 2};
    hd_trace_sums sums;
    write_spec(&b, &s);
    const char *whole = export(&b, &everything, &sums);
    uint64_t random = 5;
    unsigned refused = 0;
    for (int i = 0; i < 3000; i++) {
        hd_arena *arena = hd_arena_new();
        char *text = hd_strdup(arena, whole);
        size_t length = strlen(text);
        for (uint64_t n = random_below(&random, 3); n; n--) {
            static const char pool[] = " \n#:-%0189afBLSA";
            size_t at = random_below(&random, length);
            if (random_below(&random, 3)) {
                text[at] = pool[random_below(&random, sizeof pool - 1)];
                continue;
            }
            size_t count = random_below(&random, length - at < 40 ? length - at : 40);
            memmove(text + at, text + at + count, length - at - count + 1);
            length -= count;
        }
        heard h = {.arena = arena};
        hd_sink reading = heard_sink(&h);
        b.messages.count = 0;
        const char *path = write_text(&b, text);
        hd_trace_text *read;
        hd_status status = hd_trace_text_open(arena, &b.diag, path, NULL, &read);
        if (!status)
            status = hd_trace_text_send(read, &reading);
        assert_int_equal(b.messages.count, status != HD_OK);
        assert_true(!status || (b.messages.line && b.messages.column && !h.blocks.count));
        refused += status != HD_OK;
        hd_arena_free(arena);
    }
    assert_true(refused > 500 && refused < 2500);
    text_bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_text_comes_back),
        cmocka_unit_test(what_blocks_do_not_show_is_written),
        cmocka_unit_test(a_choice_is_exported),
        cmocka_unit_test(a_text_has_the_spaces_of_its_accesses),
        cmocka_unit_test(a_plain_text_is_a_launch),
        cmocka_unit_test(other_ways_to_write_it_are_read),
        cmocka_unit_test(a_full_text_comes_back),
        cmocka_unit_test(a_line_is_what_the_event_says),
        cmocka_unit_test(a_stopped_export_says_so),
        cmocka_unit_test(a_refusal_is_passed_on),
        cmocka_unit_test(every_fault_is_found_at_its_place),
        cmocka_unit_test(the_first_line_says_what_it_is),
        cmocka_unit_test(nested_records_are_bounded),
        cmocka_unit_test(random_texts_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
