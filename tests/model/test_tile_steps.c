/*
 * Steps of tiles: hand-made cases, table 1 of the paper, random patterns against the slow
 * twin, and the scores.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "oracle/tile_learn.h"

/* ---- text ---------------------------------------------------------------------------- */

typedef struct seen {
    unsigned errors, column;
    char text[256];
} seen;

static void capture(const hd_message *message, void *user) {
    seen *s = user;
    s->errors++;
    s->column = message->place.column;
    snprintf(s->text, sizeof s->text, "%s", message->text);
}

static hd_tile_steps *parse(hd_arena *arena, const char *text) {
    seen s = {0};
    hd_diag diag = {capture, &s};
    hd_tile_steps *steps;
    if (hd_tile_steps_parse(arena, &diag, text, &steps) != HD_OK)
        fail_msg("%s: column %u: %s", text, s.column, s.text);
    assert_int_equal(s.errors, 0);
    return steps;
}

/*
 * Table 1 of Kofler, Cosenza and Fahringer, "Automatic Data Layout Optimizations for GPUs",
 * Euro-Par 2015. The table draws the branch for greater values first: read so, bitonic
 * sorting's 16 bytes get what section 4 says they get, 512 on the FirePro and the GeForce
 * and SoA on the Tesla.
 */
static const struct paper_tree {
    const char *device, *text, *picture;
    uint64_t bitonic_sorting;
} paper_trees[] = {
    {"AMD FirePro S9000", "1024 to 12, 512 to 20, 16384 to 32, 32 to 48, AoS",
     "  up to 12: 1024\n"
     "  up to 20: 512\n"
     "  up to 32: 16384\n"
     "  up to 48: 32\n"
     "  above: AoS\n",
     512},
    {"NVIDIA GeForce GTX 480", "AoS to 8, SoA to 12, 512 to 96, SoA",
     "  up to 8: AoS\n"
     "  up to 12: SoA\n"
     "  up to 96: 512\n"
     "  above: SoA\n",
     512},
    {"NVIDIA Tesla K20m", "SoA to 20, 8192 to 48, 16384 to 96, 32768",
     "  up to 20: SoA\n"
     "  up to 48: 8192\n"
     "  up to 96: 16384\n"
     "  above: 32768\n",
     HD_TILE_SOA},
};

static void trees_of_the_paper_are_parsed_and_printed(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (size_t i = 0; i < 3; i++) {
        const struct paper_tree *paper = &paper_trees[i];
        const hd_tile_steps *steps = parse(arena, paper->text);
        hd_str picture = {.arena = arena};
        hd_tile_steps_show(&picture, steps);
        assert_string_equal(hd_str_text(&picture), paper->picture);
        assert_string_equal(hd_tile_steps_print(arena, steps), paper->text);
        const char *word = hd_tile_steps_word(arena, steps); /* no blank, and read as the same */
        assert_null(strchr(word, ' '));
        assert_string_equal(hd_tile_steps_print(arena, parse(arena, word)), paper->text);
        assert_true(hd_tile_select(steps, 16) == paper->bitonic_sorting);
    }
    const hd_tile_steps *steps = parse(arena, paper_trees[0].text);
    static const uint64_t cases[][2] = {{1, 1024},   {12, 1024}, {13, 512}, {20, 512}, {21, 16384},
                                        {32, 16384}, {33, 32},   {48, 32},  {49, 1},   {4096, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(hd_tile_select(steps, cases[i][0]), cases[i][1]);
    hd_arena_free(arena);
}

static void blanks_may_vary(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    assert_string_equal(hd_tile_steps_print(arena, parse(arena, " AoS to 12,2 to  20 ,SoA ")),
                        "AoS to 12, 2 to 20, SoA");
    assert_string_equal(hd_tile_steps_print(arena, parse(arena, "2 to 12, 2 to 20, SoA")),
                        "2 to 20, SoA");
    assert_string_equal(hd_tile_steps_print(arena, parse(arena, "32768")), "32768");
    hd_arena_free(arena);
}

static void broken_text_is_an_error(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    static const struct {
        const char *text;
        unsigned column;
    } cases[] = {{"", 1},
                 {"1", 1},
                 {"3", 1},
                 {"65536", 1},
                 {"aos", 1},
                 {"AoS to", 7},
                 {"AoS to 12", 10},
                 {"AoS to 12,", 11},
                 {"AoS to 12, 2 to 12, 4", 16},
                 {"AoS to -1, SoA", 7},
                 {"AoS to 99999999999999999999, SoA", 7},
                 {"AoS SoA", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        seen s = {0};
        hd_diag diag = {capture, &s};
        hd_tile_steps *steps;
        assert_int_equal(hd_tile_steps_parse(arena, &diag, cases[i].text, &steps), HD_EINPUT);
        assert_int_equal(s.errors, 1);
        assert_null(steps);
        if (s.column != cases[i].column)
            fail_msg("'%s': column %u", cases[i].text, s.column);
    }
    hd_arena_free(arena);
}

/* ---- hand-made patterns --------------------------------------------------------------- */

typedef hd_vec(hd_tile_pattern) pattern_list;

/* `count` times the same. */
static void add(hd_arena *arena, pattern_list *list, uint32_t count, uint64_t bytes,
                uint64_t tile) {
    while (count--)
        hd_push(arena, list, (hd_tile_pattern){bytes, tile});
}

static const char *learned(hd_arena *arena, const pattern_list *list) {
    return hd_tile_steps_print(arena, hd_tile_learn(arena, list->data, list->count));
}

static void clear_patterns_give_clear_trees(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    pattern_list list = {0};
    assert_string_equal(learned(arena, &list), "AoS");
    add(arena, &list, 1, 40, 512);
    assert_string_equal(learned(arena, &list), "512");
    list.count = 0;
    add(arena, &list, 8, 64, HD_TILE_SOA);
    add(arena, &list, 8, 16, 512);
    add(arena, &list, 8, 8, 512);
    assert_string_equal(learned(arena, &list), "512 to 16, SoA");
    add(arena, &list, 8, 4, 1);
    assert_string_equal(learned(arena, &list), "AoS to 4, 512 to 16, SoA");
    hd_arena_free(arena);
}

/* Two patterns are a branch, one is not, and neither are two that could be chance. */
static void small_branches_are_pruned(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    pattern_list list = {0};
    add(arena, &list, 30, 16, 512);
    add(arena, &list, 1, 64, HD_TILE_SOA);
    assert_string_equal(learned(arena, &list), "512");
    add(arena, &list, 5, 64, HD_TILE_SOA);
    assert_string_equal(learned(arena, &list), "512 to 16, SoA");
    list.count = 0; /* the same shares on both sides of any threshold */
    for (uint64_t bytes = 4; bytes <= 64; bytes += 4) {
        add(arena, &list, 3, bytes, 4);
        add(arena, &list, 2, bytes, 8);
    }
    assert_string_equal(learned(arena, &list), "4");
    hd_arena_free(arena);
}

static void ties_go_to_the_smaller_tile_and_the_lower_threshold(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    pattern_list list = {0};
    add(arena, &list, 3, 16, HD_TILE_SOA);
    add(arena, &list, 3, 16, 8);
    add(arena, &list, 3, 16, 64);
    assert_string_equal(learned(arena, &list), "8");
    list.count = 0; /* mirrored: 8 | 16 | 24 */
    add(arena, &list, 20, 8, 2);
    add(arena, &list, 20, 16, 4);
    add(arena, &list, 20, 24, 2);
    assert_string_equal(learned(arena, &list), "2 to 8, 4 to 16, 2");
    hd_arena_free(arena);
}

static void the_order_of_patterns_does_not_matter(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    pattern_list list = {0};
    uint64_t random = 7;
    for (uint64_t bytes = 4; bytes <= 128; bytes += 4)
        add(arena, &list, 6, bytes, bytes < 40 ? 16 : bytes < 90 ? HD_TILE_SOA : 1);
    const char *expected = "16 to 36, SoA to 88, AoS";
    assert_string_equal(learned(arena, &list), expected);
    for (size_t i = list.count - 1; i > 0; i--) {
        size_t j = hd_next_random(&random) % (i + 1);
        hd_tile_pattern swapped = list.data[i];
        list.data[i] = list.data[j];
        list.data[j] = swapped;
    }
    assert_string_equal(learned(arena, &list), expected);
    hd_arena_free(arena);
}

/* ---- random patterns against the twin ---------------------------------------------------- */

/* Tiles that follow the bytes, in `noise` of 16 cases at random. */
static void add_random(hd_arena *arena, pattern_list *list, uint64_t *random) {
    uint32_t sizes = 1 + (uint32_t)(hd_next_random(random) % 24);
    uint32_t each = 1 + (uint32_t)(hd_next_random(random) % 14);
    uint32_t noise = (uint32_t)(hd_next_random(random) % 17);
    uint32_t tiles = 1 + (uint32_t)(hd_next_random(random) % HD_TILE_CLASSES);
    uint32_t run = 1 + (uint32_t)(hd_next_random(random) % 6);
    for (uint32_t s = 0; s < sizes; s++)
        for (uint32_t i = hd_next_random(random) % each; i < each; i++) {
            bool any = hd_next_random(random) % 16 < noise;
            uint64_t class = any ? hd_next_random(random) % tiles : s / run % tiles;
            add(arena, list, 1, 4 * (s + 1) + (s > 9 ? 16 : 0), hd_tile_of_class((uint32_t)class));
        }
}

static void random_patterns_give_the_twin_s_tree(void **state) {
    (void)state;
    uint64_t random = 20261121;
    uint32_t nodes = 0, leaves = 0;
    for (int round = 0; round < 3000; round++) {
        hd_arena *arena = hd_arena_new();
        pattern_list list = {0};
        add_random(arena, &list, &random);
        const char *fast = learned(arena, &list);
        const char *slow = hd_tile_steps_print(arena, slow_learn(arena, list.data, list.count));
        if (strcmp(fast, slow))
            fail_msg("round %d, %zu patterns: %s, but the twin: %s", round, list.count, fast, slow);
        assert_string_equal(hd_tile_steps_print(arena, parse(arena, fast)), fast);
        for (const char *at = fast; (at = strstr(at, " to ")); at++)
            nodes++;
        leaves += !strchr(fast, ',');
        hd_arena_free(arena);
    }
    print_message("%u thresholds, %u of one step\n", nodes, leaves);
    assert_true(nodes > 3000 && leaves > 100 && leaves < 2000);
}

/* ---- patterns and scores -------------------------------------------------------------------- */

/* Times 1 everywhere but for `fast`, which takes half. */
static hd_tile_kernel kernel_of(uint64_t bytes, uint64_t fast) {
    hd_tile_kernel kernel = {.bytes = bytes};
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++)
        kernel.seconds[k] = hd_tile_of_class(k) == fast ? 0.5 : 1;
    return kernel;
}

static void the_fastest_and_those_near_it_are_patterns(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_tile_kernel kernels[] = {kernel_of(8, 4), kernel_of(12, HD_TILE_SOA)};
    size_t count;
    kernels[0].seconds[hd_tile_class(64)] = 0.5049;
    kernels[0].seconds[hd_tile_class(128)] = 0.505;
    kernels[1].seconds[0] = 0; /* not measured */
    const hd_tile_pattern *patterns = hd_tile_patterns(arena, kernels, 2, &count);
    assert_int_equal(count, 3);
    assert_true(patterns[0].bytes == 8 && patterns[0].tile == 4);
    assert_true(patterns[1].bytes == 8 && patterns[1].tile == 64);
    assert_true(patterns[2].bytes == 12 && patterns[2].tile == HD_TILE_SOA);
    hd_arena_free(arena);
}

static void scores_count_what_was_left_out(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_tile_kernel kernels[40];
    for (size_t i = 0; i < 40; i++) /* 4, 8, ..., 40 bytes, each four times */
        kernels[i] = kernel_of(4 * (i / 4 + 1), i / 4 < 5 ? 16 : HD_TILE_SOA);
    hd_tile_score score = hd_tile_cross_validate(kernels, 40, 10, 1);
    assert_true(score.kernels == 40 && score.folds == 10 && score.within == 40);
    assert_true(score.slowdown == 1 && score.worst == 1);
    score = hd_tile_leave_size_out(kernels, 40);
    assert_true(score.kernels == 40 && score.folds == 10);
    /* Without 20 bytes the threshold is 16, and the four kernels of 20 bytes miss it. */
    assert_int_equal(score.within, 36);
    assert_true(score.slowdown == 44.0 / 40 && score.worst == 2);
    score = hd_tile_score_steps(parse(arena, "16 to 8, AoS"), kernels, 40);
    assert_true(score.folds == 1 && score.within == 8 && score.slowdown == 72.0 / 40);

    /* What was not measured misses, and slows nothing. */
    kernels[0].seconds[hd_tile_class(16)] = 0;
    score = hd_tile_score_steps(parse(arena, "16"), kernels, 1);
    assert_true(score.within == 0 && score.slowdown == 1);

    /* Folds never share a kernel with what they were learned from: here each kernel alone knows
     * its tile. */
    for (size_t i = 0; i < 12; i++)
        kernels[i] = kernel_of(8 * (i + 1), hd_tile_of_class((uint32_t)i + 1));
    score = hd_tile_cross_validate(kernels, 12, 20, 3);
    assert_true(score.kernels == 12 && score.folds == 12 && score.within == 0);
    assert_true(score.slowdown == 2);
    score = hd_tile_cross_validate(kernels, 0, 10, 3);
    assert_true(score.kernels == 0 && score.slowdown == 1);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_the_paper_are_parsed_and_printed),
        cmocka_unit_test(blanks_may_vary),
        cmocka_unit_test(broken_text_is_an_error),
        cmocka_unit_test(clear_patterns_give_clear_trees),
        cmocka_unit_test(small_branches_are_pruned),
        cmocka_unit_test(ties_go_to_the_smaller_tile_and_the_lower_threshold),
        cmocka_unit_test(the_order_of_patterns_does_not_matter),
        cmocka_unit_test(random_patterns_give_the_twin_s_tree),
        cmocka_unit_test(the_fastest_and_those_near_it_are_patterns),
        cmocka_unit_test(scores_count_what_was_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
