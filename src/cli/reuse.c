/* The reuse analysis for the command line. */
#include "cli/reuse.h"
#include "cli/stop.h"

#include "cli/contents.h"
#include "locality/schedule.h"

enum { MOST_CLUSTERS = 65536, MOST_UNITS = 1 << 20, MOST_ELEMENT = 1 << 20 };

/* ---- options ------------------------------------------------------------------------------ */

static hd_status check_most(cli *c, const char *option, uint64_t value, uint64_t most) {
    return value <= most ? HD_OK
                         : hd_fail(&c->diag, HD_EINPUT, NULL, "--%s takes at most %llu", option,
                                   (unsigned long long)most);
}

static const char *order_names(hd_arena *arena) {
    hd_str names = {.arena = arena};
    for (size_t i = 0; hd_block_orders[i].name; i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "of blocks: ", hd_block_orders[i].name);
    for (size_t i = 0; hd_warp_orders[i].name; i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "; of warps: ", hd_warp_orders[i].name);
    return hd_str_text(&names);
}

/* "sharing,greedy": names of orders, at most one of each kind. */
static hd_status read_schedule(cli *c, cli_reuse_options *o) {
    if (!o->schedule)
        return HD_OK;
    const hd_diag silent = {0};
    const hd_order *blocks;
    const hd_order *warps;
    char *rest = hd_strdup(c->arena, o->schedule), *name;
    while ((name = strsep(&rest, ","))) {
        const char **order =
            !hd_find_block_order(c->arena, &silent, name, &blocks) ? &o->options.block_order
            : !hd_find_warp_order(c->arena, &silent, name, &warps) ? &o->options.warp_order
                                                                   : NULL;
        if (!order || *order)
            return hd_fail(&c->diag, HD_EINPUT, NULL,
                           "--schedule takes an order or one of each kind (%s), not '%s'",
                           order_names(c->arena), o->schedule);
        *order = name;
    }
    if (o->options.warp_order && o->scenario < 5)
        return hd_fail(&c->diag, HD_EINPUT, NULL,
                       "--schedule %s: the order of warps matters only where load/store units are "
                       "limited, in scenarios 5 and 6",
                       o->schedule);
    return HD_OK;
}

static hd_status refuse_other(cli *c, const char *option, bool given, const char *scenarios) {
    return given ? hd_fail(&c->diag, HD_EINPUT, NULL, "--%s goes with %s", option, scenarios)
                 : HD_OK;
}

/* Options of other scenarios would be ignored, so they are refused. */
static hd_status check_scenario(cli *c, const cli_reuse_options *o) {
    hd_status status;
    if (!o->scenario)
        return hd_fail(&c->diag, HD_EINPUT, NULL,
                       "which scenario? --scenario 1 to 6; 'heddle %s --help' says what they are",
                       c->command);
    if ((status = check_most(c, "scenario", o->scenario, 6)) ||
        (status = refuse_other(c, "k", o->k && o->scenario != 4, "scenario 4")) ||
        (status =
             refuse_other(c, "clusters", o->clusters && o->scenario < 5, "scenarios 5 and 6")) ||
        (status = refuse_other(c, "units", o->units && o->scenario < 5, "scenarios 5 and 6")) ||
        (status = refuse_other(c, "all", o->all && o->scenario != 2 && o->scenario != 5,
                               "scenarios 2 and 5")) ||
        (status = refuse_other(c, "block", o->block && o->scenario != 2, "scenario 2")))
        return status;
    return refuse_other(c, "cluster", o->cluster && o->scenario != 5, "scenario 5");
}

static hd_status read_number(cli *c, cli_reuse_options *o) {
    const char *text = o->block ? o->block : o->cluster, *end = NULL;
    if (text && o->all)
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--all and --%s: choose one of them",
                       o->block ? "block" : "cluster");
    if (text && (!cli_whole(text, &end, &o->number) || *end))
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--%s takes a whole number from 0 on, not '%s'",
                       o->block ? "block" : "cluster", text);
    if (o->cluster && o->clusters && o->number >= o->clusters)
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--cluster %s: the clusters are 0 to %llu",
                       o->cluster, (unsigned long long)o->clusters - 1);
    return HD_OK;
}

hd_status cli_reuse_read_outputs(cli *c, cli_reuse_options *o, char *const *paths, uint32_t count) {
    if (o->csv && c->json)
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--csv and --json: choose one of them");
    o->input.machine.keep_text = o->csv; /* it would stand among the lines */
    hd_status status = cli_read_range(c, "range", o->range, &o->first, &o->last);
    if (status || !o->svg)
        return status;
    o->input.out = o->svg;
    o->input.out_name = "svg";
    return cli_check_output(c, "svg", o->svg, (const char *const *)paths, count);
}

static void fill_options(cli_reuse_options *o) {
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
}

hd_status cli_reuse_read(cli *c, cli_reuse_options *o, char *const *paths, uint32_t count) {
    hd_status status;
    if ((status = check_scenario(c, o)) || (status = read_number(c, o)) ||
        (status = check_most(c, "clusters", o->clusters, MOST_CLUSTERS)) ||
        (status = check_most(c, "units", o->units, MOST_UNITS)) ||
        (status = check_most(c, "element", o->element, MOST_ELEMENT)) ||
        (status = cli_read_choice(c, &o->input)) || (status = read_schedule(c, o)) ||
        (status = cli_reuse_read_outputs(c, o, paths, count)))
        return status;
    if (o->seed && (!o->options.block_order || strcmp(o->options.block_order, "random")))
        return hd_fail(&c->diag, HD_EINPUT, NULL, "--seed goes with --schedule random");
    fill_options(o);
    status = hd_reuse_check(c->arena, &c->diag, &o->options);
    return status ? status : cli_read_inputs(c, &o->input, paths, count);
}

/* ---- which stream --------------------------------------------------------------------------- */

static hd_status find_stream(cli *c, const cli_reuse_options *o, cli_reuse *r) {
    const hd_place place = {.file = r->file};
    uint64_t found = 0;
    for (uint64_t s = 0; s < r->reuse->stream_count; s++)
        if (r->reuse->streams[s].number == o->number) {
            r->stream = r->reuse->streams[s];
            found++;
        }
    if (!found)
        return hd_fail(&c->diag, HD_EINPUT, &place, "--block %s: no launch has such a block",
                       o->block);
    return found == 1 ? HD_OK
                      : hd_fail(&c->diag, HD_EINPUT, &place,
                                "--block %s: %llu launches have such a block; choose one with "
                                "--launch",
                                o->block, (unsigned long long)found);
}

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

static void warn_of_k(cli *c, const cli_reuse_options *o, const cli_reuse *r) {
    if (o->scenario == 4 && r->reuse->k < o->k)
        hd_warn(&c->diag, &(hd_place){.file = r->file},
                "--k %llu: no launch has more than %llu block%s, so all blocks of a launch are "
                "taken as running at once",
                (unsigned long long)o->k, (unsigned long long)r->reuse->k,
                r->reuse->k == 1 ? "" : "s");
}

static hd_status choose(cli *c, const cli_reuse_options *o, const hd_trace_contents *contents,
                        cli_reuse *r) {
    bool one = o->block || o->cluster || (o->scenario != 2 && o->scenario != 5);
    hd_status status = HD_OK;
    if (one && o->block)
        status = find_stream(c, o, r);
    else
        r->stream = one ? r->reuse->streams[o->number] : hd_reuse_sum(c->arena, r->reuse);
    if (status != HD_OK)
        return status;
    r->is_all = !one;
    if (!one && o->scenario == 2)
        r->kernel_count = hd_reuse_by_kernel(c->arena, contents, r->reuse, &r->kernels);
    r->shape = hd_reuse_shape_of(r->stream.degree, r->stream.domain);
    r->what = describe(c, o, r);
    warn_of_k(c, o, r);
    return HD_OK;
}

/* ---- the analysis --------------------------------------------------------------------------- */

static uint64_t count_launches(const cli_input *input, const hd_trace_contents *contents) {
    uint64_t count = 0;
    for (uint32_t l = 0; l < contents->launch_count; l++)
        count += cli_launch_chosen(input, contents->launches[l].launch.number);
    return count;
}

hd_status cli_reuse_analyse(cli *c, cli_reuse_options *o, cli_reuse *r) {
    *r = (cli_reuse){.file = o->input.path,
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
    r->launches = count_launches(&o->input, contents);
    cli_meter meter = {.c = c};
    o->options.progress = cli_show_meter;
    o->options.user = &meter;
    status = hd_reuse_analyse(c->arena, &diag, trace, &o->options, &reuse);
    cli_progress(c, NULL);
    r->reuse = reuse;
    if (status == HD_OK)
        status = choose(c, o, contents, r);
    hd_trace_close(trace);
    return status;
}
