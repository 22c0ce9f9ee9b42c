/* Reuse characteristics for the report page: every scenario, and some blocks in full. */
#include "report/json.h"
#include "report/page_run.h"

enum { SHOWN_OUTLIERS = 11, SHOWN_SAMPLES = 12, SHOWN_MOST = 1 + SHOWN_OUTLIERS + SHOWN_SAMPLES };

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

/* ---- a scenario ------------------------------------------------------------------------- */

static json_t *characteristic_json(hd_arena *arena, const hd_reuse_options *o,
                                   const hd_reuse *reuse) {
    const hd_reuse_stream stream =
        reuse->stream_count == 1 ? reuse->streams[0] : hd_reuse_sum(arena, reuse);
    json_t *object = json_object();
    bool limited = o->scenario >= 5;
    set(object, "scenario", hd_json_integer(o->scenario));
    set(object, "k", hd_json_integer_if(o->scenario == 4, reuse->k));
    set(object, "clusters", hd_json_integer_if(limited, o->clusters));
    set(object, "units", hd_json_integer_if(limited, o->units));
    set(object, "streams", hd_json_integer(reuse->stream_count));
    set(object, "blocks", hd_json_integer(reuse->blocks));
    hd_json_characteristic(object, &stream, 1, UINT64_MAX);
    return object;
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
        json_array_append_new(p->characteristics, characteristic_json(arena, &o, reuse));
    hd_arena_free(arena);
    return status;
}

static uint64_t most_blocks(const hd_trace_contents *contents) {
    uint64_t most = 1;
    for (uint32_t l = 0; l < contents->launch_count; l++)
        if (contents->launches[l].block_count > most)
            most = contents->launches[l].block_count;
    return most;
}

/* Larger K than there are blocks would show one characteristic again and again. */
static hd_status add_scenarios(page_reuse *p) {
    const hd_page_options *o = p->options;
    uint64_t most = most_blocks(hd_trace_get(p->trace));
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

static bool is_shown(const shown *list, size_t count, uint64_t row) {
    for (size_t i = 0; i < count; i++)
        if (list[i].row == row)
            return true;
    return false;
}

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
        bool outlies = spread->deviation[row] > spread->limit;
        if (!is_shown(list, count, row))
            list[count++] = (shown){row, outlies ? "outlier" : "sample"};
    }
    qsort(list, count, sizeof *list, by_row);
    return count;
}

static json_t *shown_json(const hd_reuse_kernel *kernel, const shown *s) {
    const hd_reuse_stream *stream = kernel->streams[s->row];
    json_t *object = json_object();
    set(object, "launch", hd_json_integer(stream->launch));
    set(object, "block", hd_json_integer(stream->number));
    set(object, "role", json_string(s->role));
    set(object, "deviation", hd_json_number(kernel->spread->deviation[s->row]));
    hd_json_characteristic(object, stream, 1, UINT64_MAX);
    return object;
}

static json_t *kernel_json(const hd_reuse_kernel *kernel) {
    const hd_reuse_spread *spread = kernel->spread;
    json_t *object = json_object(), *all = json_array();
    json_t *launch = json_array(), *block = json_array(), *deviation = json_array();
    shown list[SHOWN_MOST];
    size_t count = choose_shown(spread, list), typical = 0;
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(all, shown_json(kernel, &list[i]));
        typical = list[i].row == spread->typical ? i : typical;
    }
    for (uint64_t s = 0; s < spread->count; s++) {
        json_array_append_new(launch, hd_json_integer(kernel->streams[s]->launch));
        json_array_append_new(block, hd_json_integer(kernel->streams[s]->number));
        json_array_append_new(deviation, hd_json_number(spread->deviation[s]));
    }
    set(object, "kernel", hd_json_text(kernel->name));
    set(object, "count", hd_json_integer(spread->count));
    set(object, "typical", hd_json_integer(typical));
    set(object, "median", hd_json_number(spread->median));
    set(object, "limit", hd_json_number(spread->limit));
    set(object, "outliers", hd_json_integer(spread->outlier_count));
    set(object, "launch", launch);
    set(object, "block", block);
    set(object, "deviation", deviation);
    set(object, "shown", all);
    return object;
}

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
        json_array_append_new(p->characteristics, characteristic_json(arena, &o, reuse));
        for (uint32_t k = 0; k < count; k++)
            json_array_append_new(p->blocks, kernel_json(&kernels[k]));
    }
    hd_arena_free(arena);
    return status;
}

hd_status hd_page_reuse(const hd_diag *diag, hd_trace *trace, const hd_page_options *options,
                        json_t *run) {
    page_reuse p = {diag, trace, options, json_array(), json_array()};
    set(run, "characteristics", p.characteristics);
    set(run, "blocks", p.blocks);
    hd_status status = add_scenarios(&p);
    return status ? status : add_blocks(&p);
}
