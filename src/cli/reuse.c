/* The reuse analysis for the command line. */
#include "cli/reuse.h"
#include "cli/stop.h"

#include "cli/contents.h"
#include "locality/schedule.h"

enum { MOST_CLUSTERS = 65536, MOST_UNITS = 1 << 20, MOST_ELEMENT = 1 << 20 };

/* ---- options ------------------------------------------------------------------------------ */

const cli_option *cli_reuse_table(cli *c, cli_reuse_options *o) {
    const cli_option options[] = {
        {"scenario", 's', "N",
         "1 blocks one after another, 2 each block by itself, 3 all blocks of a launch at once, 4 "
         "K "
         "blocks at once, 5 each core cluster with its load/store units, 6 the clusters together",
         CLI_NUMBER, &o->scenario, .most = 6},
        {"k", 'k', "K", "scenario 4: blocks that run at once", CLI_NUMBER, &o->k},
        {"clusters", 0, "C", "scenarios 5 and 6: core clusters", CLI_NUMBER, &o->clusters,
         .most = MOST_CLUSTERS},
        {"units", 0, "L",
         "scenarios 5 and 6: load/store units of each cluster, a multiple or a divisor of 32",
         CLI_NUMBER, &o->units, .most = MOST_UNITS},
        {"block", 0, "B", "scenario 2: this block", CLI_TEXT, &o->block},
        {"cluster", 0, "N", "scenario 5: this cluster", CLI_TEXT, &o->cluster},
        {"all", 0, NULL, "scenarios 2 and 5: all blocks or clusters added up (the default)",
         CLI_FLAG, &o->all},
        {"element", 0, "BYTES", "of an element; default: 4", CLI_NUMBER, &o->element,
         .most = MOST_ELEMENT},
        {"schedule", 0, "ORDERS",
         "of blocks: sequential, random or sharing; of warps: round-robin or greedy; or one of "
         "each, such as sharing,greedy",
         CLI_TEXT, &o->schedule, "sequential random sharing round-robin greedy"},
        {"seed", 0, "N", "of the order random", CLI_NUMBER, &o->seed},
        {"launch", 0, "N[-M]", "only these launches, counted from 0, every repeat as one", CLI_TEXT,
         &o->input.launch_text},
        {"space", 0, "SPACES",
         "only accesses to these: global, constant and, in scenario 2, local, separated by "
         "commas; default: global",
         CLI_TEXT, &o->input.space_text, "global local constant"},
        {"memory", 0, "BYTES",
         "that accesses may take at a time, else elements are handled in shares, and that kept "
         "results may take to compare; default: 1 GiB",
         CLI_NUMBER, &o->memory},
        {"range", 0, "A[-B]", "show only these distances", CLI_TEXT, &o->range},
        {"svg", 0, "FILE", "write the picture as SVG, too", CLI_TEXT, &o->svg},
        {0}};
    return cli_keep_options(c, options);
}

/* "sharing,greedy": names of orders, at most one of each kind. */
static hd_status read_schedule(cli *c, cli_reuse_options *o) {
    if (!o->schedule)
        return HD_OK;
    const hd_diag silent = {0};
    const hd_order *blocks;
    const hd_order *warps;
    hd_str names = {.arena = c->arena};
    for (size_t i = 0; hd_block_orders[i].name; i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "of blocks: ", hd_block_orders[i].name);
    for (size_t i = 0; hd_warp_orders[i].name; i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "; of warps: ", hd_warp_orders[i].name);
    char *rest = hd_strdup(c->arena, o->schedule), *name;
    while ((name = strsep(&rest, ","))) {
        const char **order =
            !hd_find_block_order(c->arena, &silent, name, &blocks) ? &o->options.block_order
            : !hd_find_warp_order(c->arena, &silent, name, &warps) ? &o->options.warp_order
                                                                   : NULL;
        if (!order || *order)
            return cli_refuse(c, "--schedule takes an order or one of each kind (%s), not '%s'",
                              hd_str_text(&names), o->schedule);
        *order = name;
    }
    if (o->options.warp_order && o->scenario < 5)
        return cli_refuse(
            c,
            "--schedule %s: the order of warps matters only where load/store units are "
            "limited, in scenarios 5 and 6",
            o->schedule);
    return HD_OK;
}

/* Options of other scenarios would be ignored, so they are refused. Reads --block and --cluster. */
static hd_status check_scenario(cli *c, cli_reuse_options *o) {
    const uint64_t s = o->scenario;
    const struct {
        const char *option;
        bool given, fits;
        const char *scenarios;
    } rules[] = {{"k", o->k, s == 4, "scenario 4"},
                 {"clusters", o->clusters, s >= 5, "scenarios 5 and 6"},
                 {"units", o->units, s >= 5, "scenarios 5 and 6"},
                 {"all", o->all, s == 2 || s == 5, "scenarios 2 and 5"},
                 {"block", o->block, s == 2, "scenario 2"},
                 {"cluster", o->cluster, s == 5, "scenario 5"}};
    if (!s)
        return cli_refuse(
            c, "which scenario? --scenario 1 to 6; 'heddle %s --help' says what they are",
            c->command);
    hd_status status = HD_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && status == HD_OK; i++)
        if (rules[i].given && !rules[i].fits)
            status = cli_refuse(c, "--%s goes with %s", rules[i].option, rules[i].scenarios);
    if (status != HD_OK)
        return status;
    const char *which = o->block ? "block" : "cluster", *end = NULL;
    const char *text = o->block ? o->block : o->cluster;
    if (text && o->all)
        return cli_refuse(c, "--all and --%s: choose one of them", which);
    if (text && (!cli_whole(text, &end, &o->number) || *end))
        return cli_refuse(c, "--%s takes a whole number from 0 on, not '%s'", which, text);
    if (o->cluster && o->clusters && o->number >= o->clusters)
        return cli_refuse(c, "--cluster %s: the clusters are 0 to %llu", o->cluster,
                          (unsigned long long)o->clusters - 1);
    return HD_OK;
}

hd_status cli_reuse_read_outputs(cli *c, cli_reuse_options *o, char *const *paths, uint32_t count) {
    if (o->csv && c->json)
        return cli_refuse(c, "--csv and --json: choose one of them");
    o->input.machine.keep_text = o->csv; /* it would stand among the lines */
    hd_status status = cli_read_range(c, "range", o->range, &o->first, &o->last);
    if (status || !o->svg)
        return status;
    o->input.out = o->svg;
    o->input.out_name = "svg";
    return cli_check_output(c, "svg", o->svg, (const char *const *)paths, count);
}

hd_status cli_reuse_read(cli *c, cli_reuse_options *o, char *const *paths, uint32_t count) {
    hd_status status;
    if ((status = check_scenario(c, o)) || (status = cli_read_choice(c, &o->input)) ||
        (status = read_schedule(c, o)) || (status = cli_reuse_read_outputs(c, o, paths, count)))
        return status;
    if (o->seed && (!o->options.block_order || strcmp(o->options.block_order, "random")))
        return cli_refuse(c, "--seed goes with --schedule random");
    o->options.scenario = (uint32_t)o->scenario;
    o->options.k = o->k;
    o->options.clusters = (uint32_t)o->clusters;
    o->options.units = (uint32_t)o->units;
    o->options.element_bytes = (uint32_t)o->element;
    o->options.spaces = o->input.spaces;
    o->options.first_launch = o->input.first_launch;
    o->options.end_launch = o->input.launch_text ? o->input.last_launch + 1 : 0;
    o->options.seed = o->seed;
    o->options.memory = o->memory;
    o->options.workers = (uint32_t)o->input.machine.workers;
    status = hd_reuse_check(c->arena, &c->diag, &o->options);
    return status ? status : cli_read_inputs(c, &o->input, paths, count);
}

/* ---- which stream --------------------------------------------------------------------------- */

static const char *describe(cli *c, const cli_reuse_options *o, const cli_reuse *r) {
    hd_arena *arena = c->arena;
    const unsigned clusters = o->options.clusters, units = o->options.units;
    switch (o->options.scenario) {
    case 1: return "scenario 1: blocks one after another";
    case 2:
        return o->block ? hd_format(arena, "scenario 2: block %s of launch %u", o->block,
                                    r->stream.launch)
                        : "scenario 2: each block by itself";
    case 3: return "scenario 3: all blocks of a launch at the same time";
    case 4:
        return hd_format(arena, "scenario 4: %llu block%s at the same time",
                         (unsigned long long)r->reuse->k, r->reuse->k == 1 ? "" : "s");
    case 5:
        return o->cluster
                   ? hd_format(arena, "scenario 5: core cluster %s of %u, with %u load/store units",
                               o->cluster, clusters, units)
                   : hd_format(arena,
                               "scenario 5: each of %u core clusters by itself, %u "
                               "load/store units",
                               clusters, units);
    default:
        return hd_format(arena,
                         "scenario 6: %u core clusters together, with %u load/store units "
                         "each",
                         clusters, units);
    }
}

static hd_status choose(cli *c, const cli_reuse_options *o, const hd_trace_contents *contents,
                        cli_reuse *r) {
    bool one = o->block || o->cluster || (o->scenario != 2 && o->scenario != 5);
    const hd_place place = {.file = r->file};
    uint64_t found = 0;
    for (uint64_t s = 0; o->block && s < r->reuse->stream_count; s++)
        if (r->reuse->streams[s].number == o->number) {
            r->stream = r->reuse->streams[s];
            found++;
        }
    if (o->block && !found)
        return hd_fail(&c->diag, HD_EINPUT, &place, "--block %s: no launch has such a block",
                       o->block);
    if (found > 1)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--block %s: %llu launches have such a block; choose one with --launch",
                       o->block, (unsigned long long)found);
    if (!o->block)
        r->stream = one ? r->reuse->streams[o->number] : hd_reuse_sum(c->arena, r->reuse);
    r->is_all = !one;
    if (!one && o->scenario == 2)
        r->kernel_count = hd_reuse_by_kernel(c->arena, contents, r->reuse, &r->kernels);
    r->shape = hd_reuse_shape_of(r->stream.degree, r->stream.domain);
    r->what = describe(c, o, r);
    if (o->scenario == 4 && r->reuse->k < o->k)
        hd_warn(&c->diag, &place,
                "--k %llu: no launch has more than %llu block%s, so all blocks of a launch are "
                "taken as running at once",
                (unsigned long long)o->k, (unsigned long long)r->reuse->k,
                r->reuse->k == 1 ? "" : "s");
    return HD_OK;
}

/* ---- the analysis --------------------------------------------------------------------------- */

hd_status cli_reuse_analyse(cli *c, cli_reuse_options *o, cli_reuse *r) {
    *r = (cli_reuse){.file = o->input.path,
                     .scenario = o->options.scenario,
                     .element = o->options.element_bytes ? o->options.element_bytes : 4};
    hd_trace *trace;
    cli_end_on_stop();
    hd_status status = cli_open_accesses(c, &o->input, &r->run, &trace);
    if (status != HD_OK)
        return status;
    const hd_trace_contents *contents = hd_trace_get(trace);
    cli_about about;
    const hd_diag diag = cli_diag_about(c, &about, r->file);
    hd_reuse *reuse;
    r->complete = contents->complete;
    for (uint32_t l = 0; l < contents->launch_count; l++)
        r->launches += cli_launch_chosen(&o->input, contents->launches[l].launch.number);
    cli_meter meter = {.c = c};
    o->options.progress = cli_show_meter;
    o->options.user = &meter;
    o->options.ranks = c->ranks;
    status = hd_reuse_analyse(c->arena, &diag, trace, &o->options, &reuse);
    cli_progress(c, NULL);
    r->reuse = reuse;
    if (status == HD_OK)
        status = choose(c, o, contents, r);
    hd_trace_close(trace);
    return status;
}
