/*
 * A study as pictures, tables and a page: marks stand where the values are, gaps stay gaps, what is
 * not known is not drawn, tables of HTML say what those of text do, and tags close.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/schema.h"
#include "explore/made_up.h"
#include "cli/report/report_explore.h"
#include "cli/report/members.h"
#include "cli/report/report_result.h"
#include "source_text.h"

static hd_study *study_of(const scene *s) {
    return hd_study_new(s->arena, s->all.data, (uint32_t)s->all.count);
}

static uint32_t count_of(const char *text, const char *part) {
    uint32_t count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

/* Every tag that opens closes, in order, but for HTML's that need not. */
static void check_tags(hd_arena *arena, const char *text) {
    hd_vec(const char *) open = {0};
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        const char *ends = strchr(at, '>');
        assert_non_null(ends);
        if (at[1] == '!' || ends[-1] == '/')
            continue;
        const char *name = at + 1 + (at[1] == '/');
        const char *word = hd_strndup(arena, name, strcspn(name, " >"));
        if (at[1] != '/' && strcmp(word, "meta"))
            hd_push(arena, &open, word);
        else if (at[1] == '/') {
            assert_true(open.count > 0);
            assert_string_equal(open.data[--open.count], word);
        }
    }
    assert_int_equal(open.count, 0);
}

/* The points of the path that draws a layout's line: marks and the key have no "L". */
static const char *line_path(hd_arena *arena, const char *svg, const char *start) {
    for (const char *at = svg; (at = strstr(at, start)); at++) {
        const char *points = at + strlen(start);
        points = hd_strndup(arena, points, strcspn(points, "\""));
        if (strchr(points, 'L'))
            return points;
    }
    fail_msg("no line");
    return NULL;
}

/* A power law is straight in a picture with logarithmic axes, and as steep as its power. */
static void test_places(void **state) {
    scene *s = *state;
    for (double v = 1; v <= 64; v *= 2) {
        add(s, at(HD_DIM_SPARSITY, v), "aos", "device", 1e-3 * v, 1, 0);
        add(s, at(HD_DIM_SPARSITY, v), "soa", "device", 1e-3 * v * v, 1, 0);
    }
    const hd_study *study = study_of(s);
    hd_str out = {.arena = s->arena};
    assert_true(hd_line_svg(s->arena, study, study->lines, HD_QUANTITY_TIME, &out));
    const char *svg = hd_str_text(&out);
    check_tags(s->arena, svg);
    double steps[2];
    for (int l = 0; l < 2; l++) {
        double x[7], y[7];
        const char *from =
            line_path(s->arena, svg, l ? "class=\"c1\" d=\"M" : "class=\"c0\" d=\"M");
        assert_int_equal(sscanf(from, "%lf %lfL%lf %lfL%lf %lfL%lf %lfL%lf %lfL%lf %lfL%lf %lf", x,
                                y, x + 1, y + 1, x + 2, y + 2, x + 3, y + 3, x + 4, y + 4, x + 5,
                                y + 5, x + 6, y + 6),
                         14);
        for (int i = 1; i < 7; i++) {
            assert_true(fabs(x[i] - x[i - 1] - (x[1] - x[0])) < 0.21);
            assert_true(fabs(y[i] - y[i - 1] - (y[1] - y[0])) < 0.21);
        }
        steps[l] = (y[6] - y[0]) / 6;
        assert_true(steps[l] < 0);
    }
    assert_true(fabs(steps[1] / steps[0] - 2) < 0.02);
    assert_int_equal(count_of(svg, ">64</text>"), 1);
    assert_int_equal(count_of(svg, ">Time (s)</text>"), 1);
    assert_int_equal(count_of(svg, ">1 ms</text>"), 1);
}

/* Along problem sizes time and energy are those of an object. */
static void test_per_object(void **state) {
    scene *s = *state;
    for (double v = 4096; v <= 65536; v *= 4)
        add(s, at(HD_DIM_OBJECTS, v), "aos", "device", 2e-9 * v, 3e-9 * v, 0);
    const hd_study *study = study_of(s);
    hd_str out = {.arena = s->arena};
    assert_true(hd_line_svg(s->arena, study, study->lines, HD_QUANTITY_ENERGY, &out));
    const char *svg = hd_str_text(&out);
    double y[3];
    assert_int_equal(sscanf(line_path(s->arena, svg, "class=\"c0\" d=\"M"),
                            "%*f %lfL%*f %lfL%*f %lf", y, y + 1, y + 2),
                     3);
    assert_true(y[0] == y[1] && y[1] == y[2]);
    assert_int_equal(count_of(svg, ">Energy of an object (J)</text>"), 1);
    assert_int_equal(count_of(svg, ">3 nJ</text>"), 1);
}

/* Power stands on an axis from 0, and what is modelled says so. */
static void test_power(void **state) {
    scene *s = *state;
    for (double v = 1; v <= 4; v *= 2) {
        add(s, at(HD_DIM_SPARSITY, v), "aos", "device", 1, 40, 0.1)->energy.modelled = true;
        add(s, at(HD_DIM_SPARSITY, v), "da", "device", 2, 60, 0)->energy.modelled = true;
    }
    const hd_study *study = study_of(s);
    hd_str out = {.arena = s->arena};
    assert_true(hd_line_svg(s->arena, study, study->lines, HD_QUANTITY_POWER, &out));
    const char *svg = hd_str_text(&out);
    assert_int_equal(count_of(svg, ">Power (W), modelled</text>"), 1);
    assert_int_equal(count_of(svg, ">0</text>"), 1);
    assert_int_equal(count_of(svg, ">40 W</text>"), 1);
    assert_int_equal(count_of(svg, "in device"), 0); /* there is no other placement */
    assert_false(hd_placements_svg(s->arena, study, HD_QUANTITY_POWER, &out));
}

/* Energy that is not known is not drawn; a line has a gap where its variant was not measured. */
static void test_gaps(void **state) {
    scene *s = *state;
    for (double v = 1; v <= 32; v *= 2)
        for (int p = 0; p < 2; p++)
            if (v != 4)
                add(s, at(HD_DIM_SPARSITY, v), "aos", p ? "host" : "device", v + p, 0, 0.02);
            else
                add(s, at(HD_DIM_SPARSITY, v), "{f0,f1,f2}{f3,result}:32", "device", 1, 0, 0);
    const hd_study *study = study_of(s);
    hd_str out = {.arena = s->arena};
    assert_false(hd_line_svg(s->arena, study, study->lines, HD_QUANTITY_ENERGY, &out));
    assert_int_equal(out.length, 0);
    assert_true(hd_line_svg(s->arena, study, study->lines, HD_QUANTITY_TIME, &out));
    const char *svg = hd_str_text(&out), *line = line_path(s->arena, svg, "class=\"c0\" d=\"M");
    assert_int_equal(count_of(line, "M"), 1);
    assert_int_equal(count_of(line, "L"), 3);
    assert_int_equal(count_of(svg, "in host"), 2); /* and its tooltip */
    assert_int_equal(count_of(svg, ">{f0,f1,f...sult}:32"), 1);
    hd_str bars = {.arena = s->arena};
    assert_true(hd_placements_svg(s->arena, study, HD_QUANTITY_TIME, &bars));
    check_tags(s->arena, hd_str_text(&bars));
    assert_int_equal(count_of(hd_str_text(&bars), "<rect class=\"bars"), 2 + 1); /* with the key */
}

static void make_study(scene *s) {
    for (double v = 0.35; v < 30; v *= 2) {
        add(s, at(HD_DIM_INTENSITY, v), "da", "device", 1, v, 0.02);
        add(s, at(HD_DIM_INTENSITY, v), "soa", "device", 1, 4, 0.02);
        add(s, at(HD_DIM_INTENSITY, v), "soa", "host", 3, 2, 0.02);
    }
}

/* docs/heddle.schema.json says what a study is. */
static void check_schema(scene *s, const json_t *study) {
    json_t *root = json_loads(source_text(s->arena, "docs/heddle.schema.json"), 0, NULL);
    json_t *schema = json_pack("{s:s}", "$ref", "#/$defs/study");
    schema_check check = {.root = root};
    if (!schema_validate(&check, schema, study))
        fail_msg("%s", check.fault);
    json_decref(schema);
    json_decref(root);
}

static void test_tables(void **state) {
    scene *s = *state;
    make_study(s);
    const hd_study *study = study_of(s);
    const hd_view view = {.arena = s->arena, .context = study};
    const hd_value handovers = hd_study_handovers(s->arena, study);
    assert_int_equal(handovers.count, 3 - 1); /* by time da stays */
    hd_str text = {.arena = s->arena}, html = {.arena = s->arena};
    hd_show_rows(&view, hd_line_handover_members, handovers, (hd_style){0}, &text);
    assert_non_null(strstr(hd_str_text(&text), "da/device"));
    assert_non_null(strstr(hd_str_text(&text), "2 (1."));
    hd_html_rows(&view, hd_line_handover_members, handovers, &html);
    check_tags(s->arena, hd_str_text(&html));
    assert_int_equal(count_of(hd_str_text(&html), "<tr>"), 3);
    assert_int_equal(count_of(hd_str_text(&html), "<td>soa/host</td>"), 2 - 1);
    json_t *json = hd_json_row(&view, hd_study_members, study);
    check_schema(s, json);
    const json_t *line = json_array_get(json_object_get(json, "lines"), 0);
    assert_string_equal(json_string_value(json_object_get(line, "dimension")), "intensity");
    const json_t *handover = json_array_get(json_object_get(line, "handovers"), 0);
    assert_true(fabs(json_real_value(json_object_get(handover, "at")) - 2) < 1e-9);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(handover, "to"), "layout")), "soa");
    const json_t *finding = json_array_get(json_object_get(json, "findings"), 2);
    assert_string_equal(json_string_value(json_object_get(finding, "verdict")), "not known");
    assert_true(json_is_null(json_object_get(finding, "largest")));
    assert_non_null(json_string_value(json_object_get(finding, "why")));
    json_decref(json);
}

/* Without energy, and of nothing at all. */
static void test_little(void **state) {
    scene *s = *state;
    for (int n = 0; n < 2; n++) {
        const hd_study *study = study_of(s);
        const hd_view view = {.arena = s->arena, .context = study};
        json_t *json = hd_json_row(&view, hd_study_members, study);
        check_schema(s, json);
        json_decref(json);
        const hd_explore_part part = {"Kernels alone", study};
        check_tags(s->arena,
                   hd_explore_page(s->arena, &(hd_explore_head){"d", "1", "2"}, &part, 1));
        add(s, hd_micro_usual(), "aos", "device", 1, 0, 0);
        add(s, at(HD_DIM_TYPE, 1), "soa", "host", 1, 0, 0);
    }
}

static void test_page(void **state) {
    scene *s = *state;
    make_study(s);
    const hd_study *study = study_of(s);
    const hd_explore_head head = {"A <new> & fast device", "driver 1", "2026-11-23"};
    const hd_explore_part parts[] = {{"Kernels alone", study}, {"Whole runs", study}};
    const char *page = hd_explore_page(s->arena, &head, parts, 2);
    check_tags(s->arena, page);
    assert_non_null(strstr(page, "<h1>A &lt;new&gt; &amp; fast device</h1>"));
    assert_int_equal(count_of(page, "<svg "), 2 * (4 + 4));
    assert_int_equal(count_of(page, "<h2>"), 2);
    assert_int_equal(count_of(page, "http"), count_of(page, "http://www.w3.org/2000/svg"));
    assert_int_equal(count_of(page, "<script"), 0);
    for (int f = 0; f < HD_FINDINGS; f++)
        assert_non_null(strstr(page, study->findings[f].statement));
}

#define SCENE_TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {SCENE_TEST(test_places), SCENE_TEST(test_per_object),
                                       SCENE_TEST(test_power),  SCENE_TEST(test_gaps),
                                       SCENE_TEST(test_tables), SCENE_TEST(test_page),
                                       SCENE_TEST(test_little)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
