/* Judges that propose, and their proposals in one list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/propose.h"
#include "support.h"

typedef struct fixture {
    hd_arena *arena;
    hd_record *record;
} fixture;

static int setup(void **state) {
    static const char *const names[] = {"a", "b", "c", "d"};
    fixture *f = calloc(1, sizeof *f);
    f->arena = hd_arena_new();
    f->record = hd_new(f->arena, hd_record);
    *f->record = (hd_record){.name = "r", .spelling = "r", .field_count = 4};
    f->record->fields = hd_new_array(f->arena, hd_field, 4);
    for (uint32_t i = 0; i < 4; i++)
        f->record->fields[i] = (hd_field){names[i], "float", 0, 4, 4, 1, NULL};
    hd_record_lay_out(f->record);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    hd_arena_free(((fixture *)*state)->arena);
    free(*state);
    return 0;
}

/* A judge whose proposals are these notations, with blanks between them. */
static hd_judge judge_of(const fixture *f, const char *name, const char *notations) {
    const hd_diag silent = {0};
    hd_judge judge = {.name = name};
    uint32_t count;
    char **words = hd_split_words(f->arena, notations, &count);
    for (uint32_t i = 0; i < count; i++) {
        hd_layout *layout;
        assert_int_equal(hd_layout_parse(f->arena, &silent, f->record, words[i], &layout), HD_OK);
        hd_push(f->arena, &judge.layouts, layout);
    }
    return judge;
}

static const char *shown(const fixture *f, const hd_proposal *list, uint32_t count) {
    hd_str out = {.arena = f->arena};
    for (uint32_t i = 0; i < count; i++)
        hd_str_printf(&out, "%s%s (%s)", i ? "; " : "",
                      hd_layout_print(f->arena, f->record, list[i].layout), list[i].by);
    return hd_str_text(&out);
}

static const char *ask_of(const fixture *f, uint64_t used, const hd_judge *judges, uint32_t count,
                          uint32_t most) {
    uint32_t found;
    hd_proposal *list = hd_propose(f->arena, f->record, used, judges, count, most, &found);
    return shown(f, list, found);
}

static const char *ask(const fixture *f, const hd_judge *judges, uint32_t count, uint32_t most) {
    return ask_of(f, UINT64_MAX, judges, count, most);
}

static void proposals_are_merged_by_rank(void **state) {
    const fixture *f = *state;
    const hd_judge judges[] = {judge_of(f, "one", "soa aos aosoa:4 aosoa:8"),
                               judge_of(f, "two", "{a,b}{c,d} soa")};
    assert_string_equal(ask(f, judges, 2, 8),
                        "soa (one, two); {a,b}{c,d} (two); aosoa:4 (one); aosoa:8 (one)");
    assert_string_equal(ask(f, judges, 2, 2), "soa (one, two); {a,b}{c,d} (two)");
    assert_string_equal(ask(f, judges, 0, 8), "");
}

static void a_judge_is_named_once(void **state) {
    const fixture *f = *state;
    const hd_judge judges[] = {judge_of(f, "cost", "soa {a,b,c}:soa{d}"),
                               judge_of(f, "cost", "soa"), judge_of(f, "cost on x", "soa"),
                               judge_of(f, "on", "soa")};
    assert_string_equal(ask_of(f, 3, judges, 4, 8), "soa (cost, cost on x, on)");
}

static void the_original_is_never_proposed(void **state) {
    const fixture *f = *state;
    const hd_judge judge = judge_of(f, "one", "aos {a}{b}{c}{d}/da");
    assert_string_equal(ask(f, &judge, 1, 8), "da (one)");
    f->record->of_arrays = true;
    assert_string_equal(ask(f, &judge, 1, 8), "aos (one)");
}

/* Of a and b only: where c and d lie makes no other layout. */
static void fields_that_nobody_touches_make_no_layouts(void **state) {
    const fixture *f = *state;
    const hd_judge judges[] = {judge_of(f, "one",
                                        "soa {a,b,c}:soa{d} {a,b}{c,d} {a,b}{c}{d} {a,b}:4{c,d} "
                                        "{a,c}{b,d} {a,d}{b,c}"),
                               judge_of(f, "two", "{a,b,d}:soa{c} aos {a,b,c,d}:1")};
    assert_string_equal(ask_of(f, 3, judges, 2, 16),
                        "soa (one, two); {a,b}{c,d} (one); {a,b}:4{c,d} (one)");
    assert_string_equal(ask_of(f, 7, judges, 1, 16),
                        "soa (one); {a,b}{c,d} (one); {a,b}:4{c,d} (one); {a,c}{b,d} (one); "
                        "{a,d}{b,c} (one)");
}

/* a - b near, c - d nearly so, the two pairs far from each other. */
static hd_layout_graph *two_pairs(const fixture *f) {
    hd_layout_graph *graph = hd_new(f->arena, hd_layout_graph);
    *graph = (hd_layout_graph){f->record, 15, hd_new_array(f->arena, uint64_t, 16)};
    for (uint32_t x = 0; x < 4; x++)
        for (uint32_t y = 0; y < 4; y++)
            graph->distance[4 * x + y] = x == y           ? 0
                                         : x / 2 != y / 2 ? HD_UNREACHABLE
                                         : x < 2          ? 4
                                                          : 100;
    return graph;
}

static void the_graph_gives_clusters_and_the_tree_their_tiles(void **state) {
    const fixture *f = *state;
    const hd_diag silent = {0};
    hd_tile_steps *tree;
    hd_layout_graph *graph = two_pairs(f);
    assert_int_equal(hd_tile_steps_parse(f->arena, &silent, "64 to 8, SoA", &tree), HD_OK);
    hd_judge judge = hd_judge_graph(f->arena, graph, 128, tree);
    assert_string_equal(ask(f, &judge, 1, 8),
                        "{a,b}:64{c,d}:64 (graph and tree); soa (graph and tree)");
    judge = hd_judge_graph(f->arena, graph, 64, tree);
    assert_string_equal(ask(f, &judge, 1, 8),
                        "{a,b}:64{c}{d} (graph and tree); soa (graph and tree)");
    judge = hd_judge_graph(f->arena, graph, 128, NULL);
    assert_string_equal(ask(f, &judge, 1, 8), "{a,b}{c,d} (graph)");
}

static void the_plain_ones_are_soa_and_tiles(void **state) {
    const fixture *f = *state;
    hd_judge judge = hd_judge_plain(f->arena, f->record);
    assert_string_equal(ask(f, &judge, 1, 8),
                        "soa (plain); aosoa:16 (plain); aosoa:4 (plain); aosoa:64 (plain)");
}

static void static_cost_proposes_its_ranking(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_read(&s, "examples/kmeans/kmeans-small.yaml");
    const hd_device *device;
    hd_cost_model *model;
    hd_search_result search;
    assert_int_equal(hd_device_find(s.arena, &s.diag, "tesla-k20c", &device), HD_OK);
    assert_int_equal(
        hd_cost_model_make(s.arena, &s.diag, s.job, device, &(hd_cost_options){0}, &model), HD_OK);
    hd_search_static(s.arena, model, &(hd_search_options){0}, &search);
    const hd_judge judge = hd_judge_cost(s.arena, device, &search);
    assert_string_equal(judge.name, "cost on tesla-k20c");
    assert_int_equal(judge.layouts.count, search.ranked_count);
    assert_true(judge.layouts.count > 3);
    for (size_t i = 0; i < judge.layouts.count; i++)
        assert_true(hd_layout_equal(judge.layouts.data[i], search.ranked[i].layout));
    hd_sample_close(&s);
}

/* "aos/host soa soa/host": NULL is the job's. */
static const char *placed(const fixture *f, const hd_proposal *list, uint32_t count) {
    hd_str out = {.arena = f->arena};
    for (uint32_t i = 0; i < count; i++)
        hd_str_printf(&out, "%s%s%s%s", i ? " " : "",
                      hd_layout_print(f->arena, f->record, list[i].layout),
                      list[i].placement ? "/" : "",
                      list[i].placement ? hd_placement_name(*list[i].placement) : "");
    return hd_str_text(&out);
}

static void placements_of_the_first_layouts_are_proposed(void **state) {
    const fixture *f = *state;
    const hd_judge judge = judge_of(f, "one", "soa aosoa:4 aosoa:8 aosoa:16 aosoa:32");
    static const hd_placement two[] = {HD_PLACEMENT_HOST, HD_PLACEMENT_FINE};
    uint32_t count, found, left_out;
    const hd_proposal *layouts = hd_propose(f->arena, f->record, UINT64_MAX, &judge, 1, 8, &count);
    const hd_proposal *all =
        hd_propose_placements(f->arena, f->record, layouts, count, two, 2, 24, &found, &left_out);
    assert_string_equal(placed(f, all, found),
                        "aos/host aos/fine soa soa/host soa/fine aosoa:4 aosoa:4/host aosoa:4/fine "
                        "aosoa:8 aosoa:8/host aosoa:8/fine aosoa:16 aosoa:32");
    assert_int_equal(left_out, 4); /* the last two in two placements */
    assert_string_equal(all[0].by, "placement");
    assert_string_equal(all[4].by, "one");
    all = hd_propose_placements(f->arena, f->record, layouts, count, two, 2, 4, &found, &left_out);
    assert_string_equal(placed(f, all, found), "aos/host aos/fine soa soa/host");
    assert_int_equal(left_out, 6 * 3 - 1 - 4);
    all =
        hd_propose_placements(f->arena, f->record, layouts, count, NULL, 0, 24, &found, &left_out);
    assert_string_equal(placed(f, all, found), "soa aosoa:4 aosoa:8 aosoa:16 aosoa:32");
    assert_int_equal(left_out, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(proposals_are_merged_by_rank),
        TEST(a_judge_is_named_once),
        TEST(the_original_is_never_proposed),
        TEST(fields_that_nobody_touches_make_no_layouts),
        TEST(the_graph_gives_clusters_and_the_tree_their_tiles),
        TEST(the_plain_ones_are_soa_and_tiles),
        TEST(static_cost_proposes_its_ranking),
        TEST(placements_of_the_first_layouts_are_proposed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
