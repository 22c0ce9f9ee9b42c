/*
 * Races on a made-up device: times come from a formula with noise from a seed, the clock goes
 * by what is built and run, and every turn is on record.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/race.h"

enum { MOST = 16, NOTES = 100000 };

/* ---- the device ---------------------------------------------------------------- */

typedef struct track {
    double base[MOST];  /* seconds of each racer's runs */
    double watts[MOST]; /* and their power; 0: 1 */
    bool by_energy;     /* joules are what the race is about */
    double noise;       /* of a run: a factor from 1 to 1 + noise */
    double drift;       /* of a round: another one, for all that run at about that time */
    double build;       /* seconds to get a racer ready */
    double more[MOST];  /* for this one */
    const hd_placement *placements[MOST]; /* of the proposals */
    hd_status ends[MOST];
    uint32_t fails_at; /* the run that fails; 0: none */
    uint64_t seed;
    uint32_t most_rounds; /* that the race may have */
    bool fatal;           /* who cannot get ready has reported it: no line says why */
    uint32_t stop_at;     /* the run or the racer's making ready after which `stop` is set */
    volatile sig_atomic_t stop;
    /* what happened */
    double now;
    uint32_t runs, prepared[MOST], released[MOST];
    uint32_t turns[NOTES];
} track;

static double uniform(track *t) { return (double)(hd_next_random(&t->seed) >> 11) * 0x1p-53; }

static hd_status prepare(void *state, uint32_t racer, const hd_layout *layout,
                         const hd_placement *placement, const char **why) {
    track *t = state;
    (void)layout;
    (void)placement;
    t->now += t->build + t->more[racer];
    t->prepared[racer]++;
    *why = t->ends[racer] && !t->fatal ? "made up" : NULL;
    return t->ends[racer];
}

static hd_status run(void *state, uint32_t racer, hd_lap *lap) {
    track *t = state;
    assert_true(t->prepared[racer] == 1 && !t->released[racer]);
    double slow = 1 + t->drift * (sin(t->now * 3) + 1) / 2;
    lap->seconds = t->base[racer] * slow * (1 + t->noise * uniform(t));
    lap->joules = lap->seconds * (t->watts[racer] ? t->watts[racer] : 1);
    lap->cost = t->by_energy ? lap->joules : lap->seconds;
    t->now += lap->seconds;
    if (t->runs < NOTES)
        t->turns[t->runs] = racer;
    t->stop = t->stop || t->runs + 1 == t->stop_at;
    return ++t->runs == t->fails_at ? HD_ESYSTEM : HD_OK;
}

static void release(void *state, uint32_t racer) { ((track *)state)->released[racer]++; }

static double now(void *state) { return ((track *)state)->now; }

/* ---- a race on it ----------------------------------------------------------------- */

static hd_record *record_of(hd_arena *arena) {
    static const char *const names[] = {"a", "b", "c", "d"};
    hd_record *record = hd_new(arena, hd_record);
    *record = (hd_record){.name = "r", .spelling = "r", .field_count = 4};
    record->fields = hd_new_array(arena, hd_field, 4);
    for (uint32_t f = 0; f < 4; f++)
        record->fields[f] = (hd_field){names[f], "float", 0, 4, 4, 1, NULL};
    hd_record_lay_out(record);
    return record;
}

static hd_status race_of(hd_arena *arena, track *t, const char *const *notations, uint32_t count,
                         double budget, hd_race *race) {
    const hd_diag silent = {0};
    const hd_record *record = record_of(arena);
    const hd_stopwatch watch = {t, prepare, run, release, now};
    hd_proposal *proposals = hd_new_array(arena, hd_proposal, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(
            hd_layout_parse(arena, &silent, record, notations[i], &proposals[i].layout), HD_OK);
        proposals[i].by = "test";
        proposals[i].placement = t->placements[i];
    }
    const hd_race_options options = {
        .budget = budget, .most_rounds = t->most_rounds, .stop = &t->stop};
    return hd_race_run(arena, record, proposals, count, &watch, &options, race);
}

static const char *const four[] = {"aosoa:4", "soa", "{a,b}{c,d}", "aosoa:16"};

/* ---- intervals ---------------------------------------------------------------------- */

static void intervals_are_those_of_the_sign_test(void **state) {
    (void)state;
    /* Ranks for 95%, from tables of the sign test. */
    static const struct {
        uint32_t count, rank;
    } table[] = {{5, 0}, {6, 1}, {8, 1}, {9, 2}, {12, 3}, {15, 4}, {20, 6}, {25, 8}, {50, 18}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double values[64];
        for (uint32_t v = 0; v < table[i].count; v++)
            values[v] =
                (v * 7 + 3) % table[i].count + 1; /* 1..n, shuffled when 7 does not divide n */
        if (table[i].count % 7 == 0)
            continue;
        hd_interval x = hd_interval_of_median(values, table[i].count, 0.05);
        assert_true(x.median == (table[i].count + 1) / 2.0);
        assert_true(x.low == table[i].rank);
        if (table[i].rank)
            assert_true(x.high == table[i].count + 1 - table[i].rank);
        else
            assert_true(isinf(x.high));
    }
    assert_int_equal(hd_interval_least(0.05), 6);
    assert_int_equal(hd_interval_least(0.01), 8);
    assert_int_equal(hd_interval_least(0.001), 11);
}

static void intervals_hold_for_a_crooked_distribution(void **state) {
    (void)state;
    track t = {.seed = 1};
    uint32_t outside = 0;
    for (int trial = 0; trial < 4000; trial++) {
        double values[15];
        for (int v = 0; v < 15; v++)
            values[v] = -log(1 - uniform(&t)); /* exponential: its median is log 2 */
        hd_interval x = hd_interval_of_median(values, 15, 0.05);
        outside += log(2) < x.low || log(2) > x.high;
    }
    assert_in_range(outside, 80, 200); /* P = 0.035 */
}

/* ---- verdicts ----------------------------------------------------------------------- */

static void the_fastest_wins_and_the_others_drop_out(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {1, 0.9, 0.6, 1.1, 5}, .noise = 0.05, .build = 1, .seed = 2};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 4, 1000, &race), HD_OK);
    assert_int_equal(race.winner, 2);
    assert_int_equal(race.leader, 2);
    for (uint32_t i = 1; i < race.count; i++)
        assert_int_equal(race.racers[i].end, i == 2 ? HD_RACE_FINISHED : HD_RACE_SLOWER);
    assert_int_equal(race.racers[4].rounds, 3); /* hopeless */
    assert_true(race.racers[2].ratio.low < 0.6 && race.racers[2].ratio.high > 0.59);
    assert_true(race.racers[2].as_fast && !race.racers[1].as_fast && !race.racers[0].as_fast);
    assert_true(t.now < 500); /* nothing was left to decide */
    for (uint32_t i = 0; i < race.count; i++)
        assert_int_equal(t.released[i], 1);
    hd_arena_free(arena);
}

/* The second one takes half the time at twice the power, the third half the power. */
static void another_cost_than_time_decides(void **state) {
    (void)state;
    for (int by_energy = 0; by_energy < 2; by_energy++) {
        hd_arena *arena = hd_arena_new();
        track t = {.base = {1, 0.5, 1, 1.1},
                   .watts = {8, 16, 4, 8},
                   .by_energy = by_energy,
                   .noise = 0.05,
                   .seed = 3};
        hd_race race;
        assert_int_equal(race_of(arena, &t, four, 3, 1000, &race), HD_OK);
        assert_int_equal(race.winner, by_energy ? 2 : 1);
        const hd_racer *winner = &race.racers[race.winner];
        assert_true(winner->ratio.low < 0.5 && winner->ratio.high > 0.49);
        hd_arena_free(arena);
    }
}

static void of_one_layout_the_job_s_placement_is_nearer(void **state) {
    (void)state;
    static const hd_placement host = HD_PLACEMENT_HOST;
    static const char *const same[] = {"soa", "soa"};
    for (int first = 0; first < 2; first++) {
        hd_arena *arena = hd_arena_new();
        track t = {.base = {1, 0.5, 0.5}, .noise = 0.01, .build = 1, .seed = 4};
        t.placements[first] = &host;
        hd_race race;
        assert_int_equal(race_of(arena, &t, same, 2, 1000, &race), HD_OK);
        assert_int_equal(race.winner, first ? 1 : 2);
        assert_ptr_equal(race.racers[first + 1].placement, &host);
        /* but a faster one wins wherever it is */
        t = (track){.base = {1, 0.5, 0.5}, .noise = 0.01, .build = 1, .seed = 4};
        t.base[first + 1] = 0.4;
        t.placements[first] = &host;
        assert_int_equal(race_of(arena, &t, same, 2, 1000, &race), HD_OK);
        assert_int_equal(race.winner, first + 1);
        hd_arena_free(arena);
    }
}

static void what_slows_a_round_does_not_matter(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {0.01, 0.0101, 0.0095}, .noise = 0.02, .drift = 4, .seed = 3};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 2, 100, &race), HD_OK);
    assert_int_equal(race.winner, 2);
    hd_arena_free(arena);
}

static void equal_ones_are_left_as_they_are(void **state) {
    (void)state;
    uint32_t wrong = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        hd_arena *arena = hd_arena_new();
        track t = {.base = {1, 1, 1, 1, 1}, .noise = 0.3, .seed = 1000 + seed};
        hd_race race;
        assert_int_equal(race_of(arena, &t, four, 4, 500, &race), HD_OK);
        wrong += race.winner != 0;
        hd_arena_free(arena);
    }
    assert_in_range(wrong, 0, 10); /* of 200: 5% */
}

static void a_gain_below_the_margin_is_none(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {1, 0.995}, .noise = 0.001, .seed = 4};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 1, 1000, &race), HD_OK);
    assert_int_equal(race.leader, 1);
    assert_int_equal(race.winner, 0);
    assert_true(t.now < 100);
    hd_arena_free(arena);
}

static void of_equals_the_nearest_to_the_original_wins(void **state) {
    (void)state;
    static const char *const equals[] = {"{a}{b}{c,d}", "soa", "{a,b}{c,d}", "aosoa:16"};
    hd_arena *arena = hd_arena_new();
    track t = {.base = {1, 0.5, 0.5, 0.5, 0.5}, .noise = 0.02, .seed = 5};
    hd_race race;
    assert_int_equal(race_of(arena, &t, equals, 4, 300, &race), HD_OK);
    assert_int_equal(race.winner, 2); /* one cluster, and plainer than in tiles */
    for (uint32_t i = 1; i < race.count; i++)
        assert_true(race.racers[i].as_fast);
    hd_arena_free(arena);
}

static void a_slow_neighbour_does_not_win_for_being_near(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    /* Too noisy to be told apart in the time there is, but 10% apart. */
    track t = {.base = {1, 0.55, 0.5}, .noise = 0.5, .seed = 6};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 2, 40, &race), HD_OK);
    assert_true(race.racers[1].as_fast && race.racers[2].as_fast);
    assert_int_equal(race.winner, race.leader);
    hd_arena_free(arena);
}

static void nearness_counts_clusters_then_tiles(void **state) {
    (void)state;
    /* From near to far; those on one line are as near as each other. */
    static const char *const order[] = {
        "aos",        "soa",          "aosoa:2",        "aosoa:16",
        "{a,b}{c,d}", "{a,b}:4{c,d}", "{a,b}:8{c,d}:4", "{a}{b}{c,d}"};
    hd_arena *arena = hd_arena_new();
    hd_record *record = record_of(arena);
    const hd_diag silent = {0};
    hd_layout *layouts[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(hd_layout_parse(arena, &silent, record, order[i], &layouts[i]), HD_OK);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++) {
            int nearer = hd_layout_nearer(record, layouts[i], layouts[k]);
            assert_int_equal(nearer < 0 ? -1 : nearer > 0, i < k ? -1 : i > k);
        }
    record->of_arrays = true;
    assert_true(hd_layout_nearer(record, layouts[7], layouts[0]) < 0);
    hd_arena_free(arena);
}

/* ---- what is left out ------------------------------------------------------------------ */

static void who_cannot_run_is_left_out_with_the_reason(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {1, 0.1, 0.8, 0.1},
               .ends = {HD_OK, HD_EUNSUPPORTED, HD_OK, HD_EDIFFER},
               .noise = 0.01};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 3, 1000, &race), HD_OK);
    assert_int_equal(race.racers[1].end, HD_RACE_REFUSED);
    assert_int_equal(race.racers[3].end, HD_RACE_DIFFERS);
    assert_string_equal(race.racers[3].why, "made up");
    assert_false(race.hindered);
    assert_int_equal(race.racers[3].rounds, 0);
    assert_int_equal(race.winner, 2);

    track none = {.base = {1, 1, 1}, .ends = {HD_OK, HD_EUNSUPPORTED, HD_EINPUT}};
    assert_int_equal(race_of(arena, &none, four, 2, 1000, &race), HD_OK);
    assert_int_equal(race.rounds, 0);
    assert_int_equal(race.winner, 0);

    track full = {.base = {1, 1, 0.5}, .ends = {HD_OK, HD_ESYSTEM}};
    assert_int_equal(race_of(arena, &full, four, 2, 1000, &race), HD_OK);
    assert_int_equal(race.racers[1].end, HD_RACE_REFUSED);
    assert_int_equal(race.winner, 2);
    assert_true(race.hindered);
    hd_arena_free(arena);
}

static void a_lost_device_ends_the_race_and_keeps_what_was_timed(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {1, 0.9, 0.95}, .noise = 0.5, .fails_at = 60};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 2, 1000, &race), HD_ESYSTEM);
    assert_true(race.rounds > 10 && race.racers[1].rounds > 10);
    assert_true(race.racers[1].laps[0].seconds >= 0.9);

    track gone = {.base = {1}, .ends = {HD_ESYSTEM}};
    assert_int_equal(race_of(arena, &gone, four, 2, 1000, &race), HD_ESYSTEM);
    assert_int_equal(race.rounds, 0);
    assert_int_equal(gone.prepared[1], 0);
    hd_arena_free(arena);
}

/* ---- budgets and rounds ------------------------------------------------------------------ */

static void the_budget_says_how_many_get_ready(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {0.01, 0.01, 0.01, 0.01, 0.01}, .noise = 0.4, .build = 1, .seed = 7};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 4, 5, &race), HD_OK);
    assert_true(t.prepared[0] && t.prepared[1] && !t.prepared[4]);
    assert_int_equal(race.racers[4].end, HD_RACE_UNTRIED);
    assert_true(race.seconds < 5 + 4 * 0.02);

    track tiny = {.base = {1, 0.5}, .build = 10};
    assert_int_equal(race_of(arena, &tiny, four, 1, 0.5, &race), HD_OK);
    assert_int_equal(race.rounds, 0); /* one is always tried */
    assert_int_equal(tiny.prepared[1], 1);
    assert_int_equal(race.racers[1].end, HD_RACE_UNTRIED);
    assert_int_equal(race.winner, 0);
    hd_arena_free(arena);
}

static void rounds_can_be_limited(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {1, 1, 1, 1, 1}, .noise = 0.5, .build = 10, .most_rounds = 12};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 4, 1000, &race), HD_OK);
    assert_int_equal(race.rounds, 12);
    assert_true(t.prepared[4]);
    hd_arena_free(arena);
}

static void too_few_rounds_tell_nothing(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {1, 0.6}, .noise = 0.01};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 1, 8, &race), HD_OK);
    assert_true(race.rounds > 0 && race.rounds < race.least_rounds);
    assert_int_equal(race.winner, 0);
    assert_true(isinf(race.racers[1].ratio.high));
    hd_arena_free(arena);
}

static void time_that_is_left_tries_the_others(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    /* Half of the budget carries two; the best comes last. */
    track t = {.base = {0.01, 0.008, 0.02, 0.02, 0.004}, .noise = 0.01, .build = 3, .seed = 8};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 4, 20, &race), HD_OK);
    assert_int_equal(race.winner, 4);
    assert_true(race.racers[4].first > 0);
    assert_true(race.racers[1].end == HD_RACE_SLOWER);
    hd_arena_free(arena);
}

static void who_gets_ready_too_late_was_not_tried(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {0.01, 0.008, 0.02, 0.02, 0.004},
               .noise = 0.01,
               .build = 3,
               .more = {[4] = 30},
               .seed = 8};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 4, 20, &race), HD_OK);
    assert_int_equal(race.winner, 1);
    assert_true(t.prepared[4] && t.released[4] && !race.racers[4].rounds);
    assert_int_equal(race.racers[4].end, HD_RACE_UNTRIED);
    assert_false(race.racers[4].as_fast);
    hd_arena_free(arena);
}

static void every_round_has_all_and_starts_with_another(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {.base = {1, 1, 1, 1, 1}, .noise = 0.5, .seed = 9};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 4, 100, &race), HD_OK);
    uint32_t first[5] = {0}, rounds = 15;
    assert_true(race.rounds >= rounds);
    for (uint32_t r = 0; r < rounds; r++) {
        const uint32_t *turns = &t.turns[1 + 5 * r]; /* after the original's first run */
        uint32_t seen = 0;
        for (int i = 0; i < 5; i++)
            seen |= 1u << turns[i];
        assert_int_equal(seen, 31);
        first[turns[0]]++;
    }
    for (int i = 0; i < 5; i++)
        assert_int_equal(first[i], 3);
    hd_arena_free(arena);
}

/* The original does not agree with itself, say: nobody else gets ready or runs. */
static void a_failure_without_a_reason_ends_the_race(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    track t = {
        .base = {1, 1, 1, 1, 1}, .build = 1, .seed = 3, .ends = {[2] = HD_EINPUT}, .fatal = true};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 4, 1000, &race), HD_EINPUT);
    assert_int_equal(t.prepared[3] + t.prepared[4], 0);
    assert_int_equal(race.rounds, 0);
    assert_int_equal(race.winner, 0);
    assert_int_equal(t.runs, 1); /* of the original, before any other */
    assert_int_equal(t.released[0], 1);
    assert_int_equal(t.released[1], 1);
    hd_arena_free(arena);
}

/* Rounds that were complete count, the one in which it was stopped does not. */
static void who_stops_a_race_keeps_its_rounds(void **state) {
    (void)state;
    for (uint32_t rounds = 0; rounds <= 20; rounds += 5) {
        hd_arena *arena = hd_arena_new();
        track t = {.base = {1, 1, 1, 1, 1},
                   .noise = 0.5,
                   .build = 1,
                   .seed = 5,
                   .stop_at = 1 + 5 * rounds + 3};
        hd_race race;
        assert_int_equal(race_of(arena, &t, four, 4, 1e6, &race), HD_OK);
        assert_true(race.stopped);
        assert_true(t.runs == t.stop_at);
        assert_int_equal(race.rounds, rounds);
        assert_int_equal(race.racers[0].rounds, race.rounds);
        if (race.rounds < race.least_rounds)
            assert_int_equal(race.winner, 0);
        for (uint32_t i = 0; i < race.count; i++)
            assert_int_equal(t.released[i], 1);
        hd_arena_free(arena);
    }
    hd_arena *arena = hd_arena_new();
    track t = {.base = {1, 0.9, 0.6, 1.1, 1.2}, .build = 1, .seed = 5, .stop_at = 1};
    hd_race race;
    assert_int_equal(race_of(arena, &t, four, 4, 1e6, &race), HD_OK);
    assert_true(race.stopped && race.rounds == 0 && t.runs == 1 && !t.prepared[1]);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_those_of_the_sign_test),
        cmocka_unit_test(intervals_hold_for_a_crooked_distribution),
        cmocka_unit_test(the_fastest_wins_and_the_others_drop_out),
        cmocka_unit_test(of_one_layout_the_job_s_placement_is_nearer),
        cmocka_unit_test(what_slows_a_round_does_not_matter),
        cmocka_unit_test(equal_ones_are_left_as_they_are),
        cmocka_unit_test(a_gain_below_the_margin_is_none),
        cmocka_unit_test(another_cost_than_time_decides),
        cmocka_unit_test(of_equals_the_nearest_to_the_original_wins),
        cmocka_unit_test(a_slow_neighbour_does_not_win_for_being_near),
        cmocka_unit_test(nearness_counts_clusters_then_tiles),
        cmocka_unit_test(who_cannot_run_is_left_out_with_the_reason),
        cmocka_unit_test(a_lost_device_ends_the_race_and_keeps_what_was_timed),
        cmocka_unit_test(the_budget_says_how_many_get_ready),
        cmocka_unit_test(rounds_can_be_limited),
        cmocka_unit_test(too_few_rounds_tell_nothing),
        cmocka_unit_test(time_that_is_left_tries_the_others),
        cmocka_unit_test(who_gets_ready_too_late_was_not_tried),
        cmocka_unit_test(a_failure_without_a_reason_ends_the_race),
        cmocka_unit_test(who_stops_a_race_keeps_its_rounds),
        cmocka_unit_test(every_round_has_all_and_starts_with_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
