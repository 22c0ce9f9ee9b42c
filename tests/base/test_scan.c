/* The scanner: what it takes, where it stands then, and where faults are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/scan.h"

static void keep(const hd_message *m, void *user) {
    hd_str_printf(user, "%s:%u:%u: %s [%s]\n", m->place.file, m->place.line, m->place.column,
                  m->text, m->place.text ? m->place.text : "");
}

typedef struct fixture {
    hd_arena *arena;
    hd_str messages;
    hd_diag diag;
    hd_scan scan;
} fixture;

static fixture *begin(void **state, const char *text) {
    fixture *f = *state;
    f->messages = (hd_str){.arena = f->arena};
    f->diag = (hd_diag){keep, &f->messages};
    f->scan = hd_scan_text(f->arena, &f->diag, "file", text);
    return f;
}

static int set_up(void **state) {
    hd_arena *arena = hd_arena_new();
    fixture *f = hd_new(arena, fixture);
    f->arena = arena;
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    hd_arena_free(((fixture *)*state)->arena);
    return 0;
}

static void words_are_whole(void **state) {
    hd_scan *s = &begin(state, "  soaked so-so\n größe{x")->scan;
    assert_false(hd_scan_take(s, "soa"));
    assert_ptr_equal(s->at, s->text + 2);
    assert_true(hd_scan_take(s, "soaked"));
    assert_true(hd_span_is(hd_scan_word(s), "so"));
    assert_true(hd_scan_take(s, "-"));
    s->word_marks = "-";
    assert_true(hd_span_is_caseless(hd_scan_until(s, "{"), "SO"));
    assert_true(hd_scan_is_apart(s));
    assert_true(hd_span_is(hd_scan_word(s), "größe"));
    assert_int_equal(hd_scan_word(s).length, 0);
    assert_string_equal(hd_scan_found(s), "'{'");
    assert_true(hd_scan_take(s, "{") && hd_scan_take(s, "x") && hd_scan_ends(s));
    assert_string_equal(hd_scan_found(s), "the end");
}

static void numbers_have_a_range(void **state) {
    uint64_t n;
    hd_scan *s = &begin(state, " 18446744073709551615 18446744073709551616 fF x")->scan;
    assert_true(hd_scan_number(s, 10, &n) && n == UINT64_MAX);
    assert_false(hd_scan_number(s, 10, &n)); /* too large: taken, */
    assert_true(hd_scan_number(s, 16, &n) && n == 255);
    assert_false(hd_scan_number(s, 16, &n)); /* and none: not */
    assert_int_equal(hd_scan_peek(s), 'x');
    assert_true(hd_text_number("256", 256, &n) && n == 256);
    assert_false(hd_text_number("256", 255, &n));
    assert_false(hd_text_number("", 255, &n) || hd_text_number("1 ", 255, &n));
    assert_false(hd_text_number("-1", 255, &n));
    double real;
    assert_true(hd_text_real("-2.5e1", &real) && real == -25);
    assert_false(hd_text_real(" 1", &real) || hd_text_real("1x", &real) ||
                 hd_text_real("", &real) || hd_text_real("inf", &real));
}

static void lines_and_comments(void **state) {
    hd_scan *s = &begin(state, "# all of it\n a # b\n\n  the  rest \t\nx")->scan;
    s->comment = "#";
    s->by_line = true;
    assert_true(hd_scan_ends(s));
    hd_scan_next_line(s);
    assert_true(hd_scan_take(s, "a") && hd_scan_ends(s));
    assert_false(hd_scan_take(s, "the"));
    s->by_line = false;
    assert_false(hd_scan_ends(s));
    assert_true(hd_span_is(hd_scan_rest(s), "the  rest"));
    assert_int_equal(hd_scan_peek(s), '\n');
    hd_scan_next_line(s);
    assert_int_equal(hd_scan_peek(s), 'x');
    hd_scan_next_line(s);
    assert_ptr_equal(s->at, s->end);
}

static void quotes_end_on_their_line(void **state) {
    hd_span inside;
    hd_scan *s = &begin(state, " \"a \\\" b\\\\\" \"c\n\"")->scan;
    assert_true(hd_scan_quoted(s, &inside) && hd_span_is(inside, "a \\\" b\\\\"));
    assert_false(hd_scan_quoted(s, &inside));
    assert_int_equal(hd_scan_ahead(s, 1), 'c');
}

static void the_first_fault_is_told_with_its_place(void **state) {
    fixture *f = begin(state, "one\ntwo three\nfour");
    hd_scan *s = &f->scan;
    assert_true(hd_scan_take(s, "one") && hd_scan_take(s, "two"));
    assert_int_equal(hd_scan_place(s, s->end).line, 3);
    assert_int_equal(hd_scan_expected(s, "a number"), HD_EINPUT);
    assert_true(hd_scan_ends(s));
    assert_int_equal(hd_scan_fail(s, s->text, "more"), HD_EINPUT);
    assert_string_equal(hd_str_text(&f->messages),
                        "file:2:5: expected a number, found 'three' [two three]\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_are_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_have_a_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_and_comments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(quotes_end_on_their_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_fault_is_told_with_its_place, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
