/* heddle measure: the original against another layout, on a real device. */
#include "cli/show_advice.h"
#include "cli/commands.h"
#include "cli/report/members.h"

typedef struct result {
    const hd_job *job;
    const hd_layout *layout;
    const hd_measurement *measurement;
} result;

static const hd_member result_members[] = {
    {"record", HD_VIA(result, job, HD_BEHIND, record), .of = hd_record_members},
    {"layout", HD_BEHIND(result, layout), .of = hd_layout_members},
    {"measurement", HD_BEHIND(result, measurement), .of = hd_measurement_members},
    {0}};

/* One of the two versions. */
typedef struct version {
    const char *name;
    hd_timing timing;
    const char *speedup;
} version;

static const hd_member version_columns[] = {
    {NULL, "version", HD_AT(version, name)},
    {HD_IN(version, timing), .of = hd_timing_members},
    {NULL, "speed-up", HD_PLAIN_WORD, HD_AT(version, speedup)},
    {0}};

/* The energy of one of the two. */
typedef struct energy_row {
    const char *name;
    hd_energy energy;
    const char *saving;
} energy_row;

static const hd_member energy_columns[] = {
    {NULL, "version", HD_AT(energy_row, name)},
    {HD_IN(energy_row, energy), .of = hd_energy_members},
    {NULL, "saving", HD_PLAIN_WORD, HD_AT(energy_row, saving)},
    {0}};

static void show_energy(cli *c, const char *layout, const hd_energy_pair *pair, hd_str *out) {
    const energy_row rows[] = {{"original", pair->original, ""},
                               {layout, pair->rewritten, hd_show_ratio(c->arena, pair->saving)}};
    hd_str_add(out, "\n");
    cli_show_rows(c, pair->original.modelled ? "Energy of a run, modelled" : "Energy of a run",
                  energy_columns, hd_rows(rows, 2), out);
    const hd_energy *e = &pair->original; /* where the joules come from, and what they are */
    const char *idle = e->idle_subtracted ? "idle power is subtracted" : "idle power included";
    if (e->modelled)
        hd_say(out, "  energy: modelled from the device's profile, not metered; one run, %s", idle);
    else
        hd_say(out, "  energy: metered by %s; one run, %s; power is that under load", e->source,
               idle);
    const char *const missing[] = {pair->original.missing, pair->rewritten.missing};
    bool is_same = missing[0] && missing[1] && !strcmp(missing[0], missing[1]);
    for (int v = 0; v < (is_same ? 1 : 2); v++)
        if (missing[v])
            hd_say(out, "  energy of %s is missing: %s", is_same ? "both" : rows[v].name,
                   missing[v]);
}

/* One of the two, whole runs. */
typedef struct whole_version {
    const char *name, *placement;
    const hd_whole_timing *timing;
    const char *speedup;
} whole_version;

static const hd_member whole_columns[] = {
    {NULL, "version", HD_AT(whole_version, name)},
    {NULL, "placement", HD_AT(whole_version, placement)},
    {NULL, "to device", HD_SECONDS, HD_VIA(whole_version, timing, HD_AT, to_device.median)},
    {NULL, "kernels", HD_SECONDS, HD_VIA(whole_version, timing, HD_AT, kernels.median)},
    {NULL, "from device", HD_SECONDS, HD_VIA(whole_version, timing, HD_AT, from_device.median)},
    {NULL, "whole", HD_SECONDS, HD_VIA(whole_version, timing, HD_AT, whole.median)},
    {NULL, "runs", HD_VIA(whole_version, timing, HD_AT, whole.repeats)},
    {NULL, "speed-up", HD_PLAIN_WORD, HD_AT(whole_version, speedup)},
    {0}};

static int show(cli *c, const result *r) {
    const hd_record *record = r->job->record;
    const hd_measurement *m = r->measurement;
    const hd_whole_measurement *w = m->whole;
    const char *layout = hd_layout_print(c->arena, record, r->layout);
    const char *speedup = hd_show_ratio(c->arena, w ? w->speedup : m->speedup);
    const char *title = hd_format(c->arena, "%s on %s", record->spelling, m->device_name);
    const version versions[] = {{"original", m->original, ""}, {layout, m->rewritten, speedup}};
    const whole_version whole[] = {
        {"original", m->original_placement, w ? &w->original : NULL, ""},
        {layout, m->rewritten_placement, w ? &w->rewritten : NULL, speedup}};
    hd_str out = {.arena = c->arena};
    if (c->json)
        return cli_print_row(c, result_members, hd_with(hd_row(r), record));
    if (w)
        cli_show_rows(c, title, whole_columns, hd_rows(whole, 2), &out);
    else
        cli_show_rows(c, title, version_columns, hd_rows(versions, 2), &out);
    cli_show_speedup(c, m, &out);
    if (m->energy)
        show_energy(c, layout, m->energy, &out);
    return cli_print(c, &out);
}

/* The job, the layout, which in another placement may be the original's, and its kernels. */
static hd_status load(cli *c, const char *path, const cli_source *source, const char *notation,
                      bool placed, hd_job **job, hd_layout **layout, hd_rewritten **rewritten) {
    if (!notation && !placed)
        return cli_no_layout(c);
    hd_status status = cli_load(c, path, source, job);
    if (status || (status = hd_job_require_record(&c->diag, *job)))
        return status;
    *layout = hd_layout_original(c->arena, (*job)->record);
    if (notation)
        status = hd_layout_parse(c->arena, &c->diag, (*job)->record, notation, layout);
    *rewritten = NULL;
    if (status ||
        (placed && hd_layout_equal(*layout, hd_layout_original(c->arena, (*job)->record))))
        return status;
    return hd_rewrite_job(c->arena, &c->diag, *job, &(hd_record_layout){(*job)->record, *layout}, 1,
                          rewritten);
}

int cmd_measure(cli *c) {
    const cli_options *o = c->given;
    const char *notation = o->layouts.count ? o->layouts.data[0] : NULL;
    hd_energy_question question = {
        .meter = {.name = o->meter_command && !o->meter ? "command" : o->meter,
                  .command = o->meter_command},
        .options.subtract_idle = o->subtract_idle};
    hd_placement placement;
    cli_meter meter = {.c = c};
    const hd_measure_options options = {.device = o->on,
                                        .repeats = (uint32_t)o->repeats,
                                        .min_seconds = o->seconds,
                                        .energy = o->energy ? &question : NULL,
                                        .placement = o->placement ? &placement : NULL,
                                        .progress = cli_show_meter,
                                        .user = &meter};
    hd_job *job;
    hd_layout *layout;
    hd_rewritten *rewritten;
    if ((o->devices.count && cli_find_device(c, &question.profile)) ||
        (o->placement && cli_read_placement(c, "--placement", o->placement, &placement)) ||
        load(c, o->input.path, &o->input.source, notation, o->placement, &job, &layout, &rewritten))
        return CLI_WRONG;
    cli_progress(c, "measuring");
    hd_measurement m = {0};
    hd_status status =
        hd_measure_compare(c->arena, &c->diag, job, &(hd_record_layout){job->record, layout}, 1,
                           rewritten, &options, &m);
    if (status != HD_OK && status != HD_EDIFFER)
        return CLI_WRONG;
    int printed = show(c, &(result){job, layout, &m});
    return printed ? printed : cli_status(status);
}
