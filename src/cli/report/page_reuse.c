/* Reuse characteristics for the report page: every scenario, and some blocks in full. */
#include "cli/report/members.h"
#include "cli/report/page.h"
#include "cli/report/report_result.h"

enum { SHOWN_OUTLIERS = 11, SHOWN_SAMPLES = 12, SHOWN_MOST = 1 + SHOWN_OUTLIERS + SHOWN_SAMPLES };

/* ---- a scenario ------------------------------------------------------------------------- */

typedef struct scenario_row {
    const hd_reuse_options *options;
    const hd_reuse *reuse;
    hd_reuse_of stream;
} scenario_row;

static bool is_limited(const scenario_row *row) { return row->options->scenario >= 5; }

HD_GETTER(k_of, scenario_row, hd_whole_if(row->options->scenario == 4, row->reuse->k))
HD_GETTER(clusters_of, scenario_row, hd_whole_if(is_limited(row), row->options->clusters))
HD_GETTER(units_of, scenario_row, hd_whole_if(is_limited(row), row->options->units))

static const hd_member scenario_members[] = {
    {"scenario", HD_VIA(scenario_row, options, HD_AT, scenario)},
    {"k", .get = k_of},
    {"clusters", .get = clusters_of},
    {"units", .get = units_of},
    {"streams", HD_VIA(scenario_row, reuse, HD_AT, stream_count)},
    {"blocks", HD_VIA(scenario_row, reuse, HD_AT, blocks)},
    {HD_IN(scenario_row, stream), .of = hd_characteristic_members},
    {0}};

static json_t *scenario_json(hd_arena *arena, const hd_reuse_options *o, const hd_reuse *reuse) {
    const hd_reuse_stream stream =
        reuse->stream_count == 1 ? reuse->streams[0] : hd_reuse_sum(arena, reuse);
    const scenario_row row = {o, reuse, {&stream, 1, UINT64_MAX}};
    return hd_json_row(&(hd_view){arena}, scenario_members, &row);
}

typedef struct page_reuse {
    const hd_diag *diag;
    hd_trace *trace;
    const hd_page_options *options;
    json_t *characteristics;
    json_t *blocks;
} page_reuse;

/* What there is to know of one scenario. */
static hd_status add_scenario(page_reuse *p, uint32_t scenario, uint64_t k, uint64_t units) {
    hd_reuse_options o = p->options->reuse;
    o.scenario = scenario;
    o.k = k;
    o.clusters = scenario >= 5 ? p->options->clusters : 0;
    o.units = scenario >= 5 ? (uint32_t)units : 0;
    o.warp_order = scenario >= 5 ? o.warp_order : NULL;
    hd_arena *arena = hd_arena_new();
    hd_reuse *reuse;
    if (p->options->progress)
        p->options->progress(p->options->user, hd_format(arena, "scenario %u", scenario));
    hd_status status = hd_reuse_analyse(arena, p->diag, p->trace, &o, &reuse);
    if (status == HD_OK)
        json_array_append_new(p->characteristics, scenario_json(arena, &o, reuse));
    hd_arena_free(arena);
    return status;
}

/* Larger K than there are blocks would show one characteristic again and again. */
static hd_status add_scenarios(page_reuse *p) {
    const hd_page_options *o = p->options;
    const hd_trace_contents *contents = hd_trace_get(p->trace);
    uint64_t most = 1; /* blocks of a launch */
    for (uint32_t l = 0; l < contents->launch_count; l++)
        if (contents->launches[l].block_count > most)
            most = contents->launches[l].block_count;
    hd_status status = add_scenario(p, 1, 0, 0);
    if (status == HD_OK)
        status = add_scenario(p, 3, 0, 0);
    for (size_t i = 0; i < o->k_count && !status && (!i || o->k[i - 1] < most); i++)
        status = add_scenario(p, 4, o->k[i] < most ? o->k[i] : most, 0);
    for (uint32_t scenario = 5; scenario <= 6; scenario++)
        for (size_t i = 0; i < o->unit_count && !status; i++)
            status = add_scenario(p, scenario, 0, o->units[i]);
    return status;
}

/* ---- blocks ------------------------------------------------------------------------------- */

typedef struct shown {
    uint64_t row;
    const char *role;
} shown;

static int by_row(const void *a, const void *b) {
    const shown *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

/* The typical block, those that are farthest from it, and some evenly spread; in order. */
static size_t choose_shown(const hd_reuse_spread *spread, shown list[SHOWN_MOST]) {
    size_t count = 0;
    list[count++] = (shown){spread->typical, "typical"};
    for (uint64_t i = 0; i < spread->outlier_count && i < SHOWN_OUTLIERS; i++)
        list[count++] = (shown){spread->outliers[i], "outlier"};
    for (uint64_t i = 0; i < SHOWN_SAMPLES; i++) {
        uint64_t row = (2 * i + 1) * spread->count / (2 * SHOWN_SAMPLES);
        bool outlies = spread->deviation[row] > spread->limit, is_shown = false;
        for (size_t k = 0; k < count && !is_shown; k++)
            is_shown = list[k].row == row;
        if (!is_shown)
            list[count++] = (shown){row, outlies ? "outlier" : "sample"};
    }
    qsort(list, count, sizeof *list, by_row);
    return count;
}

/* The context is the hd_reuse_kernel. */
static const hd_reuse_kernel *kernel_of(const hd_view *view) { return view->context; }

HD_GETTER(shown_launch, shown, hd_whole(kernel_of(view)->streams[row->row]->launch))
HD_GETTER(shown_block, shown, hd_whole(kernel_of(view)->streams[row->row]->number))
HD_GETTER(shown_deviation, shown, hd_real(kernel_of(view)->spread->deviation[row->row]))

static hd_value shown_stream(const hd_view *view, const void *at) {
    hd_reuse_of *stream = hd_new(view->arena, hd_reuse_of);
    *stream = (hd_reuse_of){kernel_of(view)->streams[((const shown *)at)->row], 1, UINT64_MAX};
    return hd_row(stream);
}

static const hd_member shown_members[] = {{"launch", .get = shown_launch},
                                          {"block", .get = shown_block},
                                          {"role", HD_AT(shown, role)},
                                          {"deviation", .get = shown_deviation},
                                          {.get = shown_stream, .of = hd_characteristic_members},
                                          {0}};

/* The launches or the numbers of all blocks. */
static hd_value of_all(const hd_view *view, const hd_reuse_kernel *kernel, bool launches) {
    uint64_t *values = hd_new_array(view->arena, uint64_t, kernel->spread->count);
    for (uint64_t s = 0; s < kernel->spread->count; s++)
        values[s] = launches ? kernel->streams[s]->launch : kernel->streams[s]->number;
    return hd_list(values, kernel->spread->count);
}

static hd_value shown_of(const hd_view *view, const void *at) {
    shown *list = hd_new_array(view->arena, shown, SHOWN_MOST);
    size_t count = choose_shown(((const hd_reuse_kernel *)at)->spread, list);
    return hd_with(hd_rows(list, count), at);
}

HD_GETTER(launches_of, hd_reuse_kernel, of_all(view, row, true))
HD_GETTER(blocks_of, hd_reuse_kernel, of_all(view, row, false))
/* The number of the typical block among those that are shown. */
static hd_value typical_of(const hd_view *view, const void *at) {
    const hd_reuse_spread *spread = at;
    shown list[SHOWN_MOST];
    size_t count = choose_shown(spread, list), typical = 0;
    (void)view;
    for (size_t i = 0; i < count; i++)
        typical = list[i].row == spread->typical ? i : typical;
    return hd_whole(typical);
}

static const hd_member spread_members[] = {
    {"count", HD_AT(hd_reuse_spread, count)},
    {"typical", .get = typical_of},
    HD_SAME(hd_reuse_spread, median, limit),
    {"outliers", HD_AT(hd_reuse_spread, outlier_count)},
    {"deviation", HD_NUMBERS(hd_reuse_spread, deviation, count)},
    {0}};
static const hd_member kernel_members[] = {
    {"kernel", HD_AT(hd_reuse_kernel, name)},
    {HD_BEHIND(hd_reuse_kernel, spread), .of = spread_members},
    {"launch", .get = launches_of},
    {"block", .get = blocks_of},
    {"shown", .get = shown_of, .of = shown_members},
    {0}};

static hd_status add_blocks(page_reuse *p) {
    hd_reuse_options o = p->options->reuse;
    hd_arena *arena = hd_arena_new();
    hd_reuse *reuse;
    hd_reuse_kernel *kernels;
    o.scenario = 2;
    o.warp_order = NULL;
    if (p->options->progress)
        p->options->progress(p->options->user, "blocks");
    hd_status status = hd_reuse_analyse(arena, p->diag, p->trace, &o, &reuse);
    if (status == HD_OK) {
        uint32_t count = hd_reuse_by_kernel(arena, hd_trace_get(p->trace), reuse, &kernels);
        json_array_append_new(p->characteristics, scenario_json(arena, &o, reuse));
        for (uint32_t k = 0; k < count; k++)
            json_array_append_new(p->blocks,
                                  hd_json_row(&(hd_view){arena}, kernel_members, &kernels[k]));
    }
    hd_arena_free(arena);
    return status;
}

hd_status hd_page_reuse(const hd_diag *diag, hd_trace *trace, const hd_page_options *options,
                        json_t *run) {
    page_reuse p = {diag, trace, options, json_array(), json_array()};
    json_object_set_new(run, "characteristics", p.characteristics);
    json_object_set_new(run, "blocks", p.blocks);
    hd_status status = add_scenarios(&p);
    return status ? status : add_blocks(&p);
}
