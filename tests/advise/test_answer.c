/* Choices as texts of the profile database: there and back, and texts that are none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/choose.h"

static hd_record *record_of(hd_arena *arena) {
    hd_record *record = hd_new(arena, hd_record);
    *record = (hd_record){.name = "r", .spelling = "r", .field_count = 3};
    record->fields = hd_new_array(arena, hd_field, 3);
    for (uint32_t f = 0; f < 3; f++)
        record->fields[f] = (hd_field){hd_format(arena, "f%u", f), "float", 0, 4, 4, 1, NULL};
    hd_record_lay_out(record);
    return record;
}

static hd_choice sample(hd_arena *arena, const hd_record *record) {
    static const char *const notations[] = {"aos", "soa", "{f0,f2}:16{f1}/da", "aosoa:4"};
    const hd_diag silent = {0};
    hd_choice choice = {.date = "2026-11-21T17:30:00Z",
                        .has_tree = true,
                        .count = 4,
                        .timed = 2,
                        .winner = 1,
                        .leader = 2,
                        .rounds = 17,
                        .least_rounds = 11,
                        .seconds = 0.1};
    choice.entries = hd_new_array(arena, hd_choice_entry, 4);
    for (uint32_t i = 0; i < 4; i++) {
        hd_layout *layout;
        assert_int_equal(hd_layout_parse(arena, &silent, record, notations[i], &layout), HD_OK);
        choice.entries[i] = (hd_choice_entry){.layout = layout, .by = "cost on h200, plain"};
    }
    choice.entries[0].timing = (hd_timing){1e-3, 0.9e-3, 1.0 / 3, 17};
    choice.entries[0].ratio = (hd_interval){1, 1, 1};
    choice.entries[1].timing = (hd_timing){0.5e-3, 0.4e-3, 0.6e-3, 17};
    choice.entries[1].ratio = (hd_interval){0.5, 0.4, 0.6};
    choice.entries[1].as_fast = true;
    choice.entries[2].timing = (hd_timing){0.5e-3, 0.4e-3, 0.6e-3, 3};
    choice.entries[2].ratio = (hd_interval){0.5, 0, INFINITY};
    choice.entries[2].end = HD_RACE_SLOWER;
    choice.entries[3].end = HD_RACE_REFUSED;
    static const hd_placement fine = HD_PLACEMENT_FINE;
    choice.entries[2].placement = &fine;
    choice.left_out = 5;
    choice.source = "rapl:package-0";
    choice.entries[1].joules = 0.25;
    choice.entries[3].why = "k.cl:3:5: a\ttab and\na line";
    return choice;
}

static void a_choice_comes_back(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_record *record = record_of(arena);
    const hd_choice choice = sample(arena, record);
    hd_choice back = {0};
    const char *text = advise_choice_print(arena, record, &choice);
    assert_true(advise_choice_parse(arena, record, text, &back));
    assert_string_equal(advise_choice_print(arena, record, &back), text);
    assert_string_equal(back.date, choice.date);
    assert_true(back.has_tree && !back.remembered);
    assert_int_equal(back.timed, 2);
    assert_int_equal(back.winner, 1);
    assert_int_equal(back.leader, 2);
    assert_int_equal(back.rounds, 17);
    assert_int_equal(back.least_rounds, 11);
    assert_int_equal(back.left_out, 5);
    assert_true(back.seconds == 0.1);
    assert_string_equal(back.source, "rapl:package-0");
    for (uint32_t i = 0; i < 4; i++) {
        const hd_choice_entry *a = &choice.entries[i], *b = &back.entries[i];
        assert_true(hd_layout_equal(a->layout, b->layout));
        assert_true(a->end == b->end && a->as_fast == b->as_fast);
        assert_true(a->placement ? b->placement && *a->placement == *b->placement : !b->placement);
        assert_memory_equal(&a->ratio, &b->ratio, sizeof a->ratio);
        assert_true(a->joules == b->joules);
        assert_true(a->timing.high == b->timing.high && a->timing.repeats == b->timing.repeats);
    }
    assert_null(back.entries[1].why);
    assert_string_equal(back.entries[3].why, "k.cl:3:5: a tab and a line");
    hd_arena_free(arena);
}

static void other_texts_are_refused(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_record *record = record_of(arena);
    const hd_choice choice = sample(arena, record);
    const char *text = advise_choice_print(arena, record, &choice);
    size_t length = strlen(text);
    hd_choice back;
    for (size_t cut = 0; cut < length; cut++)
        assert_false(advise_choice_parse(arena, record, hd_strndup(arena, text, cut), &back));
    assert_false(advise_choice_parse(arena, record, hd_format(arena, "%sx", text), &back));
    static const char *const wrong[] = {
        "",
        "choice",
        "choice 2 x 0 0 1 0 0 1 1 1\t-\n",
        "choice 3 x 0 0 1 0 0 1 1 1\n",
        "choice 3 x 0 0 0 0 0 1 1 1\t-\n",
        "choice 3 x 0 0 4000000000 0 0 1 1 1\t-\n",
        "choice 3 x 0 0 1 1 0 1 1 1\t-\n",
        "choice 3 x 0 0 1 0 0 1 1 1\t-\n9 0 1 1 1 1 1 1 1 0\taos\t-\tx\t-\n",
        "choice 3 x 0 0 1 0 0 1 1 1\t-\n0 0 1 1 1 1 1 1 1 0\t{f0}{nine}\t-\tx\t-\n",
        "choice 3 x 0 0 1 0 0 1 1 1\t-\n0 0 1 1 1 1 1 1 1 0 1\taos\t-\tx\t-\n",
        "choice 3 x 0 0 1 0 0 1 1 1\t-\n0 0 1 1 1 1 1 1 1 0\taos\tnear\tx\t-\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(advise_choice_parse(arena, record, wrong[i], &back));
    assert_true(advise_choice_parse(
        arena, record, "choice 3 x 0 0 1 0 0 1 1 1\t-\n0 0 1 1 1 1 1 1 1 0\taos\t-\tx\t-\n",
        &back));
    hd_arena_free(arena);
}

static void who_decides_is_known(void **state) {
    (void)state;
    hd_choice_entry entries[3] = {{.end = HD_RACE_FINISHED}, {.end = HD_RACE_REFUSED}, {0}};
    hd_choice choice = {.entries = entries, .count = 3};
    entries[2].end = HD_RACE_REFUSED;
    assert_true(hd_choice_all_refused(&choice) && !hd_choice_decides(&choice));
    entries[2].end = HD_RACE_DIFFERS;
    assert_true(!hd_choice_all_refused(&choice) && hd_choice_decides(&choice));
    entries[2].end = HD_RACE_UNTRIED;
    assert_true(!hd_choice_all_refused(&choice) && !hd_choice_decides(&choice));
    choice.timed = 1;
    assert_true(hd_choice_decides(&choice));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_comes_back),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(who_decides_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
