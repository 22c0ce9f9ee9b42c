/* Messages, figures, tables and JSON, as they reach the reader. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/report/report_result.h"
#include "cli/report/members.h"

/* What the printer writes for one message; to be freed. */
static char *printed(hd_printer printer, hd_message message) {
    char *text = NULL;
    size_t length = 0;
    printer.out = open_memstream(&text, &length);
    assert_non_null(printer.out);
    hd_print_message(&message, &printer);
    fclose(printer.out);
    char *copy = strdup(text);
    free(text);
    return copy;
}

static void expect(hd_printer printer, hd_message message, const char *text) {
    char *got = printed(printer, message);
    assert_string_equal(got, text);
    free(got);
}

static void message_shows_line_and_caret(void **state) {
    (void)state;
    hd_message m = {HD_ERROR, {"a.cl", 3, 5, "\tif x\xc3\xa9y"}, "no '(' here; add one"};
    expect((hd_printer){0}, m,
           "a.cl:3:5: error: no '(' here; add one\n    \tif x\xc3\xa9y\n    \t   ^\n");
    m.place.column = 8; /* bytes 6 and 7 are one letter */
    expect((hd_printer){0}, m,
           "a.cl:3:8: error: no '(' here; add one\n    \tif x\xc3\xa9y\n    \t     ^\n");
    m.place.column = 99; /* beyond the line: no caret, and no harm */
    expect((hd_printer){0}, m, "a.cl:3:99: error: no '(' here; add one\n    \tif x\xc3\xa9y\n");
}

static void message_without_place(void **state) {
    (void)state;
    hd_message m = {HD_WARNING, {0}, "text"};
    expect((hd_printer){0}, m, "heddle: warning: text\n");
    expect((hd_printer){.quiet = true}, m, "");
    m.place.file = "job.yaml";
    expect((hd_printer){0}, m, "job.yaml: warning: text\n");
    m.severity = HD_ERROR;
    expect((hd_printer){.quiet = true}, m, "job.yaml: error: text\n");
}

static void message_never_drives_the_terminal(void **state) {
    (void)state;
    hd_message m = {HD_ERROR, {"a\033.cl", 1, 1, "\033[2Jx"}, "odd \033 byte\nnext line"};
    expect((hd_printer){0}, m, "a?.cl:1:1: error: odd ? byte\nnext line\n    ?[2Jx\n    ^\n");
    char *coloured = printed((hd_printer){.colour = true}, m);
    assert_non_null(strstr(coloured, "\033[1;31merror:"));
    assert_null(strstr(coloured, "\033[2J"));
    free(coloured);
}

static void message_cuts_long_lines_around_the_column(void **state) {
    (void)state;
    char line[1001];
    memset(line, 'a', 1000);
    line[1000] = '\0';
    line[499] = 'X';
    hd_message m = {HD_NOTE, {"a.cl", 1, 500, line}, "here"};
    char *text = printed((hd_printer){0}, m);
    char *source = strchr(text, '\n') + 1, *caret = strchr(source, '\n') + 1;
    assert_true(caret - source < 120);
    assert_int_equal(strchr(source, 'X') - source, strchr(caret, '^') - caret);
    free(text);
}

static void figures(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const struct {
        double value;
        const char *text;
    } counts[] = {{0, "0"},           {7, "7"},          {950, "950"},    {1000, "1.00k"},
                  {1234, "1.23k"},    {9999, "10.0k"},   {99960, "100k"}, {999600, "1.00M"},
                  {45.6e6, "45.6M"},  {-1500, "-1.50k"}, {0.25, "0.25"},  {2.5, "2.50"},
                  {1e30, "1.00e+30"}, {INFINITY, "-"},   {999.7, "1.00k"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_string_equal(hd_show_count(arena, counts[i].value), counts[i].text);
    assert_string_equal(hd_show_seconds(arena, 1.234), "1.23 s");
    assert_string_equal(hd_show_seconds(arena, 0.9996), "1.00 s");
    assert_string_equal(hd_show_seconds(arena, 4.56e-6), "4.56 us");
    assert_string_equal(hd_show_seconds(arena, 0), "0 s");
    assert_string_equal(hd_show_small(arena, 1.234, "J"), "1.23 J");
    assert_string_equal(hd_show_small(arena, 0.9996, "J"), "1.00 J");
    assert_string_equal(hd_show_small(arena, -4.56e-6, "J"), "-4.56 uJ");
    assert_string_equal(hd_show_small(arena, 2.5e-14, "J"), "0.025 pJ");
    assert_string_equal(hd_show_small(arena, 0, "W"), "0 W");
    assert_string_equal(hd_show_small(arena, 12345, "W"), "1.23e+04 W");
    assert_string_equal(hd_show_small(arena, NAN, "W"), "-");
    assert_string_equal(hd_show_seconds(arena, 5000), "5000 s");
    assert_string_equal(hd_show_seconds(arena, NAN), "-");
    assert_string_equal(hd_show_ratio(arena, 1.526), "1.53x");
    assert_string_equal(hd_show_share(arena, 0.125), "12.5%");
    assert_string_equal(hd_show_bytes(arena, 48 * 1024), "48 KiB");
    assert_string_equal(hd_show_bytes(arena, 1536 * 1024), "1.5 MiB");
    assert_string_equal(hd_show_bytes(arena, UINT64_MAX), "16 EiB");
    hd_arena_free(arena);
}

static void table_aligns_and_wraps(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const report_column columns[] = {
        {"id", REPORT_RIGHT}, {"what", REPORT_LEFT}, {"index", REPORT_LEFT, true}};
    report_table *table = report_table_new(arena, columns, 3);
    report_table_row(table, (const char *[]){"0", "bodies.x", "gid"});
    report_table_row(table, (const char *[]){"10", NULL, "\xc3\xa9"});
    hd_str out = {.arena = arena};
    report_table_print(table, &out, false);
    assert_string_equal(hd_str_text(&out), "  id  what      index\n"
                                           "   0  bodies.x  gid\n"
                                           "  10            \xc3\xa9\n");
    char *words = hd_alloc(arena, 401);
    for (int i = 0; i < 400; i++)
        words[i] = i % 7 == 6 || (i > 200 && i < 203) ? ' ' : 'w';
    report_table_row(table, (const char *[]){"11", "b", words});
    report_table_row(table, (const char *[]){"12", "b", "last"});
    hd_str wide = {.arena = arena};
    report_table_print(table, &wide, false);
    size_t letters = 0;
    for (const char *line = hd_str_text(&wide); *line; line = strchr(line, '\n') + 1) {
        assert_true(strchr(line, '\n') - line <= HD_TABLE_WIDTH);
        assert_true(strchr(line, '\n') == line || strchr(line, '\n')[-1] != ' ');
    }
    for (const char *c = hd_str_text(&wide); *c; c++)
        letters += *c == 'w';
    size_t expected = 1; /* of the title "what" */
    for (const char *c = words; *c; c++)
        expected += *c == 'w';
    assert_int_equal(letters, expected);
    assert_non_null(strstr(hd_str_text(&wide), "  12  b         last\n"));
    hd_arena_free(arena);
}

static void table_never_drives_the_terminal(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const report_column columns[] = {{"id", REPORT_RIGHT}, {"what", REPORT_LEFT}};
    report_table *table = report_table_new(arena, columns, 2);
    report_table_row(table, (const char *[]){"0", "\033[2Jx\177\r\xc3\xa9\ny"});
    hd_str out = {.arena = arena};
    report_table_print(table, &out, false);
    assert_string_equal(hd_str_text(&out), "  id  what\n"
                                           "   0  ?[2Jx??\xc3\xa9\n"
                                           "      y\n");
    assert_string_equal(hd_plain_text(arena, "a\tb\nc\001", false), "a\tb?c?");
    const char *plain = "a\tb\nc";
    assert_ptr_equal(hd_plain_text(arena, plain, true), plain);
    hd_arena_free(arena);
}

static void layouts_break_at_their_joints(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_str out = {.arena = arena};
    hd_wrap(&out, "{alpha,beta}{gamma,delta}:32", 0, 13);
    assert_string_equal(hd_str_text(&out), "{alpha,beta}\n{gamma,\ndelta}:32\n");
    hd_arena_free(arena);
}

/* A table of one row, at this width. */
static const char *narrow(hd_arena *arena, const report_column *columns, const char *const *cells,
                          uint32_t count, uint32_t width) {
    report_table *table = report_table_new(arena, columns, count);
    hd_str out = {.arena = arena};
    report_table_set_width(table, width);
    report_table_row(table, cells);
    report_table_print(table, &out, false);
    return hd_str_text(&out);
}

static void names_and_numbers_stay_whole(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const report_column columns[] = {{"name", REPORT_LEFT, true},
                                     {"lane accesses", REPORT_RIGHT, false}};
    const char *const cells[] = {"the_longest_name of all", "123456789"};
    /* words, then titles, then parts of names */
    assert_string_equal(narrow(arena, columns, cells, 2, 80),
                        "  name                     lane accesses\n"
                        "  the_longest_name of all      123456789\n");
    assert_string_equal(narrow(arena, columns, cells, 2, 33), "  name              lane accesses\n"
                                                              "  the_longest_name      123456789\n"
                                                              "  of all\n");
    assert_string_equal(narrow(arena, columns, cells, 2, 29), "  name                   lane\n"
                                                              "                     accesses\n"
                                                              "  the_longest_name  123456789\n"
                                                              "  of all\n");
    const char *least = narrow(arena, columns, cells, 2, 5);
    assert_string_equal(least, "  name           lane\n"
                               "             accesses\n"
                               "  the_      123456789\n"
                               "  longest_\n"
                               "  name of\n"
                               "  all\n");
    /* what has no joint stays whole, and so do numbers with a point */
    const char *const whole[] = {"1.234567890123456789 x-1234567890", "1"};
    assert_non_null(strstr(narrow(arena, columns, whole, 2, 5), "1.234567890123456789"));
    assert_non_null(strstr(narrow(arena, columns, whole, 2, 5), "x-1234567890"));
    hd_arena_free(arena);
}

static void wrapped_text_keeps_its_indent(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_str out = {.arena = arena};
    hd_wrap(&out, "one two three four\n\nfive", 2, 14);
    assert_string_equal(hd_str_text(&out), "one two\n  three four\n\n  five\n");
    hd_arena_free(arena);
}

static void json_refuses_no_value(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    json_t *array = json_array();
    json_array_append_new(array, hd_json_number(NAN));
    json_array_append_new(array, hd_json_number(0.1));
    json_array_append_new(array, hd_json_text(NULL));
    json_array_append_new(array, hd_json_text("a\xff"
                                              "b\xed\xa0\x80\xe2\x82\xac"));
    assert_string_equal(hd_json_dump(arena, array),
                        "[\n  null,\n  0.1,\n  null,\n"
                        "  \"a\xef\xbf\xbd"
                        "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xe2\x82\xac\"\n]\n");
    hd_arena_free(arena);
}

static void json_of_layout_and_device(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_field fields[] = {{.name = "a", .type = "float", .size = 4, .align = 4, .count = 1},
                         {.name = "b", .type = "float", .size = 4, .align = 4, .count = 1},
                         {.name = "c", .type = "int", .size = 4, .align = 4, .count = 1}};
    hd_record record = {.name = "r", .spelling = "struct r", .field_count = 3, .fields = fields};
    hd_record_lay_out(&record);
    hd_layout *layout;
    assert_int_equal(hd_layout_parse(arena, NULL, &record, "{a,c}:soa{b}", &layout), HD_OK);
    json_t *value = hd_json_row(&(hd_view){arena, &record}, hd_layout_members, layout);
    const char *tile = NULL, *second = NULL, *notation = NULL;
    assert_int_equal(json_unpack(value, "{s:s, s:[{s:s, s:[s,s]}]}", "notation", &notation,
                                 "clusters", "tile", &tile, "fields", &notation, &second),
                     0);
    assert_string_equal(tile, "soa");
    assert_string_equal(second, "c");
    json_decref(value);

    const hd_device *device;
    assert_int_equal(hd_device_parse_synthetic(arena, NULL,
                                               "warp:32 l1:48k/128 l2:768k/32 w:1,30,100 "
                                               "blocks:8 threads:1536 regs:32768",
                                               &device),
                     HD_OK);
    value = hd_json_row(&(hd_view){arena}, hd_device_members, device);
    int size = 0;
    const char *synthetic = NULL;
    assert_int_equal(
        json_unpack(value, "{s:{s:i}, s:s}", "l1", "size", &size, "synthetic", &synthetic), 0);
    assert_int_equal(size, 49152);
    const hd_device *again;
    assert_int_equal(hd_device_parse_synthetic(arena, NULL, synthetic, &again), HD_OK);
    json_decref(value);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_shows_line_and_caret),
        cmocka_unit_test(message_without_place),
        cmocka_unit_test(message_never_drives_the_terminal),
        cmocka_unit_test(message_cuts_long_lines_around_the_column),
        cmocka_unit_test(figures),
        cmocka_unit_test(table_aligns_and_wraps),
        cmocka_unit_test(names_and_numbers_stay_whole),
        cmocka_unit_test(wrapped_text_keeps_its_indent),
        cmocka_unit_test(table_never_drives_the_terminal),
        cmocka_unit_test(layouts_break_at_their_joints),
        cmocka_unit_test(json_refuses_no_value),
        cmocka_unit_test(json_of_layout_and_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
