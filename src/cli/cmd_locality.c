/*
 * heddle locality: stack distances of a trace or of a run, and the miss ratios of LRU caches
 * that follow from them (docs/locality.md).
 */
#include "cli/input.h"
#include "cli/stop.h"
#include "locality/stack.h"
#include "report/json.h"

enum { DEFAULT_LINE = 128, DEFAULT_WARP = 32, BAR = 30 };

typedef struct request {
    cli_input input;
    uint64_t line, clusters; /* 0: not given */
    const char *per, *device_name;
    bool csv;
    /* what they mean */
    hd_stack_options options;
    const hd_device *device; /* or NULL */
    /* what came of it */
    hd_stack *analysis;
    hd_sink sink; /* of the analysis */
    bool complete;
    cli_run run; /* of a job */
    const hd_stack_result *result;
} request;

/* ---- what the options mean -------------------------------------------------------------- */

static hd_status read_scope(cli *c, request *r) {
    static const char *const words[] = {"device", "cluster", "block"};
    const char *word = r->per ? r->per : "device";
    uint32_t scope = 0;
    while (scope < 3 && strcmp(words[scope], word))
        scope++;
    if (scope == 3)
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--per takes block, cluster or device, not '%s'",
                       word);
    r->options.scope = (hd_stack_scope)scope;
    if (r->options.scope != HD_STACK_CLUSTER && r->clusters)
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--clusters goes with --per cluster");
    if (r->options.scope == HD_STACK_CLUSTER && !r->clusters)
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--per cluster needs their number: --clusters C");
    if (r->clusters > HD_STACK_CLUSTERS_MAX)
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--clusters takes at most %d",
                       HD_STACK_CLUSTERS_MAX);
    r->options.clusters = (uint32_t)r->clusters;
    return HD_OK;
}

/* The cache that a stack stands for: that of one SM, or the device's. */
static const hd_cache *cache_of(const request *r) {
    if (!r->device)
        return NULL;
    const hd_cache *cache = r->options.scope == HD_STACK_DEVICE ? &r->device->l2 : &r->device->l1;
    return cache->size ? cache : NULL;
}

static hd_status read_line(cli *c, request *r) {
    hd_status status = HD_OK;
    if (r->device_name)
        status = hd_device_find(c->arena, &c->diag, r->device_name, &r->device);
    if (status != HD_OK)
        return status;
    const hd_cache *cache = cache_of(r);
    r->options.line = r->line     ? r->line
                      : cache     ? cache->line
                      : r->device ? r->device->segment
                                  : DEFAULT_LINE;
    r->options.warp = r->device ? r->device->warp : DEFAULT_WARP;
    return hd_is_power_of_two(r->options.line)
               ? HD_OK
               : hd_fail(&c->diag, HD_EINPUT, NULL, "--line takes a power of two, not '%llu'",
                         (unsigned long long)r->options.line);
}

static hd_status read_spaces(cli *c, request *r) {
    r->options.spaces = r->input.spaces;
    if (r->options.spaces >> KIR_PRIVATE & 1)
        return hd_fail(&c->diag, HD_EINPUT, NULL,
                       "--space private: all threads have the same addresses there, so lines "
                       "cannot be told apart; take global, constant or local");
    if (r->options.spaces >> KIR_LOCAL & 1 && r->options.scope != HD_STACK_BLOCK)
        return hd_fail(&c->diag, HD_EINPUT, NULL,
                       "--space local goes with --per block: every block has its own local "
                       "memory");
    return HD_OK;
}

static hd_status read_options(cli *c, request *r) {
    hd_status status;
    if (r->csv && c->json)
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--csv and --json: choose one of them");
    r->input.machine.keep_text = r->csv; /* it would stand among the lines */
    if ((status = read_scope(c, r)) || (status = read_line(c, r)) ||
        (status = cli_read_choice(c, &r->input)))
        return status;
    return read_spaces(c, r);
}

/* ---- from a trace -------------------------------------------------------------------------- */

/* What launches that are chosen have, and how much of it has been read. */
typedef struct replaying {
    cli_meter meter;
    uint64_t all, done, launch; /* lane accesses; of the launch in hand */
} replaying;

static void show_replaying(void *user, const char *doing, double done) {
    replaying *r = user;
    cli_show_meter(&r->meter, doing, ((double)r->done + done * (double)r->launch) / (double)r->all);
}

static hd_status replay(cli *c, const request *r, hd_trace *trace,
                        const volatile sig_atomic_t *stop) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    replaying p = {.meter = {.c = c}, .all = hd_trace_sum(contents).lane_accesses + 1};
    const hd_trace_watch watch = {show_replaying, &p, stop};
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < contents->launch_count && status == HD_OK && !*stop; l++) {
        uint32_t number = contents->launches[l].launch.number;
        const hd_trace_choice choice = {number, r->input.first_block, r->input.last_block,
                                        r->options.spaces | 1u << KIR_GENERIC, &watch};
        p.launch = contents->launches[l].lane_accesses;
        if (cli_launch_chosen(&r->input, number))
            status = hd_trace_replay(trace, &c->diag, &choice, &r->sink);
        p.done += p.launch;
    }
    cli_progress(c, NULL);
    return status;
}

static hd_status hear_trace(cli *c, request *r) {
    hd_trace *trace;
    cli_stop stop;
    cli_progress(c, "opening");
    hd_status status = cli_open_trace(c, &r->input, &trace);
    if (status != HD_OK)
        return status;
    const volatile sig_atomic_t *wanted = cli_catch_stop(&stop);
    status = replay(c, r, trace, wanted);
    cli_release_stop(&stop);
    r->run.total.counts.stopped = *wanted;
    r->complete = hd_trace_get(trace)->complete && !*wanted;
    if (status == HD_OK && *wanted)
        hd_warn(&c->diag, &(hd_place){.file = r->input.path},
                "stopped by a signal: only what was read until then counts");
    hd_trace_close(trace);
    return status;
}

/* ---- from a job ------------------------------------------------------------------------------ */

static hd_status hear_job(cli *c, request *r) {
    hd_job *job;
    hd_status status = cli_load_input(c, &r->input, &job);
    if (status != HD_OK)
        return status;
    status = cli_run_into(c, &r->input, job, r->sink, &r->run);
    r->complete = !r->run.total.counts.stopped;
    return status;
}

static hd_status hear(cli *c, request *r) {
    hd_status status = r->input.is_trace ? hear_trace(c, r) : hear_job(c, r);
    if (status != HD_OK)
        return status;
    const hd_place place = {.file = r->input.path};
    r->result = hd_stack_result_of(r->analysis);
    return r->result->line_accesses || r->run.total.counts.stopped
               ? HD_OK
               : hd_fail(&c->diag, HD_EINPUT, &place,
                         "there is no access to %s memory here, and so nothing to analyse",
                         r->input.space_text ? r->input.space_text : "global");
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

static const char *stacks_text(cli *c, const request *r) {
    uint64_t count = r->result->stacks;
    const char *number = hd_show_count(c->arena, (double)count);
    switch (r->options.scope) {
    case HD_STACK_BLOCK:
        return hd_format(c->arena, "a stack for each of %s block%s", number, count == 1 ? "" : "s");
    case HD_STACK_CLUSTER:
        return hd_format(c->arena, "a stack for each of %s core cluster%s", number,
                         count == 1 ? "" : "s");
    default: return "one stack for the device";
    }
}

static void show_head(cli *c, const request *r, hd_str *out) {
    const hd_stack_result *s = r->result;
    hd_str_printf(out, "%s: %s, %s, %s, %s\n", hd_plain_text(c->arena, r->input.path, false),
                  hd_show_counted(c->arena, s->launches, "launch", "es"),
                  hd_show_counted(c->arena, s->blocks, "block", "s"),
                  hd_show_counted(c->arena, s->mis, "MI", "s"),
                  hd_show_counted(c->arena, s->lane_accesses, "lane access", "es"));
    hd_str_printf(out, "  %s of lines of %s by warps of %u, %s memory\n",
                  hd_show_counted(c->arena, s->line_accesses, "access", "es"),
                  hd_show_bytes(c->arena, r->options.line), r->options.warp,
                  r->input.space_text ? r->input.space_text : "global");
    hd_str_printf(out, "  %s; footprint %s%s, %s\n", stacks_text(c, r),
                  s->stacks > 1 ? "of the largest " : "",
                  hd_show_counted(c->arena, s->footprint, "line", "s"),
                  hd_show_bytes(c->arena, s->footprint * r->options.line));
}

static void show_distances(cli *c, const hd_stack_result *s, hd_str *out) {
    static const hd_column columns[] = {{"distance", HD_RIGHT, false},
                                        {"accesses", HD_RIGHT, false},
                                        {"share", HD_RIGHT, false},
                                        {"", HD_LEFT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (uint64_t from = 1, to = 1; from <= s->footprint; from = to + 1, to *= 2) {
        uint64_t count = 0;
        for (uint64_t d = from; d <= to && d <= s->footprint; d++)
            count += s->counts[d];
        double share = share_of(count, s->line_accesses);
        hd_table_row(table, (const char *[]){from == to ? hd_show_exact(c->arena, to)
                                                        : hd_format(c->arena, "%llu-%llu",
                                                                    (unsigned long long)from,
                                                                    (unsigned long long)to),
                                             hd_show_exact(c->arena, count),
                                             hd_show_share(c->arena, share), bar(c->arena, share)});
    }
    double cold = share_of(s->cold, s->line_accesses);
    hd_table_row(table, (const char *[]){"cold", hd_show_exact(c->arena, s->cold),
                                         hd_show_share(c->arena, cold), bar(c->arena, cold)});
    hd_str_add(out, "\nStack distances\n");
    hd_table_print(table, out, c->style.bold);
}

/* The sizes of the table: powers of two and, last, the footprint. */
static uint64_t next_size(const hd_stack_result *s, uint64_t lines) {
    return lines < s->footprint && lines * 2 > s->footprint ? s->footprint : lines * 2;
}

static void show_curve(cli *c, const request *r, hd_str *out) {
    static const hd_column columns[] = {{"lines", HD_RIGHT, false},
                                        {"size", HD_RIGHT, false},
                                        {"misses", HD_RIGHT, false},
                                        {"ratio", HD_RIGHT, false},
                                        {"", HD_LEFT, false}};
    const hd_stack_result *s = r->result;
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (uint64_t lines = 1; lines <= s->footprint; lines = next_size(s, lines)) {
        uint64_t misses = hd_stack_misses(s, lines);
        double share = share_of(misses, s->line_accesses);
        hd_table_row(table, (const char *[]){hd_show_exact(c->arena, lines),
                                             hd_show_bytes(c->arena, lines * r->options.line),
                                             hd_show_exact(c->arena, misses),
                                             hd_show_share(c->arena, share), bar(c->arena, share)});
    }
    hd_str_add(out, "\nMisses of LRU caches\n");
    hd_table_print(table, out, c->style.bold);
    const hd_cache *cache = cache_of(r);
    if (cache)
        hd_str_printf(
            out, "A cache as large as the %s of %s, %s, would miss %s.\n",
            cache == &r->device->l2 ? "L2" : "L1", r->device->name,
            hd_show_bytes(c->arena, cache->size),
            hd_show_share(c->arena, share_of(hd_stack_misses(s, cache->size / r->options.line),
                                             s->line_accesses)));
}

static int show_text(cli *c, const request *r) {
    hd_str out = {.arena = c->arena};
    show_head(c, r, &out);
    show_distances(c, r->result, &out);
    show_curve(c, r, &out);
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

static json_t *distances_json(const hd_stack_result *s) {
    json_t *array = json_array();
    for (uint64_t from = 1, to = 1; from <= s->footprint; from = to + 1, to *= 2) {
        uint64_t count = 0;
        for (uint64_t d = from; d <= to && d <= s->footprint; d++)
            count += s->counts[d];
        json_array_append_new(array,
                              json_pack("{s:o, s:o, s:o}", "from", hd_json_integer(from), "to",
                                        hd_json_integer(to), "accesses", hd_json_integer(count)));
    }
    return array;
}

static json_t *size_json(const request *r, uint64_t lines) {
    uint64_t misses = hd_stack_misses(r->result, lines);
    return json_pack("{s:o, s:o, s:o, s:o}", "lines", hd_json_integer(lines), "bytes",
                     hd_json_integer(lines * r->options.line), "misses", hd_json_integer(misses),
                     "miss_ratio", hd_json_number(share_of(misses, r->result->line_accesses)));
}

static json_t *curve_json(const request *r) {
    json_t *array = json_array();
    for (uint64_t lines = 1; lines <= r->result->footprint; lines = next_size(r->result, lines))
        json_array_append_new(array, size_json(r, lines));
    return array;
}

static int show_json(cli *c, const request *r) {
    static const char *const scopes[] = {"device", "cluster", "block"};
    const hd_stack_result *s = r->result;
    const hd_cache *cache = cache_of(r);
    json_t *object = json_object();
    const struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"file", hd_json_text(r->input.path)},
        {"line", hd_json_integer(r->options.line)},
        {"warp", hd_json_integer(r->options.warp)},
        {"device", hd_json_text(r->device ? r->device->name : NULL)},
        {"per", json_string(scopes[r->options.scope])},
        {"clusters", r->clusters ? hd_json_integer(r->clusters) : json_null()},
        {"spaces", hd_json_spaces(r->options.spaces)},
        {"runs", hd_json_integer(s->launches)},
        {"blocks", hd_json_integer(s->blocks)},
        {"mis", hd_json_integer(s->mis)},
        {"lane_accesses", hd_json_integer(s->lane_accesses)},
        {"line_accesses", hd_json_integer(s->line_accesses)},
        {"stacks", hd_json_integer(s->stacks)},
        {"footprint", hd_json_integer(s->footprint)},
        {"cold", hd_json_integer(s->cold)},
        {"distances", distances_json(s)},
        {"curve", curve_json(r)},
        {"cache", cache ? size_json(r, cache->size / r->options.line) : json_null()},
        {"complete", json_boolean(r->complete)},
        {"stopped", json_boolean(r->run.total.counts.stopped)},
        {"printed", hd_json_text(hd_str_text(&r->run.printed))},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set_new(object, members[i].name, members[i].value);
    return cli_print_json(c, object);
}

/* ---- the command
 * ---------------------------------------------------------------------------------- */

static int locality(cli *c, request *r) {
    if (read_options(c, r) || cli_read_input(c, &r->input) ||
        (r->input.is_trace && cli_refuse_job_options(c, &r->input)))
        return CLI_WRONG;
    cli_about about;
    const hd_diag diag = cli_diag_about(c, &about, r->input.path);
    r->analysis = hd_stack_new(c->arena, &diag, &r->options);
    r->sink = hd_stack_sink(r->analysis);
    int status = CLI_WRONG;
    if (hear(c, r) == HD_OK)
        status = c->json ? show_json(c, r) : r->csv ? show_csv(c, r) : show_text(c, r);
    hd_stack_free(r->analysis);
    return status ? status : cli_run_status(&r->run);
}

int cmd_locality(cli *c, int argc, char **argv) {
    request r = {0};
    cli_option job_options[CLI_JOB_OPTION_COUNT];
    const cli_option options[] = {
        {"line", 0, "BYTES", "of a line, a power of two; default: that of --device, else 128",
         CLI_NUMBER, &r.line},
        {"per", 0, "WHAT",
         "whose accesses go through one stack: block, cluster or device; default: device", CLI_TEXT,
         &r.per, "block cluster device"},
        {"clusters", 0, "C", "core clusters of --per cluster; block n runs on cluster n mod C",
         CLI_NUMBER, &r.clusters},
        {"device", 'd', "D", "a device profile: its lines, warps and caches", CLI_TEXT,
         &r.device_name},
        {"launch", 0, "N[-M]", "only these launches, counted from 0, every repeat as one", CLI_TEXT,
         &r.input.launch_text},
        {"blocks", 0, "A[-B]", "only these blocks of each launch, counted from 0", CLI_TEXT,
         &r.input.block_text},
        {"space", 0, "SPACES",
         "only accesses to these: global, constant and, per block, local, separated by commas; "
         "default: global",
         CLI_TEXT, &r.input.space_text, "global local constant private"},
        {"memory", 0, "BYTES", "that the stacks may take; default: 1 GiB", CLI_NUMBER,
         &r.options.memory},
        {"csv", 0, NULL, "the miss ratio of every size, as lines,bytes,miss_ratio", CLI_FLAG,
         &r.csv},
        CLI_MACHINE_OPTIONS(r.input.machine),
        {0}};
    const cli_page page = {
        "[OPTIONS] TRACE|JOB|FILE",
        "Counts stack distances: for every access of a line, how many different lines were "
        "touched since that line was touched last, itself included. A cache of n lines, fully "
        "associative and LRU, hits the accesses of distance up to n, so that the counts give the "
        "miss ratio of every size. Reads a trace file, or runs a job on the machine.",
        options,
        cli_job_options(&r.input.source, job_options),
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    r.input.path = words[0];
    cli_end_on_stop();
    return locality(c, &r);
}
