/* heddle explore: generated kernels on a device, in layouts and placements. */
#include "cli/choice.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "explore/explore.h"
#include "report/members.h"

typedef struct request {
    cli_texts vary, fix;
    const char *device, *profile, *meter, *folder, *budget;
    uint64_t repeats;
    bool again, show;
} request;

static hd_status read_request(cli *c, const request *r, hd_plan *plan,
                              hd_explore_options *options) {
    const hd_plan_request asked = {r->vary.data, r->fix.data, (uint32_t)r->vary.count,
                                   (uint32_t)r->fix.count};
    hd_status status = hd_plan_make(c->arena, &c->diag, &asked, plan);
    if (status == HD_OK && r->budget)
        status = cli_read_budget(c, r->budget, &options->budget);
    if (status == HD_OK && r->profile)
        status = hd_device_find(c->arena, &c->diag, r->profile, &options->profile);
    return status;
}

/* What was done of the plan. */
static void tell(cli *c, const hd_exploration *e, const hd_database *database, hd_status status) {
    uint64_t known = e->kept + e->measured;
    const char *end = e->stopped       ? "stopped by a signal"
                      : e->out_of_time ? "the budget ended"
                                       : NULL;
    const char *again = database && known
                            ? "; they are kept, and the same command goes on with the "
                              "others"
                            : "";
    if (end)
        hd_warn(&c->diag, NULL, "%s with %llu of %llu variants measured%s", end,
                (unsigned long long)known, (unsigned long long)e->planned, again);
    else if (status != HD_OK && e->planned)
        hd_note(&c->diag, NULL, "%llu of %llu variants are measured%s", (unsigned long long)known,
                (unsigned long long)e->planned, again);
    for (size_t i = 0; i < e->refused_count; i++)
        hd_warn(&c->diag, NULL, "%s in %s, %s: %s", e->refused[i].point, e->refused[i].layout,
                e->refused[i].placement, e->refused[i].why);
}

static int show(cli *c, const hd_exploration *e) {
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "%s (%s)\n", e->device.name, e->device.platform);
    for (size_t i = 0; i < e->count; i++)
        hd_str_printf(&out, "%-40s %-10s %-8s %10s %10s %g\n",
                      hd_micro_print(c->arena, &e->variants[i].point), e->variants[i].layout,
                      e->variants[i].placement,
                      hd_show_seconds(c->arena, e->variants[i].kernels.median),
                      hd_show_seconds(c->arena, e->variants[i].whole.median),
                      e->variants[i].energy.joules.median);
    return cli_print(c, &out);
}

static int explore(cli *c, hd_database *database, const request *r) {
    hd_plan plan;
    hd_exploration result;
    cli_stop stop;
    cli_share share = {.c = c, .start = hd_clock()};
    hd_explore_options options = {.device = r->device,
                                  .backend = cli_backend_of(r->device),
                                  .meter = r->meter,
                                  .folder = r->folder,
                                  .repeats = (uint32_t)r->repeats,
                                  .again = r->again,
                                  .progress = cli_show_share,
                                  .user = &share};
    if (read_request(c, r, &plan, &options))
        return CLI_WRONG;
    options.stop = cli_catch_stop(&stop);
    hd_status status = hd_explore(c->arena, &c->diag, database, &plan, &options, &result);
    cli_release_stop(&stop);
    cli_progress(c, NULL);
    tell(c, &result, database, status);
    if (status != HD_OK)
        return cli_status(status);
    int printed = show(c, &result);
    return result.stopped ? CLI_STOPPED : printed;
}

int cmd_explore(cli *c, int argc, char **argv) {
    request r = {0};
    const cli_option options[] = {
        {"vary", 0, "NAME=VALUES",
         "vary a dimension of the kernels: sparsity=1,2,4..64; also layout=aos,soa,da and "
         "placement=device,host (may be repeated: all combinations); default: each dimension by "
         "itself",
         CLI_TEXTS, &r.vary},
        {"fix", 0, "NAME=VALUE", "a dimension that is not as usual: intensity=8 (may be repeated)",
         CLI_TEXTS, &r.fix},
        {"budget", 0, "TIME", "measure for at most so long (60s, 2m), and go on another time",
         CLI_TEXT, &r.budget},
        {"repeats", 0, "N", "timed runs of each variant; default 7", CLI_NUMBER, &r.repeats,
         .most = 1000},
        {"meter", 0, "NAME",
         "the meter of energy, as 'heddle devices --meters' prints it, or 'model'; default: the "
         "first that can be read, else the model",
         CLI_TEXT, &r.meter},
        {"profile", 0, "DEVICE",
         "the device profile that counts and modelled energy are of; default: the device's own",
         CLI_TEXT, &r.profile},
        {"keep", 0, "DIR", "leave the kernels and their jobs in this folder", CLI_TEXT, &r.folder},
        {"again", 0, NULL, "forget all that was measured on this device first", CLI_FLAG, &r.again},
        {0}};
    static const cli_page page = {
        "[OPTIONS] [DEVICE]",
        "Measures generated kernels on a device, each in several layouts and placements: memory "
        "divergence, sparsity, arithmetic intensity, task granularity, fields, control flow, sizes "
        "and work of the host are varied one by one. Says for each which layout and placement is "
        "best in time, in energy and in their product, and where the lead changes. DEVICE is P:D "
        "or cuda:D as 'heddle devices' prints it, or a part of an OpenCL device's name; default: "
        "OpenCL's first. What is measured is kept in the profile database.",
        {0, 1}};
    if (!cli_parse(c, &page, options, NULL, argc, argv))
        return c->status;
    r.device = c->word_count ? c->words[0] : NULL;
    hd_database *database = hd_database_open_user(c->arena, &c->diag);
    int status = explore(c, database, &r);
    hd_database_close(database);
    return status;
}
