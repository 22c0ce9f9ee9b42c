/* The reuse analysis for the command line. */
#include "cli/cache_reuse.h"
#include "cli/stop.h"

#include "cli/buffer_contents.h"
#include "analysis/schedule.h"

/* ---- options ------------------------------------------------------------------------------ */

/* "sharing,greedy": names of orders, at most one of each kind. */
static hd_status read_schedule(cli *c, cli_reuse_options *o) {
    if (!o->given->schedule)
        return HD_OK;
    const hd_order *blocks;
    const hd_order *warps;
    hd_str names = {.arena = c->arena};
    for (size_t i = 0; hd_block_orders[i].name; i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "of blocks: ", hd_block_orders[i].name);
    for (size_t i = 0; hd_warp_orders[i].name; i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "; of warps: ", hd_warp_orders[i].name);
    const char *rest = o->given->schedule, *name;
    while ((name = cli_next_word(c->arena, &rest))) {
        const char **order =
            !hd_find_block_order(c->arena, &hd_silent, name, &blocks) ? &o->options.block_order
            : !hd_find_warp_order(c->arena, &hd_silent, name, &warps) ? &o->options.warp_order
                                                                      : NULL;
        if (!order || *order)
            return cli_refuse(c, "--schedule takes an order or one of each kind (%s), not '%s'",
                              hd_str_text(&names), o->given->schedule);
        *order = name;
    }
    if (o->options.warp_order && o->given->scenario < 5)
        return cli_refuse(
            c,
            "--schedule %s: the order of warps matters only where load/store units are "
            "limited, in scenarios 5 and 6",
            o->given->schedule);
    return HD_OK;
}

/* Options of other scenarios would be ignored, so they are refused. Reads --block and --cluster. */
static hd_status check_scenario(cli *c, cli_reuse_options *o) {
    const uint64_t s = o->given->scenario;
    const struct {
        const char *option;
        bool given, fits;
        const char *scenarios;
    } rules[] = {{"k", o->given->k, s == 4, "scenario 4"},
                 {"clusters", o->clusters, s >= 5, "scenarios 5 and 6"},
                 {"units", o->given->units, s >= 5, "scenarios 5 and 6"},
                 {"all", o->given->all, s == 2 || s == 5, "scenarios 2 and 5"},
                 {"block", o->given->block, s == 2, "scenario 2"},
                 {"cluster", o->given->cluster, s == 5, "scenario 5"}};
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
    const char *which = o->given->block ? "block" : "cluster", *end = NULL;
    const char *text = o->given->block ? o->given->block : o->given->cluster;
    if (text && (!cli_whole(text, &end, &o->number) || *end))
        return cli_refuse(c, "--%s takes a whole number from 0 on, not '%s'", which, text);
    if (o->given->cluster && o->clusters && o->number >= o->clusters)
        return cli_refuse(c, "--cluster %s: the clusters are 0 to %llu", o->given->cluster,
                          (unsigned long long)o->clusters - 1);
    return HD_OK;
}

hd_status cli_reuse_read_outputs(cli *c, cli_reuse_options *o, char *const *paths, uint32_t count) {
    o->input.machine.keep_text = o->given->csv; /* it would stand among the lines */
    hd_status status = cli_read_range(c, "range", o->given->range, &o->first, &o->last);
    if (status || !o->given->svg)
        return status;
    o->input.out = o->given->svg;
    o->input.out_name = "svg";
    return cli_check_output(c, "svg", o->given->svg, (const char *const *)paths, count);
}

hd_status cli_reuse_read(cli *c, cli_reuse_options *o, char *const *paths, uint32_t count) {
    const hd_device *device = NULL;
    hd_status status = o->given->devices.count ? cli_find_device(c, &device) : HD_OK;
    if (status)
        return status;
    o->clusters = o->given->clusters;
    if (device && !o->clusters && o->given->scenario >= 5)
        o->clusters = device->sms;
    if ((status = check_scenario(c, o)) || (status = cli_read_choice(c, &o->input)) ||
        (status = read_schedule(c, o)) || (status = cli_reuse_read_outputs(c, o, paths, count)))
        return status;
    if (o->given->seed && (!o->options.block_order || strcmp(o->options.block_order, "random")))
        return cli_refuse(c, "--seed goes with --schedule random");
    o->options.scenario = (uint32_t)o->given->scenario;
    o->options.k = o->given->k;
    o->options.clusters = (uint32_t)o->clusters;
    o->options.units = (uint32_t)o->given->units;
    o->options.element_bytes = (uint32_t)o->given->element;
    o->options.spaces = o->input.spaces;
    o->options.first_launch = o->input.first_launch;
    o->options.end_launch = o->input.launch_text ? o->input.last_launch + 1 : 0;
    o->options.seed = o->given->seed;
    o->options.memory = o->given->memory;
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
        return o->given->block ? hd_format(arena, "scenario 2: block %s of launch %u",
                                           o->given->block, r->stream.launch)
                               : "scenario 2: each block by itself";
    case 3: return "scenario 3: all blocks of a launch at the same time";
    case 4:
        return hd_format(arena, "scenario 4: %llu block%s at the same time",
                         (unsigned long long)r->reuse->k, r->reuse->k == 1 ? "" : "s");
    case 5:
        return o->given->cluster
                   ? hd_format(arena, "scenario 5: core cluster %s of %u, with %u load/store units",
                               o->given->cluster, clusters, units)
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
    bool one = o->given->block || o->given->cluster ||
               (o->given->scenario != 2 && o->given->scenario != 5);
    const hd_place place = {.file = r->file};
    uint64_t found = 0;
    for (uint64_t s = 0; o->given->block && s < r->reuse->stream_count; s++)
        if (r->reuse->streams[s].number == o->number) {
            r->stream = r->reuse->streams[s];
            found++;
        }
    if (o->given->block && !found)
        return hd_fail(&c->diag, HD_EINPUT, &place, "--block %s: no launch has such a block",
                       o->given->block);
    if (found > 1)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--block %s: %llu launches have such a block; choose one with --launch",
                       o->given->block, (unsigned long long)found);
    if (!o->given->block)
        r->stream = one ? r->reuse->streams[o->number] : hd_reuse_sum(c->arena, r->reuse);
    r->is_all = !one;
    if (!one && o->given->scenario == 2)
        r->kernel_count = hd_reuse_by_kernel(c->arena, contents, r->reuse, &r->kernels);
    r->shape = hd_reuse_shape_of(r->stream.degree, r->stream.domain);
    r->what = describe(c, o, r);
    if (o->given->scenario == 4 && r->reuse->k < o->given->k)
        hd_warn(&c->diag, &place,
                "--k %llu: no launch has more than %llu block%s, so all blocks of a launch are "
                "taken as running at once",
                (unsigned long long)o->given->k, (unsigned long long)r->reuse->k,
                r->reuse->k == 1 ? "" : "s");
    return HD_OK;
}

/* ---- the analysis --------------------------------------------------------------------------- */

hd_status cli_reuse_analyse(cli *c, cli_reuse_options *o, cli_reuse *r) {
    *r = (cli_reuse){.file = cli_shown(c, o->input.path),
                     .scenario = o->options.scenario,
                     .element = o->options.element_bytes ? o->options.element_bytes : 4};
    hd_trace *trace;
    hd_job *job;
    cli_end_on_stop();
    hd_status status = cli_open_accesses(c, &o->input, &job, &r->run, &trace);
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

int cmd_cache_reuse(cli *c) {
    cli_reuse_options o = {.input = c->given->input, .given = c->given};
    cli_reuse result;
    if (cli_reuse_read(c, &o, c->words, 1) || cli_reuse_analyse(c, &o, &result))
        return CLI_WRONG;
    int status = cli_reuse_show(c, &o, &result);
    return status || o.input.is_trace ? status : cli_run_status(&result.run);
}
