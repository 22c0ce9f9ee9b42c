/* Stems: what a column shows, and what is drawn. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/report/plot.h"
#include "cli/report/report.h"

static hd_stems stems_of(const double *value, uint64_t count) {
    return (hd_stems){"title", "distance", "degree", 1, count, value};
}

/* Every value is in one column, and no column hides its largest. */
static void extents(void **unused) {
    (void)unused;
    uint64_t state = 3;
    for (int round = 0; round < 200; round++) {
        double value[300];
        uint64_t count = 1 + hd_next_random(&state) % 300;
        uint64_t columns = 1 + hd_next_random(&state) % count;
        for (uint64_t i = 0; i < count; i++)
            value[i] = (double)(hd_next_random(&state) % 2000) - 1000;
        const hd_stems stems = stems_of(value, count);
        for (uint64_t c = 0; c < columns; c++) {
            double most = 0, least = 0, got_most, got_least;
            for (uint64_t i = count * c / columns; i < count * (c + 1) / columns; i++) {
                most = value[i] > most ? value[i] : most;
                least = value[i] < least ? value[i] : least;
            }
            hd_stems_extent(&stems, columns, c, &got_most, &got_least);
            assert_true(got_most == most && got_least == least);
        }
    }
}

static uint64_t count_of(const char *text, const char *what) {
    uint64_t count = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        count++;
    return count;
}

static const char *text_of(hd_arena *arena, const double *value, uint64_t count) {
    hd_str out = {.arena = arena};
    const hd_stems stems = stems_of(value, count);
    hd_plot_text(arena, &stems, &out);
    return hd_str_text(&out);
}

static void text(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    const char *plain = text_of(arena, (const double[]){10, 5, 0, 1}, 4);
    assert_int_equal(count_of(plain, "#"), 10 + 5 + 1);
    assert_non_null(strstr(plain, "10 |#\n"));
    assert_null(strstr(plain, "logarithmic"));
    const char *below = text_of(arena, (const double[]){6, -6}, 2);
    assert_int_equal(count_of(below, "|#\n"), 6);
    assert_int_equal(count_of(below, "| #\n"), 6);
    const char *steep = text_of(arena, (const double[]){1000, 1, 1, 1}, 4);
    assert_non_null(strstr(steep, "logarithmic"));
    assert_true(count_of(steep, "#") > 10 + 3);
    double many[5000];
    for (int i = 0; i < 5000; i++)
        many[i] = i == 4321;
    const char *peak = text_of(arena, many, 5000);
    assert_int_equal(count_of(peak, "#"), 10);
    for (const char *line = peak; line; line = strchr(line + 1, '\n'))
        assert_true(strcspn(line + 1, "\n") <= HD_TABLE_WIDTH);
    assert_string_equal(text_of(arena, (const double[]){0, 0, 0}, 3),
                        "\ntitle\n  nothing to show\n");
    hd_arena_free(arena);
}

static const char *svg_of(hd_arena *arena, const char *title, const double *value, uint64_t count) {
    hd_str out = {.arena = arena};
    hd_stems stems = stems_of(value, count);
    stems.title = title;
    hd_plot_svg(arena, &stems, &out);
    return hd_str_text(&out);
}

static void svg(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    const char *picture = svg_of(arena, "a < b & c", (const double[]){100, 0, -50, 25}, 4);
    assert_non_null(strstr(picture, ">a &lt; b &amp; c</text>"));
    assert_non_null(strstr(picture, ">100</text>"));
    assert_non_null(strstr(picture, ">-50</text>"));
    /* Three stems: the first as high above zero as the third is low below it, twice. */
    double x[3], from[3], to[3];
    const char *path = strstr(picture, "d=\"M") + 3;
    assert_int_equal(sscanf(path, "M%lf %lfV%lfM%lf %lfV%lfM%lf %lfV%lf\"", &x[0], &from[0], &to[0],
                            &x[1], &from[1], &to[1], &x[2], &from[2], &to[2]),
                     9);
    assert_true(from[0] == to[1] && from[0] == from[2]);
    assert_true(from[0] - to[0] > 100);
    assert_true(fabs((from[0] - to[0]) - 2 * (from[1] - to[1])) < 0.05);
    assert_true(x[0] < x[1] && x[1] < x[2]);
    hd_arena_free(arena);
}

/* Of more than 84 letters, however many bytes they have, the last 81 stay. */
static void svg_titles(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    const double one[] = {1};
    char title[201] = "", *last = title;
    for (int i = 0; i < 85; i++)
        last += sprintf(last, "%s", i % 2 ? "\u00e9" : "a");
    assert_non_null(strstr(svg_of(arena, title + 1, one, 1), hd_format(arena, ">%s<", title + 1)));
    assert_non_null(strstr(svg_of(arena, title, one, 1), hd_format(arena, ">...%s<", title + 6)));
    assert_int_equal(report_text_width(title + 6), 81);
    hd_arena_free(arena);
}

/* Labels of an axis have one unit, and as many digits as tell them apart. */
static void svg_labels(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    static const struct {
        double most;
        const char *labels[4];
    } axes[] = {{0.9, {">0<", ">0.2<", ">0.8<", ">1.0<"}},
                {500000, {">0<", ">100000<", ">400000<", ">500000<"}},
                {999000, {">0<", ">0.2M<", ">0.8M<", ">1.0M<"}},
                {12e6, {">0<", ">2M<", ">10M<", ">12M<"}},
                {7e12, {">0<", ">2T<", ">4T<", ">8T<"}},
                {9.2e18, {">0<", ">2E<", ">8E<", ">10E<"}},
                {-3e9, {">0<", ">-0.5G<", ">-2.5G<", ">-3.0G<"}}};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++) {
        const char *picture = svg_of(arena, "", (const double[]){axes[a].most, 0}, 2);
        for (int l = 0; l < 4; l++)
            if (!strstr(picture, axes[a].labels[l]))
                fail_msg("up to %g: no %s", axes[a].most, axes[a].labels[l]);
    }
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(extents), cmocka_unit_test(text),
                                       cmocka_unit_test(svg), cmocka_unit_test(svg_titles),
                                       cmocka_unit_test(svg_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
