/*
 * The search against the obvious one: every partition and every choice of tiles,
 * each layout priced as a whole by hd_cost_of_layout().
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "oracle/partition.h"
#include "model/cost_internal.h"
#include "model/search_internal.h"
#include "sanitized.h"
#include "support.h"
#include "ready.h"

static uint32_t below(uint32_t n) { return (uint32_t)(random() % n); }

/* A kernel over a record of `fields` fields with random accesses. */
static char *random_kernel(hd_arena *arena, uint32_t fields) {
    static const char *const types[] = {"float", "int", "short", "double", "char"};
    static const char *const indices[] = {"i", "i", "j", "i + 1", "n - i", "i * 3", "w[i]"};
    hd_str s = {.arena = arena};
    hd_str_add(&s, "struct r {");
    for (uint32_t f = 0; f < fields; f++)
        hd_str_printf(&s, " %s f%u;", types[below(3) ? 0 : below(5)], f);
    hd_str_add(&s, " };\n__kernel void k(__global struct r *p, __global int *w, int n) {\n"
                   "  int i = get_global_id(0), j = 0;\n");
    uint32_t accesses = 2 + below(6);
    for (uint32_t a = 0; a < accesses; a++) {
        bool loop = below(3) == 0;
        if (loop)
            hd_str_printf(&s, "  for (j = 0; j < %u; j++) {\n", 2 + below(40));
        const char *index = indices[below(7)];
        for (uint32_t n = 1 + below(3); n > 0; n--)
            hd_str_printf(&s, "    p[%s].f%u += 1;\n", below(4) ? index : indices[below(7)],
                          below(fields));
        hd_str_add(&s, loop ? "  }\n" : "");
    }
    hd_str_add(&s, "}\n");
    return s.data;
}

/* The same with an array field that the job takes apart, accesses that reach two fields at once,
 * loops of unknown length, and pointers that let a compiler keep values in registers. */
static char *random_parts(hd_arena *arena, uint32_t fields) {
    static const char *const indices[] = {"i", "i", "j", "i + 1", "i * 3", "w[i]"};
    static const char *const parts[] = {"j % 2", "j & 1", "i & 1", "w[i] & 1", "0", "1"};
    static const char *const ends[] = {"2", "16", "w[i]", "w[0]"};
    const char *qualifier = below(2) ? "restrict " : "";
    hd_str s = {.arena = arena};
    hd_str_add(&s, "struct r { float a[2];");
    for (uint32_t f = 0; f < fields; f++)
        hd_str_printf(&s, " float f%u;", f);
    hd_str_printf(&s,
                  " };\n__kernel void k(__global struct r *%sp, __global int *%sw, int n) {\n"
                  "  int i = get_global_id(0), j = 0;\n",
                  qualifier, qualifier);
    for (uint32_t a = 2 + below(4); a > 0; a--) {
        bool loop = below(2) == 0;
        if (loop)
            hd_str_printf(&s, "  for (j = 0; j < %s; j++) {\n", ends[below(4)]);
        const char *index = indices[below(6)];
        for (uint32_t n = 1 + below(3); n > 0; n--) {
            uint32_t kind = below(4), first = below(fields - 1);
            if (kind == 0)
                hd_str_printf(&s, "    vstore2(vload2(0, &p[%s].f%u) + 1, 0, &p[%s].f%u);\n", index,
                              first, index, first);
            else if (kind == 1)
                hd_str_printf(&s, "    p[%s].f%u += 1;\n", index, first);
            else
                hd_str_printf(&s, "    p[%s].a[%s] += 1;\n", index, parts[below(6)]);
        }
        hd_str_add(&s, loop ? "  }\n" : "");
    }
    hd_str_add(&s, "}\n");
    return s.data;
}

static const char *const job =
    "kernel: kernel.cl\nbuffers:\n  - {name: p, type: r, count: 8192}\n"
    "  - {name: w, type: int, count: 4096}\nlaunches:\n  - kernel: k\n    global: [2048]\n"
    "    local: [128]\n    args: [{name: p, buffer: p}, {name: w, buffer: w}, {name: n, value: "
    "4000}]\n";

static const char *const job_apart =
    "kernel: kernel.cl\nsplit: [a]\nbuffers:\n  - {name: p, type: r, count: 8192}\n"
    "  - {name: w, type: int, count: 4096}\nlaunches:\n  - kernel: k\n    global: [2048]\n"
    "    local: [128]\n    args: [{name: p, buffer: p}, {name: w, buffer: w}, {name: n, value: "
    "4000}]\n";

/* The same launch again, twice, and one of other sizes: uses that cost alike, and others. */
static const char *const more_launches =
    "  - kernel: k\n    repeat: 2\n    global: [2048]\n    local: [128]\n"
    "    args: [{name: p, buffer: p}, {name: w, buffer: w}, {name: n, value: 4000}]\n"
    "  - kernel: k\n    global: [192]\n    local: [64]\n"
    "    args: [{name: p, buffer: p}, {name: w, buffer: w}, {name: n, value: 3000}]\n";

typedef struct oracle {
    hd_sample *s;
    hd_cost_model *model;
    uint32_t fields;
    uint64_t tiles[HD_MAX_TILES];
    uint32_t tile_count;
    hd_cost_vector best;
    uint64_t partitions;
} oracle;

static void try_tiles(oracle *o, const uint64_t *masks, uint64_t *tiles, uint32_t count,
                      uint32_t at) {
    if (at < count) {
        for (uint32_t t = 0; t < o->tile_count; t++) {
            tiles[at] = o->tiles[t];
            try_tiles(o, masks, tiles, count, at + 1);
        }
        return;
    }
    hd_arena *arena = hd_arena_new();
    const hd_layout *layout = hd_layout_of_masks(arena, masks, tiles, count, false);
    hd_cost_vector cost = hd_cost_of_layout(arena, o->model, layout, NULL, NULL);
    if (hd_cost_compare(&cost, &o->best) < 0)
        o->best = cost;
    hd_arena_free(arena);
}

static void try_all(oracle *o) {
    partition p;
    partition_first(&p, o->fields);
    o->best.v[HD_MAX_DEGREE] = 1e300;
    do {
        uint64_t masks[HD_MAX_FIELDS] = {0}, tiles[HD_MAX_FIELDS];
        for (uint32_t f = 0; f < o->fields; f++)
            masks[p.rgs[f]] |= (uint64_t)1 << f;
        try_tiles(o, masks, tiles, p.blocks, 0);
        o->partitions++;
    } while (partition_next(&p));
}

static const char *const devices[] = {
    "tesla-m2050", "tesla-k20c",
    "warp:32 l1:4k/128 l2:16k/32 w:1,30,100 blocks:8 threads:1536 regs:32768",
    "warp:32 l1:2k/64 l2:64k/64 w:1,10,50 blocks:4 threads:512 regs:32768 segment:32",
    "warp:32 l1:4k/128 l2:16k/32 w:1,30,100 blocks:8 threads:1024 regs:16384 "
    "coalescing:half-warp"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* Uses that a search does not price. */
static uint32_t joined(const hd_cost_model *model) {
    uint32_t sum = 0;
    for (uint32_t f = 0; f < HD_MAX_FIELDS; f++)
        sum += (uint32_t)(model->of_field[f].count - model->alike_of_field[f].count);
    return sum;
}

/* Returns how many of the kernels left questions open. */
static uint32_t compare_searches(int rounds, bool apart) {
    uint32_t with_questions = 0;
    for (int round = 0; round < rounds; round++) {
        hd_arena *text = hd_arena_new();
        hd_sample s;
        uint32_t fields = 2 + below(apart ? 2 : 3);
        const char *launched = apart ? job_apart : job;
        bool has_more = below(2);
        if (has_more)
            launched = hd_format(text, "%s%s", launched, more_launches);
        hd_sample_open(&s, apart ? random_parts(text, fields) : random_kernel(text, fields),
                       launched);
        fields = s.job->record->field_count;
        const hd_device *device;
        oracle o = {.s = &s, .fields = fields};
        hd_cost_options options = {.loops = HD_LOOPS_PENG};
        assert_int_equal(hd_device_find(s.arena, &s.diag, devices[below(DEVICES)], &device), HD_OK);
        assert_int_equal(hd_cost_model_make(s.arena, &s.diag, s.job, device, &options, &o.model),
                         HD_OK);
        o.tile_count = hd_cost_tiles(o.model, o.tiles);
        if (has_more)
            assert_true(joined(o.model) > 0);
        try_all(&o);
        with_questions += hd_cost_questions(o.model)->count > 0;

        hd_search_result exact, bound;
        hd_search_static(s.arena, o.model, &(hd_search_options){0}, &exact);
        assert_int_equal(exact.partitions, o.partitions);
        assert_int_equal(hd_cost_compare(&exact.ranked[0].cost, &o.best), 0);
        hd_cost_vector again =
            hd_cost_of_layout(s.arena, o.model, exact.ranked[0].layout, NULL, NULL);
        assert_int_equal(hd_cost_compare(&again, &o.best), 0);

        hd_search_static(s.arena, o.model, &(hd_search_options){.exact_fields = 1}, &bound);
        assert_true(hd_cost_compare(&bound.ranked[0].cost, &o.best) >= 0);
        if (bound.proven)
            assert_int_equal(hd_cost_compare(&bound.ranked[0].cost, &o.best), 0);
        else
            assert_true(hd_cost_ratio(&bound.ranked[0].cost, &o.best) * (1 - bound.gap) <=
                        1 + 1e-9);
        if (hd_cost_questions(o.model)->count == 0)
            assert_true(bound.proven);
        hd_sample_close(&s);
        hd_arena_free(text);
    }
    return with_questions;
}

static void equals_the_obvious_search(void **state) {
    (void)state;
    srandom(11);
    assert_true(compare_searches(40, false) > 5);
}

static void equals_it_where_accesses_have_parts(void **state) {
    (void)state;
    srandom(12);
    compare_searches(SANITIZED ? 2 : 6, true);
}

static hd_cost_vector cost_of_aos(const char *text, const char *of_job, const char *device_name) {
    hd_sample s;
    const hd_device *device;
    hd_cost_model *model;
    hd_cost_options options = {.loops = HD_LOOPS_PENG};
    hd_sample_open(&s, text, of_job);
    assert_int_equal(hd_device_find(s.arena, &s.diag, device_name, &device), HD_OK);
    assert_int_equal(hd_cost_model_make(s.arena, &s.diag, s.job, device, &options, &model), HD_OK);
    hd_cost_vector cost =
        hd_cost_of_layout(s.arena, model, hd_layout_aos(s.arena, s.job->record), NULL, NULL);
    hd_sample_close(&s);
    return cost;
}

/* An array of structs is one, whether the search may take its fields apart or not. */
static void aos_costs_the_same_taken_apart(void **state) {
    (void)state;
    srandom(13);
    for (int round = 0; round < (SANITIZED ? 4 : 15); round++) {
        hd_arena *arena = hd_arena_new();
        const char *text = random_parts(arena, 2 + below(3)), *device = devices[below(DEVICES)];
        hd_cost_vector whole = cost_of_aos(text, job, device);
        hd_cost_vector apart = cost_of_aos(text, job_apart, device);
        if (fabs(hd_cost_ratio(&whole, &apart) - 1) > 1e-9)
            fail_msg("%.9f on %s:\n%s", hd_cost_ratio(&apart, &whole), device, text);
        hd_arena_free(arena);
    }
}

/* All subsets and branch and bound find what saves most alike. */
static void subsets_equal_branch_and_bound(void **state) {
    (void)state;
    srandom(5);
    uint32_t saved = 0;
    for (int round = 0; round < 25; round++) {
        hd_arena *text = hd_arena_new();
        hd_sample s;
        hd_sample_open(&s, random_kernel(text, 4 + below(5)), job);
        const hd_device *device;
        hd_cost_model *model;
        hd_cost_options options = {.loops = HD_LOOPS_PENG};
        assert_int_equal(hd_device_find(s.arena, &s.diag, devices[below(DEVICES)], &device), HD_OK);
        assert_int_equal(hd_cost_model_make(s.arena, &s.diag, s.job, device, &options, &model),
                         HD_OK);
        const saving_bounds *bounds = saving_bounds_make(s.arena, model);
        candidate by_subsets = {.count = 0}, by_bound = {.count = 0};
        bound_effort effort;
        hd_cost_vector alone = saving_alone(bounds, ((uint64_t)1 << bounds->fields) - 1);
        hd_cost_vector a = search_subsets(s.arena, bounds, &by_subsets, &effort);
        hd_cost_vector b =
            search_bound(s.arena, bounds, &(hd_search_options){0}, &by_bound, &effort);
        assert_false(effort.late);
        hd_cost_vector cost_a = saving_minus(&alone, &a), cost_b = saving_minus(&alone, &b);
        assert_int_equal(hd_cost_compare(&cost_a, &cost_b), 0);
        saved += by_subsets.count > 0;
        hd_sample_close(&s);
        hd_arena_free(text);
    }
    assert_true(saved > 5);
}

/* Time that is up at once leaves the first layout: some of the seven fields that are
 * read at one random index together. */
static void out_of_time_keeps_the_first_layout(void **state) {
    (void)state;
    hd_arena *text = hd_arena_new();
    hd_str kernel = {.arena = text};
    hd_str_add(&kernel, "struct r {");
    for (int f = 0; f < 21; f++)
        hd_str_printf(&kernel, " float f%d;", f);
    hd_str_add(&kernel, " };\n__kernel void k(__global struct r *p, __global int *w, int n) {\n"
                        "  int i = get_global_id(0), j = w[i];\n  float s = 0;\n");
    for (int f = 0; f < 21; f++)
        hd_str_printf(&kernel, "  s += p[%s].f%d;\n", f < 7 ? "j" : "i", f);
    hd_str_add(&kernel, "  p[i].f20 = s;\n}\n");
    hd_sample s;
    hd_sample_open(&s, kernel.data, job);
    const hd_device *device;
    hd_cost_model *model;
    hd_cost_options options = {.loops = HD_LOOPS_PENG};
    assert_int_equal(hd_device_find(s.arena, &s.diag, "tesla-m2050", &device), HD_OK);
    assert_int_equal(hd_cost_model_make(s.arena, &s.diag, s.job, device, &options, &model), HD_OK);
    const saving_bounds *bounds = saving_bounds_make(s.arena, model);
    const hd_cost_vector nothing = {{0}};
    candidate found = {.count = 0};
    bound_effort effort;
    const hd_search_options no_time = {.seconds = 1e-9};
    hd_cost_vector most = search_bound(s.arena, bounds, &no_time, &found, &effort), sum = nothing;
    assert_true(effort.late);
    assert_true(found.count > 0);
    uint64_t used = 0, tile;
    for (uint32_t i = 0; i < found.count; i++) {
        hd_cost_vector saving = saving_of_cluster(bounds, found.masks[i], &tile);
        assert_true(saving_greater(&saving, &nothing));
        assert_int_equal(used & found.masks[i], 0);
        assert_int_equal(tile, found.tiles[i]);
        used |= found.masks[i];
        hd_cost_add(&sum, &saving);
    }
    assert_false(saving_greater(&sum, &most));
    /* A number of nodes ends it as well, at the same place every time. */
    const hd_search_options few_nodes = {.nodes = 1};
    candidate first = {.count = 0}, second = {.count = 0};
    search_bound(s.arena, bounds, &few_nodes, &first, &effort);
    assert_true(effort.late);
    uint64_t nodes = effort.nodes;
    assert_in_range(nodes, 1, 4096);
    search_bound(s.arena, bounds, &few_nodes, &second, &effort);
    assert_int_equal(effort.nodes, nodes);
    assert_memory_equal(first.masks, second.masks, first.count * sizeof *first.masks);
    hd_sample_close(&s);
    hd_arena_free(text);
}

/* Records of one field, of 64, and with an array of 256 KiB among others. */
static void records_at_the_edges(void **state) {
    (void)state;
    static const struct {
        int fields;
        const char *array;
    } records[] = {{1, ""}, {64, ""}, {13, "float d[65536];"}};
    for (int i = 0; i < 3; i++) {
        hd_arena *text = hd_arena_new();
        hd_str kernel = {.arena = text};
        hd_str_add(&kernel, "struct r {");
        for (int f = 0; f < records[i].fields; f++)
            hd_str_printf(&kernel, " float f%d;", f);
        hd_str_printf(&kernel,
                      " %s };\n__kernel void k(__global struct r *p, __global int *w, int n) {\n"
                      "  int i = get_global_id(0);\n",
                      records[i].array);
        for (int f = 0; f < records[i].fields; f++)
            hd_str_printf(&kernel, "  p[i].f%d += w[%d];\n", f, f);
        if (records[i].array[0])
            hd_str_add(&kernel, "  for (int j = 0; j < 65536; j++) p[n].d[j] += p[i].d[i];\n");
        hd_str_add(&kernel, "}\n");
        hd_sample s;
        hd_sample_open(&s, kernel.data,
                       "kernel: kernel.cl\nbuffers:\n  - {name: p, type: r, count: 1024}\n"
                       "  - {name: w, type: int, count: 64}\nlaunches:\n  - kernel: k\n"
                       "    global: [1024]\n    local: [128]\n    args: [{name: p, buffer: p}, "
                       "{name: w, buffer: w}, {name: n, value: 3}]\n");
        const hd_device *device;
        hd_cost_model *model;
        hd_search_result result;
        hd_cost_options options = {.loops = HD_LOOPS_PENG};
        assert_int_equal(hd_device_find(s.arena, &s.diag, "tesla-m2050", &device), HD_OK);
        assert_int_equal(hd_cost_model_make(s.arena, &s.diag, s.job, device, &options, &model),
                         HD_OK);
        hd_search_static(s.arena, model, &(hd_search_options){.seconds = 0.01}, &result);
        const hd_layout *best = result.ranked[0].layout;
        assert_int_equal(hd_layout_check(&s.diag, s.job->record, best), HD_OK);
        hd_cost_vector again = hd_cost_of_layout(s.arena, model, best, NULL, NULL);
        assert_true(isfinite(again.v[0]) && again.v[0] > 0);
        assert_int_equal(hd_cost_compare(&again, &result.ranked[0].cost), 0);
        assert_true(result.ranked[0].ratio <= 1);
        hd_sample_close(&s);
        hd_arena_free(text);
    }
}

/* Every thread reads every field of its own element once: nothing gains. */
static void leaves_what_is_good(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s,
                   "struct r { float4 a; };\n__kernel void k(__global struct r *p, __global int "
                   "*w, int n) {\n  p[get_global_id(0)].a += (float4)(n + w[0]);\n}\n",
                   job);
    const hd_device *device;
    hd_cost_model *model;
    hd_cost_options options = {.loops = HD_LOOPS_PENG};
    assert_int_equal(hd_device_find(s.arena, &s.diag, "tesla-k20c", &device), HD_OK);
    assert_int_equal(hd_cost_model_make(s.arena, &s.diag, s.job, device, &options, &model), HD_OK);
    hd_search_result result;
    hd_search_static(s.arena, model, &(hd_search_options){0}, &result);
    assert_true(result.leave);
    assert_true(result.ranked[0].ratio == 1);
    hd_sample_close(&s);
}

/* Equal costs go to the layout with the fewest clusters. */
static void ties_go_to_the_nearest(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s,
                   "struct r { float a, b, c; };\n__kernel void k(__global struct r *p, __global "
                   "int *w, int n) {\n  int i = get_global_id(0);\n  p[i].a += n;\n  p[i + n].b += "
                   "w[0];\n}\n",
                   job);
    const hd_device *device;
    hd_cost_model *model;
    hd_cost_options options = {.loops = HD_LOOPS_PENG};
    assert_int_equal(hd_device_find(s.arena, &s.diag, "tesla-k20c", &device), HD_OK);
    assert_int_equal(hd_cost_model_make(s.arena, &s.diag, s.job, device, &options, &model), HD_OK);
    hd_search_result result;
    hd_search_static(s.arena, model, &(hd_search_options){0}, &result);
    assert_false(result.leave);
    assert_int_equal(result.ranked[0].layout->count, 1);
    hd_sample_close(&s);
}

/* Where fields lie that no access touches makes no other layout. */
static void unused_fields_make_no_layouts(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s,
                   "struct r { float a, b; int u, v, w, x; float c; };\n__kernel void k(__global "
                   "struct r *p, __global int *w, int n) {\n  int i = get_global_id(0);\n  p[i].a "
                   "+= p[i].b;\n  p[i + n].c = w[i];\n}\n",
                   job);
    const uint64_t used = 1 | 2 | 64;
    const hd_device *device;
    hd_cost_model *model;
    hd_cost_options options = {.loops = HD_LOOPS_PENG};
    assert_int_equal(hd_device_find(s.arena, &s.diag, "tesla-k20c", &device), HD_OK);
    assert_int_equal(hd_cost_model_make(s.arena, &s.diag, s.job, device, &options, &model), HD_OK);
    assert_int_equal(hd_cost_used_fields(model), used);
    hd_search_result result;
    hd_search_static(s.arena, model, &(hd_search_options){0}, &result);
    assert_true(result.ranked_count > 3);
    for (uint32_t i = 0; i < result.ranked_count; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_true(hd_layout_places(s.job->record, result.ranked[i].layout, used) !=
                        hd_layout_places(s.job->record, result.ranked[j].layout, used));
    assert_true(hd_layout_equal(result.ranked[0].layout, hd_layout_soa(s.arena, s.job->record)));
    hd_sample_close(&s);
}

/* Pairs of fields that are used alike, and one that nobody uses. */
static const char *const alike_kernel =
    "struct r { float4 a; int u; float4 b; double c, d; };\n__kernel void k(__global struct r *p, "
    "__global int *w, int n) {\n  int i = get_global_id(0);\n  p[i].a += p[i].b;\n  p[i].c += "
    "p[i].d;\n}\n";

/* Of layouts that differ in tiles alone that fill whole segments, or of one cost, few are ranked,
 * and the plainest goes first. */
static void what_is_alike_is_ranked_once(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, alike_kernel, job);
    const hd_device *device;
    hd_cost_model *model;
    hd_cost_options options = {.loops = HD_LOOPS_PENG};
    assert_int_equal(hd_device_find(s.arena, &s.diag, "tesla-p100", &device), HD_OK);
    assert_int_equal(hd_cost_model_make(s.arena, &s.diag, s.job, device, &options, &model), HD_OK);
    hd_search_result result;
    hd_search_static(s.arena, model, &(hd_search_options){0}, &result);
    uint64_t used = hd_cost_used_fields(model);
    assert_true(result.ranked_count > 3);
    for (uint32_t i = 0; i < result.ranked_count; i++) {
        uint32_t equal = 0;
        for (uint32_t j = 0; j < result.ranked_count; j++) {
            const hd_ranked *a = &result.ranked[i], *b = &result.ranked[j];
            equal += hd_cost_compare(&a->cost, &b->cost) == 0;
            assert_true(i == j ||
                        hd_layout_group(s.job->record, a->layout, used, hd_cost_unit(model)) !=
                            hd_layout_group(s.job->record, b->layout, used, hd_cost_unit(model)));
        }
        assert_true(equal <= MOST_EQUAL);
    }
    assert_true(hd_layout_equal(result.ranked[0].layout, hd_layout_soa(s.arena, s.job->record)));
    hd_sample_close(&s);
}

int main(void) {
    stand_ready();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_alike_is_ranked_once),
        cmocka_unit_test(equals_the_obvious_search),
        cmocka_unit_test(equals_it_where_accesses_have_parts),
        cmocka_unit_test(aos_costs_the_same_taken_apart),
        cmocka_unit_test(subsets_equal_branch_and_bound),
        cmocka_unit_test(out_of_time_keeps_the_first_layout),
        cmocka_unit_test(records_at_the_edges),
        cmocka_unit_test(leaves_what_is_good),
        cmocka_unit_test(ties_go_to_the_nearest),
        cmocka_unit_test(unused_fields_make_no_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
