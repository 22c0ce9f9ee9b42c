/*
 * heddle cache --locality: stack distances of a trace or of a run, and the miss ratios of LRU caches
 * that follow from them (docs/locality.md).
 */
#include "cli/commands.h"
#include "cli/stop.h"
#include "analysis/stack_ranks.h"
#include "cli/report/members.h"

enum { DEFAULT_LINE = 128, DEFAULT_WARP = 32, BAR = 30 };

typedef struct request {
    cli_input input;
    uint64_t clusters; /* 0: not given */
    bool csv;
    /* what they mean */
    hd_stack_options options;
    const hd_device *device; /* or NULL */
    /* what came of it */
    hd_stack *analysis; /* NULL: over ranks */
    bool complete;
    cli_run run; /* of a job */
    const hd_stack_result *result;
} request;

/* ---- what the options mean -------------------------------------------------------------- */

static const char *const scopes[] = {"device", "cluster", "block"};

/* NULL also where no device was named. */
static const hd_cache *cache_of(const request *r) {
    return r->device ? hd_stack_cache(r->device, r->options.scope) : NULL;
}

static hd_status read_options(cli *c, request *r) {
    const cli_options *given = c->given;
    const char *word = given->per ? given->per : "device";
    uint32_t scope = 0;
    hd_status status = HD_OK;
    r->input.machine.keep_text = r->csv; /* it would stand among the lines */
    while (scope < 3 && strcmp(scopes[scope], word))
        scope++;
    if (scope == 3)
        return cli_refuse(c, "--per takes block, cluster or device, not '%s'", word);
    r->options.scope = (hd_stack_scope)scope;
    if (r->options.scope != HD_STACK_CLUSTER && r->clusters)
        return cli_refuse(c, "--clusters goes with --per cluster");
    if (r->options.scope == HD_STACK_CLUSTER && !r->clusters)
        return cli_refuse(c, "--per cluster needs their number: --clusters C");
    r->options.clusters = (uint32_t)r->clusters;
    if (given->devices.count)
        status = cli_find_device(c, &r->device);
    if (status != HD_OK)
        return status;
    const hd_cache *cache = cache_of(r);
    r->options.line = given->line ? given->line
                      : cache     ? cache->line
                      : r->device ? r->device->segment
                                  : DEFAULT_LINE;
    r->options.warp = r->device ? r->device->warp : DEFAULT_WARP;
    if (!hd_is_power_of_two(r->options.line))
        return cli_refuse(c, "--line takes a power of two, not '%llu'",
                          (unsigned long long)r->options.line);
    if ((status = cli_read_choice(c, &r->input)))
        return status;
    r->options.spaces = r->input.spaces;
    if (r->options.spaces >> KIR_PRIVATE & 1)
        return cli_refuse(c, "--space private: all threads have the same addresses there, so lines "
                             "cannot be told apart; take global, constant or local");
    if (r->options.spaces >> KIR_LOCAL & 1 && r->options.scope != HD_STACK_BLOCK)
        return cli_refuse(c, "--space local goes with --per block: every block has its own local "
                             "memory");
    return HD_OK;
}

/* ---- hearing the accesses -------------------------------------------------------------------- */

/* All launches that are asked for, one after the other. */
static hd_status replay(cli *c, const hd_diag *diag, request *r, hd_trace *trace) {
    cli_stop stop;
    r->analysis = hd_stack_new(c->arena, diag, &r->options);
    const hd_sink sink = hd_stack_sink(r->analysis);
    const volatile sig_atomic_t *wanted = cli_catch_stop(&stop);
    const hd_trace_contents *contents = hd_trace_get(trace);
    cli_reading p = {.meter = {.c = c}, .all = hd_trace_sum(contents).lane_accesses + 1};
    const hd_trace_watch watch = {cli_show_reading, &p, wanted};
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < contents->launch_count && status == HD_OK && !*wanted; l++) {
        uint32_t number = contents->launches[l].launch.number;
        const hd_trace_choice choice = {number, r->input.first_block, r->input.last_block,
                                        r->options.spaces | 1u << KIR_GENERIC, &watch};
        p.launch = contents->launches[l].lane_accesses;
        if (cli_launch_chosen(&r->input, number))
            status = hd_trace_replay(trace, &c->diag, &choice, &sink);
        p.done += p.launch;
    }
    cli_release_stop(&stop);
    if (status == HD_OK && *wanted)
        hd_warn(&c->diag, &(hd_place){.file = r->input.path},
                "stopped by a signal: only what was read until then counts");
    r->run.total.counts.stopped |= *wanted != 0;
    r->complete &= !*wanted;
    r->result = status == HD_OK ? hd_stack_result_of(r->analysis) : NULL;
    return status;
}

static hd_status hear(cli *c, request *r) {
    hd_trace *trace;
    hd_job *job;
    cli_about about;
    const hd_diag diag = cli_diag_about(c, &about, r->input.path);
    cli_progress(c, "opening");
    hd_status status = cli_open_accesses(c, &r->input, &job, &r->run, &trace);
    if (status != HD_OK)
        return status;
    cli_meter meter = {.c = c};
    const hd_cache *cache = cache_of(r);
    const hd_stack_part part = {.first_launch = r->input.first_launch,
                                .last_launch = r->input.last_launch,
                                .first_block = r->input.first_block,
                                .last_block = r->input.last_block,
                                .point = cache ? cache->size / r->options.line : 0,
                                .with_counts = r->csv,
                                .progress = cli_show_meter,
                                .user = &meter};
    r->complete = hd_trace_get(trace)->complete;
    status =
        c->ranks && c->ranks->count > 1
            ? hd_stack_over_ranks(c->arena, &diag, trace, &part, &r->options, c->ranks, &r->result)
            : replay(c, &diag, r, trace);
    cli_progress(c, NULL);
    hd_trace_close(trace);
    return status;
}

/* ---- results as text ------------------------------------------------------------------------ */

static double share_of(uint64_t part, uint64_t all) { return all ? (double)part / (double)all : 0; }

/* A bar of at most BAR signs; a share that is not zero has one. */
static const char *bar(hd_arena *arena, double share) {
    int length = (int)(share * BAR + 0.5);
    if (!length && share > 0)
        length = 1;
    return hd_format(arena, "%.*s", length, "##############################");
}

static void show_head(cli *c, const request *r, hd_str *out) {
    const hd_stack_result *s = r->result;
    hd_str_printf(out, "%s: %s, %s, %s, %s\n", hd_plain_text(c->arena, r->input.name, false),
                  hd_show_counted(c->arena, s->launches, "launch", "es"),
                  hd_show_counted(c->arena, s->blocks, "block", "s"),
                  hd_show_counted(c->arena, s->mis, "MI", "s"),
                  hd_show_counted(c->arena, s->lane_accesses, "lane access", "es"));
    hd_str_printf(out, "  %s of lines of %s by warps of %u, %s memory\n",
                  hd_show_counted(c->arena, s->line_accesses, "access", "es"),
                  hd_show_bytes(c->arena, r->options.line), r->options.warp,
                  r->input.space_text ? r->input.space_text : "global");
    const char *stacks =
        r->options.scope == HD_STACK_DEVICE
            ? "one stack for the device"
            : hd_format(c->arena, "a stack for each of %s",
                        hd_show_counted(
                            c->arena, s->stacks,
                            r->options.scope == HD_STACK_BLOCK ? "block" : "core cluster", "s"));
    hd_str_printf(out, "  %s; footprint %s%s, %s\n", stacks, s->stacks > 1 ? "of the largest " : "",
                  hd_show_counted(c->arena, s->footprint, "line", "s"),
                  hd_show_bytes(c->arena, s->footprint * r->options.line));
}

/* A range of distances, or those that have none. */
typedef struct distance_row {
    uint64_t from, to, accesses; /* from 0: cold */
} distance_row;

/* A size of cache, in lines. */
typedef struct size_row {
    uint64_t lines;
} size_row;

static const hd_stack_result *result_in(const hd_view *view) {
    return ((const request *)view->context)->result;
}

static double share_in(const hd_view *view, uint64_t part) {
    return share_of(part, result_in(view)->line_accesses);
}

static hd_value range_of(const hd_view *view, const void *at) {
    const distance_row *row = at;
    return hd_text(!row->from ? "cold"
                   : row->from == row->to
                       ? hd_show_exact(view->arena, row->to)
                       : hd_format(view->arena, "%llu-%llu", (unsigned long long)row->from,
                                   (unsigned long long)row->to));
}
HD_GETTER(share_of_range, distance_row, hd_real(share_in(view, row->accesses)))
HD_GETTER(bar_of_range, distance_row, hd_text(bar(view->arena, share_in(view, row->accesses))))

static const hd_member distance_members[] = {
    {NULL, "distance", HD_PLAIN_WORD, .get = range_of},
    HD_SAME(distance_row, from, to),
    {"accesses", "accesses", HD_AT(distance_row, accesses)},
    {NULL, "share", HD_SHARE, .get = share_of_range},
    {NULL, "", .get = bar_of_range},
    {0}};

HD_GETTER(bytes_of, size_row, hd_whole(row->lines *((const request *)view->context)->options.line))
HD_GETTER(misses_of, size_row, hd_whole(hd_stack_misses(result_in(view), row->lines)))
HD_GETTER(ratio_of, size_row, hd_real(share_in(view, hd_stack_misses(result_in(view), row->lines))))
HD_GETTER(bar_of_size, size_row,
          hd_text(bar(view->arena, share_in(view, hd_stack_misses(result_in(view), row->lines)))))

static const hd_member size_members[] = {{"lines", "lines", HD_AT(size_row, lines)},
                                         {"bytes", "size", HD_BYTES, .get = bytes_of},
                                         {"misses", "misses", .get = misses_of},
                                         {"miss_ratio", "ratio", HD_SHARE, .get = ratio_of},
                                         {NULL, "", .get = bar_of_size},
                                         {0}};

/* Doubling ranges; as text also a row of what is cold. */
static hd_value distance_rows(hd_arena *arena, const request *r, bool with_cold) {
    const hd_stack_result *s = r->result;
    hd_vec(distance_row) rows = {0};
    for (uint64_t from = 1, to = 1; from <= s->footprint; from = to + 1, to *= 2) {
        uint64_t count = hd_stack_misses(s, from - 1) - hd_stack_misses(s, to);
        hd_push(arena, &rows, (distance_row){from, to, count});
    }
    if (with_cold)
        hd_push(arena, &rows, (distance_row){.accesses = s->cold});
    return hd_with(hd_rows(rows.data, rows.count), r);
}

/* Powers of two and, last, the footprint. */
static hd_value size_rows(hd_arena *arena, const request *r) {
    const uint64_t most = r->result->footprint;
    hd_vec(size_row) rows = {0};
    for (uint64_t lines = 1; lines <= most;
         lines = lines < most && lines * 2 > most ? most : lines * 2)
        hd_push(arena, &rows, (size_row){lines});
    return hd_with(hd_rows(rows.data, rows.count), r);
}

static int show_text(cli *c, const request *r) {
    const hd_cache *cache = cache_of(r);
    hd_str out = {.arena = c->arena};
    show_head(c, r, &out);
    cli_show_rows(c, "\nStack distances", distance_members, distance_rows(c->arena, r, true), &out);
    cli_show_rows(c, "\nMisses of LRU caches", size_members, size_rows(c->arena, r), &out);
    if (cache) {
        uint64_t misses = hd_stack_misses(r->result, cache->size / r->options.line);
        hd_str_printf(&out, "A cache as large as the %s of %s, %s, would miss %s.\n",
                      cache == &r->device->l2 ? "L2" : "L1", r->device->name,
                      hd_show_bytes(c->arena, cache->size),
                      hd_show_share(c->arena, share_of(misses, r->result->line_accesses)));
    }
    return cli_print(c, &out);
}

/* ---- as CSV, as JSON ------------------------------------------------------------------------ */

/* A line for every size at which the ratio is another than one line below, for 1 and for the
 * footprint: what is between two of them is as the first. */
static int show_csv(cli *c, const request *r) {
    const hd_stack_result *s = r->result;
    hd_str out = {.arena = c->arena};
    uint64_t misses = s->line_accesses;
    hd_str_add(&out, "lines,bytes,miss_ratio\n");
    for (uint64_t lines = 1; lines <= s->footprint; lines++) {
        misses -= s->counts[lines];
        if (lines == 1 || s->counts[lines] || lines == s->footprint)
            hd_str_printf(&out, "%llu,%llu,%.12g\n", (unsigned long long)lines,
                          (unsigned long long)(lines * r->options.line),
                          share_of(misses, s->line_accesses));
    }
    return cli_print(c, &out);
}

HD_GETTER(scope_of, request, hd_text(scopes[row->options.scope]))
HD_GETTER(spaces_of, request, hd_space_names(view->arena, row->options.spaces))
HD_GETTER(distances_of, request, distance_rows(view->arena, row, false))
HD_GETTER(curve_of, request, size_rows(view->arena, row))

static hd_value cache_row(const hd_view *view, const void *at) {
    const request *r = at;
    const hd_cache *cache = cache_of(r);
    size_row *row = hd_new(view->arena, size_row);
    row->lines = cache ? cache->size / r->options.line : 0;
    return hd_with(hd_row(cache ? row : NULL), r);
}

static const hd_member result_members[] = {
    HD_SAME(hd_stack_result, blocks, mis, lane_accesses, line_accesses, stacks, footprint, cold),
    {0}};
static const hd_member locality_members[] = {
    {"file", HD_AT(request, input.name)},
    {"line", HD_AT(request, options.line)},
    {"warp", HD_AT(request, options.warp)},
    {"device", HD_VIA(request, device, HD_AT, name)},
    {"per", .get = scope_of},
    {"clusters", HD_AT(request, clusters), HD_IF(request, clusters)},
    {"spaces", .get = spaces_of},
    {"runs", HD_VIA(request, result, HD_AT, launches)},
    {HD_BEHIND(request, result), .of = result_members},
    {"distances", .get = distances_of, .of = distance_members},
    {"curve", .get = curve_of, .of = size_members},
    {"cache", .get = cache_row, .of = size_members},
    {"complete", HD_AT(request, complete)},
    {HD_IN(request, run), .of = cli_stopped_members},
    {0}};

/* ---- the command --------------------------------------------------------------------------- */

int cmd_cache_locality(cli *c) {
    const cli_options *o = c->given;
    request r = {
        .input = o->input, .clusters = o->clusters, .csv = o->csv, .options.memory = o->memory};
    cli_end_on_stop();
    if (read_options(c, &r) || cli_read_input(c, &r.input))
        return CLI_WRONG;
    hd_status heard = hear(c, &r);
    if (heard == HD_OK && !r.result->line_accesses && !r.run.total.counts.stopped)
        heard = cli_fail_at(c, r.input.path,
                            "there is no access to %s memory here, and so nothing to analyse",
                            r.input.space_text ? r.input.space_text : "global");
    int status = heard          ? CLI_WRONG
                 : !c->is_first ? CLI_FINE /* and may lack the counts */
                 : c->json      ? cli_print_row(c, locality_members, hd_row(&r))
                 : r.csv        ? show_csv(c, &r)
                                : show_text(c, &r);
    if (r.analysis)
        hd_stack_free(r.analysis);
    return status ? status : cli_run_status(&r.run);
}
