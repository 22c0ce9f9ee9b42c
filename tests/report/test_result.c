/* Made-up results: what their descriptions make of them as text and as JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/report/report_result.h"

typedef struct level {
    const char *name;
    double hits;
} level;

typedef struct place {
    const char *file;
    uint32_t line;
} place;

typedef struct entry {
    const char *name;
    uint64_t count;
    int64_t change;
    double seconds, share;
    bool fine;
    place where;
    const place *origin; /* or NULL */
    const level *levels;
    uint32_t level_count;
    uint64_t sizes[3];
    uint32_t dims;
} entry;

/* With its own context, and its parent. */
static hd_value level_path(const hd_view *view, const void *at) {
    const entry *parent = view->parent;
    return hd_text(hd_format(view->arena, "%s/%s/%s", (const char *)view->context, parent->name,
                             ((const level *)at)->name));
}

HD_GETTER(double_of, entry, hd_whole(2 * row->count))
HD_GETTER(if_fine, entry, row->fine ? hd_text("fine") : hd_absent())
HD_GETTER(origin_or_not, entry, hd_row(row->origin))

static const hd_member level_members[] = {{"name", HD_AT(level, name)},
                                          {"hits", "%s hits", HD_SHARE, HD_AT(level, hits)},
                                          {"path", .get = level_path},
                                          {0}};
static const hd_member place_members[] = {
    {"file", "file", HD_AT(place, file)}, {"line", "line", HD_AT(place, line)}, {0}};
static const hd_member members[] = {
    {"name", "name", HD_AT(entry, name)},
    {"count", "count", HD_COUNT, HD_AT(entry, count)},
    {"change", HD_AT(entry, change)},
    {NULL, "twice", .get = double_of},
    {"seconds", "time", HD_SECONDS, HD_AT(entry, seconds)},
    {"share", HD_AT(entry, share)},
    {"fine", HD_AT(entry, fine)},
    {"note", .get = if_fine},
    {HD_IN(entry, where), .of = place_members},
    {"origin", HD_BEHIND(entry, origin), .of = place_members},
    {"left_out", .get = origin_or_not, .of = place_members, .optional = true},
    {"levels", "levels", HD_MANY(entry, levels, level_count), .of = level_members},
    {"sizes", HD_NUMBERS(entry, sizes, dims)},
    {"origin_line", HD_VIA(entry, origin, HD_AT, line)},
    {"if_fine", HD_AT(entry, count), HD_IF(entry, fine)},
    {"unless_fine", HD_IN(entry, where), HD_UNLESS(entry, fine), .of = place_members},
    {"named_line", HD_VIA(entry, origin, HD_AT, line), HD_IF(place, file), .optional = true},
    {0}};

static const level levels[] = {{"L1", 0.5}, {"L2", 0.25}};
static const place origin = {"b.h", 9};
static const entry rows[] = {
    {"first", 12345, -3, 0.001, 0.5, true, {"a.cl", 7}, &origin, levels, 2, {64, 2, 1}, 2},
    {"second", 0, 4, NAN, INFINITY, false, {NULL, 0}, NULL, levels, 2, {0}, 0}};

static void text_has_a_column_for_each_title(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_str out = {.arena = arena};
    hd_show_rows(&(hd_view){arena}, members, hd_with(hd_rows(rows, 2), "here"), (hd_style){0},
                 &out);
    assert_string_equal(hd_str_text(&out),
                        "  name    count  twice     time  file  line  L1 hits  L2 hits\n"
                        "  first   12.3k  24690  1.00 ms  a.cl     7    50.0%    25.0%\n"
                        "  second      0      0        -           0    50.0%    25.0%\n");
    hd_arena_free(arena);
}

static void a_table_may_have_no_rows(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_str out = {.arena = arena};
    hd_show_rows(&(hd_view){arena}, place_members, hd_rows(&origin, 0), (hd_style){0}, &out);
    assert_string_equal(hd_str_text(&out), "  file  line\n");
    hd_arena_free(arena);
}

static void json_has_a_member_for_each_key(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    json_t *value = hd_json_value(&(hd_view){arena}, members, hd_with(hd_rows(rows, 2), "here"));
    static const char text[] =
        "[{'name': 'first', 'count': 12345, 'change': -3, 'seconds': 0.001, 'share': 0.5,"
        "  'fine': true, 'note': 'fine', 'file': 'a.cl', 'line': 7,"
        "  'origin': {'file': 'b.h', 'line': 9}, 'left_out': {'file': 'b.h', 'line': 9},"
        "  'levels': [{'name': 'L1', 'hits': 0.5, 'path': 'here/first/L1'},"
        "             {'name': 'L2', 'hits': 0.25, 'path': 'here/first/L2'}],"
        "  'sizes': [64, 2], 'origin_line': 9, 'if_fine': 12345, 'unless_fine': null,"
        "  'named_line': 9},"
        " {'name': 'second', 'count': 0, 'change': 4, 'seconds': null, 'share': null,"
        "  'fine': false, 'file': null, 'line': 0, 'origin': null,"
        "  'levels': [{'name': 'L1', 'hits': 0.5, 'path': 'here/second/L1'},"
        "             {'name': 'L2', 'hits': 0.25, 'path': 'here/second/L2'}],"
        "  'sizes': [], 'origin_line': null, 'if_fine': null,"
        "  'unless_fine': {'file': null, 'line': 0}}]";
    char *quoted = hd_strdup(arena, text);
    for (char *at = quoted; (at = strchr(at, '\'')) != NULL;)
        *at = '"';
    json_t *expected = json_loads(quoted, 0, NULL);
    assert_non_null(expected);
    assert_string_equal(hd_json_dump(arena, json_incref(value)),
                        hd_json_dump(arena, json_incref(expected)));
    json_decref(expected);
    json_decref(value);
    hd_arena_free(arena);
}

static void one_row_as_lines(void **state) {
    (void)state;
    static const hd_member lines[] = {
        {NULL, "lanes", HD_AT(place, line)}, {NULL, "from", HD_AT(place, file)}, {0}};
    hd_arena *arena = hd_arena_new();
    hd_str out = {.arena = arena};
    hd_show_row(&(hd_view){arena}, lines, &(place){NULL, 32}, &out); /* a text that is not there */
    hd_show_row(&(hd_view){arena}, lines, &origin, &out);
    assert_string_equal(hd_str_text(&out), "  lanes                  32\n"
                                           "  lanes                  9\n"
                                           "  from                   b.h\n");
    hd_arena_free(arena);
}

static void rows_behind_pointers_and_lists(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const place *both[] = {&origin, &rows[0].where};
    const double cost[] = {0, 3.28e6};
    json_t *value = hd_json_value(&(hd_view){arena}, place_members, hd_pointed_rows(both, 2));
    assert_string_equal(json_string_value(json_object_get(json_array_get(value, 1), "file")),
                        "a.cl");
    json_decref(value);
    assert_string_equal(hd_show_value(arena, HD_COUNT, hd_list(cost, 2)), "(0, 3.28M)");
    assert_string_equal(hd_show_value(arena, HD_COUNT, hd_list(cost, 1)), "0");
    value = hd_json_value(&(hd_view){arena}, NULL, hd_text_list(arena, rows, 2, entry, name));
    assert_string_equal(json_string_value(json_array_get(value, 1)), "second");
    json_decref(value);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_a_column_for_each_title),
        cmocka_unit_test(a_table_may_have_no_rows),
        cmocka_unit_test(json_has_a_member_for_each_key),
        cmocka_unit_test(one_row_as_lines),
        cmocka_unit_test(rows_behind_pointers_and_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
